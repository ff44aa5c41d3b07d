#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void remainders(global float2 *o, global int2 *q, global const float2 *x, global const float2 *y,
                       global double *d, global int *e, global const double *z, global const double *w,
                       global half *h, global const half *a, global const half *b)
{
    size_t i = get_global_id(0);
    int2 k;
    o[3 * i] = fmod(x[i], y[i]);
    o[3 * i + 1] = remainder(x[i], y[i]);
    o[3 * i + 2] = remquo(x[i], y[i], &k);
    q[i] = k;
    d[3 * i] = fmod(z[i], w[i]);
    d[3 * i + 1] = remainder(z[i], w[i]);
    d[3 * i + 2] = remquo(z[i], w[i], e + i);
    h[2 * i] = fmod(a[i], b[i]);
    h[2 * i + 1] = remainder(a[i], b[i]);
}
