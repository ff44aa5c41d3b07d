package core

import (
	"testing"

	"nirc/backend/ir3/isa"
)

// TestAtomicOps: each atomic of buffers, addresses and workgroup memory does what its name says.
func TestAtomicOps(t *testing.T) {
	type row struct {
		kind    atomicKind
		g, l, b isa.Op // 0: there is none
	}
	for _, c := range []row{
		{atomicAdd, isa.OpAtomicGAdd, isa.OpAtomicLAdd, isa.OpAtomicBAdd}, {atomicSub, isa.OpAtomicGSub, isa.OpAtomicLSub, isa.OpAtomicBSub},
		{atomicXchg, isa.OpAtomicGXchg, isa.OpAtomicLXchg, isa.OpAtomicBXchg}, {atomicInc, isa.OpAtomicGInc, isa.OpAtomicLInc, 0},
		{atomicDec, isa.OpAtomicGDec, isa.OpAtomicLDec, 0}, {atomicCmpxchg, isa.OpAtomicGCmpxchg, isa.OpAtomicLCmpxchg, isa.OpAtomicBCmpxchg},
		{atomicMin, isa.OpAtomicGMin, isa.OpAtomicLMin, isa.OpAtomicBMin}, {atomicMax, isa.OpAtomicGMax, isa.OpAtomicLMax, isa.OpAtomicBMax},
		{atomicAnd, isa.OpAtomicGAnd, isa.OpAtomicLAnd, isa.OpAtomicBAnd}, {atomicOr, isa.OpAtomicGOr, isa.OpAtomicLOr, isa.OpAtomicBOr},
		{atomicXor, isa.OpAtomicGXor, isa.OpAtomicLXor, isa.OpAtomicBXor},
	} {
		for _, op := range []isa.Op{c.g, c.l, c.b} {
			if x := (inst{Instr: isa.Instr{Op: op}}); op != 0 && x.atomicOp() != c.kind {
				t.Errorf("%s is operation %d, want %d", op, x.atomicOp(), c.kind)
			}
		}
	}
	words := []uint64{0, 1, 7, 8, 0x7fffffff, 0x80000000, 0xffffffff}
	for _, v := range words {
		for _, a := range words {
			inc, dec, exchanged := v+1, v-1, v
			if v >= a {
				inc = 0
			}
			if v == 0 || v > a {
				dec = a
			}
			if v == 8 {
				exchanged = a
			}
			least, most := min(v, a), max(v, a)
			signed := [2]uint64{uint64(uint32(min(int32(v), int32(a)))), uint64(uint32(max(int32(v), int32(a))))}
			for kind, want := range map[atomicKind]uint64{atomicAdd: v + a, atomicSub: v - a, atomicXchg: a, atomicInc: inc, atomicDec: dec, atomicCmpxchg: exchanged,
				atomicMin: least, atomicMax: most, atomicAnd: v & a, atomicOr: v | a, atomicXor: v ^ a} {
				if got := atomic(kind, isa.U32, v, a, 8); got != want {
					t.Errorf("operation %d of %#x and %#x: %#x, want %#x", kind, v, a, got, want)
				}
			}
			for k, kind := range []atomicKind{atomicMin, atomicMax} {
				if got := atomic(kind, isa.S32, v, a, 8); got != signed[k] {
					t.Errorf("signed operation %d of %#x and %#x: %#x, want %#x", kind, v, a, got, signed[k])
				}
			}
		}
	}
}
