#version 460
// Operations of subgroups on values of type T.
#extension GL_EXT_shader_explicit_arithmetic_types : enable
#extension GL_KHR_shader_subgroup_basic : enable
#extension GL_KHR_shader_subgroup_arithmetic : enable
#extension GL_KHR_shader_subgroup_ballot : enable
#extension GL_KHR_shader_subgroup_clustered : enable
#extension GL_KHR_shader_subgroup_quad : enable
#extension GL_KHR_shader_subgroup_shuffle : enable
#extension GL_KHR_shader_subgroup_shuffle_relative : enable
#extension GL_KHR_shader_subgroup_vote : enable
#extension GL_EXT_shader_subgroup_extended_types_float16 : enable
#extension GL_EXT_shader_subgroup_extended_types_int8 : enable
#extension GL_EXT_shader_subgroup_extended_types_int16 : enable
#extension GL_EXT_shader_subgroup_extended_types_int64 : enable
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) buffer A { T v[]; };
layout(set = 0, binding = 1, std430) buffer B { uint n[]; };
void main() {
	uint i = gl_GlobalInvocationID.x;
	T x = v[i];
	T r = x;
	if (FORM == 0) {
		r += subgroupAdd(x) * subgroupMul(x) + subgroupMin(x) - subgroupMax(x) + subgroupExclusiveAdd(x) + subgroupInclusiveMul(x) + subgroupExclusiveMin(x) + subgroupInclusiveMax(x);
		n[i] = gl_SubgroupID + gl_NumSubgroups + gl_SubgroupInvocationID + gl_SubgroupSize + gl_SubgroupEqMask.x + gl_SubgroupGeMask.x + gl_SubgroupLtMask.y + gl_LocalInvocationIndex;
	} else if (FORM == 1) {
		r += subgroupClusteredAdd(x, 1) + subgroupClusteredAdd(x, 2) + subgroupClusteredMul(x, 2) + subgroupClusteredMul(x, 4) + subgroupClusteredMin(x, 4);
		r += subgroupClusteredMax(x, 8) + subgroupClusteredMul(x, 8) + subgroupClusteredAdd(x, 16) + subgroupClusteredMul(x, 16) + subgroupClusteredAdd(x, 32) + subgroupClusteredMul(x, 32);
	} else if (FORM == 2) {
		r += subgroupShuffle(x, n[i]) + subgroupShuffleXor(x, 5) + subgroupShuffleUp(x, 3) + subgroupShuffleDown(x, n[1]) + subgroupBroadcast(x, 7) + subgroupBroadcastFirst(x);
		r += subgroupQuadBroadcast(x, 2) + subgroupQuadSwapHorizontal(x) + subgroupQuadSwapVertical(x) + subgroupQuadSwapDiagonal(x);
	} else {
		bool b = x > r - v[i + 3];
		uvec4 m = subgroupBallot(b);
		n[i] = m.x + uint(subgroupAll(b)) + uint(subgroupAny(b)) * 2 + uint(subgroupAllEqual(x)) * 4 + uint(subgroupAllEqual(b)) * 8 + uint(subgroupInverseBallot(m)) + subgroupBallotBitCount(m) + subgroupBallotInclusiveBitCount(m)
			+ subgroupBallotExclusiveBitCount(m) + subgroupBallotFindLSB(m) + subgroupBallotFindMSB(m) + uint(subgroupBallotBitExtract(m, n[i])) + uint(subgroupElect());
		subgroupBarrier();
		subgroupMemoryBarrierBuffer();
	}
	v[i] = r;
}
