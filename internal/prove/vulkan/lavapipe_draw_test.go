//go:build linux && (amd64 || arm64)

package vulkan

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	osexec "os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"nirc"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/internal/prove"
	"nirc/internal/refs"
	"nirc/ir"
	"nirc/passes"
)

// drawSize is the width and height of a random draw, in pixels: a power of two,
// so that corners lie on pixel fractions exactly.
const drawSize = 64

// drawCase is a random pipeline with its draw.
type drawCase struct {
	r        *rand.Rand
	stages   map[ir.Stage]string // GLSL
	d        vkDraw
	features []string
	// inexact: corners do not all lie on fractions of pixels that every
	// implementation has (Vulkan asks for 4 bits), or are made by clipping.
	inexact   bool
	instanced bool
	dual      bool // the fragment shader has a second colour
	// late is for what came later: the rest of a seed stays as it was.
	late *rand.Rand
}

func (c *drawCase) feature(name string) { c.features = append(c.features, name) }

// chance reports true once in n.
func (c *drawCase) chance(n int) bool { return c.r.IntN(n) == 0 }

// newDrawCase makes the draw of a seed.
func newDrawCase(seed uint64) *drawCase {
	c := &drawCase{r: rand.New(rand.NewPCG(seed, 11)), late: rand.New(rand.NewPCG(seed, 12)), stages: map[ir.Stage]string{}}
	p := &emu.Pipeline{Viewports: []emu.Viewport{{Width: drawSize, Height: drawSize, MaxDepth: 1}}, Scissors: []emu.Rect{{Width: drawSize, Height: drawSize}}}
	c.d = vkDraw{state: p, width: drawSize, height: drawSize, samples: 1, color: emu.FormatByName("R8G8B8A8_UNORM"), clear: [4]float32{0.25, 0.5, 0.75, 1}}
	c.target()
	c.assembly()
	c.fixed()
	c.blending()
	c.shaders()
	slices.Sort(c.features)
	return c
}

// target chooses format, samples and depth.
func (c *drawCase) target() {
	if f := pick(c.r, []string{"R8G8B8A8_UNORM", "R8G8B8A8_UNORM", "R32G32B32A32_SFLOAT", "R16G16B16A16_SFLOAT", "R8G8_UNORM"}); f != "R8G8B8A8_UNORM" {
		c.d.color = emu.FormatByName(f)
		c.feature("format " + f)
	}
	if c.chance(4) {
		c.d.samples = 4
		c.feature("4 samples, resolved")
		if c.chance(2) {
			c.d.state.Multisample.SampleShading = true
			c.feature("sample shading")
		}
		if c.chance(3) {
			mask := c.r.Uint32N(16)
			c.d.state.Multisample.Mask = &mask
			c.feature("sample mask")
		}
	}
	if c.chance(2) {
		c.d.depth = emu.FormatByName("D32_SFLOAT")
		c.d.state.Depth = emu.DepthState{Test: true, Write: c.r.IntN(4) != 0, Compare: pick(c.r, []emu.CompareOp{emu.CompareLess, emu.CompareLessOrEqual, emu.CompareGreater, emu.CompareAlways})}
		c.feature("depth test")
		if c.late.IntN(2) == 0 {
			c.stencil()
		}
	}
}

// assembly chooses topology, vertices, instances and indices.
func (c *drawCase) assembly() {
	p := c.d.state
	p.Topology = pick(c.r, []emu.Topology{emu.TriangleList, emu.TriangleList, emu.TriangleStrip, emu.TriangleFan})
	c.feature([]string{"points", "lines", "line strip", "triangle list", "triangle strip", "triangle fan"}[p.Topology])
	n := 3 * (1 + c.r.IntN(4))
	corner := make([]byte, 0, 32*n)
	w := func(f float32) { corner = binary.LittleEndian.AppendUint32(corner, math.Float32bits(f)) }
	perspective, clipped := c.chance(2), c.chance(3)
	if perspective {
		c.feature("perspective")
	}
	reach := drawSize
	if clipped {
		reach = 2 * drawSize
		c.inexact = true
		c.feature("clipping")
	}
	for range n {
		wc := float32(1)
		if perspective {
			wc = pick(c.r, []float32{1, 2, 4})
		}
		x, y := c.r.IntN(reach+1)-reach/2, c.r.IntN(reach+1)-reach/2
		w(float32(x) * 2 / drawSize * wc)
		w(float32(y) * 2 / drawSize * wc)
		w(float32(c.r.IntN(17)) / 16 * wc)
		w(wc)
		for range 4 {
			w(float32(c.r.IntN(9)) / 8)
		}
	}
	p.Bindings = []emu.VertexBinding{{Binding: 0, Data: corner, Stride: 32}}
	rgba := emu.FormatByName("R32G32B32A32_SFLOAT")
	p.Attributes = []emu.VertexAttribute{{Location: 0, Format: rgba}, {Location: 1, Format: rgba, Offset: 16}}
	c.d.params = emu.DrawParams{VertexCount: uint32(n), InstanceCount: 1}
	if c.chance(3) {
		c.instances()
	}
	if c.chance(3) {
		c.indices(n)
	}
}

