package midgard

import (
	"encoding/binary"
	"math/rand"
	"testing"

	"nirc/ir"
)

// shaderGen makes random compute shaders of vectors with control flow: values of one
// to four components of 32 bits and booleans, ifs and loops with phis, loads and stores.
type shaderGen struct {
	b       *ir.Builder
	r       *rand.Rand
	w, p    []*ir.Def // words in vectors, single booleans
	in, out *ir.Def
	id      *ir.Def
	depth   int
	next    uint32
	words   uint32
}

func randomShader(seed int64, size int) (*ir.Shader, int) {
	s, b := newShader(ir.StageCompute, 64)
	g := &shaderGen{b: b, r: rand.New(rand.NewSource(seed)), words: 16}
	g.id = b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
	g.in, g.out = buffers(b)
	g.w = append(g.w, loadWord(b, g.in, b.Ishl(g.id, b.Imm32(4)), 4), g.id)
	g.p = append(g.p, b.Ilt(g.vec(1), g.vec(1)))
	g.region(size)
	for _, v := range g.w {
		g.store(v)
	}
	for _, v := range g.p {
		g.store(b.B2i32(v))
	}
	return s, int(g.words * 4)
}

func (g *shaderGen) pick(l []*ir.Def) *ir.Def { return l[g.r.Intn(len(l))] }

func (g *shaderGen) word() uint64 {
	return [...]uint64{0, 1, 5, 31, 255, 0xffff, 0x12345, 0xffffffff, 0x80000000, 0x7fff}[g.r.Intn(10)]
}

