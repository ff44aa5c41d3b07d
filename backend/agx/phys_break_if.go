package agx

import "nirc/backend/agx/isa"

// breakIf fuses an if that holds nothing but a break with its comparison: a
// while where only the loop's own level is open, else a select into r0l (the
// agx.md §6.2).
func (p *program) breakIf() {
	out := p.rewrite(len(p.list))
	l := p.list
	for i := 0; i < len(l); i++ {
		if i+3 < len(l) && isBreakIf(l[i:i+4]) {
			level := l[i+1].Imm - 1
			if level == 1 {
				l[i].becomeWhile()
				out = append(out, l[i])
			} else {
				l[i].becomeSelect(level)
				out = append(out, l[i], p.newInstr(execFCmp(isa.OpIfFcmp, 0), l[i].loc))
			}
			i += 3
			continue
		}
		out = append(out, l[i])
	}
	p.list = out
}

// isBreakIf matches if 1; mov r0l, level; pop 0; pop 1.
func isBreakIf(l []*pinstr) bool {
	if op := l[0].Op; op != isa.OpIfIcmp && op != isa.OpIfFcmp || l[0].Nest != 1 || isPush(&l[0].Instr) {
		return false
	}
	return l[1].Op == isa.OpMovImm16 && l[1].Dst == isa.H(isa.R0L) && l[1].Imm <= maxImmediate &&
		l[2].Op == isa.OpPopExec && l[2].Nest == 0 && l[3].Op == isa.OpPopExec && l[3].Nest == 1
}

// becomeWhile turns an if into the while that goes on where the if does not hold.
func (in *pinstr) becomeWhile() {
	in.Op += isa.OpWhileIcmp - isa.OpIfIcmp
	in.Cond ^= condInverted
}

// condInverted is the bit of an inverted comparison.
const condInverted isa.Cond = 8

// becomeSelect sets r0l to level where the if holds.
func (in *pinstr) becomeSelect(level uint32) {
	x, y := isa.I(int(level)), isa.H(isa.R0L)
	if in.Cond.Inverted() {
		x, y = y, x
	}
	op := isa.OpIcmpsel
	if in.Op == isa.OpIfFcmp {
		op = isa.OpFcmpsel
	}
	in.Instr = isa.Instr{Op: op, Dst: isa.H(isa.R0L), Cond: in.Cond.Base(), Srcs: [6]isa.Operand{in.Srcs[0], in.Srcs[1], x, y}}
}
