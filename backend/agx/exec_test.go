package agx

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand"
	"testing"

	"nirc/backend/agx/core"
	"nirc/emu"
	"nirc/ir"
	"nirc/ir/interp"
)

// dispatch runs a compute program over two workgroups with buffers at set 0,
// bindings 0 and 1, and returns what the second holds.
func dispatch(p emu.Program, in []byte, outSize int) ([]byte, error) {
	mem := emu.NewMemory()
	a, b := mem.Alloc(len(in)), mem.Alloc(outSize)
	copy(a.Data, in)
	var bind emu.Bindings
	bind.Set(0, 0, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: a.Addr, Size: uint64(len(in))}})
	bind.Set(0, 1, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: b.Addr, Size: uint64(outSize)}})
	params := emu.DispatchParams{Groups: [3]uint32{2, 1, 1}}
	params.Check = true
	params.Budget = 1 << 26
	err := emu.Dispatch(context.Background(), p, &emu.Env{Mem: mem, Bindings: &bind}, params)
	return append([]byte(nil), b.Data[:outSize]...), err
}

// differ runs s by the interpreter and on the core and compares what they store.
func differ(t *testing.T, s *ir.Shader, opts CompileOptions, in []byte, outSize int) error {
	ref, err := interp.New(s, interp.Options{WaveSize: 32})
	if err != nil {
		return err
	}
	want, err := dispatch(ref, in, outSize)
	if err != nil {
		return fmt.Errorf("interpreter: %w", err)
	}
	bin, text := build(t, s, opts)
	p, err := core.Load(bin.Code, &bin.Meta)
	if err != nil {
		return err
	}
	got, err := dispatch(p, in, outSize)
	if err != nil {
		return fmt.Errorf("%w\n%s", err, text)
	}
	for i := range want {
		if want[i] != got[i] {
			return fmt.Errorf("byte %d: %#x, want %#x\n%s", i, got[i], want[i], text)
		}
	}
	return nil
}

// generator makes random integer code with control flow.
type generator struct {
	r    *rand.Rand
	b    *ir.Builder
	vals []*ir.Def // 32 bits
	off  *ir.Def
}

func (g *generator) pick() *ir.Def {
	if g.r.Intn(6) == 0 {
		return g.b.Imm32([]uint32{0, 1, 7, 31, 255, 256, 0xffffffff, 0x80000000, 0x12345678, 0xfffffff0}[g.r.Intn(10)])
	}
	return g.vals[g.r.Intn(len(g.vals))]
}

func (g *generator) bool() *ir.Def {
	b := g.b
	x, y := g.pick(), g.pick()
	switch g.r.Intn(6) {
	case 0:
		return b.Ilt(x, y)
	case 1:
		return b.Uge(x, y)
	case 2:
		return b.Ieq(b.Iand(x, b.Imm32(3)), b.Imm32(1))
	case 3:
		return b.Inot(b.Ult(x, y))
	case 4:
		return b.Iand(b.Ine(x, y), b.Ige(y, x))
	}
	return b.Ixor(b.Ilt(x, y), b.Ult(x, y))
}

// op makes one value of two others.
func (g *generator) op() *ir.Def {
	b, x, y := g.b, g.pick(), g.pick()
	half := func(d *ir.Def) *ir.Def { return b.ALU(ir.OpU2u16, d) }
	two := []func(x, y *ir.Def) *ir.Def{b.Iadd, b.Isub, b.Imul, b.Iand, b.Ior, b.Ixor, b.Imin, b.Imax, b.Umin, b.Umax, b.Ishl, b.Ushr, b.Ishr, b.UmulHigh, b.ImulHigh}
	switch k := g.r.Intn(len(two) + 9); {
	case k < len(two):
		return two[k](x, y)
	case k == len(two):
		return b.Bcsel(g.bool(), x, y)
	case k == len(two)+1:
		return b.Inot(x)
	case k == len(two)+2:
		return b.Ineg(x)
	case k == len(two)+3:
		return b.ALU(ir.OpBitCount, x)
	case k == len(two)+4:
		return b.ALU(ir.OpFindLsb, x)
	case k == len(two)+5:
		return b.ALU(ir.OpIfindMsb, x)
	case k == len(two)+6:
		return b.ALU(ir.OpI2i32, two[g.r.Intn(10)](half(x), half(y)))
	case k == len(two)+7:
		return b.Pack32_2x16Split(b.Unpack32_2x16SplitY(x), half(y))
	}
	return b.ALU(ir.OpB2i32, g.bool())
}

func (g *generator) code(size, depth int) {
	for range size {
		switch k := g.r.Intn(12); {
		case k == 0 && depth < 3:
			g.branch(depth)
		case k == 1 && depth < 2:
			g.loop(depth)
		default:
			g.vals = append(g.vals, g.op())
		}
	}
}

func (g *generator) branch(depth int) {
	n := len(g.vals)
	i := g.b.PushIf(g.bool())
	g.code(4, depth+1)
	x := g.pick()
	g.vals = g.vals[:n]
	g.b.PushElse(i)
	g.code(3, depth+1)
	y := g.pick()
	g.vals = g.vals[:n]
	g.b.PopIf(i)
	g.vals = append(g.vals, g.b.IfPhi(i, x, y))
}

// loop runs a few times, by a count in memory-free form: values that differ
// between lanes decide when each leaves.
func (g *generator) loop(depth int) {
	b, s := g.b, g.b.Shader
	n := len(g.vals)
	limit := b.Iand(g.pick(), b.Imm32(7))
	zero, start := b.Imm32(0), g.pick()
	before := b.Cursor.Block
	l := b.PushLoop()
	count, sum := s.NewPhi(1, 32), s.NewPhi(1, 32)
	b.Insert(count)
	b.Insert(sum)
	i := b.PushIf(b.Uge(&count.Def, limit))
	b.Jump(ir.JumpBreak)
	b.PushElse(i)
	b.PopIf(i)
	g.vals = append(g.vals, &count.Def, &sum.Def)
	g.code(4, depth+1)
	next, total := b.Iadd(&count.Def, b.Imm32(1)), b.Iadd(&sum.Def, g.pick())
	last := b.Cursor.Block
	s.AddPhiSrc(count, before, zero)
	s.AddPhiSrc(sum, before, start)
	s.AddPhiSrc(count, last, next)
	s.AddPhiSrc(sum, last, total)
	b.PopLoop(l)
	g.vals = append(g.vals[:n], &sum.Def)
}

// Random programs store the same on the core, with its checks, as in the
// interpreter; also with few registers.
func TestRandom(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	in := make([]byte, 4*4*128)
	for i := 0; i < len(in); i += 4 {
		v := r.Uint32()
		if r.Intn(3) == 0 {
			v &= 15
		}
		binary.LittleEndian.PutUint32(in[i:], v)
	}
	for seed := range int64(150) {
		s, b := newShader(ir.StageCompute)
		id := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
		off := b.Ishl(id, b.Imm32(4))
		g := &generator{r: rand.New(rand.NewSource(seed)), b: b, off: off}
		v := loadBuffer(b, 0, 4, off)
		for c := range 4 {
			g.vals = append(g.vals, b.Channel(v, c))
		}
		g.vals = append(g.vals, id)
		g.code(30, 0)
		n := len(g.vals)
		storeBuffer(b, 1, b.Vec(g.vals[n-1], g.vals[n-2], g.vals[n-3], g.vals[n-4]), off)
		opts := CompileOptions{}
		if seed%3 == 0 {
			opts.Halves = 40
		}
		if err := differ(t, s, opts, in, len(in)); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}
