package core

import (
	"fmt"
	"strings"
	"testing"

	"nirc/backend/ir3/abi"
	"nirc/backend/ir3/isa"
	"nirc/internal/emu"
)

// TestAtomicKinds runs every operation on local, global and buffer memory in
// one fiber and looks at the old and the new value.
func TestAtomicKinds(t *testing.T) {
	for _, c := range []struct {
		op             string
		typ            string
		old, a, b, new uint32
	}{
		{"add", "u32", 5, 3, 0, 8}, {"sub", "u32", 5, 3, 0, 2}, {"xchg", "u32", 5, 3, 0, 3},
		{"inc", "u32", 5, 9, 0, 6}, {"inc", "u32", 9, 9, 0, 0}, {"dec", "u32", 5, 9, 0, 4}, {"dec", "u32", 0, 9, 0, 9},
		{"cmpxchg", "u32", 5, 7, 5, 7}, {"cmpxchg", "u32", 5, 7, 6, 5},
		{"min", "u32", 5, 0xffffffff, 0, 5}, {"min", "s32", 5, 0xffffffff, 0, 0xffffffff},
		{"max", "u32", 5, 0xffffffff, 0, 0xffffffff}, {"max", "s32", 5, 0xffffffff, 0, 5},
		{"and", "u32", 6, 3, 0, 2}, {"or", "u32", 6, 3, 0, 7}, {"xor", "u32", 6, 3, 0, 5},
	} {
		for _, where := range []string{"local", "global", "buffer"} {
			m := newMachine()
			m.lanes, m.check = 1, true
			emu.StoreBytes(m.out.Data[400:], 4, uint64(c.old))
			m.consts = []uint32{uint32(m.out.Addr) + 400, uint32(m.out.Addr >> 32), c.old, c.a, c.b}
			var op string
			switch where {
			case "local":
				op = fmt.Sprintf("atomic.%s.untyped.1d.%s.1.l r1.x, l[r3.x], r2.y", c.op, c.typ)
			case "global":
				op = fmt.Sprintf("atomic.g.%s.untyped.1d.%s.1.g r1.x, r4.x, r2.y", c.op, c.typ)
			case "buffer":
				if c.op == "inc" || c.op == "dec" {
					continue
				}
				op = fmt.Sprintf("atomic.b.%s.untyped.1d.%s.1.imm.base0 r2.x, r3.y, 0\n(sy)mov.u32u32 r1.x, r2.x", c.op, c.typ)
			}
			m.mustRun(t, `
	(rpt2)mov.u32u32 r2.x, (r)c0.z
	mov.u32u32 r3.x, 8
	mov.u32u32 r3.y, 100
	(rpt1)mov.u32u32 r4.x, (r)c0.x
	(rpt5)nop
	stl.u32 l[r3.x], r2.x, 1
	(ss)nop
	`+op+store)
			got := m.word(100)
			if where == "local" {
				got = uint32(emu.LoadBytes(m.shared[8:], 4))
			}
			if m.word(0) != c.old || got != c.new {
				t.Errorf("%s %s of %d and %d: old %d, new %#x, want %d, %#x", where, c.op, c.old, c.a, m.word(0), got, c.old, c.new)
			}
		}
	}
}

// TestLongAtomics: the offset of an atomic of 64 bits on a buffer counts halves.
func TestLongAtomics(t *testing.T) {
	m := newMachine()
	m.lanes, m.check, m.gen = 1, true, isa.A7xx
	emu.StoreBytes(m.out.Data[400:], 8, 0x1_fffffffe)
	m.mustRun(t, `
	mov.u32u32 r2.z, 3
	mov.u32u32 r2.w, 0
	mov.u32u32 r3.y, 200
	(rpt5)nop
	atomic.b.xchg.untyped.1d.u64.1.imm.base0 r2.x, r3.y, 0
	(sy)mov.u32u32 r1.x, r2.x
	`+store)
	if got := emu.LoadBytes(m.out.Data[400:], 8); m.word(0) != 0xfffffffe || got != 3 {
		t.Errorf("old %#x, new %#x", m.word(0), got)
	}
}

// TestPreambleLoads fills the const file in every way.
func TestPreambleLoads(t *testing.T) {
	m := newMachine()
	m.check = true
	m.gen = isa.A7xx
	m.consts = make([]uint32, 128)
	m.push = []byte{1, 0, 0, 0, 2, 0, 0, 0, 3, 0}
	m.consts[0], m.consts[1] = uint32(m.ubo.Addr), uint32(m.ubo.Addr>>32)
	for i := range m.ubo.Data {
		m.ubo.Data[i] = byte(i)
	}
	m.mustRun(t, `
	shps #main
	getone #main
	mova1 a1.x, 64
	mov.u32u32 r48.x, c0.x
	mov.u32u32 r48.y, c0.y
	mov.u16u16 hr20.x, 21
	mov.u16u16 hr20.y, 22
	mov.u16u16 hr20.z, 23
	mov.u32u32 r5.x, 4
	(rpt5)nop
	ldc.2.k.imm.base0 c[a1.x], r5.x, 1
	(ss)nop
	ldg.k.u32 c[16], g[r48.x+8], 3
	stsc.u32 c[20], 1, 2
	stc.u16 c[24], hr20.x, 3
	mova1 a1.x, 28
	(rpt5)nop
	stc.u32 c[a1.x+1], r5.x, 1
	(sy)(ss)shpe
main:	(jp)add.u r1.x, r0.x, c16.y     ; ubo dword 17
	mov.u32u32 r2.x, c4.z              ; ubo dword 4
	mov.u32u32 r2.y, c5.y              ; push dword 2
	mov.u32u32 r2.z, c6.x              ; 21 | 22 << 16
	mov.u32u32 r2.w, c6.y              ; 23
	mov.u32u32 r3.x, c7.y              ; 4
	(rpt5)nop
	mov.u32u32 r6.x, 10
	mov.u32u32 r6.y, 14
	(rpt5)nop
	stib.b.untyped.1d.u32.4.imm.base0 r2.x, r6.x, 0
	stib.b.untyped.1d.u32.1.imm.base0 r3.x, r6.y, 0
	`+store)
	dword := func(i int) uint32 { return uint32(emu.LoadBytes(m.ubo.Data[4*i:], 4)) }
	m.expect(t, "ldc.k", func(i int) uint32 { return uint32(i) + dword(17) })
	for i, want := range []uint32{dword(4), 3, 21 | 22<<16, 23, 4} {
		if got := m.word(10 + i); got != want {
			t.Errorf("const %d: %#x, want %#x", i, got, want)
		}
	}
	m.consts = m.consts[:8]
	if err := m.run(t, "(rpt5)nop\nstc.u32 c[200], r5.x, 1\nend"); err == nil || !strings.Contains(err.Error(), "outside") {
		t.Errorf("store beyond the const file: %v", err)
	}
}

