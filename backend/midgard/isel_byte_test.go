package midgard

import (
	"math/rand"
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// loadBytesAt loads n bytes at an offset of a buffer, aligned as it is said.
func loadBytesAt(b *ir.Builder, buf *ir.Def, off uint32, n uint8, align uint64) *ir.Def {
	x := b.Intrinsic(ir.IntrLoadSsbo, n, 8, buf, b.Imm32(off))
	x.Set(ir.IdxAlignMul, align)
	return &x.Def
}

// storeBytesAt is the inverse, of the components of mask.
func storeBytesAt(b *ir.Builder, buf *ir.Def, off uint32, v *ir.Def, mask, align uint64) {
	st := b.Intrinsic(ir.IntrStoreSsbo, 0, 0, v, buf, b.Imm32(off))
	st.Set(ir.IdxWriteMask, mask).Set(ir.IdxAlignMul, align)
}

// Vectors of 8-bit integers are loaded and stored as words and computed in one
// instruction an operation.
func TestByteVectors(t *testing.T) {
	programs.Hold(t)
	s, b := gputest.NewShader(ir.StageCompute, 1)
	in, out := gputest.StorageBuffer(b, 0, 0), gputest.StorageBuffer(b, 0, 1)
	x, y := loadBytesAt(b, in, 0, 4, 4), loadBytesAt(b, in, 4, 4, 4)
	sum := b.Iadd(x, b.Swizzle(y, 3, 2, 1, 0))
	storeBytesAt(b, out, 0, b.Umax(sum, b.Const(8, 1, 200, 3, 4)), 15, 4)
	storeBytesAt(b, out, 4, b.UaddSat(x, y), 15, 4)
	storeBytesAt(b, out, 8, b.Ishr(x, b.Const(32, 1, 2, 3, 4)), 15, 4)
	storeBytesAt(b, out, 12, b.Bcsel(b.Ilt(x, y), x, b.Ixor(x, y)), 15, 4)
	gputest.StoreWords(b, out, b.Imm32(16), b.I2i32(x))
	bin, text := listing(t, s, CompileOptions{})
	expect(t, text, "LD.32")
	expect(t, text, "ADD.i16", ".keeplo", ".sext", ".sext")
	expect(t, text, "ADD.i16", ".usat", ".zext", ".zext")
	expect(t, text, "ASR.i16")
	expect(t, text, "CSEL.vector.i16")
	expect(t, text, "ST.32")
	if bin.Stats.Instrs > 36 {
		t.Errorf("%d instructions:\n%s", bin.Stats.Instrs, text)
	}
	if _, err := execute(s, CompileOptions{}, &gputest.Run{Groups: 1, In: gputest.RandomInput(1, 16), OutSize: 64}, nil); err != nil {
		t.Error(err)
	}
}

// byteGen makes random programs of 8-bit vectors.
type byteGen struct {
	*rand.Rand
	b       *ir.Builder
	in, out *ir.Def
	pool    []*ir.Def // of 8 bits
	words   []*ir.Def // of 32
}

func (g *byteGen) lane() *ir.Def {
	if g.Intn(6) == 0 {
		return g.b.Const(8, uint64(g.Intn(256)))
	}
	d := g.pool[g.Intn(len(g.pool))]
	return g.b.Channel(d, g.Intn(int(d.NumComponents)))
}

// vector is n bytes from anywhere.
func (g *byteGen) vector(n int) *ir.Def {
	switch g.Intn(8) {
	case 0, 1:
		var l []*ir.Def
		for range n {
			l = append(l, g.lane())
		}
		return g.b.Vec(l...)
	case 2:
		l := make([]uint64, n)
		for i := range l {
			l[i] = uint64(g.Intn(256))
		}
		return g.b.Const(8, l...)
	}
	d := g.pool[g.Intn(len(g.pool))]
	return g.b.Swizzle(d, g.choice(d, n)...)
}

func (g *byteGen) choice(d *ir.Def, n int) []int {
	l := make([]int, n)
	for i := range l {
		l[i] = g.Intn(int(d.NumComponents))
	}
	return l
}

// word is n words.
func (g *byteGen) word(n int) *ir.Def {
	d := g.words[g.Intn(len(g.words))]
	return g.b.Swizzle(d, g.choice(d, n)...)
}

// arithmetic makes bytes of bytes.
func (g *byteGen) arithmetic(n int) *ir.Def {
	b, x, y := g.b, g.vector(n), g.vector(n)
	binary := []func(x, y *ir.Def) *ir.Def{b.Iadd, b.Isub, b.Imul, b.Imin, b.Imax, b.Umin, b.Umax, b.Iand, b.Ior, b.Ixor,
		b.IaddSat, b.UaddSat, b.IsubSat, b.UsubSat, b.Ihadd, b.Uhadd, b.Irhadd, b.Urhadd}
	shifts := []func(x, y *ir.Def) *ir.Def{b.Ishl, b.Ishr, b.Ushr}
	switch k := g.Intn(len(binary) + 9); {
	case k < len(binary):
		return binary[k](x, y)
	case k < len(binary)+3:
		if g.Intn(2) == 0 {
			return shifts[g.Intn(3)](x, b.Imm32(uint32(g.Intn(20))))
		}
		return shifts[g.Intn(3)](x, g.word(n))
	case k == len(binary)+3:
		return b.Iabs(b.Ineg(x))
	case k == len(binary)+4:
		return b.Inot(x)
	default:
		return b.Bcsel(g.compare(n), x, y)
	}
}

// compare makes booleans, sometimes the same for all lanes.
func (g *byteGen) compare(n int) *ir.Def {
	b := g.b
	f := []func(x, y *ir.Def) *ir.Def{b.Ilt, b.Ige, b.Ult, b.Uge, b.Ieq, b.Ine}[g.Intn(6)]
	if g.Intn(2) == 0 {
		return b.Swizzle(f(g.vector(1), g.vector(1)), make([]int, n)...)
	}
	return f(g.vector(n), g.vector(n))
}

// step adds an operation.
func (g *byteGen) step(i int) {
	b, n := g.b, 1+g.Intn(4)
	switch g.Intn(12) {
	case 0:
		convert := []func(x *ir.Def) *ir.Def{b.U2u32, b.I2i32, b.U2f32, b.I2f32}[g.Intn(4)]
		g.words = append(g.words, convert(g.vector(n)))
	case 1:
		x := g.vector(n)
		if g.Intn(2) == 0 {
			g.words = append(g.words, b.U2u32(b.U2u16(x)))
		} else {
			g.words = append(g.words, b.I2i32(b.Iadd(b.I2i32(x), g.word(n))))
		}
	case 2:
		g.pool = append(g.pool, b.U2u8(b.Iadd(g.word(n), g.word(n))))
	case 3:
		g.pool = append(g.pool, b.U2u8(b.U2u16(g.word(n))))
	case 4:
		g.pool = append(g.pool, b.B2i8(g.compare(n)))
	case 5:
		f := b.I2f32(g.word(n))
		if g.Intn(2) == 0 {
			g.pool = append(g.pool, b.F2i8(b.Fmul(f, b.ImmFloat(0x1p-24, 32))))
		} else {
			g.pool = append(g.pool, b.F2u8(b.Fmul(b.Fabs(f), b.ImmFloat(0x1p-23, 32))))
		}
	case 6:
		g.pool = append(g.pool, b.Unpack32_4x8(g.word(1)))
		g.words = append(g.words, b.Pack32_4x8(g.vector(4)), b.Pack32_4x8Split(g.vector(n), g.vector(n), g.vector(n), g.vector(n)))
	case 7:
		g.pool = append(g.pool, b.U2u8(b.Ushr(g.word(1), b.Imm32(uint32(8*g.Intn(4))))))
		g.words = append(g.words, b.PackUvec4ToUint(g.word(4)), b.PackUvec2ToUint(g.word(2)))
	case 8:
		x := loadBytesAt(b, g.in, uint32(4*g.Intn(8)), uint8(n), uint64(1)<<g.Intn(3))
		g.pool = append(g.pool, x)
		storeBytesAt(b, g.out, uint32(128+4*i), g.vector(n), uint64(1+g.Intn(1<<n-1)), uint64(1)<<g.Intn(3))
	default:
		g.pool = append(g.pool, g.arithmetic(n))
	}
}

// branch makes bytes on two ways that meet.
func (g *byteGen) branch() {
	b, n := g.b, 1+g.Intn(4)
	pool, words := len(g.pool), len(g.words)
	i := b.PushIf(g.compare(1))
	g.step(60)
	x := g.vector(n)
	g.pool, g.words = g.pool[:pool], g.words[:words]
	b.PushElse(i)
	g.step(61)
	y := g.vector(n)
	g.pool, g.words = g.pool[:pool], g.words[:words]
	b.PopIf(i)
	g.pool = append(g.pool, b.IfPhi(i, x, y))
}

// shader makes a program of so many steps.
func (g *byteGen) shader(steps int) *ir.Shader {
	s, b := gputest.NewShader(ir.StageCompute, 1)
	g.b, g.in, g.out = b, gputest.StorageBuffer(b, 0, 0), gputest.StorageBuffer(b, 0, 1)
	for i := range 3 {
		g.pool = append(g.pool, loadBytesAt(b, g.in, uint32(16*i), uint8(2+i%3), 4))
		g.words = append(g.words, gputest.LoadWords(b, g.in, b.Imm32(uint32(16*i)), 4))
	}
	for i := range steps {
		if g.Intn(10) == 0 {
			g.branch()
		} else {
			g.step(i)
		}
	}
	for i := range 4 {
		storeBytesAt(b, g.out, uint32(4*i), g.vector(4), 15, 4)
		gputest.StoreWords(b, g.out, b.Imm32(uint32(32+16*i)), g.word(4))
	}
	return s
}

// Bytes may go anywhere, come from wherever a value lies, and be mixed with
// constants, wider values, selections and branches; also where registers are few.
func TestRandomBytes(t *testing.T) {
	programs.Hold(t)
	inst := 0
	for seed := range gputest.Seeds(160) {
		g := &byteGen{Rand: rand.New(rand.NewSource(seed))}
		s := g.shader(6 + int(seed)%24)
		if err := ir.Validate(s); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, ir.Print(s))
		}
		opts := CompileOptions{GPU: gpus[seed%int64(len(gpus))].Name}
		if seed%5 == 4 {
			opts.Registers = 5
		}
		bin, err := execute(s, opts, &gputest.Run{Groups: 1, In: gputest.RandomInput(seed, 16), OutSize: 512}, nil)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, ir.Print(s))
		}
		inst += bin.Stats.Instrs
	}
	t.Logf("%d instructions", inst)
}

