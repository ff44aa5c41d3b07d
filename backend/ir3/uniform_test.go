package ir3

import (
	"math/rand"
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/backend/ir3/isa"
	"nirc/ir"
)

// waveGen makes random programs in which values that are the same for all
// fibers go through control flow that fibers part in.
type waveGen struct {
	b       *ir.Builder
	r       *rand.Rand
	id, out *ir.Def
	u, ub   []*ir.Def // words and booleans, the same for all fibers that are there
	w, p    []*ir.Def // words and booleans of fibers
	depth   int
	loops   int
	next    uint32
}

const waveWords = 12

// waveShader makes a program of about size operations.
func waveShader(seed int64, size int) *ir.Shader {
	s, b := gputest.NewShader(ir.StageCompute, 64)
	g := &waveGen{b: b, r: rand.New(rand.NewSource(seed))}
	g.id = b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
	g.out = gputest.StorageBuffer(b, 0, 1)
	group := b.Channel(&b.Intrinsic(ir.IntrLoadWorkgroupId, 3, 32).Def, 0)
	g.u = append(g.u, group, b.IAddImm(group, 7))
	g.ub = append(g.ub, b.Ieq(group, b.Imm32(1)))
	v := gputest.LoadWords(b, gputest.StorageBuffer(b, 0, 0), b.Ishl(g.id, b.Imm32(4)), 4)
	for c := range 4 {
		g.w = append(g.w, b.Channel(v, c))
	}
	g.p = append(g.p, b.Ilt(g.w[0], g.w[1]), b.Ieq(b.Iand(g.id, b.Imm32(3)), b.Imm32(2)))
	g.region(size)
	for _, v := range g.u {
		g.store(v)
	}
	for _, v := range g.w {
		g.store(v)
	}
	return s
}

func (g *waveGen) pick(l []*ir.Def) *ir.Def { return l[g.r.Intn(len(l))] }

func (g *waveGen) store(v *ir.Def) {
	b, k := g.b, g.next%waveWords
	g.next++
	off := b.Iadd(b.Imul(g.id, b.Imm32(4*waveWords)), b.Imm32(4*k))
	gputest.StoreWords(b, g.out, off, b.Iadd(b.Imul(gputest.LoadWords(b, g.out, off, 1), b.Imm32(31)), v))
}

func (g *waveGen) imm() *ir.Def { return g.b.Imm32(uint32(g.r.Intn(400))) }

func (g *waveGen) op() {
	b := g.b
	y := g.imm()
	if g.r.Intn(3) == 0 {
		y = g.pick(g.u)
	}
	two := [...]func(x, y *ir.Def) *ir.Def{b.Iadd, b.Isub, b.Iand, b.Ior, b.Ixor, b.Imin, b.Umax, b.Ushr, b.Ishl}
	some := two[g.r.Intn(len(two))]
	switch k := g.r.Intn(16); {
	case k < 5:
		g.u = append(g.u, some(g.pick(g.u), y))
	case k < 6:
		g.u = append(g.u, b.Bcsel(g.pick(g.ub), g.pick(g.u), y))
	case k < 7:
		g.u = append(g.u, b.U2u32(b.Iadd(b.U2u16(g.pick(g.u)), b.U2u16(y))))
	case k < 8:
		g.ub = append(g.ub, b.Ult(g.pick(g.u), y))
	case k < 9:
		g.ub = append(g.ub, b.Ior(g.pick(g.ub), b.Inot(g.pick(g.ub))))
	case k < 10 && g.r.Intn(2) == 0:
		g.u = append(g.u, &b.Intrinsic(ir.IntrReadFirstInvocation, 1, 32, g.pick(g.w)).Def)
	case k < 10:
		v := gputest.LoadUBO(b, b.Ishl(b.Iand(g.pick(g.u), b.Imm32(31)), b.Imm32(4)), uint8(1+g.r.Intn(4)), 32, 16)
		for c := range int(v.NumComponents) {
			g.u = append(g.u, b.Channel(v, c))
		}
	case k < 13:
		g.w = append(g.w, some(g.pick(g.w), g.pick(g.u)))
	case k < 14:
		g.w = append(g.w, b.Bcsel(g.pick(g.p), g.pick(g.w), g.pick(g.u)))
	case k < 15:
		g.p = append(g.p, b.Ult(g.pick(g.w), g.pick(g.u)))
	default:
		g.store(g.pick(g.u))
	}
}

func (g *waveGen) region(size int) {
	for size > 0 {
		switch k := g.r.Intn(10); {
		case k == 0 && g.depth < 4 && size > 3:
			g.branch(size/2, g.r.Intn(3) == 0)
			size /= 2
		case k == 1 && g.depth < 4 && g.loops < 2 && size > 5:
			g.loop(size/2, g.r.Intn(2) == 0)
			size /= 2
		default:
			g.op()
			size--
		}
	}
}

