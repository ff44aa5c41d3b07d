package passes

import "nirc/ir"

var optBarriersPass = &Pass{
	Name: "opt_barriers", For: ir.HasBarrier, Class: "B", Run: implPass(ir.MetaControlFlow, optBarriers), Idempotent: true, Optional: true,
	Doc: "Makes one of barriers that stand side by side, with the wider scopes and all modes and semantics of both. Barriers without effect go.",
}

func optBarriers(impl *ir.Impl) (progress bool) {
	for blk := range impl.Blocks() {
		var last *ir.Instr
		for in := range blk.Instrs() {
			if !in.IsIntrinsic(ir.IntrBarrier) {
				// What only computes may stand between.
				if in.Kind == ir.KindIntrinsic && !in.Intr.Info().SysVal || in.Kind == ir.KindTex || in.Kind == ir.KindCall {
					last = nil
				}
				continue
			}
			if in.Get(ir.IdxExecutionScope) == 0 && (in.Get(ir.IdxMemoryScope) <= uint64(ir.ScopeInvocation) || in.Get(ir.IdxMemoryModes) == 0) {
				in.Remove()
				progress = true
				continue
			}
			if last == nil {
				last = in
				continue
			}
			for _, k := range []ir.Index{ir.IdxExecutionScope, ir.IdxMemoryScope} {
				last.Set(k, max(last.Get(k), in.Get(k)))
			}
			for _, k := range []ir.Index{ir.IdxMemoryModes, ir.IdxMemorySemantics} {
				last.Set(k, last.Get(k)|in.Get(k))
			}
			in.Remove()
			progress = true
		}
	}
	return progress
}
