package passes

import "nirc/ir"

// optDCE is mark and sweep: what is not reached from an instruction with side
// effects or a condition goes, unused phi cycles of loops included.
func optDCE(impl *ir.Impl) bool {
	work := make([]*ir.Instr, 0, 256)
	for b := range impl.Blocks() {
		for in := b.First(); in != nil; in = in.Next() {
			in.Flags = 0
		}
	}
	push := func(in *ir.Instr) {
		if in.Flags == 0 {
			in.Flags = 1
			work = append(work, in)
		}
	}
	for b := range impl.Blocks() {
		for in := b.First(); in != nil; in = in.Next() {
			if hasSideEffects(in) {
				push(in)
			}
		}
		if i := b.FollowingIf(); i != nil {
			push(i.Cond.Def.Instr)
		}
		for len(work) > 0 {
			in := work[len(work)-1]
			work = work[:len(work)-1]
			for k := range in.Srcs {
				push(in.Srcs[k].Def.Instr)
			}
			if in.Kind == ir.KindParallelCopy {
				for _, e := range in.CopyInfo().Entries {
					if e.DstReg != nil {
						push(e.DstReg.Instr)
					}
				}
			}
		}
	}
	return sweep(impl)
}

// sweep deletes what is not marked. Dead code may use dead code further on in
// a loop, so all uses of a dead value are cut before it goes.
func sweep(impl *ir.Impl) (progress bool) {
	for b := range impl.Blocks() {
		for in := range b.InstrsReverse() {
			if in.Flags != 0 {
				continue
			}
			for i := range in.Srcs {
				in.Srcs[i].Set(nil)
			}
			in.Remove()
			progress = true
		}
	}
	return progress
}
