constant float16 weights = (float16)(1, 2, 3, 4, 5, 6, 7, 8, -1, -2, -3, -4, -5, -6, -7, -8);
constant uchar16 order[2] = { (uchar16)(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0), (uchar16)(0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15) };

kernel __attribute__((reqd_work_group_size(4, 1, 1)))
void vectors(global float16 *out, global const float *in, global int8 *ints, global const uchar16 *bytes, global float *sums)
{
    local float16 rows[4];
    size_t i = get_global_id(0), l = get_local_id(0);
    float16 v = vload16(i, in);
    rows[l] = v * weights;
    barrier(CLK_LOCAL_MEM_FENCE);
    float16 other = rows[(l + 1) & 3];
    float8 lo = v.lo, odd = other.odd;
    out[i] = (float16)(lo + odd, fma(v.hi, odd, lo));
    uchar16 b = shuffle(bytes[i], order[i & 1]);
    int8 w = convert_int8(b.even) - convert_int8_sat(v.s01234567 * 1e9f);
    ints[i] = select(w, ~w, convert_int8(b.hi > b.lo) & (w > 0));
    vstore8(out[i].s02468ace + 1.0f, i, sums);
    float m = v[i & 15];
    v[(i * 5) & 15] = 0.5f;
    sums[8 * i] = m + dot(v.lo.lo, v.hi.hi) + (any(v.hi == v.lo) ? 100 : 0);
    ushort8 s = convert_ushort8_sat_rte(odd * 1000.0f);
    sums[8 * i + 1] = s.s0 + s.s7 * 2;
}
