package ir3

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
	"nirc/ir"
)

// matrixShader multiplies a vector by a product of two matrices of a uniform buffer, with so many columns, and by so many scalars that follow from each other.
func matrixShader(columns, chain int) *ir.Shader {
	s, b := gputest.NewShader(ir.StageCompute, 64)
	id := &b.Intrinsic(ir.IntrLoadLocalInvocationIndex, 1, 32).Def
	x := b.U2f32(id)
	column := func(k int) *ir.Def { return gputest.LoadUBO(b, b.Imm32(uint32(16*k)), 4, 32, 16) }
	at := b.Ishl(id, b.Imm32(4))
	var sums [4]*ir.Def
	for c := range columns {
		y := column(4 + c)
		for r := range 4 {
			v := b.Fmul(b.Channel(column(0), r), b.Channel(y, 0))
			for k := 1; k < 4; k++ {
				v = b.Ffma(b.Channel(column(k), r), b.Channel(y, k), v)
			}
			if v = b.Fmul(v, b.Fadd(x, b.ImmFloat(float64(c), 32))); c > 0 {
				v = b.Fadd(v, sums[r])
			}
			sums[r] = v
		}
	}
	f := b.Channel(column(9), 0)
	for range chain {
		f = b.Ffma(f, b.Channel(column(9), 0), b.Channel(column(9), 1))
	}
	out := gputest.StorageBuffer(b, 0, 1)
	for r := range 4 {
		v := b.Fmul(f, x)
		if columns > 0 {
			v = b.Fadd(v, sums[r])
		}
		gputest.StoreWords(b, out, b.Iadd(at, b.Imm32(uint32(4*r))), v)
	}
	return s
}

// TestPreamblePlace: products of matrices are sums by multiply-adds in normal registers; a chain of sums, whose slots nothing fills, is in shared
// ones, and runs early. So is a product of matrices where the registers are few, or would cost waves. All give the same.
func TestPreamblePlace(t *testing.T) {
	programs.Hold(t)
	in := make([]byte, 256)
	for k := range len(in) / 4 {
		binary.LittleEndian.PutUint32(in[4*k:], math.Float32bits(float32((k+1)%3)))
	}
	for _, c := range []struct {
		name           string
		columns, chain int
		opts           CompileOptions
		early          bool
	}{
		{"matrices", 4, 1, CompileOptions{GPU: "a740"}, false},
		{"waves", 4, 1, CompileOptions{GPU: "a650"}, true},
		{"a chain", 0, 12, CompileOptions{GPU: "a740"}, true},
		{"a short sum", 0, 1, CompileOptions{GPU: "a740"}, true},
		{"few registers", 4, 1, CompileOptions{GPU: "a740", Registers: 4}, true},
	} {
		s := matrixShader(c.columns, c.chain)
		bin, err := execute(s, c.opts, &gputest.Run{Groups: 1, OutSize: 64 * 16, In: in}, nil)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		pre, _, _ := strings.Cut(disasm(bin), "shpe")
		if bin.Meta.EarlyPreamble != c.early || strings.Contains(pre, "mad.f32") == c.early || bin.Meta.Consts.Preamble.Size == 0 {
			t.Errorf("%s: early preamble %v\n%s", c.name, bin.Meta.EarlyPreamble, disasm(bin))
		}
	}
}