type waveMark [4]int

func (g *waveGen) mark() waveMark { return waveMark{len(g.u), len(g.ub), len(g.w), len(g.p)} }

func (g *waveGen) back(m waveMark) {
	g.u, g.ub, g.w, g.p = g.u[:m[0]], g.ub[:m[1]], g.w[:m[2]], g.p[:m[3]]
}

// branch is an if; what uniform values become in it is uniform after it if all fibers go one way.
func (g *waveGen) branch(size int, uniform bool) {
	b, m := g.b, g.mark()
	g.depth++
	cond := g.pick(g.p)
	if uniform {
		cond = g.pick(g.ub)
	}
	i := b.PushIf(cond)
	g.region(g.r.Intn(size + 1))
	t := [2]*ir.Def{g.pick(g.u), g.pick(g.w)}
	g.back(m)
	b.PushElse(i)
	if g.r.Intn(4) > 0 {
		g.region(g.r.Intn(size + 1))
	}
	e := [2]*ir.Def{g.pick(g.u), g.pick(g.w)}
	g.back(m)
	b.PopIf(i)
	u := b.IfPhi(i, t[0], e[0])
	g.w = append(g.w, b.IfPhi(i, t[1], e[1]))
	if uniform {
		g.u = append(g.u, u)
	} else {
		g.w = append(g.w, u)
	}
	b.Cursor = ir.AtEnd(i.After())
	g.depth--
}

// sources gives the phis of a loop what they read from the current block;
// a jump from there has put some there already.
func (g *waveGen) sources(phis []*ir.Instr, from *ir.Block, src []*ir.Def) {
	for i, d := range src {
		if at := phis[i].PhiSrc(from); at != nil {
			at.Set(d)
		} else {
			g.b.Shader.AddPhiSrc(phis[i], from, d)
		}
	}
}

// carried are the values of the next iteration.
func (g *waveGen) carried(count *ir.Def) []*ir.Def {
	return []*ir.Def{g.b.IAddImm(count, 1), g.pick(g.u), g.pick(g.u), g.pick(g.w)}
}

// loop is left by all fibers at once if uniform, else in different iterations.
func (g *waveGen) loop(size int, uniform bool) {
	b, m := g.b, g.mark()
	g.depth, g.loops = g.depth+1, g.loops+1
	init := []*ir.Def{b.Imm32(0), g.pick(g.u), g.pick(g.u), g.pick(g.w)}
	pre := b.Cursor.Block
	l := b.PushLoop()
	phis := make([]*ir.Instr, len(init))
	for i := range phis {
		phis[i] = b.Shader.NewPhi(1, 32)
		b.Insert(phis[i])
	}
	g.sources(phis, pre, init)
	count := &phis[0].Def
	g.u, g.w = append(g.u, count, &phis[1].Def, &phis[2].Def), append(g.w, &phis[3].Def)
	g.region(g.r.Intn(size) / 2)
	leave := b.Uge(count, b.Imm32(uint32(1+g.r.Intn(4))))
	if !uniform {
		leave = b.Ior(leave, g.pick(g.p))
	}
	g.leave(leave, g.r.Intn(2) == 0, ir.JumpBreak)
	if g.r.Intn(3) == 0 {
		src := g.carried(count)
		g.sources(phis, g.leave(g.pick(g.ub), true, ir.JumpContinue), src)
	}
	g.region(g.r.Intn(size))
	src := g.carried(count)
	if g.r.Intn(2) == 0 {
		src[1], src[2] = &phis[2].Def, &phis[1].Def
	}
	g.sources(phis, b.Cursor.Block, src)
	g.back(m)
	b.PopLoop(l)
	// Behind a loop that fibers leave apart these are no longer uniform.
	g.w = append(g.w, &phis[1].Def, &phis[3].Def)
	if uniform {
		g.u = append(g.u, count, &phis[2].Def)
	}
	g.depth, g.loops = g.depth-1, g.loops-1
}

// leave jumps if cond is true, perhaps after some operations, and returns the block it does so from.
func (g *waveGen) leave(cond *ir.Def, busy bool, kind ir.JumpKind) *ir.Block {
	m := g.mark()
	i := g.b.PushIf(cond)
	if busy {
		g.region(2)
	}
	g.back(m)
	from := g.b.Cursor.Block
	g.b.Jump(kind)
	g.b.PopIf(i)
	return from
}

