kernel void mandelbrot(global int *out, float2 from, float step, int limit) {
    uint x = get_global_id(0), y = get_global_id(1);
    float cr = from.x + x * step, ci = from.y + y * step, r = 0, i = 0;
    int n = 0;
    while (n < limit && r * r + i * i < 4.0f) {
        float t = r * r - i * i + cr;
        i = 2 * r * i + ci;
        r = t;
        n++;
    }
    out[y * get_global_size(0) + x] = n;
}
