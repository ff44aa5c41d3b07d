#version 460
layout(vertices = COUNT) out;
layout(location = 0) in vec4 i[];
layout(location = 1) in vec2 p[];
layout(location = 0) out vec4 o[];
layout(location = 3) patch out vec4 whole;
layout(location = 4) patch out float list[3];
layout(set = 0, binding = 0) uniform U { uint n; };
void main() {
	int k = gl_InvocationID;
	o[gl_InvocationID] = i[k % gl_PatchVerticesIn] + i[n].yxwz + float(gl_PrimitiveID) + vec4(p[1], p[k % 2]);
	gl_out[gl_InvocationID].gl_Position = gl_in[k % gl_PatchVerticesIn].gl_Position;
	list[n % 3] = float(n);
	barrier();
	if (k == 0) {
		whole = o[(k + 1) % COUNT] * 2.0 + gl_out[1 % COUNT].gl_Position;
		gl_TessLevelOuter[0] = whole.x;
		gl_TessLevelOuter[1] = 2.0;
		gl_TessLevelOuter[2] = o[0].z;
		gl_TessLevelOuter[3] = 4.0;
		gl_TessLevelInner[0] = 3.0;
		gl_TessLevelInner[1] = list[1];
	}
}
