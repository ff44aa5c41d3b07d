package core

import (
	"slices"
	"testing"

	"nirc/backend/cost"
	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
	"nirc/ir"
)

// TestSpans: each bundle of a program reads and writes the components of work registers that its instructions name, whole ones alone are written, and
// uniform registers are none.
func TestSpans(t *testing.T) {
	read := func(reg uint8, comps ...int) (list []cost.Span) {
		for _, c := range comps {
			list = append(list, cost.Span{First: 4*int(reg) + c, N: 1})
		}
		return list
	}
	write := func(reg uint8, comps ...int) []cost.Span {
		list := read(reg, comps...)
		for i := range list {
			list[i].Write = true
		}
		return list
	}
	move := func(mode isa.Mode, dst, mask, src uint8, swizzle isa.Swizzle) isa.Bundle {
		return alu(func(b *isa.Bundle) {
			b.Add(isa.UnitVMUL, isa.Vector(isa.OpImov, mode, dst, mask).From(1, isa.VReg(src, swizzle)))
		})
	}
	load := func(reg, mask uint8) isa.Bundle {
		return ldst(isa.LoadStore{Op: isa.LdUbo128, Reg: reg, Mask: mask, Swizzle: isa.XYZW, Arg: zero, Index: zero})
	}
	out := writeout(6, 0, 0, false)
	out.Next = isa.TagBreak
	prog := []isa.Bundle{
		load(5, 6), load(isa.RegTex0, 15), // which is no work register
		move(isa.Mode32, 2, 0x0f, 5, isa.Swz(1, 2, 0, 0)), move(isa.Mode32, 3, 0xff, 23, isa.XYZW), move(isa.Mode32, 4, 0xff, 7, isa.Rep(3)),
		move(isa.Mode16, 6, 0x01, 4, isa.XYZW), move(isa.Mode16, 6, 0x03, 4, isa.XYZW), move(isa.Mode32, 9, 0xff, 2, isa.Rep(0)),
		out, writeout(6, 0, -int32(out.Quads()), false),
	}
	want := [][]cost.Span{
		write(5, 1, 2), nil, append(read(5, 1, 2), write(2, 0, 1)...), write(3, 0, 1, 2, 3), append(read(7, 3), write(4, 0, 1, 2, 3)...),
		read(4, 0), append(read(4, 0), write(6, 0)...), read(2, 0),
	}
	meta := &abi.Meta{Stage: ir.StageFragment, WorkRegs: 8, FirstTag: isa.TagLdSt}
	got := Spans(encode(t, prog), meta)
	at := 0
	for i := range want {
		have := got[16*at]
		order := func(a, b cost.Span) int {
			if a.Write != b.Write {
				return map[bool]int{true: 1, false: -1}[a.Write]
			}
			return a.First - b.First
		}
		slices.SortFunc(have, order)
		if have = slices.Compact(have); !slices.Equal(have, want[i]) {
			t.Errorf("bundle %d: %+v, want %+v", i, have, want[i])
		}
		at += prog[i].Quads()
	}
	if last := got[16*at]; !slices.Contains(last, cost.Span{First: 0, N: 1}) || !slices.Contains(last, cost.Span{First: 3, N: 1}) || !slices.Contains(last, cost.Span{First: 24, N: 1}) {
		t.Errorf("the writeout: %+v", last)
	}
	meta.FirstTag = isa.TagTex
	if Spans(encode(t, prog), meta) != nil {
		t.Error("code that cannot be loaded has spans")
	}
}
