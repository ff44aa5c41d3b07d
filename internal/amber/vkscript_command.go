package amber

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"nirc/internal/emu"
)

// testSection parses [test].
func (v *vkParser) testSection(s *vkSection) bool {
	if s.name != "test" {
		return false
	}
	v.lines(func(t token) {
		at := line(t.line)
		switch t.text {
		case "ssbo", "ubo":
			v.storage(t)
		case "uniform", "push":
			v.uniform(t)
		case "draw":
			v.draw(at)
		case "probe":
			v.probe(at, false)
		case "relative":
			v.expect("probe")
			v.probe(at, true)
		case "clear":
			v.clear(at)
		case "tolerance":
			v.tolerances = v.parser.tolerances(4)
		case "patch":
			v.patch(t.line)
		case "compute":
			if !v.entryPoint("compute") {
				v.dispatch(at)
			}
		default:
			if !v.stageEntry(t) && !v.state(t) {
				v.fail(t.line, "unknown command %v", t)
			}
		}
	})
	return true
}

func (v *vkParser) add(c Command) { v.s.Commands = append(v.s.Commands, c) }

// binding takes a binding: binding, or set:binding.
func (v *vkParser) binding() (set, binding uint32) {
	binding = v.uint32("a binding")
	if t := v.peek(); t.kind == tokWord && strings.HasPrefix(t.text, ":") {
		v.next()
		n, err := strconv.ParseUint(t.text[1:], 10, 32)
		if err != nil {
			v.unexpected(t, "a binding")
		}
		set, binding = binding, uint32(n)
	}
	return set, binding
}

// desc returns the buffer at a binding, which is made on its first use.
func (v *vkParser) desc(line int, kind BindingKind, set, binding uint32) *vkDesc {
	for _, d := range v.descs {
		if d.set == set && d.binding == binding {
			if d.kind != kind {
				v.fail(line, "binding %d:%d is both a uniform and a storage buffer", set, binding)
			}
			return d
		}
	}
	d := &vkDesc{kind: kind, set: set, binding: binding, buf: v.byteBuffer(line, fmt.Sprintf("%d:%d", set, binding))}
	v.descs = append(v.descs, d)
	return d
}

func (v *vkParser) byteBuffer(line int, name string) *Buffer {
	b := v.addBuffer(line, name)
	b.Format = v.formatOf(token{kind: tokWord, text: "uint8", line: line}, false)
	return b
}

// grow makes a buffer at least size bytes large.
func (v *vkParser) grow(d *vkDesc, size uint64, line int) {
	if size > uint64(d.size) {
		v.declared += int64(min(size, MaxDeclaredBytes+1)) - int64(d.size)
		if v.declared > MaxDeclaredBytes {
			v.fail(line, "the buffers need more than %d bytes", MaxDeclaredBytes)
			return
		}
		d.size = int(size)
	}
}

// vkLayout is how a kind of storage lays values out.
type vkLayout struct{ std140, rowMajor bool }

// layout parses the layout of a kind of storage: std140 or std430, row_major or
// column_major, or one of each. What is not named stays.
func (v *vkParser) layout(kind string) bool {
	if !v.accept("layout") {
		return false
	}
	l := v.layouts[kind]
	for first := true; first || !v.atEnd() && v.err == nil; first = false {
		switch v.choose("std140, std430, row_major or column_major", []string{"std140", "std430", "row_major", "column_major"}) {
		case 0:
			l.std140 = true
		case 1:
			l.std140 = false
		case 2:
			l.rowMajor = true
		case 3:
			l.rowMajor = false
		}
	}
	v.layouts[kind] = l
	return true
}

// storage parses ssbo and ubo.
func (v *vkParser) storage(t token) {
	if v.layout(t.text) {
		return
	}
	kind := BindStorage
	if t.text == "ubo" {
		kind = BindUniform
	}
	set, binding := v.binding()
	if v.err != nil {
		return
	}
	d := v.desc(t.line, kind, set, binding)
	if v.accept("subdata") {
		v.write(d, t.line, v.layoutOfType(v.layouts[t.text], true))
		return
	}
	if kind == BindUniform {
		v.unexpected(v.peek(), "subdata")
		return
	}
	v.grow(d, v.uint("a size", MaxDeclaredBytes), t.line)
}

// uniform parses uniform and push: the push constants, or a uniform buffer.
func (v *vkParser) uniform(t token) {
	if t.text == "push" && v.layout("push") {
		return
	}
	if t.text == "uniform" && v.accept("ubo") {
		set, binding := v.binding()
		if v.err == nil {
			v.write(v.desc(t.line, BindUniform, set, binding), t.line, v.layoutOfType(v.layouts["ubo"], false))
		}
		return
	}
	if v.push == nil {
		v.push = &vkDesc{buf: v.byteBuffer(t.line, "push constants")}
	}
	v.write(v.push, t.line, v.layoutOfType(v.layouts["push"], true))
}

