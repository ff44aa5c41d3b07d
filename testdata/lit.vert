#version 450
// Transforms a vertex and its normal.
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec4 color;
layout(set = 0, binding = 0) uniform Camera { mat4 view; mat4 projection; } camera;
layout(push_constant) uniform Model { mat4 matrix; } model;
layout(location = 0) out vec3 worldNormal;
layout(location = 1) out vec4 vertexColor;
layout(location = 2) out vec3 worldPosition;

void main() {
    vec4 world = model.matrix * vec4(position, 1.0);
    worldPosition = world.xyz;
    worldNormal = normalize(mat3(model.matrix) * normal);
    vertexColor = color;
    gl_Position = camera.projection * camera.view * world;
}
