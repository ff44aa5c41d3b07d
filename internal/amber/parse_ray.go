package amber

import (
	"math"
	"slices"
)

// Ray tracing commands are parsed in full, so that a script that uses them is
// skipped for that and an error in it is still found; what they say is not kept.

func (p *parser) accelStruct(line int) {
	a := &AccelStruct{Line: line}
	a.Top = p.choose("a level", []string{"BOTTOM_LEVEL", "TOP_LEVEL"}) == 1
	if a.Top {
		a.Name = p.declare("acceleration structure", a)
	} else {
		a.Name = p.declare("bottom level acceleration structure", a)
	}
	p.end()
	p.s.Accels = append(p.s.Accels, a)
	p.block(line, func(t token) bool {
		switch {
		case t.text == "GEOMETRY" && !a.Top:
			p.geometry(t.line)
		case t.text == "BLAS_INSTANCE" && a.Top:
			p.expect("USE")
			lookup[AccelStruct](p, "bottom level acceleration structure")
		case t.text == "BOTTOM_LEVEL_INSTANCE" && a.Top:
			lookup[AccelStruct](p, "bottom level acceleration structure")
			p.instance(t.line)
		default:
			return false
		}
		return true
	})
	p.end()
}

func (p *parser) geometry(line int) {
	each := []int{9, 6}[p.choose("a geometry", []string{"TRIANGLES", "AABBS"})]
	n := 0
	for {
		switch t := p.next(); {
		case t.kind == tokEOL:
		case t.isNumber():
			n++
		case t.isWord("FLAGS"):
			for !p.atEnd() {
				p.choose("a geometry flag", []string{"OPAQUE", "NO_DUPLICATE_ANY_HIT"})
			}
		case t.isWord("END"):
			if n == 0 || n%each != 0 {
				p.fail(line, "geometry has %d coordinates, not a multiple of %d", n, each)
			}
			return
		default:
			p.unexpected(t, "a coordinate, FLAGS or END")
			return
		}
	}
}

var instanceFlagWords = []string{"TRIANGLE_FACING_CULL_DISABLE", "TRIANGLE_FLIP_FACING", "FORCE_OPAQUE", "FORCE_NO_OPAQUE",
	"FORCE_OPACITY_MICROMAP_2_STATE", "DISABLE_OPACITY_MICROMAPS"}

func (p *parser) instance(line int) {
	for {
		switch t := p.next(); {
		case t.kind == tokEOL:
		case t.isWord("END"):
			return
		case t.isWord("USE"):
			lookup[AccelStruct](p, "bottom level acceleration structure")
		case t.isWord("INDEX"), t.isWord("OFFSET"):
			p.uint("a 24-bit number", 1<<24-1)
		case t.isWord("MASK"):
			p.uint("an 8-bit mask", 255)
		case t.isWord("FLAGS"):
			p.instanceFlags()
		case t.isWord("TRANSFORM"):
			n := 0
			for ; !p.accept("END"); n++ {
				for p.peek().kind == tokEOL {
					p.next()
				}
				if p.peek().isWord("END") {
					n--
					continue
				}
				p.float("a number of the matrix")
				if p.err != nil {
					return
				}
			}
			if n != 12 {
				p.fail(line, "TRANSFORM has %d numbers, not 12", n)
			}
		default:
			p.unexpected(t, "a property of an instance or END")
			return
		}
	}
}

// instanceFlags parses flags on the line, or on the lines up to END.
func (p *parser) instanceFlags() {
	lines := p.atEnd()
	for {
		t := p.peek()
		switch {
		case t.kind == tokInt, t.kind == tokHex, t.kind == tokWord && slices.Contains(instanceFlagWords, t.text):
			p.next()
		case lines && t.kind == tokEOL:
			p.next()
		case lines && t.isWord("END"):
			p.next()
			return
		case !lines && (t.kind == tokEOL || t.kind == tokEOF):
			return
		default:
			p.unexpected(p.next(), "an instance flag")
			return
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
