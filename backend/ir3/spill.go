package ir3

import (
	"fmt"

	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
)

// spillSlack is what allocation needs beside the live values: alignment
// between halves and full registers, and a vector on its way to memory.
const spillSlack = 10

// maxSpillBytes bounds private memory for spills: offsets are immediates.
const maxSpillBytes = 4096

// spiller makes stp and ldp. Their address is a register that holds 0 for the
// whole program (the project's ir3 reference, section 9.6).
type spiller struct {
	c     *compiler
	start int // first byte of the spill area
	zero  mach.Value
	err   error
}

func (s *spiller) access(f *mach.Func, op isa.Op, v mach.Value, slot int) isa.Instr {
	n := f.Elems(v)
	at := s.start + 2*slot
	if n > 4 || at+2*f.Size(v) > maxSpillBytes {
		s.err = fmt.Errorf("ir3: the shader needs too many registers: more than %d bytes of spilled values are not supported", maxSpillBytes)
	}
	t := isa.U32
	if f.Class(v) == classHalf {
		t = isa.U16
	}
	return isa.Instr{Op: op, Type: t, Size: uint16(n), Off: int32(at), Srcs: [4]isa.Operand{isa.R(0)}}
}

// Spill implements mach.Spiller.
func (s *spiller) Spill(f *mach.Func, v mach.Value, slot int) *mach.Instr {
	t := s.access(f, isa.OpStp, v, slot)
	t.Srcs[1] = standIn(f.Class(v))
	in := f.NewInstr(machOp(isa.OpStp), 0, 2)
	in.Ops[0].Val, in.Ops[1].Val = s.zero, v
	in.Ext = templates(f).new(t)
	return in
}

// Reload implements mach.Spiller.
func (s *spiller) Reload(f *mach.Func, v mach.Value, slot int) *mach.Instr {
	t := s.access(f, isa.OpLdp, v, slot)
	t.Dst = standIn(f.Class(v))
	in := f.NewInstr(machOp(isa.OpLdp), 1, 1)
	in.Ops[0].Val, in.Ops[1].Val = v, s.zero
	in.Ext = templates(f).new(t)
	return in
}

// spill brings f below the register limit.
func (c *compiler) spill(f *mach.Func, limit int) error {
	s := &spiller{c: c, start: alignUp(int(c.s.ScratchSize), 4), zero: f.NewValue(classFull, 1)}
	f.SetNoSpill(s.zero)
	did, err := mach.Spill(f, fileGPR, limit-spillSlack, s)
	if err != nil {
		return fmt.Errorf("ir3: %w", err)
	}
	if s.err != nil {
		return s.err
	}
	if !did {
		return nil
	}
	c.spillStart = s.start
	mov := f.NewInstr(machOp(isa.OpMov), 1, 0)
	mov.Ops[0].Val = s.zero
	mov.Ext = templates(f).new(isa.Instr{Op: isa.OpMov, Type: isa.U32, SrcType: isa.U32, Dst: isa.R(0), Srcs: [4]isa.Operand{isa.I(0)}})
	blk := &f.Blocks[0]
	at := 0
	if len(blk.Instrs) > 0 && blk.Instrs[0].Op == opInputs {
		at = 1
	}
	blk.Instrs = append(blk.Instrs[:at:at], append([]*mach.Instr{mov}, blk.Instrs[at:]...)...)
	return nil
}
