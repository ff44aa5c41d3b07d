#version 460
// Floats of 16 and 64 bits, and conversions of everything.
#extension GL_EXT_shader_explicit_arithmetic_types : enable
#extension GL_EXT_shader_16bit_storage : enable
layout(local_size_x = 16) in;
layout(set = 0, binding = 0, std430) buffer A { f16vec4 h[]; };
layout(set = 0, binding = 1, std430) buffer B { vec4 f[]; };
layout(set = 0, binding = 2, std430) buffer C { ivec4 n[]; };
layout(set = 0, binding = 3, std430) buffer D { uint w[]; };
void main() {
	uint i = gl_GlobalInvocationID.x;
	f16vec4 a = h[i], b = h[i + 1];
	vec4 x = f[i], y = f[i + 1];
	f16vec4 r = a * b + a - b / a;
	r += min(a, b) * max(a, f16vec4(x)) + clamp(a, f16vec4(0), f16vec4(1)) + abs(b) - sign(a);
	r += floor(a) + ceil(b) + fract(a) + trunc(b) + roundEven(a) + sqrt(abs(b)) + inversesqrt(abs(a)) + exp2(b) + log2(abs(a)) + sin(a) + cos(b);
	r = mix(r, a, greaterThan(a, b));
	r += f16vec4(i16vec4(a)) + f16vec4(u16vec4(b)) + f16vec4(n[i]) + f16vec4(uvec4(n[i + 1]));
	r.x += dot(a, b) + length(a.xyz) + fma(a.x, b.y, a.z);
	h[i + 32] = r;
	vec4 z = vec4(r) + x * y - floor(x) + fract(y) + sqrt(abs(x)) + inversesqrt(abs(y)) + exp2(x) + log2(abs(y)) + sin(x) + cos(y) + tan(x) + pow(abs(x), y);
	z += asin(x) + acos(y) + atan(x) + atan(y, x) + sinh(x) + tanh(y) + ldexp(x, n[i]);
	ivec4 e;
	z += frexp(x, e) + modf(y, x);
	z = mix(z, x, lessThanEqual(x, y)) + step(x, y) + smoothstep(x, y, z) + clamp(z, 0.0, 1.0) + clamp(x, -1.0, 1.0) * -y;
	z += isnan(x.x) ? vec4(1) : isinf(y.y) ? vec4(2) : vec4(3);
	f[i + 32] = z + vec4(e);
	ivec4 k = n[i + 2] + ivec4(x) + ivec4(uvec4(y));
	k = k * n[i] / (n[i + 1] | 1) % (n[i + 3] | 3);
	k += bitfieldExtract(n[i], 3, 9) + bitfieldInsert(k, n[i], 5, 7) + bitfieldReverse(k) + bitCount(k) + findLSB(k) + findMSB(n[i]) + findMSB(uvec4(k));
	ivec4 hi, lo;
	imulExtended(k, n[i], hi, lo);
	uvec4 carry, ul;
	uvec4 sum = uaddCarry(uvec4(k), uvec4(lo), carry);
	n[i + 32] = k + hi - lo + ivec4(sum) + ivec4(carry) + ivec4(usubBorrow(sum, uvec4(hi), carry));
	w[i] = packHalf2x16(x.xy) + packUnorm4x8(x) + packSnorm4x8(y) + packUnorm2x16(x.zw) + packSnorm2x16(y.xy) + packFloat2x16(a.xy);
	w[i + 50] = pack32(i16vec2(k.xy)) + pack32(i8vec4(k));
	f[i + 64] = vec4(unpackHalf2x16(w[i + 1]), unpackUnorm2x16(w[i + 2])) + unpackUnorm4x8(w[i + 3]) + unpackSnorm4x8(w[i + 4]) + vec4(unpackFloat2x16(w[i + 5]), unpackSnorm2x16(w[i + 6]));
	uint64_t q = packUint2x32(uvec2(k.xy)) * uint64_t(7) + pack64(u16vec4(k));
	int64_t g = int64_t(q) >> (k.x & 63);
	g = max(g, int64_t(k.y)) - min(g, int64_t(k.z)) + (g < int64_t(k.w) ? g / int64_t(3) : g % int64_t(5)) + int64_t(x.x) + abs(g) + sign(g);
	uvec2 parts = unpackUint2x32(uint64_t(g) ^ (q << 3) ^ (q >> 5) ^ uint64_t(y.x));
	f[i + 96] = vec4(float(g), float(q), float(parts.x), float(parts.y)) + vec4(unpack16(q)) + vec4(unpack8(parts.x));
}
