package ir3

import (
	"testing"

	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
)

// halfOps are a move and a swap of the halves at two units.
func halfOps(f *mach.Func, op mach.Op, a, b int) *mach.Instr {
	in := f.NewInstr(op, 1, 1)
	if op == mach.OpSwap {
		in = f.NewInstr(op, 2, 0)
	}
	for i, unit := range [2]int{a, b} {
		in.Ops[i].Class, in.Ops[i].Size, in.Ops[i].Reg = classHalf, 1, mach.Reg(unit)
	}
	return in
}

// runCopies runs moves and swaps on a register file by units.
func runCopies(t *testing.T, ins []pinstr, regs *[gprUnits]uint16) {
	t.Helper()
	read := func(o isa.Operand) uint32 {
		if o.IsHalf() {
			return uint32(regs[o.Val])
		}
		return uint32(regs[2*o.Val]) | uint32(regs[2*o.Val+1])<<16
	}
	write := func(o isa.Operand, v uint32) {
		if o.IsHalf() {
			regs[o.Val] = uint16(v)
			return
		}
		regs[2*o.Val], regs[2*o.Val+1] = uint16(v), uint16(v>>16)
	}
	for i := range ins {
		x := &ins[i].Instr
		for _, o := range [...]isa.Operand{x.Dst, x.Srcs[0], x.Srcs[1], x.Srcs[2]} {
			if o.Kind == isa.Reg && o.IsShared() {
				t.Fatalf("%s names a shared register", x.Text(isa.A6xx))
			}
		}
		switch x.Op {
		case isa.OpMov:
			write(x.Dst, read(x.Srcs[0]))
		case isa.OpSwz:
			a, b := read(x.Srcs[0]), read(x.Srcs[1])
			write(x.Dst, a)
			write(x.Srcs[2], b)
		default:
			t.Fatalf("%s is neither a move nor a swap", x.Text(isa.A6xx))
		}
	}
}

// Halves of full registers without half names are moved and exchanged by way of low
// registers; nothing else changes.
func TestHighHalves(t *testing.T) {
	units := []int{0, 1, 2, 3, 190, halfUnits - 1, halfUnits, halfUnits + 1, 199, 201, gprUnits - 2, gprUnits - 1}
	for _, op := range []mach.Op{mach.OpMove, mach.OpSwap} {
		for _, a := range units {
			for _, b := range units {
				if a == b {
					continue
				}
				f := mach.NewFunc("copies", newISA(isa.A6xx))
				f.Ext = &code{gen: isa.A6xx}
				p := &phys{f: f, code: templates(f)}
				p.cur = p.newBlock()
				var got, want [gprUnits]uint16
				for i := range got {
					got[i], want[i] = uint16(i), uint16(i)
				}
				p.instr(halfOps(f, op, a, b))
				runCopies(t, p.blocks[p.cur].ins, &got)
				want[a] = uint16(b)
				if op == mach.OpSwap {
					want[b] = uint16(a)
				}
				if p.err != nil || got != want {
					t.Errorf("operation %d of units %d and %d does something else: %v", op, a, b, p.err)
				}
			}
		}
	}
}

// A half outside of its names is an error and no other register.
func TestHalfWithoutName(t *testing.T) {
	for _, c := range []struct {
		class uint8
		unit  int
		fails bool
	}{{classHalf, halfUnits - 1, false}, {classHalf, halfUnits, true}, {classFull, halfUnits, false}, {classSharedHalf, 31, false}, {classSharedHalf, 32, true}} {
		f := mach.NewFunc("name", newISA(isa.A6xx))
		p := &phys{f: f}
		p.operand(&mach.Operand{Class: c.class, Size: 1, Reg: mach.Reg(c.unit)})
		if (p.err != nil) != c.fails {
			t.Errorf("unit %d of class %s: %v", c.unit, machClasses[c.class].Name, p.err)
		}
	}
}
