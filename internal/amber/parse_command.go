package amber

import (
	"math"

	"nirc/internal/emu"
)

// Limits of commands.
const (
	maxRepeat      = 1 << 20
	maxRepeatDepth = 8
	maxCells       = 1 << 20
)

// command parses a command that is executed, or returns nil for an unknown one.
func (p *parser) command(t token) Command {
	switch t.text {
	case "RUN":
		return p.run(t.line)
	case "CLEAR":
		c := &Clear{line: line(t.line), Pipeline: p.graphics()}
		p.end()
		return c
	case "CLEAR_COLOR":
		c := &ClearColor{line: line(t.line), Pipeline: p.graphics()}
		for i := range c.RGBA {
			c.RGBA[i] = float32(p.uint("a colour", 255)) / 255
		}
		p.end()
		return c
	case "CLEAR_DEPTH":
		c := &ClearDepth{line: line(t.line), Pipeline: p.graphics(), Value: float32(p.float("a depth"))}
		p.end()
		return c
	case "CLEAR_STENCIL":
		c := &ClearStencil{line: line(t.line), Pipeline: p.graphics(), Value: uint8(p.uint("a stencil value", 255))}
		p.end()
		return c
	case "COPY":
		c := &Copy{line: line(t.line), From: lookup[Buffer](p, "buffer")}
		p.expect("TO")
		c.To = lookup[Buffer](p, "buffer")
		if p.err == nil && c.From == c.To {
			p.fail(t.line, "buffer %q is copied to itself", c.From.Name)
		}
		p.end()
		return c
	case "EXPECT":
		return p.expectation(t.line)
	case "REPEAT":
		return p.repeat(t.line)
	}
	return nil
}

// graphics takes the name of a graphics pipeline.
func (p *parser) graphics() *Pipeline {
	t := p.peek()
	pl := lookup[Pipeline](p, "pipeline")
	if pl != nil && pl.Kind != PipelineGraphics {
		p.fail(t.line, "pipeline %v is not a graphics pipeline", t)
	}
	return pl
}

func (p *parser) repeat(at int) Command {
	r := &Repeat{line: line(at), Count: uint32(p.positive("repeat count", maxRepeat))}
	p.end()
	if p.depth++; p.depth > maxRepeatDepth {
		p.fail(at, "REPEAT is nested more than %d deep", maxRepeatDepth)
	}
	for {
		t := p.next()
		switch {
		case t.kind == tokEOL:
			continue
		case t.kind == tokEOF:
			p.fail(at, "REPEAT without END")
			return r
		case t.isWord("END"):
			p.depth--
			p.end()
			return r
		}
		c := p.command(t)
		if c == nil {
			p.fail(t.line, "unknown command %v in REPEAT", t)
			return r
		}
		r.Body = append(r.Body, c)
	}
}

func (p *parser) run(at int) Command {
	r := &Run{line: line(at), Instances: 1}
	r.Timed = p.accept("TIMED_EXECUTION")
	if r.Pipeline = lookup[Pipeline](p, "pipeline"); r.Pipeline == nil {
		return r
	}
	kind := PipelineGraphics
	t := p.peek()
	switch {
	case r.Pipeline.Kind == PipelineRayTracing:
		kind = PipelineRayTracing
		p.runRays(r)
	case t.kind == tokInt || t.kind == tokHex:
		kind = PipelineCompute
		for i := range r.Groups {
			r.Groups[i] = p.uint32("a number of workgroups")
		}
	case p.accept("DRAW_RECT"):
		r.Kind = RunRect
		p.rect(r)
	case p.accept("DRAW_GRID"):
		r.Kind = RunGrid
		p.rect(r)
		p.expect("CELLS")
		r.Columns, r.Rows = uint32(p.positive("column count", maxCells)), uint32(p.positive("row count", maxCells))
		if uint64(r.Columns)*uint64(r.Rows) > maxCells {
			p.fail(at, "grid has more than %d cells", maxCells)
		}
	case p.accept("DRAW_ARRAY"):
		r.Kind = RunArray
		p.drawArray(r)
	default:
		p.unexpected(t, "workgroup counts, DRAW_RECT, DRAW_GRID or DRAW_ARRAY")
	}
	if p.err == nil && r.Pipeline.Kind != kind {
		p.fail(at, "RUN of this form needs a %s pipeline, %q is %s", pipelineKindWords[kind], r.Pipeline.Name, pipelineKindWords[r.Pipeline.Kind])
	}
	if n := len(r.Pipeline.Vertex); r.Kind == RunRect && n > 1 || r.Kind == RunGrid && n > 0 {
		p.fail(at, "DRAW_RECT and DRAW_GRID bring their own vertices, %q has vertex buffers attached", r.Pipeline.Name)
	}
	p.end()
	return r
}

// rect parses POS x y SIZE w h.
func (p *parser) rect(r *Run) {
	p.expect("POS")
	r.X, r.Y = float32(p.float("x")), float32(p.float("y"))
	p.expect("SIZE")
	r.W, r.H = float32(p.float("a width")), float32(p.float("a height"))
}

