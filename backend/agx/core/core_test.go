package core

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/backend/gputest"
	"nirc/backend/layout"
	"nirc/internal/emu"
	"nirc/ir"
)

// machine runs small compute programs: u0_u1 is the address of the output
// buffer, u2_u3 of the input, u4_u5 of the descriptor table, u6_u7 of constant
// data, u8.. push constants.
type machine struct {
	lanes, waves int
	check        bool
	mem          *emu.Memory
	out, in      *emu.Buffer
	push         []byte
	edit         func(m *abi.Meta)
	// layout places binding 1 in entry 5 of the table, bindings 2 to 4 in entries 0, 4 and 6 of the heap.
	layout *layout.Layout
	shared []byte
}

func newMachine() *machine {
	m := &machine{layout: layoutOf(5, 2), lanes: 32, waves: 1, check: true, mem: emu.NewMemory(), push: []byte{1, 0, 0, 0, 2, 0, 0, 0, 3}}
	m.out, m.in = m.mem.Alloc(4096), m.mem.Alloc(4096)
	for i := range m.in.Data {
		m.in.Data[i] = byte(i*7 + i>>8)
	}
	return m
}

// layoutOf has buffers at bindings 0, with that many elements, and 1, and images from binding 2 on,
// with that many elements.
func layoutOf(buffers, images uint32) *layout.Layout {
	return &layout.Layout{Sets: []layout.Set{{Bindings: []layout.Binding{
		{Binding: 0, Type: layout.StorageBuffer, Count: buffers}, {Binding: 1, Type: layout.StorageBuffer, Count: 1},
		{Binding: 2, Type: layout.CombinedImageSampler, Count: images}, {Binding: 3, Type: layout.StorageImage, Count: images / 2},
		{Binding: 4, Type: layout.StorageTexelBuffer, Count: 1}}}}}
}

func (m *machine) meta() *abi.Meta {
	a := &abi.Meta{Stage: ir.StageCompute, Halves: 256, Fetches: true, UniformHalves: 64, SharedSize: 256, ScratchSize: 104,
		WorkgroupSize: [3]uint32{uint32(m.lanes * m.waves), 1, 1},
		Uniforms: []abi.Uniform{{Kind: abi.UniformBufferAddr, Half: 0}, {Kind: abi.UniformBufferAddr, Half: 4, Binding: 1},
			{Kind: abi.UniformTable, Half: 8}, {Kind: abi.UniformConstData, Half: 12}, {Kind: abi.UniformPush, Half: 16, Size: 16},
			{Kind: abi.UniformBufferSize, Half: 24, Binding: 1}, {Kind: abi.UniformNumWorkgroups, Half: 26},
			{Kind: abi.UniformPushAddr, Half: 32}, {Kind: abi.UniformBufferData, Half: 36, Binding: 1, Offset: 8, Size: 8}},
		Table:     []abi.TableRange{{Binding: 0, First: 0, Count: 1}, {Binding: 1, First: 5}},
		ConstData: []byte{10, 0, 0, 0, 20, 0, 0, 0, 30, 0, 0, 0}}
	if m.edit != nil {
		m.edit(a)
	}
	return a
}

// assemble puts traps after the ends of programs that have none.
func assemble(t testing.TB, text string) []byte {
	t.Helper()
	if !strings.Contains(text, "\ttrap") {
		text = strings.ReplaceAll(text, "\tstop", "\tstop"+strings.Repeat("\n\ttrap", fetchedAhead))
	}
	code, err := isa.Assemble(text)
	if err != nil {
		t.Fatal(err)
	}
	return code
}

func (m *machine) env() *emu.Env {
	b := &emu.Bindings{}
	b.Set(0, 0, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: m.out.Addr, Size: uint64(len(m.out.Data))}})
	b.Set(0, 1, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: m.in.Addr, Size: uint64(len(m.in.Data))}})
	return &emu.Env{Mem: m.mem, Bindings: b, Push: m.push, Layout: m.layout}
}

