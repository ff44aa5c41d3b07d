// Package irtest makes random valid shaders for the tests of the IR, of the
// passes and of the backends, and reads the texts of shaders beside them. It is for tests only: nothing that is shipped
// imports it. It knows package ir and no pass, frontend or backend.
//
// The shaders are compute shaders that always terminate and whose effects are
// stores to a storage buffer, so that two forms of one shader can be compared
// by running both. The same Config gives the same shader, on any machine.
package irtest

import (
	"math/rand/v2"

	"nirc/ir"
	"nirc/ir/optab"
)

// Sizes of what the shaders work on: they read InputBytes of the storage
// buffer at set 0, binding 0 and write OutputBytes of the one at binding 1,
// from Invocations invocations in one workgroup.
const (
	Invocations = 8
	InputBytes  = 1024
	OutputBytes = Invocations * slotBytes

	slotBytes = 4096 // of one invocation's results
)

// Config says what shader to make.
type Config struct {
	Seed uint64
	// Size is about the number of instructions.
	Size int
	// IntOnly leaves out operations with float operands; AllExact marks every ALU
	// instruction exact. Results are then the same bits whatever rules are applied.
	IntOnly, AllExact bool
	// NoLoops and NoVariables leave out loops and variables.
	NoLoops, NoVariables bool
	// Everything adds what executors and backends need not know: calls, texture
	// instructions, registers, parallel copies, casts, wildcards, source locations,
	// names, flags that promise something.
	Everything bool
	// Op, if set, picks the ALU operations.
	Op func(*optab.Op) bool
}

// RandomShader returns a valid shader of about size instructions with ALU
// operations, ifs, loops, phis and variables.
func RandomShader(seed uint64, size int) *ir.Shader {
	return Config{Seed: seed, Size: size}.Shader()
}

// Shader makes the shader.
func (c Config) Shader() *ir.Shader {
	g := &gen{Config: c, r: rand.New(rand.NewPCG(c.Seed, 0x6e697263)), s: ir.NewShader(ir.StageCompute, nil)}
	g.s.Name = "main"
	g.s.Info.WorkgroupSize = [3]uint32{Invocations, 1, 1}
	g.pickOps()
	if c.Everything {
		g.everythingFirst()
	}
	f := g.s.NewFunction("main")
	f.IsEntry = true
	g.b = ir.NewBuilder(ir.AtEnd(f.Impl.Start()))
	g.prologue()
	g.left = c.Size
	for g.left > 0 {
		g.statement()
	}
	for range 4 {
		g.output()
	}
	return g.s
}

// gen is the state of making one shader.
type gen struct {
	Config
	r    *rand.Rand
	s    *ir.Shader
	b    *ir.Builder
	ops  []ir.Op
	left int // instructions still wanted
	// pool holds the values that dominate the cursor, by bit size. Leaving a
	// side of an if or a loop cuts it back.
	pool  [5][]*ir.Def
	vars  []*ir.Variable
	regs  []*ir.Def
	loops []*loopState
	depth int

	in, out, base *ir.Def // buffer handles and the invocation's first output byte
	callee        *ir.Function
	texVar        *ir.Variable
}

var sizes = [5]uint8{1, 8, 16, 32, 64}

func (g *gen) chance(n, of int) bool { return g.r.IntN(of) < n }

// add makes d available.
func (g *gen) add(d *ir.Def) *ir.Def {
	i := ir.SizeIndex(d.BitSize)
	g.pool[i] = append(g.pool[i], d)
	g.left--
	return d
}

// mark and cut delimit a scope.
func (g *gen) mark() (m [5]int) {
	for i := range g.pool {
		m[i] = len(g.pool[i])
	}
	return m
}

func (g *gen) cut(m [5]int) {
	for i := range g.pool {
		g.pool[i] = g.pool[i][:m[i]]
	}
}

