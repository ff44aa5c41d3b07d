#version 460
layout(MODE) in;
layout(location = 0) in vec4 i[];
layout(location = 3) patch in vec4 whole;
layout(location = 4) patch in float list[3];
layout(location = 0) out vec4 o;
layout(location = 1) flat out int id;
layout(set = 0, binding = 0) uniform U { uint n; };
void main() {
	vec3 c = gl_TessCoord;
	gl_Position = c.x * gl_in[0].gl_Position + c.y * gl_in[1].gl_Position + c.z * gl_in[gl_PatchVerticesIn - 1].gl_Position;
	o = i[n] * gl_TessLevelOuter[1] + whole * gl_TessLevelInner[0] + list[n % 3] + gl_TessLevelOuter[0];
	id = gl_PrimitiveID;
	gl_PointSize = 2.0;
}
