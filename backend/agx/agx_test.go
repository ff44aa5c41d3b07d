package agx

import (
	"errors"
	"strings"
	"testing"

	"nirc/backend"
	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/backend/gputest"
	"nirc/ir"
	"nirc/passes"
)

// dumpJob is a compile that verifies each step and hands out the text of the main program after some step.
func dumpJob(step string, dump func(text string)) *backend.Job {
	return &backend.Job{Lists: gputest.Lists, Dump: true, Instrument: passes.NewInstrument(passes.RunOptions{
		VerifyEach: true, DumpAfter: []string{step}, Dump: func(_, text string) {
			main, _, _ := strings.Cut(text, preambleTitle)
			dump(main)
		}})}
}

// build compiles a copy of s, checks that the code decodes and encodes back,
// and returns the binary and its last listing.
func build(t *testing.T, s *ir.Shader, opts CompileOptions) (*Binary, string) {
	t.Helper()
	bin, text, err := tryBuild(t, s, opts)
	if err != nil {
		t.Fatal(err)
	}
	return bin, text
}

// programs are those that the tests compile, each of which holds its own.
var programs gputest.HeldPrograms

// held adds what a test compiles itself to what it holds.
func held(bin *Binary, err error) (*Binary, error) {
	if err == nil {
		programs.Add(bin.Code, bin.Meta, bin.Stats, bin.Lines)
	}
	return bin, err
}

// tryBuild is build that returns what the compiler refuses.
func tryBuild(t *testing.T, s *ir.Shader, opts CompileOptions) (*Binary, string, error) {
	t.Helper()
	final := ""
	if opts.Job == nil {
		opts.Job = dumpJob("encode", func(text string) {
			// Hints have a test of their own.
			final = strings.NewReplacer(".cache", "", ".discard", "").Replace(text)
		})
	}
	bin, err := held(Compile(gputest.Located(s), opts))
	if err != nil {
		return nil, "", err
	}
	lines := isa.Disassemble(bin.Code)
	for _, l := range lines {
		if l.Err != nil {
			t.Fatalf("offset %d: %v", l.PC, l.Err)
		}
	}
	back, err := isa.Assemble(isa.Listing(lines, true))
	if err != nil {
		t.Fatal(err)
	}
	if string(back) != string(bin.Code) {
		t.Error("the listing assembles to other bytes")
	}
	return bin, final, nil
}

// expect checks that the listing has the lines, in order, numbers aside.
func expect(t *testing.T, listing string, want ...string) {
	t.Helper()
	rest := listing
	for _, w := range want {
		i := strings.Index(rest, w)
		if i < 0 {
			t.Fatalf("no %q in the rest of\n%s", w, listing)
		}
		rest = rest[i+len(w):]
	}
}

