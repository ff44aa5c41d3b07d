package amber

import (
	"math"
	"slices"

	"nirc/internal/emu"
	"nirc/ir"
)

const defaultFramebufferSide = 250

var pipelineKindWords = []string{"compute", "graphics", "ray_tracing"}

// pipelineKinds are all spellings; the last is how scripts of the conformance
// tests have it.
var pipelineKinds = []string{"compute", "graphics", "ray_tracing", "raytracing"}

func (p *parser) pipeline(line int) {
	pl := &Pipeline{Line: line, FramebufferWidth: defaultFramebufferSide, FramebufferHeight: defaultFramebufferSide}
	pl.defaults()
	pl.Kind = PipelineKind(min(p.choose("a pipeline kind", pipelineKinds), int(PipelineRayTracing)))
	pl.Name = p.declare("pipeline", pl)
	p.pipelineBody(pl)
}

// defaults sets the state that is not zero.
func (pl *Pipeline) defaults() {
	pl.PatchControlPoints, pl.MaxRecursion = 3, 1
	pl.Depth.Compare = emu.CompareAlways
	face := emu.StencilFace{Compare: emu.CompareAlways, CompareMask: 0xff, WriteMask: 0xff}
	pl.Depth.Front, pl.Depth.Back = face, face
	pl.Blend = emu.AttachmentBlend{SrcColor: ir.BlendOne, SrcAlpha: ir.BlendOne, WriteMask: emu.WriteAll}
}

func (p *parser) derivePipeline(line int) {
	pl := &Pipeline{}
	name := p.declare("pipeline", pl)
	p.expect("FROM")
	parent := lookup[Pipeline](p, "pipeline")
	if p.err != nil {
		return
	}
	if parent == pl {
		p.fail(line, "pipeline %q cannot derive from itself", name)
		return
	}
	*pl = *parent
	pl.Name, pl.Line = name, line
	pl.Shaders = make([]*Attached, len(parent.Shaders))
	for i, a := range parent.Shaders {
		c := *a
		c.Spec = slices.Clone(a.Spec)
		pl.Shaders[i] = &c
	}
	pl.Color = slices.Clone(parent.Color)
	pl.Resolve = slices.Clone(parent.Resolve)
	pl.Bindings, pl.Args = slices.Clone(parent.Bindings), slices.Clone(parent.Args)
	pl.Vertex = slices.Clone(parent.Vertex)
	pl.deriveGroups(parent)
	p.pipelineBody(pl)
}

func (p *parser) pipelineBody(pl *Pipeline) {
	p.end()
	if p.s.Pipelines = append(p.s.Pipelines, pl); len(p.s.Pipelines) > maxNames {
		p.fail(pl.Line, "script has more than %d pipelines", maxNames)
	}
	for {
		t := p.next()
		if t.kind == tokEOL {
			continue
		}
		if t.isWord("END") {
			p.end()
			return
		}
		if t.kind == tokEOF {
			p.fail(pl.Line, "PIPELINE without END")
			return
		}
		if t.kind != tokWord || !p.pipelineCommand(pl, t) {
			p.fail(t.line, "unknown pipeline command %v", t)
			return
		}
	}
}

func (p *parser) pipelineCommand(pl *Pipeline, t token) bool {
	switch t.text {
	case "ATTACH":
		p.attach(pl, t.line)
	case "SHADER_OPTIMIZATION":
		if a := p.attached(pl); a != nil {
			a.Optimize = p.words(t.line)
		}
	case "COMPILE_OPTIONS":
		if a := p.attached(pl); a != nil {
			a.Options = p.words(t.line)
		}
	case "SUBGROUP":
		p.subgroup(pl)
	case "PATCH_CONTROL_POINTS":
		pl.PatchControlPoints = uint32(p.positive("patch control point count", 1<<10))
	case "FRAMEBUFFER_SIZE":
		pl.FramebufferWidth = p.positive("width", maxSide)
		pl.FramebufferHeight = p.positive("height", maxSide)
	case "VIEWPORT":
		p.viewport(pl)
	case "BIND":
		p.bind(pl, t.line)
	case "VERTEX_DATA":
		p.vertexData(pl, t.line)
	case "INDEX_DATA":
		if pl.Index != nil {
			p.fail(t.line, "INDEX_DATA is given twice")
		}
		pl.Index = lookup[Buffer](p, "buffer")
	case "SET":
		p.kernelArgument(pl, t.line)
	case "POLYGON_MODE":
		pl.Polygon = emu.PolygonMode(p.choose("a polygon mode", []string{"fill", "line", "point"}))
	case "DEPTH":
		p.depthState(pl, t.line)
	case "STENCIL":
		p.stencilState(pl, t.line)
	case "BLEND":
		p.blendState(pl, t.line)
	default:
		return p.rayCommand(pl, t)
	}
	p.end()
	return true
}

