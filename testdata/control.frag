#version 450
// Control flow of every kind: switch with fallthrough, nested loops, continue, early return.
layout(location = 0) out vec4 color;

int classify(int n) {
    for (int i = 0; i < 8; ++i) {
        if (i == n) return i * 2;
        if ((i & n) == 3) continue;
        int k = n;
        while (k > 0) {
            k -= i + 1;
            if (k == 2) break;
        }
        if (k == 2 && n > 9) return -i;
    }
    return n;
}

void main() {
    ivec2 p = ivec2(gl_FragCoord.xy);
    float r = 0.0;
    switch (p.x % 5) {
    case 0: r += 0.25;
    case 1: r += 0.5; break;
    case 2: if (p.y > 3) { r = 1.0; break; } r = 0.125; break;
    case 3: discard;
    default: r = 0.0625;
    }
    color = vec4(r, float(classify(p.x)) / 16.0, float(classify(p.y)) / 16.0, 1.0);
}
