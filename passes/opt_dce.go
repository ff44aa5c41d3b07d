package passes

import "nirc/ir"

// optDCE deletes what has no effect. Backwards, one walk sees every user of a
// value before the value; only phis of loops may live on each other, and take
// mark and sweep.
func optDCE(impl *ir.Impl) bool {
	if hasLoopPhis(impl) {
		return markAndSweep(impl)
	}
	progress := false
	for b := range impl.BlocksReverse() {
		for in := range b.InstrsReverse() {
			if in.Def.Unused() && !hasSideEffects(in) {
				in.Remove()
				progress = true
			}
		}
	}
	return progress
}

func hasLoopPhis(impl *ir.Impl) bool {
	for b := range impl.Blocks() {
		if l := b.FollowingLoop(); l != nil {
			if in := l.Body.FirstBlock().First(); in != nil && in.Kind == ir.KindPhi {
				return true
			}
		}
	}
	return false
}

// markAndSweep deletes what is not reached from an instruction with side
// effects or a condition, unused phi cycles of loops included.
func markAndSweep(impl *ir.Impl) bool {
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
