package ir3

import (
	"math/rand"
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
	"nirc/ir"
)

// uniformShader computes with values of a uniform buffer alone, which the
// preamble does, and stores results with the invocation's number added.
func uniformShader(seed int64, ops, results int) *ir.Shader {
	s, b := gputest.NewShader(ir.StageCompute, 64)
	r := rand.New(rand.NewSource(seed))
	id := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
	var pool []*ir.Def
	for k := range uint32(8) {
		pool = append(pool, gputest.LoadUBO(b, b.Imm32(16*k), 1, 32, 16))
	}
	pick := func() *ir.Def { return pool[r.Intn(len(pool))] }
	small := func() *ir.Def { return b.U2f32(b.Iand(pick(), b.Imm32(63))) }
	for range ops {
		x, y, z := pick(), pick(), pick()
		var v *ir.Def
		switch r.Intn(16) {
		case 0:
			v = b.Iadd(x, b.Imul(y, z))
		case 1:
			v = b.Ixor(x, b.Ishl(y, b.Iand(z, b.Imm32(31))))
		case 2:
			v = b.Bcsel(b.Ilt(x, y), z, x)
		case 3:
			v = b.F2u32(b.Ffma(small(), small(), small()))
		case 4:
			v = b.F2u32(b.Fadd(b.Fmul(small(), small()), b.ImmFloat(3, 32)))
		case 5:
			v = b.U2u32(b.Iadd(b.U2u16(x), b.U2u16(y)))
		case 6:
			v = b.Bcsel(b.Iand(b.Ilt(x, y), b.Ieq(z, x)), y, b.Inot(z))
		case 7:
			v = b.Umin(x, b.Ushr(y, b.Imm32(3)))
		case 8:
			v = b.F2u32(b.Fsqrt(b.Fmul(small(), b.ImmFloat(4, 32))))
		case 9:
			v = b.Iabs(b.Isub(x, y))
		case 10:
			v = b.BitCount(x)
		case 11:
			v = b.Ineg(b.Imax(x, y))
		case 12:
			v = b.F2u32(b.Fmax(b.Fneg(small()), b.Fabs(small())))
		case 13:
			v = b.U2u32(b.Ushr(b.U2u16(x), b.Imm32(2)))
		case 14:
			v = b.Ior(b.Iand(x, y), z)
		default:
			v = b.B2i32(b.Flt(small(), small()))
		}
		pool = append(pool, v)
	}
	out := gputest.StorageBuffer(b, 0, 1)
	at := b.Imul(id, b.Imm32(uint32(4*results)))
	for k := range results {
		gputest.StoreWords(b, out, b.Iadd(at, b.Imm32(uint32(4*k))), b.Iadd(pool[len(pool)-1-k], id))
	}
	return s
}

// TestScalarPreamble: preambles in shared registers compute the same, on all
// devices, and run early where those can.
func TestScalarPreamble(t *testing.T) {
	programs.Hold(t)
	n := int64(60)
	if testing.Short() {
		n = 20
	}
	early, fewer := 0, 0
	for seed := range n {
		gpu := append([]string{"a750"}, gpus...)[seed%5]
		s := uniformShader(seed, 10+int(seed), 4)
		if err := ir.Validate(s); err != nil {
			t.Fatal(err)
		}
		close4 := func(_ int, w, g uint32) bool { return g-w+1 <= 2 } // the root of a square may be off in its last place
		in := gputest.RandomInput(seed, 64)
		bin, err := execute(s, CompileOptions{GPU: gpu, scalarAlways: true}, &gputest.Run{Groups: 2, In: in, OutSize: 128 * 16}, close4)
		if err != nil {
			t.Fatalf("seed %d on %s: %v\n%s", seed, gpu, err, ir.Print(s))
		}
		g, _ := FindGPU(gpu)
		if bin.Meta.EarlyPreamble != g.EarlyPreamble || bin.Stats.EarlyPreamble != g.EarlyPreamble {
			t.Errorf("seed %d on %s: early preamble %v, want %v\n%s", seed, gpu, bin.Meta.EarlyPreamble, g.EarlyPreamble, disasm(bin))
		}
		plain, err := execute(s, CompileOptions{GPU: gpu, Run: leaveOut("scalar_preamble")}, &gputest.Run{Groups: 2, In: in, OutSize: 128 * 16}, close4)
		if err != nil {
			t.Fatalf("seed %d on %s: in normal registers: %v", seed, gpu, err)
		}
		if plain.Meta.EarlyPreamble || bin.Meta.MaxRegs > plain.Meta.MaxRegs {
			t.Errorf("seed %d on %s: %d vec4 registers, %d in normal registers (early: %v)", seed, gpu, bin.Meta.MaxRegs, plain.Meta.MaxRegs, plain.Meta.EarlyPreamble)
		}
		early += boolInt(bin.Meta.EarlyPreamble)
		fewer += boolInt(bin.Meta.MaxRegs < plain.Meta.MaxRegs)
	}
	if early == 0 || fewer == 0 {
		t.Errorf("%d early preambles, %d footprints smaller", early, fewer)
	}
	t.Logf("%d early preambles, %d footprints smaller", early, fewer)
}

