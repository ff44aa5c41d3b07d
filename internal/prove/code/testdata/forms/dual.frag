#version 460
layout(location = 0) in mediump vec4 a;
layout(location = 0, index = 0) out mediump vec4 o;
layout(location = 0, index = 1) out mediump vec4 p;
layout(input_attachment_index = 0, set = 0, binding = 0) uniform subpassInput in0;
layout(input_attachment_index = 1, set = 0, binding = 1) uniform isubpassInput in1;
#if FORM == 1
layout(input_attachment_index = 2, set = 0, binding = 2) uniform subpassInputMS in2;
#endif
void main() {
	o = a * subpassLoad(in0);
	p = vec4(subpassLoad(in1)) + a;
#if FORM == 1
	o += subpassLoad(in2, 1);
#endif
}
