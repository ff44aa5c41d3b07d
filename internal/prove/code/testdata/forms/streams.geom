#version 460
layout(points) in;
layout(points, max_vertices = 4) out;
layout(location = 0) in vec4 i[];
layout(location = 0, stream = 0, xfb_buffer = 0, xfb_stride = 32, xfb_offset = 0) out vec4 o;
layout(location = 1, stream = 1, xfb_buffer = 1, xfb_stride = 16, xfb_offset = 4) out vec3 q;
void main() {
	o = i[0];
	EmitStreamVertex(0);
	q = i[0].yzw;
	EmitStreamVertex(1);
	EndStreamPrimitive(1);
	o = i[0] * 2.0;
	EmitStreamVertex(0);
}