// vec makes n components of values at hand.
func (g *shaderGen) vec(n int) *ir.Def {
	switch g.r.Intn(8) {
	case 0:
		v := make([]uint64, n)
		for i := range v {
			v[i] = g.word()
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

// store adds the components of a value into output words of the thread.
func (g *shaderGen) store(v *ir.Def) {
	b := g.b
	n := uint32(v.NumComponents)
	k := g.next % (g.words - n + 1)
	g.next++
	off := b.Iadd(b.Imul(g.id, b.Imm32(4*g.words)), b.Imm32(4*k))
	old := loadWord(b, g.out, off, v.NumComponents)
	sel := make([]int, n)
	storeWord(b, g.out, off, b.Iadd(b.Imul(old, b.Swizzle(b.Imm32(31), sel...)), v))
}

func (g *shaderGen) op() {
	b := g.b
	n := 1 + g.r.Intn(4)
	add := func(v *ir.Def) { g.w = append(g.w, v) }
	same := func() *ir.Def {
		c := g.pick(g.p)
		return b.Swizzle(c, make([]int, n)...)
	}
	switch g.r.Intn(20) {
	case 0:
		add(b.Iadd(g.vec(n), g.vec(n)))
	case 1:
		add(b.Imul(g.vec(n), g.vec(n)))
	case 2:
		add(b.Ixor(g.vec(n), g.vec(n)))
	case 3:
		add(b.Ishl(g.vec(n), g.vec(n)))
	case 4:
		add(b.Ishr(g.vec(n), g.vec(n)))
	case 5:
		add(b.Bcsel(same(), g.vec(n), g.vec(n)))
	case 6:
		add(b.Bcsel(b.Ult(g.vec(n), g.vec(n)), g.vec(n), g.vec(n)))
	case 7:
		add(b.Isub(g.vec(n), g.vec(n)))
	case 8:
		add(b.B2i32(b.Ieq(g.vec(n), g.vec(n))))
	case 9:
		add(b.BitCount(g.vec(n)))
	case 10:
		add(b.Umax(g.vec(n), g.vec(n)))
	case 11:
		add(b.Imin(g.vec(n), g.vec(n)))
	case 12:
		add(b.Inot(g.vec(n)))
	case 13:
		g.p = append(g.p, b.Ult(g.vec(1), g.vec(1)))
	case 14:
		g.p = append(g.p, b.Inot(g.pick(g.p)))
	case 15:
		g.p = append(g.p, b.BallIequal3(b.Iand(g.vec(3), b.Const(32, 1, 1, 1)), b.Iand(g.vec(3), b.Const(32, 1, 1, 1))))
	case 16:
		g.p = append(g.p, b.Bcsel(g.pick(g.p), g.pick(g.p), g.pick(g.p)))
	case 17:
		g.store(g.pick(g.w))
	case 18:
		add(loadWord(b, g.in, b.Iand(g.vec(1), b.Imm32(0x3f0)), uint8(n)))
	case 19:
		f := b.Fadd(b.U2f32(b.Iand(g.vec(n), b.Swizzle(b.Imm32(0xffff), make([]int, n)...))), b.Fneg(b.I2f32(b.Ishr(g.vec(n), b.Swizzle(b.Imm32(16), make([]int, n)...)))))
		add(b.F2i32(b.Fmul(f, b.Swizzle(b.ImmFloat(0.5, 32), make([]int, n)...))))
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

func (g *shaderGen) branch(size int) {
	g.depth++
	b := g.b
	nw, np := len(g.w), len(g.p)
	n := 1 + g.r.Intn(4)
	i := b.PushIf(g.pick(g.p))
	g.region(g.r.Intn(size))
	w1, p1 := g.vec(n), g.pick(g.p)
	g.w, g.p = g.w[:nw], g.p[:np]
	b.PushElse(i)
	g.region(g.r.Intn(size))
	w2, p2 := g.vec(n), g.pick(g.p)
	g.w, g.p = g.w[:nw], g.p[:np]
	b.PopIf(i)
	g.w = append(g.w, b.IfPhi(i, w1, w2))
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

// loop runs at most 6 times; its phis may exchange their values.
func (g *shaderGen) loop(size int) {
	g.depth++
	b := g.b
	nw, np := len(g.w), len(g.p)
	n := 1 + g.r.Intn(4)
	init := []*ir.Def{b.Imm32(0), g.vec(n), g.vec(n), g.pick(g.p)}
	pre := b.Cursor.Block
	l := b.PushLoop()
	var phis [4]*ir.Instr
	for i, d := range init {
		phis[i] = b.Shader.NewPhi(d.NumComponents, d.BitSize)
		b.Insert(phis[i])
		g.phiSrc(phis[i], pre, d)
	}
	g.w = append(g.w, &phis[0].Def, &phis[1].Def, &phis[2].Def)
	g.p = append(g.p, &phis[3].Def)
	g.region(g.r.Intn(size) / 2)
	i := b.PushIf(b.Ior(b.Uge(&phis[0].Def, b.Imm32(uint32(2+g.r.Intn(4)))), b.Ieq(b.Iand(g.vec(1), b.Imm32(7)), b.Imm32(3))))
	b.Jump(ir.JumpBreak)
	b.PopIf(i)
	g.region(g.r.Intn(size))
	next := b.IAddImm(&phis[0].Def, 1)
	x, y := g.vec(n), g.vec(n)
	if g.r.Intn(2) == 0 {
		x, y = &phis[2].Def, &phis[1].Def
	}
	q := g.pick(g.p)
	end := b.Cursor.Block
	for i, d := range []*ir.Def{next, x, y, q} {
		g.phiSrc(phis[i], end, d)
	}
	g.w, g.p = g.w[:nw], g.p[:np]
	b.PopLoop(l)
	g.w = append(g.w, &phis[0].Def, &phis[1].Def, &phis[2].Def)
	g.p = append(g.p, &phis[3].Def)
	g.depth--
}

func randomInput(seed int64) []byte {
	r := rand.New(rand.NewSource(seed))
	in := make([]byte, 64*16)
	for i := 0; i < len(in); i += 4 {
		binary.LittleEndian.PutUint32(in[i:], opInput(ir.ClassUint, r))
	}
	return in
}

func TestRandomShaders(t *testing.T) {
	n := 300
	if testing.Short() {
		n = 40
	}
	var bundles, inst, regs int
	for seed := range int64(n) {
		s, thread := randomShader(seed, 10+int(seed)%60)
		if err := ir.Validate(s); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, ir.Print(s))
		}
		gpu := gpus[seed%int64(len(gpus))].Name
		bin, err := differ(s, CompileOptions{GPU: gpu}, 1, randomInput(seed), 64*thread, nil)
		if err != nil {
			t.Fatalf("seed %d on %s: %v\n%s", seed, gpu, err, ir.Print(s))
		}
		inst, bundles, regs = inst+bin.Stats.Instrs, bundles+bin.Stats.Bundles, regs+bin.Stats.Regs
	}
	t.Logf("%d instructions in %d bundles, %d work registers", inst, bundles, regs)
}

// With few registers values go to the thread's storage and back.
func TestRandomSpilling(t *testing.T) {
	stores := 0
	for seed := range int64(80) {
		s, thread := randomShader(1000+seed, 40+int(seed)%60)
		opts := CompileOptions{GPU: gpus[seed%int64(len(gpus))].Name, Registers: 4}
		bin, err := differ(s, opts, 1, randomInput(seed), 64*thread, nil)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, ir.Print(s))
		}
		if bin.Meta.WorkRegs > 4 {
			t.Errorf("seed %d: %d work registers", seed, bin.Meta.WorkRegs)
		}
		stores += bin.Stats.Spills
	}
	if stores == 0 {
		t.Error("nothing was spilled")
	}
	t.Logf("%d values stored", stores)
}
