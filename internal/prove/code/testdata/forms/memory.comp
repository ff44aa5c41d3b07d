#version 460
// Addresses, atomics of every kind of memory, private arrays, descriptors by index.
#extension GL_EXT_buffer_reference2 : enable
#extension GL_EXT_shader_explicit_arithmetic_types : enable
#extension GL_EXT_shader_8bit_storage : enable
#extension GL_EXT_shader_16bit_storage : enable
#extension GL_EXT_nonuniform_qualifier : enable
#extension GL_EXT_shader_atomic_int64 : enable
#extension GL_KHR_memory_scope_semantics : enable
layout(local_size_x = 32) in;
layout(buffer_reference) buffer R;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer R { uint w; uvec4 v[8]; uint8_t b[16]; uint16_t h[16]; R next; };
layout(set = 0, binding = 0, std430) buffer A { uint a[]; } bufs[4];
layout(set = 0, binding = 1) uniform U { vec4 c[16]; mat3x4 m; } unis[3];
layout(set = 0, binding = 2) uniform sampler2D tex[5];
layout(set = 1, binding = 0, std430) buffer G { uint g[]; };
layout(push_constant) uniform P { R r; uint k; };
shared uint s[40];
void main() {
	uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationIndex;
	uint x = r.w + r.v[i & 7].y + r.next.v[2].z + uint(r.b[i & 15]) + uint(r.h[i & 15]);
	r.next.w = x;
	r.v[i & 3].yzw = uvec3(x, i, k);
	r.b[l & 15] = uint8_t(x);
	r.h[3] = uint16_t(x);
	x += atomicAdd(r.w, 3) + atomicMax(r.v[1].x, x) + atomicCompSwap(r.next.w, x, i) + atomicExchange(r.v[2].z, x);
	x += atomicAdd(g[i], 1) + atomicMin(g[1], x) + atomicAnd(g[2], x) + atomicOr(g[3], 4) + atomicXor(g[k], x) + atomicExchange(g[5], x) + atomicCompSwap(g[6], 7, x);
	s[l] = x;
	s[39] = 1;
	barrier();
	x += atomicAdd(s[0], x) + atomicMax(s[l], 9) + atomicCompSwap(s[2], 1, x) + atomicExchange(s[3], x) + uint(atomicMin(s[39], 2));
	memoryBarrierShared();
	x += bufs[k & 3].a[i] + bufs[nonuniformEXT(i & 3)].a[2];
	vec4 f = unis[k % 3].c[i & 15] + unis[1].c[3] + unis[nonuniformEXT(i % 3)].c[k & 15] + unis[0].m * vec3(x, 1, i);
	f += textureLod(tex[k % 5], f.xy, 0.0) + textureLod(tex[nonuniformEXT(i % 5)], f.yz, 1.0);
	float private[24];
	for (int j = 0; j < 24; j++) private[j] = f.x * float(j) + f.y;
	for (uint j = 0; j < (x & 15); j++) private[(j * 7) % 24] += private[(j + k) % 24] * f.z;
	g[i + 64] = x + uint(private[i % 24]) + uint(f.w);
	controlBarrier(gl_ScopeWorkgroup, gl_ScopeDevice, gl_StorageSemanticsBuffer | gl_StorageSemanticsShared, gl_SemanticsAcquireRelease);
	g[i + 128] = atomicLoad(g[i], gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire);
}