// TestScalarPreambleLimits: what does not fit into the shared registers, and
// sums that must be rounded once, stay in normal registers.
func TestScalarPreambleLimits(t *testing.T) {
	programs.Hold(t)
	in := gputest.RandomInput(3, 128)
	run := func(name string, s *ir.Shader, outWords int, early bool) *Binary {
		t.Helper()
		bin, err := execute(s, CompileOptions{GPU: "a740"}, &gputest.Run{Groups: 1, In: in, OutSize: 64 * 4 * outWords}, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if bin.Meta.EarlyPreamble != early || bin.Stats.Preamble == 0 {
			t.Errorf("%s: early preamble %v, want %v\n%s", name, bin.Meta.EarlyPreamble, early, disasm(bin))
		}
		return bin
	}
	build := func(f func(b *ir.Builder, u []*ir.Def) *ir.Def) *ir.Shader {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		id := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
		var u []*ir.Def
		for k := range uint32(48) {
			u = append(u, gputest.LoadUBO(b, b.Imm32(16*k), 1, 32, 16))
		}
		gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Imul(id, b.Imm32(4)), b.Iadd(f(b, u), id))
		return s
	}
	run("one result", build(func(b *ir.Builder, u []*ir.Def) *ir.Def { return b.Ixor(u[0], u[1]) }), 1, true)
	run("more values at a time than registers", build(func(b *ir.Builder, u []*ir.Def) *ir.Def {
		var list []*ir.Def
		for k := range 40 {
			list = append(list, b.Ixor(u[k], b.Imm32(uint32(k+1))))
		}
		sum := list[0]
		for k := range 40 {
			sum = b.Iadd(b.Imul(sum, list[39-k]), list[k])
		}
		return sum
	}), 1, false)
	for _, exact := range []bool{false, true} {
		run("sum of a product", build(func(b *ir.Builder, u []*ir.Def) *ir.Def {
			f := func(k int) *ir.Def { return b.U2f32(b.Iand(u[k], b.Imm32(15))) }
			v := b.Ffma(f(0), f(1), f(2))
			v.Instr.Exact = exact
			return b.F2u32(v)
		}), 1, !exact)
	}
}

// TestEarlyPreambleA1: results far up in the const file are stored by a1.x,
// which an early preamble on a7xx waits for with (ss).
func TestEarlyPreambleA1(t *testing.T) {
	programs.Hold(t)
	// The buffer's copy takes the first 256 scalars.
	s, b := gputest.NewShader(ir.StageCompute, 64)
	id := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
	sum := id
	for k := range uint32(70) {
		sum = b.Iadd(sum, gputest.LoadUBO(b, b.Imm32(16*k), 1, 32, 16))
	}
	sum = b.Ixor(sum, b.Imul(gputest.LoadUBO(b, b.Imm32(0), 1, 32, 16), gputest.LoadUBO(b, b.Imm32(16), 1, 32, 16)))
	gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Imul(id, b.Imm32(4)), sum)
	for _, gpu := range []string{"a650", "a740", "a750"} {
		bin, err := execute(s, CompileOptions{GPU: gpu}, &gputest.Run{Groups: 1, In: gputest.RandomInput(3, 128), OutSize: 256}, nil)
		if err != nil {
			t.Fatalf("%s: %v", gpu, err)
		}
		text := disasm(bin)
		marked := strings.Contains(text, "mova1 a1.x, (r)256")
		if !bin.Meta.EarlyPreamble || !strings.Contains(text, "mova1 a1.x") || marked != (bin.Meta.Gen == isa.A7xx) {
			t.Errorf("%s: early %v, marked %v\n%s", gpu, bin.Meta.EarlyPreamble, marked, text)
		}
	}
}

