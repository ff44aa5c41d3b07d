#version 460
layout(location = 0) in vec4 a;
layout(location = 0, xfb_buffer = 0, xfb_stride = 48, xfb_offset = 16) out vec4 o;
layout(location = 1, xfb_buffer = 2, xfb_stride = 8, xfb_offset = 0) out vec2 p;
void main() {
	gl_Position = a;
	o = a * 3.0;
	p = a.xw;
}
