package core

import (
	"regexp"
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/backend/ir3/abi"
	"nirc/backend/ir3/isa"
	"nirc/backend/layout"
	"nirc/internal/emu"
	"nirc/ir"
)

// everyTable: programs that are written by hand reach descriptors of all kinds.
var everyTable = abi.Bindless{Textures: true, Samplers: true, Storage: true, Uniforms: true}

// machine runs small compute programs: r0.x is the local invocation index in
// x, storage buffer 0 is slot 0 of set 0, uniform buffer 1 slot 1.
type machine struct {
	gen      isa.Gen
	lanes    int
	double   bool
	check    bool
	branch   int
	regs     int
	consts   []uint32 // c0.x...
	gpu      string   // "": rules of the generation alone
	private  uint32
	waves    int
	mem      *emu.Memory
	out, ubo *emu.Buffer
	meta     abi.Meta
	shared   []byte
	last     []*emu.Launch
	edit     func(m *abi.Meta)
	push     []byte
	seed     uint64 // of garbage
}

// testLayout has four buffers, so that binding and slot are the same number.
var testLayout = &layout.Layout{Sets: []layout.Set{{Bindings: []layout.Binding{
	{Binding: 0, Type: layout.StorageBuffer, Count: 1}, {Binding: 1, Type: layout.UniformBuffer, Count: 1},
	{Binding: 2, Type: layout.StorageBuffer, Count: 1}, {Binding: 3, Type: layout.StorageBuffer, Count: 1}}}}}

var lastLine = regexp.MustCompile(`(?m)^[ \t]*end[ \t]*$`)

func newMachine() *machine {
	m := &machine{gen: isa.A6xx, lanes: 8, regs: 48, branch: 8, waves: 1, mem: emu.NewMemory()}
	m.out, m.ubo = m.mem.Alloc(4096), m.mem.Alloc(256)
	return m
}

func (m *machine) load(t *testing.T, text string) emu.Program {
	t.Helper()
	if g := abi.FindGPU(m.gpu); g != nil && g.Lock {
		text = lastLine.ReplaceAllString(text, "(sy)(ss)(jp)lock\nunlock\nend")
	}
	code, err := isa.Assemble(m.gen, text)
	if err != nil {
		t.Fatal(err)
	}
	return m.loadCode(t, code)
}

func (m *machine) loadCode(t testing.TB, code []byte) emu.Program {
	t.Helper()
	m.meta = abi.Meta{Gen: m.gen, Bindless: everyTable, Stage: ir.StageCompute, DoubleWave: m.double, MaxRegs: m.regs, BranchStack: m.branch,
		GPU: m.gpu, ConstLen: max(4, (len(m.consts)+15)/16*4), PrivateSize: m.private,
		SharedSize: 1024, WorkgroupSize: [3]uint32{uint32(m.lanes * m.waves), 1, 1},
		Sysvals: []abi.Sysval{{Kind: abi.LocalInvocationID, Reg: 0, Mask: 1}, {Kind: abi.WorkgroupID, Reg: 55 * 4}},
		Consts:  abi.Consts{Immediates: m.consts},
		Descriptors: []abi.Descriptor{{Set: 0, Binding: 0, Slot: 0, Count: 1, Views: []uint8{4}},
			{Set: 0, Binding: 1, Slot: 1, Count: 1}}}
	if m.edit != nil {
		m.edit(&m.meta)
	}
	p, err := Load(code, &m.meta)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (m *machine) start(p emu.Program) (waves []emu.Wave) {
	b := &emu.Bindings{}
	b.Set(0, 0, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: m.out.Addr, Size: uint64(len(m.out.Data))}})
	b.Set(0, 1, []emu.Descriptor{{Type: emu.DescUniformBuffer, Addr: m.ubo.Addr, Size: uint64(len(m.ubo.Data))}})
	b.Set(0, 2, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: m.out.Addr, Size: uint64(len(m.out.Data))}})
	b.Set(0, 3, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: m.out.Addr, Size: uint64(len(m.out.Data))}})
	env := &emu.Env{Mem: m.mem, Bindings: b, Push: m.push, Layout: testLayout}
	m.shared = make([]byte, 1024)
	m.last = nil
	for k := 0; k < m.waves; k++ {
		c := &emu.ComputeLaunch{WorkgroupID: [3]uint32{5, 6, 7}, NumWorkgroups: [3]uint32{8, 8, 8}, Shared: m.shared}
		for i := 0; i < m.lanes; i++ {
			c.LocalID = append(c.LocalID, [3]uint32{uint32(k*m.lanes + i)})
		}
		l := &emu.Launch{Env: env, NumLanes: m.lanes, Check: m.check, Seed: m.seed, Compute: c}
		m.last = append(m.last, l)
		waves = append(waves, p.NewWave(l))
	}
	return waves
}

