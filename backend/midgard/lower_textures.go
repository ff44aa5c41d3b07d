package midgard

import (
	"nirc/ir"
	"nirc/ir/optab"
)

// Results of the texture pipe stand in two registers in turn, so that of several operations in a row all but the last
// two must be moved away: each is better done where its result is first read.

// sinkTextures moves texture operations down their blocks to where their results are first read, where coordinates
// take no more registers than results.
func sinkTextures(impl *ir.Impl) {
	for b := range impl.Blocks() {
		n, some := uint32(0), false
		for in := range b.Instrs() {
			in.Flags = n
			n++
			some = some || in.Kind == ir.KindTex
		}
		if some {
			sinkTexturesOf(b)
		}
	}
	impl.Preserve(ir.MetaControlFlow)
}

// sinkTexturesOf goes through a block from its end; Instr.Flags numbers it, and what has moved takes the number of what it
// stands before.
func sinkTexturesOf(b *ir.Block) {
	fence := b.Jump()
	for in := range b.InstrsReverse() {
		if holdsTextures(in) {
			fence = in
		}
		if in.Kind != ir.KindTex || in.TexInfo().Aliased || in.Def.Unused() {
			continue
		}
		if q := in.TexSrc(ir.TexSrcCoord); q == nil || q.Def.NumComponents > in.Def.NumComponents {
			continue
		}
		first := fence
		for u := range in.Def.Uses() {
			if u.Instr != nil && u.Instr.Block == b && u.Instr.Kind != ir.KindPhi && (first == nil || u.Instr.Flags < first.Flags) {
				first = u.Instr
			}
		}
		// Those that stand there already stay behind it.
		for first != nil && first.Prev() != in && first.Prev() != nil && first.Prev().Kind == ir.KindTex {
			first = first.Prev()
		}
		if first == nil || first.Prev() == in {
			continue
		}
		in.Flags = first.Flags
		in.MoveTo(ir.Before(first))
	}
}

// holdsTextures reports whether texture operations stay before an instruction: it may end what their derivatives need.
func holdsTextures(in *ir.Instr) bool {
	return in.Kind == ir.KindIntrinsic && in.Intr != ir.IntrStoreOutput && in.Intr.Info().Flags&(optab.CanReorder|optab.CanEliminate) == 0
}
