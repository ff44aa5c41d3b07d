// A prefix sum of a workgroup, with an offset of the grid.
kernel void scan(global uint *out, global const uint *x) {
    local uint t[2][16];
    uint l = get_local_id(0), from = 0;
    t[0][l] = x[get_global_id(0) - get_global_offset(0)];
    for (uint d = 1; d < 16; d *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        t[1 - from][l] = t[from][l] + (l >= d ? t[from][l - d] : 0);
        from = 1 - from;
    }
    out[get_global_linear_id()] = t[from][l] + get_work_dim() * 1000 + get_num_groups(0) * 10000;
}
