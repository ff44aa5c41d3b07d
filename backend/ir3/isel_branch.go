package ir3

import (
	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
	"nirc/ir"
)

// isBranch reports whether a machine operation is a branch on predicates.
func isBranch(op mach.Op) bool {
	return op == machOp(isa.OpBr) || op == machOp(isa.OpBraa) || op == machOp(isa.OpBrao)
}

// branch appends the branch of an if.
func (s *isel) branch(i *ir.If) *mach.Instr {
	if d, inv := notOf(i.Cond.Def); s.twoConditions(d) {
		return s.branchOnTwo(d.Instr, inv)
	}
	p, inv := s.predicate(i.Cond.Def)
	t := isa.Instr{Op: isa.OpBr, Srcs: [4]isa.Operand{isa.P(0)}}
	if inv {
		t.Srcs[0].Flags = isa.Inv
	}
	return s.add(t, 0, p)
}

// notOf is what a boolean is the opposite of, or itself.
func notOf(d *ir.Def) (of *ir.Def, inv bool) {
	for d.Instr.IsALU(ir.OpInot) && d.NumComponents == 1 {
		d, inv = d.Instr.Srcs[0].Def, !inv
	}
	return d, inv
}

// twoConditions reports whether a boolean is the and or the or of two of which one is a comparison for it
// alone: braa and brao take both as they are, and no slots pass until they are joined.
func (s *isel) twoConditions(d *ir.Def) bool {
	in := d.Instr
	if !in.IsALU(ir.OpIand) && !in.IsALU(ir.OpIor) || d.BitSize != 1 || d.NumComponents != 1 || s.isRoot(in) {
		return false
	}
	a, b := in.Srcs[0].Def, in.Srcs[1].Def
	return a.NumComponents == 1 && b.NumComponents == 1 && a != b && (s.comparedFor(a) || s.comparedFor(b))
}

// comparedFor reports whether a boolean is a comparison with one reader.
func (s *isel) comparedFor(d *ir.Def) bool {
	in := d.Instr
	if in.Kind != ir.KindALU || !d.UsedOnce() || s.isRoot(in) {
		return false
	}
	bits := in.Srcs[0].Def.BitSize
	_, _, ok := compareOp(in.Op)
	return ok && bits >= 16 && bits <= 32
}

// branchOnTwo appends the branch on an and or an or, or its opposite, which is the other one of the opposites.
func (s *isel) branchOnTwo(in *ir.Instr, inv bool) *mach.Instr {
	t := isa.Instr{Op: isa.OpBrao, Srcs: [4]isa.Operand{isa.P(0), isa.P(0)}}
	if in.IsALU(ir.OpIand) != inv {
		t.Op = isa.OpBraa
	}
	var uses [2]mach.Value
	for k := range uses {
		p, not := s.predicate(in.Srcs[k].Def)
		if uses[k] = p; not != inv {
			t.Srcs[k].Flags = isa.Inv
		}
	}
	return s.add(t, 0, uses[:]...)
}

// opposite makes a branch go where it does not.
func opposite(br *isa.Instr) {
	br.Srcs[0].Flags ^= isa.Inv
	switch br.Op {
	case isa.OpBraa:
		br.Op = isa.OpBrao
	case isa.OpBrao:
		br.Op = isa.OpBraa
	default:
		return
	}
	br.Srcs[1].Flags ^= isa.Inv
}
