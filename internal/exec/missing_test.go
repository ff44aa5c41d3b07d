package exec

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"nirc"
	"nirc/internal/emu"
	"nirc/internal/refs"
	"nirc/ir"
	"nirc/passes"
)

// missingArrays are arrays of which elements 0 and 2 are bound, by kinds.
const missingArrays = `#version 450
layout(local_size_x=4) in;
layout(set=0,binding=0) buffer O { uint o[]; };
layout(set=0,binding=1) buffer S { uint s[4]; } ss[4];
layout(set=0,binding=2) uniform U { uvec4 u; } uu[4];
layout(set=0,binding=3) uniform sampler2D t[4];
layout(set=0,binding=4,r32ui) uniform uimage2D g[4];
layout(push_constant) uniform P { uint n, j; };
uint i = n + gl_WorkGroupID.x; // preambles read ahead
`

var missingCases = []struct {
	name, body string
	binding    uint32
	kind       func(*ir.Robust) ir.Robustness
}{
	{"load", "o[0] = ss[i].s[j];", 1, func(r *ir.Robust) ir.Robustness { return r.Storage }},
	{"store", "ss[i].s[gl_LocalInvocationIndex] = 3u;", 1, func(r *ir.Robust) ir.Robustness { return r.Storage }},
	{"atomic", "atomicAdd(ss[i].s[1], 3u);", 1, func(r *ir.Robust) ir.Robustness { return r.Storage }},
	{"uniform", "o[0] = uu[i].u.z;", 2, func(r *ir.Robust) ir.Robustness { return r.Uniform }},
	{"texture", "o[0] = uint(textureLod(t[i], vec2(0.5), 0.0).x);", 3, func(r *ir.Robust) ir.Robustness { return r.Images }},
	{"fetch", "o[0] = uint(texelFetch(t[i], ivec2(j), 0).x);", 3, func(r *ir.Robust) ir.Robustness { return r.Images }},
	{"gather", "o[0] = uint(textureGather(t[i], vec2(0.5)).x);", 3, func(r *ir.Robust) ir.Robustness { return r.Images }},
	{"image load", "o[0] = imageLoad(g[i], ivec2(j)).x;", 4, func(r *ir.Robust) ir.Robustness { return r.Images }},
	{"image store", "imageStore(g[i], ivec2(gl_LocalInvocationIndex), uvec4(1));", 4, func(r *ir.Robust) ir.Robustness { return r.Images }},
	{"image atomic", "imageAtomicAdd(g[i], ivec2(j), 1u);", 4, func(r *ir.Robust) ir.Robustness { return r.Images }},
}

// missingRun runs a shader of missingArrays on element i of a binding.
func missingRun(t *testing.T, m *nirc.Module, o nirc.Options, i, binding uint32, out bool) error {
	t.Helper()
	x := &Execution{Modules: []*nirc.Module{m}, Options: o, Groups: [3]uint32{1, 1, 1}, Limits: emu.Limits{Check: true},
		Push: binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, i), 1)}
	if out {
		x.Bindings = []Binding{{Binding: 0, Data: make([]byte, 16)}}
	}
	for _, element := range []uint32{0, 2} {
		b := Binding{Binding: binding, Element: element}
		switch format := ""; binding {
		case 3, 4:
			if format = "R32G32B32A32_SFLOAT"; binding == 4 {
				format = "R32_UINT"
			}
			img, err := emu.NewImage(emu.ImageDesc{Width: 4, Height: 4, Format: emu.FormatByName(format)})
			if err != nil {
				t.Fatal(err)
			}
			b.Image = img
		default:
			b.Data = make([]byte, 16)
		}
		x.Bindings = append(x.Bindings, b)
	}
	return Execute(context.Background(), x)
}

// TestMissingElements: an access to an element of an array of descriptors that nothing is bound to is told on each target, between elements
// that are bound and after the last, unless accesses of the kind are robust; nobody minds elements that are not reached.
func TestMissingElements(t *testing.T) {
	refs.Tool(t, "glslangValidator")
	for i := range missingCases {
		c := &missingCases[i]
		m := computeModule(t, missingArrays+"void main() { "+c.body+" }")
		guarded := computeModule(t, missingArrays+"void main() { if (j == 2u) { "+c.body+" } }")
		out := strings.Contains(c.body, "o[0]")
		for _, target := range []string{"ir", "ir3", "agx", "midgard"} {
			for _, level := range []passes.Level{passes.O0, passes.O2} {
				for _, robust := range []string{"off", "buffer2", "images=image2"} {
					r, err := ir.ParseRobust(robust)
					if err != nil {
						t.Fatal(err)
					}
					o := nirc.Options{Target: target, Level: level, Robust: r}
					name := fmt.Sprintf("%s/%s/%s/%s", c.name, target, level, robust)
					for element := range uint32(4) {
						if robust != "off" && element != 1 {
							continue
						}
						want := ""
						if element%2 == 1 && c.kind(&r) == ir.RobustOff {
							want = fmt.Sprintf("nothing is bound to element %d of 0.", element)
						}
						err := missingRun(t, m, o, element, c.binding, out)
						if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
							t.Errorf("%s, element %d: %v, want %q", name, element, err, want)
						}
					}
					if err := missingRun(t, guarded, o, 1, c.binding, out); err != nil {
						t.Errorf("%s: what is not reached is told: %v", name, err)
					}
				}
			}
		}
	}
}
