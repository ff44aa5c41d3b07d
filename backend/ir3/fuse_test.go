package ir3

import (
	"regexp"
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// fuseShader stores what build makes of four loaded floats and an integer.
func fuseShader(build func(b *ir.Builder, f [4]*ir.Def, id *ir.Def) *ir.Def) *ir.Shader {
	s, b := gputest.NewShader(ir.StageCompute, 64)
	id := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
	var f [4]*ir.Def
	v := gputest.LoadWords(b, gputest.StorageBuffer(b, 0, 0), b.Imul(id, b.Imm32(16)), 4)
	for k := range f {
		// Small whole numbers: no grouping of sums rounds.
		f[k] = b.U2f32(b.Iand(b.Channel(v, k), b.Imm32(255)))
	}
	gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Imul(id, b.Imm32(4)), build(b, f, id))
	return s
}

// lateAdd is the beginning of a sum that is a multiply-add with one: no other of these tests has a const factor.
var lateAdd = regexp.MustCompile(`mad\.f32 (r\d+\.[xyzw], c)`)

// TestFusion: sums of products become mads, shifts and ands one instruction,
// and exact sums stay as they are.
func TestFusion(t *testing.T) {
	programs.Hold(t)
	in := make([]byte, 64*16)
	for i := range in {
		in[i] = byte(i*29 + i>>3)
	}
	for _, c := range []struct {
		name  string
		build func(b *ir.Builder, f [4]*ir.Def, id *ir.Def) *ir.Def
		count map[string]int
	}{
		{"translation", func(b *ir.Builder, f [4]*ir.Def, _ *ir.Def) *ir.Def {
			return b.Fadd(b.Ffma(f[1], f[2], b.Fmul(f[0], f[3])), f[3])
		}, map[string]int{"mad.f32": 2, "mul.f": 0, "add.f": 0}},
		{"exact", func(b *ir.Builder, f [4]*ir.Def, _ *ir.Def) *ir.Def {
			b.Exact = true
			return b.Fadd(b.Ffma(f[1], f[2], b.Fmul(f[0], f[3])), f[3])
		}, map[string]int{"mad.f32": 1, "mul.f": 1, "add.f": 1}},
		{"shared product", func(b *ir.Builder, f [4]*ir.Def, _ *ir.Def) *ir.Def {
			p := b.Fmul(f[0], f[3])
			return b.Fmax(b.Fadd(b.Ffma(f[1], f[2], p), f[3]), p)
		}, map[string]int{"mul.f": 1}},
		{"order", func(b *ir.Builder, f [4]*ir.Def, _ *ir.Def) *ir.Def {
			late := b.Fmax(b.Fadd(f[0], f[1]), f[2])
			return b.Ffma(f[1], f[2], b.Ffma(f[0], f[1], b.Fmul(late, f[3])))
		}, map[string]int{"mad.f32": 2, "mul.f": 1}},
		// What is added comes last: the first step of the sum stands after all phis of its block.
		{"phis", func(b *ir.Builder, f [4]*ir.Def, id *ir.Def) *ir.Def {
			x := b.Ffma(f[1], f[2], b.Fmul(f[0], f[3]))
			i := b.PushIf(b.Ult(id, b.Imm32(20)))
			p, q, r := b.Fadd(f[0], f[1]), b.Fadd(f[2], f[3]), b.Fadd(f[1], f[3])
			gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Imul(id, b.Imm32(4)), q)
			b.PushElse(i)
			b.PopIf(i)
			p, q, r = b.IfPhi(i, p, f[2]), b.IfPhi(i, q, f[0]), b.IfPhi(i, r, f[1])
			return b.Fmax(b.Fadd(x, q), b.Fmin(p, r))
		}, map[string]int{"mad.f32": 2, "mul.f": 0}},
		// The first sum ends its block, and is a factor beside the first value of the next.
		{"over the end of a block", func(b *ir.Builder, f [4]*ir.Def, id *ir.Def) *ir.Def {
			small, less := b.U2f32(b.Iand(id, b.Imm32(3))), b.Ult(id, b.Imm32(20))
			x := b.Fadd(b.Ffma(f[1], f[2], b.Fmul(f[0], f[3])), f[3])
			i := b.PushIf(less)
			d := b.Fmin(small, f[0])
			y := b.Fadd(b.Ffma(x, d, b.Fmul(f[2], f[0])), f[1])
			b.PushElse(i)
			b.PopIf(i)
			return b.IfPhi(i, y, x)
		}, map[string]int{"mad.f32": 4, "mul.f": 0, "add.f": 0}},
		{"bits", func(b *ir.Builder, _ [4]*ir.Def, id *ir.Def) *ir.Def {
			shlm := b.Iand(b.Ishl(id, b.Imm32(3)), b.Imm32(40))
			shrg := b.Ior(b.Ushr(id, b.Imm32(1)), shlm)
			return b.Ior(b.Iand(shrg, b.Iadd(id, b.Imm32(7))), b.Imm32(0x900))
		}, map[string]int{"shlm": 1, "shrg": 1, "andg": 1, "or.b": 0}},
		{"wide mask", func(b *ir.Builder, _ [4]*ir.Def, id *ir.Def) *ir.Def {
			return b.Iand(b.Ishl(id, b.Imm32(9)), b.Imm32(0x3400))
		}, map[string]int{"shlm": 0}},
	} {
		s := fuseShader(c.build)
		ordered := ir.Clone(s)
		orderSums(ordered.Entry().Impl)
		if err := ir.Validate(ordered); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		bin, err := compile(s, CompileOptions{})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		text := lateAdd.ReplaceAllString(disasm(bin), "add.f ")
		for op, n := range c.count {
			if got := strings.Count(text, op+" "); got != n {
				t.Errorf("%s: %d %s, want %d\n%s", c.name, got, op, n, text)
			}
		}
		if err := differ(s, CompileOptions{}, 1, in, 256, nil); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestConstAndImmediate: an instruction may read a const and an immediate.
func TestConstAndImmediate(t *testing.T) {
	programs.Hold(t)
	s, b := gputest.NewShader(ir.StageCompute, 64)
	id := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
	p := &b.Intrinsic(ir.IntrLoadPushConstant, 1, 32, b.Imm32(0)).Set(ir.IdxRange, 16).Set(ir.IdxAlignMul, 4).Def
	i := b.PushIf(b.Ieq(p, b.Imm32(5)))
	gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Imul(id, b.Imm32(4)), b.Imm32(77))
	b.PopIf(i)
	bin, err := compile(s, CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if text := disasm(bin); !strings.Contains(text, "cmps.s.eq p0.x, c0.x, 5") {
		t.Errorf("%s", text)
	}
	for _, v := range []byte{5, 6} {
		if err := differ(s, CompileOptions{}, 1, nil, 256, []byte{v, 0, 0, 0}); err != nil {
			t.Error(err)
		}
	}
}

// TestSaturatedModifiers: a saturation takes the signs of its source with it, at either width.
func TestSaturatedModifiers(t *testing.T) {
	programs.Hold(t)
	for _, bits := range []uint8{16, 32} {
		s, b := newStage(ir.StageFragment)
		x := inputFrom(b, ir.SlotVar0, 0, 1)
		y := x
		if bits == 16 {
			y = b.F2f16(x)
		}
		v := b.Fsat(b.Fneg(b.Fabs(y)))
		w := b.Fsat(b.Fabs(y))
		outputTo(b, b.Vec(v, w), ir.SlotData0)
		for _, gpu := range gpus {
			bin := stageBinary(t, s, gpu)
			if text := disasm(bin); strings.Contains(text, "absneg.f") || strings.Count(text, "(sat)max.f") != 2 {
				t.Errorf("%s: %d bits:\n%s", gpu, bits, text)
			}
		}
	}
}
