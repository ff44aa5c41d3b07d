package passes

import "nirc/ir"

var lowerRobustAccessPass = &Pass{
	Name: "lower_robust_access", Class: "A", Run: lowerRobustAccess,
	Doc: "Puts a test of the bounds around accesses to storage, uniform and shared memory: loads beyond the end give 0, stores and atomics do nothing. " +
		"An access counts as beyond if any byte of it is.",
	Options: []Option{
		{"modes", "memory that is tested: mem_ssbo, mem_ubo, mem_shared", ir.ModeSSBO | ir.ModeUBO},
	},
}

func lowerRobustAccess(c *Context, s *ir.Shader) (bool, error) {
	modes := c.Modes("modes")
	return eachImpl(s, ir.MetaNone, func(impl *ir.Impl) bool {
		list := collect(impl, func(in *ir.Instr) bool {
			class, _, _ := boundedAccess(in)
			return class&modes != 0
		})
		for _, in := range list {
			guardBounds(s, in)
		}
		return len(list) > 0
	}), nil
}

// boundedAccess describes an access by offset: its memory, which source is
// the offset, and how many bytes it touches.
func boundedAccess(in *ir.Instr) (class ir.Mode, off int, bytes uint32) {
	m := in.Memory()
	if !m.Accesses() || !m.Plain() {
		return 0, 0, 0
	}
	switch m.Space {
	case ir.SpaceSsbo, ir.SpaceUbo, ir.SpaceShared:
		return in.MemoryModes(), int(m.Addr), accessBytes(in)
	}
	return 0, 0, 0
}

func guardBounds(s *ir.Shader, in *ir.Instr) {
	class, off, bytes := boundedAccess(in)
	b := builderBefore(in)
	at := in.Srcs[off].Def
	if in.Has(ir.IdxBase) {
		at = b.IAddImm(at, int64(in.Get(ir.IdxBase)))
	}
	var end *ir.Def
	switch class {
	case ir.ModeSSBO:
		end = &b.Intrinsic(ir.IntrGetSsboSize, 1, 32, bufferHandle(in).Def).Def
	case ir.ModeUBO:
		end = &b.Intrinsic(ir.IntrGetUboSize, 1, 32, bufferHandle(in).Def).Def
	default:
		end = b.Imm32(s.SharedSize)
	}
	// Without wrapping around: at < end, and the bytes fit after it.
	fits := b.Iand(b.Ult(at, end), b.Uge(b.Isub(end, at), b.Imm32(bytes)))
	i := b.PushIf(fits)
	in.MoveTo(ir.AtEnd(b.Cursor.Block))
	b.PushElse(i)
	if !in.HasDef() {
		b.PopIf(i)
		return
	}
	zero := b.Const(in.Def.BitSize, make([]uint64, in.Def.NumComponents)...)
	var uses []*ir.Src
	for u := range in.Def.Uses() {
		uses = append(uses, u)
	}
	b.PopIf(i)
	phi := b.IfPhi(i, &in.Def, zero)
	for _, u := range uses {
		u.Set(phi)
	}
}
