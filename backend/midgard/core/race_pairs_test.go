package core

import (
	"context"
	"strings"
	"testing"

	"nirc/backend/midgard/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

// racyForm is an access to memory: what of it is touched, from its address on.
type racyForm struct {
	op    isa.LdOp
	mask  uint8
	swz   isa.Swizzle // of a load
	kind  emu.AccessKind
	bytes [][2]int // from, how many
}

var racyForms = []racyForm{
	{isa.LdU8, 1, isa.XYZW, emu.AccessRead, [][2]int{{0, 1}}},
	{isa.LdS16, 1, isa.XYZW, emu.AccessRead, [][2]int{{0, 2}}},
	{isa.Ld32, 2, isa.Rep(0), emu.AccessRead, [][2]int{{0, 4}}},
	{isa.Ld64, 2, isa.XYZW, emu.AccessRead, [][2]int{{4, 4}}},
	{isa.Ld128, 5, isa.XYZW, emu.AccessRead, [][2]int{{0, 4}, {8, 4}}},
	{isa.Ld128, 8, isa.Rep(1), emu.AccessRead, [][2]int{{4, 4}}},
	{isa.StU8, 1, 0, emu.AccessWrite, [][2]int{{0, 1}}},
	{isa.StU16, 3, 0, emu.AccessWrite, [][2]int{{0, 2}}},
	{isa.St32, 6, 0, emu.AccessWrite, [][2]int{{1, 2}}},
	{isa.St64, 12, 0, emu.AccessWrite, [][2]int{{4, 4}}},
	{isa.St128, 5, 0, emu.AccessWrite, [][2]int{{0, 4}, {8, 4}}},
	{isa.LdAtomicXchg, 1, 0, emu.AccessAtomic, [][2]int{{0, 4}}},
	{isa.LdAtomicAdd64, 1, 0, emu.AccessAtomic, [][2]int{{0, 8}}},
}

// access is a form at a byte of a memory and, of threads whose id has 1 in a component, of other memory; what it stores are words of r26 or of r27.
func (f *racyForm) access(base isa.AddrReg, at int, id, data uint8) isa.Bundle {
	l := mem(f.op, data, f.mask, int32(at))
	l.Arg, l.Index, l.Shift, l.Swizzle = base, isa.AddrReg{Reg: isa.AddrLocalID, Comp: id}, 7, isa.Swz(0, 1, 0, 1)
	switch f.kind {
	case emu.AccessRead:
		l.Reg, l.Swizzle = 2, f.swz
	case emu.AccessAtomic:
		l.Reg = 2
		l.SetAtomicSrc(isa.AddrReg{Reg: data})
	}
	return ldst(l)
}

// race reports whether accesses of two forms, the second so many bytes after the first, race: one stores to a byte that the other comes to. Words are
// loaded whole or not at all.
func race(a, b *racyForm, at int) bool {
	for _, x := range a.bytes {
		for _, y := range b.bytes {
			if from := y[0] + at; from < x[0]+x[1] && x[0] < from+y[1] && (a.kind == emu.AccessWrite || b.kind == emu.AccessWrite) {
				return true
			}
		}
	}
	return false
}

// TestRacePairs: accesses by two threads of a workgroup race where they meet in a byte that one stores, whatever their forms, and where they do not
// meet they do not; what shaders with coherent accesses do to buffers is never called a race.
func TestRacePairs(t *testing.T) {
	for i := range racyForms {
		for k := range racyForms {
			a, b := &racyForms[i], &racyForms[k]
			for at := -16; at <= 16; at++ {
				if at%int(b.op.Info().Size) != 0 {
					continue
				}
				for _, base := range []isa.AddrReg{{Comp: 2}, {Reg: isa.AddrLocal, Comp: 2}} {
					for _, coherent := range []bool{false, true} {
						meta := computeMeta()
						meta.WorkgroupSize, meta.SharedSize, meta.Coherent, meta.Robust.Storage = [3]uint32{2, 2, 1}, 512, coherent, ir.RobustOff
						prog := append(inputsBundle(0x11121314, 0x21222324, [4]uint32{0x31323334, 0x41424344}), a.access(base, 32, 0, 0), b.access(base, 32+at, 1, 1))
						params := emu.DispatchParams{Groups: [3]uint32{1, 1, 1}}
						params.Check = true
						err := emu.Dispatch(context.Background(), load(t, meta, prog...), newMachine(512).env, params)
						want := race(a, b, at) && !(coherent && base.Reg != isa.AddrLocal)
						if (err != nil) != want || err != nil && !strings.Contains(err.Error(), "race on") {
							t.Errorf("%s, and %d bytes on %s, at %v, coherent %v: %v, want a race %v", a.op, at, b.op, base, coherent, err, want)
						}
					}
				}
			}
		}
	}
}
