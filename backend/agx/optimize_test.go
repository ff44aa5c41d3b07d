package agx

import (
	"math"
	"strings"
	"testing"

	"nirc/backend/agx/isa"
	"nirc/backend/gputest"
	"nirc/backend/mach"
	"nirc/ir"
)

// stepText compiles a shader and returns the text of a step.
func stepText(t *testing.T, s *ir.Shader, step string) string {
	t.Helper()
	text := ""
	_, err := held(Compile(ir.Clone(s), CompileOptions{Job: dumpJob(step, func(dump string) { text = dump })}))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Last uses are told where all lanes run, and nowhere else.
func TestRegisterCache(t *testing.T) {
	programs.Hold(t)
	s, b := gputest.NewShader(ir.StageCompute, 64)
	buf := gputest.StorageBuffer(b, 0, 0)
	id := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
	x := gputest.LoadWords(b, buf, b.Imm32(0), 1)
	i := b.PushIf(b.Ult(id, b.Imm32(7)))
	y := b.Fmul(b.Fadd(x, b.ImmFloat(1, 32)), x)
	b.PushElse(i)
	b.PopIf(i)
	z := b.IfPhi(i, y, x)
	gputest.StoreWords(b, buf, b.Imm32(64), b.Fmul(z, z))
	depth := 0
	text := stepText(t, s, "encode")
	hints := 0
	for _, l := range strings.Split(text, "\n") {
		switch {
		case strings.Contains(l, "if_icmp"):
			depth++
		case strings.Contains(l, "pop_exec"):
			depth--
		case strings.Contains(l, ".discard") && depth > 0:
			t.Errorf("a last use is told where lanes wait: %s", l)
		case strings.Contains(l, ".discard"):
			hints++
		}
	}
	if hints == 0 || !strings.Contains(text, ".cache") {
		t.Errorf("no hints in\n%s", text)
	}
}

func TestCompactFloat(t *testing.T) {
	for v, want := range map[float32]bool{0: true, 1: true, -0.333251953125: true, 1.0 / 3: false, 65504: true, 65536: false, 6e-8: false, 6.103515625e-05: true} {
		h, ok := compactFloat(math.Float32bits(v))
		if ok != want || ok && halfToFloat(uint16(h)) != math.Float32bits(v) {
			t.Errorf("%v: %#x, %v", v, h, ok)
		}
	}
	for _, bits := range []uint32{0x7f800000, 0x7fc00000, 0x80000001} {
		if _, ok := compactFloat(bits); ok {
			t.Errorf("%#x has a half", bits)
		}
	}
}

// Offsets in bytes are not computed where the access can count in elements.
func TestElements(t *testing.T) {
	programs.Hold(t)
	s, b := gputest.NewShader(ir.StageCompute, 64)
	buf := gputest.StorageBuffer(b, 0, 0)
	id := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
	off := b.Iadd(b.Ishl(id, b.Imm32(4)), b.Imm32(8))
	v := b.Intrinsic(ir.IntrLoadSsbo, 1, 32, buf, off).Set(ir.IdxAlignMul, 4)
	gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Imm32(0), &v.Def)
	text := stepText(t, s, "encode")
	if strings.Contains(text, "bfeil") || !strings.Contains(text, "lsl 2") {
		t.Errorf("the offset is counted in bytes:\n%s", text)
	}
}

// Loads stand together as far as registers cost no threads, or few for want of neighbours, also where their offsets could take all of these; of more of them the values of one after the
// other are summed up.
func TestPressureSchedule(t *testing.T) {
	programs.Hold(t)
	for _, c := range []struct {
		loads    int
		computed bool
		waits    int
	}{{8, false, 2}, {40, false, 39}, {48, true, 24}} {
		n, halves := sumOfLoads(t, c.loads, c.computed)
		if n > c.waits {
			t.Errorf("%d loads, offsets computed %t: %d waits", c.loads, c.computed, n)
		}
		if least := threadsFor(map[bool]int{true: 112}[c.computed]); threadsFor(halves) < least {
			t.Errorf("%d loads: %d halves for four words at a time", c.loads, halves)
		}
	}
}