// write parses an offset and values of that layout.
func (v *vkParser) write(d *vkDesc, at int, f *Format) {
	if f == nil {
		return
	}
	w := &Write{line: line(at), Buffer: d.buf, Format: f, Offset: int(v.uint("an offset", MaxDeclaredBytes))}
	w.Values = v.numbers(f)
	if v.err == nil {
		v.grow(d, uint64(w.Offset)+f.span(len(w.Values)), at)
		v.add(w)
	}
}

// numbers takes the values that are left of a command: whole elements.
func (v *vkParser) numbers(f *Format) []Number {
	var list []Number
	first := v.peek().line
	for i := 0; !v.atEnd(); i++ {
		list = append(list, v.number(f.Leaves[i%len(f.Leaves)].Scalar, "a value"))
	}
	if len(list) == 0 || len(list)%len(f.Leaves) != 0 {
		v.fail(first, "%d values do not make elements of %d", len(list), len(f.Leaves))
	}
	return list
}

// draw parses draw rect and draw arrays.
func (v *vkParser) draw(at line) {
	r := &Run{line: at, Instances: 1, Pipeline: v.drawing(at.Pos())}
	if v.err != nil {
		return
	}
	switch t := v.next(); {
	case t.isWord("rect"):
		v.drawRect(r)
	case t.isWord("arrays"):
		v.drawArrays(r)
	default:
		v.unexpected(t, "rect or arrays")
	}
	v.add(r)
}

func (v *vkParser) drawRect(r *Run) {
	r.Kind, r.NDC, r.Topology = RunRect, true, emu.TriangleStrip
	for {
		switch {
		case v.accept("ortho"):
			r.NDC = false
			continue
		case v.accept("patch"):
			if r.Topology = emu.PatchList; v.graphics.PatchControlPoints != 4 {
				v.graphics.PatchControlPoints = 4
				r.Pipeline = v.snapshot()
				v.drawn = r.Pipeline
			}
			continue
		}
		break
	}
	if len(v.graphics.Vertex) > 1 {
		v.fail(r.Pos(), "draw rect brings its own vertices, the script has vertex data for %d locations", len(v.graphics.Vertex))
	}
	r.X, r.Y, r.W, r.H = v.float32(), v.float32(), v.float32(), v.float32()
}

func (v *vkParser) drawArrays(r *Run) {
	r.Kind = RunArray
	instanced := false
	for {
		switch {
		case v.accept("indexed"):
			if r.Indexed = true; v.graphics.Index == nil {
				v.fail(r.Pos(), "an indexed draw needs the section [indices]")
			}
			continue
		case v.accept("instanced"):
			instanced = true
			continue
		}
		break
	}
	r.Topology = v.topology()
	r.Start, r.Count = uint32(v.uint("a first vertex", math.MaxInt32)), uint32(v.positive("vertex count", math.MaxInt32))
	if instanced || !v.atEnd() {
		r.Instances = uint32(v.positive("instance count", math.MaxInt32))
	}
	have, what := uint64(v.vertices), "vertices"
	start := uint64(r.Start)
	if r.Indexed && v.graphics.Index != nil {
		have, what, start = uint64(v.graphics.Index.Elements), "indices", 0
	}
	if (r.Indexed || len(v.graphics.Vertex) > 0) && start+uint64(r.Count) > have {
		v.fail(r.Pos(), "the draw needs %d %s, the script has %d", start+uint64(r.Count), what, have)
	}
}

// dispatch parses the workgroup counts of compute.
func (v *vkParser) dispatch(at line) {
	if v.compute == nil {
		v.fail(at.Pos(), "there is no compute shader")
		return
	}
	r := &Run{line: at, Kind: RunCompute, Pipeline: v.compute}
	for i := range r.Groups {
		r.Groups[i] = v.uint32("a number of workgroups")
	}
	v.add(r)
}

// stageEntry parses STAGE entrypoint NAME of a graphics stage; false: t starts
// something else.
func (v *vkParser) stageEntry(t token) bool {
	name := t.text
	if name == "tessellation" {
		name += " " + v.word("control or evaluation")
	}
	if vkStage(name) == StageMulti {
		return false
	}
	if !v.entryPoint(name) {
		v.unexpected(v.peek(), "entrypoint")
	}
	return true
}

