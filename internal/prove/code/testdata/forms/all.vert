#version 460
#extension GL_EXT_multiview : enable
layout(location = 0) in vec4 a;
layout(location = 1) in ivec2 b;
layout(location = 2) in uvec3 c;
layout(location = 5) in mat3 m;
layout(location = 0) out vec4 o;
layout(location = 1) flat out uvec3 f;
layout(location = 2, component = 1) noperspective out vec2 p;
layout(location = 3) centroid out vec3 q[2];
out float gl_ClipDistance[3];
out float gl_CullDistance[2];
layout(set = 0, binding = 0) uniform U { mat4 t; uint n; };
void main() {
	gl_Position = t * a;
	gl_PointSize = a.w;
	o = a * float(gl_VertexIndex) + float(gl_InstanceIndex + gl_BaseVertex) + vec4(b.xyxy);
	f = c + uint(gl_BaseInstance + gl_DrawID + gl_ViewIndex);
	p = (m * a.xyz).xy;
	q[n & 1] = m[1];
	q[1] = a.xyz;
	gl_ClipDistance[0] = a.x;
	gl_ClipDistance[1] = a.y;
	gl_ClipDistance[2] = o.z;
	gl_CullDistance[0] = a.z;
	gl_CullDistance[1] = p.x;
}
