package passes

import (
	"slices"
	"strconv"

	"nirc/ir"
)

var lowerGSIntrinsicsPass = &Pass{
	Name: "lower_gs_intrinsics", Class: "C", Run: lowerGSIntrinsics, Idempotent: true,
	Instead: "hardware: ir3 and AGX make programs of threads a vertex, or of compute, of geometry shaders, and count for those themselves; it stays for targets whose hardware takes counts",
	Doc: "Counts what a geometry shader emits, by stream: emit_vertex and end_primitive become their forms with the stream's counters of vertices, of vertices in the strip and of strips, what is beyond " +
		"max_vertices, which counts all streams, is not emitted, and set_vertex_and_primitive_count says at the end how much there is of each stream. Input: a geometry shader of one function. " +
		"Output: counters are variables; lower_vars_to_ssa comes after it.",
}

// gsStream are the counters of a stream of a geometry shader: vertices, those of the strip under way, strips.
type gsStream struct {
	number                    uint64
	vertices, inStrip, strips *ir.Variable
}

// gsCounters are those of all streams that something is emitted to.
type gsCounters struct {
	s       *ir.Shader
	streams []*gsStream
}

func lowerGSIntrinsics(_ *Context, s *ir.Shader) (bool, error) {
	e := s.Entry()
	if s.Stage != ir.StageGeometry || e == nil || e.Impl == nil {
		return false, nil
	}
	list := collect(e.Impl, func(in *ir.Instr) bool { return in.Intr == ir.IntrEmitVertex || in.Intr == ir.IntrEndPrimitive })
	if len(list) == 0 {
		return false, nil
	}
	c := gsCounters{s: s}
	b := ir.NewBuilder(ir.AtStart(e.Impl.Start()))
	s.SetLoc(0)
	for n := range uint64(ir.NumXfbBuffers) {
		if slices.ContainsFunc(list, func(in *ir.Instr) bool { return in.Get(ir.IdxStreamId) == n }) {
			c.streams = append(c.streams, newGSStream(b, n))
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
		x.counted(b, ir.IntrSetVertexAndPrimitiveCount, load(b, x.vertices), load(b, x.strips), b.Imm32(0))
	}
	e.Impl.Preserve(ir.MetaNone)
	return true, nil
}

// newGSStream makes the counters of a stream, which begin at 0.
func newGSStream(b *ir.Builder, n uint64) *gsStream {
	u32, suffix := ir.ScalarType(ir.BaseUint, 32), ""
	if n > 0 {
		suffix = strconv.FormatUint(n, 10)
	}
	x := &gsStream{n, b.Impl.NewLocal(u32, "vertices"+suffix), b.Impl.NewLocal(u32, "strip"+suffix), b.Impl.NewLocal(u32, "strips"+suffix)}
	for _, v := range []*ir.Variable{x.vertices, x.inStrip, x.strips} {
		b.StoreDeref(b.DerefVar(v), b.Imm32(0), 1, 0)
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
	b.Intrinsic(op, 0, 0, srcs...).Set(ir.IdxStreamId, x.number)
}

// emit counts a vertex, if there is room for it.
func (c *gsCounters) emit(in *ir.Instr, x *gsStream) {
	b := builderBefore(in)
	total := load(b, c.streams[0].vertices)
	for _, other := range c.streams[1:] {
		total = b.Iadd(total, load(b, other.vertices))
	}
	i := b.PushIf(b.Ult(total, b.Imm32(c.s.Info.Geom.MaxVertices)))
	x.counted(b, ir.IntrEmitVertexWithCounter, load(b, x.vertices), load(b, x.inStrip), load(b, x.strips), b.Imm32(0))
	addOne(b, x.vertices)
	addOne(b, x.inStrip)
	b.PopIf(i)
	in.Remove()
}

// end ends a strip that has vertices.
func (x *gsStream) end(b *ir.Builder) {
	some := b.Ine(load(b, x.inStrip), b.Imm32(0))
	x.counted(b, ir.IntrEndPrimitiveWithCounter, load(b, x.vertices), load(b, x.inStrip), load(b, x.strips), b.Imm32(0))
	b.StoreDeref(b.DerefVar(x.strips), b.Iadd(load(b, x.strips), b.B2i32(some)), 1, 0)
	b.StoreDeref(b.DerefVar(x.inStrip), b.Imm32(0), 1, 0)
}