// sumOfLoads compiles a shader that adds up what loads of four words each give, at offsets that each takes a register or none, and returns
// how often that waits and the registers it takes.
func sumOfLoads(t *testing.T, loads int, computed bool) (waits, halves int) {
	s, b := gputest.NewShader(ir.StageCompute, 64)
	in, out := gputest.StorageBuffer(b, 0, 0), gputest.StorageBuffer(b, 0, 1)
	var list []*ir.Def
	id := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
	for k := range uint32(loads) {
		at := b.Imm32(16 * k)
		if computed {
			at = b.Imul(id, b.Imm32(16*(k*k+3)))
		}
		list = append(list, gputest.LoadWords(b, in, at, 4))
	}
	sum := b.ImmFloat(0, 32)
	for _, v := range list {
		for c := range 4 {
			sum = b.Fadd(sum, b.Channel(v, c))
		}
	}
	gputest.StoreWords(b, out, b.Imm32(0), sum)
	bin, _ := build(t, s, CompileOptions{})
	for _, l := range isa.Disassemble(bin.Code) {
		if l.Instr.Op == isa.OpWait {
			waits++
		}
	}
	return waits, bin.Meta.Halves
}

// Loads from buffers need not come before all stores to scratch, however long the block is.
func TestScratchCopy(t *testing.T) {
	programs.Hold(t)
	s, b := gputest.NewShader(ir.StageCompute, 64)
	buf := gputest.StorageBuffer(b, 0, 0)
	const n = 4200
	list := make([]*ir.Def, n)
	for k := range list {
		list[k] = gputest.LoadWords(b, buf, b.Imm32(uint32(4*k)), 1)
	}
	for k, v := range list {
		b.Intrinsic(ir.IntrStoreScratch, 0, 0, v, b.Imm32(uint32(4*k))).Set(ir.IdxAlignMul, 4).Set(ir.IdxWriteMask, 1)
	}
	s.ScratchSize = 4 * n
	bin, _ := build(t, s, CompileOptions{})
	if bin.Stats.Scratch != 4*n || bin.Meta.ScratchSize != 4*(n+12) || threadsFor(bin.Meta.Halves) < threadsFor(0) {
		t.Errorf("%d halves and %d bytes of scratch for some words at a time", bin.Meta.Halves, bin.Meta.ScratchSize)
	}
}

func TestValidate(t *testing.T) {
	sample := func() (*mach.Func, mach.Value, mach.Value) {
		f := mach.NewFunc("f", newISA())
		c := &code{}
		f.Ext = c
		b := f.NewBlock()
		x, y := f.NewValue(classFull, 1), f.NewValue(classFull, 1)
		in := f.Add(b, machOp(isa.OpMovImm32), []mach.Value{x}, nil)
		in.Ext = c.new(&isa.Instr{Op: isa.OpMovImm32, Dst: isa.R(0)})
		in = f.Add(b, machOp(isa.OpFadd32), []mach.Value{y}, []mach.Value{x, x})
		in.Ext = c.new(&isa.Instr{Op: isa.OpFadd32, Dst: isa.R(0), Srcs: [6]isa.Operand{isa.R(0), isa.R(0)}})
		return f, x, y
	}
	if f, _, _ := sample(); validate(f, "test") != nil {
		t.Error(validate(f, "test"))
	}
	for name, spoil := range map[string]func(f *mach.Func, x, y mach.Value){
		"order":     func(f *mach.Func, x, y mach.Value) { l := f.Blocks[0].Instrs; l[0], l[1] = l[1], l[0] },
		"twice":     func(f *mach.Func, x, y mach.Value) { f.Blocks[0].Instrs[1].Ops[0].Val = x },
		"undefined": func(f *mach.Func, x, y mach.Value) { f.Blocks[0].Instrs[1].Ops[1].Val = f.NewValue(classFull, 1) },
		"size": func(f *mach.Func, x, y mach.Value) {
			templates(f).tmpl[f.Blocks[0].Instrs[1].Ext].Dst = isa.R(0).Run(2)
		},
		"kind": func(f *mach.Func, x, y mach.Value) {
			templates(f).tmpl[f.Blocks[0].Instrs[1].Ext].Srcs[0] = isa.I(3)
		},
	} {
		f, x, y := sample()
		if spoil(f, x, y); validate(f, "test") == nil {
			t.Errorf("%s: nothing is wrong", name)
		}
	}
}
