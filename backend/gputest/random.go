package gputest

import (
	"encoding/binary"
	"math/rand"
	"slices"

	"nirc/ir"
)

// Random describes random compute shaders with control flow: ifs with phis,
// loops that invocations leave at different times, loads and stores.
type Random struct {
	Seed int64
	Size int // about this many operations
	// Comps is how many components values may have: 1 for scalar targets, up to 4.
	Comps int
	// Halves also makes values of 16 bits.
	Halves bool
}

// outWords are the output words that an invocation stores to.
const outWords = 16

// OutBytes are the output bytes of an invocation of a random shader.
const OutBytes = 4 * outWords

// Shader makes a shader of 64 threads a workgroup for a Run whose input holds
// 16 bytes an invocation, as RandomInput makes it.
func (c Random) Shader() *ir.Shader {
	s, b := NewShader(ir.StageCompute, 64)
	g := &gen{Random: c, b: b, r: rand.New(rand.NewSource(c.Seed))}
	g.id = b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
	g.in, g.out = StorageBuffer(b, 0, 0), StorageBuffer(b, 0, 1)
	g.load(b.Ishl(g.id, b.Imm32(4)), 4)
	g.w = append(g.w, g.id)
	if c.Halves {
		g.h = append(g.h, b.U2u16(g.vec(1)), b.U2u16(g.vec(1)))
	}
	g.p = append(g.p, b.Ilt(g.vec(1), g.vec(1)))
	g.region(c.Size)
	for _, v := range g.w {
		g.store(v)
	}
	for _, v := range g.h {
		g.store(b.U2u32(v))
	}
	for _, v := range g.p {
		g.store(b.B2i32(v))
	}
	return s
}

// RandomInput makes the input of n invocations.
func RandomInput(seed int64, n int) []byte {
	r := rand.New(rand.NewSource(seed))
	in := make([]byte, 16*n)
	for i := 0; i < len(in); i += 4 {
		binary.LittleEndian.PutUint32(in[i:], Input(ir.ClassUint, r))
	}
	return in
}

type gen struct {
	Random
	b       *ir.Builder
	r       *rand.Rand
	w, h, p []*ir.Def // words, halves, booleans
	in, out *ir.Def
	id      *ir.Def
	depth   int
	next    uint32 // output word
}

func (g *gen) pick(l []*ir.Def) *ir.Def { return l[g.r.Intn(len(l))] }

func (g *gen) width() int { return 1 + g.r.Intn(g.Comps) }

// vec makes n components of the words at hand.
func (g *gen) vec(n int) *ir.Def {
	switch g.r.Intn(7) {
	case 0:
		v := make([]uint64, n)
		for i := range v {
			v[i] = [...]uint64{0, 1, 5, 31, 255, 0xffff, 0x12345, 0xffffffff, 0x80000000, 0x7fff}[g.r.Intn(10)]
		}
		return g.b.Const(32, v...)
	case 1:
		c := make([]*ir.Def, n)
		for i := range c {
			x := g.pick(g.w)
			c[i] = g.b.Channel(x, g.r.Intn(int(x.NumComponents)))
		}
		return g.b.Vec(c...)
	}
	x := g.pick(g.w)
	sel := make([]int, n)
	for i := range sel {
		sel[i] = g.r.Intn(int(x.NumComponents))
	}
	return g.b.Swizzle(x, sel...)
}

func (g *gen) half() *ir.Def {
	if g.r.Intn(6) == 0 {
		return g.b.ImmInt(int64(g.r.Intn(70000)), 16)
	}
	return g.pick(g.h)
}

// splat repeats a scalar n times.
func (g *gen) splat(d *ir.Def, n int) *ir.Def { return g.b.Swizzle(d, make([]int, n)...) }

// load adds n words of the input.
func (g *gen) load(off *ir.Def, n int) {
	v := LoadWords(g.b, g.in, off, uint8(n))
	if g.Comps >= n {
		g.w = append(g.w, v)
		return
	}
	for c := range n {
		g.w = append(g.w, g.b.Channel(v, c))
	}
}

// store adds the components of a value into output words of the invocation.
func (g *gen) store(v *ir.Def) {
	b, n := g.b, int(v.NumComponents)
	k := g.next % uint32(outWords-n+1)
	g.next++
	off := b.Iadd(b.Imul(g.id, b.Imm32(OutBytes)), b.Imm32(4*k))
	old := LoadWords(b, g.out, off, v.NumComponents)
	StoreWords(b, g.out, off, b.Iadd(b.Imul(old, g.splat(b.Imm32(31), n)), v))
}

