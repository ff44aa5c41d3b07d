package amber

import (
	"math"
	"slices"

	"nirc/internal/raytrace"
)

// What only ray tracing pipelines have, and acceleration structures.

func (p *parser) accelStruct(line int) {
	a := &AccelStruct{Line: line}
	if p.choose("a level", []string{"BOTTOM_LEVEL", "TOP_LEVEL"}) == 1 {
		a.Top = new(raytrace.Scene)
		a.Name = p.declare("acceleration structure", a)
	} else {
		a.Name = p.declare("bottom level acceleration structure", a)
	}
	p.end()
	p.s.Accels = append(p.s.Accels, a)
	p.block(line, func(t token) bool {
		switch {
		case t.text == "GEOMETRY" && a.Top == nil:
			a.Bottom.Geometries = append(a.Bottom.Geometries, p.geometry(t.line))
		case t.text == "BLAS_INSTANCE" && a.Top != nil:
			p.expect("USE")
			a.Top.Instances = append(a.Top.Instances, p.newInstance())
		case t.text == "BOTTOM_LEVEL_INSTANCE" && a.Top != nil:
			in := p.newInstance()
			p.instance(&in, t.line)
			a.Top.Instances = append(a.Top.Instances, in)
		default:
			return false
		}
		return true
	})
	p.end()
}

// newInstance reads the name of a bottom level structure and places it as it is.
func (p *parser) newInstance() raytrace.Instance {
	in := raytrace.Instance{Transform: raytrace.Identity, Mask: 0xff}
	if b := lookup[AccelStruct](p, "bottom level acceleration structure"); b != nil {
		in.Bottom = &b.Bottom
	}
	return in
}

func (p *parser) geometry(line int) (g raytrace.Geometry) {
	boxes := p.choose("a geometry", []string{"TRIANGLES", "AABBS"}) == 1
	var v []float32
	for {
		switch t := p.next(); {
		case t.kind == tokEOL:
		case t.isNumber():
			v = append(v, float32(t.f))
		case t.isWord("FLAGS"):
			for !p.atEnd() {
				g.Opaque = p.choose("a geometry flag", []string{"OPAQUE", "NO_DUPLICATE_ANY_HIT"}) == 0 || g.Opaque
			}
		case t.isWord("END"):
			p.primitives(&g, v, boxes, line)
			return g
		default:
			p.unexpected(t, "a coordinate, FLAGS or END")
			return g
		}
	}
}

// primitives makes a geometry's primitives of coordinates.
func (p *parser) primitives(g *raytrace.Geometry, v []float32, boxes bool, line int) {
	each := 9
	if boxes {
		each = 6
	}
	if len(v) == 0 || len(v)%each != 0 {
		p.fail(line, "geometry has %d coordinates, not a multiple of %d", len(v), each)
	}
	for ; len(v) >= each; v = v[each:] {
		at := func(k int) raytrace.Vec3 { return raytrace.Vec3(v[3*k:]) }
		if boxes {
			g.Boxes = append(g.Boxes, raytrace.Box{Min: at(0), Max: at(1)})
		} else {
			g.Triangles = append(g.Triangles, raytrace.Triangle{at(0), at(1), at(2)})
		}
	}
}

// instanceFlagWords are the flags by their bits.
var instanceFlagWords = []string{"TRIANGLE_FACING_CULL_DISABLE", "TRIANGLE_FLIP_FACING", "FORCE_OPAQUE", "FORCE_NO_OPAQUE",
	"FORCE_OPACITY_MICROMAP_2_STATE", "DISABLE_OPACITY_MICROMAPS"}

func (p *parser) instance(in *raytrace.Instance, line int) {
	for {
		switch t := p.next(); {
		case t.kind == tokEOL:
		case t.isWord("END"):
			return
		case t.isWord("USE"):
			if b := lookup[AccelStruct](p, "bottom level acceleration structure"); b != nil {
				in.Bottom = &b.Bottom
			}
		case t.isWord("INDEX"):
			in.CustomIndex = uint32(p.uint("a 24-bit number", 1<<24-1))
		case t.isWord("OFFSET"):
			in.SBTOffset = uint32(p.uint("a 24-bit number", 1<<24-1))
		case t.isWord("MASK"):
			in.Mask = uint8(p.uint("an 8-bit mask", 255))
		case t.isWord("FLAGS"):
			in.Flags = p.instanceFlags()
		case t.isWord("TRANSFORM"):
			in.Transform = p.transform(line)
			if p.err != nil {
				return
			}
		default:
			p.unexpected(t, "a property of an instance or END")
			return
		}
	}
}

