package passes

import "nirc/ir"

var accessPasses = []*Pass{
	{Name: "opt_access", Class: "B", Optional: true, Idempotent: true, Run: optAccess,
		Doc: "Where a shader writes no buffers, marks loads from storage buffers and global memory as reading what nobody writes, so that they may move and merge; " +
			"image loads where it writes no images. Writes to any buffer count, as bindings may share memory. Coherent and volatile loads stay."},
	{Name: "opt_barriers", Class: "B", Optional: true, Idempotent: true, Run: implPass(ir.MetaControlFlow, optBarriers),
		Doc: "Makes one of barriers that stand side by side, with the wider scopes and all modes and semantics of both. Barriers without effect go."},
	{Name: "lower_undef_to_zero", Class: "B", Idempotent: true, Run: implPass(ir.MetaControlFlow, lowerUndefToZero),
		Doc: "Replaces undefs by zeros, for runs that must not depend on chance."},
	{Name: "opt_shrink_stores", Class: "B", Optional: true, Idempotent: true, Run: implPass(ir.MetaControlFlow, optShrinkStores),
		Doc: "Cuts components behind the last written one off the values of stores."},
}

// written tells what a shader writes besides its own variables.
type written struct{ buffers, images bool }

func (w *written) note(in *ir.Instr) {
	switch in.Intr {
	case ir.IntrStoreSsbo, ir.IntrStoreGlobal, ir.IntrStoreGlobal2x32, ir.IntrSsboAtomic, ir.IntrSsboAtomicSwap, ir.IntrGlobalAtomic, ir.IntrGlobalAtomicSwap,
		ir.IntrGlobalAtomic2x32, ir.IntrGlobalAtomicSwap2x32, ir.IntrMemcpyDeref:
		w.buffers = true
	case ir.IntrImageStore, ir.IntrBindlessImageStore, ir.IntrImageDerefStore, ir.IntrImageAtomic, ir.IntrBindlessImageAtomic, ir.IntrImageDerefAtomic,
		ir.IntrImageAtomicSwap, ir.IntrBindlessImageAtomicSwap, ir.IntrImageDerefAtomicSwap:
		w.images = true
		w.buffers = w.buffers || texelBuffer(in)
	case ir.IntrStoreDeref, ir.IntrCopyDeref, ir.IntrDerefAtomic, ir.IntrDerefAtomicSwap:
		m := in.Srcs[0].Def.Instr.DerefInfo().Modes
		w.buffers = w.buffers || m&(ir.ModeSSBO|ir.ModeGlobal) != 0
		w.images = w.images || m&ir.ModeImage != 0
	case ir.IntrImageTexelAddress, ir.IntrBindlessImageTexelAddress, ir.IntrImageDerefTexelAddress:
		w.images, w.buffers = true, true // by pointer
	}
}

func optAccess(c *Context, s *ir.Shader) (bool, error) {
	var w written
	for _, f := range s.Functions {
		if f.Impl == nil {
			continue
		}
		for blk := range f.Impl.Blocks() {
			for in := range blk.Instrs() {
				switch in.Kind {
				case ir.KindIntrinsic:
					w.note(in)
				case ir.KindCall:
					return false, nil
				}
			}
		}
	}
	if w.buffers && w.images {
		return false, nil
	}
	return eachImpl(s, ir.MetaControlFlow|ir.MetaInstrIndex, func(impl *ir.Impl) bool {
		progress := false
		for blk := range impl.Blocks() {
			for in := range blk.Instrs() {
				if in.Kind == ir.KindIntrinsic && w.unwritten(in) {
					progress = markFixed(in) || progress
				}
			}
		}
		return progress
	}), nil
}

// unwritten tells loads from what the shader does not write.
func (w *written) unwritten(in *ir.Instr) bool {
	switch in.Intr {
	case ir.IntrLoadSsbo, ir.IntrLoadGlobal, ir.IntrLoadGlobal2x32:
		return !w.buffers
	case ir.IntrLoadDeref:
		m := in.Srcs[0].Def.Instr.DerefInfo().Modes
		return !w.buffers && m&^(ir.ModeSSBO|ir.ModeGlobal) == 0
	case ir.IntrImageLoad, ir.IntrBindlessImageLoad, ir.IntrImageDerefLoad:
		return !w.images && !(w.buffers && texelBuffer(in))
	}
	return false
}

// texelBuffer tells accesses to images that may share memory with buffers.
func texelBuffer(in *ir.Instr) bool {
	return !in.Has(ir.IdxImageDim) || ir.Dim(in.Get(ir.IdxImageDim)) == ir.DimBuf
}

func markFixed(in *ir.Instr) bool {
	a := ir.Access(in.Get(ir.IdxAccess))
	b := a | ir.AccessNonWriteable | ir.AccessCanReorder
	if a&(ir.AccessVolatile|ir.AccessCoherent) != 0 || a == b {
		return false
	}
	in.Set(ir.IdxAccess, uint64(b))
	return true
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

func lowerUndefToZero(impl *ir.Impl) (progress bool) {
	for blk := range impl.Blocks() {
		for in := range blk.Instrs() {
			if in.Kind == ir.KindUndef {
				in.Def.RewriteUses(builderBefore(in).Const(in.Def.BitSize, make([]uint64, in.Def.NumComponents)...))
				in.Remove()
				progress = true
			}
		}
	}
	return progress
}

func optShrinkStores(impl *ir.Impl) (progress bool) {
	for blk := range impl.Blocks() {
		for in := range blk.Instrs() {
			if in.Kind != ir.KindIntrinsic || !in.Has(ir.IdxWriteMask) {
				continue
			}
			_, store, ok := memOffsetSrc(in.Intr)
			if ok = ok && store || in.Intr == ir.IntrStoreOutput || in.Intr == ir.IntrStorePerVertexOutput; !ok {
				continue
			}
			v := in.Srcs[0].Def
			n := 0
			for i := range int(v.NumComponents) {
				if in.Get(ir.IdxWriteMask)>>i&1 != 0 {
					n = i + 1
				}
			}
			for !legalWidth(n) {
				n++
			}
			if n >= int(v.NumComponents) {
				continue
			}
			in.Srcs[0].Set(builderBefore(in).Channels(v, 0, n))
			in.NumComponents = uint8(n)
			progress = true
		}
	}
	return progress
}