// run executes to the end and returns the error, if any.
func (m *machine) run(t *testing.T, text string) error {
	t.Helper()
	waves := m.start(m.load(t, text))
	return gputest.RunWaves(waves, 50)
}

func (m *machine) mustRun(t *testing.T, text string) {
	t.Helper()
	if err := m.run(t, text); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
}

func (m *machine) word(i int) uint32 { return uint32(emu.LoadBytes(m.out.Data[4*i:], 4)) }

// store is the tail that writes r1.x of every fiber to the buffer at r0.x.
const store = `
	(rpt5)nop
	(sy)(ss)nop
	stib.b.untyped.1d.u32.1.imm.base0 r1.x, r0.x, 0
	end
`

// prologue leaves r0.x alone and gives time.
func (m *machine) expect(t *testing.T, what string, f func(i int) uint32) {
	t.Helper()
	for i := 0; i < m.lanes*m.waves; i++ {
		if got, want := m.word(i), f(i); got != want {
			t.Errorf("%s: fiber %d has %#x, want %#x", what, i, got, want)
		}
	}
}

func TestDivergenceShapes(t *testing.T) {
	b := func(c bool, x, y uint32) uint32 {
		if c {
			return x
		}
		return y
	}
	for _, c := range []struct {
		name, text string
		want       func(i int) uint32
	}{
		{"if else", `
	cmps.u.lt p0.x, r0.x, 3
	(rpt5)nop
	br !p0.x, #else
	mov.u32u32 r1.x, 10
	jump #end
else:	(jp)mov.u32u32 r1.x, 20
end:	(jp)nop` + store, func(i int) uint32 { return b(i < 3, 10, 20) }},
		{"if without else", `
	mov.u32u32 r1.x, 7
	cmps.u.ge p0.y, r0.x, 5
	(rpt5)nop
	br !p0.y, #end
	mov.u32u32 r1.x, 8
end:	(jp)nop` + store, func(i int) uint32 { return b(i >= 5, 8, 7) }},
		{"loop with break", `
	mov.u32u32 r1.x, 0
	(rpt5)nop
loop:	cmps.u.ge p0.x, r1.x, r0.x
	(rpt5)nop
	br p0.x, #after
	(nop3) add.u r1.x, r1.x, 2
	jump #loop
after:	(jp)nop` + store, func(i int) uint32 { return uint32(i+1) &^ 1 }},
		{"elect", `
	mov.u32u32 r1.x, 0
	cmps.u.ge p0.x, r0.x, 2
	(rpt5)nop
	br !p0.x, #end
	getone #end
	mov.u32u32 r1.x, 1
end:	(jp)nop` + store, func(i int) uint32 { return b(i == 2, 1, 0) }},
		{"ballot", `
	(rpt1)mov.u32u32 r48.x, 0
	cmps.u.ne p0.x, r0.x, 1
	(rpt5)nop
	br !p0.x, #out
	(ss)movmsk.w64 r48.x
out:	(jp)(ss)mov.u32u32 r1.x, r48.x` + store, func(i int) uint32 { return 0xfd }},
		{"all fibers meet after if else", `
	cmps.u.lt p0.x, r0.x, 3
	(rpt5)nop
	br !p0.x, #else
	mov.u32u32 r1.x, 10
	jump #end
else:	(jp)mov.u32u32 r1.x, 20
end:	(jp)movmsk.w64 r48.x
	(ss)mov.u32u32 r1.x, r48.x` + store, func(i int) uint32 { return 0xff }},
		{"do while, all fibers meet after it", `
	mov.u32u32 r2.x, 0
	(rpt5)nop
loop:	(nop3) add.u r2.x, r2.x, 1
	cmps.u.lt p0.x, r2.x, r0.x
	(rpt5)nop
	br p0.x, #loop
	(jp)movmsk.w64 r48.x
	(ss)mul.u24 r1.x, r2.x, r48.x` + store, func(i int) uint32 { return 0xff * max(uint32(i), 1) }},
		{"nested break", `
	mov.u32u32 r1.x, 0
	cmps.u.lt p0.y, r0.x, 6
	(rpt5)nop
outer:	cmps.u.gt p0.x, r1.x, r0.x
	(rpt5)nop
	br p0.x, #after
	br !p0.y, #skip
	(nop3) add.u r1.x, r1.x, 3
	jump #next
skip:	(jp)(nop3) add.u r1.x, r1.x, 5
next:	(jp)jump #outer
after:	(jp)movmsk.w64 r48.x
	(ss)add.u r1.x, r1.x, r48.x` + store, func(i int) uint32 {
			step := b(i < 6, 3, 5)
			return (uint32(i)/step+1)*step + 0xff
		}},
		{"inclusive scan", `
	mov.u32u32 r48.x, 0
	add.u r2.x, r0.x, 1
	(rpt2)nop
loop:	getone #footer
	(ss)(nop3) add.u r1.x, r2.x, r48.x
	mov.u32u32 r48.x, r1.x
	jump #after
footer:	(jp)jump #loop
after:	(jp)nop` + store, func(i int) uint32 { return uint32((i + 1) * (i + 2) / 2) }},
		{"predication", `
	cmps.u.lt p0.x, r0.x, 4
	(rpt5)nop
	predt
	mov.u32u32 r1.x, 1
	predf
	mov.u32u32 r1.x, 2
	prede
	nop` + store, func(i int) uint32 { return b(i < 4, 1, 2) }},
		{"braa, brao, bany, ball", `
	mov.u32u32 r1.x, 0
	cmps.u.lt p0.x, r0.x, 4
	cmps.u.gt p0.y, r0.x, 1
	cmps.u.gt p0.z, r0.x, 100
	(rpt5)nop
	bany p0.z, #bad
	ball p0.x, #bad
	braa p0.x, p0.y, #one
	brao p0.z, !p0.y, #two
	mov.u32u32 r1.x, 3
	jump #end
one:	(jp)mov.u32u32 r1.x, 1
	jump #end
two:	(jp)mov.u32u32 r1.x, 2
	jump #end
bad:	(jp)mov.u32u32 r1.x, 99
end:	(jp)nop` + store, func(i int) uint32 { return [...]uint32{2, 2, 1, 1, 3, 3, 3, 3}[i] }},
		{"scan of getlast clusters", `
	mov.u32u32 r1.x, 0
	getlast.w8 #rest
	mov.u32u32 r1.x, 5
	jump #end
rest:	(jp)mov.u32u32 r1.x, 6
end:	(jp)nop` + store, func(i int) uint32 { return b(i == 7, 5, 6) }},
		{"preamble", `
	shps #main
	getone #main
	mov.u32u32 r5.x, 77
	(rpt5)nop
	stc.u32 c[4], r5.x, 1
	(sy)(ss)shpe
main:	(jp)(ss)mov.u32u32 r1.x, c1.x` + store, func(i int) uint32 { return 77 }},
	} {
		for _, check := range []bool{false, true} {
			m := newMachine()
			m.check = check
			m.consts = make([]uint32, 8)
			if err := m.run(t, c.text); err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			m.expect(t, c.name, c.want)
		}
	}
}

