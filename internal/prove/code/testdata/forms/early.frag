#version 460
layout(early_fragment_tests) in;
layout(location = 0) in vec4 a;
layout(location = 0) out vec4 o;
layout(set = 0, binding = 0) buffer U { uint n; vec4 v[]; };
in float gl_ClipDistance[2];
in float gl_CullDistance[1];
void main() {
	atomicAdd(n, 1);
	if (a.y > 0.5) discard;
	o = a + gl_ClipDistance[1] + gl_CullDistance[0];
	v[n] = o;
#if FORM == 1
	gl_SampleMask[0] = int(n);
	gl_FragDepth = a.x;
#endif
}