func TestSelection(t *testing.T) {
	programs.Hold(t)
	f := func(v float64) func(b *ir.Builder) *ir.Def {
		return func(b *ir.Builder) *ir.Def { return b.ImmFloat(v, 32) }
	}
	for _, c := range []struct {
		name string
		make func(b *ir.Builder, x, y *ir.Def) *ir.Def
		want []string
	}{
		{"fma", func(b *ir.Builder, x, y *ir.Def) *ir.Def { return b.Ffma(b.Fneg(x), y, f(2)(b)) }, []string{"fmadd32", ".neg, ", "2.0"}},
		{"saturate", func(b *ir.Builder, x, y *ir.Def) *ir.Def { return b.Fsat(b.Fmul(x, b.Fabs(y))) }, []string{"fmul32.sat", ".abs"}},
		{"constant", func(b *ir.Builder, x, y *ir.Def) *ir.Def { return b.Fadd(x, f(1.0/3)(b)) }, []string{"fadd32 r", ", u"}},
		{"shifted add", func(b *ir.Builder, x, y *ir.Def) *ir.Def { return b.Iadd(x, b.Ishl(y, b.Imm32(3))) }, []string{"iadd", "lsl 3"}},
		{"product and sum", func(b *ir.Builder, x, y *ir.Def) *ir.Def { return b.Iadd(b.Imul(x, y), x) }, []string{"imadd"}},
		{"negative", func(b *ir.Builder, x, y *ir.Def) *ir.Def { return b.Iadd(x, b.Imm32(0xfffffff0)) }, []string{"isub", ", 16"}},
		{"select", func(b *ir.Builder, x, y *ir.Def) *ir.Def { return b.Bcsel(b.Fge(x, y), x, y) }, []string{"fcmpsel gte"}},
		{"inverted", func(b *ir.Builder, x, y *ir.Def) *ir.Def {
			return b.Bcsel(b.Ine(x, b.Imm32(7)), b.Imm32(1), b.Imm32(2))
		}, []string{"icmpsel ueq", "7, 2, 1"}},
		{"square root", func(b *ir.Builder, x, y *ir.Def) *ir.Def { return b.Fsqrt(x) }, []string{"rsqrt_special", "fmul32"}},
		{"sine", func(b *ir.Builder, x, y *ir.Def) *ir.Def { return b.Fsin(x) }, []string{"floor", "sin_pt_1", "sin_pt_2", "fmul32"}},
		{"to int", func(b *ir.Builder, x, y *ir.Def) *ir.Def { return b.F2i32(x) }, []string{"convert f_to_s32", "rtz"}},
		{"widened", func(b *ir.Builder, x, y *ir.Def) *ir.Def {
			return b.Fadd(b.F2f32(b.F2f16(x)), y)
		}, []string{"fadd32 r", "l, ", "fadd32 r"}},
		{"high word", func(b *ir.Builder, x, y *ir.Def) *ir.Def { return b.UmulHigh(x, y) }, []string{"imadd r", "_r"}},
		{"field", func(b *ir.Builder, x, y *ir.Def) *ir.Def {
			return b.Ushr(b.Ishl(x, b.Imm32(5)), b.Imm32(24))
		}, []string{"bfeil", ", 19, mask 0xFF"}},
		{"lower half", func(b *ir.Builder, x, y *ir.Def) *ir.Def {
			return b.Imul(b.Ishr(b.Ishl(x, b.Imm32(16)), b.Imm32(16)), y)
		}, []string{"imadd r", "l.sx, r"}},
		{"halves", func(b *ir.Builder, x, y *ir.Def) *ir.Def {
			return b.Pack32_2x16Split(b.Unpack32_2x16SplitY(x), b.Unpack32_2x16SplitX(x))
		}, []string{"device_load", "device_store"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, b := gputest.NewShader(ir.StageCompute, 64)
			off := b.Ishl(b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0), b.Imm32(3))
			v := gputest.LoadWords(b, gputest.StorageBuffer(b, 0, 0), off, 2)
			gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), off, c.make(b, b.Channel(v, 0), b.Channel(v, 1)))
			_, text := build(t, s, CompileOptions{})
			expect(t, text, c.want...)
		})
	}
}

func TestControlFlow(t *testing.T) {
	programs.Hold(t)
	s, b := gputest.NewShader(ir.StageCompute, 64)
	id := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
	off := b.Ishl(id, b.Imm32(2))
	i := b.PushIf(b.Ult(id, b.Imm32(5)))
	l := b.PushLoop()
	x := gputest.LoadWords(b, gputest.StorageBuffer(b, 0, 0), off, 1)
	k := b.PushIf(b.Ieq(x, id))
	b.Jump(ir.JumpBreak)
	b.PushElse(k)
	gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), off, x)
	b.PopIf(k)
	b.PopLoop(l)
	b.PushElse(i)
	b.PopIf(i)
	_, text := build(t, s, CompileOptions{})
	expect(t, text, "mov_imm r0l, 0", "if_icmp r0l, ult", "push_exec r0l, 1", "device_load", "wait 0", "if_icmp r0l, ueq",
		"mov_imm r0l, 2", "pop_exec r0l, 0", "else_fcmp", "device_store", "pop_exec r0l, 1", "jmp_exec_any", "pop_exec r0l, 1", "pop_exec r0l, 1", "stop")
}

