// Variables of the program: with values, without, and with addresses of each other.
typedef struct { int tag; global int *to; char name[6]; double d; } node;
global int counter = 5;
global int table[4] = {1, -2, 3, 4};
global int *global where = &table[2];
global node nodes[2] = {{7, &counter, "abcde", 0.5}, {9, table + 1, "x", -2.0}};
global float empty[8];
global float4 wide = (float4)(1, 2, 3, 4);
constant int fixed[3] = {10, 20, 30};
int sum(int n) { return atomic_add(&counter, n); }
kernel void program(global int *out, global int *order)
{
    size_t i = get_global_id(0);
    order[i] = sum(1);
    if (i != 0) return;
    out[0] = *where++;
    out[1] = *where;
    out[2] = nodes[0].to == &counter;
    out[3] = *nodes[1].to;
    out[4] = nodes[1].name[0] + nodes[0].name[4];
    out[5] = (int)(nodes[1].d * 8) + nodes[1].tag;
    out[6] = fixed[out[1] & 1];
    empty[3] += 2.5f;
    out[7] = (int)(empty[3] * 2) + (int)wide.w;
    table[3] = 77;
    out[8] = *where;
}
kernel void look(global int *out) { out[0] = counter; out[1] = *where; out[2] = (int)empty[3]; }
