package core

import (
	"strings"
	"testing"

	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

var zero = isa.AddrReg{Reg: isa.AddrZero}

// inputsBundle fills r26 = (x, y, address of the buffer) and r27.
func inputsBundle(x, y uint32, r27 [4]uint32) []isa.Bundle {
	return []isa.Bundle{
		constants(isa.RegConst, [4]uint32{x, y, 0, 0}),
		constants(isa.RegLdSt1, r27),
		alu(func(b *isa.Bundle) {
			b.Add(isa.UnitVMUL, isa.Vector(isa.OpImov, isa.Mode64, isa.RegConst, 0xf0).From(1, isa.VReg(23, isa.Swz(0, 1, 0, 1))))
		}),
	}
}

// mem is a memory operation at the buffer plus offset, r26.zw being its address.
func mem(op isa.LdOp, reg, mask uint8, offset int32) isa.LoadStore {
	return isa.LoadStore{Op: op, Reg: reg, Mask: mask, Swizzle: isa.XYZW, Arg: isa.AddrReg{Comp: 2}, Toggle: true, Format: isa.IndexU32,
		Index: zero, Offset: offset}
}

func words4(b []byte) (v [4]uint32) {
	for i := range v {
		v[i] = uint32(emu.LoadBytes(b[4*i:], 4))
	}
	return v
}

func TestLoads(t *testing.T) {
	for _, c := range []struct {
		name string
		l    isa.LoadStore
		want [4]uint32
	}{
		{"u8", mem(isa.LdU8, 2, 1, 3), [4]uint32{0x83}},
		{"s8", mem(isa.LdS8, 2, 1, 3), [4]uint32{0xffffff83}},
		{"s16", mem(isa.LdS16, 2, 1, 2), [4]uint32{0xffff8302}},
		{"u16 big-endian", mem(isa.LdU16Be, 2, 1, 2), [4]uint32{0x0283}},
		{"32", mem(isa.Ld32, 2, 1, 4), [4]uint32{0x07060504}},
		{"bswap4", mem(isa.Ld32Bswap4, 2, 1, 4), [4]uint32{0x04050607}},
		{"64", mem(isa.Ld64, 2, 3, 4), [4]uint32{0x07060504, 0x0b0a0908}},
		{"128", mem(isa.Ld128, 2, 15, 0), [4]uint32{0x83020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c}},
		{"128 mask", mem(isa.Ld128, 2, 10, 0), [4]uint32{0, 0x07060504, 0, 0x0f0e0d0c}},
		{"swizzled", isa.LoadStore{Op: isa.Ld32, Reg: 2, Mask: 8, Arg: isa.AddrReg{Comp: 2}, Toggle: true, Format: isa.IndexU32, Index: zero, Offset: 8},
			[4]uint32{0, 0, 0, 0x0b0a0908}},
		{"index", isa.LoadStore{Op: isa.Ld32, Reg: 2, Mask: 1, Swizzle: isa.XYZW, Arg: isa.AddrReg{Comp: 2}, Toggle: true, Format: isa.IndexS32,
			Index: isa.AddrReg{Reg: 0, Comp: 1}, Shift: 2, Offset: 12}, [4]uint32{0x07060504}},
		{"index u64 alone", isa.LoadStore{Op: isa.Ld32, Reg: 2, Mask: 1, Swizzle: isa.XYZW, Arg: zero, Format: isa.IndexU64,
			Index: isa.AddrReg{Reg: 0, Comp: 2}, Offset: 4}, [4]uint32{0x07060504}},
		{"outside", mem(isa.Ld32, 2, 1, 0x10000), [4]uint32{}},
		{"ids", isa.LoadStore{Op: isa.LdMov, Reg: 2, Mask: 7, Swizzle: isa.XYZW, Arg: isa.AddrReg{Reg: isa.AddrGlobal}}, [4]uint32{33, 22, 27}},
		{"local id", isa.LoadStore{Op: isa.LdMov, Reg: 2, Mask: 7, Swizzle: isa.Swz(2, 1, 0, 0), Arg: isa.AddrReg{Reg: isa.AddrLocalID}}, [4]uint32{3, 2, 1}},
		{"ubo", ubo(isa.LdUbo32, 1, 4, 3), [4]uint32{0x22222222}},
		{"ubo outside", ubo(isa.LdUbo128, 1, 0x7ff0, 15), [4]uint32{}},
	} {
		m := newMachine(64)
		for i := range 32 {
			m.buf.Data[i] = byte(i)
		}
		m.buf.Data[3] = 0x83
		meta := computeMeta()
		meta.UBOs = append(meta.UBOs, abi.UBO{Kind: abi.UBOPush})
		m.env.Push = []byte{1, 0, 0, 0, 0x22, 0x22, 0x22, 0x22}
		prog := append(inputsBundle(0, ^uint32(1), [4]uint32{}), constants(2, [4]uint32{}), ldst(c.l))
		switch err := m.compute(load(t, meta, append(prog, output(2, 32)...)...)); {
		case c.name == "outside":
			if err == nil || !strings.Contains(err.Error(), "nothing is mapped") {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		case err != nil:
			t.Errorf("%s: %v", c.name, err)
		}
		got := words4(m.buf.Data[32:])
		if c.name == "ubo outside" {
			if got == c.want {
				t.Errorf("%s: %#x, which code may count on", c.name, got)
			}
			continue
		}
		if got != c.want {
			t.Errorf("%s: %#x, want %#x", c.name, got, c.want)
		}
	}
}

func ubo(op isa.LdOp, index, offset int, mask uint8) isa.LoadStore {
	l := isa.LoadStore{Op: op, Reg: 2, Mask: mask, Swizzle: isa.XYZW, Index: zero}
	if mask == 3 {
		l.Mask = 1
	}
	l.SetUBO(index, offset)
	return l
}

func TestStores(t *testing.T) {
	data := [4]uint32{0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c}
	for _, c := range []struct {
		name string
		l    isa.LoadStore
		want [4]uint32
	}{
		{"u8", mem(isa.StU8, 1, 1, 1), [4]uint32{0x0000}},
		{"u16", mem(isa.StU16, 1, 3, 2), [4]uint32{0x01000000}},
		{"32 swizzle", isa.LoadStore{Op: isa.St32, Reg: 1, Mask: 15, Swizzle: isa.Rep(2), Arg: isa.AddrReg{Comp: 2}, Toggle: true, Format: isa.IndexU32, Index: zero, Offset: 4},
			[4]uint32{0, 0x0b0a0908}},
		{"64 mask", mem(isa.St64, 1, 6, 0), [4]uint32{0x03020000, 0x00000504}},
		{"128 mask", mem(isa.St128, 1, 5, 0), [4]uint32{0x03020100, 0, 0x0b0a0908}},
		{"128 big-endian", mem(isa.St128Bswap8, 1, 15, 0), [4]uint32{0x04050607, 0x00010203, 0x0c0d0e0f, 0x08090a0b}},
	} {
		m := newMachine(32)
		prog := append(inputsBundle(0, 0, data), ldst(c.l))
		if err := m.compute(load(t, computeMeta(), prog...)); err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if got := words4(m.buf.Data); got != c.want {
			t.Errorf("%s: %#x, want %#x", c.name, got, c.want)
		}
	}
}

func TestAtomics(t *testing.T) {
	for _, c := range []struct {
		op      isa.LdOp
		v, want uint32
	}{
		{isa.LdAtomicAdd, 5, 12}, {isa.LdAtomicAnd, 5, 5}, {isa.LdAtomicOr, 8, 15}, {isa.LdAtomicXor, 2, 5},
		{isa.LdAtomicSmin, ^uint32(0), ^uint32(0)}, {isa.LdAtomicUmin, ^uint32(0), 7}, {isa.LdAtomicSmax, ^uint32(0), 7},
		{isa.LdAtomicUmax, ^uint32(0), ^uint32(0)}, {isa.LdAtomicXchg, 3, 3}, {isa.LdAtomicCmpXchg, 9, 9},
	} {
		for _, shared := range []bool{false, true} {
			m := newMachine(64)
			emu.StoreBytes(m.buf.Data, 4, 7)
			meta := computeMeta()
			meta.SharedSize = 16
			l := mem(c.op, 2, 5, 0) // the old value lands in x and in z
			l.SetAtomicSrc(isa.AddrReg{Reg: 1, Comp: 2})
			// The value compared with is r27.y; it takes the index's place.
			if c.op == isa.LdAtomicCmpXchg {
				l.Index, l.Format = isa.AddrReg{Reg: 1, Comp: 1}, isa.IndexReserved
			}
			if shared {
				l.Arg = isa.AddrReg{Reg: isa.AddrLocal, Comp: 2}
			}
			prog := append(inputsBundle(0, 0, [4]uint32{7, 7, c.v, 0}), constants(2, [4]uint32{}))
			first := l
			first.Arg = isa.AddrReg{Reg: isa.AddrLocal, Comp: 2}
			st := mem(isa.St32, 1, 15, 0)
			st.Arg = first.Arg
			prog = append(prog, ldst(st), ldst(l))
			back := mem(isa.Ld32, 2, 2, 0)
			back.Swizzle = 0
			back.Arg = l.Arg
			prog = append(prog, ldst(back))
			if err := m.compute(load(t, meta, append(prog, output(2, 16)...)...)); err != nil {
				t.Errorf("%s: %v", c.op, err)
			} else if got := words4(m.buf.Data[16:]); got != ([4]uint32{7, c.want, 7}) {
				t.Errorf("%s (shared %t): old and new %#x, want 7, %#x", c.op, shared, got, c.want)
			}
		}
	}
}

// TestScratch stores to thread-local storage through both of its pointers.
func TestScratch(t *testing.T) {
	m := newMachine(64)
	meta := computeMeta()
	meta.TLSSize = 32
	st, ld := mem(isa.St128, 1, 15, 16), mem(isa.Ld128, 2, 15, 16)
	st.Arg = isa.AddrReg{Reg: isa.AddrLocal, Comp: 0}
	ld.Arg = isa.AddrReg{Reg: isa.AddrPCSP, Comp: 2}
	prog := append(inputsBundle(0, 0, [4]uint32{1, 2, 3, 4}), ldst(st), ldst(ld))
	if err := m.compute(load(t, meta, append(prog, output(2, 0)...)...)); err != nil || words4(m.buf.Data) != ([4]uint32{1, 2, 3, 4}) {
		t.Errorf("%v, %v", words4(m.buf.Data), err)
	}
	st.Offset = 24
	prog = append(inputsBundle(0, 0, [4]uint32{}), ldst(st))
	if err := m.compute(load(t, meta, prog...)); err == nil {
		t.Error("no error beyond the end of the storage")
	}
}

// TestBarrier: a thread writes shared memory, the other reads it after the
// barrier.
func TestBarrier(t *testing.T) {
	meta := computeMeta()
	meta.SharedSize = 8
	st, ld := mem(isa.St32, 1, 15, 0), mem(isa.Ld32, 2, 1, 4)
	shared := isa.AddrReg{Reg: isa.AddrLocal, Comp: 2}
	st.Arg, st.Format, st.Index, st.Shift = shared, isa.IndexU32, isa.AddrReg{Reg: isa.AddrLocalID}, 2
	ld.Arg = shared
	bar := isa.Bundle{Tag: isa.TagBarrier, Tex: isa.Barrier()}
	prog := append(inputsBundle(0, 0, [4]uint32{77}), constants(2, [4]uint32{}), ldst(st), bar, ldst(ld))
	p := load(t, meta, append(prog, output(2, 0)...)...)
	m := newMachine(32)
	mem := make([]byte, 8)
	var waves [2]emu.Wave
	for i := range waves {
		waves[i] = p.NewWave(&emu.Launch{Env: m.env, NumLanes: 1, Check: true,
			Compute: &emu.ComputeLaunch{LocalID: [][3]uint32{{uint32(i)}}, Shared: mem}})
		if st, err := waves[i].Run(1000); st != emu.StatusBarrier || err != nil {
			t.Fatalf("status %d, %v", st, err)
		}
	}
	if st, err := waves[0].Run(1000); st != emu.StatusDone || err != nil {
		t.Fatalf("status %d, %v", st, err)
	}
	if got := words4(m.buf.Data)[0]; got != 77 {
		t.Errorf("read %d", got)
	}
}

// TestBarrierAtTheEnd: a wave whose turn ends with a barrier stands at it all the same, wherever its turns end.
func TestBarrierAtTheEnd(t *testing.T) {
	bar := isa.Bundle{Tag: isa.TagBarrier, Tex: isa.Barrier()}
	prog := append(inputsBundle(0, 0, [4]uint32{77}), bar, bar)
	p := load(t, computeMeta(), append(prog, output(2, 0)...)...)
	for fuel := 1; fuel <= len(prog)+1; fuel++ {
		w := p.NewWave(&emu.Launch{Env: newMachine(32).env, NumLanes: 1, Compute: &emu.ComputeLaunch{LocalID: [][3]uint32{{}}}})
		barriers := 0
		for turns := 0; turns < 100; turns++ {
			st, err := w.Run(fuel)
			if err != nil {
				t.Fatal(err)
			}
			if st == emu.StatusBarrier {
				barriers++
			}
			if st == emu.StatusDone {
				break
			}
		}
		if barriers != 2 {
			t.Errorf("turns of %d bundles: %d barriers, want 2", fuel, barriers)
		}
	}
}

func TestImage(t *testing.T) {
	m := newMachine(64)
	meta := computeMeta()
	meta.Images = []abi.Texture{{Range: abi.Range{Binding: 1, First: 35, Stride: 1, Count: 1}, Dim: ir.DimBuf}}
	format := emu.FormatByName("R32_UINT")
	if format == nil {
		t.Fatal("no format R32_UINT")
	}
	texels := m.env.Mem.Alloc(16)
	m.env.Bindings.Set(0, 1, []emu.Descriptor{{Type: emu.DescStorageTexelBuffer, Addr: texels.Addr, Size: 16, Format: format}})
	st := isa.LoadStore{Op: isa.StImageU32, Reg: 1, Mask: 15, Swizzle: isa.XYZW, Arg: isa.AddrReg{Comp: 0}, Format: isa.AttrSecondary, Index: zero}
	st.SetSlot(35, 0)
	ld := st
	ld.Op, ld.Reg = isa.LdImageU32, 2
	prog := append(inputsBundle(3, 0, [4]uint32{42, 1, 1, 1}), ldst(st), ldst(ld))
	if err := m.compute(load(t, meta, append(prog, output(2, 0)...)...)); err != nil {
		t.Fatal(err)
	}
	if got := words4(texels.Data); got[3] != 42 {
		t.Errorf("texels %v", got)
	}
	if got := words4(m.buf.Data); got != ([4]uint32{42, 0, 0, 1}) {
		t.Errorf("loaded %v", got)
	}
}

// TestHelpersChangeNothing: a helper thread that stores or does an atomic operation is told, on its own memory it may store.
func TestHelpersChangeNothing(t *testing.T) {
	for _, op := range []isa.LdOp{isa.St32, isa.LdAtomicAdd} {
		for _, helper := range []bool{false, true} {
			m := newMachine(64)
			w := &wave{p: &program{meta: computeMeta()}, l: &emu.Launch{Env: m.env, Check: true}, check: true, threads: make([]thread, 1)}
			th := &w.threads[0]
			th.helper = helper
			in := [2][2]uint64{{m.buf.Addr, 1}, {1, 1}}
			l := isa.LoadStore{Op: op, Reg: 1, Mask: 1, Swizzle: isa.XYZW, Toggle: true, Arg: isa.AddrReg{}, Format: isa.IndexU32, Index: isa.AddrReg{Reg: isa.AddrZero}}
			s := &inputs{w: w, t: th, in: in}
			var err error
			if op == isa.St32 {
				err = w.store(s, &l)
			} else {
				err = w.atomic(s, &l)
			}
			if helper != (err != nil && strings.Contains(err.Error(), "a helper thread writes memory")) {
				t.Errorf("%s by a helper, %v: %v", op, helper, err)
			}
		}
	}
}