func TestBreakIf(t *testing.T) {
	programs.Hold(t)
	s, b := gputest.NewShader(ir.StageCompute, 64)
	l := b.PushLoop()
	x := gputest.LoadWords(b, gputest.StorageBuffer(b, 0, 0), b.Imm32(0), 1)
	k := b.PushIf(b.Ieq(x, b.Imm32(3)))
	b.Jump(ir.JumpBreak)
	b.PushElse(k)
	b.PopIf(k)
	b.PopLoop(l)
	_, text := build(t, s, CompileOptions{})
	expect(t, text, "while_icmp r0l, nueq", "jmp_exec_any")
	if strings.Contains(text, "if_icmp") {
		t.Errorf("the break is not fused:\n%s", text)
	}
}

// Values beyond the limit go to the stack, which is set up and described.
func TestSpilling(t *testing.T) {
	programs.Hold(t)
	s, b := gputest.NewShader(ir.StageCompute, 64)
	s.Options.Robust.Storage = ir.Robust2 // bounds and moved addresses live too
	off := b.Ishl(b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0), b.Imm32(2))
	var vals []*ir.Def
	for i := range 40 {
		vals = append(vals, gputest.LoadWords(b, gputest.StorageBuffer(b, 0, 0), b.Iadd(off, b.Imm32(uint32(4*i))), 1))
	}
	sum := vals[0]
	for _, v := range vals[1:] {
		sum = b.Ixor(b.Imul(sum, b.Imm32(5)), v)
	}
	gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), off, sum)
	bin, text := build(t, s, CompileOptions{Halves: 48})
	expect(t, text, "stack_adjust", "stack_store", "wait", "stack_load")
	if bin.Meta.Halves > 48 || bin.Meta.ScratchSize == 0 || bin.Stats.Spills == 0 || bin.Stats.Fills == 0 {
		t.Errorf("%d halves, %d bytes of stack, %s", bin.Meta.Halves, bin.Meta.ScratchSize, bin.Stats)
	}
}

// Uniform buffers at known offsets arrive in uniform registers.
func TestUniformBuffer(t *testing.T) {
	programs.Hold(t)
	s, b := gputest.NewShader(ir.StageCompute, 64)
	x := b.Intrinsic(ir.IntrLoadUbo, 4, 32, gputest.StorageBuffer(b, 2, 1), b.Imm32(16))
	x.Set(ir.IdxAlignMul, 16).Set(ir.IdxRange, 1<<32-1)
	gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 0), b.Imm32(0), b.Fadd(b.Channel(&x.Def, 1), b.Channel(&x.Def, 3)))
	bin, text := build(t, s, CompileOptions{})
	expect(t, text, "mov r0, u", "device_store 0, i32, x, r0, u0_u1, 0")
	if !bin.Meta.HasPreamble {
		t.Error("the sum is not in a preamble")
	}
	if strings.Contains(text, "device_load") {
		t.Errorf("the buffer is loaded:\n%s", text)
	}
	for _, u := range bin.Meta.Uniforms {
		if u.Kind == abi.UniformBufferData && u.Set == 2 && u.Binding == 1 && u.Offset == 16 && u.Size == 16 {
			return
		}
	}
	t.Errorf("uniforms %+v", bin.Meta.Uniforms)
}

func TestUnsupported(t *testing.T) {
	s, _ := gputest.NewShader(ir.StageGeometry, 64)
	if _, err := held(Compile(s, CompileOptions{Job: dumpJob("", nil)})); err == nil || !strings.Contains(err.Error(), "primitives of 0 vertices is not supported") {
		t.Errorf("error %v", err)
	}
	s, b := gputest.NewShader(ir.StageCompute, 64)
	gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 0), b.Imm32(0), b.Channel(&b.Intrinsic(ir.IntrShaderClock, 2, 32).Def, 0))
	if _, err := held(Compile(s, CompileOptions{Job: dumpJob("", nil)})); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("error %v", err)
	}
	if _, err := Options("g99", ir.StageCompute); err == nil {
		t.Error("there is no g99")
	}
}

func TestOccupancy(t *testing.T) {
	for _, o := range occupancy {
		if threadsFor(o.halves) != o.threads || halvesFor(o.threads) != o.halves {
			t.Errorf("%d halves, %d threads: got %d and %d", o.halves, o.threads, threadsFor(o.halves), halvesFor(o.threads))
		}
	}
	if threadsFor(8) != 1024 || halvesFor(1) != 256 {
		t.Error("the ends of the table")
	}
}
