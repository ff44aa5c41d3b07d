//go:build linux && (amd64 || arm64)

package vulkan

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"nirc"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/internal/refs"
	"nirc/ir"
	"nirc/passes"
)

// linkedVarying is a varying of a random pipeline.
type linkedVarying struct {
	name, typ, qualifier string
	location, component  int
	words                int    // words of each slot
	length               int    // of an array, 0 of none
	value                string // what the first stage stores to an element, by %d
	unread, unwritten    bool
	dynamic              bool // the array is indexed by a value
}

// linkedCase is a random pipeline whose varyings give linking something to do.
type linkedCase struct {
	drawCase
	list           []linkedVarying
	tess, geometry bool
	half           bool // what is mediump is computed in 16 bits
}

// varyingTypes are the types of varyings with the words of a slot and whether they are floats.
var varyingTypes = []struct {
	typ   string
	words int
	float bool
}{{"float", 1, true}, {"vec2", 2, true}, {"vec3", 3, true}, {"vec4", 4, true}, {"mediump vec3", 3, true}, {"mediump float", 1, true}, {"int", 1, false}, {"uvec2", 2, false}, {"uint", 1, false}}

// linkedSeeds are as many as it takes for all that linking does.
const linkedSeeds = 5

func newLinkedCase(seed uint64) *linkedCase {
	c := &linkedCase{}
	c.r, c.stages = rand.New(rand.NewPCG(seed, 23)), map[ir.Stage]string{}
	p := &emu.Pipeline{Topology: emu.TriangleList, Viewports: []emu.Viewport{{Width: drawSize, Height: drawSize, MaxDepth: 1}}, Scissors: []emu.Rect{{Width: drawSize, Height: drawSize}}}
	p.Blend.Attachments = []emu.AttachmentBlend{{WriteMask: emu.WriteAll}}
	c.d = vkDraw{state: p, width: drawSize, height: drawSize, samples: 1, color: emu.FormatByName("R32G32B32A32_SFLOAT"), clear: [4]float32{0.25, 0.5, 0.75, 1}}
	c.half = seed%2 == 1
	c.corners()
	switch c.r.IntN(4) {
	case 0:
		c.tess = true
		p.Topology, p.PatchControlPoints = emu.PatchList, 3
	case 1:
		c.geometry = true
	}
	c.varyings()
	c.write()
	return c
}

// corners makes the vertices: positions and attributes on fractions that are exact.
func (c *linkedCase) corners() {
	p := c.d.state
	var data []byte
	w := func(f float32) { data = binary.LittleEndian.AppendUint32(data, math.Float32bits(f)) }
	for _, at := range [][2]float32{{-1, -1}, {1, -1}, {-1, 1}, {1, 1}, {1, -0.5}, {-0.5, 1}} {
		wc := pick(c.r, []float32{1, 1, 2})
		for _, f := range []float32{at[0] * wc, at[1] * wc, 0.5 * wc, wc} {
			w(f)
		}
		for range 4 {
			w(float32(c.r.IntN(9)) / 8)
		}
	}
	rgba := emu.FormatByName("R32G32B32A32_SFLOAT")
	p.Bindings = []emu.VertexBinding{{Data: data, Stride: 32}}
	p.Attributes = []emu.VertexAttribute{{Location: 0, Format: rgba}, {Location: 1, Format: rgba, Offset: 16}}
	c.d.params = emu.DrawParams{VertexCount: 6, InstanceCount: 1}
}

