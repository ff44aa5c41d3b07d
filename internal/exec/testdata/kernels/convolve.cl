#define R 2
kernel __attribute__((reqd_work_group_size(8, 4, 1)))
void convolve(global uchar4 *out, global const uchar4 *in, int w, int h, constant float *weights)
{
    local uchar4 tile[4 + 2 * R][8 + 2 * R];
    int2 l = (int2)(get_local_id(0), get_local_id(1)), o = (int2)(get_group_id(0) * 8, get_group_id(1) * 4);
    for (int y = l.y; y < 4 + 2 * R; y += 4)
        for (int x = l.x; x < 8 + 2 * R; x += 8) {
            int2 p = clamp(o + (int2)(x, y) - R, (int2)0, (int2)(w - 1, h - 1));
            tile[y][x] = in[p.y * w + p.x];
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    float4 sum = 0.5f;
    #pragma unroll
    for (int y = 0; y <= 2 * R; y++)
        for (int x = 0; x <= 2 * R; x++)
            sum += convert_float4(tile[l.y + y][l.x + x]) * weights[y * (2 * R + 1) + x];
    int2 p = o + l;
    if (all(p < (int2)(w, h)))
        out[p.y * w + p.x] = convert_uchar4_sat(sum);
}
