package agx

import (
	"fmt"

	"nirc/backend"
	"nirc/backend/agx/isa"
	"nirc/backend/mach"
	"nirc/ir"
)

// spillSlack is what allocation needs beside the live values: holes that
// alignment leaves, and the reserved halves.
const spillSlack = 12 + gprFloor

// farArrays is the size of private arrays from which on they stand after what is
// spilled and not before it, as spilling reaches no farther than maxSpillBytes.
const farArrays = maxSpillBytes / 4 * 3

// spill brings f below the register limit.
func (c *compiler) spill(pt *part, limit int) error {
	pt.findPressure()
	if pt.pressure <= limit-spillSlack {
		return nil
	}
	s := &spiller{start: backend.AlignUp(int(pt.s.ScratchSize), 4)}
	var moved []uint32
	if s.start > farArrays {
		s.start, moved = 0, indexAccesses(pt.f)
	}
	did, err := mach.Spill(pt.f, fileGPR, limit, spillSlack, s)
	if err != nil {
		return fmt.Errorf("agx: %w", err)
	}
	pt.spillStart = s.start
	if did {
		templates(pt.f).live = nil
		pt.findPressure()
	}
	if len(moved) > 0 {
		pt.arrayStart = backend.AlignUp(2*pt.f.SpillUnits, 16)
		for _, ext := range moved {
			templates(pt.f).tmpl[ext].Imm += uint32(pt.arrayStart)
		}
	}
	if did {
		return s.err
	}
	return nil
}

// indexAccesses makes all accesses to the stack add a mov_imm to their offset: where
// the arrays begin is known only after spilling. It returns the templates of those.
func indexAccesses(f *mach.Func) (moved []uint32) {
	tmpl := templates(f)
	for b := range f.Blocks {
		blk := &f.Blocks[b]
		var list []*mach.Instr
		for i, in := range blk.Instrs {
			k := 0 // the source that is the offset
			switch in.Op {
			case machOp(isa.OpStackLoad):
			case machOp(isa.OpStackStore):
				k = 1
			default:
				if list != nil {
					list = append(list, in)
				}
				continue
			}
			if list == nil {
				list = append(make([]*mach.Instr, 0, len(blk.Instrs)+8), blk.Instrs[:i]...)
			}
			imm, off := f.NewValue(classFull, 1), mach.Value(0)
			t := isa.Instr{Op: isa.OpMovImm32, Dst: shape(classFull, 1)}
			o := &tmpl.tmpl[in.Ext].Srcs[k]
			if o.Kind == isa.Imm {
				t.Imm = uint32(o.Val)
			} else {
				off = in.Ops[int(in.NDefs)+k].Val
			}
			*o = shape(classFull, 1)
			at := f.NewInstr(machOp(t.Op), 1, 0)
			at.Loc, at.Ops[0].Val, at.Ext = in.Loc, imm, tmpl.new(&t)
			moved = append(moved, at.Ext)
			list = append(list, at)
			if off == 0 {
				list = append(list, withUse(f, in, imm))
				continue
			}
			sum := f.NewInstr(machOp(isa.OpIadd), 1, 2)
			sum.Loc, sum.Ops[0].Val, sum.Ops[1].Val, sum.Ops[2].Val = in.Loc, f.NewValue(classFull, 1), off, imm
			r := shape(classFull, 1)
			sum.Ext = tmpl.new(&isa.Instr{Op: isa.OpIadd, Dst: r, Srcs: [6]isa.Operand{r, r}})
			in.Ops[int(in.NDefs)+k].Val = sum.Ops[0].Val
			list = append(list, sum, in)
		}
		if list != nil {
			blk.Instrs = list
		}
	}
	return moved
}

// withUse is in with one more use at the end.
func withUse(f *mach.Func, in *mach.Instr, v mach.Value) *mach.Instr {
	n := f.NewInstr(in.Op, int(in.NDefs), len(in.Ops)-int(in.NDefs)+1)
	copy(n.Ops, in.Ops)
	n.Loc, n.Ext, n.Aux, n.Flags = in.Loc, in.Ext, in.Aux, in.Flags
	n.Ops[len(in.Ops)].Val = v
	return n
}

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
		s.err = ir.Unsupportedf("agx: the shader needs too many registers: spilling %d registers to byte %d is not supported", n, at)
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
	in.Ext = templates(f).new(&t)
	return in
}

// Reload implements mach.Spiller.
func (s *spiller) Reload(f *mach.Func, v mach.Value, slot int) *mach.Instr {
	t := s.access(f, isa.OpStackLoad, v, slot)
	t.Dst, t.Srcs[0] = vector(f, v), isa.I(s.start+2*slot)
	in := f.NewInstr(machOp(t.Op), 1, 0)
	in.Ops[0].Val = v
	in.Ext = templates(f).new(&t)
	return in
}
