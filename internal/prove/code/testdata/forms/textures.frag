#version 460
// Lookups of textures of every shape, by what they can: D floats of a place, G of a gradient.
#extension GL_ARB_sparse_texture2 : enable
#extension GL_ARB_sparse_texture_clamp : enable
layout(set = 0, binding = 0) uniform S s;
layout(set = 0, binding = 1) uniform S list[4];
layout(location = 0) in vec4 at;
layout(location = 1) flat in ivec4 n;
layout(location = 0) out vec4 o;
void main() {
	vec4 r = vec4(0);
#ifdef D
	D p = D(at);
	G gx = G(at * 2.0), gy = G(at.wzyx);
	r += texture(s, p) + texture(s, p, at.w) + textureLod(s, p, at.z) + texture(list[n.x & 3], p);
	r += textureGrad(s, p, gx, gy);
	r.z += float(textureQueryLevels(s));
#ifdef MORE
	r.xy += textureQueryLod(s, G(at));
	vec4 t;
	r.w += sparseTexelsResidentARB(sparseTextureARB(s, p, t)) ? t.x : 2.0;
	r += textureClampARB(s, p, at.y) + textureGradClampARB(s, p, gx, gy, at.x);
#endif
#ifdef O
	r += textureOffset(s, p, O(1)) + textureLodOffset(s, p, at.x, O(-2)) + textureGradOffset(s, p, gx, gy, O(3));
#endif
#ifdef GATHER
	r += textureGather(s, p) + textureGather(s, p, 2);
#ifdef O
	r += textureGatherOffset(s, p, O(n.yz), 1) + textureGatherOffset(s, p, O(5), 3);
#endif
#endif
#ifdef PROJ
	r += textureProj(s, PROJ(at)) + textureProjLod(s, PROJ(at), 1.0);
#endif
#endif
#ifdef F
	r += texelFetch(s, F LOD) + texelFetch(list[n.y & 3], F LOD);
#ifdef FO
	r += texelFetchOffset(s, F, 1, FO(2));
#endif
#endif
	r.x += float(textureSize(s QLOD)SIZE);
#ifdef SAMPLES
	r.y += float(textureSamples(s));
#endif
	o = r;
}