// TestRandomUniform: programs whose uniform values live in shared registers
// compute the same as with all values in registers of fibers.
func TestRandomUniform(t *testing.T) {
	programs.Hold(t)
	n, shared, scalar, loads := 0, 0, 0, 0
	for seed := range gputest.Seeds(200) {
		n++
		s := waveShader(seed, 12+int(seed)%60)
		if err := ir.Validate(s); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, ir.Print(s))
		}
		gpu := [...]string{"a740", "a750", "a650", "a660"}[seed%4]
		run := &gputest.Run{Groups: 3, In: gputest.RandomInput(seed, 192), OutSize: 192 * 4 * waveWords}
		opts := CompileOptions{GPU: gpu, shareAll: true}
		switch seed % 5 {
		case 3:
			opts.shareAll = false
		case 4:
			opts.Registers = 6
		}
		bin, err := execute(s, opts, run, nil)
		if err != nil {
			t.Fatalf("seed %d on %s: %v\n%s", seed, gpu, err, ir.Print(s))
		}
		k := scalarInstrs(bin, gpu)
		scalar += k
		shared += boolInt(k > 0)
		loads += strings.Count(disasm(bin), "ldc.u")
	}
	if shared < n/2 || loads == 0 {
		t.Errorf("only %d of %d programs use the scalar unit, %d uniform loads", shared, n, loads)
	}
	t.Logf("%d programs use the scalar unit, for %d instructions; %d uniform loads", shared, scalar, loads)
}

// scalarInstrs counts the instructions of the scalar unit after the preamble.
func scalarInstrs(bin *Binary, gpu string) int {
	g, err := FindGPU(gpu)
	if err != nil {
		return 0
	}
	lines := isa.Disassemble(bin.Meta.Gen, bin.Code)
	n := 0
	for i := range lines {
		if lines[i].Instr.Op == isa.OpShpe {
			n = 0
		}
		n += boolInt(g.isScalar(&lines[i].Instr))
	}
	return n
}

// uniformShape is a program with the group's number and the fiber's at hand.
type uniformShape struct {
	name  string
	least int // instructions of the scalar unit
	build func(b *ir.Builder, group, id *ir.Def) *ir.Def
}

var uniformShapes = []uniformShape{
	{"a loop on one side goes on from what the other reads", 4, func(b *ir.Builder, group, id *ir.Def) *ir.Def {
		x := b.Ixor(b.IAddImm(group, 7), b.Imm32(21))
		i := b.PushIf(b.Ieq(b.Iand(id, b.Imm32(1)), b.Imm32(0)))
		pre := b.Cursor.Block
		l := b.PushLoop()
		carried := b.Shader.NewPhi(1, 32)
		b.Insert(carried)
		b.Shader.AddPhiSrc(carried, pre, x)
		c := b.PushIf(b.Uge(&carried.Def, b.Imm32(200)))
		b.Jump(ir.JumpBreak)
		b.PopIf(c)
		b.Shader.AddPhiSrc(carried, b.Cursor.Block, b.IAddImm(&carried.Def, 31))
		b.PopLoop(l)
		then := b.Iadd(&carried.Def, id)
		b.PushElse(i)
		els := b.Iadd(x, id)
		b.PopIf(i)
		return b.IfPhi(i, then, els)
	}},
	{"one side leaves a result under way where the other writes", 2, func(b *ir.Builder, group, id *ir.Def) *ir.Def {
		i := b.PushIf(b.Ieq(b.Iand(id, b.Imm32(1)), b.Imm32(0)))
		x := b.Ixor(b.IAddImm(group, 7), b.Imm32(21))
		j := b.PushIf(b.Ieq(group, b.Imm32(1)))
		out := gputest.StorageBuffer(b, 0, 1)
		gputest.StoreWords(b, out, b.IAddImm(b.Ishl(id, b.Imm32(2)), 192*4), b.Iadd(x, id))
		b.PopIf(j)
		b.PushElse(i)
		first := &b.Intrinsic(ir.IntrReadFirstInvocation, 1, 32, b.IAddImm(id, 3)).Def
		els := b.Iadd(first, id)
		b.PopIf(i)
		return b.IfPhi(i, id, els)
	}},
	{"fibers leave a loop in different iterations", 2, func(b *ir.Builder, group, id *ir.Def) *ir.Def {
		pre := b.Cursor.Block
		zero, start := b.Imm32(0), b.IAddImm(group, 5)
		l := b.PushLoop()
		count, sum := b.Shader.NewPhi(1, 32), b.Shader.NewPhi(1, 32)
		b.Insert(count)
		b.Insert(sum)
		b.Shader.AddPhiSrc(count, pre, zero)
		b.Shader.AddPhiSrc(sum, pre, start)
		twice := b.Ishl(&sum.Def, b.Imm32(1))
		c := b.PushIf(b.Uge(b.IAddImm(&count.Def, 1), b.Iand(id, b.Imm32(7))))
		b.Jump(ir.JumpBreak)
		b.PopIf(c)
		b.Shader.AddPhiSrc(count, b.Cursor.Block, b.IAddImm(&count.Def, 1))
		b.Shader.AddPhiSrc(sum, b.Cursor.Block, b.IAddImm(&sum.Def, 3))
		b.PopLoop(l)
		return b.Iadd(b.Iadd(twice, id), start)
	}},
	{"fibers carry what the first of them had out of a loop", 0, func(b *ir.Builder, group, id *ir.Def) *ir.Def {
		pre := b.Cursor.Block
		zero := b.Imm32(0)
		l := b.PushLoop()
		count := b.Shader.NewPhi(1, 32)
		b.Insert(count)
		b.Shader.AddPhiSrc(count, pre, zero)
		first := &b.Intrinsic(ir.IntrReadFirstInvocation, 1, 32, b.Ixor(id, b.Ishl(&count.Def, b.Imm32(8)))).Def
		c := b.PushIf(b.Uge(&count.Def, b.Iand(id, b.Imm32(7))))
		b.Jump(ir.JumpBreak)
		b.PopIf(c)
		b.Shader.AddPhiSrc(count, b.Cursor.Block, b.IAddImm(&count.Def, 1))
		b.PopLoop(l)
		return b.Iadd(first, id)
	}},
	{"a sum of a product has shared sources everywhere", 2, func(b *ir.Builder, group, id *ir.Def) *ir.Def {
		f, x, y := b.U2f32(id), b.U2f32(b.IAddImm(group, 3)), b.U2f32(b.IAddImm(group, 9))
		v := b.Ffma(f, x, y)
		v = b.Ffma(x, v, f)
		first := b.U2f32(&b.Intrinsic(ir.IntrReadFirstInvocation, 1, 32, id).Def)
		v = b.Ffma(first, b.Fadd(f, y), b.Ffma(first, x, v))
		return b.F2u32(v)
	}},
}

