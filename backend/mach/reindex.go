package mach

import "nirc/internal/slab"

// Reindex numbers the values that are left again, in the order of the program,
// so that tables by value are as short as can be. Numbers that the target
// keeps elsewhere are void then.
func Reindex(f *Func) {
	m := f.mem
	m.fresh = slab.Zeroed(m.fresh, len(f.vals))
	fresh, vals := m.fresh, append(m.other[:0], valueInfo{})
	number := func(o *Operand) {
		if o.Val == 0 {
			return
		}
		if fresh[o.Val] == 0 {
			fresh[o.Val] = Value(len(vals))
			vals = append(vals, f.vals[o.Val])
		}
		o.Val = fresh[o.Val]
	}
	for b := range f.Blocks {
		for _, in := range f.Blocks[b].Instrs {
			// Results first: a phi may read what comes later.
			for i := range in.Ops {
				number(&in.Ops[i])
			}
		}
	}
	f.vals, m.other = vals, f.vals
}