// instances draws several times, with an attribute an instance.
func (c *drawCase) instances() {
	p := c.d.state
	n, first := 2+c.r.IntN(2), c.r.IntN(2)
	var data []byte
	for range n + first {
		for range 2 {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(c.r.IntN(24))*2/drawSize))
		}
		data = append(data, byte(c.r.IntN(256)), byte(c.r.IntN(256)), byte(c.r.IntN(256)), byte(c.r.IntN(256)))
	}
	p.Bindings = append(p.Bindings, emu.VertexBinding{Binding: 1, Data: data, Stride: 12, Instance: true})
	p.Attributes = append(p.Attributes, emu.VertexAttribute{Location: 2, Binding: 1, Format: emu.FormatByName("R32G32_SFLOAT")},
		emu.VertexAttribute{Location: 3, Binding: 1, Format: emu.FormatByName("R8G8B8A8_UNORM"), Offset: 8})
	c.d.params.InstanceCount, c.d.params.FirstInstance = uint32(n), uint32(first)
	c.instanced = true
	c.inexact = true // some are moved out of the volume, and clipped
	c.feature("instances")
	if first > 0 {
		c.feature("first instance")
	}
}

// indices draws by indices, of strips and fans with restarts.
func (c *drawCase) indices(vertices int) {
	x := &emu.IndexBuffer{Bytes: pick(c.r, []int{2, 4})}
	n := vertices + c.r.IntN(8)
	offset := c.r.IntN(2)
	strip := c.d.state.Topology != emu.TriangleList
	c.d.state.PrimitiveRestart = strip
	for k := range n {
		i := uint32(c.r.IntN(vertices - offset))
		if strip && k > 3 && c.chance(6) {
			i = 1<<32 - 1
		}
		if x.Bytes == 2 {
			x.Data = binary.LittleEndian.AppendUint16(x.Data, uint16(i))
		} else {
			x.Data = binary.LittleEndian.AppendUint32(x.Data, i)
		}
	}
	c.d.params.Index, c.d.params.VertexCount, c.d.params.VertexOffset = x, uint32(n), int32(offset)
	c.feature("indices")
	if strip {
		c.feature("restart")
	}
}

// fixed chooses culling, viewport, scissor and depth bias.
func (c *drawCase) fixed() {
	p := c.d.state
	if c.chance(3) {
		p.Raster.Cull = pick(c.r, []emu.CullMode{emu.CullFront, emu.CullBack})
		c.feature("culling")
	}
	p.Raster.FrontClockwise = c.chance(2)
	if c.chance(3) {
		p.Scissors[0] = emu.Rect{X: c.r.IntN(16), Y: c.r.IntN(16), Width: 16 + c.r.IntN(32), Height: 16 + c.r.IntN(32)}
		c.feature("scissor")
	}
	switch c.r.IntN(4) {
	case 0:
		p.Viewports[0] = emu.Viewport{Y: drawSize, Width: drawSize, Height: -drawSize, MaxDepth: 1}
		c.feature("flipped viewport")
	case 1:
		p.Viewports[0] = emu.Viewport{X: 16, Y: 8, Width: 32, Height: 32, MinDepth: 0.25, MaxDepth: 0.75}
		c.feature("small viewport")
	}
	if c.d.depth != nil && c.chance(3) {
		p.Raster.DepthBias, p.Raster.BiasConstant = true, float32(c.r.IntN(4096))
		if c.chance(2) { // clamped, for Vulkan leaves open how the slope is measured
			p.Raster.BiasSlope, p.Raster.BiasClamp = 64, 1.0/64
			c.inexact = true
		}
		c.feature("depth bias")
	}
}