func TestBarrierShared(t *testing.T) {
	m := newMachine()
	m.waves, m.lanes, m.check = 2, 64, true
	// Every fiber leaves its index + 100, then reads the one of its mirror.
	m.mustRun(t, `
	add.u r1.x, r0.x, 100
	shl.b r2.x, r0.x, 2
	mov.u32u32 r3.x, 127
	(rpt2)nop
	sub.u r3.x, r3.x, r0.x
	(rpt5)nop
	stl.u32 l[r2.x], r1.x, 1
	fence.r.w
	bar.g
	(ss)(sy)shl.b r3.x, r3.x, 2
	(rpt5)nop
	ldl.u32 r1.x, l[r3.x], 1
	(ss)nop
	`+store)
	m.expect(t, "mirror", func(i int) uint32 { return uint32(127 - i + 100) })
}

func TestAtomics(t *testing.T) {
	m := newMachine()
	m.check = true
	m.out.Data[4*100] = 7
	m.mustRun(t, `
	mov.u32u32 r2.x, 0
	mov.u32u32 r2.y, 3
	mov.u32u32 r4.x, 100
	mov.u32u32 r5.x, 0
	(rpt5)nop
	atomic.b.add.untyped.1d.u32.1.imm.base0 r2.x, r4.x, 0
	atomic.max.untyped.1d.u32.1.l r6.x, l[r5.x], r0.x
	(sy)(ss)mov.u32u32 r1.x, r2.x
	`+store)
	m.expect(t, "old values", func(i int) uint32 { return uint32(7 + 3*i) })
	if m.word(100) != 7+24 {
		t.Errorf("sum %d", m.word(100))
	}
	if m.shared[0] != 7 {
		t.Errorf("local maximum %d", m.shared[0])
	}
}

