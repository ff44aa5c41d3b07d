package mach

import "nirc/internal/slab"

// RemoveDead deletes instructions whose results nobody reads, if removable
// says that they do nothing else. Generic operations other than OpSpill are.
func RemoveDead(f *Func, removable func(f *Func, in *Instr) bool) {
	d := &f.mem.dead
	d.uses, d.def, d.removable = slab.Zeroed(d.uses, len(f.vals)), slab.Zeroed(d.def, len(f.vals)), removable
	for b := range f.Blocks {
		for _, in := range f.Blocks[b].Instrs {
			for _, u := range in.Uses() {
				d.uses[u.Val]++
			}
			for _, o := range in.Defs() {
				d.def[o.Val] = in
			}
		}
	}
	for b := range f.Blocks {
		for _, in := range f.Blocks[b].Instrs {
			if d.dead(f, in) {
				d.work = append(d.work, in)
				in.Op = OpNone
			}
		}
	}
	if len(d.work) == 0 {
		return
	}
	d.drain(f)
	for b := range f.Blocks {
		l := f.Blocks[b].Instrs
		n := 0
		for _, in := range l {
			if in.Op != OpNone {
				l[n] = in
				n++
			}
		}
		f.Blocks[b].Instrs = l[:n]
	}
}

// deadness counts the uses of values.
type deadness struct {
	uses      []int32
	def       []*Instr
	work      []*Instr
	removable func(f *Func, in *Instr) bool
}

func (d *deadness) dead(f *Func, in *Instr) bool {
	if in.NDefs == 0 || in.Op == OpNone || in.Op == OpSpill || in.Op >= FirstTargetOp && !d.removable(f, in) {
		return false
	}
	for _, o := range in.Defs() {
		if o.Val != 0 && d.uses[o.Val] > 0 {
			return false
		}
	}
	return true
}

// drain follows the sources of dead instructions.
func (d *deadness) drain(f *Func) {
	for len(d.work) > 0 {
		in := d.work[len(d.work)-1]
		d.work = d.work[:len(d.work)-1]
		for _, u := range in.Uses() {
			d.uses[u.Val]--
			if p := d.def[u.Val]; p != nil && d.uses[u.Val] == 0 && d.dead(f, p) {
				p.Op = OpNone
				d.work = append(d.work, p)
			}
		}
	}
}
