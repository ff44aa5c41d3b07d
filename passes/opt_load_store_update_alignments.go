package passes

import (
	"nirc/ir"
	"nirc/passes/analysis"
)

var optUpdateAlignmentsPass = &Pass{
	Name: "opt_load_store_update_alignments", For: ir.HasMemory, Class: "B", Run: implPass(ir.MetaAll, updateAlignments), Idempotent: true, Optional: true,
	Doc: "Raises the alignment that explicit accesses promise to what the analysis of congruences can show of their offsets and bases, 16 bytes at most, so that more of them merge. " +
		"Buffers and shared memory start at a multiple of 16 bytes. Accesses by address stay as they are.",
}

func updateAlignments(impl *ir.Impl) (progress bool) {
	for blk := range impl.Blocks() {
		for in := range blk.Instrs() {
			off, _, ok := memOffsetSrc(in.Intr)
			if in.Kind != ir.KindIntrinsic || !ok || !in.Has(ir.IdxAlignMul) || in.Get(ir.IdxAlignMul) >= maxBufferAlign || offsetIsAddress(in.Intr) {
				continue
			}
			mul, rem := analysis.AlignOf(in.Srcs[off].Def, 0)
			rem += uint32(in.Get(ir.IdxBase))
			if mul = min(mul, maxBufferAlign); uint64(mul) > in.Get(ir.IdxAlignMul) {
				in.Set(ir.IdxAlignMul, uint64(mul)).Set(ir.IdxAlignOffset, uint64(rem%mul))
				progress = true
			}
		}
	}
	return progress
}

// maxBufferAlign is what every buffer starts at a multiple of, as its minimum
// alignment in Vulkan is at least that on the targets here.
const maxBufferAlign = 16

// offsetIsAddress tells the accesses by address, which no buffer is the start of.
func offsetIsAddress(i ir.Intrinsic) bool {
	return classOf(i) == ir.ModeSSBO && i != ir.IntrLoadSsbo && i != ir.IntrStoreSsbo
}