// run executes a program to the end and returns its error.
func (m *machine) run(t *testing.T, text string) error {
	t.Helper()
	p, err := Load(assemble(t, text), m.meta())
	if err != nil {
		t.Fatal(err)
	}
	m.shared = make([]byte, 256)
	var waves []emu.Wave
	env := m.env()
	for k := 0; k < m.waves; k++ {
		c := &emu.ComputeLaunch{WorkgroupID: [3]uint32{2, 6, 7}, NumWorkgroups: [3]uint32{8, 9, 10}, Shared: m.shared,
			SubgroupID: uint32(k), NumSubgroups: uint32(m.waves), FirstLocalInvocationIndex: uint32(k * m.lanes)}
		for i := 0; i < m.lanes; i++ {
			c.LocalID = append(c.LocalID, [3]uint32{uint32(k*m.lanes + i)})
		}
		waves = append(waves, p.NewWave(&emu.Launch{Env: env, NumLanes: m.lanes, Check: m.check, Compute: c}))
	}
	return gputest.RunWaves(waves, 64)
}

func (m *machine) word(i int) uint32   { return binary.LittleEndian.Uint32(m.out.Data[4*i:]) }
func (m *machine) inWord(i int) uint32 { return binary.LittleEndian.Uint32(m.in.Data[4*i:]) }

// head leaves the lane's index in the workgroup in r10, tail stores r2 there.
const (
	head = "\tmov_imm r0l, 0\n\tget_sr r10, sr51\n"
	tail = "\n\tdevice_store 0, i32, x, r2, u0_u1, r10, unsigned, 0\n\tstop\n"
)

// expect runs a body that computes r2 and compares it lane by lane.
func (m *machine) expect(t *testing.T, name, body string, f func(i int) uint32) {
	t.Helper()
	if err := m.run(t, head+body+tail); err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	for i := 0; i < m.lanes*m.waves; i++ {
		if got, want := m.word(i), f(i); got != want {
			t.Errorf("%s: lane %d has %#x, want %#x", name, i, got, want)
			return
		}
	}
}

func pick(c bool, a, b uint32) uint32 {
	if c {
		return a
	}
	return b
}

func TestControlFlow(t *testing.T) {
	m := newMachine()
	m.expect(t, "if else", `
	if_icmp r0l, ult, r10, 7, 1
	jmp_exec_none else
	mov_imm r2, 10, 0b0
else: else_fcmp r0l, eq, 0.0, 0.0, 1
	mov_imm r2, 20, 0b0
	pop_exec r0l, 1`, func(i int) uint32 { return pick(i < 7, 10, 20) })
	m.expect(t, "nested if", `
	mov_imm r2, 0, 0b0
	if_icmp r0l, ult, r10, 20, 1
	if_icmp r0l, ugt, r10, 9, 1
	mov_imm r2, 1, 0b0
	else_icmp r0l, ugt, r10, 4, 1
	mov_imm r2, 2, 0b0
	pop_exec r0l, 1
	iadd r2, r2, 8
	pop_exec r0l, 1`, func(i int) uint32 {
		v := pick(i > 9, 1, pick(i > 4, 2, 0)) + 8
		return pick(i < 20, v, 0)
	})
	m.expect(t, "loop", `
	mov_imm r2, 0, 0b0
loop: iadd r2, r2, 3
	while_icmp r0l, ult, r2, r10, 1
	jmp_exec_any loop
	pop_exec r0l, 1`, func(i int) uint32 { return uint32(max(3, (i+2)/3*3)) })
	m.expect(t, "loop with a break in an if", `
	mov_imm r2, 0, 0b0
	mov_imm r3, 0, 0b0
loop: if_icmp r0l, ugt, r10, 9, 1
	icmpsel ugt, r0l, r2, 4, 2, r0l
	update_exec r0l
	iadd r3, r3, 1
	pop_exec r0l, 1
	iadd r2, r2, 1
	while_icmp r0l, ult, r2, 12, 1
	jmp_exec_any loop
	pop_exec r0l, 1
	iadd r2, r2, r3, lsl 4`, func(i int) uint32 { return pick(i > 9, 5+5<<4, 12) })
}

