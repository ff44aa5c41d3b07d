package core

import (
	"fmt"
	"testing"

	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

// TestRecordEdges: an output record has the words that the meta gives out. One beyond is told, and falls away without checks.
func TestRecordEdges(t *testing.T) {
	for word := range 8 {
		for _, check := range []bool{false, true} {
			m := vertexMeta()
			m.LayerViewportWord, m.Varyings = 0, []abi.Varying{{Slot: ir.SlotPos, Count: 4}}
			text := ""
			for k := range 4 {
				text += fmt.Sprintf("\tst_var 1, r5, %d\n", k)
			}
			p := build(t, m, text+fmt.Sprintf("\tst_var 1, r6, %d\n\tno_var 1, r0, r0l\n\tstop", word))
			l := vertices(2)
			l.Check, l.Out = check, make([]emu.Slots, 2)
			l.Env = &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}}
			_, err := p.NewWave(l).Run(100)
			if check && word > 3 {
				wantError(t, err, fmt.Sprintf("output word %d is given to nothing", word))
				continue
			}
			if err != nil {
				t.Errorf("word %d, check %v: %v", word, check, err)
				continue
			}
			for lane := range 2 {
				want := emu.Vec4{uint32(10 + lane), uint32(10 + lane), uint32(10 + lane), uint32(10 + lane)}
				if word < 4 {
					want[word] = 3 // the instance
				}
				if got := l.Out[lane][ir.SlotPos]; got != want {
					t.Errorf("word %d, check %v: lane %d has %v, want %v", word, check, lane, got, want)
				}
			}
		}
	}
}

// TestResidencyRoom: a residency code stands after the four components of its texel, in the same size, and within the registers.
func TestResidencyRoom(t *testing.T) {
	p := &program{meta: &abi.Meta{Stage: ir.StageFragment, Fetches: true}}
	for _, size := range []uint8{16, 32} {
		for mask := uint8(1); mask < 16; mask++ {
			for first := int32(2*numRegs) - 16; first < 2*numRegs-4*int32(size)/16+1; first += int32(size) / 16 {
				x := &inst{Instr: isa.Instr{Op: isa.OpTextureSample, Dim: isa.Dim2D, Mask: mask, Dst: isa.Operand{Kind: isa.Reg, Size: size, Val: first}}}
				if err := x.SetField(isa.TexResidency, 2); err != nil {
					t.Fatal(err)
				}
				want := mask == 15 && int(first)+8*int(size)/16 <= 2*numRegs
				if err := p.checkForm(x); (err == nil) != want {
					t.Errorf("components %04b of %d bits from half %d on: %v", mask, size, first, err)
				}
			}
		}
	}
}

// TestFragmentResults: without an epilog, what a main part leaves in registers is its outputs, each in its size.
func TestFragmentResults(t *testing.T) {
	m := fragMeta()
	m.Results = []abi.Result{{Slot: ir.SlotData0, Mask: 0b1011, Bits: 16, Reg: 20}, {Slot: ir.SlotData0, Index: 1, Mask: 0b0110, Bits: 32, Reg: 32},
		{Slot: ir.SlotData0 + 2, Mask: 1, Bits: 32, Reg: 24}, {Slot: ir.SlotStencil, Mask: 1, Bits: 16, Reg: 28}}
	text := ""
	for h := 20; h < 40; h++ {
		text += fmt.Sprintf("\tmov_imm r%d%c, %d\n", h/2, "lh"[h&1], 1000+h)
	}
	l := quads(8) // a whole group of threads
	mustFinish(t, build(t, m, text+"\tstop"), l)
	word := func(h uint32) uint32 { return 1000 + h | (1001+h)<<16 }
	for lane := range l.NumLanes {
		o := &l.Out[lane]
		if got := o[ir.SlotData0]; got[0] != 1020 || got[1] != 1021 || got[3] != 1023 {
			t.Errorf("lane %d: colour %v", lane, got)
		}
		if got := o[ir.SlotData0+7]; got[1] != word(34) || got[2] != word(36) {
			t.Errorf("lane %d: second source %x", lane, got)
		}
		if o[ir.SlotData0+2][0] != word(24) || o[ir.SlotStencil][0] != 1028 {
			t.Errorf("lane %d: third colour %x, stencil %d", lane, o[ir.SlotData0+2][0], o[ir.SlotStencil][0])
		}
	}
}