// entryPoint parses entrypoint NAME after the stage's name.
func (v *vkParser) entryPoint(stage string) bool {
	at := v.peek().line
	if !v.accept("entrypoint") {
		return false
	}
	name := v.word("an entry point")
	pl := v.graphics
	if stage == "compute" {
		pl = v.compute
	}
	for i := 0; pl != nil && i < len(pl.Shaders); i++ {
		a := *pl.Shaders[i]
		if a.Shader.Name != stage {
			continue
		}
		if a.Entry == name {
			return true
		}
		a.Entry, a.Line = name, at
		if stage == "compute" {
			c := *pl
			c.Name = "compute " + name
			v.compute, pl = &c, &c
			v.s.Pipelines = append(v.s.Pipelines, pl)
		}
		pl.Shaders = slices.Clone(pl.Shaders)
		pl.Shaders[i] = &a
		v.changed = v.changed || pl == v.graphics
		return true
	}
	v.fail(at, "there is no %s shader", stage)
	return true
}

func (v *vkParser) patch(line int) {
	v.expect("parameter")
	v.expect("vertices")
	n := v.positive("patch control point count", 32)
	if v.graphics == nil {
		v.fail(line, "there is no graphics shader")
		return
	}
	v.graphics.PatchControlPoints, v.changed = uint32(n), true
}

// clear parses clear and the commands that set clear values.
func (v *vkParser) clear(at line) {
	pl := v.target(at.Pos())
	switch {
	case v.atEnd():
		v.add(&Clear{line: at, Pipeline: pl})
	case v.accept("color"):
		c := &ClearColor{line: at, Pipeline: pl}
		for i := range c.RGBA {
			c.RGBA[i] = v.float32()
		}
		v.add(c)
	case v.accept("depth"):
		v.add(&ClearDepth{line: at, Pipeline: pl, Value: v.float32()})
	case v.accept("stencil"):
		v.add(&ClearStencil{line: at, Pipeline: pl, Value: uint8(v.uint("a stencil value", 255))})
	default:
		v.unexpected(v.peek(), "color, depth or stencil")
	}
}

// probe parses the probes of the framebuffer and of storage buffers.
func (v *vkParser) probe(at line, relative bool) {
	if !relative && v.accept("ssbo") {
		v.probeStorage(at)
		return
	}
	v.target(at.Pos())
	if v.err != nil {
		return
	}
	e := &ExpectTexels{line: at, Buffer: v.color, W: v.width, H: v.height, Unit: 1, Tolerances: v.tolerances}
	all, rect := v.accept("all"), false
	if !all {
		rect = v.accept("rect")
	}
	e.Alpha = v.choose("rgb or rgba", []string{"rgb", "rgba"}) == 1
	if !all {
		n := 2
		if rect {
			n = 4
		}
		v.region(e, v.tuple(n), relative)
	}
	n := 3
	if e.Alpha {
		n = 4
	}
	copy(e.RGBA[:], v.tuple(n))
	if n < len(e.Tolerances) {
		e.Tolerances = e.Tolerances[:n]
	}
	v.add(e)
}

// tuple takes n numbers, with or without parentheses and commas.
func (v *vkParser) tuple(n int) []float64 {
	list := make([]float64, n)
	open := v.accept("(")
	for i := range list {
		if i > 0 {
			v.accept(",")
		}
		list[i] = v.float("a number")
	}
	if open {
		v.expect(")")
	}
	return list
}

// region sets the pixels to probe; parts of pixels do not count.
func (v *vkParser) region(e *ExpectTexels, at []float64, relative bool) {
	if len(at) == 2 {
		at = append(at, 1, 1)
		if relative {
			at[2], at[3] = 1/float64(v.width), 1/float64(v.height)
		}
	}
	for i, dst := range [...]*int{&e.X, &e.Y, &e.W, &e.H} {
		x := at[i]
		if relative {
			// The slack is for fractions that floats do not have.
			x = x*float64([2]int{v.width, v.height}[i&1]) + 1e-6
		}
		if !(x >= 0 && x <= maxSide) || i >= 2 && x < 1 {
			v.fail(e.Pos(), "probe of region %v outside the framebuffer of %dx%d", at, v.width, v.height)
			return
		}
		*dst = int(x)
	}
}

var vkComparators = []string{"==", "!=", "<", "<=", ">", ">=", "~="}

func (v *vkParser) probeStorage(at line) {
	f := v.layoutOfType(v.layouts["ssbo"], true)
	if f == nil {
		return
	}
	set, binding := v.binding()
	e := &ExpectValues{line: at, Format: f}
	for _, d := range v.descs {
		if d.set == set && d.binding == binding {
			e.Buffer = d.buf
		}
	}
	e.Offset = v.uint("an offset", math.MaxInt32)
	cmp := v.choose("a comparison", vkComparators)
	e.Cmp = Comparator(cmp)
	if vkComparators[cmp] == "~=" {
		e.Cmp, e.Tolerances = CmpEQ, v.tolerances
	}
	e.Values = v.numbers(f)
	if e.Buffer == nil && v.err == nil {
		v.fail(at.Pos(), "there is no buffer at %d:%d", set, binding)
		return
	}
	v.add(e)
}
