package mach

import "nirc/internal/slab"

// JoinCollects lets a vector whose elements are all collected themselves collect their parts instead: allocation sees where a part
// goes at the end, and not only at the next step. What was collected for the vector alone is left for RemoveDead.
func JoinCollects(f *Func) {
	var def []*Instr // by value, of collects
	for b := range f.Blocks {
		for _, in := range f.Blocks[b].Instrs {
			if in.Op != OpCollect {
				continue
			}
			if def == nil {
				f.mem.dead.def = slab.Zeroed(f.mem.dead.def, len(f.vals))
				def = f.mem.dead.def
			}
			joinCollect(f, in, def)
			def[in.Ops[0].Val] = in
		}
	}
}

// joinCollect joins what in collects, where all of that is in def.
func joinCollect(f *Func, in *Instr, def []*Instr) {
	parts := 0
	for _, u := range in.Uses() {
		d := def[u.Val]
		if d == nil || u.Flags != 0 {
			return
		}
		parts += len(d.Uses())
	}
	ops := f.operands(1 + parts)
	ops[0] = in.Ops[0]
	at := 1
	for _, u := range in.Uses() {
		at += copy(ops[at:], def[u.Val].Uses())
	}
	in.Ops = ops
}