// varyings chooses the interface: components of one location, gaps, arrays, what nobody reads or writes.
func (c *linkedCase) varyings() {
	location, component := c.r.IntN(3), 0
	shared := ""
	for i := range 4 + c.r.IntN(6) {
		t := pick(c.r, varyingTypes)
		if c.half && t.float && !strings.HasPrefix(t.typ, "mediump") && c.chance(2) {
			t.typ = "mediump " + t.typ
		}
		v := linkedVarying{name: fmt.Sprintf("v%d", i), typ: t.typ, words: t.words}
		if !t.float {
			v.qualifier = "flat"
		} else if !c.tess {
			v.qualifier = pick(c.r, []string{"", "", "", "flat", "noperspective", "centroid"})
		}
		class := v.qualifier + fmt.Sprint(t.float) + strings.Split(t.typ, " ")[0]
		if !t.float {
			class = "int " + t.typ[:1]
		}
		if component+t.words > 4 || class != shared || c.chance(3) {
			location, component = location+1+c.r.IntN(2), 0
			if c.chance(4) {
				component = c.r.IntN(5 - t.words)
			}
		}
		shared = class
		v.location, v.component = location, component
		component += t.words
		if c.chance(5) {
			v.length = 2 + c.r.IntN(2)
			component, shared = 4, ""
			v.dynamic = c.chance(2)
			location += v.length - 1
		}
		v.unread = c.chance(6)
		v.unwritten = v.unread && c.chance(3)
		v.value = c.value(t.typ, t.float)
		c.list = append(c.list, v)
	}
	// Some have one value, however they are interpolated.
	for k := range c.list {
		for e := range k {
			if c.list[e].typ == c.list[k].typ && c.chance(2) {
				c.list[k].value = c.list[e].value
			}
		}
	}
}

// value is what a varying gets: attributes, constants, uniform expressions or indices.
func (c *linkedCase) value(typ string, float bool) string {
	base := strings.TrimPrefix(typ, "mediump ")
	if !float {
		return base + pick(c.r, []string{"(gl_VertexIndex + %d)", "(7 + 0 * %d)", "(u.n.x + %d)"})
	}
	n := map[string]string{"float": ".x", "vec2": ".yx", "vec3": ".zxw", "vec4": ""}[base]
	return base + "(" + pick(c.r, []string{"(attr * (1.0 + float(%d)))" + n, "(pos.wzyx * 0.125 + float(%d))" + n, "(vec4(0.5, 1.0, 0.25, 0.0) + float(%d) * 0.0)" + n,
		"(u.tint * u.k[1].xxyy + float(%d))" + n, "(pc.scale.yxzw + float(%d) * 0.25)" + n, "(u.tint.x > 0.25 ? attr : attr.yxwz + float(%d))" + n, "(w.own * 0.25 + float(%d))" + n}) + ")"
}

const linkedBlocks = `layout(set=0,binding=0) uniform U { vec4 tint; mat4 k; ivec4 n; } u;
layout(push_constant) uniform P { vec4 scale; } pc;
`

// declare declares the varyings of one side; inner are those arrays that count vertices.
func (c *linkedCase) declare(dir, vertices string, skip func(*linkedVarying) bool) string {
	var b strings.Builder
	for i := range c.list {
		v := &c.list[i]
		if skip(v) {
			continue
		}
		array := ""
		if v.length > 0 {
			array = fmt.Sprintf("[%d]", v.length)
		}
		fmt.Fprintf(&b, "layout(location=%d, component=%d) %s %s %s %s%s%s;\n", v.location, v.component, v.qualifier, dir, v.typ, prefixed(dir, vertices, v.name), vertices, array)
	}
	return b.String()
}

// prefixed names the inputs and outputs of a stage that has both.
func prefixed(dir, vertices, name string) string {
	if vertices != "" || dir == "out" {
		return dir[:1] + name
	}
	return name
}

// each writes a line for each element of the varyings.
func (c *linkedCase) each(skip func(*linkedVarying) bool, line func(v *linkedVarying, element string, k int) string) string {
	var b strings.Builder
	for i := range c.list {
		v := &c.list[i]
		if skip(v) {
			continue
		}
		for k := range max(1, v.length) {
			element := ""
			if v.length > 0 {
				element = fmt.Sprintf("[%d]", k)
			}
			b.WriteString(line(v, element, k))
		}
	}
	return b.String()
}

