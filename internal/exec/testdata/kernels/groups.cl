kernel void groups(global int *out, global const int *x) {
    int v = x[get_global_id(0)];
    int all = work_group_all(v > 0), any = work_group_any(v > 90);
    out[get_global_id(0)] = work_group_reduce_add(v) + 10000 * all + 100000 * any + work_group_broadcast(v, 3) * 1000000;
}