// blending chooses how colours meet what is there.
func (c *drawCase) blending() {
	a := emu.AttachmentBlend{WriteMask: emu.WriteAll}
	if c.chance(2) {
		a.Enable = true
		factor := func() ir.BlendFactor { return ir.BlendFactor(c.r.IntN(15)) }
		if c.d.color.IsFloat() && !strings.Contains(c.d.color.Name, "UNORM") {
			// Products of what is not clamped grow, and their errors with them.
			factor = func() ir.BlendFactor {
				return pick(c.r, []ir.BlendFactor{ir.BlendZero, ir.BlendOne, ir.BlendConstantColor, ir.BlendOneMinusConstantAlpha})
			}
		}
		op := func() ir.BlendOp { return ir.BlendOp(c.r.IntN(5)) }
		a.SrcColor, a.DstColor, a.ColorOp = factor(), factor(), op()
		a.SrcAlpha, a.DstAlpha, a.AlphaOp = factor(), factor(), op()
		c.d.state.Blend.Constants = [4]float32{0.25, 0.5, 0.75, 0.5}
		c.feature("blending")
		c.secondSource(&a)
	}
	if c.chance(4) {
		a.WriteMask = uint8(c.r.IntN(16))
		c.feature("write mask")
	}
	c.d.state.Blend.Attachments = []emu.AttachmentBlend{a}
}

// shaders writes the stages.
func (c *drawCase) shaders() {
	tess := c.d.state.Topology == emu.TriangleList && c.chance(4)
	geometry := !tess && c.chance(4) // the order in which a patch's triangles reach it is open
	clip := c.chance(5)
	inst, extra, instIn := "vec2(0)", "vec4(0)", ""
	if c.instanced {
		inst, extra, instIn = "inst", "extra", "layout(location=2) in vec2 inst; layout(location=3) in vec4 extra;\n"
	}
	body := fmt.Sprintf("  gl_Position = pos + vec4(%s * pos.w, 0, 0);\n  v = attr + 0.125 * %s;\n  f = uvec2(uint(attr.x * 8.0), uint(gl_VertexIndex + 16 * gl_InstanceIndex));\n  n = attr.zw;\n", inst, extra)
	outs := "layout(location=0) out vec4 v; layout(location=1) flat out uvec2 f; layout(location=2) noperspective out vec2 n;\n"
	if tess {
		// What tessellation makes of flat and noperspective inputs is its own.
		outs = strings.ReplaceAll(strings.ReplaceAll(outs, "flat ", ""), "noperspective ", "")
	}
	if clip && !tess && !geometry {
		body += "  gl_ClipDistance[0] = attr.x - 0.375;\n"
		outs += "out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[1]; };\n"
		c.inexact = true
		c.feature("clip distance")
	}
	c.stages[ir.StageVertex] = "#version 450\nlayout(location=0) in vec4 pos; layout(location=1) in vec4 attr;\n" + instIn + outs + "void main() {\n" + body + "}\n"
	if tess {
		c.tessellate()
	}
	if geometry {
		c.geometry()
	}
	c.fragment()
	if !tess && !geometry && c.late.IntN(3) == 0 {
		c.capture()
	}
	if c.inexact || c.instanced || geometry {
		// Mesa 22.3 makes noperspective inputs NaN where it clips a triangle.
		for st, text := range c.stages {
			c.stages[st] = strings.ReplaceAll(text, "noperspective ", "")
		}
	} else {
		c.feature("noperspective")
	}
}

