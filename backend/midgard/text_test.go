package midgard

import (
	"errors"
	"math"
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/backend/midgard/isa"
	"nirc/ir"
)

// listing compiles s and returns the verbose text of its code.
func listing(t *testing.T, s *ir.Shader, opts CompileOptions) (*Binary, string) {
	t.Helper()
	bin, err := compile(s, opts)
	if err != nil {
		t.Fatal(err)
	}
	return bin, isa.Disassemble(bin.Code, isa.TextOptions{Verbose: true})
}

// expect checks that the text has the pieces, in order.
func expect(t *testing.T, text string, want ...string) {
	t.Helper()
	rest := text
	for _, w := range want {
		i := strings.Index(rest, w)
		if i < 0 {
			t.Fatalf("no %q in the rest of\n%s", w, text)
		}
		rest = rest[i+len(w):]
	}
}

// TestSelection: what an expression over two vec4s becomes.
func TestSelection(t *testing.T) {
	programs.Hold(t)
	splat := func(b *ir.Builder, v float64) *ir.Def { return b.Swizzle(b.ImmFloat(v, 32), 0, 0, 0, 0) }
	for _, c := range []struct {
		name string
		make func(b *ir.Builder, x, y *ir.Def) *ir.Def
		want []string
	}{
		{"product and sum", func(b *ir.Builder, x, y *ir.Def) *ir.Def { return b.Fadd(b.Fmul(x, y), x) }, []string{"vmul.FMUL.f32", "vadd.FADD.f32"}},
		{"inline constant", func(b *ir.Builder, x, y *ir.Def) *ir.Def { return b.Fmul(x, splat(b, 2)) }, []string{"FMUL.f32", ", #2"}},
		{"embedded constant", func(b *ir.Builder, x, y *ir.Def) *ir.Def { return b.Fmul(x, splat(b, 1.0/3)) }, []string{"FMUL.f32", "uconstants 0x3EAAAAAB"}},
		{"modifiers", func(b *ir.Builder, x, y *ir.Def) *ir.Def { return b.Fsat(b.Fadd(b.Fneg(x), b.Fabs(y))) }, []string{"FADD.f32", ".clamp_0_1", ".neg", ".abs"}},
		{"dot product", func(b *ir.Builder, x, y *ir.Def) *ir.Def { return b.Fdot4(x, y) }, []string{"vmul.FDOT4.f32"}},
		{"lanes of the LUT", func(b *ir.Builder, x, y *ir.Def) *ir.Def { return b.Frcp(b.Channels(x, 0, 2)) }, []string{"lut.FRCP.f32", "lut.FRCP.f32"}},
		{"vector select", func(b *ir.Builder, x, y *ir.Def) *ir.Def { return b.Bcsel(b.Flt(x, y), x, y) },
			[]string{"vmul.FCMP.lt.i32 R31", "vadd.CSEL.vector"}},
		{"scalar select", func(b *ir.Builder, x, y *ir.Def) *ir.Def {
			c := b.Ilt(b.Channel(x, 0), b.Channel(y, 1))
			return b.Bcsel(b.Swizzle(c, 0, 0, 0, 0), x, y)
		}, []string{".CMP.lt.i32 R31.w", "vadd.CSEL.scalar"}},
		{"vector compare", func(b *ir.Builder, x, y *ir.Def) *ir.Def { return b.B2i32(b.BallFequal4(x, y)) }, []string{"FCMP.all.eq", "AND.i32"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, b := gputest.NewShader(ir.StageCompute, 64)
			in, out := gputest.StorageBuffer(b, 0, 0), gputest.StorageBuffer(b, 0, 1)
			off := b.Ishl(b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0), b.Imm32(5))
			x, y := gputest.LoadWords(b, in, off, 4), gputest.LoadWords(b, in, b.IAddImm(off, 16), 4)
			gputest.StoreWords(b, out, off, c.make(b, x, y))
			_, text := listing(t, s, CompileOptions{})
			expect(t, text, c.want...)
		})
	}
}

// TestBranch: the comparison stands in the branch's bundle.
func TestBranch(t *testing.T) {
	programs.Hold(t)
	s, b := gputest.NewShader(ir.StageCompute, 64)
	out := gputest.StorageBuffer(b, 0, 1)
	id := b.Channel(&b.Intrinsic(ir.IntrLoadGlobalInvocationId, 3, 32).Def, 0)
	i := b.PushIf(b.Ult(id, b.Imm32(5)))
	gputest.StoreWords(b, out, b.Imm32(0), id)
	b.PopIf(i)
	_, text := listing(t, s, CompileOptions{})
	expect(t, text, "smul.CMP.lt.i32 R31.w", "cond.false", "ST.32")
	if strings.Contains(text, "R31.w, TMP0") {
		t.Errorf("the condition is moved:\n%s", text)
	}
}