func TestValues(t *testing.T) {
	m := newMachine()
	for _, c := range []struct {
		name, body string
		want       func(i int) uint32
	}{
		{"push constants", "\tiadd r2, r10, u9", func(i int) uint32 { return uint32(i) + 2 }},
		{"past the push constants", "\tiadd r2, r10, u11", func(i int) uint32 { return uint32(i) }},
		{"push address", "\tdevice_load 0, i32, x, r2, u16_u17, 2, signed\n\twait 0", func(i int) uint32 { return 3 }},
		{"buffer size", "\tmov r2, u12", func(i int) uint32 { return 4096 }},
		{"buffer data", "\tmov r2, u19", func(i int) uint32 { return m.inWord(3) }},
		{"workgroup count", "\tiadd r2, u14, u13, lsl 4", func(i int) uint32 { return 9 + 8<<4 }},
		{"special registers", "\tget_sr r3, sr80\n\tget_sr r4l, sr1\n\tget_sr r5, sr4\n\tiadd r2, r3, r4l, lsl 4\n\tiadd r2, r2, r5, lsl 3",
			func(i int) uint32 { return uint32(64+i) + 6<<4 + 32<<3 }},
		{"rank", "\tmov_imm r2, 99, 0b0\n\tif_icmp r0l, ugt, r10, 9, 1\n\tget_sr r2, sr58\n\tget_sr r3, sr59\n\tiadd r2, r2, r3, lsl 4\n\tpop_exec r0l, 1",
			func(i int) uint32 { return pick(i > 9, uint32(i-10)+22<<4, 99) }},
		{"table", "\tmov_imm r4, 80, 0b0\n\tiadd r6_r7, 0, 0\n\tmov r6, u4\n\tmov r7, u5\n\tiadd r6_r7, r6_r7, r4\n" +
			"\tdevice_load 0, i32, xyz, r4_r5_r6, r6_r7, 0, signed\n\twait 0\n\tdevice_load 1, i32, x, r2, r4_r5, r10, unsigned\n\twait 1\n\tiadd r2, r2, r6",
			func(i int) uint32 { return m.inWord(i) + 4096 }},
		{"table, nothing", "\tdevice_load 0, i32, xy, r2_r3, u4_u5, 8, signed\n\twait 0", func(i int) uint32 { return 0 }},
		{"constant data", "\tand r4, r10, 1\n\tdevice_load 0, i32, x, r2, u6_u7, r4, unsigned\n\twait 0", func(i int) uint32 { return uint32(10 + 10*(i&1)) }},
		{"i16 store and load", "\tdevice_store 0, i16, x, r10l, u0_u1, r10, unsigned, 0\n\tdevice_load 0, i16, x, r2, u0_u1, r10, unsigned\n\twait 0", func(i int) uint32 { return uint32(i) }},
		{"unorm store", "\tconvert u32_to_f, r4, r10, rte\n\tfmul32 r4, r4, 0.03125\n\tdevice_store 0, u8norm, x, r4, u0_u1, r10, unsigned, 0\n\tdevice_load 0, i8, x, r2, u0_u1, r10, unsigned\n\twait 0",
			func(i int) uint32 { return uint32(math.RoundToEven(float64(i) / 32 * 255)) }},
		{"packed store", "\tmov_imm r4, 1065353216, 0b0\n\tmov_imm r5, 0, 0b0\n\tmov_imm r6, 1056964608, 0b0\n\tmov_imm r7, 1065353216, 0b0\n" +
			"\tdevice_store 0, rgb10a2, xyzw, r4_r5_r6_r7, u0_u1, r10, unsigned, 0\n\tdevice_load 0, i32, x, r2, u0_u1, r10, unsigned\n\twait 0",
			func(i int) uint32 { return 1023 | 512<<20 | 3<<30 }},
		{"packed store between words", "\tmov_imm r4, 1065353216, 0b0\n\tmov_imm r5, 0, 0b0\n\tmov_imm r6, 1056964608, 0b0\n\tmov_imm r7, 1065353216, 0b0\n\tmov r8, u0\n\tmov r9, u1\n\tmov_imm r3, 3, 0b0\n\tiadd r8_r9, r8_r9, r3\n" +
			"\tdevice_store 0, rgb10a2, xyzw, r4_r5_r6_r7, r8_r9, r10, unsigned, 0\n\tdevice_load 0, i32, x, r2, u0_u1, r10, unsigned\n\twait 0",
			func(i int) uint32 { return 1023 | 512<<20 | 3<<30 }},
		{"atomic add", "\tmov_imm r4, 1, 0b0\n\tmov_imm r9, 0, 0b0\n\tdevice_store 0, i32, x, r9, u2_u3, 3, signed, 0\n" +
			"\tatomic add, 0, r2, u2_u3, 3, signed, r4, 1, 0, 1, 4, 2\n\twait 0", func(i int) uint32 { return uint32(i) }},
		{"shuffle", "\tsimd_shuffle r2, r10, 5", func(i int) uint32 { return 5 }},
		{"quad swap", "\tquad_shuffle_xor r2, r10, 2", func(i int) uint32 { return uint32(i ^ 2) }},
		{"quad shuffle with an index that differs", "\tand r4l, r10, 1\n\tquad_shuffle r2, r10, r4l", func(i int) uint32 { return uint32(i&^3 | 1) }},
		{"quad rotate", "\tquad_shuffle_rotate_up r2, r10, 1", func(i int) uint32 { return uint32(i&^3 | (i-1)&3) }},
		{"quad down", "\tquad_shuffle_down r2, r10, 2", func(i int) uint32 { return pick(i&3 < 2, uint32(i+2), uint32(i)) }},
		{"scan", "\tsimd_prefix_iadd r2, r10", func(i int) uint32 { return uint32(i * (i - 1) / 2) }},
		{"quad max", "\tquad_max.u r2, r10", func(i int) uint32 { return uint32(i | 3) }},
		{"reduce the active", "\tmov_imm r2, 0, 0b0\n\tif_icmp r0l, ugt, r10, 9, 1\n\tsimd_min.u r2, r10\n\tpop_exec r0l, 1", func(i int) uint32 { return pick(i > 9, 10, 0) }},
		{"ballot", "\tand r4, r10, 1\n\ticmp_ballot r2, nueq, r4, 0", func(i int) uint32 { return 0xaaaaaaaa }},
		{"quad ballot", "\ticmp_quad_ballot r2, ugt, r10, 13", func(i int) uint32 { return pick(i >= 16, 15, pick(i >= 12, 12, 0)) }},
		{"stack", "\tstack_adjust 0, 1, 2, 0, 0, 16\n\tiadd r4, r10, r10\n\tstack_store i32, 1, 0, x, 4, r4, 20, 0\n\tstack_load r2, i32, 1, 0, x, 4, 20, 0\n\twait 0\n\tstack_adjust 0, 1, 2, 0, 0, -16",
			func(i int) uint32 { return uint32(2 * i) }},
		{"convert", "\tmov_imm r4, 3217031168, 0b0\n\tconvert f_to_s32, r2, r4, rtz", func(i int) uint32 { return ^uint32(0) }}, // -1.5
		{"find msb", "\tffs r2, r10", func(i int) uint32 { return uint32(bitsLen(i) - 1) }},
		{"interleave", "\tintl r2, r10, 3", func(i int) uint32 { return spread(uint32(i)) | 10 }},
	} {
		m.expect(t, c.name, c.body, c.want)
	}
}

