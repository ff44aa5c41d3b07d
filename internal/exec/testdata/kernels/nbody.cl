typedef struct { float4 pos; float3 vel; float pad; } body;
kernel void nbody(global body *out, global const body *in, int n, float dt, local float4 *shared)
{
    int i = get_global_id(0), l = get_local_id(0), size = get_local_size(0);
    body me = in[i];
    float3 acc = 0;
    for (int base = 0; base < n; base += size) {
        shared[l] = in[base + l].pos;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < size; k++) {
            float3 d = shared[k].xyz - me.pos.xyz;
            float r = rsqrt(dot(d, d) + 0.01f);
            acc += d * (shared[k].w * r * r * r);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    me.vel += acc * dt;
    me.pos.xyz += me.vel * dt;
    me.pad = length(me.vel);
    out[i].pos = me.pos;
    vstore3(me.vel, 0, (global float *)&out[i].vel);
    out[i].pad = me.pad;
}
