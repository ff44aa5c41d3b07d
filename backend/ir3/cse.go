package ir3

import (
	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
)

// shareResults removes instructions that compute, in the same block, what one before them has.
func shareResults(f *mach.Func) {
	mach.RemoveCommon(f, (*sharing)(f))
}

// sharing says which results of a function may be shared.
type sharing mach.Func

func (s *sharing) template(in *mach.Instr) *isa.Instr {
	return &templates((*mach.Func)(s)).tmpl[in.Ext]
}

func (s *sharing) Pure(in *mach.Instr) bool { return pure((*mach.Func)(s), in) }

func (s *sharing) Hash(in *mach.Instr) uint64 {
	h := uint64(0)
	for _, o := range s.template(in).Srcs {
		h = mach.MixHash(h, uint64(o.Kind)<<40|uint64(o.Flags)<<32|uint64(uint32(o.Val)))
	}
	return h
}

func (s *sharing) Same(a, b *mach.Instr) bool { return *s.template(a) == *s.template(b) }

// shareAddresses removes writes to a0.x of what is there.
func shareAddresses(f *mach.Func) {
	c := templates(f)
	same := func(a, b *mach.Instr) bool { return f.SameShape(a, b) && c.tmpl[a.Ext] == c.tmpl[b.Ext] }
	var stand []mach.Value
	for b := range f.Blocks {
		blk := &f.Blocks[b]
		kept := blk.Instrs[:0]
		var last *mach.Instr // what wrote a0.x
		for _, in := range blk.Instrs {
			if stand != nil {
				in.Rename(stand)
			}
			mova := in.Op == machOp(isa.OpMova)
			if mova && last != nil && same(last, in) {
				if stand == nil {
					stand = make([]mach.Value, f.NumValues())
				}
				stand[in.Ops[0].Val] = last.Ops[0].Val
				continue
			}
			switch {
			case mova:
				last = in
			case in.Op >= opInputs:
				last = nil // what becomes control flow ends its life
			}
			kept = append(kept, in)
		}
		blk.Instrs = kept
	}
}

// pure reports whether the results of in depend on its sources only.
func pure(f *mach.Func, in *mach.Instr) bool {
	for i := range in.Ops {
		if in.Ops[i].Flags != 0 {
			return false
		}
	}
	switch in.Op {
	case mach.OpCollect:
		return true
	case mach.OpSplit:
		for _, d := range in.Defs() {
			if d.Val == 0 {
				return false
			}
		}
		return true
	}
	if in.Op < mach.FirstTargetOp || in.Op >= opInputs || in.NDefs != 1 || f.File(in.Ops[0].Val) != fileGPR {
		return false
	}
	t := &templates(f).tmpl[in.Ext]
	if t.Op == isa.OpLdc {
		return true
	}
	if t.Op == isa.OpMov && in.Aux != 0 {
		return false // repetitions make each without a copy
	}
	return pureALU(t) && generalSources(f, in)
}

// pureALU reports whether an instruction computes in registers and always the same.
func pureALU(t *isa.Instr) bool {
	switch cat := t.Op.Category(); {
	case t.Op == isa.OpMov && t.Srcs[0].Kind == isa.Imm:
		return false // selection shares them where that is good
	case t.Srcs[0].Kind == isa.RelReg:
		return false // stores come between
	case cat < 1 || cat > 4 || t.Op == isa.OpBaryF || t.Op == isa.OpFlatB:
		return false
	}
	return true
}

// generalSources reports whether in reads general registers only.
func generalSources(f *mach.Func, in *mach.Instr) bool {
	for _, u := range in.Uses() {
		if f.File(u.Val) != fileGPR {
			return false
		}
	}
	return true
}
