package agx

import (
	"fmt"

	"nirc/backend/agx/isa"
	"nirc/backend/mach"
)

// maxSpillBytes bounds the stack for spills: offsets are signed 16-bit immediates.
const maxSpillBytes = 32768

// maxFrameBytes is the largest frame: stack_adjust takes a signed 16-bit number of words
// (agx.md §7.4).
const maxFrameBytes = (1<<15 - stackAlign - stackReserved) * 4 &^ 15

// spiller makes stack_store and stack_load.
type spiller struct {
	start int // first byte of the spill area
	err   error
}

func (s *spiller) access(f *mach.Func, op isa.Op, v mach.Value, slot int) isa.Instr {
	n := f.Elems(v)
	at := s.start + 2*slot
	if n > maxVectorRegisters || at+2*f.Size(v) > maxSpillBytes {
		s.err = fmt.Errorf("agx: the shader needs too many registers: spilling %d registers to byte %d is not supported", n, at)
	}
	t := isa.Instr{Op: op, Format: isa.FormatI32, Mask: uint8(1<<n - 1)}
	if f.Class(v) == classHalf {
		t.Format = isa.FormatI16
	}
	return t
}

// vector is the shape of a value in a memory access, where a 64-bit one is two words.
func vector(f *mach.Func, v mach.Value) isa.Operand {
	if f.Class(v) == classWide {
		return shape(classFull, 2)
	}
	return shape(f.Class(v), f.Elems(v))
}

// Spill implements mach.Spiller.
func (s *spiller) Spill(f *mach.Func, v mach.Value, slot int) *mach.Instr {
	t := s.access(f, isa.OpStackStore, v, slot)
	t.Srcs = [6]isa.Operand{vector(f, v), isa.I(s.start + 2*slot)}
	in := f.NewInstr(machOp(t.Op), 0, 1)
	in.Ops[0].Val = v
	in.Ext = templates(f).new(t)
	return in
}

// Reload implements mach.Spiller.
func (s *spiller) Reload(f *mach.Func, v mach.Value, slot int) *mach.Instr {
	t := s.access(f, isa.OpStackLoad, v, slot)
	t.Dst, t.Srcs[0] = vector(f, v), isa.I(s.start+2*slot)
	in := f.NewInstr(machOp(t.Op), 1, 0)
	in.Ops[0].Val = v
	in.Ext = templates(f).new(t)
	return in
}
