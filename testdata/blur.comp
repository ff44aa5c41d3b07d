#version 450
// Blurs a row of floats by a 5-tap filter through shared memory.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer Input { float data[]; } src;
layout(set = 0, binding = 1) writeonly buffer Output { float data[]; } dst;
layout(push_constant) uniform Params { int count; float weights[3]; } params;
layout(constant_id = 0) const int RADIUS = 2;
shared float tile[64 + 4];

void main() {
    int id = int(gl_GlobalInvocationID.x);
    int lid = int(gl_LocalInvocationID.x);
    int last = params.count - 1;
    tile[lid + 2] = src.data[clamp(id, 0, last)];
    if (lid < 2) {
        tile[lid] = src.data[clamp(id - 2, 0, last)];
        tile[lid + 66] = src.data[clamp(id + 64, 0, last)];
    }
    barrier();
    float sum = tile[lid + 2] * params.weights[0];
    for (int i = 1; i <= RADIUS; ++i)
        sum += (tile[lid + 2 - i] + tile[lid + 2 + i]) * params.weights[i];
    if (id < params.count)
        dst.data[id] = sum;
}
