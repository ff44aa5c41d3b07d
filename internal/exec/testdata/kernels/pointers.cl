typedef struct node { int value; struct node *next; } node;
int total(const node *n) { int t = 0; for (; n; n = n->next) t = t * 3 + n->value; return t; }
void bump(int *p, int by) { *p += by; }
void scale(float *v, int n, float by) { for (int k = 0; k < n; k++) v[k] *= by; }
kernel void pointers(global int *out, global node *pool, global float *g)
{
    local float shared[4];
    local int counter;
    int i = get_global_id(0), l = get_local_id(0);
    node a = { i, 0 }, b = { i + 5, &a };
    pool[i].value = 7 * i;
    pool[i].next = i & 1 ? &b : 0;
    out[2 * i] = total(&pool[i]) + total(&b) * 100;
    pool[i].next = 0;
    float mine[4] = { 1, 2, 3, i };
    if (l == 0) counter = 0;
    shared[l] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    float *p = i == 0 ? mine : i == 1 ? (float *)shared : g + 4 * i;
    if (i != 1) scale(p, 4, 2.5f);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    int own = 3;
    int *target = &out[2 * i + 1];
    if (i & 1) target = &own;
    bump(target, i + 1);
    atomic_add(&counter, own);
    out[2 * i + 1] += own * 1000 + (int)p[3];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) out[8] = counter;
    out[9 + i] = (to_local(p) != 0) + 2 * (to_private(p) != 0) + 4 * (to_global(p) != 0);
}
