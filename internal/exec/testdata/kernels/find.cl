/* Boyer and Moore's search by a table in local memory: items look at parts of the text. */
kernel __attribute__((reqd_work_group_size(16, 1, 1)))
void find(global uint *hits, global int *count, global const char *text, int n, constant char *word, int m)
{
    local uchar skip[256];
    for (int k = get_local_id(0); k < 256; k += 16) skip[k] = m;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        for (int k = 0; k < m - 1; k++) skip[(uchar)word[k]] = m - 1 - k;
    barrier(CLK_LOCAL_MEM_FENCE);
    int part = (n + get_global_size(0) - 1) / get_global_size(0), from = get_global_id(0) * part;
    for (int at = from; at < min(from + part, n - m + 1); at += skip[(uchar)text[at + m - 1]]) {
        int k = m - 1;
        while (k >= 0 && text[at + k] == word[k]) --k;
        if (k < 0) { atomic_or(&hits[at / 32], 1u << at % 32); atomic_inc(count); }
    }
}