// transform parses the numbers of a matrix, row by row, up to END.
func (p *parser) transform(line int) (m raytrace.Matrix) {
	n := 0
	for ; p.err == nil && !p.accept("END"); n++ {
		for p.peek().kind == tokEOL {
			p.next()
		}
		if p.peek().isWord("END") {
			n--
			continue
		}
		if x := p.float("a number of the matrix"); n < 12 {
			m[n/4][n%4] = float32(x)
		}
	}
	if p.err == nil && n != 12 {
		p.fail(line, "TRANSFORM has %d numbers, not 12", n)
	}
	return m
}

// instanceFlags parses flags on the line, or on the lines up to END. Those about opacity micromaps say nothing
// where there are none.
func (p *parser) instanceFlags() (f raytrace.InstanceFlags) {
	lines := p.atEnd()
	for {
		t := p.peek()
		switch {
		case t.kind == tokInt, t.kind == tokHex:
			f |= raytrace.InstanceFlags(t.u)
			p.next()
		case t.kind == tokWord && slices.Contains(instanceFlagWords, t.text):
			f |= 1 << slices.Index(instanceFlagWords, t.text)
			p.next()
		case lines && t.kind == tokEOL:
			p.next()
		case lines && t.isWord("END"):
			p.next()
			return f
		case !lines && (t.kind == tokEOL || t.kind == tokEOF):
			return f
		default:
			p.unexpected(p.next(), "an instance flag")
			return f
		}
	}
}

// rayCommand parses the commands of ray tracing pipelines.
func (p *parser) rayCommand(pl *Pipeline, t token) bool {
	switch t.text {
	case "SHADER_GROUP":
		p.shaderGroup(pl, t.line)
	case "SHADER_BINDING_TABLE":
		p.shaderTable(pl, t.line)
	case "FLAGS":
		if p.atEnd() {
			p.words(t.line)
			break
		}
		for !p.atEnd() {
			p.choose("a flag", []string{"LIBRARY"})
		}
	case "USE_LIBRARY":
		for !p.atEnd() {
			l := lookup[Pipeline](p, "pipeline")
			if l == pl || l != nil && l.Kind != PipelineRayTracing {
				p.fail(t.line, "pipeline %q is no library", l.Name)
			} else if l != nil {
				pl.useLibrary(l)
			}
		}
	case "MAX_RAY_RECURSION_DEPTH":
		pl.MaxRecursion = p.uint32("a depth")
	case "MAX_RAY_PAYLOAD_SIZE", "MAX_RAY_HIT_ATTRIBUTE_SIZE":
		p.uint32("a size")
	default:
		return false
	}
	if pl.Kind != PipelineRayTracing {
		p.fail(t.line, "%s needs a ray_tracing pipeline", t.text)
	}
	p.end()
	return true
}

// shaderGroup parses the shaders of a group: one of ray generation, of misses or a callable by itself, or those of a hit, one of each.
func (p *parser) shaderGroup(pl *Pipeline, line int) {
	g := &ShaderGroup{Name: p.word("a group's name")}
	if pl.group(g.Name) != nil {
		p.fail(line, "shader group %q is declared twice", g.Name)
	}
	if p.atEnd() {
		p.fail(line, "shader group is empty")
	}
	for !p.atEnd() {
		sh := lookup[ShaderDecl](p, "shader")
		if sh == nil {
			return
		}
		if !stageAllowed(PipelineRayTracing, sh.Stage) {
			p.fail(line, "shader %q cannot be in a shader group", sh.Name)
		}
		i := slices.IndexFunc(pl.Shaders, func(a *Attached) bool { return a.Shader == sh })
		if i < 0 {
			i = len(pl.Shaders)
			pl.Shaders = append(pl.Shaders, &Attached{Shader: sh, Stage: sh.Stage, Entry: "main", Line: line})
		}
		g.Shaders = append(g.Shaders, pl.Shaders[i])
	}
	for i, a := range g.Shaders {
		alone := a.Stage == StageRayGen || a.Stage == StageMiss || a.Stage == StageCallable
		if alone && len(g.Shaders) > 1 || slices.ContainsFunc(g.Shaders[:i], func(b *Attached) bool { return b.Stage == a.Stage }) {
			p.fail(line, "shader %q cannot be with the others of group %q", a.Shader.Name, g.Name)
		}
	}
	pl.Groups = append(pl.Groups, g)
}