// TestScalarGroups: products of matrices stay repeat groups in shared registers.
func TestScalarGroups(t *testing.T) {
	programs.Hold(t)
	s, b := newStage(ir.StageVertex)
	load := func(at uint32) *ir.Def { return gputest.LoadUBO(b, b.Imm32(at), 4, 32, 16) }
	a, c, d := load(0), load(16), load(32)
	k := func(v *ir.Def, i int) *ir.Def {
		return b.Vec(b.Channel(v, i), b.Channel(v, i), b.Channel(v, i), b.Channel(v, i))
	}
	v := b.Ffma(a, k(c, 1), b.Fmul(c, k(d, 0)))
	outputTo(b, b.Fmul(b.Ffma(d, k(a, 2), v), inputFrom(b, ir.SlotAttrib0, 0, 4)), ir.SlotPos)
	if err := lowerToScalar(s); err != nil {
		t.Fatal(err)
	}
	bin, err := compile(s, CompileOptions{GPU: "a740", scalarAlways: true})
	if err != nil {
		t.Fatal(err)
	}
	text := disasm(bin)
	pre, _, _ := strings.Cut(text, "shpe")
	if !bin.Meta.EarlyPreamble || strings.Count(pre, "(rpt3)mul.f r") < 2 || strings.Count(pre, "(rpt3)add.f r") < 2 || strings.Contains(pre, "mad") {
		t.Errorf("early preamble %v\n%s", bin.Meta.EarlyPreamble, text)
	}
	plain, err := compile(s, CompileOptions{GPU: "a740", scalarAlways: true, Run: leaveOut("repeat_groups")})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(disasm(plain), "(rpt3)mul") {
		t.Errorf("without groups:\n%s", disasm(plain))
	}
}

// TestScalarSources: sums of absolute differences have a scalar form of plain sources alone, each of them.
func TestScalarSources(t *testing.T) {
	for k := range 3 {
		for flags, want := range map[isa.OpFlags]bool{0: true, isa.Half: true, isa.Neg: false, isa.Abs: false} {
			x := isa.Instr{Op: isa.OpSadS32, Srcs: [4]isa.Operand{isa.R(0), isa.R(1), isa.R(2)}}
			x.Srcs[k].Flags |= flags
			if got := scalarOp(&x, 3); got != want {
				t.Errorf("source %d, flags %b: %t", k, flags, got)
			}
		}
	}
}

// TestSwappableSources: sources change places where neither has more to it than its size.
func TestSwappableSources(t *testing.T) {
	for k := range 2 {
		for flags, want := range map[isa.OpFlags]bool{0: true, isa.Half: true, isa.Neg: false, isa.Abs: false} {
			f := mach.NewFunc("f", newISA(isa.A7xx))
			x := isa.Instr{Op: isa.OpAddF, Srcs: [4]isa.Operand{isa.R(0), isa.R(1)}}
			x.Srcs[k].Flags |= flags
			v := f.NewValue(classFull, 1)
			in := f.Add(f.NewBlock(), machOp(isa.OpAddF), []mach.Value{v}, []mach.Value{v, v})
			if got := (&uniformity{f: f, share: make([]bool, f.NumValues())}).swappable(in, &x); got != want {
				t.Errorf("source %d, flags %b: %t", k, flags, got)
			}
			f.Release()
		}
	}
}
