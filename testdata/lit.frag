#version 450
// Lights a surface by up to four point lights.
layout(location = 0) in vec3 worldNormal;
layout(location = 1) in vec4 vertexColor;
layout(location = 2) in vec3 worldPosition;
struct Light { vec4 position; vec4 color; };
layout(set = 0, binding = 1) uniform Lights { Light lights[4]; int count; float ambient; } scene;
layout(location = 0) out vec4 color;

void main() {
    if (vertexColor.a < 0.01)
        discard;
    vec3 n = normalize(worldNormal);
    vec3 sum = vec3(scene.ambient);
    for (int i = 0; i < scene.count && i < 4; ++i) {
        vec3 d = scene.lights[i].position.xyz - worldPosition;
        float falloff = 1.0 / (1.0 + dot(d, d));
        sum += scene.lights[i].color.rgb * max(dot(n, normalize(d)), 0.0) * falloff;
    }
    color = vec4(vertexColor.rgb * sum, vertexColor.a);
}
