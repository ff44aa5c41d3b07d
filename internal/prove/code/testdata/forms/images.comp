#version 460
// Storage images of every shape. FORM: 0 loads and stores, 1 atomics, 2 sizes, 3 residency.
#extension GL_EXT_shader_image_int64 : enable
#extension GL_ARB_sparse_texture2 : enable
layout(local_size_x = 8) in;
#if FORM == 1
#define T uvec4
layout(set = 0, binding = 1, r32ui) uniform UIMAGE img;
#else
#define T vec4
layout(set = 0, binding = 1, r32f) uniform IMAGE img;
layout(set = 1, binding = 2, rgba16f) uniform IMAGE many[3];
#endif
layout(set = 0, binding = 0) buffer B { uvec4 at; uint n; T v[]; };
#ifdef SAMPLES
#define P PLACE, int(at.w)
#else
#define P PLACE
#endif
void main() {
	uint i = gl_GlobalInvocationID.x;
	ivec4 c = ivec4(at) + int(i);
#if FORM == 0
	v[i] = imageLoad(img, P) + imageLoad(many[n], P);
	imageStore(img, P, v[i + 1]);
	imageStore(many[1], P, v[i + 2]);
#elif FORM == 1
	uint x = imageAtomicAdd(img, P, 3);
	x += imageAtomicMin(img, P, n) ^ imageAtomicExchange(img, P, x) ^ imageAtomicCompSwap(img, P, 5, n) ^ imageAtomicXor(img, P, 6);
	v[i].x = x;
#elif FORM == 2
	v[i].x = float(imageSize(img)SIZE);
#ifdef SAMPLES
	v[i].y = float(imageSamples(many[n]));
#endif
#else
	vec4 t;
	int code = sparseImageLoadARB(img, P, t);
	v[i] = sparseTexelsResidentARB(code) ? t : vec4(1);
#endif
}
