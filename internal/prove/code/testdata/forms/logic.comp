#version 460
// Reductions of integers by their bits.
#extension GL_KHR_shader_subgroup_arithmetic : enable
#extension GL_KHR_shader_subgroup_clustered : enable
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) buffer A { uint v[]; };
void main() {
	uint i = gl_GlobalInvocationID.x, x = v[i], r = 0;
	bool b = x > 7;
	r += subgroupAnd(x) + subgroupOr(x) * 3 + subgroupXor(x) * 5 + subgroupInclusiveAnd(x) + subgroupExclusiveOr(x) + subgroupInclusiveXor(x) + subgroupExclusiveAnd(x);
	r += subgroupClusteredAnd(x, 2) + subgroupClusteredOr(x, 4) + subgroupClusteredXor(x, 8) + subgroupClusteredXor(x, 16);
	r += uint(subgroupAnd(b)) + uint(subgroupOr(b)) + uint(subgroupXor(b)) + uint(subgroupInclusiveXor(b)) + uint(subgroupClusteredOr(b, 4));
	v[i] = r;
}
