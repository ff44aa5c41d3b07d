// A lock of one flag, taken by one invocation of each group, and a queue of numbers.
kernel void flags(global atomic_int *lock, global int *count, global int *queue) {
    if (get_local_id(0) == 0) {
        while (atomic_flag_test_and_set_explicit((volatile global atomic_flag *)lock, memory_order_acquire, memory_scope_device)) {}
        count[1] = count[1] + 1;
        atomic_flag_clear_explicit((volatile global atomic_flag *)lock, memory_order_release, memory_scope_device);
    }
    int at = atomic_fetch_add((volatile global atomic_int *)count, 1);
    queue[at] = 1;
    atomic_max(&queue[64], (int)get_global_id(0));
}
