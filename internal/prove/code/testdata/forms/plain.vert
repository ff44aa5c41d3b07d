#version 460
layout(location = 0) in vec4 a;
layout(location = 0) out vec4 o;
layout(location = 1) out vec2 p;
void main() {
	gl_Position = a;
	o = a.wzyx;
	p = a.xy * 2.0;
}