// tessellate puts a patch of triangles between.
func (c *drawCase) tessellate() {
	c.feature("tessellation")
	c.inexact = true
	c.d.state.Topology, c.d.state.PatchControlPoints = emu.PatchList, 3
	c.d.state.PrimitiveRestart = false
	c.stages[ir.StageTessCtrl] = fmt.Sprintf(`#version 450
layout(vertices=3) out;
layout(location=0) in vec4 v[]; layout(location=1) in uvec2 f[]; layout(location=2) in vec2 n[];
layout(location=0) out vec4 tv[]; layout(location=1) out uvec2 tf[]; layout(location=2) out vec2 tn[];
void main() {
  gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
  tv[gl_InvocationID] = v[gl_InvocationID]; tf[gl_InvocationID] = f[gl_InvocationID]; tn[gl_InvocationID] = n[gl_InvocationID];
  gl_TessLevelOuter[0] = %d.0; gl_TessLevelOuter[1] = %d.0; gl_TessLevelOuter[2] = %d.0; gl_TessLevelInner[0] = %d.0;
}
`, 1<<c.r.IntN(3), 1<<c.r.IntN(3), 1<<c.r.IntN(3), 1<<c.r.IntN(3))
	c.stages[ir.StageTessEval] = `#version 450
layout(triangles, equal_spacing, ccw) in;
layout(location=0) in vec4 tv[]; layout(location=1) in uvec2 tf[]; layout(location=2) in vec2 tn[];
layout(location=0) out vec4 v; layout(location=1) flat out uvec2 f; layout(location=2) noperspective out vec2 n;
void main() {
  vec3 b = gl_TessCoord;
  gl_Position = b.x * gl_in[0].gl_Position + b.y * gl_in[1].gl_Position + b.z * gl_in[2].gl_Position;
  v = b.x * tv[0] + b.y * tv[1] + b.z * tv[2]; n = b.x * tn[0] + b.y * tn[1] + b.z * tn[2]; f = tf[0] + uvec2(0, gl_PrimitiveID);
}
`
}

// geometry emits each triangle, and a smaller one of it.
func (c *drawCase) geometry() {
	c.feature("geometry")
	c.stages[ir.StageGeometry] = `#version 450
layout(triangles) in;
layout(triangle_strip, max_vertices=6) out;
layout(location=0) in vec4 v[]; layout(location=1) flat in uvec2 f[]; layout(location=2) noperspective in vec2 n[];
layout(location=0) out vec4 gv; layout(location=1) flat out uvec2 gf; layout(location=2) noperspective out vec2 gn;
void main() {
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < 3; i++) {
      gl_Position = gl_in[i].gl_Position;
      if (k == 1) gl_Position.xy *= 0.5;
      gv = v[i] * (k == 1 ? 0.5 : 1.0); gf = f[i] + uvec2(k, gl_PrimitiveIDIn); gn = n[i];
      EmitVertex();
    }
    EndPrimitive();
  }
}
`
}

// fragment computes a colour of everything that comes in, by functions without
// steps, so that a rounding does not show.
func (c *drawCase) fragment() {
	values := []string{"v.x", "v.y", "v.z", "v.w", "n.x", "n.y", "float(f.x & 7u) * 0.125", "float(f.y & 15u) * 0.0625", "gl_FragCoord.x * 0.015625", "gl_FragCoord.y * 0.015625",
		"(gl_FrontFacing ? 0.75 : 0.25)"}
	if c.d.depth != nil {
		values = append(values, "gl_FragCoord.z")
	}
	if c.d.samples == 1 && c.chance(3) {
		values = append(values, "clamp(dFdxFine(v.x) + 0.5, 0.0, 1.0)", "clamp(fwidthFine(n.y), 0.0, 1.0)")
		c.feature("derivatives")
	}
	if c.d.state.Multisample.SampleShading {
		values = append(values, "float(gl_SampleID) * 0.25", "gl_SamplePosition.x")
	}
	expr := func() string {
		a, b := pick(c.r, values), pick(c.r, values)
		return fmt.Sprintf(pick(c.r, []string{"%s * %s", "0.5 * (%s + %s)", "max(%s, %s)", "mix(%s, 0.25, %s)", "abs(%s - %s)", "sqrt(abs(%s * %s))"}), a, b)
	}
	body := fmt.Sprintf("  color = vec4(%s, %s, %s, %s);\n", expr(), expr(), expr(), expr())
	if c.chance(5) {
		body += "  if ((f.x & 3u) == 1u) discard;\n"
		c.feature("discard")
	}
	if c.d.depth != nil && c.d.samples == 1 && c.chance(5) {
		body += "  gl_FragDepth = 0.5 * v.x + 0.25;\n"
		c.feature("depth by the shader")
	}
	outs := "layout(location=0) out vec4 color;\n"
	if c.dual {
		outs = "layout(location=0, index=0) out vec4 color; layout(location=0, index=1) out vec4 second;\n"
		second := func() string { return pick(c.late, values) }
		body += fmt.Sprintf("  second = vec4(%s, %s, %s, %s);\n", second(), second(), second(), second())
	}
	where := "" // Vulkan leaves open where in a pixel such inputs are interpolated that do not say sample
	if c.d.state.Multisample.SampleShading {
		where = "sample "
	}
	c.stages[ir.StageFragment] = "#version 450\nlayout(location=0) " + where + "in vec4 v; layout(location=1) flat in uvec2 f; layout(location=2) noperspective " + where + "in vec2 n;\n" + outs + "void main() {\n" + body + "}\n"
}

