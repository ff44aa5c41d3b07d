#version 460
// Atomics of 64 bits.
#extension GL_EXT_shader_explicit_arithmetic_types : enable
#extension GL_EXT_shader_atomic_int64 : enable
layout(local_size_x = 32) in;
layout(set = 0, binding = 0, std430) buffer G { uint64_t g[]; };
void main() {
	uint i = gl_GlobalInvocationID.x;
	uint64_t x = g[i];
	x += atomicAdd(g[1], x) + atomicMin(g[i + 2], x) + atomicMax(g[3], x) + atomicAnd(g[4], x) + atomicOr(g[5], x) + atomicXor(g[6], x) + atomicExchange(g[7], x) + atomicCompSwap(g[8], uint64_t(i), x);
	g[i] = x;
}