func bitsLen(i int) (n int) {
	for ; i > 0; i >>= 1 {
		n++
	}
	return n
}

func TestThreadgroup(t *testing.T) {
	m := newMachine()
	m.waves, m.lanes = 2, 20
	m.expect(t, "exchange", `
	mov r4l, r10
	threadgroup_store i16, x, r4l, 0, r4l
	threadgroup_barrier
	mov_imm r5l, 39
	isub r5l, r5l, r4l
	threadgroup_load i16, x, r2, 0, r5l`, func(i int) uint32 { return uint32(39 - i) })
	m.expect(t, "atomic", `
	mov_imm r4, 2, 0b0
	threadgroup_atomic add, r5, 0, 32, r4, 0, 2, 128, 0
	threadgroup_barrier
	threadgroup_load i32, x, r2, 0, 32`, func(i int) uint32 { return 80 })
}

func TestPreamble(t *testing.T) {
	m := newMachine()
	pre := "\tmov_imm r4, 77, 0b0\n\tuniform_store 2, i16, xy, 0, r4l_r4h, 40\n\tdevice_load 0, i32, x, r4, u2_u3, 5, signed\n\twait 0\n" +
		"\tuniform_store 2, i16, xy, 0, r4l_r4h, 42\n\tstop\n"
	n := len(assemble(t, pre))
	m.edit = func(a *abi.Meta) { a.HasPreamble, a.Entry, a.PreambleHalves = true, uint32(n), 16 }
	if err := m.run(t, pre+head+"\tiadd r2, u20, u21"+tail); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < 32; i++ {
		if got := m.word(i); got != 77+m.inWord(5) {
			t.Errorf("lane %d has %d", i, got)
		}
	}
	m.edit = func(a *abi.Meta) { a.HasPreamble, a.Entry, a.PreambleHalves = true, uint32(n), 8 }
	if err := m.run(t, pre+head+tail); err == nil || !strings.Contains(err.Error(), "preamble, pc 0x0") {
		t.Errorf("too few preamble halves: %v", err)
	}
}

