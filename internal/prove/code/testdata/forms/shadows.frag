#version 460
// Lookups that compare.
layout(set = 0, binding = 0) uniform sampler2DShadow a;
layout(set = 0, binding = 1) uniform sampler2DArrayShadow b;
layout(set = 0, binding = 2) uniform samplerCubeShadow c;
layout(set = 0, binding = 3) uniform samplerCubeArrayShadow d;
layout(set = 0, binding = 4) uniform sampler1DShadow e;
layout(location = 0) in vec4 at;
layout(location = 0) out vec4 o;
void main() {
	o.x = texture(a, at.xyz) + texture(a, at.xyz, at.w) + textureLod(a, at.xyz, at.w) + textureOffset(a, at.xyz, ivec2(1, -3)) + textureGrad(a, at.xyz, at.xy, at.zw);
	o.y = texture(b, at) + textureProj(a, at) + texture(e, at.xyz) + textureLod(e, at.xyz, 2.0);
	o.z = texture(c, at) + texture(d, at, at.x);
	o.w = dot(textureGather(a, at.xy, at.z), textureGather(b, at.xyz, at.w)) + dot(textureGather(c, at.xyz, at.w), textureGatherOffset(a, at.xy, at.z, ivec2(2, 3)));
}