// glslSuffixes are glslangValidator's names of the stages.
var glslSuffixes = map[ir.Stage]string{ir.StageVertex: "vert", ir.StageTessCtrl: "tesc", ir.StageTessEval: "tese", ir.StageGeometry: "geom", ir.StageFragment: "frag"}

// modules compiles the stages' GLSL.
func (c *drawCase) modules(t *testing.T, glslang string) []*nirc.Module {
	t.Helper()
	dir := t.TempDir()
	c.d.stages = make(map[ir.Stage][]uint32)
	var list []*nirc.Module
	for _, st := range []ir.Stage{ir.StageVertex, ir.StageTessCtrl, ir.StageTessEval, ir.StageGeometry, ir.StageFragment} {
		text := c.stages[st]
		if text == "" {
			continue
		}
		in, out := filepath.Join(dir, "s."+glslSuffixes[st]), filepath.Join(dir, glslSuffixes[st]+".spv")
		if err := os.WriteFile(in, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if msg, err := osexec.Command(glslang, "-V", "-o", out, in).CombinedOutput(); err != nil {
			t.Fatalf("%s\n%s", msg, text)
		}
		data, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		words := make([]uint32, len(data)/4)
		for i := range words {
			words[i] = binary.LittleEndian.Uint32(data[4*i:])
		}
		c.d.stages[st] = words
		m, err := nirc.Load(data, st.String())
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, m)
	}
	return list
}

// image is a cleared image of one sample or more.
func (c *drawCase) image(t *testing.T, f *emu.Format, samples int, clear [4]float32) *emu.ImageView {
	t.Helper()
	img, err := emu.NewImage(emu.ImageDesc{Width: drawSize, Height: drawSize, Samples: samples, Format: f})
	if err != nil {
		t.Fatal(err)
	}
	v := &emu.ImageView{Image: img}
	var value [4]uint32
	for i, x := range clear {
		value[i] = math.Float32bits(x)
	}
	if err := v.Clear(value); err != nil {
		t.Fatal(err)
	}
	return v
}

// ours draws on a target of nirc's.
func (c *drawCase) ours(t *testing.T, target string, modules []*nirc.Module) (out drawing, err error) {
	t.Helper()
	p := *c.d.state
	p.Multisample.Samples = c.d.samples
	to := c.image(t, c.d.color, c.d.samples, c.d.clear)
	p.Color = []emu.Attachment{{View: to}}
	if c.d.samples > 1 {
		to = c.image(t, c.d.color, 1, c.d.clear)
		p.Color[0].Resolve = to
	}
	var z *emu.ImageView
	if c.d.depth != nil {
		z = c.image(t, c.d.depth, c.d.samples, [4]float32{1})
		p.DepthStencil.View = z
	}
	params := c.d.params
	if c.d.captures > 0 {
		out.captured = make([]byte, c.d.captures)
		params.Feedback = &emu.Feedback{}
		params.Feedback.Buffers[0] = out.captured
	}
	if err := exec.Execute(emu.Once(context.Background()), &exec.Execution{Modules: modules, Options: nirc.Options{Target: target, Level: passes.O2}, Draw: &p, DrawParams: params}); err != nil {
		return out, err
	}
	out.color = to.Image.Data
	if z != nil && c.d.samples == 1 {
		out.aspects(c.d.depth, z.Image.Data)
	}
	return out, nil
}

// imageTexels decodes an image.
func imageTexels(f *emu.Format, data []byte) [][4]float32 {
	list := make([][4]float32, len(data)/f.Bytes)
	for i := range list {
		var v [4]uint32
		f.Unpack(data[i*f.Bytes:], &v)
		for k := range v {
			list[i][k] = math.Float32frombits(v[k])
		}
	}
	return list
}

// nearColor reports whether two texels are within a tolerance. NaN and infinities
// are whatever the operations made of them.
func nearColor(a, b [4]float32, tolerance float64) bool {
	for k := range a {
		if !prove.Near(float64(b[k]), float64(a[k]), tolerance) {
			return false
		}
	}
	return true
}

