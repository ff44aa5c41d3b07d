package ir3

import (
	"nirc/backend"
	"nirc/backend/ir3/abi"
	"nirc/ir"
	"nirc/passes"
)

// A geometry shader runs as one thread for each vertex that it may emit: every
// thread runs all of it and keeps the outputs of the vertex whose number is its own
// (ir3.md §6.5).

// emits is the state of that lowering.
type emits struct {
	s    *ir.Shader
	impl *ir.Impl
	b    *ir.Builder
	// cur and kept hold the components of outputs: those stored last, and those
	// of the thread's vertex.
	cur, kept [4 * ir.NumVaryingSlots]*ir.Variable
	// class is what they are stored as: halves that are floats leave as floats of 32 bits (isel_outputs.go).
	class     [4 * ir.NumVaryingSlots]ir.TypeClass
	used      []int
	keptFlags *ir.Variable
	vertices  *ir.Def // that the shader emits to all streams
	err       error
}

// lowerEmits rewrites the outputs and emits of a geometry shader.
func lowerEmits(s *ir.Shader, impl *ir.Impl, lists passes.Lists) error {
	if impl.Body.LastBlock().Jump() != nil {
		return backend.Refuse(TargetName, s, impl.Body.LastBlock().Jump(), "a geometry shader that ends in a jump is not supported")
	}
	e := &emits{s: s, impl: impl, b: ir.NewBuilder(ir.AtStart(impl.Start()))}
	u32 := ir.ScalarType(ir.BaseUint, 32)
	e.keptFlags = impl.NewLocal(u32, "kept_flags")
	found := backend.Intrinsics(impl)
	for _, in := range found {
		e.scan(in)
	}
	e.b.At(ir.AtStart(impl.Start()))
	e.vertices = e.b.Imm32(0)
	e.b.StoreVar(e.keptFlags, e.vertices, 1)
	for _, in := range found {
		e.b.AtInstr(in)
		e.intrinsic(in)
	}
	if e.err != nil {
		return e.err
	}
	e.finish()
	impl.Preserve(ir.MetaNone)
	return lists.Run(s, "ir3_emits")
}

// scan makes the variables of the output components that in accesses. All stores of a slot are of one size (widenMixedOutputs).
func (e *emits) scan(in *ir.Instr) {
	var d *ir.Def
	n := 0
	switch in.Intr {
	case ir.IntrStoreOutput:
		d = in.Srcs[0].Def
		n = int(d.NumComponents)
	default:
		return
	}
	at, ok := e.component(in)
	if !ok {
		return
	}
	for k := at; k < at+n && k < len(e.cur); k++ {
		if e.cur[k] == nil {
			e.class[k] = ir.UnpackALUType(in.Get(ir.IdxSrcType)).Class
			t := ir.ScalarType(ir.BaseUint, d.BitSize)
			e.cur[k], e.kept[k] = e.impl.NewLocal(t, "out"), e.impl.NewLocal(t, "kept")
			e.used = append(e.used, k)
		}
	}
}

func (e *emits) fail(in *ir.Instr, format string, args ...any) {
	if e.err == nil {
		e.err = backend.Refuse(TargetName, e.s, in, format, args...)
	}
}

// component is the first output component that in accesses.
func (e *emits) component(in *ir.Instr) (int, bool) {
	off, ok := in.Srcs[len(in.Srcs)-1].Def.Const(0)
	at := 4*(int(ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics)).Location)+int(off)) + int(in.Get(ir.IdxComponent))
	if !ok || at >= len(e.cur) {
		e.fail(in, "%s with an indirect slot is not supported: it must be lowered", in.Intr)
		return 0, false
	}
	return at, true
}

func (e *emits) intrinsic(in *ir.Instr) {
	b := e.b
	switch in.Intr {
	case ir.IntrStoreOutput:
		at, ok := e.component(in)
		for c := range int(in.Srcs[0].Def.NumComponents) {
			if ok && in.Get(ir.IdxWriteMask)>>c&1 != 0 {
				b.StoreVar(e.cur[at+c], b.Channel(in.Srcs[0].Def, c), 1)
			}
		}
		in.Remove()
	case ir.IntrEmitVertexWithCounter:
		e.emit(in)
		in.Remove()
	case ir.IntrEndPrimitiveWithCounter:
		in.Remove()
	case ir.IntrSetVertexAndPrimitiveCount:
		e.vertices = b.Iadd(e.vertices, in.Srcs[0].Def)
		in.Remove()
	default:
		e.guard(in)
	}
}

// thread is the number of the thread among those of its invocation.
func (e *emits) thread() *ir.Def {
	h := &e.b.Intrinsic(ir.IntrLoadGsHeaderIr3, 1, 32).Def
	return e.b.Iand(e.b.Ushr(h, e.b.Imm32(abi.HeaderThreadShift)), e.b.Imm32(abi.HeaderThreadMask))
}

// emit keeps the outputs if the vertex is the thread's. The first of a strip says so, of its stream's.
func (e *emits) emit(in *ir.Instr) {
	b := e.b
	mine := b.Ieq(in.Srcs[0].Def, e.thread())
	for _, k := range e.used {
		b.StoreVar(e.kept[k], b.Bcsel(mine, b.LoadVar(e.cur[k]), b.LoadVar(e.kept[k])), 1)
	}
	inStrip := in.Srcs[1].Def
	if faults.has(faultStreams) {
		inStrip = in.Srcs[0].Def
	}
	first := b.Bcsel(b.Ieq(inStrip, b.Imm32(0)), b.Imm32(abi.FlagCut), b.Imm32(0))
	flags := b.Ior(first, b.Imm32(uint32(in.Get(ir.IdxStreamId))&abi.FlagStream))
	b.StoreVar(e.keptFlags, b.Bcsel(mine, flags, b.LoadVar(e.keptFlags)), 1)
}

// guard lets one thread alone do what is seen from outside.
func (e *emits) guard(in *ir.Instr) {
	if e.s.Info.Geom.MaxVertices <= 1 {
		return
	}
	m := in.Memory()
	if !m.Writes() || !m.Space.Device() {
		return
	}
	if m.Atomic() && !in.Def.Unused() {
		e.fail(in, "%s whose result is used is not supported in a geometry shader of several vertices: each runs in a thread of its own", in.Intr)
		return
	}
	i := e.b.PushIf(e.b.Ieq(e.thread(), e.b.Imm32(0)))
	in.MoveTo(ir.AtEnd(i.Then.LastBlock()))
	e.b.PopIf(i)
}

// finish ends threads without a vertex and leaves the others' outputs.
func (e *emits) finish() {
	b := e.b.At(ir.AtEnd(e.impl.Body.LastBlock()))
	b.Effect(ir.IntrTerminateIf, b.Uge(e.thread(), e.vertices))
	for _, k := range e.used {
		v := b.LoadVar(e.kept[k])
		sem := ir.IOSemantics{Location: ir.Slot(k / 4), NumSlots: 1}
		b.Effect(ir.IntrStoreOutput, v, b.Imm32(0)).Set(ir.IdxWriteMask, 1).Set(ir.IdxComponent, uint64(k%4)).
			Set(ir.IdxIoSemantics, sem.Pack()).Set(ir.IdxBase, uint64(k/4)).Set(ir.IdxRange, 1).
			Set(ir.IdxSrcType, ir.ALUType{Class: e.class[k], Bits: v.BitSize}.Pack())
	}
	b.Effect(ir.IntrStoreVertexFlagsIr3, b.LoadVar(e.keptFlags))
}
