// A product of 8x8 matrices by tiles of 4x4.
__attribute__((reqd_work_group_size(4, 4, 1)))
kernel void matmul(global float *c, global const float *a, global const float *b, uint n) {
    local float ta[4][4], tb[4][4];
    uint x = get_local_id(0), y = get_local_id(1), col = get_global_id(0), row = get_global_id(1);
    float sum = 0;
    for (uint k = 0; k < n; k += 4) {
        ta[y][x] = a[row * n + k + x];
        tb[y][x] = b[(k + y) * n + col];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint j = 0; j < 4; j++) sum += ta[y][j] * tb[j][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + col] = sum;
}
