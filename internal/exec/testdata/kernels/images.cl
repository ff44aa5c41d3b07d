constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
constant sampler_t border = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR;
constant sampler_t repeat = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;
constant sampler_t mirror = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_MIRRORED_REPEAT | CLK_FILTER_NEAREST;
kernel __attribute__((reqd_work_group_size(4, 2, 1)))
void images(write_only image2d_t out, read_only image2d_t in, sampler_t s, global float4 *g, global int2 *size, write_only image2d_t whole, read_only image2d_t bytes)
{
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    int w = get_image_width(in), at = (p.y * w + p.x) * 6;
    float2 f = convert_float2(p);
    g[at] = read_imagef(in, nearest, p * 3 - 4);
    g[at + 1] = read_imagef(in, border, f * 1.25f - 0.3f);
    g[at + 2] = read_imagef(in, repeat, f * 0.3f - 0.55f);
    g[at + 3] = read_imagef(in, mirror, f * 0.41f - 1.2f);
    g[at + 4] = read_imagef(in, p);
    g[at + 5] = read_imagef(in, s, (f + 0.5f) / convert_float2(get_image_dim(in)));
    write_imagef(out, p.yx, (float4)(f * 0.125f, 0.5f, 1.0f));
    write_imageui(whole, p, read_imageui(bytes, nearest, p + 1) + 7u);
    if (all(p == 0)) size[0] = (int2)(w, get_image_height(bytes));
}