// words parses a block of words up to END.
func (p *parser) words(line int) []string {
	var list []string
	for {
		switch t := p.next(); {
		case t.kind == tokEOF:
			p.fail(line, "block without END")
			return nil
		case t.isWord("END"):
			return list
		case t.kind != tokEOL:
			list = append(list, t.text)
		}
	}
}

// stageAllowed reports whether a pipeline of that kind can have such a shader.
func stageAllowed(k PipelineKind, s ShaderStage) bool {
	switch k {
	case PipelineCompute:
		return s == StageCompute
	case PipelineGraphics:
		return s < StageCompute
	}
	return s > StageCompute && s < StageMulti
}

func (p *parser) attach(pl *Pipeline, line int) {
	sh := lookup[ShaderDecl](p, "shader")
	if sh == nil {
		return
	}
	a := &Attached{Shader: sh, Stage: sh.Stage, Entry: "main", Line: line}
	if sh.Stage == StageMulti {
		p.expect("TYPE")
		a.Stage = ShaderStage(p.choose("a shader stage", stageWords.Get()[:StageMulti]))
		if !p.peek().isWord("ENTRY_POINT") {
			p.unexpected(p.peek(), "ENTRY_POINT")
		}
	} else if p.accept("TYPE") {
		if s := ShaderStage(p.choose("a shader stage", stageWords.Get()[:StageMulti])); s != a.Stage {
			p.fail(line, "shader %q is not a %v shader", sh.Name, s)
		}
	}
	if p.accept("ENTRY_POINT") {
		a.Entry = p.word("an entry point")
	}
	for p.accept("SPECIALIZE") {
		p.specialize(a)
	}
	if !stageAllowed(pl.Kind, a.Stage) {
		p.fail(line, "a %s pipeline cannot have a %v shader", pipelineKindWords[pl.Kind], a.Stage)
	}
	for i, b := range pl.Shaders {
		if b.Stage == a.Stage && pl.Kind != PipelineRayTracing {
			// A derived pipeline replaces what it inherited.
			if b.Line < pl.Line {
				pl.Shaders[i] = a
				return
			}
			p.fail(line, "pipeline %q has two %v shaders", pl.Name, a.Stage)
			return
		}
	}
	pl.Shaders = append(pl.Shaders, a)
}

func (p *parser) specialize(a *Attached) {
	s := Specialization{ID: p.uint32("a constant id")}
	p.expect("AS")
	t := p.next()
	ty, err := parseType(t.text, func(string) *Struct { return nil })
	if t.kind != tokWord || err != nil || ty.Struct != nil || ty.Image != nil || ty.Rows*ty.Cols != 1 || ty.Array != 0 {
		p.unexpected(t, "a type of one number")
		return
	}
	var raw [8]byte
	ty.Scalar.put(raw[:], p.number(ty.Scalar, "a value"))
	s.Bits = emu.LoadBytes(raw[:], int(ty.Scalar.Bits)/8)
	a.Spec = append(a.Spec, s)
}

// attached takes the name of a shader of the pipeline.
func (p *parser) attached(pl *Pipeline) *Attached {
	t := p.next()
	for _, a := range pl.Shaders {
		if a.Shader.Name == t.text {
			return a
		}
	}
	p.fail(t.line, "shader %v is not attached to the pipeline", t)
	return nil
}