// TestErrors: what the core refuses, with and without checking mode.
func TestErrors(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{"\ttrap", "trap"},
		{"\t.half 0xffff", "no instruction"},
		{"\tjmp_exec_any pc+3000", "goes where no instruction starts"},
		{"\tuniform_store 2, i16, x, 0, r4l, 40", "preamble"},
		{"\tdevice_store 0, i32, x, r10, u6_u7, 0, signed, 0", "the driver's"},
		{"\tstack_load r2, i32, 1, 0, x, 4, 20, 0", "before stack_adjust"},
		{"\tstack_adjust 0, 1, 2, 0, 0, 4\n\tstack_store i32, 1, 0, x, 4, r10, 16, 0", "byte 16 of a frame of 16"},
		{"\tstack_adjust 0, 1, 2, 0, 0, -4", "does not fit"},
		{"\tdevice_load 0, i32, x, r2l, u0_u1, 0, signed", "16-bit registers"},
		{"\tstack_adjust 0, 1, 2, 0, 0, 32", "104 bytes of scratch"},
		{"\tstack_adjust 0, 1, 2, 0, 0, 4\n\tstack_load r2, u8norm, 1, 0, x, 4, 0, 0", "stack memory of format u8norm is not supported"},
		{"\tthreadgroup_load rgb10a2, xyzw, r2_r3_r4_r5, 0, r4l", "threadgroup memory of format rgb10a2 is not supported"},
		{"\tstack_adjust 0, 1, 2, 0, 0, 4\n\tstack_adjust 0, 1, 2, 0, 0, -3", "stack_adjust -3 does not fit the 4 words"},
		{"\tget_sr r2, sr62", "not supported in stage"},
		{"\tldcf r2_r3_r4, cf0", "fragment"},
		{"\tst_var 1, r2, 5", "vertex"},
		{"\tcall r1", "not supported"},
		{"\tfadd16 r2l, r3l, u4", "not supported"},
		{"\tmov_imm r2, 0, 0b1", "helper"},
	} {
		m := newMachine()
		m.check = false
		err := m.run(t, head+c.body+tail)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "pc 0x") {
			t.Errorf("%s: error %v, want %q", c.body, err, c.want)
		}
	}
	m := newMachine()
	m.check = false
	if err := m.run(t, head+"loop: jmp_exec_any loop"+tail); err != emu.ErrTimeout {
		t.Errorf("endless loop: %v", err)
	}
	if err := m.run(t, "\tmov_imm r0l, 0\n"); err == nil || !strings.Contains(err.Error(), "leaves the code") {
		t.Errorf("no stop: %v", err)
	}
}

