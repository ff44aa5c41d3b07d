// A bitonic sort of a workgroup's numbers.
kernel void sort(global int *x) {
    local int v[16];
    uint l = get_local_id(0);
    v[l] = x[get_global_id(0)];
    for (uint size = 2; size <= 16; size <<= 1)
        for (uint stride = size >> 1; stride > 0; stride >>= 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            uint o = l ^ stride;
            if (o > l) {
                int a = v[l], b = v[o];
                if ((a > b) == ((l & size) == 0)) { v[l] = b; v[o] = a; }
            }
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    x[get_global_id(0)] = v[l];
}