// value returns any available value of the bit size, late ones more often.
func (g *gen) value(bits uint8) *ir.Def {
	p := g.pool[ir.SizeIndex(bits)]
	if len(p) == 0 || g.chance(1, 12) {
		return g.constant(bits)
	}
	if g.chance(1, 2) {
		p = p[max(0, len(p)-12):]
	}
	return p[g.r.IntN(len(p))]
}

// shaped returns a value of exactly these components, by a swizzle if needed.
func (g *gen) shaped(bits, comps uint8) *ir.Def {
	d := g.value(bits)
	if d.NumComponents == comps {
		return d
	}
	sel := make([]int, comps)
	for i := range sel {
		sel[i] = g.r.IntN(int(d.NumComponents))
	}
	return g.add(g.b.Swizzle(d, sel...))
}

var edges = [...]uint64{0, 1, 2, 3, 5, 8, 31, 32, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0x3c00, 0x7c00, 0x3f800000, 0x7f800000, 0x7fc00000,
	0x80000000, 0x7fffffff, 0xffffffff, 0x3ff0000000000000, 0x7ff0000000000000, 1 << 63, ^uint64(0)}

func (g *gen) constant(bits uint8) *ir.Def {
	vals := make([]uint64, g.comps())
	for i := range vals {
		switch g.r.IntN(3) {
		case 0:
			vals[i] = edges[g.r.IntN(len(edges))]
		case 1:
			vals[i] = uint64(g.r.IntN(16))
		default:
			vals[i] = g.r.Uint64()
		}
	}
	return g.add(g.b.Const(bits, vals...))
}

// comps picks a component count: mostly 1 to 4.
func (g *gen) comps() uint8 {
	if g.chance(1, 2) {
		return 1
	}
	return uint8(1 + g.r.IntN(4))
}

func (g *gen) prologue() {
	b := g.b
	handle := func(binding uint64) *ir.Def {
		in := b.Intrinsic(ir.IntrVulkanResourceIndex, 2, 32, b.Imm32(0)).Set(ir.IdxBinding, binding).Set(ir.IdxDescType, 2)
		return b.Channel(&in.Def, 0)
	}
	g.in, g.out = handle(0), handle(1)
	id := g.add(b.LoadLocalInvocationIndex())
	g.base = b.IMulImm(id, slotBytes)
	for range 4 {
		g.input()
	}
	if !g.NoVariables {
		g.declare()
	}
	if g.Everything {
		g.declareRegs()
	}
}

// input loads from the input buffer.
func (g *gen) input() {
	n := g.comps()
	off := g.r.IntN((InputBytes - 16) / 4)
	in := g.b.Intrinsic(ir.IntrLoadSsbo, n, 32, g.in, g.b.Imm32(uint32(off*4))).Set(ir.IdxAlignMul, 4)
	g.add(&in.Def)
}

// output stores a value to the invocation's part of the output buffer.
func (g *gen) output() {
	v := g.value(32)
	off := g.r.IntN(slotBytes/4 - 4)
	addr := g.b.IAddImm(g.base, int64(off*4))
	mask := 1 + g.r.Uint64N(1<<v.NumComponents-1)
	g.b.Effect(ir.IntrStoreSsbo, v, g.out, addr).Set(ir.IdxWriteMask, mask).Set(ir.IdxAlignMul, 4)
	g.left -= 2
}

// statement makes one thing at the cursor, which is at the end of a block
// that has no jump.
func (g *gen) statement() {
	k := g.r.IntN(100)
	switch {
	case k < 5 && g.depth < 6:
		g.ifElse()
	case k < 8 && g.depth < 4 && !g.NoLoops:
		g.loop()
	case k < 12:
		g.input()
	case k < 16:
		g.output()
	case k < 20:
		g.constant(sizes[g.r.IntN(len(sizes))])
	case k < 34 && len(g.vars) > 0:
		g.variable()
	case k < 42 && g.Everything:
		g.oddity()
	default:
		g.alu()
	}
}
