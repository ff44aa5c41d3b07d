package nirc_test

import (
	"fmt"
	"strings"
	"testing"

	"nirc"
	"nirc/backend/layout"
	"nirc/internal/prove"
	"nirc/ir"
	"nirc/passes"
)

// TestLinkedUniforms: an output that is a uniform value is read by the fragment shader itself where the layout lets that stage see it, and its
// interface then has what it reads, in the order of sets and bindings; elsewhere it stays a varying.
func TestLinkedUniforms(t *testing.T) {
	fragment := prove.FromGLSL(t, ir.StageFragment, `#version 450
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
layout(set = 1, binding = 2) uniform sampler2D tex;
layout(set = 0, binding = 1) uniform U { vec4 own; };
void main() { o = v + own + texture(tex, gl_FragCoord.xy); }`)
	vertex := func(declaration, value string) *nirc.Module {
		return prove.FromGLSL(t, ir.StageVertex, "#version 450\nlayout(location = 0) out vec4 v;\n"+declaration+"\nvoid main() { gl_Position = vec4(gl_VertexIndex); v = "+value+"; }")
	}
	const both, vertexOnly = layout.Stages(1 | 16), layout.Stages(1)
	for _, c := range []struct {
		name               string
		m                  *nirc.Module
		stages             layout.Stages
		binding            uint32
		pushFrom, pushSize uint32
		none, moves        bool
	}{
		{"push constants", vertex("layout(push_constant) uniform P { vec4 p; };", "p"), 0, 0, 0, 16, false, true},
		{"push constants of no other stage", vertex("layout(push_constant) uniform P { vec4 p; };", "p"), 0, 0, 4, 0, false, false},
		{"fewer push constants", vertex("layout(push_constant) uniform P { vec4 q; vec4 p; };", "p"), 0, 0, 0, 16, false, false},
		{"a buffer", vertex("layout(set = 0, binding = 3) uniform B { vec4 b; };", "b"), both, 3, 0, 0, false, true},
		{"a buffer before the others", vertex("layout(set = 0, binding = 0) uniform B { vec4 b; };", "b"), both, 0, 0, 0, false, true},
		{"a buffer of no other stage", vertex("layout(set = 0, binding = 3) uniform B { vec4 b; };", "b"), vertexOnly, 3, 0, 0, false, false},
		{"a buffer without a layout", vertex("layout(set = 0, binding = 3) uniform B { vec4 b; };", "b"), both, 3, 0, 0, true, false},
	} {
		o := nirc.Options{Target: nirc.IRTarget, Level: passes.O2}
		if !c.none {
			o.Layout = &nirc.Layout{Sets: []layout.Set{{Set: 0, Bindings: []layout.Binding{{Binding: 1, Type: layout.UniformBuffer, Count: 1, Stages: both}}},
				{Set: 1, Bindings: []layout.Binding{{Binding: 2, Type: layout.CombinedImageSampler, Count: 1, Stages: both}}}}}
			if c.stages != 0 {
				b := layout.Binding{Binding: c.binding, Type: layout.UniformBuffer, Count: 1, Stages: c.stages}
				set := &o.Layout.Sets[0]
				if set.Bindings = append(set.Bindings, b); c.binding == 0 {
					set.Bindings[0], set.Bindings[1] = set.Bindings[1], set.Bindings[0]
				}
			}
			o.Layout.Push = []layout.PushRange{{Stages: vertexOnly, Size: 32}}
			if c.pushSize > 0 {
				o.Layout.Push = append(o.Layout.Push, layout.PushRange{Stages: both &^ vertexOnly, Offset: c.pushFrom, Size: c.pushSize})
			}
		}
		var units []*nirc.Unit
		for _, m := range []*nirc.Module{c.m, fragment} {
			u, err := nirc.New(o)
			if err == nil {
				err = u.Translate(t.Context(), m)
			}
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			units = append(units, u)
		}
		links, _, err := nirc.LinkUnits(t.Context(), units)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		r := &units[1].Reflection
		var have []string
		for _, x := range r.Resources {
			have = append(have, fmt.Sprintf("%d.%d", x.Set, x.Binding))
		}
		want := "0.1 1.2"
		switch {
		case c.moves && c.stages != 0 && c.binding == 0:
			want = "0.0 0.1 1.2"
		case c.moves && c.stages != 0:
			want = "0.1 0.3 1.2"
		}
		moved := links[0].SlotsAfter == 0
		if moved != c.moves || strings.Join(have, " ") != want || (len(r.PushConstants) > 0) != (c.moves && c.stages == 0) {
			t.Errorf("%s: moved %v, resources %v, push constants %v, %+v", c.name, moved, have, r.PushConstants, links)
		}
	}
}
