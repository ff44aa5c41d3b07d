/* A radix sort of one workgroup, two bits at a time; counters in local memory, atomics and prefix sums. */
kernel __attribute__((reqd_work_group_size(32, 1, 1)))
void radix(global ulong *keys, global uint *stats)
{
    local ulong a[32];
    local uint ones[32], zero;
    int l = get_local_id(0);
    ulong key = keys[l];
    if (l == 0) zero = 0;
    for (int bit = 0; bit < 64; bit += 1 + (bit == 40) * 3) {
        uint one = (uint)(key >> bit) & 1;
        ones[l] = one;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int s = 1; s < 32; s *= 2) {
            uint v = l >= s ? ones[l - s] : 0;
            barrier(CLK_LOCAL_MEM_FENCE);
            ones[l] += v;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        uint zeros = 32 - ones[31];
        int to = one ? zeros + ones[l] - 1 : l - (ones[l] - one);
        a[to] = key;
        barrier(CLK_LOCAL_MEM_FENCE);
        key = a[l];
        if (!one) atomic_inc(&zero);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    keys[l] = key;
    atomic_max(&stats[0], (uint)(key >> 32));
    atomic_min(&stats[1], (uint)(key >> 32));
    atomic_xor(&stats[2], (uint)key);
    if (l == 0) stats[3] = zero;
    if ((key & 7) == 3) atomic_cmpxchg(&stats[4], 0, 77);
    atomic_sub(&stats[5], 2);
    uint old = atomic_xchg(&stats[6], 5);
    if (old != 5) stats[7] = old;
}
