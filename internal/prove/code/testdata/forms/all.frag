#version 460
#extension GL_EXT_multiview : enable
#extension GL_EXT_demote_to_helper_invocation : enable
#extension GL_ARB_shader_stencil_export : enable
layout(location = 0) in vec4 a;
layout(location = 1) flat in uvec3 f;
layout(location = 2, component = 1) noperspective in vec2 p;
layout(location = 3) centroid in vec3 q[2];
#if FORM == 1
layout(location = 6) sample in vec4 s;
layout(location = 7) noperspective sample in float t;
layout(location = 8) noperspective centroid in float c;
#endif
layout(location = 0) out vec4 o;
layout(location = 1) out ivec4 k;
layout(location = 2) out uvec2 u;
layout(location = 4) out float one;
#if FORM < 4
#define SYSTEM gl_PrimitiveID + gl_Layer + gl_ViewportIndex + gl_ViewIndex
#define DFDY dFdyFine
#define FWIDTH fwidthCoarse
#else
#define SYSTEM 3
#define DFDY dFdy
#define FWIDTH fwidth
#endif
layout(set = 0, binding = 0) uniform U { vec4 w; uint n; };
void main() {
	o = a + vec4(p, q[1].xy) * w + gl_FragCoord + float(gl_FrontFacing) + vec4(dFdx(a.x), DFDY(a.y), FWIDTH(p.x), fwidth(a.w)) + q[n & 1].xyzx;
	k = ivec4(f, SYSTEM);
	u = uvec2(gl_PointCoord * 8.0);
#if FORM == 4
	one = a.w;
#else
	one = interpolateAtCentroid(a.x) + interpolateAtOffset(a.y, w.xy) + interpolateAtOffset(p, vec2(0.25)).x;
#endif
#if FORM == 1
	o += s + t + c;
	one += interpolateAtSample(a.z, int(n)) + float(gl_SampleID) + gl_SamplePosition.x;
	gl_SampleMask[0] = gl_SampleMaskIn[0] & int(n);
#elif FORM == 2 || FORM == 4
	if (a.x < 0.0) demote;
	o += dFdx(o.y) + float(helperInvocationEXT()) + float(gl_HelperInvocation);
	gl_FragDepth = a.z;
#if FORM == 2
	gl_FragStencilRefARB = int(n);
#endif
#elif FORM == 3
	if (a.x < 0.0) discard;
	gl_FragDepth = p.x;
#endif
}
