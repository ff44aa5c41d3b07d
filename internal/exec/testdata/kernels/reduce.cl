// Sums of workgroups, by halves in workgroup memory that the caller gives.
kernel void reduce(global uint *sums, global const uint *x, local uint *part) {
    uint l = get_local_id(0);
    part[l] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint n = get_local_size(0) / 2; n > 0; n /= 2) {
        if (l < n) part[l] += part[l + n];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) sums[get_group_id(0)] = part[0];
}
