package ir3

import (
	"encoding/binary"
	"math/rand"
	"testing"

	"nirc/ir"
)

// shaderGen makes random compute shaders with control flow: values of 32 and
// 16 bits and booleans, ifs with phis, loops with divergent breaks, loads and
// stores.
type shaderGen struct {
	b       *ir.Builder
	r       *rand.Rand
	w, h, p []*ir.Def // 32 bits, 16 bits, booleans
	in, out *ir.Def
	id      *ir.Def
	depth   int
	next    uint32 // output word of the lane
	words   uint32
}

func randomShader(t *testing.T, seed int64, size int) (*ir.Shader, int) {
	s, b := newCompute(t)
	g := &shaderGen{b: b, r: rand.New(rand.NewSource(seed)), words: 16}
	g.id = b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
	g.in, g.out = buffer(b, 0, 0), buffer(b, 0, 1)
	v := loadWord(b, g.in, b.Ishl(g.id, b.Imm32(4)), 4)
	for c := range 4 {
		g.w = append(g.w, b.Channel(v, c))
	}
	g.w = append(g.w, g.id)
	g.h = append(g.h, b.U2u16(g.w[0]), b.U2u16(g.w[1]))
	g.p = append(g.p, b.Ilt(g.w[0], g.w[1]))
	g.region(size)
	for _, v := range g.w {
		g.store(v)
	}
	for _, v := range g.h {
		g.store(b.U2u32(v))
	}
	for _, v := range g.p {
		g.store(b.B2i32(v))
	}
	return s, int(g.words * 4)
}

func (g *shaderGen) pick(l []*ir.Def) *ir.Def { return l[g.r.Intn(len(l))] }

func (g *shaderGen) word() *ir.Def {
	if g.r.Intn(6) == 0 {
		return g.b.Imm32([...]uint32{0, 1, 5, 31, 255, 0xffff, 0x12345, 0xffffffff, 0x80000000}[g.r.Intn(9)])
	}
	return g.pick(g.w)
}

func (g *shaderGen) half() *ir.Def {
	if g.r.Intn(6) == 0 {
		return g.b.ImmInt(int64(g.r.Intn(70000)), 16)
	}
	return g.pick(g.h)
}

// store adds a value into one of the lane's output words.
func (g *shaderGen) store(v *ir.Def) {
	b := g.b
	k := g.next % g.words
	g.next++
	off := b.Iadd(b.Imul(g.id, b.Imm32(4*g.words)), b.Imm32(4*k))
	old := loadWord(b, g.out, off, 1)
	storeWord(b, g.out, off, b.Iadd(b.Imul(old, b.Imm32(31)), v))
}

