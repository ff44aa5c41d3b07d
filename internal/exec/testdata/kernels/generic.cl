// Pointers that lead to private, workgroup or global memory, by what the kernel is told.
int sum(const int *p, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) s += p[i];
    return s;
}
void set(int *p, int v) { *p = v; }
kernel void generic_pointers(global int *out, global int *g, global const int *which) {
    local int l[4];
    int own[4];
    size_t i = get_global_id(0);
    for (int k = 0; k < 4; k++) own[k] = 100 * k + (int)i;
    if (get_local_id(0) < 4) l[get_local_id(0)] = 1000 + get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    int *p = own;
    if (which[i] == 1) p = l;
    if (which[i] == 2) p = g;
    int r = sum(p, 4);
    if (which[i] != 1) set(p + 1 + i * (which[i] == 2), r);
    out[2 * i] = r;
    out[2 * i + 1] = own[1] + (to_local(p) != 0) + 2 * (to_private(p) != 0) + 4 * (to_global(p) != 0);
}