func (p *parser) subgroup(pl *Pipeline) {
	a := p.attached(pl)
	if a == nil {
		return
	}
	for {
		switch t := p.next(); {
		case t.kind == tokEOL:
		case t.isWord("END"):
			return
		case t.isWord("FULLY_POPULATED"):
			a.FullSubgroups = p.onOff()
		case t.isWord("VARYING_SIZE"):
			a.VaryingSubgroups = p.onOff()
		case t.isWord("REQUIRED_SIZE"):
			switch {
			case p.accept("MIN"):
				a.RequiredSubgroup = SubgroupMin
			case p.accept("MAX"):
				a.RequiredSubgroup = SubgroupMax
			default:
				n := p.positive("subgroup size", 128)
				if n&(n-1) != 0 {
					p.fail(t.line, "subgroup size %d is not a power of two", n)
				}
				a.RequiredSubgroup = n
			}
		default:
			p.unexpected(t, "FULLY_POPULATED, VARYING_SIZE, REQUIRED_SIZE or END")
			return
		}
	}
}

func (p *parser) viewport(pl *Pipeline) {
	v := &emu.Viewport{MaxDepth: 1}
	v.X, v.Y = float32(p.float("x")), float32(p.float("y"))
	p.expect("SIZE")
	v.Width, v.Height = float32(p.float("a width")), float32(p.float("a height"))
	for !p.atEnd() {
		switch t := p.next(); {
		case t.isWord("MIN_DEPTH"):
			v.MinDepth = float32(p.float("a depth"))
		case t.isWord("MAX_DEPTH"):
			v.MaxDepth = float32(p.float("a depth"))
		default:
			p.unexpected(t, "MIN_DEPTH or MAX_DEPTH")
		}
	}
	pl.Viewport = v
}

func (p *parser) vertexData(pl *Pipeline, line int) {
	v := VertexData{Line: line, Stride: -1, Buffer: lookup[Buffer](p, "buffer")}
	p.expect("LOCATION")
	v.Location = uint32(p.uint("a location", 31))
	for !p.atEnd() {
		switch t := p.next(); {
		case t.isWord("RATE"):
			v.Instance = p.choose("a rate", []string{"vertex", "instance"}) == 1
		case t.isWord("FORMAT"):
			v.Format = p.imageFormat()
		case t.isWord("OFFSET"):
			v.Offset = p.uint32("an offset")
		case t.isWord("STRIDE"):
			v.Stride = int64(p.positive("stride", math.MaxInt32))
		default:
			p.unexpected(t, "RATE, FORMAT, OFFSET or STRIDE")
		}
	}
	for _, w := range pl.Vertex {
		if w.Location == v.Location {
			p.fail(line, "two vertex buffers at location %d", v.Location)
		}
	}
	pl.Vertex = append(pl.Vertex, v)
}

// kernelArgument parses SET KERNEL, which only OpenCL shaders have.
func (p *parser) kernelArgument(pl *Pipeline, line int) {
	p.expect("KERNEL")
	a := p.argumentName()
	a.Line = line
	p.expect("AS")
	f := p.dataType(false)
	if f == nil {
		return
	}
	s := f.Leaves[0].Scalar
	a.Value = make([]byte, s.Bits/8)
	s.put(a.Value, p.number(s, "a value"))
	pl.give(a)
}

// argument parses ARG_NAME name or ARG_NUMBER number of what is bound to it.
func (p *parser) argument(pl *Pipeline, bound KernelArg) {
	a := p.argumentName()
	bound.Name, bound.Number = a.Name, a.Number
	pl.give(bound)
}

func (p *parser) argumentName() (a KernelArg) {
	switch t := p.next(); {
	case t.isWord("ARG_NAME"):
		a.Name = p.word("an argument's name")
	case t.isWord("ARG_NUMBER"):
		a.Number = p.uint32("an argument's number")
	default:
		p.unexpected(t, "ARG_NAME or ARG_NUMBER")
	}
	return a
}

// give sets an argument; a derived pipeline replaces what it inherited.
func (pl *Pipeline) give(a KernelArg) {
	for i := range pl.Args {
		if pl.Args[i].Name == a.Name && pl.Args[i].Number == a.Number {
			pl.Args[i] = a
			return
		}
	}
	pl.Args = append(pl.Args, a)
}
