#version 460
// Numbers of 8, 16 and 64 bits: T, a vector V of them, unsigned U.
#extension GL_EXT_shader_explicit_arithmetic_types : enable
#extension GL_EXT_shader_8bit_storage : enable
#extension GL_EXT_scalar_block_layout : enable
#extension GL_EXT_shader_16bit_storage : enable
#extension GL_EXT_shader_subgroup_extended_types_int8 : enable
layout(local_size_x = 16) in;
layout(set = 0, binding = 0, std430) buffer A { V v[]; };
layout(set = 0, binding = 1, std430) buffer B { T t[]; };
layout(set = 0, binding = 2, scalar) uniform C { V c[5]; T one; } u;
layout(push_constant, std430) uniform P { V c[3]; T one, two; } p;
shared T s[64];
shared V sv[16];
void main() {
	uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationIndex;
	V a = v[i], b = v[i + 1], c = u.c[i % 5];
	T x = t[i], y = t[i + 3], z = p.two;
	V r = a + b * c - p.c[1];
	r += min(a, b) ^ max(b, c);
	r |= a & ~c;
	r += a << (b & V(3));
	r -= a >> (c & V(7));
	r += a / (b | V(1)) + a % (c | V(3));
	r += V(abs(I(x)), sign(I(y)), 1 - int(x), int(y) * 3).EXT;
	T q = x < y ? x : z;
	q += T(x == y) + T(x <= z) * T(2) + T(U(x) > U(y));
	q = (U(x) < U(z)) ? q : T(5);
	q += T(any(lessThan(a, b))) + T(all(equal(a, c)));
	q += T(float(x) * 1.5) + T(float16_t(y)) + T(int64_t(z)) + T(int16_t(x)) + T(int8_t(y)) + T(uint(z)) + T(bool(x));
	q += clamp(x, T(2), T(77)) + p.one + u.one;
	s[l] = q;
	sv[l] = r;
	barrier();
	v[i + 40] = r + sv[(l + 1) & 15];
	t[i + 100] = s[(l * 3) & 15] + q;
	v[i + 60].y = x;
	v[i + 80].xz = r.xy.yx;
}
