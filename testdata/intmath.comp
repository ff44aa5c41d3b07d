#version 450
#extension GL_ARB_gpu_shader_int64 : require
// Integer arithmetic that targets have to build from less: division, 64 bits, bit fields.
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) buffer Data { uint a[16]; uint b[16]; uint r[64]; } d;

void main() {
    uint i = gl_LocalInvocationIndex;
    uint x = d.a[i], y = d.b[i] | 1u;
    d.r[i] = x / y + x % y;
    d.r[16u + i] = uint(int(x) / int(y)) ^ uint(int(x) % int(y));
    uint64_t w = uint64_t(x) * uint64_t(y) + 12345678901ul;
    d.r[32u + i] = uint(w >> 32) ^ uint(w);
    d.r[48u + i] = bitfieldExtract(x, 3, 7) + uint(bitCount(y)) + uint(findMSB(x)) + bitfieldReverse(y);
}
