package agx

import "nirc/ir"

// writesMemory reports whether an intrinsic changes memory of the device by the
// shader's wish: the stores of the target's own hand values from stage to stage.
func writesMemory(i ir.Intrinsic) bool {
	m := i.Info().Mem
	return m.Writes() && m.Space.Device() && i.Info().Target == ""
}

// lowerFragSidefx puts what writes memory in a fragment shader under a test
// that the invocation is no helper: atomics always, stores where hardware does not drop them
// (agx.md §11.3).
func lowerFragSidefx(s *ir.Shader, impl *ir.Impl) {
	if s.Stage != ir.StageFragment || faults.has(faultHelperWrites) {
		return
	}
	var found []*ir.Instr
	stores := perSampleShader(s, impl) || keepsDiscarded(s, impl)
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			if in.Kind == ir.KindIntrinsic && writesMemory(in.Intr) && (stores || in.Intr.Info().Mem.Op != ir.MemStore) {
				found = append(found, in)
			}
		}
	}
	for _, in := range found {
		b := ir.NewBuilder(ir.Before(in)).AtInstr(in)
		helper := b.Intrinsic(ir.IntrIsHelperInvocation, 1, 1)
		i := b.PushIf(b.Inot(&helper.Def))
		srcs := make([]*ir.Def, len(in.Srcs))
		for k := range srcs {
			srcs[k] = in.Srcs[k].Def
		}
		c := b.Intrinsic(in.Intr, in.Def.NumComponents, in.Def.BitSize, srcs...).CopyIndices(in)
		c.NumComponents = in.NumComponents
		b.PushElse(i)
		var none *ir.Def
		if in.HasDef() {
			none = b.ImmInt(0, in.Def.BitSize)
		}
		b.PopIf(i)
		if in.HasDef() {
			in.Def.RewriteUses(b.IfPhi(i, &c.Def, none))
		}
		in.Remove()
	}
	if len(found) > 0 {
		impl.Preserve(ir.MetaNone)
	}
}

// keepsDiscarded reports whether invocations that the shader discards stay covered for the hardware: its
// samples are tested first, and what is discarded then only loses its colours.
func keepsDiscarded(s *ir.Shader, impl *ir.Impl) bool {
	if !s.Info.EarlyFragmentTests {
		return false
	}
	for in := range impl.Instrs() {
		if in.Kind != ir.KindIntrinsic {
			continue
		}
		switch in.Intr {
		case ir.IntrDemote, ir.IntrDemoteIf, ir.IntrTerminate, ir.IntrTerminateIf:
			return true
		}
	}
	return false
}
