kernel void integers(global int *out, global const int *a, global const int *b, global const uchar *c) {
    size_t i = get_global_id(0);
    int x = a[i], y = b[i];
    uchar u = c[i];
    global int *o = out + 20 * i;
    o[0] = abs(x);
    o[1] = abs_diff(x, y);
    o[2] = add_sat(x, y);
    o[3] = sub_sat(x, y);
    o[4] = hadd(x, y);
    o[5] = rhadd(x, y);
    o[6] = mul_hi(x, y);
    o[7] = mad_sat(x, y, 17);
    o[8] = clamp(x, -100, y < -100 ? 100 : y);
    o[9] = clz(x);
    o[10] = ctz(x);
    o[11] = popcount(x);
    o[12] = rotate(x, 7);
    o[13] = add_sat(u, (uchar)200);
    o[14] = mul_hi((short)x, (short)y);
    o[15] = upsample((short)x, (ushort)y);
    o[16] = mad24(x & 0xfff, y & 0xfff, 5);
    o[17] = convert_uchar_sat(x);
    o[18] = select(x, y, (int)(u & 1));
    o[19] = bitselect(x, y, 0x0f0f0f0f);
}
