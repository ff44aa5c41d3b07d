// A structure by value, with padding, a vector of three and an array; and one in memory.
typedef struct { char tag; short k; float3 dir; double unused; int table[3]; uchar last; } params;
typedef struct __attribute__((packed)) { uchar a; uint b; ushort c; } tight;
kernel void structs(global int *out, params p, global const tight *t) {
    size_t i = get_global_id(0);
    out[4 * i] = p.table[i % 3] + p.tag + p.last;
    out[4 * i + 1] = (int)(p.dir.x + 10 * p.dir.y + 100 * p.dir.z) + p.k;
    out[4 * i + 2] = t[i].b;
    out[4 * i + 3] = t[i].a + t[i].c + (int)sizeof(params);
}