func (c *linkedCase) write() {
	written := func(v *linkedVarying) bool { return v.unwritten }
	read := func(v *linkedVarying) bool { return v.unread }
	c.stages[ir.StageVertex] = "#version 450\nlayout(location=0) in vec4 pos; layout(location=1) in vec4 attr;\n" + linkedBlocks +
		"layout(set=0,binding=1) uniform W { vec4 own; } w;\n" + c.declare("out", "", written) +
		"void main() {\n  gl_Position = pos;\n" + c.each(written, func(v *linkedVarying, e string, k int) string {
		return fmt.Sprintf("  o%s%s = %s;\n", v.name, e, fmt.Sprintf(v.value, k))
	}) + "}\n"
	if c.tess {
		c.writeTess(written)
	}
	if c.geometry {
		c.stages[ir.StageGeometry] = "#version 450\nlayout(triangles) in; layout(triangle_strip, max_vertices=3) out;\n" + c.declare("in", "[]", written) + c.declare("out", "", written) +
			"void main() {\n  for (int i = 0; i < 3; i++) {\n    gl_Position = gl_in[i].gl_Position;\n" + c.each(written, func(v *linkedVarying, e string, _ int) string {
			return fmt.Sprintf("    o%s%s = i%s[i]%s;\n", v.name, e, v.name, e)
		}) + "    EmitVertex();\n  }\n}\n"
	}
	c.stages[ir.StageFragment] = "#version 450\n" + linkedBlocks + c.declare("in", "", read) + "layout(location=0) out vec4 color;\nvoid main() {\n  vec4 s = u.tint * 0.125 + pc.scale;\n" +
		c.each(read, func(v *linkedVarying, e string, k int) string {
			if v.dynamic {
				e = fmt.Sprintf("[(u.n.y + %d) %% %d]", k, v.length)
			}
			x := v.name + e
			first, last := "", ""
			if v.words > 1 {
				first, last = ".x", "."+"xyzw"[v.words-1:v.words]
			}
			if strings.HasPrefix(v.typ, "mediump") {
				return fmt.Sprintf("  { mediump float m = %s%s * %s%s; s += vec4(%d, %d, %d, 1) * m * 0.0625; }\n", x, last, x, first, c.r.IntN(3), c.r.IntN(3), c.r.IntN(3))
			}
			if v.words > 1 {
				x = fmt.Sprintf("float(%s%s) + float(%s.x)", x, last, x)
			}
			return fmt.Sprintf("  s += vec4(%d, %d, %d, 1) * float(%s) * 0.0625;\n", c.r.IntN(3), c.r.IntN(3), c.r.IntN(3), x)
		}) + "  color = s;\n}\n"
}

// writeTess puts a patch between, with an output of the patch.
func (c *linkedCase) writeTess(written func(*linkedVarying) bool) {
	c.stages[ir.StageTessCtrl] = "#version 450\nlayout(vertices=3) out;\n" + linkedBlocks + c.declare("in", "[]", written) + c.declare("out", "[]", written) +
		"layout(location=30) patch out vec2 both;\nvoid main() {\n  gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;\n" +
		c.each(written, func(v *linkedVarying, e string, _ int) string {
			return fmt.Sprintf("  o%s[gl_InvocationID]%s = i%s[gl_InvocationID]%s;\n", v.name, e, v.name, e)
		}) + "  both = vec2(0.5, u.tint.y);\n  gl_TessLevelOuter[0] = 1.0; gl_TessLevelOuter[1] = 2.0; gl_TessLevelOuter[2] = 1.0; gl_TessLevelInner[0] = 1.0;\n}\n"
	c.stages[ir.StageTessEval] = "#version 450\nlayout(triangles, equal_spacing, ccw) in;\n" + c.declare("in", "[]", written) + c.declare("out", "", written) +
		"layout(location=30) patch in vec2 both;\nvoid main() {\n  vec3 b = gl_TessCoord;\n  gl_Position = b.x * gl_in[0].gl_Position + b.y * gl_in[1].gl_Position + b.z * gl_in[2].gl_Position;\n  gl_Position.z *= both.x;\n" +
		c.each(written, func(v *linkedVarying, e string, _ int) string {
			if v.qualifier == "flat" {
				return fmt.Sprintf("  o%s%s = i%s[0]%s;\n", v.name, e, v.name, e)
			}
			return fmt.Sprintf("  o%[1]s%[2]s = b.x * i%[1]s[0]%[2]s + b.y * i%[1]s[1]%[2]s + b.z * i%[1]s[2]%[2]s;\n", v.name, e)
		}) + "}\n"
}