// fragment makes a fragment shader that writes its input to n targets.
func fragment(n int) *ir.Shader {
	s, b := gputest.NewShader(ir.StageFragment, 1)
	bary := b.Intrinsic(ir.IntrLoadBarycentricPixel, 2, 32)
	in := b.Intrinsic(ir.IntrLoadInterpolatedInput, 4, 32, &bary.Def, b.Imm32(0))
	in.Set(ir.IdxIoSemantics, ir.IOSemantics{Location: ir.SlotVar0, NumSlots: 1}.Pack())
	for k := range n {
		v := b.Fmul(&in.Def, b.Swizzle(b.ImmFloat(float64(k+1), 32), 0, 0, 0, 0))
		st := b.Intrinsic(ir.IntrStoreOutput, 0, 0, v, b.Imm32(0))
		st.Set(ir.IdxWriteMask, 15).Set(ir.IdxIoSemantics, ir.IOSemantics{Location: ir.SlotData0 + ir.Slot(k), NumSlots: 1}.Pack())
	}
	return s
}

// TestWriteout: each target has a bundle in the main flow and one that waits; the
// tags are those of the GPU.
func TestWriteout(t *testing.T) {
	programs.Hold(t)
	for n := 1; n <= 3; n++ {
		for _, g := range gpus {
			bin, err := compile(fragment(n), CompileOptions{GPU: g.Name})
			if g.Arch == 4 && n > 1 {
				if !errors.Is(err, errors.ErrUnsupported) {
					t.Errorf("%d targets on %s: %v", n, g.Name, err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			writeouts, upper := 0, 0
			for at := 0; at < len(bin.Code)-isa.Padding; {
				b, size, err := isa.Decode(bin.Code[at:])
				if err != nil {
					t.Fatal(err)
				}
				if br, ok := b.Branch(); ok && br.Op == isa.BranchWriteout {
					writeouts++
				}
				if b.Tag.Writeout() {
					upper++
				}
				at += size
			}
			if want := 2 * n; writeouts != want || upper != want && !g.NoUpperALU || upper != 0 && g.NoUpperALU {
				t.Errorf("%s: %d writeouts, %d with tags of their own, for %d targets", g.Name, writeouts, upper, n)
			}
		}
	}
}

// TestStats: the figures add up.
func TestStats(t *testing.T) {
	programs.Hold(t)
	bin, _ := listing(t, fragment(1), CompileOptions{})
	st := bin.Stats
	if st.Quads*isa.Quad+isa.Padding != len(bin.Code) || st.Bundles != st.ALU+1 || st.Threads != 4 || st.Regs != bin.Meta.WorkRegs {
		t.Errorf("%+v of %d bytes", st, len(bin.Code))
	}
	if line := st.Line(ir.StageFragment); !strings.HasPrefix(line, "MESA_SHADER_FRAGMENT shader: ") || !strings.HasSuffix(line, "0:0 spills:fills") {
		t.Error(line)
	}
}

// TestInlineConstants: floats that are exact halves, integers of 16 bits.
func TestInlineConstants(t *testing.T) {
	f := func(v float64) uint32 { return math.Float32bits(float32(v)) }
	for _, c := range []struct {
		op   isa.Op
		v    uint32
		want bool
	}{
		{isa.OpFmul, f(0.5), true}, {isa.OpFmul, f(0.1), false}, {isa.OpFmul, f(65504), true}, {isa.OpFmul, f(1e6), false},
		{isa.OpIadd, 32767, true}, {isa.OpIadd, 32768, false}, {isa.OpIadd, 0xffffffff, true}, {isa.OpIadd, 0xffff, false},
	} {
		if _, ok := inlineConstant(c.op, constant(c.v), 15); ok != c.want {
			t.Errorf("%s %#x: %t", c.op, c.v, ok)
		}
	}
}

// TestAlias: where the texture pipe shares registers, its input is that of
// load/store and its result a work register.
func TestAlias(t *testing.T) {
	programs.Hold(t)
	for _, g := range gpus {
		s, b := gputest.NewShader(ir.StageFragment, 1)
		c := b.Intrinsic(ir.IntrLoadFragCoord, 4, 32)
		d := b.Intrinsic(ir.IntrDdx, 4, 32, &c.Def)
		st := b.Intrinsic(ir.IntrStoreOutput, 0, 0, &d.Def, b.Imm32(0))
		st.Set(ir.IdxWriteMask, 15).Set(ir.IdxIoSemantics, ir.IOSemantics{Location: ir.SlotData0, NumSlots: 1}.Pack())
		_, text := listing(t, s, CompileOptions{GPU: g.Name})
		in := "MOV.i32 AT0"
		if g.Alias {
			in = "MOV.i32 AL0"
		}
		expect(t, text, "LD_VARY", in, "DERIVATIVE", in, "DERIVATIVE", "brx")
	}
}