// TestPreambleTimes counts slots by hand: those of instructions, or of the longest chain with what its results are waited for.
func TestPreambleTimes(t *testing.T) {
	const (
		mov   = "v1:full = mov {mov.u32u32 r0.x, c0.x}\n"
		sum   = "v2:full = mad.f32 v1, v1 {mad.f32 r0.x, c1.x, r0.x, r0.x}\n"
		other = "v3:full = mul.f v2 {mul.f r0.x, r0.x, c0.y}\n"
		store = "stc v3 {stc.u32 c[8], r0.x, 1}\n"
	)
	for _, c := range []struct {
		gen            isa.Gen
		text           string
		normal, shared int32
	}{
		{isa.A7xx, mov, 1, 1},
		{isa.A7xx, mov + sum, 1 + 2 + 1, 1 + 2},
		{isa.A6xx, mov + sum, 1 + 3 + 1, 1 + 2}, //
		{isa.A7xx, mov + "v2:full = mad.f32 v1 {mad.f32 r0.x, c1.x, r0.x, c2.x}\n", 1 + 2 + 1, 1 + 2},
		{isa.A7xx, "v1:full = mov {mov.u32u32 r0.x, c0.x}\nv7:full = undef\nv2:full = mad.f32 v7, v1 {mad.f32 r0.x, c1.x, r0.x, r0.x}\n", 1 + 1 + 1, 1 + 2},
		{isa.A6xx, "v1:full = mov {mov.u32u32 r0.x, c0.x}\nv7:full = undef\nv2:full = mad.f32 v7, v1 {mad.f32 r0.x, c1.x, r0.x, r0.x}\n", 1 + 1 + 1, 1 + 2},
		{isa.A7xx, mov + sum + other, 1 + 2 + 1 + 2 + 1, 1 + 2 + 1},
		{isa.A7xx, mov + sum + other + store, 1 + 2 + 1 + 2 + 1 + 5 + 1, 1 + 2 + 1 + 6 + 1},
		{isa.A6xx, mov + sum + other + store, 1 + 3 + 1 + 3 + 1 + 6 + 1, 1 + 2 + 1 + 6 + 1},
		{isa.A7xx, mov + "v2:full = rcp v1 {rcp r0.x, r0.x}\n" + other, 1 + 5 + 1 + 10 + 1, 1 + 6 + 1 + 10 + 1},
		{isa.A7xx, mov + "v2:full = madsh.m16 v1, v1 {madsh.m16 r0.x, c1.x, r0.x, r0.x}\n", 1 + 2 + 1, 1 + 4},
		{isa.A7xx, "mova1 {mova1 a1.x, 0}\n", 1 + 5, 1},
		{isa.A6xx, "mova1 {mova1 a1.x, 0}\n", 1 + 6, 1 + 6},
		{isa.A7xx, mov + "v4:full*2 = collect v1, v1\nv2:full, v5:full = split v4\n" + other, 1 + 2 + 1, 2}, // vectors take no time
		{isa.A7xx, "v8:full = mov {mov.u32u32 r0.x, c0.x}\nv1:full = mul.f v8 {mul.f r0.x, r0.x, c0.y}\nv4:full*2 = collect v1, v8\nv2:full, v5:full = split v4\n" + other, 1 + 2 + 1 + 2 + 1, 3},
		// Eight chains do not all fill each other's slots: the seventh begins once the first has ended.
		{isa.A7xx, strings.Repeat(mov+"v2:full = rcp v1 {rcp r0.x, r0.x}\n"+other, 8), 2 * (1 + 5 + 1 + 10 + 1), 2 * (1 + 6 + 1 + 10 + 1)},
	} {
		f, err := mach.Parse("func main target ir3\nblock 0\n"+c.text, newISA(c.gen))
		if err != nil {
			t.Errorf("%s%v", c.text, err)
			continue
		}
		timer := newPreambleTimer(f, new(memory))
		if n, s := timer.time(false), timer.time(true); n != c.normal || s != c.shared {
			t.Errorf("generation %v: %d slots in normal registers, want %d; %d in shared ones, want %d\n%s", c.gen, n, c.normal, s, c.shared, c.text)
		}
	}
}

// TestPreamblePlaceInputs: the registers of inputs, which a preamble leaves alone, count where it would cost waves.
func TestPreamblePlaceInputs(t *testing.T) {
	programs.Hold(t)
	for _, c := range []struct {
		attributes int
		early      bool
	}{{1, false}, {6, true}} {
		s, b := newStage(ir.StageVertex)
		column := func(k int) *ir.Def { return gputest.LoadUBO(b, b.Imm32(uint32(16*k)), 4, 32, 16) }
		x := inputFrom(b, ir.SlotAttrib0, 0, 4)
		for k := 1; k < c.attributes; k++ {
			outputTo(b, inputFrom(b, ir.SlotAttrib0+ir.Slot(k), 0, 4), ir.SlotVar0+ir.Slot(k))
		}
		var sum *ir.Def
		for k := range 4 {
			v := b.Fmul(column(0), splat(b, column(4+k), 0))
			for m := 1; m < 4; m++ {
				v = b.Ffma(column(m), splat(b, column(4+k), m), v)
			}
			if v = b.Fmul(v, splat(b, x, k)); k > 0 {
				v = b.Fadd(v, sum)
			}
			sum = v
		}
		outputTo(b, sum, ir.SlotPos)
		if err := lowerToScalar(s); err != nil {
			t.Fatal(err)
		}
		bin, err := compile(s, CompileOptions{GPU: "a740"})
		if err != nil {
			t.Fatal(err)
		}
		if bin.Meta.EarlyPreamble != c.early {
			t.Errorf("%d attributes: early preamble %v, %d vec4 registers\n%s", c.attributes, bin.Meta.EarlyPreamble, bin.Meta.MaxRegs, disasm(bin))
		}
	}
}

// splat repeats a component four times.
func splat(b *ir.Builder, v *ir.Def, k int) *ir.Def {
	c := b.Channel(v, k)
	return b.Vec(c, c, c, c)
}