// draw draws on a target, linked or not.
func (c *linkedCase) draw(t *testing.T, target string, modules []*nirc.Module, link bool) ([][4]float32, error) {
	t.Helper()
	p := *c.d.state
	p.Multisample.Samples = 1
	to := c.image(t, c.d.color, 1, c.d.clear)
	p.Color = []emu.Attachment{{View: to}}
	var block []byte
	for i := range 20 {
		block = binary.LittleEndian.AppendUint32(block, math.Float32bits(float32(i%7)/8))
	}
	for i := range 4 {
		block = binary.LittleEndian.AppendUint32(block, uint32(i+1))
	}
	push := make([]byte, 0, 16)
	for i := range 4 {
		push = binary.LittleEndian.AppendUint32(push, math.Float32bits(float32(i+1)/4))
	}
	err := exec.Execute(emu.Once(context.Background()), &exec.Execution{Modules: modules, Link: link, Options: c.options(target),
		Bindings: []exec.Binding{{Data: block}, {Binding: 1, Data: block}}, Push: push, Draw: &p, DrawParams: c.d.params})
	return imageTexels(c.d.color, to.Image.Data), err
}

// options are those of a target, with the state of the pipeline.
func (c *linkedCase) options(target string) nirc.Options {
	o := nirc.Options{Target: target, Level: passes.O2}
	if c.half {
		o.State = &nirc.State{Shader: &passes.ShaderState{HalfPrecision: true}}
	}
	return o
}

// effects adds up what linking does to the pipeline, except for inputs that nobody writes: what they hold no draw can show.
func (c *linkedCase) effects(t *testing.T, modules []*nirc.Module, sum map[string]int) {
	t.Helper()
	var stages []nirc.PipelineStage
	for _, m := range modules {
		stages = append(stages, nirc.PipelineStage{Module: m})
	}
	p, err := nirc.CompilePipeline(context.Background(), stages, c.options("ir3"))
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range p.Links {
		for name, n := range map[string]int{"unread": l.Unread, "constants": l.Constants, "uniforms": l.Uniforms, "merged": l.Merged, "flat": l.Flat, "narrow": l.Narrow, "moved": l.Moved} {
			sum[name] += n
		}
	}
}

// TestLinkedDraws draws random pipelines linked and not linked, on the interpreter and on each target: the pixels are the same except for the last
// bits of what is interpolated in one and computed in the other. Each thing that linking does comes up. NIRC_LAVAPIPE says how many.
func TestLinkedDraws(t *testing.T) {
	glslang := refs.Tool(t, "glslangValidator")
	first, count := seeds(t, linkedSeeds)
	drawn := 0
	done := map[string]int{}
	for seed := first; seed < first+count; seed++ {
		c := newLinkedCase(uint64(seed))
		modules := c.modules(t, glslang)
		c.effects(t, modules, done)
		near := 1.0 / 256
		if c.half {
			near = 1.0 / 32
		}
		for _, target := range targets() {
			want, err := c.draw(t, target, modules, false)
			var refused nirc.Diagnostics
			if errors.As(err, &refused) {
				continue
			} else if err != nil {
				t.Fatalf("seed %d on %s: %v", seed, target, err)
			}
			got, err := c.draw(t, target, modules, true)
			if err != nil {
				t.Errorf("seed %d on %s, linked: %v", seed, target, err)
				continue
			}
			drawn++
			for i := range want {
				if !nearColor(got[i], want[i], near) {
					t.Errorf("seed %d on %s: pixel %d,%d is %v linked, %v without", seed, target, i%drawSize, i/drawSize, got[i], want[i])
					if os.Getenv("NIRC_VERBOSE") != "" {
						for st, text := range c.stages {
							t.Logf("%s:\n%s", st, text)
						}
					}
					break
				}
			}
		}
	}
	t.Logf("%d draws of %d pipelines: %v", drawn, count, done)
	if len(done) == 0 || slices.Contains(slices.Collect(maps.Values(done)), 0) && count >= linkedSeeds {
		t.Errorf("not all that linking does came up: %v", done)
	}
	if drawn < 2*count {
		t.Errorf("only %d draws of %d pipelines", drawn, count)
	}
}
