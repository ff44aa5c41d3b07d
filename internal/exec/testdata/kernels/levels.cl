// Levels of images, and what their channels are.
#pragma OPENCL EXTENSION cl_khr_mipmap_image : enable
constant sampler_t near = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void levels(global float4 *o, global int *q, read_only image2d_t a, sampler_t s, write_only image2d_t b, global const float *lods)
{
    float2 at = (float2)(0.375f, 0.625f);
    q[0] = get_image_channel_order(a);
    q[1] = get_image_channel_data_type(a);
    q[2] = get_image_channel_order(b);
    q[3] = get_image_channel_data_type(b);
    q[4] = get_image_num_mip_levels(a);
    o[0] = read_imagef(a, s, at, 1.0f);
    o[1] = read_imagef(a, s, at, (float2)(0.25f, 0), (float2)(0, 0.25f));
    for (int i = 0; i < 4; i++) o[2 + i] = read_imagef(a, near, at, lods[i]);
    write_imagef(b, (int2)(0, 0), o[0]);
}