func (g *shaderGen) op() {
	b := g.b
	switch g.r.Intn(26) {
	case 0:
		g.w = append(g.w, b.Iadd(g.word(), g.pick(g.w)))
	case 1:
		g.w = append(g.w, b.Imul(g.word(), g.pick(g.w)))
	case 2:
		g.w = append(g.w, b.Ixor(g.word(), g.pick(g.w)))
	case 3:
		g.w = append(g.w, b.Ishl(g.word(), g.word()))
	case 4:
		g.w = append(g.w, b.Ishr(g.word(), g.word()))
	case 5:
		g.w = append(g.w, b.Bcsel(g.pick(g.p), g.word(), g.word()))
	case 6:
		g.w = append(g.w, b.Umin(g.word(), g.word()))
	case 7:
		g.w = append(g.w, b.Isub(g.word(), g.word()))
	case 8:
		g.w = append(g.w, b.I2i32(g.half()))
	case 9:
		g.w = append(g.w, b.B2i32(g.pick(g.p)))
	case 10:
		g.w = append(g.w, b.Pack32_2x16Split(g.half(), g.half()))
	case 11:
		g.h = append(g.h, b.Iadd(g.half(), g.half()))
	case 12:
		g.h = append(g.h, b.Unpack32_2x16SplitY(g.word()))
	case 13:
		g.h = append(g.h, b.Bcsel(g.pick(g.p), g.half(), g.half()))
	case 14:
		g.h = append(g.h, b.Imax(g.half(), g.half()))
	case 15:
		g.p = append(g.p, b.Ult(g.word(), g.pick(g.w)))
	case 16:
		g.p = append(g.p, b.Ieq(g.half(), g.pick(g.h)))
	case 17:
		g.p = append(g.p, b.Inot(g.pick(g.p)))
	case 18:
		g.p = append(g.p, b.Iand(g.pick(g.p), g.pick(g.p)))
	case 19:
		g.p = append(g.p, b.Bcsel(g.pick(g.p), g.pick(g.p), g.pick(g.p)))
	case 20:
		g.store(g.pick(g.w))
	case 21:
		off := b.Iand(g.word(), b.Imm32(0xfc))
		v := loadWord(b, g.in, off, uint8(1+g.r.Intn(4)))
		for c := range int(v.NumComponents) {
			g.w = append(g.w, b.Channel(v, c))
		}
	case 22:
		f := b.Fadd(b.U2f32(b.Iand(g.word(), b.Imm32(0xffff))), b.Fneg(b.I2f32(b.I2i16(g.word()))))
		g.w = append(g.w, b.F2i32(b.Fmul(f, b.ImmFloat(0.5, 32))))
	case 23:
		g.w = append(g.w, b.BitCount(g.word()))
	case 24:
		g.h = append(g.h, b.Ishl(g.half(), g.word()))
	case 25:
		g.w = append(g.w, b.Umax(g.word(), g.word()))
	}
}

