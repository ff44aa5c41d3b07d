kernel void async(global int *out, global const int *x) {
    local int t[16];
    event_t e = async_work_group_copy(t, x + 16 * get_group_id(0), 16, 0);
    wait_group_events(1, &e);
    int l = get_local_id(0);
    int v = t[15 - l];
    barrier(CLK_LOCAL_MEM_FENCE);
    t[l] = v * 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_copy(out + 16 * get_group_id(0), t, 16, 0);
    wait_group_events(1, &e);
}
