kernel __attribute__((reqd_work_group_size(8, 1, 1)))
void sparse(global float *y, global const int *rows, global const int *cols, global const float *vals, global const float *x, local float *part)
{
    int row = get_group_id(0), l = get_local_id(0);
    float sum = 0;
    for (int k = rows[row] + l; k < rows[row + 1]; k += 8)
        sum = fma(vals[k], x[cols[k]], sum);
    part[l] = sum;
    for (int s = 4; s; s >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < s) part[l] += part[l + s];
    }
    if (!l) y[row] = part[0];
}
