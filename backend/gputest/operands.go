package gputest

import (
	"errors"
	"math"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"nirc/ir"
)

// mixWords is how many results a thread of a shader of mixed operands stores.
const mixWords = 8

// TestOperands applies each operation to operands of every kind, with
// modifiers on them and on the result: values of threads, immediates small and large,
// push constants, one value twice. What a target cannot encode it must bring into a
// register. What Test found to run is not refused here. There are as many shaders of each
// as seeds.
func (c *Ops) TestOperands(t *testing.T, seeds int64) {
	ran, some := 0, slices.Collect(Seeds(seeds))
	for op, bits := range c.each {
		if c.InRange && toInteger(op) || op == ir.OpFsinAgx {
			continue // modifiers and constants lead out of it
		}
		for _, seed := range some {
			s, words := mixShader(op, bits, rand.New(rand.NewSource(seed<<16|int64(op))))
			if ir.Validate(s) != nil {
				break // sized otherwise
			}
			in := c.input(op, words)
			err := c.differ(ran, op, s, &Run{Groups: 1, In: in, OutSize: 64 * 4 * mixWords, Push: in[:64], Wave: c.Wave})
			switch {
			case err == nil:
				ran++
			case !errors.Is(err, errors.ErrUnsupported) || c.runs[operation(op, bits)] != refused:
				t.Errorf("%s of %d bits, seed %d: %v\n%s", op, bits, seed, err, ir.Print(s))
			}
		}
	}
	t.Logf("%d shaders ran", ran)
}

// mixer builds a shader of mixed operands.
type mixer struct {
	b     *ir.Builder
	r     *rand.Rand
	op    ir.Op
	bits  uint8
	in    *ir.Def // the buffer
	at    *ir.Def // the thread's bytes in it
	loads [4]*ir.Def
}

func mixShader(op ir.Op, bits uint8, r *rand.Rand) (s *ir.Shader, words int) {
	s, b := NewShader(ir.StageCompute, 64)
	id := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
	info := op.Info()
	words = 4 * max(4, len(info.In))
	x := &mixer{b: b, r: r, op: op, bits: bits, in: StorageBuffer(b, 0, 0), at: b.Imul(id, b.Imm32(uint32(4*words)))}
	out := StorageBuffer(b, 0, 1)
	for k := range mixWords {
		srcs := make([]*ir.Def, len(info.In))
		for i := range srcs {
			if srcs[i] = x.source(i); i > 0 && srcs[i-1].BitSize == srcs[i].BitSize && r.Intn(8) == 0 {
				srcs[i] = srcs[i-1]
			}
		}
		res := b.ALU(op, srcs...)
		if info.Out.Class == ir.ClassFloat && res.BitSize > 8 && r.Intn(3) == 0 {
			res = b.Fsat(res)
		}
		StoreWords(b, out, b.Iadd(b.Imul(id, b.Imm32(4*mixWords)), b.Imm32(uint32(4*k))), Widen(b, res, info.Out.Class))
	}
	return s, words
}

// source makes operand i of some kind.
func (x *mixer) source(i int) *ir.Def {
	b, ty := x.b, x.op.Info().In[i]
	bits := ty.Bits
	if bits == 0 {
		bits = x.bits
	}
	var d *ir.Def
	switch x.r.Intn(4) {
	case 0:
		d = x.immediate(bits, ty.Class)
	case 1:
		p := b.Intrinsic(ir.IntrLoadPushConstant, 1, 32, b.Imm32(uint32(16*min(i, 3)))).Set(ir.IdxRange, 64).Set(ir.IdxAlignMul, 4)
		d = Narrow(b, &p.Def, bits, ty.Class)
	default:
		if x.loads[i&3] == nil {
			x.loads[i&3] = LoadWords(b, x.in, b.Iadd(x.at, b.Imm32(uint32(16*min(i, 3)))), 1)
		}
		d = Narrow(b, x.loads[i&3], bits, ty.Class)
	}
	if ty.Class == ir.ClassFloat && bits > 8 {
		switch x.r.Intn(5) {
		case 0:
			d = b.Fneg(d)
		case 1:
			d = b.Fabs(d)
		case 2:
			d = b.Fneg(b.Fabs(d))
		}
	}
	return d
}

// immediate is a constant of a size and class.
func (x *mixer) immediate(bits uint8, class ir.TypeClass) *ir.Def {
	v := Input(class, x.r)
	switch {
	case bits == 1:
		return x.b.ImmBool(v&1 != 0)
	case class == ir.ClassBool:
		return x.b.Imm32(-(v & 1))
	case class == ir.ClassFloat:
		f := float64(math.Float32frombits(v))
		if name := x.op.String(); strings.HasPrefix(name, "fsin") || strings.HasPrefix(name, "fcos") {
			f = math.Mod(f, 50)
		}
		if bits == 16 && math.Abs(f) < 0x1p-14 {
			f = 0 // denormals may be flushed
		}
		return x.b.ImmFloat(f, bits)
	}
	return x.b.ImmInt(int64(int32(v)), bits)
}
