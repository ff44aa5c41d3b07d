package ir3

import (
	"testing"

	"nirc/backend/ir3/isa"
)

// TestAddNops: whatever stands before, exactly so many slots pass as are asked for, and no field holds more than it can:
// a nop takes 6 slots at most, the nop field of an instruction 3.
func TestAddNops(t *testing.T) {
	nop := func(repeat uint8) pinstr { return pinstr{Instr: isa.Instr{Op: isa.OpNop, Repeat: repeat}, to: -1} }
	alu := func(op isa.Op, nops int, repeat uint8) pinstr {
		p := pinstr{Instr: isa.Instr{Op: op, Repeat: repeat, Srcs: [4]isa.Operand{isa.R(0), isa.R(1), isa.R(2)}}, to: -1}
		if repeat == 0 {
			p.SetNops(nops)
		}
		return p
	}
	before := [][]pinstr{nil, {nop(0)}, {nop(4)}, {nop(5)}, {alu(isa.OpMov, 0, 0)}, {alu(isa.OpAddF, 0, 1)}, {alu(isa.OpMadF32, 0, 2)}}
	for nops := range 4 {
		before = append(before, []pinstr{alu(isa.OpAddF, nops, 0)}, []pinstr{alu(isa.OpMadF32, nops, 0)})
	}
	total := func(list []pinstr) (n int) {
		for i := range list {
			n += slots(&list[i].Instr)
		}
		return n
	}
	for _, b := range before {
		had := total(b)
		room := 0 // in the last one
		if len(b) > 0 {
			switch c := b[0].Op.Category(); {
			case b[0].Op == isa.OpNop:
				room = 5 - int(b[0].Repeat)
			case c > 1 && b[0].Repeat == 0:
				room = 3 - b[0].Nops()
			}
		}
		for n := range 20 {
			list := addNops(append([]pinstr(nil), b...), n, 7)
			if got := total(list) - had; got != n {
				t.Fatalf("%d slots after %v: %d pass", n, b, got)
			}
			if want := len(b) + (max(0, n-room)+5)/6; len(list) != want {
				t.Fatalf("%d slots after %v: %d instructions, want %d", n, b, len(list), want)
			}
			for i := range list {
				if x := &list[i]; x.Op == isa.OpNop && x.Repeat > 5 || x.Op.Category() > 1 && x.Repeat == 0 && x.Nops() > 3 {
					t.Fatalf("%d slots after %v: %v", n, b, x)
				}
			}
		}
	}
}
