package ir

import (
	"reflect"
	"testing"

	"nirc/internal/slab"
)

// TestReleaseZeroes: what a shader gets after another was released is zero.
func TestReleaseZeroes(t *testing.T) {
	m := new(slabs)
	fill := func() (dirty bool) {
		for range 3 * slab.Chunk {
			in, src, phi, tex, d := m.instrs.New(), m.srcs.New(), m.phis.New(), m.texs.New(), m.derefs.New()
			dirty = dirty || !reflect.ValueOf(in).Elem().IsZero() || *src != Src{} || phi.Preds != nil || !reflect.ValueOf(tex).Elem().IsZero() || *d != DerefInfo{}
			in.Op, in.Def.Index, in.ext = OpFadd, 7, phi
			src.Instr, tex.Dim, d.Field, phi.Preds = in, Dim3D, 3, []*Block{nil}
			for _, v := range m.imms.Slice(5) {
				dirty = dirty || v != 0
			}
			imms := m.imms.Slice(3)
			imms[0], imms[2] = 1, 2
		}
		return dirty
	}
	reset := func() {
		m.instrs.Reset()
		m.srcs.Reset()
		m.phis.Reset()
		m.texs.Reset()
		m.derefs.Reset()
		m.imms.Reset()
	}
	for range 3 {
		if fill() {
			t.Fatal("a value handed out is not zero")
		}
		reset()
	}
}

func TestReleaseTwice(t *testing.T) {
	s := sampleShader()
	want := Print(s)
	s.Release()
	s.Release()
	a, b := sampleShader(), sampleShader()
	if Print(a) != want || Print(b) != want {
		t.Error("shaders in reused memory differ")
	}
	if err := Validate(a); err != nil {
		t.Error(err)
	}
	if a.slabs == b.slabs {
		t.Error("two shaders share memory")
	}
}

// buildBig builds a shader of n instructions, as a frontend would.
func buildBig(n int) *Shader {
	s := NewShader(StageCompute, nil)
	f := s.NewFunction("main")
	f.IsEntry = true
	b := NewBuilder(AtEnd(f.Impl.Start()))
	x, y := b.Imm32(1), b.Imm32(2)
	for i := 0; i < n; i += 5 {
		x = b.Iadd(x, b.Imm32(uint32(i)))
		y = b.Ixor(y, b.Imul(x, y))
		if i%100 == 0 {
			c := b.PushIf(b.Ult(x, y))
			t := b.Ineg(x)
			b.PopIf(c)
			x = b.IfPhi(c, t, x)
			b.PopIf(c)
		}
	}
	return s
}

func BenchmarkBuild5000(b *testing.B) {
	for _, release := range []bool{false, true} {
		name := "drop"
		if release {
			name = "release"
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s := buildBig(5000)
				if release {
					s.Release()
				}
			}
		})
	}
}
