package passes

import "nirc/ir"

var lowerGSIntrinsicsPass = &Pass{
	Name: "lower_gs_intrinsics", Class: "C", Run: lowerGSIntrinsics, Idempotent: true,
	Instead: "hardware: ir3 and AGX make programs of threads a vertex, or of compute, of geometry shaders, and count for those themselves; it stays for targets whose hardware takes counts",
	Doc: "Counts what a geometry shader of one stream emits: emit_vertex and end_primitive become their forms with the counters of vertices and of vertices in the strip, what is beyond " +
		"max_vertices is not emitted, and set_vertex_and_primitive_count says at the end how much there is. Input: a geometry shader of one function. Output: counters are variables; lower_vars_to_ssa comes after it.",
}

// gsCounters are the counters of a geometry shader: vertices, those of the strip under way, strips.
type gsCounters struct {
	s                         *ir.Shader
	vertices, inStrip, strips *ir.Variable
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
	for _, in := range list {
		if in.Get(ir.IdxStreamId) != 0 {
			return false, refusal(s, in, "counting the vertices of several streams")
		}
	}
	u32 := ir.ScalarType(ir.BaseUint, 32)
	c := gsCounters{s, e.Impl.NewLocal(u32, "vertices"), e.Impl.NewLocal(u32, "strip"), e.Impl.NewLocal(u32, "strips")}
	b := ir.NewBuilder(ir.AtStart(e.Impl.Start()))
	s.SetLoc(0)
	for _, v := range []*ir.Variable{c.vertices, c.inStrip, c.strips} {
		b.StoreDeref(b.DerefVar(v), b.Imm32(0), 1, 0)
	}
	for _, in := range list {
		if in.Intr == ir.IntrEmitVertex {
			c.emit(in)
		} else {
			c.end(builderBefore(in))
			in.Remove()
		}
	}
	b = ir.NewBuilder(ir.BeforeJump(e.Impl.Body.LastBlock()))
	c.end(b) // the strip under way ends with the shader
	b.Intrinsic(ir.IntrSetVertexAndPrimitiveCount, 0, 0, c.load(b, c.vertices), c.load(b, c.strips), b.Imm32(0))
	e.Impl.Preserve(ir.MetaNone)
	return true, nil
}

func (c *gsCounters) load(b *ir.Builder, v *ir.Variable) *ir.Def {
	return b.LoadDeref(b.DerefVar(v), 0)
}

func (c *gsCounters) add(b *ir.Builder, v *ir.Variable) {
	b.StoreDeref(b.DerefVar(v), b.IAddImm(c.load(b, v), 1), 1, 0)
}

// emit counts a vertex, if there is room for it.
func (c *gsCounters) emit(in *ir.Instr) {
	b := builderBefore(in)
	i := b.PushIf(b.Ult(c.load(b, c.vertices), b.Imm32(c.s.Info.Geom.MaxVertices)))
	b.Intrinsic(ir.IntrEmitVertexWithCounter, 0, 0, c.load(b, c.vertices), c.load(b, c.inStrip), c.load(b, c.strips), b.Imm32(0))
	c.add(b, c.vertices)
	c.add(b, c.inStrip)
	b.PopIf(i)
	in.Remove()
}

// end ends a strip that has vertices.
func (c *gsCounters) end(b *ir.Builder) {
	some := b.Ine(c.load(b, c.inStrip), b.Imm32(0))
	b.Intrinsic(ir.IntrEndPrimitiveWithCounter, 0, 0, c.load(b, c.vertices), c.load(b, c.inStrip), c.load(b, c.strips), b.Imm32(0))
	b.StoreDeref(b.DerefVar(c.strips), b.Iadd(c.load(b, c.strips), b.B2i32(some)), 1, 0)
	b.StoreDeref(b.DerefVar(c.inStrip), b.Imm32(0), 1, 0)
}
