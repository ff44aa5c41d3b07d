package core

import (
	"strings"
	"testing"

	"nirc/backend/midgard/isa"
)

// refused runs an access, whose address registers hold numbers that are as good as any, and looks for an error.
func refused(t *testing.T, name, want string, l isa.LoadStore) {
	t.Helper()
	m := newMachine(64)
	a := uint32(m.buf.Addr)
	data := [4]uint32{a, uint32(m.buf.Addr >> 32), a, uint32(m.buf.Addr >> 32)}
	err := m.compute(load(t, computeMeta(), constants(isa.RegConst, data), constants(isa.RegLdSt1, data), ldst(l)))
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: %v, want %q", name, err, want)
	}
}

// 64-bit addresses and operands are whole halves of the address registers.
func TestLongPairs(t *testing.T) {
	at := func(op isa.LdOp, arg, index uint8, f isa.IndexFormat) isa.LoadStore {
		return isa.LoadStore{Op: op, Reg: 2, Mask: 1, Swizzle: isa.XYZW, Toggle: true, Arg: isa.AddrReg{Comp: arg}, Index: isa.AddrReg{Reg: 1, Comp: index}, Format: f}
	}
	refused(t, "argument", "the 64-bit argument begins in the middle", at(isa.Ld32, 1, 0, isa.IndexU32))
	refused(t, "index", "the 64-bit index begins in the middle", at(isa.Ld32, 0, 1, isa.IndexU64))
	add := at(isa.LdAtomicAdd+1, 0, 0, isa.IndexU64)
	add.SetAtomicSrc(isa.AddrReg{Comp: 1})
	refused(t, "operand", "the 64-bit operand begins in the middle", add)
	refused(t, "comparand", "the 64-bit index begins in the middle", at(isa.LdAtomicCmpXchg+1, 0, 1, isa.IndexReserved))
	refused(t, "comparand with a format", "the format of an index", at(isa.LdAtomicCmpXchg, 0, 0, isa.IndexU32))
}

// Words lie at multiples of 4 bytes, halves at multiples of 2.
func TestAlignment(t *testing.T) {
	at := func(op isa.LdOp, offset int32) isa.LoadStore {
		return isa.LoadStore{Op: op, Reg: 1, Mask: 3, Swizzle: isa.XYZW, Toggle: true, Arg: isa.AddrReg{}, Index: zero, Offset: offset}
	}
	refused(t, "load of words", "is no multiple of 4", at(isa.Ld128, 2))
	refused(t, "load of a half", "is no multiple of 2", at(isa.LdU16, 1))
	refused(t, "store of words", "is no multiple of 4", at(isa.St64, 6))
}

// A buffer that the table lacks is not there to be read.
func TestMissingBuffer(t *testing.T) {
	refused(t, "missing", "uniform buffer 9 is read, the table has", ubo(isa.LdUbo32, 9, 0, 1))
}

// The operand of an atomic operation is all there: one component of 32 bits, two of 64.
func TestAtomicOperandDefined(t *testing.T) {
	for _, c := range []struct {
		op   isa.LdOp
		mask uint8 // what is written of r26, two bits a component
		want string
	}{
		{isa.LdAtomicAdd, 0x30, ""}, {isa.LdAtomicAdd, 0xcf, "component 2 of load/store input 0"},
		{isa.LdAtomicAdd + 1, 0xf0, ""}, {isa.LdAtomicAdd + 1, 0x30, "component 3 of load/store input 0"}, {isa.LdAtomicAdd + 1, 0xc0, "component 2 of load/store input 0"},
	} {
		m := newMachine(64)
		a := uint32(m.buf.Addr)
		l := isa.LoadStore{Op: c.op, Reg: 2, Mask: 1, Swizzle: isa.XYZW, Toggle: true, Arg: isa.AddrReg{Reg: 1}, Format: isa.IndexU32, Index: zero}
		l.SetAtomicSrc(isa.AddrReg{Comp: 2})
		some := alu(func(b *isa.Bundle) {
			b.SetConsts([4]uint32{1, 2, 3, 4})
			b.Add(isa.UnitVMUL, isa.Vector(isa.OpImov, isa.Mode32, isa.RegConst, c.mask).From(1, isa.VReg(isa.RegConst, isa.XYZW)))
		})
		err := m.compute(load(t, computeMeta(), constants(isa.RegLdSt1, [4]uint32{a, uint32(m.buf.Addr >> 32), a, uint32(m.buf.Addr >> 32)}), some, ldst(l)))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("operation %d, mask %#x: %v, want %q", c.op, c.mask, err, c.want)
		}
	}
}