func TestLoadErrors(t *testing.T) {
	code := assemble(t, "\tstop\n")
	for _, m := range []*abi.Meta{{Stage: ir.StageGeometry}, {Stage: ir.StageCompute, Entry: uint32(len(code))}, {Stage: ir.StageCompute, Entry: 1},
		{Stage: ir.StageCompute, HasPreamble: true, Preamble: 1 << 30},
		{Stage: ir.StageVertex, Varyings: []abi.Varying{{Slot: 1, Count: 1}, {Slot: 2, Count: 1}}}} {
		if p, err := Load(code, m); err == nil {
			t.Errorf("%+v loads as %v", m, p)
		}
	}
}

// TestCheck: each program has one fault that only checking mode sees.
func TestCheck(t *testing.T) {
	const load = "\tdevice_load 1, i32, xy, r2_r3, u2_u3, r10, unsigned\n"
	for _, c := range []struct{ name, body, want string }{
		{"read before wait", load + "\tiadd r2, r3, 1", "reads r3l while a result is under way, wait 1"},
		{"wrong slot", load + "\twait 0\n\tiadd r2, r3, 1", "wait 1"},
		{"write before wait", load + "\tmov_imm r3, 0, 0b0\n\twait 1", "writes r3l"},
		{"half", load + "\tmov_imm r3h, 0\n\twait 1", "writes r3h"},
		{"barrier", load + "\tthreadgroup_barrier\n\twait 1", "outstanding"},
		{"memory barrier", "\tdevice_store 0, i32, x, r10, u0_u1, r10, unsigned, 0\n\tmemory_barrier 1, 2, 9", "outstanding"},
		{"nine", strings.Repeat("\tdevice_store 0, i32, x, r10, u0_u1, r10, unsigned, 0\n", 9), "more than 8"},
		{"discard", "\tiadd r3, r10.discard, 1\n\tiadd r2, r10, 1", "lost its value"},
		{"scratch", "\tstack_adjust 0, 1, 2, 0, 0, 26\n\tstack_store i32, 1, 0, x, 4, r10, 64, 0", "byte 64 of a frame of 64"},
		{"odd base", "\tmov r5, u2\n\tmov r6, u3\n\tdevice_load 0, i32, x, r2, r5_r6, r10, unsigned\n\twait 0", "half 10 is no aligned pair"},
		{"truth table", "\tbitop 0011, r2, r10, r11", "the other source for truth table 1100"},
		{"addend shift", "\tiadd r2, r10, r10, lsl 5", "shifts of addends by 5"},
		{"no pop", "\tif_icmp r0l, ugt, r10, 100, 1\n\tif_icmp r0l, ult, r10, 100, 1\n\tpop_exec r0l, 1", "waits for 1 levels"},
		{"pops jumped over", "\tif_icmp r0l, ugt, r10, 3, 1\n\tif_icmp r0l, ugt, r10, 100, 1\n\tjmp_exec_none out\n\tpop_exec r0l, 2\nout: mov r2, r10", "waits for 2 levels"},
		{"threadgroup range", "\tmov_imm r4l, 64\n\tthreadgroup_load i32, x, r2, 0, r4l", "byte 256 of 256"},
	} {
		m := newMachine()
		err := m.run(t, head+c.body+tail)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
		m.check = false
		if err := m.run(t, head+c.body+tail); err != nil {
			t.Errorf("%s: without checking: %v", c.name, err)
		}
	}
	m := newMachine()
	if err := m.run(t, "\tmov_imm r0l, 0\n\tstop"+strings.Repeat("\n\ttrap", 7)); err == nil || !strings.Contains(err.Error(), "7 traps follow") {
		t.Errorf("seven traps: %v", err)
	}
	if err := m.run(t, "\tpop_exec r0l, 1\n\tstop\n"); err == nil || !strings.Contains(err.Error(), "r0l is not set") {
		t.Errorf("r0l: %v", err)
	}
	for _, c := range []struct {
		name, want string
		edit       func(a *abi.Meta)
	}{
		{"workgroup", "a workgroup of 1024 threads of 112 halves is larger than a core, which holds 896", func(a *abi.Meta) { a.Halves, a.WorkgroupSize = 112, [3]uint32{1024, 1, 1} }},
		{"halves", "register half 21", func(a *abi.Meta) { a.Halves = 21 }},
		{"uniform halves", "uniform half 63", func(a *abi.Meta) { a.UniformHalves = 62 }},
	} {
		m := newMachine()
		m.edit = c.edit
		if err := m.run(t, head+"\tmov r2, u31"+tail); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if err := m.run(t, "\tget_sr r10, sr51\n\tmov_imm r0, 7, 0b0\n\tmov r2, r0"+tail); err != nil {
		t.Errorf("r0l is any register where there is no control flow: %v", err)
	}
	// Not faults: other lanes, a register that is given again, both slots.
	m.expect(t, "clean", load+"\tdevice_load 0, i32, x, r5, u2_u3, r10, unsigned\n\twait 1\n\tiadd r2, r2, 1\n\twait 0\n\tiadd r2, r2, r5\n"+
		"\tiadd r3, r2.discard, 1\n\tmov r2, r3", func(i int) uint32 { return 2*m.inWord(i) + 2 })
}

// Forms that have an encoding, of which no source says what hardware makes of them, are errors.
func TestDoubtfulForms(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{"\ticmp_ballot r2, ueq, r10, u2", "whether ballots read uniforms"},
		{"\tfcmp_quad_ballot r2, gt, u2, r10", "whether ballots read uniforms"},
		{"\tthreadgroup_atomic add, r2, u2l, 0, r10, 0, 2, 128, 0", "workgroup memory read uniforms"},
		{"\tdevice_load 0, i32, x, r2, u2_u3, -1, signed\n\twait 0", "whether an index is -1 or 65535"},
		{"\tatomic add, 0, r2, u2_u3, r10, unsigned, r10, 1, 0, 1, 4, 0\n\twait 0", "64-bit atomics are not supported"},
		{"\tatomic umin, 0, r2, u2_u3, r10, unsigned, r10, 1, 0, 1, 4, 1\n\twait 0", "64-bit atomics are not supported"},
		{"\tatomic add, 0, r2, u2_u3, -32768, unsigned, r10, 1, 0, 1, 4, 2\n\twait 0", "whether an index is -32768 or 32768"},
	} {
		if err := newMachine().run(t, head+c.body+"\n\tstop"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.body, err, c.want)
		}
	}
}

// Forms of texture instructions that hardware does not have are errors: the compiler lowers them.
func TestLowered(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{"\ttexture_sample 0, 0b1100, 0b0, none, xyzw, 0b00, r8_r9_r10_r11, None, ts3, ss1, tex_1d, r4, auto_lod, 0", "two-dimensional ones of height 1"},
		{"\ttexture_sample 0, 0b1100, 0b0, none, xyzw, 0b00, r8_r9_r10_r11, None, ts3, ss1, tex_cube, r4_r5_r6, lod_grad, r20_r21_r22_r23_r24_r25", "no derivatives of cube"},
	} {
		if err := newMachine().run(t, c.body+"\n\tstop"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.body, err, c.want)
		}
	}
}
