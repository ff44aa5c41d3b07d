package passes

import (
	"math/bits"

	"nirc/ir"
)

var lowerWrmasksPass = &Pass{
	Name: "lower_wrmasks", For: ir.HasWrite, Class: "A", Run: lowerWrmasks, Idempotent: true,
	Doc: "Splits explicit memory stores whose write mask has holes, or does not begin with the first component, into stores of contiguous runs with full masks.",
}

func lowerWrmasks(c *Context, s *ir.Shader) (bool, error) {
	progress := false
	for _, f := range s.Functions {
		if f.Impl == nil {
			continue
		}
		m := &memSplitter{b: ir.NewBuilder(ir.AtStart(f.Impl.Start()))}
		changed := false
		for blk := range f.Impl.Blocks() {
			for in := range blk.Instrs() {
				if in.Kind != ir.KindIntrinsic {
					continue
				}
				off, store, ok := memOffsetSrc(in.Intr)
				if !ok || !store || in.Get(ir.IdxWriteMask) == 1<<in.Srcs[0].Def.NumComponents-1 {
					continue
				}
				m.storeRuns(in, off)
				in.Remove()
				changed = true
			}
		}
		if changed {
			f.Impl.Preserve(ir.MetaControlFlow)
			progress = true
		}
	}
	return progress, nil
}

// storeRuns stores each run of components in the mask by itself.
func (m *memSplitter) storeRuns(in *ir.Instr, off int) {
	m.b.AtInstr(in)
	v := in.Srcs[0].Def
	size := int(v.BitSize)
	for mask := in.Get(ir.IdxWriteMask); mask != 0; {
		first := bits.TrailingZeros64(mask)
		n := bits.TrailingZeros64(^(mask >> first))
		mask &^= (1<<n - 1) << first
		for n > 0 {
			k := valueWidth(n)
			m.access(in, off, first*size/8, size, k, m.b.Channels(v, first, k))
			first, n = first+k, n-k
		}
	}
}

// valueWidth is the most of n components that one value may have, a multiple of four or all.
func valueWidth(n int) int {
	if n > 5 && n != 8 && n != 16 {
		return 4
	}
	return n
}
