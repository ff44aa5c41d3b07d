// Four points of a transform for each item, in float2.
float2 times(float2 a, float2 b) { return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
kernel void fft4(global float2 *d) {
    global float2 *p = d + 4 * get_global_id(0);
    float2 x[4];
    for (int k = 0; k < 4; k++) {
        x[k] = (float2)(0, 0);
        for (int j = 0; j < 4; j++) {
            float a = -0.5f * (float)((j * k) & 3);
            x[k] += times(p[j], (float2)(cospi(a), sinpi(a)));
        }
    }
    for (int k = 0; k < 4; k++) p[k] = x[k];
}