func TestMemory(t *testing.T) {
	m := newMachine()
	m.check, m.private = true, 512
	for i := range m.ubo.Data {
		m.ubo.Data[i] = byte(i)
	}
	m.consts = []uint32{uint32(m.out.Addr), uint32(m.out.Addr >> 32)}
	m.mustRun(t, `
	; private memory, constants by a0.x, uniform and global memory
	mov.u32u32 r2.x, 16
	mov.u32u32 r4.x, c0.x
	mov.u32u32 r4.y, c0.y
	cov.u32s16 hr20.x, r0.x
	(rpt5)nop
	stp.u32 p[r2.x+4], r0.x, 1
	ldp.u32 r3.x, p[r2.x+4], 1
	and.b r7.x, r0.x, 1
	(rpt5)nop
	ldc.offset2.1.imm.base0 r6.x, r7.x, 1
	(sy)add.u r3.x, r3.x, r6.x
	(rpt5)nop
	stg.u32 g[r4.x+400], r3.x, 1
	ldg.u32 r8.x, g[r4.x+400], 1
	(sy)mov.u32u32 r1.x, r3.x
	`+store)
	m.expect(t, "sum", func(i int) uint32 {
		at := i&1*16 + 8
		return uint32(i) + uint32(emu.LoadBytes(m.ubo.Data[at:], 4))
	})
	if m.word(100) != m.word(7) {
		t.Errorf("global store: %#x, want the last fiber's %#x", m.word(100), m.word(7))
	}
}

func TestRelative(t *testing.T) {
	m := newMachine()
	m.check = true
	m.consts = []uint32{10, 11, 12, 13, 14, 15, 16, 17}
	m.mustRun(t, `
	cov.u32s16 hr20.x, r0.x
	(rpt5)nop
	mova a0.x, hr20.x
	(rpt5)nop
	mov.u32u32 r4.x, 1
	(rpt5)nop
	mov.u32u32 r<a0.x + 8>, c<a0.x>
	(rpt5)nop
	(ul)mov.u32u32 r1.x, r<a0.x + 8>
	`+store)
	m.expect(t, "c<a0.x>", func(i int) uint32 { return uint32(10 + i) })
}

func TestLaneOperations(t *testing.T) {
	for _, c := range []struct {
		name, op string
		want     func(i int) uint32
	}{
		{"xor", "shfl.xor.u32 r1.x, r2.x, 3", func(i int) uint32 { return uint32(i^3) + 50 }},
		{"down", "shfl.rdown.u32 r1.x, r2.x, 1", func(i int) uint32 {
			if i == 7 {
				return 1 // there is no fiber 8: it keeps what it has
			}
			return uint32(i) + 51
		}},
		{"horiz", "quad_shuffle.horiz (u32)(x)r1.x, r2.x", func(i int) uint32 { return uint32(i^1) + 50 }},
		{"diag", "quad_shuffle.diag (u32)(x)r1.x, r2.x", func(i int) uint32 { return uint32(i^3) + 50 }},
		{"quad brcst", "quad_shuffle.brcst (u32)(x)r1.x, r2.x, r3.x", func(i int) uint32 { return uint32(i&^3) + 52 }},
		{"brcst.active", "brcst.active.w4 (u32)(x)r1.x, r2.x", func(i int) uint32 {
			if i&2 == 0 {
				return 1
			}
			return uint32(i&^3) + 51
		}},
		{"fiber id", "getfiberid.u32 r1.x", func(i int) uint32 { return uint32(i) }},
		{"first", "mov.u32u32 r48.x, r2.x\n(ss)mov.u32u32 r1.x, r48.x", func(i int) uint32 { return 50 }},
		{"workgroup id", "mov.u32u32 r1.x, r55.z", func(i int) uint32 { return 7 }},
		{"swz", "swz.u32u32 r1.x, r2.x, r2.x, r1.x\n(rpt5)nop\nadd.u r1.x, r1.x, r2.x", func(i int) uint32 { return uint32(i) + 51 }},
		{"isam", "isam.v.base0 (u32)(x)r1.x, r4.x+2, s#0, t#0", func(i int) uint32 { return 4242 }},
		{"resinfo", "resinfo.b.untyped.1d.u32.1.imm.base0 r1.x, 0", func(i int) uint32 { return 1024 }},
	} {
		m := newMachine()
		m.check = true
		emu.StoreBytes(m.out.Data[4*102:], 4, 4242)
		m.mustRun(t, `
	mov.u32u32 r1.x, 1
	add.u r2.x, r0.x, 50
	mov.u32u32 r3.x, 2
	mov.u32u32 r4.x, 100
	(rpt5)nop
	`+c.op+store)
		m.expect(t, c.name, c.want)
	}
}

