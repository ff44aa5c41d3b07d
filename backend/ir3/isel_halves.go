package ir3

import (
	"nirc/backend/mach"
	"nirc/ir"
)

// The halves of a full register have names of their own (ir3.md §1.3), so a word whose halves alone are wanted is
// taken apart without an instruction.

// halfOf is one half of a word, as in wants it. Of those that may go to shared registers few have names of halves: they are
// shifted. For a phi the low half is moved in either case.
func (s *isel) halfOf(in *ir.Instr, src *ir.Src, o opnd, high bool) opnd {
	o = o.fold()
	if s.f == s.pre.f || o.kind != opVal || o.mods != 0 || s.f.Class(o.val) != classFull || src.Def.Instr.IsIntrinsic(ir.IntrLoadUboVec4) ||
		!high && forPhi(&in.Def) || !onlyHalves(src.Def, src.Swizzle.Lane(0)) {
		if high {
			return s.highHalf(o)
		}
		return s.narrow(o, 32)
	}
	return s.halfNamed(o.val, high)
}

// halfOfShifted is the low half of a word, which may be the high half of another.
func (s *isel) halfOfShifted(in *ir.Instr, o opnd) opnd {
	sh := in.Srcs[0].Def.Instr
	if !sh.IsALU(ir.OpUshr) || sh.Def.NumComponents != 1 {
		return s.halfOf(in, &in.Srcs[0], o, false)
	}
	if n, ok := sh.Srcs[1].Const(0); !ok || n&31 != 16 {
		return s.halfOf(in, &in.Srcs[0], o, false)
	}
	return s.halfOf(in, &sh.Srcs[0], s.src(sh, 0), true)
}

// forPhi reports whether a phi reads a value.
func forPhi(d *ir.Def) bool {
	for u := range d.Uses() {
		if u.Instr != nil && u.Instr.Kind == ir.KindPhi {
			return true
		}
	}
	return false
}

// halfNamed is the half of a word in a register, by its name.
func (s *isel) halfNamed(word mach.Value, high bool) opnd {
	halves := s.f.ValueList(2)
	for i := range halves {
		halves[i] = s.newReg(true)
	}
	s.generic(mach.OpSplit, halves, []mach.Value{word})
	if high {
		return s.value(halves[1])
	}
	return s.value(halves[0])
}

// onlyHalves reports whether all that is read of a component of a word is one half or the other: where the word lives on,
// its half would be copied, which is no better.
func onlyHalves(d *ir.Def, lane int) bool {
	for u := range d.Uses() {
		if u.If != nil || u.Instr == nil || u.Instr.Kind != ir.KindALU {
			return false
		}
		if u.Swizzle.Lane(0) != lane && u.Instr.Def.NumComponents == 1 {
			continue
		}
		switch u.Instr.Op {
		case ir.OpUnpack32_2x16SplitX, ir.OpUnpack32_2x16SplitY, ir.OpUnpackHalf2x16SplitX, ir.OpUnpackHalf2x16SplitY:
		case ir.OpU2u16, ir.OpI2i16:
		case ir.OpUshr:
			if !onlyHighHalf(u.Instr) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// onlyHighHalf reports whether a shift to the right brings the high half of a word down, and nothing reads more of it.
func onlyHighHalf(sh *ir.Instr) bool {
	n, ok := sh.Srcs[1].Const(0)
	if !ok || n&31 != 16 || sh.Def.NumComponents != 1 {
		return false
	}
	for u := range sh.Def.Uses() {
		if u.Instr == nil || !u.Instr.IsALU(ir.OpU2u16) && !u.Instr.IsALU(ir.OpI2i16) {
			return false
		}
	}
	return true
}
