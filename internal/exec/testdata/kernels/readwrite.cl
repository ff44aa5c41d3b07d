kernel __attribute__((reqd_work_group_size(4, 1, 1)))
void readwrite(read_write image2d_t im, read_write image1d_t a, global float4 *g)
{
    int2 p = (int2)(get_global_id(0), 0);
    write_imagef(im, p, read_imagef(im, p) * 0.5f);
    write_imagef(a, p.x, (float4)(p.x));
    g[p.x] = read_imagef(a, p.x);
}
