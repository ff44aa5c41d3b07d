package midgard

import (
	"math/rand"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// Sums, products and comparisons of 64-bit integers are one instruction, with
// operands of 32 bits extended where they are read; so are the upper halves of products.
func TestWideIntegers(t *testing.T) {
	programs.Hold(t)
	s, b := gputest.NewShader(ir.StageCompute, 1)
	in, out := gputest.StorageBuffer(b, 0, 0), gputest.StorageBuffer(b, 0, 1)
	v := gputest.LoadWords(b, in, b.Imm32(0), 4)
	x, y := b.Pack64_2x32(b.Swizzle(v, 0, 1)), b.I2i64(b.Channel(v, 2))
	sum := b.Iadd(x, y)
	sum = b.Isub(sum, b.U2u64(b.Channel(v, 3)))
	gputest.StoreWords(b, out, b.Imm32(0), b.Unpack64_2x32(b.Imul(sum, x)))
	gputest.StoreWords(b, out, b.Imm32(8), b.B2i32(b.Ult(sum, x)))
	gputest.StoreWords(b, out, b.Imm32(16), b.UmulHigh(v, b.Swizzle(v, 3, 2, 1, 0)))
	_, text := listing(t, s, CompileOptions{})
	expect(t, text, "ADD.i64", "sext")
	expect(t, text, "SUB.i64", "zext")
	expect(t, text, "MUL.i64")
	expect(t, text, "CMP.lt.i64", "keeplo")
	expect(t, text, "MUL.i64", "keephi")
	if _, err := execute(s, CompileOptions{}, &gputest.Run{Groups: 1, In: gputest.RandomInput(1, 16), OutSize: 64}, nil); err != nil {
		t.Error(err)
	}
}

// wideGen makes random programs of 64-bit integers.
type wideGen struct {
	*rand.Rand
	b     *ir.Builder
	pool  []*ir.Def // of 64 bits
	words []*ir.Def // of 32
}

func (g *wideGen) from(pool []*ir.Def, n int) *ir.Def {
	d, l := pool[g.Intn(len(pool))], make([]int, n)
	for i := range l {
		l[i] = g.Intn(int(d.NumComponents))
	}
	return g.b.Swizzle(d, l...)
}

// value is n 64-bit values from anywhere.
func (g *wideGen) value(n int) *ir.Def {
	b := g.b
	switch g.Intn(8) {
	case 0:
		l := make([]uint64, n)
		for i := range l {
			l[i] = g.Uint64() >> g.Intn(64)
		}
		return b.Const(64, l...)
	case 1:
		return b.I2i64(g.from(g.words, n))
	case 2:
		return b.U2u64(g.from(g.words, n))
	case 3:
		return b.Pack64_2x32Split(g.from(g.words, n), g.from(g.words, n))
	case 4:
		if n == 2 {
			return b.Vec(g.from(g.pool, 1), g.from(g.pool, 1))
		}
	}
	return g.from(g.pool, n)
}

func (g *wideGen) compare(n int) *ir.Def {
	b := g.b
	return []func(x, y *ir.Def) *ir.Def{b.Ilt, b.Ige, b.Ult, b.Uge, b.Ieq, b.Ine}[g.Intn(6)](g.value(n), g.value(n))
}

// step adds an operation.
func (g *wideGen) step() {
	b, n := g.b, 1+g.Intn(2)
	binary := []func(x, y *ir.Def) *ir.Def{b.Iadd, b.Isub, b.Imul, b.Imin, b.Imax, b.Umin, b.Umax, b.Iand, b.Ior, b.Ixor}
	shifts := []func(x, y *ir.Def) *ir.Def{b.Ishl, b.Ishr, b.Ushr}
	switch k := g.Intn(len(binary) + 10); {
	case k < len(binary):
		g.pool = append(g.pool, binary[k](g.value(n), g.value(n)))
	case k < len(binary)+2:
		g.pool = append(g.pool, shifts[g.Intn(3)](g.value(n), b.Imm32(uint32(g.Intn(100)))))
	case k < len(binary)+4:
		g.pool = append(g.pool, shifts[g.Intn(3)](g.value(n), g.from(g.words, n)))
	case k == len(binary)+4:
		g.pool = append(g.pool, b.Bcsel(g.compare(n), g.value(n), g.value(n)), b.Inot(g.value(n)), b.Ineg(g.value(n)))
	case k == len(binary)+5:
		g.words = append(g.words, b.B2i32(g.compare(n)), b.U2u32(g.value(n)))
	case k == len(binary)+6:
		n := 1 + g.Intn(4)
		g.words = append(g.words, b.UmulHigh(g.from(g.words, n), g.from(g.words, n)), b.ImulHigh(g.from(g.words, n), b.Imm32(g.Uint32())))
	case k == len(binary)+7:
		g.pool = append(g.pool, b.Umul2x32_64(g.from(g.words, n), g.from(g.words, n)), b.Imul2x32_64(g.from(g.words, n), g.from(g.words, n)))
	case k == len(binary)+8:
		h := b.ImulHigh(b.U2u16(g.from(g.words, n)), b.U2u16(g.from(g.words, n)))
		g.words = append(g.words, b.I2i32(h), b.U2u32(b.UmulHigh(h, h)))
	default:
		g.branch(n)
	}
}

// branch makes values on two ways that meet.
func (g *wideGen) branch(n int) {
	b, pool, words := g.b, len(g.pool), len(g.words)
	i := b.PushIf(g.compare(1))
	g.step()
	x := g.value(n)
	g.pool, g.words = g.pool[:pool], g.words[:words]
	b.PushElse(i)
	y := b.Iadd(g.value(n), g.value(n))
	b.PopIf(i)
	g.pool = append(g.pool, b.IfPhi(i, x, y))
}

// Random programs of 64-bit integers give what the interpreter gives, also where
// registers are few.
func TestRandomWide(t *testing.T) {
	programs.Hold(t)
	inst := 0
	for seed := range gputest.Seeds(160) {
		g := &wideGen{Rand: rand.New(rand.NewSource(seed))}
		s, b := gputest.NewShader(ir.StageCompute, 1)
		in, out := gputest.StorageBuffer(b, 0, 0), gputest.StorageBuffer(b, 0, 1)
		g.b = b
		for i := range 3 {
			v := gputest.LoadWords(b, in, b.Imm32(uint32(16*i)), 4)
			g.words = append(g.words, v)
			g.pool = append(g.pool, b.Pack64_2x32(b.Swizzle(v, 1, 2)), b.Pack64_2x32Split(b.Swizzle(v, 0, 1), b.Swizzle(v, 2, 3)))
		}
		for range 6 + seed%20 {
			g.step()
		}
		for i := range 6 {
			d := g.pool[len(g.pool)-1-i]
			x := b.Channel(d, g.Intn(int(d.NumComponents)))
			gputest.StoreWords(b, out, b.Imm32(uint32(8*i)), b.Unpack64_2x32(x))
			gputest.StoreWords(b, out, b.Imm32(uint32(64+16*i)), g.from(g.words, 4))
		}
		if err := ir.Validate(s); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, ir.Print(s))
		}
		opts := CompileOptions{GPU: gpus[seed%int64(len(gpus))].Name}
		if seed%5 == 4 {
			opts.Registers = 5
		}
		bin, err := execute(s, opts, &gputest.Run{Groups: 1, In: gputest.RandomInput(seed, 16), OutSize: 256}, nil)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, ir.Print(s))
		}
		inst += bin.Stats.Instrs
	}
	t.Logf("%d instructions", inst)
}
