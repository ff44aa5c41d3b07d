package analysis

import "nirc/ir"

// maxGuessed bounds the trip counts that arrays let guess: that all elements are in use is not known, so long arrays stay loops.
const maxGuessed = 8

// maxStep bounds what an index moves by in an iteration.
const maxStep = 1 << 16

// guess bounds the trips of a loop with one exit by the arrays that it goes through: an element of a temporary
// that is not there must not be accessed (SPIR-V, OpAccessChain: indices are in bounds), so
// the loop has left before. The access must be one of each iteration.
func (a *loopAnalysis) guess(info *LoopInfo) {
	if info.Limiting >= 0 || info.OtherExits || len(info.Terminators) != 1 || len(info.Inductions) == 0 {
		return
	}
	if trips, ok := guessList(info, &info.Loop.Body); ok {
		t := &info.Terminators[0]
		t.AtMost, t.Trips = true, trips
		info.Limiting, info.MaxTrips = 0, trips
	}
}

// guessList returns after how many iterations an access of a list, which each iteration comes by, would leave an array. Of
// an if each iteration takes one side, so that both must have one.
func guessList(info *LoopInfo, l *ir.List) (trips uint32, ok bool) {
	least := func(k uint32, is bool) {
		if is && (!ok || k < trips) {
			trips, ok = k, true
		}
	}
	for n := range l.Nodes() {
		switch x := n.(type) {
		case *ir.Block:
			for in := x.First(); in != nil; in = in.Next() {
				if in.IsIntrinsic(ir.IntrLoadDeref) || in.IsIntrinsic(ir.IntrStoreDeref) {
					least(throughArrays(info, in.Srcs[0].Def.Instr, maxGuessed))
				}
			}
		case *ir.If:
			if k, is := guessList(info, &x.Then); is {
				other, is := guessList(info, &x.Else)
				least(max(k, other), is)
			}
		}
	}
	return trips, ok
}

// throughArrays returns after how many iterations an access would leave an array of at most longest elements.
func throughArrays(info *LoopInfo, d *ir.Instr, longest uint64) (trips uint32, ok bool) {
	for ; d != nil && d.Kind == ir.KindDeref && d.Deref != ir.DerefVar; d = d.Srcs[0].Def.Instr {
		if d.Deref != ir.DerefArray || d.DerefInfo().Modes&^(ir.ModeFunctionTemp|ir.ModeShaderTemp) != 0 {
			return 0, false
		}
		up := d.Srcs[0].Def.Instr
		if up.Kind != ir.KindDeref || !up.DerefInfo().Type.IsArray() {
			continue
		}
		n := uint64(up.DerefInfo().Type.Len)
		for i := range info.Inductions {
			x := &info.Inductions[i]
			if d.Srcs[1].Def != &x.Phi.Def || x.Op != ir.OpIadd || x.Step == 0 || x.Step >= maxStep || x.Init >= n || n > longest {
				continue
			}
			if k := uint32((n - x.Init + x.Step - 1) / x.Step); !ok || k < trips {
				trips, ok = k, true
			}
		}
	}
	return trips, ok
}

// ThroughArray reports whether the loop goes through a temporary's array as often as the array has elements: each copy of
// its body has one of them by a constant index.
func (l *LoopInfo) ThroughArray() bool {
	for b := range ir.ListBlocks(&l.Loop.Body) {
		for in := b.First(); in != nil; in = in.Next() {
			if in.IsIntrinsic(ir.IntrLoadDeref) || in.IsIntrinsic(ir.IntrStoreDeref) {
				if trips, ok := throughArrays(l, in.Srcs[0].Def.Instr, uint64(l.MaxTrips)*maxStep); ok && trips == l.MaxTrips {
					return true
				}
			}
		}
	}
	return false
}
