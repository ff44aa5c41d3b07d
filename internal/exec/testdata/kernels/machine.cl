typedef union { float f; uint u; uchar b[4]; struct { ushort lo, hi; } h; } word;
typedef struct { int op; word a; } step;
/* A machine of steps: switches that fall through, unions, calls by structure. */
word apply(step s, word acc, int *count)
{
    switch (s.op) {
    case 0: acc.u += s.a.u; break;
    case 1: acc.u ^= s.a.u; /* falls */
    case 2: acc.b[1] += 3; /* falls */
    case 3: acc.h.lo = acc.h.hi + s.a.h.lo; break;
    case 5: acc.f = (float)acc.b[0] * s.a.f; /* falls */
    case 100: (*count)++; /* falls */
    default: (*count) += 10; break;
    case 7: goto twice;
    }
    return acc;
twice:
    acc.u <<= 1;
    *count -= 1;
    if (acc.u & 64) goto twice;
    return acc;
}
kernel void machine(global uint *out, global const step *prog, int n, global int *counts)
{
    int i = get_global_id(0), count = 0;
    word acc;
    acc.u = 0x01020304u * (i + 1);
    for (int k = 0; k < n; k++) {
        step s = prog[(k * (i + 1)) % n];
        if (s.op == 9) continue;
        acc = apply(s, acc, &count);
    }
    out[i] = acc.u;
    counts[i] = count;
}
