typedef struct { int a[5]; char b[3]; } block;
kernel void copies(global block *to, global const block *from, global uchar *bytes) {
    size_t i = get_global_id(0);
    block x = from[i];
    block y = x;
    y.a[i % 5] = 7;
    y.b[1] = x.b[0] + x.b[2];
    to[i] = y;
    __builtin_memcpy(bytes + 8 * i, (global uchar *)&from[i] + 4, 8);
    uchar own[6];
    __builtin_memset(own, 3, 6);
    own[i % 6] = 9;
    bytes[64 + i] = own[0] + own[1] + own[5];
}
