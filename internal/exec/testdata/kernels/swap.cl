kernel void swap_bytes(global uint *x, global ulong *y) {
    size_t i = get_global_id(0);
    uchar4 v = as_uchar4(x[i]);
    x[i] = as_uint(v.wzyx);
    y[i] = rotate(y[i], (ulong)12) ^ as_ulong((uint2)(popcount(x[i]), clz(x[i])));
}
