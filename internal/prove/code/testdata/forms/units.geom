#version 460
layout(IN, invocations = 2) in;
layout(OUT, max_vertices = 7) out;
layout(location = 0) in vec4 i[];
layout(location = 1) in vec2 p[];
layout(location = 0) out vec4 o;
layout(location = 1) flat out ivec2 f;
layout(set = 0, binding = 0) buffer U { uint n; uint count; };
void main() {
	for (int k = 0; k < gl_in.length(); k++) {
		gl_Position = gl_in[k].gl_Position + float(gl_InvocationID);
		o = i[k] + vec4(p[0], p[k % 2]) + float(n);
		f = ivec2(gl_PrimitiveIDIn, k);
		gl_PrimitiveID = gl_PrimitiveIDIn + 1;
		gl_Layer = k & 3;
		gl_ViewportIndex = 1;
		gl_PointSize = 3.0;
		if (o.x > 0.5) EmitVertex();
		if (k == 2) EndPrimitive();
	}
	atomicAdd(count, 1);
	EndPrimitive();
}