// op does something with values at hand.
func (g *gen) op() {
	n := g.width()
	switch k := g.r.Intn(10); {
	case k < 5:
		g.word(n)
	case k < 7 && g.Halves:
		g.narrow()
	case k < 9:
		g.test()
	case g.r.Intn(2) == 0:
		g.store(g.pick(g.w))
	default:
		g.load(g.b.Iand(g.vec(1), g.b.Imm32(0x3f0)), 1+g.r.Intn(4))
	}
}

// word adds a value of n words.
func (g *gen) word(n int) {
	b, x, y := g.b, g.vec(n), g.vec(n)
	two := [...]func(x, y *ir.Def) *ir.Def{b.Iadd, b.Isub, b.Imul, b.Iand, b.Ior, b.Ixor, b.Imin, b.Imax, b.Umin, b.Umax, b.Ishl, b.Ushr, b.Ishr}
	var v *ir.Def
	switch k := g.r.Intn(len(two) + 8); k - len(two) {
	case 0:
		v = b.Bcsel(g.splat(g.pick(g.p), n), x, y)
	case 1:
		v = b.Bcsel(b.Ult(x, y), y, g.vec(n))
	case 2:
		v = b.Inot(x)
	case 3:
		v = b.Ineg(x)
	case 4:
		v = b.BitCount(x)
	case 5:
		v = b.B2i32(b.Ieq(x, y))
	case 6:
		v = b.B2i32(g.splat(g.pick(g.p), n))
	case 7:
		f := b.Fadd(b.U2f32(b.Iand(x, g.splat(b.Imm32(0xffff), n))), b.Fneg(b.I2f32(b.Ishr(y, g.splat(b.Imm32(16), n)))))
		v = b.F2i32(b.Fmul(f, g.splat(b.ImmFloat(0.5, 32), n)))
	default:
		v = two[k](x, y)
	}
	g.w = append(g.w, v)
}

// narrow adds a value of 16 bits, or a word made of such.
func (g *gen) narrow() {
	b, x, y := g.b, g.half(), g.half()
	switch g.r.Intn(8) {
	case 0:
		g.h = append(g.h, b.Iadd(x, y))
	case 1:
		g.h = append(g.h, b.Unpack32_2x16SplitY(g.vec(1)))
	case 2:
		g.h = append(g.h, b.Bcsel(g.pick(g.p), x, y))
	case 3:
		g.h = append(g.h, b.Imax(x, y))
	case 4:
		g.h = append(g.h, b.Ishl(x, g.vec(1)))
	case 5:
		g.w = append(g.w, b.I2i32(b.Imul(x, y)))
	case 6:
		g.w = append(g.w, b.Pack32_2x16Split(x, y))
	case 7:
		g.h = append(g.h, b.U2u16(g.vec(1)))
	}
}

// test adds a boolean.
func (g *gen) test() {
	b, x, y := g.b, g.vec(1), g.vec(1)
	var v *ir.Def
	switch g.r.Intn(7) {
	case 0:
		v = b.Ult(x, y)
	case 1:
		v = b.Ige(x, y)
	case 2:
		v = b.Inot(g.pick(g.p))
	case 3:
		v = b.Iand(g.pick(g.p), g.pick(g.p))
	case 4:
		v = b.Bcsel(g.pick(g.p), g.pick(g.p), g.pick(g.p))
	case 5:
		v = b.Ieq(b.Iand(x, b.Imm32(3)), b.Imm32(1))
	case 6:
		v = b.Ixor(b.Ilt(x, y), g.pick(g.p))
		if g.Comps >= 3 {
			ones := b.Const(32, 1, 1, 1)
			v = b.BallIequal3(b.Iand(g.vec(3), ones), b.Iand(g.vec(3), ones))
		}
	}
	g.p = append(g.p, v)
}

func (g *gen) region(size int) {
	for size > 0 {
		switch k := g.r.Intn(12); {
		case k == 0 && g.depth < 3 && size > 4:
			g.branch(size / 2)
			size /= 2
		case k == 1 && g.depth < 3 && size > 4:
			g.loop(size / 2)
			size /= 2
		default:
			g.op()
			size--
		}
	}
}

type avail struct{ w, h, p int }

