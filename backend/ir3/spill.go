package ir3

import (
	"errors"
	"fmt"

	"nirc/backend"
	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
)

// spillSlack is what allocation needs beside the live values: alignment
// between halves and full registers, and a vector on its way to memory.
const spillSlack = 10

// spillReach is how far the 13-bit offset of stp and ldp goes either way.
const spillReach = 4096

// spiller makes stp and ldp. Their address is a register that holds the same
// for the whole program (ir3.md §9.6): the middle of what
// offsets reach from the start of the spill area. Slots further away are for spillFar.
type spiller struct {
	c     *compiler
	start int // first byte of the spill area
	base  mach.Value
	err   error
}

// spillBase is what the base register holds when the spill area starts at start.
func spillBase(start int) int { return start + spillReach }

// access makes the template of a load or store and tells its operation: one
// beyond what offsets reach is expanded later.
func (s *spiller) access(f *mach.Func, op isa.Op, v mach.Value, slot int) (isa.Instr, mach.Op) {
	n := f.Elems(v)
	off := 2*slot - spillReach
	if n > 4 && s.err == nil {
		s.err = fmt.Errorf("ir3: the shader needs too many registers: a vector of %d cannot be spilled", n)
	}
	t := isa.U32
	if f.Class(v) == classHalf {
		t = isa.U16
	}
	m := machOp(op)
	if off >= spillReach {
		m = opSpillFar
	}
	return isa.Instr{Op: op, Type: t, Size: uint16(n), Off: int32(off), Srcs: [4]isa.Operand{isa.R(0)}}, m
}

// spillFar accesses a slot that the base register does not reach: it holds
// another address meanwhile.
func (p *phys) spillFar(in *mach.Instr) {
	t := p.fill(in)
	base := t.Srcs[0]
	set := func(v int) {
		p.emit(isa.Instr{Op: isa.OpMov, Type: isa.U32, SrcType: isa.U32, Dst: base, Srcs: [4]isa.Operand{isa.I(int32(v))}}, in.Loc)
	}
	near := p.spillBase
	set(near + int(t.Off))
	t.Off = 0
	p.emit(t, in.Loc)
	set(near)
}

// Spill implements mach.Spiller.
func (s *spiller) Spill(f *mach.Func, v mach.Value, slot int) *mach.Instr {
	t, op := s.access(f, isa.OpStp, v, slot)
	t.Srcs[1] = standIn(f.Class(v))
	in := f.NewInstr(op, 0, 2)
	in.Ops[0].Val, in.Ops[1].Val = s.base, v
	in.Ext = templates(f).new(t)
	return in
}

// Reload implements mach.Spiller.
func (s *spiller) Reload(f *mach.Func, v mach.Value, slot int) *mach.Instr {
	t, op := s.access(f, isa.OpLdp, v, slot)
	t.Dst = standIn(f.Class(v))
	in := f.NewInstr(op, 1, 1)
	in.Ops[0].Val, in.Ops[1].Val = v, s.base
	if op == opSpillFar {
		in.Ops[0].Flags |= mach.Early // the base is written after the load
	}
	in.Ext = templates(f).new(t)
	return in
}

// spill brings the program below the register limit.
func (c *compiler) spill() error {
	f := c.sel.f
	s := &c.mem.spills
	*s = spiller{c: c, start: backend.AlignUp(int(c.s.ScratchSize), 4), base: f.NewValue(classFull, 1)}
	f.SetNoSpill(s.base)
	over := false
	if c.live, over = mach.Overfull(f, fileGPR, c.limit, spillSlack); !over {
		return nil
	}
	c.live = nil
	did, err := mach.Spill(f, fileGPR, c.limit, spillSlack, s)
	if err != nil {
		return c.crowded(err)
	}
	if s.err != nil {
		return s.err
	}
	if !did {
		return nil
	}
	c.spillStart = s.start
	mov := f.NewInstr(machOp(isa.OpMov), 1, 0)
	mov.Ops[0].Val = s.base
	mov.Ext = templates(f).new(isa.Instr{Op: isa.OpMov, Type: isa.U32, SrcType: isa.U32, Dst: isa.R(0), Srcs: [4]isa.Operand{isa.I(int32(spillBase(s.start)))}})
	blk := &f.Blocks[0]
	at := 0
	if len(blk.Instrs) > 0 && blk.Instrs[0].Op == opInputs {
		at = 1
	}
	blk.Instrs = append(blk.Instrs[:at:at], append([]*mach.Instr{mov}, blk.Instrs[at:]...)...)
	return nil
}

// crowded is the error of a program that Spill finds no room for. Where the waves of its workgroup must fit at once, the
// workgroup is too large for it.
func (c *compiler) crowded(err error) error {
	var no *mach.OperandsError
	if limit := c.registerLimit(); errors.As(err, &no) && limit < 8*allVec4 && c.opts.Registers == 0 {
		return backend.Refuse(TargetName, c.s, nil, "a barrier is not supported in a workgroup of %d invocations here: each has %d vec4 registers, which is too few for an instruction",
			c.threads(), limit/8)
	}
	return fmt.Errorf("ir3: %w", err)
}