// What one instruction makes of bytes takes one: a comparison runs where a branch wants its result, and bits of bytes that
// stand alike in their words are computed as words.
func TestByteForms(t *testing.T) {
	programs.Hold(t)
	for _, c := range []struct {
		name string
		make func(b *ir.Builder, x, y, out *ir.Def)
		want []string
		not  string
	}{
		{"compare and branch", func(b *ir.Builder, x, y, out *ir.Def) {
			i := b.PushIf(b.Ilt(b.Channel(x, 1), b.Channel(y, 2)))
			gputest.StoreWords(b, out, b.Imm32(0), b.Imm32(7))
			b.PopIf(i)
		}, []string{"CMP.lt.i16 R31", "cond.false"}, "MOV.i32 R31"},
		{"bits of four bytes", func(b *ir.Builder, x, y, out *ir.Def) {
			storeBytesAt(b, out, 0, b.Iand(x, y), 15, 4)
		}, []string{"AND.i32"}, "AND.i16"},
		{"bits with a constant", func(b *ir.Builder, x, y, out *ir.Def) {
			storeBytesAt(b, out, 0, b.Ixor(x, b.Const(8, 1, 2, 4, 8)), 15, 4)
		}, []string{"XOR.i32"}, "XOR.i16"},
		{"bits of bytes in another order", func(b *ir.Builder, x, y, out *ir.Def) {
			storeBytesAt(b, out, 0, b.Iand(x, b.Swizzle(y, 1, 0, 3, 2)), 15, 4)
		}, []string{"AND.i16"}, "AND.i32"},
		{"low bits of a sum", func(b *ir.Builder, x, y, out *ir.Def) {
			storeBytesAt(b, out, 0, b.Iadd(b.Channel(x, 0), b.Channel(y, 0)), 1, 4)
		}, []string{"ADD.i32"}, "ADD.i16"},
	} {
		s, b := gputest.NewShader(ir.StageCompute, 1)
		in, out := gputest.StorageBuffer(b, 0, 0), gputest.StorageBuffer(b, 0, 1)
		c.make(b, loadBytesAt(b, in, 0, 4, 4), loadBytesAt(b, in, 4, 4, 4), out)
		_, text := listing(t, s, CompileOptions{})
		expect(t, text, c.want...)
		if strings.Contains(text, c.not) {
			t.Errorf("%s: %q in\n%s", c.name, c.not, text)
		}
		if _, err := execute(s, CompileOptions{}, &gputest.Run{Groups: 1, In: gputest.RandomInput(1, 16), OutSize: 64}, nil); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
