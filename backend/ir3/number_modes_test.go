package ir3

import (
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// TestNumberModes: numbers of descriptors in registers that every fiber has the same are taken in a uniform mode, others in one
// for numbers that differ, whether the sampler is of the texture's set or of another.
func TestNumberModes(t *testing.T) {
	programs.Hold(t)
	const uniform, differ = ".s2en.uniform.base0", ".s2en.nonuniform.base0"
	options, err := Options(DefaultGPU, ir.StageFragment)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, want string
		a1         bool
		texture    func(b *ir.Builder) *ir.Def
		sampler    func(b *ir.Builder) *ir.Def
	}{
		{"a constant that no instruction holds", uniform, false, constantElement, nil},
		{"a word of a uniform buffer", uniform, false, bufferElement, nil},
		{"a number of each fiber", differ, false, fiberElement, nil},
		{"a word of a buffer that may be written", differ, false, writtenElement, nil},
		{"a word at an address that may be written", differ, false, addressedElement, nil},
		{"a sampler of another set", uniform, true, bufferElement, bufferElement},
		{"a sampler of another set by fiber", differ, true, bufferElement, fiberElement},
		{"a texture by fiber, a sampler of another set", differ, true, fiberElement, bufferElement},
	} {
		s, b := newStage(ir.StageFragment)
		s.Options.LoadsTear = options.LoadsTear
		x := &texBuild{s: s, b: b, uv: b.Vec(b.ImmFloat(0.5, 32), b.ImmFloat(0.5, 32))}
		srcs := at(b.DerefArray(x.variable(0, 0, ir.BaseSampledImage, ir.Dim2D, false, false, 3), c.texture(b)))
		if c.sampler != nil {
			srcs[1].def = b.DerefArray(x.variable(2, 0, ir.BaseSampler, ir.Dim2D, false, false, 3), c.sampler(b))
		}
		in := x.op(ir.TexOpTxl, 4, ir.Dim2D, false, append(srcs, texSource{ir.TexSrcCoord, x.uv}, texSource{ir.TexSrcLod, b.ImmFloat(0, 32)})...)
		outputTo(b, &in.Def, ir.SlotData0)
		if err := lowerToScalar(s); err != nil {
			t.Fatal(err)
		}
		bin, err := compile(s, CompileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		text := disasm(bin)
		if !strings.Contains(text, c.want) || strings.Contains(text, ", a1.x\n") != c.a1 {
			t.Errorf("%s: no %s, or a1.x where it is not wanted\n%s", c.name, c.want, text)
		}
	}
}

func constantElement(b *ir.Builder) *ir.Def { return b.Imm32(2) }

func bufferElement(b *ir.Builder) *ir.Def { return uniformWord(b, b.Imm32(0)) }

func writtenElement(b *ir.Builder) *ir.Def {
	return &b.Intrinsic(ir.IntrLoadSsbo, 1, 32, gputest.StorageBuffer(b, 0, 1), b.Imm32(0)).Set(ir.IdxAlignMul, 16).Def
}

func addressedElement(b *ir.Builder) *ir.Def {
	return &b.Intrinsic(ir.IntrLoadGlobal, 1, 32, b.ImmInt(1<<20, 64)).Set(ir.IdxAlignMul, 16).Def
}

func fiberElement(b *ir.Builder) *ir.Def {
	return b.F2u32(b.Channel(&b.Intrinsic(ir.IntrLoadFragCoord, 4, 32).Def, 0))
}