// topologyWords are the topologies in emu's order.
var topologyWords = []string{"POINT_LIST", "LINE_LIST", "LINE_STRIP", "TRIANGLE_LIST", "TRIANGLE_STRIP", "TRIANGLE_FAN",
	"LINE_LIST_WITH_ADJACENCY", "LINE_STRIP_WITH_ADJACENCY", "TRIANGLE_LIST_WITH_ADJACENCY", "TRIANGLE_STRIP_WITH_ADJACENCY", "PATCH_LIST"}

func (p *parser) drawArray(r *Run) {
	p.expect("AS")
	r.Topology = emu.Topology(p.choose("a topology", topologyWords))
	for !p.atEnd() {
		switch t := p.next(); {
		case t.isWord("INDEXED"):
			r.Indexed = true
			if r.Pipeline.Index == nil {
				p.fail(t.line, "INDEXED needs INDEX_DATA in pipeline %q", r.Pipeline.Name)
			}
		case t.isWord("START_IDX"):
			r.Start = uint32(p.uint("an index", math.MaxInt32))
		case t.isWord("COUNT"):
			r.Count = uint32(p.positive("count", math.MaxInt32))
		case t.isWord("START_INSTANCE"):
			r.FirstInst = uint32(p.uint("an instance", math.MaxInt32))
		case t.isWord("INSTANCE_COUNT"):
			r.Instances = uint32(p.positive("instance count", math.MaxInt32))
		default:
			p.unexpected(t, "INDEXED, START_IDX, COUNT, START_INSTANCE or INSTANCE_COUNT")
		}
	}
	if len(r.Pipeline.Vertex) == 0 {
		p.fail(r.Pos(), "DRAW_ARRAY needs VERTEX_DATA in pipeline %q", r.Pipeline.Name)
	}
}

var comparatorWords = []string{"EQ", "NE", "LT", "LE", "GT", "GE"}

var bufferCompareWords = []string{"EQ_BUFFER", "RMSE_BUFFER", "EQ_HISTOGRAM_EMD_BUFFER"}

func (p *parser) expectation(at int) Command {
	b := lookup[Buffer](p, "buffer")
	if b == nil {
		return &ExpectBuffers{}
	}
	for kind, w := range bufferCompareWords {
		if !p.accept(w) {
			continue
		}
		e := &ExpectBuffers{line: line(at), A: b, Kind: BufferCompare(kind), B: lookup[Buffer](p, "buffer")}
		if e.Kind != CompareEqual {
			p.expect("TOLERANCE")
			e.Tolerance = p.float("a tolerance")
		}
		p.end()
		return e
	}
	p.expect("IDX")
	x := p.uint("an index", math.MaxInt32)
	if k := p.peek().kind; k == tokInt || k == tokHex {
		return p.expectTexels(&ExpectTexels{line: line(at), Buffer: b, Unit: 1.0 / 255, X: int(x), Y: int(p.uint("y", math.MaxInt32))})
	}
	return p.expectValues(&ExpectValues{line: line(at), Buffer: b, Offset: x})
}

func (p *parser) expectTexels(e *ExpectTexels) Command {
	p.expect("SIZE")
	e.W, e.H = p.positive("width", math.MaxInt32), p.positive("height", math.MaxInt32)
	e.Alpha = p.choose("EQ_RGB or EQ_RGBA", []string{"EQ_RGB", "EQ_RGBA"}) == 1
	n := 3
	if e.Alpha {
		n = 4
	}
	for i := range n {
		e.RGBA[i] = float64(p.uint("a colour", 255)) / 255
	}
	if p.accept("TOLERANCE") {
		e.Tolerances = p.tolerances(n)
	}
	p.end()
	return e
}

// tolerances parses one to max tolerances.
func (p *parser) tolerances(max int) []Tolerance {
	var list []Tolerance
	line := p.peek().line
	for p.peek().isNumber() {
		t := Tolerance{Value: p.next().f}
		t.Percent = p.accept("%")
		if !(t.Value >= 0) {
			p.fail(line, "tolerance %g is negative", t.Value)
		}
		list = append(list, t)
	}
	if len(list) == 0 || len(list) > max {
		p.fail(line, "TOLERANCE has %d values, not 1 to %d", len(list), max)
	}
	return list
}

func (p *parser) expectValues(e *ExpectValues) Command {
	if p.accept("TOLERANCE") {
		e.Tolerances = p.tolerances(4)
	}
	t := p.peek()
	e.Cmp = Comparator(p.choose("a comparator", comparatorWords))
	if e.Tolerances != nil && e.Cmp != CmpEQ {
		p.fail(t.line, "only EQ can have a TOLERANCE")
	}
	leaves := e.Buffer.Format.Leaves
	for i := 0; !p.atEnd(); i++ {
		e.Values = append(e.Values, p.number(leaves[i%len(leaves)].Scalar, "a value"))
	}
	if len(e.Values) == 0 {
		p.fail(t.line, "EXPECT has no values")
	}
	p.end()
	return e
}