// comparison is how an image is compared with the driver's.
type comparison struct {
	x, y      [][4]float32
	tolerance float64
	// mixed: pixels are means of samples, whose coverage may differ at edges.
	mixed bool
}

// around calls f for the pixels of a neighbourhood, at itself included.
func around(at int, f func(int)) {
	for dy := -1; dy <= 1; dy++ {
		for dx := -1; dx <= 1; dx++ {
			if x, y := at%drawSize+dx, at/drawSize+dy; x >= 0 && y >= 0 && x < drawSize && y < drawSize {
				f(y*drawSize + x)
			}
		}
	}
}

// steep is the tolerance at a pixel: corners snap to sixteenths of a pixel at
// worst, so a value may be off by that part of what it changes from pixel to pixel.
func (c *comparison) steep(at int) float64 {
	var least, most [4]float64
	for k := range 4 {
		least[k], most[k] = math.Inf(1), math.Inf(-1)
	}
	around(at, func(i int) {
		for k, v := range c.y[i] {
			least[k], most[k] = min(least[k], float64(v)), max(most[k], float64(v))
		}
	})
	d := 0.0
	for k := range 4 {
		if r := most[k] - least[k]; r > d {
			d = r
		}
	}
	return c.tolerance + d/16
}

// explained reports whether a value of one image stands beside the place in the
// other: Vulkan leaves open whose a sample on an edge is, and where two
// triangles cross it may be a pixel apart. Where pixels are means of samples it may lie between neighbours.
func (c *comparison) explained(v [4]float32, in [][4]float32, at int) bool {
	found := false
	least, most := v, v
	first := true
	around(at, func(i int) {
		found = found || nearColor(v, in[i], c.tolerance)
		for k := range 4 {
			if first {
				least[k], most[k] = in[i][k], in[i][k]
			}
			least[k], most[k] = min(least[k], in[i][k]), max(most[k], in[i][k])
		}
		first = false
	})
	if found || !c.mixed {
		return found
	}
	for k := range 4 {
		if float64(v[k]) < float64(least[k])-c.tolerance || float64(v[k]) > float64(most[k])+c.tolerance {
			return false
		}
	}
	return true
}

// run counts the pixels that differ, and those that nothing explains.
func (c *comparison) run() (differ, wrong int, first string) {
	for i := range c.x {
		if nearColor(c.x[i], c.y[i], c.steep(i)) {
			continue
		}
		differ++
		if !c.explained(c.x[i], c.y, i) || !c.explained(c.y[i], c.x, i) {
			if wrong++; first == "" {
				first = fmt.Sprintf("pixel %d,%d: %v, %v", i%drawSize, i/drawSize, c.x[i], c.y[i])
			}
		}
	}
	return differ, wrong, first
}

