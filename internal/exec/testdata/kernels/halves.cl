kernel void halves(global half *h, global float *f) {
    size_t i = get_global_id(0);
    float a = vload_half(i, h);
    float4 v = vload_half4(0, h);
    f[i] = a + v.w;
    vstore_half(a * 1.5f, i + 8, h);
    vstore_half_rtz(f[i] / 3, i + 16, h);
}