func (g *shaderGen) region(size int) {
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

func (g *shaderGen) mark() avail { return avail{len(g.w), len(g.h), len(g.p)} }

func (g *shaderGen) back(a avail) { g.w, g.h, g.p = g.w[:a.w], g.h[:a.h], g.p[:a.p] }

func (g *shaderGen) branch(size int) {
	g.depth++
	b := g.b
	m := g.mark()
	i := b.PushIf(g.pick(g.p))
	g.region(g.r.Intn(size))
	w1, h1, p1 := g.pick(g.w), g.half(), g.pick(g.p)
	g.back(m)
	b.PushElse(i)
	g.region(g.r.Intn(size))
	w2, h2, p2 := g.word(), g.pick(g.h), g.pick(g.p)
	g.back(m)
	b.PopIf(i)
	g.w = append(g.w, b.IfPhi(i, w1, w2))
	g.h = append(g.h, b.IfPhi(i, h1, h2))
	g.p = append(g.p, b.IfPhi(i, p1, p2))
	b.Cursor = ir.AtEnd(i.After())
	g.depth--
}

// phiSrc sets the source of a phi from pred; inserting a jump has put one there already.
func (g *shaderGen) phiSrc(phi *ir.Instr, pred *ir.Block, d *ir.Def) {
	if src := phi.PhiSrc(pred); src != nil {
		src.Set(d)
		return
	}
	g.b.Shader.AddPhiSrc(phi, pred, d)
}

// loop runs at most 6 times; lanes leave at different times.
func (g *shaderGen) loop(size int) {
	g.depth++
	b := g.b
	m := g.mark()
	zero, w0, h0, p0 := b.Imm32(0), g.pick(g.w), g.pick(g.h), g.pick(g.p)
	pre := b.Cursor.Block
	l := b.PushLoop()
	head := l.Body.FirstBlock()
	s := b.Shader
	var phis [4]*ir.Instr
	for i, d := range []*ir.Def{zero, w0, h0, p0} {
		phis[i] = s.NewPhi(1, d.BitSize)
		b.Insert(phis[i])
		g.phiSrc(phis[i], pre, d)
	}
	g.w = append(g.w, &phis[0].Def, &phis[1].Def)
	g.h = append(g.h, &phis[2].Def)
	g.p = append(g.p, &phis[3].Def)
	g.region(g.r.Intn(size) / 2)
	i := b.PushIf(b.Ior(b.Uge(&phis[0].Def, b.Imm32(uint32(2+g.r.Intn(4)))), b.Ieq(b.Iand(g.pick(g.w), b.Imm32(7)), b.Imm32(3))))
	b.Jump(ir.JumpBreak)
	b.PopIf(i)
	if g.r.Intn(3) == 0 {
		// A continue in the middle: the values must not differ, so it goes by the counter only.
		next := b.IAddImm(&phis[0].Def, 1)
		c := b.PushIf(g.pick(g.p))
		at := b.Cursor.Block
		b.Jump(ir.JumpContinue)
		g.phiSrc(phis[0], at, next)
		g.phiSrc(phis[1], at, g.pick(g.w))
		g.phiSrc(phis[2], at, g.pick(g.h))
		g.phiSrc(phis[3], at, g.pick(g.p))
		b.PopIf(c)
	}
	g.region(g.r.Intn(size))
	next := b.IAddImm(&phis[0].Def, 1)
	end := b.Cursor.Block
	g.phiSrc(phis[0], end, next)
	g.phiSrc(phis[1], end, g.pick(g.w))
	g.phiSrc(phis[2], end, g.pick(g.h))
	g.phiSrc(phis[3], end, g.pick(g.p))
	_ = head
	g.back(m)
	b.PopLoop(l)
	g.w = append(g.w, &phis[0].Def, &phis[1].Def)
	g.h = append(g.h, &phis[2].Def)
	g.p = append(g.p, &phis[3].Def)
	g.depth--
}

func randomInput(seed int64) []byte {
	r := rand.New(rand.NewSource(seed))
	in := make([]byte, 2*64*16)
	for i := 0; i < len(in); i += 4 {
		binary.LittleEndian.PutUint32(in[i:], opInput(ir.ClassUint, r, 100))
	}
	return in
}

func TestRandomShaders(t *testing.T) {
	n := 300
	if testing.Short() {
		n = 40
	}
	var inst, nops, regs int
	defer func() {
		t.Logf("%d instructions, %d nops, %d vec4 registers", inst, nops, regs)
	}()
	for seed := range int64(n) {
		s, lane := randomShader(t, seed, 10+int(seed)%60)
		if err := ir.Validate(s); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, ir.Print(s))
		}
		gpu := gpus[seed%int64(len(gpus))]
		if err := differ(s, CompileOptions{GPU: gpu}, 2, randomInput(seed), 128*lane, nil, nil); err != nil {
			t.Fatalf("seed %d on %s: %v\n%s", seed, gpu, err, ir.Print(s))
		}
		if bin, err := compile(s, CompileOptions{GPU: gpu}); err == nil {
			inst, nops, regs = inst+bin.Stats.Instrs, nops+bin.Stats.Nops, regs+bin.Meta.MaxRegs
		}
	}
}

// With few registers values go to private memory and back.
func TestRandomSpilling(t *testing.T) {
	stores := 0
	for seed := range int64(80) {
		s, lane := randomShader(t, 1000+seed, 40+int(seed)%60)
		gpu := gpus[seed%int64(len(gpus))]
		opts := CompileOptions{GPU: gpu, Registers: 6}
		if err := differ(s, opts, 2, randomInput(seed), 128*lane, nil, nil); err != nil {
			t.Fatalf("seed %d on %s: %v\n%s", seed, gpu, err, ir.Print(s))
		}
		bin, err := compile(s, opts)
		if err != nil {
			t.Fatal(err)
		}
		if bin.Meta.MaxRegs > 6 {
			t.Errorf("seed %d: %d vec4 registers", seed, bin.Meta.MaxRegs)
		}
		stores += bin.Stats.Stp
	}
	if stores == 0 {
		t.Error("nothing was spilled")
	}
	t.Logf("%d values stored", stores)
}