func TestErrorsOfRun(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"no such texture", "(rpt5)nop\nsam.base0 (f32)(x)r1.x, r0.x, s#0, t#9\nend", "slot 9"},
		{"format query", "getinfo.base0 (u32)(x)r1.x, t#0\nend", "not supported"},
		{"no such register", "mov.u16u16 hr57.x, 1\nend", "do not exist"},
		{"off the end", "nop", "leaves the code"},
		{"raw", "raw 0xFFFFFFFFFFFFFFFF", "no instruction"},
		{"no private memory", "(rpt5)nop\nldp.u32 r1.x, p[r0.x], 1\nend", "private memory"},
		{"far off", "mov.u16u16 hr16.x, 1000\n(rpt5)nop\nmova a0.x, hr16.x\n(rpt5)nop\nmov.u32u32 r1.x, r<a0.x>\nend", "r<a0.x> reaches register number 1000, outside"},
		{"before the first", "mov.u16u16 hr16.x, 65535\n(rpt5)nop\nmova a0.x, hr16.x\n(rpt5)nop\nmov.u32u32 r1.x, r<a0.x>\nend", "r<a0.x> reaches register number -1, outside"},
		{"written far off", "mov.u16u16 hr16.x, 1000\n(rpt5)nop\nmova a0.x, hr16.x\n(rpt5)nop\nmov.u32u32 r<a0.x>, r1.x\nend", "a write to r<a0.x> reaches register number 1000, outside"},
		{"half far off", "mov.u16u16 hr16.x, 1000\n(rpt5)nop\nmova a0.x, hr16.x\n(rpt5)nop\nmov.u16u16 hr1.x, hr<a0.x>\nend", "r<a0.x> reaches register number 1000, outside"},
		{"half written far off", "mov.u16u16 hr16.x, 1000\n(rpt5)nop\nmova a0.x, hr16.x\n(rpt5)nop\nmov.u16u16 hr<a0.x>, hr1.x\nend", "a write to r<a0.x> reaches register number 1000, outside"},
		{"read on beyond the last", "(rpt1)mov.u32u32 r1.x, (r)r47.w\nend", "register r48.x is outside"},
		{"written on beyond the last", "(rpt1)mov.u32u32 r47.w, 1\nend", "register r48.x is outside"},
		{"unknown slot", "(rpt5)nop\nldib.b.untyped.1d.u32.1.imm.base0 r1.x, r0.x, 9\nend", "slot 9"},
		{"no jp", "cmps.u.lt p0.x, r0.x, 3\n(rpt5)nop\nbr p0.x, #2\nnop\nnop\nend", "(jp)"},
		{"divergent barrier", "cmps.u.lt p0.x, r0.x, 3\n(rpt5)nop\nbr p0.x, #x\nbar.g\nx: (jp)nop\nend", "barrier"},
	} {
		m := newMachine()
		err := m.run(t, c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "pc ") {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
	m := newMachine()
	m.check = true
	if err := m.run(t, "(rpt5)nop\nshfl.xor.u32 r1.x, r2.x, r0.x\nend"); err == nil || !strings.Contains(err.Error(), "fibers 0 and 1 shuffle by different amounts, 0 and 1") {
		t.Errorf("shuffle: %v", err)
	}
	m = newMachine()
	if err := m.run(t, "loop: jump #loop"); err != emu.ErrTimeout {
		t.Errorf("endless loop: %v", err)
	}
}

func TestDoubleWave(t *testing.T) {
	m := newMachine()
	m.double, m.lanes, m.check = true, 128, true
	m.mustRun(t, `
	(rpt3)mov.u32u32 r48.x, 0
	cmps.u.ge p0.x, r0.x, 100
	(rpt5)nop
	br !p0.x, #out
	(ss)movmsk.w128 r48.x
out:	(jp)(ss)mov.u32u32 r1.x, r48.w`+store)
	m.expect(t, "mask", func(int) uint32 { return 0xfffffff0 })
}