func (g *gen) mark() avail { return avail{len(g.w), len(g.h), len(g.p)} }

func (g *gen) back(a avail) { g.w, g.h, g.p = g.w[:a.w], g.h[:a.h], g.p[:a.p] }

// carried picks values for phis: n words, a half if there are any, a boolean.
func (g *gen) carried(n int) []*ir.Def {
	l := []*ir.Def{g.vec(n), g.vec(n), g.pick(g.p)}
	if g.Halves {
		l = append(l, g.half())
	}
	return l
}

// keep makes what carried picked available again.
func (g *gen) keep(l []*ir.Def) {
	g.w, g.p = append(g.w, l[0], l[1]), append(g.p, l[2])
	if g.Halves {
		g.h = append(g.h, l[3])
	}
}

func (g *gen) branch(size int) {
	g.depth++
	b, m, n := g.b, g.mark(), g.width()
	i := b.PushIf(g.pick(g.p))
	g.region(g.r.Intn(size))
	then := g.carried(n)
	g.back(m)
	b.PushElse(i)
	g.region(g.r.Intn(size))
	els := g.carried(n)
	g.back(m)
	b.PopIf(i)
	for k := range then {
		then[k] = b.IfPhi(i, then[k], els[k])
	}
	g.keep(then)
	b.Cursor = ir.AtEnd(i.After())
	g.depth--
}

// phiSrcs sets the sources of phis from pred; inserting a jump has put some there already.
func (g *gen) phiSrcs(phis []*ir.Instr, pred *ir.Block, count *ir.Def, l []*ir.Def) {
	for i, d := range append([]*ir.Def{count}, l...) {
		if src := phis[i].PhiSrc(pred); src != nil {
			src.Set(d)
		} else {
			g.b.Shader.AddPhiSrc(phis[i], pred, d)
		}
	}
}

// leave jumps out of a loop, or to its next turn, on a condition, from as deep as one more if.
func (g *gen) leave(phis []*ir.Instr, count *ir.Def, n int) {
	b, m := g.b, g.mark()
	ifs := []*ir.If{b.PushIf(g.pick(g.p))}
	if g.r.Intn(2) == 0 {
		g.op()
		ifs = append(ifs, b.PushIf(g.pick(g.p)))
	}
	if g.r.Intn(2) == 0 {
		b.Jump(ir.JumpBreak)
	} else {
		next, again, at := b.IAddImm(count, 1), g.carried(n), b.Cursor.Block
		b.Jump(ir.JumpContinue)
		g.phiSrcs(phis, at, next, again)
	}
	for _, i := range slices.Backward(ifs) {
		b.PopIf(i)
	}
	g.back(m)
}

// loop runs at most 6 times; its phis may exchange their values.
func (g *gen) loop(size int) {
	g.depth++
	b, m, n := g.b, g.mark(), g.width()
	zero, init := b.Imm32(0), g.carried(n)
	pre := b.Cursor.Block
	l := b.PushLoop()
	phis := make([]*ir.Instr, 1+len(init))
	vals := make([]*ir.Def, len(init))
	for i := range phis {
		d := zero
		if i > 0 {
			d = init[i-1]
		}
		phis[i] = b.Shader.NewPhi(d.NumComponents, d.BitSize)
		b.Insert(phis[i])
		if i > 0 {
			vals[i-1] = &phis[i].Def
		}
	}
	count := &phis[0].Def
	g.phiSrcs(phis, pre, zero, init)
	g.w = append(g.w, count)
	g.keep(vals)
	g.region(g.r.Intn(size) / 2)
	i := b.PushIf(b.Ior(b.Uge(count, b.Imm32(uint32(2+g.r.Intn(4)))), b.Ieq(b.Iand(g.vec(1), b.Imm32(7)), b.Imm32(3))))
	b.Jump(ir.JumpBreak)
	b.PopIf(i)
	for g.r.Intn(2) == 0 {
		g.leave(phis, count, n)
		g.region(g.r.Intn(size) / 2)
	}
	g.region(g.r.Intn(size))
	again := g.carried(n)
	if g.r.Intn(2) == 0 {
		again[0], again[1] = vals[1], vals[0]
	}
	next := b.IAddImm(count, 1)
	g.phiSrcs(phis, b.Cursor.Block, next, again)
	g.back(m)
	b.PopLoop(l)
	g.w = append(g.w, count)
	g.keep(vals)
	g.depth--
}
