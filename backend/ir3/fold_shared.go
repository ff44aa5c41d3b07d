package ir3

import (
	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
)

// foldShared lets instructions of the first block read shared inputs where they
// are, instead of copies in normal registers (ir3.md §7.1). In other
// blocks copies stay: fibers of another branch may have run before and reused the register.
func foldShared(f *mach.Func) {
	c := templates(f)
	blk := &f.Blocks[0]
	input := make([]bool, f.NumValues()) // by value: a shared input, or a part of one
	copied := f.ValueList(f.NumValues())
	any := false
	for _, in := range blk.Instrs {
		switch {
		case in.Op == opInputs:
			for _, d := range in.Defs() {
				input[d.Val] = f.Class(d.Val) == classShared
			}
			continue
		case in.Op == mach.OpSplit && input[in.Uses()[0].Val]:
			for _, d := range in.Defs() {
				input[d.Val] = true
			}
			continue
		case in.Op < mach.FirstTargetOp || in.Op >= opInputs:
			continue
		}
		t := &c.tmpl[in.Ext]
		if uses := in.Uses(); t.Op == isa.OpMov && t.Type == isa.U32 && t.SrcType == isa.U32 && len(uses) == 1 && input[uses[0].Val] {
			copied[in.Ops[0].Val] = uses[0].Val
			continue
		}
		any = foldUses(c, in, copied) || any
	}
	if any {
		removeDead(f)
	}
}

// foldUses replaces one copy that in reads by what it was copied from, and
// reports whether it did. No form takes two shared registers.
func foldUses(c *code, in *mach.Instr, copied []mach.Value) bool {
	t := &c.tmpl[in.Ext]
	if cat := t.Op.Category(); cat != 2 && cat != 3 {
		return false
	}
	k := 0
	for i := range t.Srcs {
		if t.Srcs[i].Kind != isa.Reg {
			continue
		}
		u := &in.Uses()[k]
		k++
		if copied[u.Val] == 0 || !takesShared(t, i) {
			continue
		}
		n := *t
		n.Srcs[i].Val = isa.SharedFirst
		u.Val, in.Ext = copied[u.Val], c.new(n)
		return true
	}
	return false
}

// takesShared reports whether source i of an instruction of normal registers may
// be a shared one beside its other sources.
func takesShared(t *isa.Instr, i int) bool {
	switch t.Op {
	case isa.OpMadshM16, isa.OpMadU24, isa.OpMadS24, isa.OpMadF16, isa.OpMadF32, isa.OpSelB16, isa.OpSelB32, isa.OpSadS16, isa.OpSadS32, isa.OpShrm, isa.OpShlm, isa.OpShrg, isa.OpShlg, isa.OpAndg:
		if i == 1 {
			return false
		}
	default:
		if t.Op.Category() == 3 || t.Op == isa.OpBaryF || t.Op == isa.OpFlatB {
			return false
		}
	}
	for j, o := range t.Srcs {
		if j != i && (o.Kind == isa.Const || o.Kind == isa.RelConst || o.Kind == isa.RelReg || o.IsShared()) {
			return false
		}
	}
	return true
}
