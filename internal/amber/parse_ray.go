package amber

import (
	"math"
	"slices"

	"nirc/internal/raytrace"
)

// What only ray tracing pipelines have is parsed in full, so that a script that uses it is
// skipped for that and an error in it is still found; what it says is not kept.

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
		pl.groups = append(pl.groups, p.word("a group's name"))
		if p.atEnd() {
			p.fail(t.line, "shader group is empty")
		}
		for !p.atEnd() {
			sh := lookup[ShaderDecl](p, "shader")
			if sh != nil && !stageAllowed(PipelineRayTracing, sh.Stage) {
				p.fail(t.line, "shader %q cannot be in a shader group", sh.Name)
			}
		}
	case "SHADER_BINDING_TABLE":
		pl.tables = append(pl.tables, p.word("a table's name"))
		p.words(t.line)
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
			lookup[Pipeline](p, "pipeline")
		}
	case "MAX_RAY_PAYLOAD_SIZE", "MAX_RAY_HIT_ATTRIBUTE_SIZE", "MAX_RAY_RECURSION_DEPTH":
		p.uint32("a size")
	default:
		return false
	}
	if pl.Kind != PipelineRayTracing {
		p.fail(t.line, "%s needs a ray_tracing pipeline", t.text)
	}
	if pl.RayTracing == 0 {
		pl.RayTracing = t.line
	}
	p.end()
	return true
}

// runRays parses what stands after RUN of a ray tracing pipeline.
func (p *parser) runRays(r *Run) {
	r.Kind = RunRays
	for p.err == nil && p.peek().kind == tokWord {
		p.choose("a table", []string{"RAYGEN", "MISS", "HIT", "CALL"})
		if n := p.next(); !slices.Contains(r.Pipeline.tables, n.text) {
			p.fail(n.line, "shader binding table %v is not declared", n)
		}
	}
	for i := range r.Groups {
		r.Groups[i] = uint32(p.uint("a number of rays", math.MaxUint32))
	}
}