// TestLavapipeDraws compares random graphics pipelines with Mesa's driver for
// the processor: colours, resolved where there are several samples, and depths, within
// Vulkan's tolerances, on the interpreter and on each target's code. NIRC_LAVAPIPE says
// how many pipelines.
func TestLavapipeDraws(t *testing.T) {
	glslang := refs.Tool(t, "glslangValidator")
	icd, err := findLavapipe()
	if err != nil {
		if os.Getenv("NIRC_REQUIRE_TOOLS") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	first, count := seeds(t, 12)
	v, err := openVulkan(icd)
	if err != nil {
		t.Fatal(err)
	}
	defer v.close()
	drawn := make(map[string]int)
	for seed := first; seed < first+count; seed++ {
		compareDraw(t, v, glslang, uint64(seed), drawn)
	}
	var names []string
	for n := range drawn {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		t.Logf("%4d %s", drawn[n], n)
	}
}

// seeds reads NIRC_LAVAPIPE, "COUNT" or "FIRST,COUNT".
func seeds(t *testing.T, usual int) (first, count int) {
	t.Helper()
	s := os.Getenv("NIRC_LAVAPIPE")
	if s == "" {
		return 0, usual
	}
	from, n, ranged := strings.Cut(s, ",")
	if !ranged {
		from, n = "0", s
	}
	first, err := strconv.Atoi(from)
	if err == nil {
		count, err = strconv.Atoi(n)
	}
	if err != nil {
		t.Fatalf("NIRC_LAVAPIPE: %v", err)
	}
	return first, count
}

// compareDraw compares the draw of a seed: the interpreter's with the driver's,
// and each target's with the interpreter's.
func compareDraw(t *testing.T, v *vulkan, glslang string, seed uint64, drawn map[string]int) {
	t.Helper()
	c := newDrawCase(seed)
	modules := c.modules(t, glslang)
	var ir drawing
	theirs, err := v.draw(&c.d)
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	for _, target := range targets() {
		if target == "midgard" && slices.Contains(c.features, "derivatives") {
			drawn["midgard left out: it has no fine derivatives"]++
			continue
		}
		ours, err := c.ours(t, target, modules)
		var refused nirc.Diagnostics
		switch {
		case errors.As(err, &refused):
			drawn[target+" refused"]++
			continue
		case err != nil:
			t.Errorf("seed %d on %s: %v", seed, target, err)
			continue
		}
		drawn[target]++
		if target == nirc.IRTarget {
			ir = ours
			c.judge(t, seed, "the interpreter and lavapipe", &ours, &theirs, c.mayDiffer())
		} else if ir.color != nil {
			c.judge(t, seed, target+" and the interpreter", &ours, &ir, c.mayDifferOn(target))
		}
	}
	for _, f := range c.features {
		drawn[f]++
	}
}

// mayDiffer is how many pixels of two implementations may differ unexplained.
// Where corners are inexact these are triangles thinner than a pixel; of several
// samples those on an edge are one triangle's or the other's, as the implementation likes.
func (c *drawCase) mayDiffer() int {
	switch {
	case c.d.samples > 1:
		return drawSize
	case c.inexact:
		return drawSize / 4
	case slices.Contains(c.features, "derivatives"):
		return drawSize / 32 // no neighbour has the slope of a triangle of one pixel
	}
	return 0
}

// mayDifferOn is how many pixels of a target may differ from the interpreter's unexplained. Midgard drops fragments that
// clip distances cut off, whole: of a pixel of several samples, some of which are inside, all or none stay. Of one sample
// those stay whose distance is 0, which are on the edge of what clipping leaves: Vulkan leaves open whose that is, and of a
// triangle that is thin there it is a pixel by itself (seed 151137 has one).
//
// With perspective and several samples, values at a centre that its triangle does not cover are extrapolated; where w comes near
// zero there, the last digits of w are all that they hang on (seed 71082 has one, which is the same at a centroid).
func (c *drawCase) mayDifferOn(target string) int {
	switch {
	case target != "midgard" && c.d.samples > 1 && slices.Contains(c.features, "perspective"):
		return drawSize / 32
	case target != "midgard" || !slices.Contains(c.features, "clip distance"):
		return 0
	case c.d.samples > 1:
		return drawSize / 4
	}
	return drawSize / 32
}

// judge compares two drawings of which so many pixels may differ.
func (c *drawCase) judge(t *testing.T, seed uint64, who string, a, b *drawing, most int) {
	t.Helper()
	c.judgeImage(t, seed, who+": colour", &comparison{x: imageTexels(c.d.color, a.color), y: imageTexels(c.d.color, b.color), tolerance: 3.0 / 255, mixed: c.d.samples > 1}, most)
	if a.depth != nil && b.depth != nil {
		c.judgeImage(t, seed, who+": depth", &comparison{x: imageTexels(depthFormat, a.depth), y: imageTexels(depthFormat, b.depth), tolerance: 1.0 / (1 << 16)}, most)
	}
	if a.stencil != nil && b.stencil != nil {
		c.judgeImage(t, seed, who+": stencil", &comparison{x: byteTexels(a.stencil), y: byteTexels(b.stencil)}, most)
	}
	c.judgeCapture(t, seed, who, a.captured, b.captured)
}

func (c *drawCase) judgeImage(t *testing.T, seed uint64, what string, m *comparison, most int) {
	t.Helper()
	differ, wrong, first := m.run()
	if wrong <= most && differ <= drawSize*drawSize/32 {
		return
	}
	t.Errorf("seed %d, %s: %d pixels differ, %d unexplained: %s (%s)", seed, what, differ, wrong, first, strings.Join(c.features, ", "))
	if os.Getenv("NIRC_VERBOSE") != "" {
		for st, text := range c.stages {
			t.Logf("%s:\n%s", st, text)
		}
	}
}

// targets lists the interpreter's target and those of machine code.
func targets() []string {
	list := []string{nirc.IRTarget}
	for _, t := range nirc.Targets() {
		list = append(list, t.Name)
	}
	return list
}