// TestUniformShapes: what the fibers of one way do to shared registers while
// others wait is as if they had not. Without physical edges the first two go wrong.
func TestUniformShapes(t *testing.T) {
	programs.Hold(t)
	for _, c := range uniformShapes {
		for _, gpu := range []string{"a650", "a740", "a750"} {
			s, b := gputest.NewShader(ir.StageCompute, 64)
			id := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
			group := b.Channel(&b.Intrinsic(ir.IntrLoadWorkgroupId, 3, 32).Def, 0)
			v := c.build(b, group, id)
			b.Cursor = ir.AtEnd(s.Entry().Impl.Body.LastBlock())
			gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Ishl(id, b.Imm32(2)), v)
			if err := ir.Validate(s); err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			bin, err := execute(s, CompileOptions{GPU: gpu, shareAll: true}, &gputest.Run{Groups: 3, In: make([]byte, 64), OutSize: 2 * 192 * 4}, nil)
			if err != nil {
				t.Errorf("%s on %s: %v", c.name, gpu, err)
				continue
			}
			if n := scalarInstrs(bin, gpu); n < c.least {
				t.Errorf("%s on %s: %d instructions of the scalar unit\n%s", c.name, gpu, n, disasm(bin))
			}
		}
	}
}

// TestUniformPressure: more uniform values at a time than there are shared
// registers are computed in normal ones.
func TestUniformPressure(t *testing.T) {
	programs.Hold(t)
	for _, n := range []int{12, 60} {
		s, b := gputest.NewShader(ir.StageCompute, 64)
		id := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
		group := b.Channel(&b.Intrinsic(ir.IntrLoadWorkgroupId, 3, 32).Def, 0)
		out := gputest.StorageBuffer(b, 0, 1)
		var list []*ir.Def
		u := group
		for k := range n {
			u = b.Ixor(b.IAddImm(u, int64(k+1)), b.Imm32(uint32(5*k)))
			list = append(list, u)
		}
		sum := id
		for k := range list {
			sum = b.Ixor(b.Iadd(sum, list[n-1-k]), b.Ishl(sum, b.Imm32(1)))
		}
		gputest.StoreWords(b, out, b.Ishl(id, b.Imm32(2)), sum)
		bin, err := execute(s, CompileOptions{GPU: "a740"}, &gputest.Run{Groups: 3, In: make([]byte, 64), OutSize: 192 * 4}, nil)
		if err != nil {
			t.Fatalf("%d values: %v", n, err)
		}
		if k := scalarInstrs(bin, "a740"); (k > n) != (n < 32) {
			t.Errorf("%d values: %d instructions of the scalar unit\n%s", n, k, disasm(bin))
		}
	}
}
