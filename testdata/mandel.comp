#version 450
// Iteration counts of the Mandelbrot set.
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0) buffer Output { uint iterations[]; } dst;
layout(push_constant) uniform Params { vec2 center; float scale; uint width; uint limit; } p;

void main() {
    uvec2 id = gl_GlobalInvocationID.xy;
    vec2 c = p.center + p.scale * (vec2(id) / float(p.width) - 0.5);
    vec2 z = vec2(0.0);
    uint n = 0u;
    while (n < p.limit && dot(z, z) <= 4.0) {
        z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
        ++n;
    }
    dst.iterations[id.y * p.width + id.x] = n;
}
