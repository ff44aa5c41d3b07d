kernel void print(global int *out, global const float4 *v, int n)
{
    int i = get_global_id(0);
    if (i == 0)
        printf("n %d %% %5.2f %s\n", n, v[0].x, "text" + 1);
    printf("i=%i v=%v4hlf c=%c u=%hhu l=%lx\n", i, v[i], 'a' + i, (uchar)(250 + i), 0x123456789abcdef0UL + i);
    if (i & 1)
        printf("odd %v4hld|%v2hd\n", (int4)(i, -i, n, 7), (short2)(i, -16));
    out[i] = 7 + printf("%a %+.3e %g %#x\n", v[i].y, 1.5 * i, v[i].z, v[i].w > 8.0f);
    if (i == 3)
        printf("open");
}
