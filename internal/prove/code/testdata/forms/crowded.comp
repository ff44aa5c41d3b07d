#version 460
// More values at a time than there are registers: T is their type, GROUP the size of a workgroup, EACH(M) names them.
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#define TEN(M, v) M(v##a) M(v##b) M(v##c) M(v##d) M(v##e) M(v##f) M(v##g) M(v##h) M(v##i) M(v##j)
#define HUNDRED(M, v) TEN(M, v##a) TEN(M, v##b) TEN(M, v##c) TEN(M, v##d) TEN(M, v##e) TEN(M, v##f) TEN(M, v##g) TEN(M, v##h) TEN(M, v##i) TEN(M, v##j)
layout(local_size_x = GROUP) in;
layout(set = 0, binding = 0) buffer A { T a[]; };
layout(set = 0, binding = 1) uniform U { uint n; uint step_; };
layout(set = 0, binding = 2) uniform sampler2D tex;
shared T s[GROUP];

void main() {
	uint id = gl_LocalInvocationIndex, at = 0;
#define LOAD(v) T v = a[id + at++ * step_];
	EACH(LOAD)
	s[id] = FIRST;
	barrier();
	T sum = s[id ^ 1u];
	for (uint k = 0; k < n; ++k) {
#define MIX(v) v = CHOOSE(LESS(v, sum), v * sum, v + sum);
		EACH(MIX)
		if ((id & k) != 0) {
			sum = sum - FIRST;
			FIRST = LAST;
		} else {
			LAST = FIRST * a[k];
			sum += T(FROM(textureLod(tex, vec2(k, id), 0)));
		}
	}
	a[id] = sum;
	at = 0;
#define STORE(v) a[id + at++ * step_] = v;
	EACH(STORE)
}