// group is the pipeline's shader group of that name, or one of its libraries', nil if there is none.
func (pl *Pipeline) group(name string) *ShaderGroup {
	for _, g := range pl.Groups {
		if g.Name == name {
			return g
		}
	}
	for _, l := range pl.Libraries {
		for _, g := range l.Groups {
			if g.Name == name {
				return g
			}
		}
	}
	return nil
}

// useLibrary adds a library and those that it uses itself, each once.
func (pl *Pipeline) useLibrary(l *Pipeline) {
	for _, x := range append([]*Pipeline{l}, l.Libraries...) {
		if !slices.Contains(pl.Libraries, x) {
			pl.Libraries = append(pl.Libraries, x)
		}
	}
}

// deriveGroups gives a pipeline the groups and tables of another, with the pipeline's own copies of its shaders.
func (pl *Pipeline) deriveGroups(parent *Pipeline) {
	pl.Groups, pl.Tables, pl.Libraries = nil, nil, slices.Clone(parent.Libraries)
	own := map[*ShaderGroup]*ShaderGroup{}
	for _, g := range parent.Groups {
		c := &ShaderGroup{Name: g.Name}
		for _, a := range g.Shaders {
			c.Shaders = append(c.Shaders, pl.Shaders[slices.Index(parent.Shaders, a)])
		}
		own[g] = c
		pl.Groups = append(pl.Groups, c)
	}
	for _, t := range parent.Tables {
		c := &ShaderTable{Name: t.Name}
		for _, g := range t.Groups {
			if own[g] != nil {
				g = own[g]
			}
			c.Groups = append(c.Groups, g)
		}
		pl.Tables = append(pl.Tables, c)
	}
}

func (p *parser) shaderTable(pl *Pipeline, line int) {
	t := &ShaderTable{Name: p.word("a table's name")}
	if pl.table(t.Name) != nil {
		p.fail(line, "shader binding table %q is declared twice", t.Name)
	}
	for _, name := range p.words(line) {
		g := pl.group(name)
		if g == nil {
			p.fail(line, "shader group %q is not declared", name)
			return
		}
		t.Groups = append(t.Groups, g)
	}
	pl.Tables = append(pl.Tables, t)
}

// table is the pipeline's shader binding table of that name, nil if there is none.
func (pl *Pipeline) table(name string) *ShaderTable {
	for _, t := range pl.Tables {
		if t.Name == name {
			return t
		}
	}
	return nil
}

// tableStages are the stages of the shaders in the tables of a Run: of hits, all three.
var tableStages = [4][]ShaderStage{{StageRayGen}, {StageMiss}, {StageAnyHit, StageClosestHit, StageIntersection}, {StageCallable}}

// runRays parses what stands after RUN of a ray tracing pipeline.
func (p *parser) runRays(r *Run) {
	r.Kind = RunRays
	for p.err == nil && p.peek().kind == tokWord {
		k := p.choose("a table", []string{"RAYGEN", "MISS", "HIT", "CALL"})
		n := p.next()
		t := r.Pipeline.table(n.text)
		if t == nil {
			p.fail(n.line, "shader binding table %v is not declared", n)
			return
		}
		for _, g := range t.Groups {
			if !slices.Contains(tableStages[k], g.Shaders[0].Stage) {
				p.fail(n.line, "shader group %q cannot be in this table", g.Name)
			}
		}
		r.Tables[k] = t
	}
	if t := r.Tables[0]; p.err == nil && (t == nil || len(t.Groups) != 1) {
		p.fail(r.Pos(), "RUN needs a table RAYGEN of one group")
	}
	for i := range r.Groups {
		r.Groups[i] = uint32(p.uint("a number of rays", math.MaxUint32))
	}
}