// TestGlobalOffsets: the offset register counts dwords on a6xx and bytes on
// a7xx.
func TestGlobalOffsets(t *testing.T) {
	for _, c := range []struct {
		gen         isa.Gen
		store, load string
	}{
		{isa.A6xx, "stg.a.u32 g[r4.x+(r0.x+1)<<2], r1.x, 1", "ldg.a.u32 r6.x, g[r4.x+(r0.x+1)<<2], 1"},
		{isa.A6xx, "stg.a.u32 g[r4.x+r0.x<<3+2<<2], r1.x, 1", "ldg.a.u32 r6.x, g[r4.x+r0.x<<3+2<<2], 1"},
		{isa.A7xx, "stg.a.u32 g[r4.x+r3.x+4], r1.x, 1", "ldg.a.u32 r6.x, g[c0.x+r3.x+4], 1"},
	} {
		m := newMachine()
		m.gen, m.check = c.gen, true
		m.consts = []uint32{uint32(m.out.Addr) + 400, uint32(m.out.Addr >> 32)}
		m.mustRun(t, `
	(rpt1)mov.u32u32 r4.x, (r)c0.x
	add.u r1.x, r0.x, 70
	shl.b r3.x, r0.x, 2
	(rpt5)nop
	`+c.store+"\n"+c.load+"\n(sy)(ss)add.u r1.x, r6.x, 1"+store)
		m.expect(t, c.load, func(i int) uint32 { return uint32(i) + 71 })
		step, first := 1, 101
		if strings.Contains(c.store, "<<3") {
			step, first = 2, 102
		}
		for i := 0; i < m.lanes; i++ {
			if m.word(first+i*step) != uint32(i)+70 {
				t.Errorf("%s: word %d is %d", c.store, first+i*step, m.word(first+i*step))
			}
		}
	}
}

// TestSmallElements: 16-bit access, 8-bit views, constant data and driver parameters.
func TestSmallElements(t *testing.T) {
	m := newMachine()
	m.check, m.lanes = true, 4
	m.consts = make([]uint32, 32)
	m.consts[9] = 0x17161514
	for i := range m.ubo.Data {
		m.ubo.Data[i] = byte(i)
	}
	m.edit = func(meta *abi.Meta) {
		meta.Descriptors = []abi.Descriptor{{Set: 0, Binding: 0, Slot: 0, Count: 1, Views: []uint8{2}}, {Binding: 2, Slot: 2, Count: 1, Views: []uint8{1}}, {Binding: 3, Slot: 3, Count: 1}}
		meta.ConstData = []byte{0, 0, 0, 0, 77, 0, 0, 0}
		meta.Consts.Driver = abi.Area{Offset: 12, Size: 12}
	}
	m.mustRun(t, `
	mov.u16u16 hr4.x, 171
	cov.u32u16 hr4.y, r0.x
	add.u r3.x, r0.x, 400
	add.u r3.y, r0.x, 300
	mov.u32u32 r5.x, 0
	mov.u32u32 r7.x, 50
	(rpt5)nop
	stib.b.typed.1d.u16.4.imm.base0 hr4.x, r3.x, 2
	stib.b.untyped.1d.u16.1.imm.base0 hr4.y, r3.y, 0
	ldib.b.untyped.1d.u16.1.imm.base0 hr8.x, r3.y, 0
	ldc.offset1.1.imm r6.x, r5.x, 0
	resinfo.b.untyped.1d.u32.1.imm.base0 r8.x, 0
	(sy)(ss)add.u r1.x, r6.x, c2.y
	add.u r2.x, r8.x, c4.w
	(rpt5)nop
	stib.b.untyped.1d.u32.1.imm.base0 r2.x, r7.x, 3
	stib.b.untyped.1d.u32.1.imm.base0 r1.x, r0.x, 3
	(sy)(ss)end`)
	m.expect(t, "constant data + const", func(int) uint32 { return 77 + 0x17161514 })
	for i := 0; i < 4; i++ {
		if m.out.Data[400+i] != 171 || m.out.Data[404] != 0 || m.out.Data[600+2*i] != byte(i) {
			t.Errorf("element %d: %d %d", i, m.out.Data[400+i], m.out.Data[600+2*i])
		}
	}
	if got := m.word(50); got != 2048+64 { // 16-bit elements + subgroup size
		t.Errorf("size + subgroup size %d", got)
	}
}
