package passes

import (
	"slices"
	"strconv"

	"nirc/ir"
)

var lowerGSIntrinsicsPass = &Pass{
	Name: "lower_gs_intrinsics", Class: "C", Run: lowerGSIntrinsics, Idempotent: true,
	Doc: "Counts what a geometry shader emits, by stream: emit_vertex and end_primitive become their forms with the stream's counters of vertices, of vertices in the strip and of strips, what is beyond " +
		"max_vertices, which counts all streams, is not emitted, and set_vertex_and_primitive_count says at the end how much there is of each stream. Input: a geometry shader of one function. " +
		"Output: counters are variables; lower_vars_to_ssa comes after it.",
	Options: []Option{
		{"bound", "emit nothing beyond max_vertices: false where a vertex has a thread of its own, of which there are no more", true},
		{"total", "emit_vertex_with_counter counts the vertices of all streams: where they share memory or threads", false},
		{"decomposed", "the last counter is that of the points, lines or triangles that strips decompose into, which transform feedback writes", false},
	},
}

// gsStream are the counters of a stream of a geometry shader: vertices, those of the strip under way, strips, and, if
// somebody asks for them, the primitives that strips decompose into.
type gsStream struct {
	number                                uint64
	vertices, inStrip, strips, primitives *ir.Variable
}

// gsCounters are those of all streams that something is emitted to.
type gsCounters struct {
	s                        *ir.Shader
	bound, total, decomposed bool
	streams                  []*gsStream
}

func lowerGSIntrinsics(ctx *Context, s *ir.Shader) (bool, error) {
	e := s.Entry()
	if s.Stage != ir.StageGeometry || e == nil || e.Impl == nil {
		return false, nil
	}
	list := collect(e.Impl, func(in *ir.Instr) bool { return in.Intr == ir.IntrEmitVertex || in.Intr == ir.IntrEndPrimitive })
	if len(list) == 0 {
		return false, nil
	}
	c := gsCounters{s: s, bound: ctx.Bool("bound"), total: ctx.Bool("total"), decomposed: ctx.Bool("decomposed")}
	b := ir.NewBuilder(ir.AtStart(e.Impl.Start()))
	s.SetLoc(0)
	for n := range uint64(ir.NumXfbBuffers) {
		if slices.ContainsFunc(list, func(in *ir.Instr) bool { return in.Get(ir.IdxStreamId) == n }) {
			c.streams = append(c.streams, c.newStream(b, n))
		}
	}
	for _, in := range list {
		at := slices.IndexFunc(c.streams, func(x *gsStream) bool { return x.number == in.Get(ir.IdxStreamId) })
		if in.Intr == ir.IntrEmitVertex {
			c.emit(in, c.streams[at])
		} else {
			c.streams[at].end(builderBefore(in))
			in.Remove()
		}
	}
	b = ir.NewBuilder(ir.BeforeJump(e.Impl.Body.LastBlock()))
	for _, x := range c.streams {
		x.end(b) // the strip under way ends with the shader
		x.counted(b, ir.IntrSetVertexAndPrimitiveCount, load(b, x.vertices), load(b, x.strips), x.decomposed(b))
	}
	e.Impl.Preserve(ir.MetaNone)
	return true, nil
}

// newStream makes the counters of a stream, which begin at 0.
func (c *gsCounters) newStream(b *ir.Builder, n uint64) *gsStream {
	suffix := ""
	if n > 0 {
		suffix = strconv.FormatUint(n, 10)
	}
	counter := func(name string) *ir.Variable {
		v := b.Impl.NewLocal(ir.ScalarType(ir.BaseUint, 32), name+suffix)
		b.StoreDeref(b.DerefVar(v), b.Imm32(0), 1, 0)
		return v
	}
	x := &gsStream{number: n, vertices: counter("vertices"), inStrip: counter("strip"), strips: counter("strips")}
	if c.decomposed {
		x.primitives = counter("primitives")
	}
	return x
}

func load(b *ir.Builder, v *ir.Variable) *ir.Def { return b.LoadDeref(b.DerefVar(v), 0) }

// addOne counts one more.
func addOne(b *ir.Builder, v *ir.Variable) {
	b.StoreDeref(b.DerefVar(v), b.IAddImm(load(b, v), 1), 1, 0)
}

// counted makes an intrinsic of the stream.
func (x *gsStream) counted(b *ir.Builder, op ir.Intrinsic, srcs ...*ir.Def) {
	b.Effect(op, srcs...).Set(ir.IdxStreamId, x.number)
}

// decomposed is the number of primitives that the stream's strips decompose into, 0 if nobody asks.
func (x *gsStream) decomposed(b *ir.Builder) *ir.Def {
	if x.primitives == nil {
		return b.Imm32(0)
	}
	return load(b, x.primitives)
}

// emit counts a vertex, if there is room for it.
func (c *gsCounters) emit(in *ir.Instr, x *gsStream) {
	b := builderBefore(in)
	vertices := load(b, x.vertices)
	all := vertices
	for _, other := range c.streams {
		if other != x && (c.bound || c.total) {
			all = b.Iadd(all, load(b, other.vertices))
		}
	}
	if c.total {
		vertices = all
	}
	if !c.bound {
		c.count(b, x, vertices)
	} else {
		i := b.PushIf(b.Ult(all, b.Imm32(c.s.Info.Geom.MaxVertices)))
		c.count(b, x, vertices)
		b.PopIf(i)
	}
	in.Remove()
}

// count emits and counts a vertex, before which there are so many.
func (c *gsCounters) count(b *ir.Builder, x *gsStream, vertices *ir.Def) {
	inStrip := load(b, x.inStrip)
	x.counted(b, ir.IntrEmitVertexWithCounter, vertices, inStrip, load(b, x.strips), x.decomposed(b))
	if x.primitives != nil {
		whole := b.Uge(inStrip, b.Imm32(uint32(c.s.Info.Geom.OutPrimitive)))
		b.StoreDeref(b.DerefVar(x.primitives), b.Iadd(load(b, x.primitives), b.B2i32(whole)), 1, 0)
	}
	addOne(b, x.vertices)
	addOne(b, x.inStrip)
}

// end ends a strip that has vertices.
func (x *gsStream) end(b *ir.Builder) {
	some := b.Ine(load(b, x.inStrip), b.Imm32(0))
	x.counted(b, ir.IntrEndPrimitiveWithCounter, load(b, x.vertices), load(b, x.inStrip), load(b, x.strips), x.decomposed(b))
	b.StoreDeref(b.DerefVar(x.strips), b.Iadd(load(b, x.strips), b.B2i32(some)), 1, 0)
	b.StoreDeref(b.DerefVar(x.inStrip), b.Imm32(0), 1, 0)
}
