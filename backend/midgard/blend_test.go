package midgard

import (
	_ "embed"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/backend/midgard/core"
	"nirc/internal/emu"
	"nirc/ir"
)

// blendShader makes first * second + destination, of integers second + destination,
// for render target n. Of the destination each component reads the one before it, and x reads w,
// so that what a format without these gives for z and w counts too.
func blendShader(f *emu.Format, n ir.Slot) *ir.Shader {
	s, b := gputest.NewShader(ir.StageFragment, 0)
	input := func(slot ir.Slot) *ir.Def {
		in := b.Intrinsic(ir.IntrLoadInput, 4, 32, b.Imm32(0))
		in.Set(ir.IdxIoSemantics, ir.IOSemantics{Location: slot, NumSlots: 1}.Pack())
		return &in.Def
	}
	x, y := input(ir.SlotVar0), input(ir.SlotVar0+1)
	old := b.Intrinsic(ir.IntrLoadOutput, 4, 32, b.Imm32(0))
	old.Set(ir.IdxIoSemantics, ir.IOSemantics{Location: ir.SlotData0 + n, NumSlots: 1, FBFetch: true}.Pack())
	ty := ir.ALUType{Class: ir.ClassFloat, Bits: 32}
	var v *ir.Def
	turned := b.Vec(b.Channel(&old.Def, 3), b.Channel(&old.Def, 0), b.Channel(&old.Def, 1), b.Channel(&old.Def, 2))
	if f.IsInteger() {
		ty.Class = ir.ClassUint
		v = b.Iadd(y, turned)
	} else {
		v = b.Fadd(b.Fmul(x, y), turned)
	}
	old.Set(ir.IdxDestType, ty.Pack())
	st := b.Intrinsic(ir.IntrStoreOutput, 0, 0, v, b.Imm32(0))
	st.Set(ir.IdxWriteMask, 15).Set(ir.IdxIoSemantics, ir.IOSemantics{Location: ir.SlotData0 + n, NumSlots: 1}.Pack())
	return s
}

// wantBlend is the colour that a blend program makes for a target of a format, of two colours and what is there.
type wantBlend func(f *emu.Format, x, y, old [4]uint32) [4]uint32

// sumWant is that of first * second + destination.
func sumWant(f *emu.Format, x, y, old [4]uint32) [4]uint32 {
	return blendWant(f, x, y, [4]uint32{old[1], old[2], old[3], old[0]})
}

// blendWant is that of blendShader's program.
func blendWant(f *emu.Format, x, y, old [4]uint32) (v [4]uint32) {
	for i := range v {
		if f.IsInteger() {
			v[i] = y[i] + old[(i+3)%4]
			continue
		}
		p := math.Float32frombits(x[i]) * math.Float32frombits(y[i])
		v[i] = math.Float32bits(float32(p) + math.Float32frombits(old[(i+3)%4]))
	}
	return v
}

// isStored reports whether got is what the format keeps of a colour. Vulkan lets a normalised channel take either of the two numbers
// beside a colour, and wants the nearest. The program rounds the colour's product with the largest number to 32 bits before it looks
// for that: it is right where it is right of the colour or of one that differs in the last bit.
func isStored(f *emu.Format, got, color [4]uint32) bool {
	up, down := color, color
	for i, v := range color {
		if x := math.Float32frombits(v); strings.Contains(f.Name, "NORM") {
			up[i] = math.Float32bits(math.Nextafter32(x, float32(math.Inf(1))))
			down[i] = math.Float32bits(math.Nextafter32(x, float32(math.Inf(-1))))
		}
	}
	a, b, c := stored(f, up), stored(f, color), stored(f, down)
	for i, v := range got {
		if v != a[i] && v != b[i] && v != c[i] {
			return false
		}
	}
	return true
}

// stored is a colour after it went through the format.
func stored(f *emu.Format, v [4]uint32) [4]uint32 {
	var raw [16]byte
	f.Pack(raw[:], &v)
	f.Unpack(raw[:], &v)
	return v
}

// Blend programs of all formats leave what the format keeps of the result, in
// checking mode.
func TestBlend(t *testing.T) {
	programs.Hold(t)
	r := rand.New(rand.NewPCG(4, 9)) // one of the colours lies between two numbers, as far as 32 bits can say
	ran := 0
	for i, f := range emu.Formats() {
		if _, err := layoutOf(f.Name); err != nil {
			if !f.IsDepthStencil() && !f.SharedExponent && !f.IsWide() && !strings.Contains(f.Name, "SCALED") {
				t.Error(err)
			}
			continue
		}
		gpu, n := "t860", ir.Slot(i%3)
		switch i % 4 {
		case 0:
			gpu, n = "t720", 0
		case 1:
			gpu, n = "t620", 0
		}
		bin, text := listing(t, blendShader(f, n), CompileOptions{GPU: gpu, Blend: f.Name})
		if gpu == "t620" && strings.Contains(text, "LD_SPECIAL.f32") {
			t.Errorf("%s: %s loads what the hardware converts\n%s", f.Name, gpu, text)
		}
		if strings.Contains(text, "tilebuffer") || bin.Meta.WorkRegs > 8 || !bin.Meta.Blend.Second && !f.IsInteger() {
			t.Errorf("%s: %d work registers, %+v\n%s", f.Name, bin.Meta.WorkRegs, bin.Meta.Blend, text)
		}
		runBlend(t, r, f, bin, n, blendWant, text)
		ran++
	}
	if ran < 70 {
		t.Errorf("%d formats only", ran)
	}
}

// edges are values at which formats round, saturate or have something of their own.
var edges = []float32{0, 1e-6, 3.1e-5, 6.2e-5, 2, -2, 65000, 65520, 1e9, float32(math.Inf(1)), float32(math.NaN())}

func runBlend(t *testing.T, r *rand.Rand, f *emu.Format, bin *Binary, n ir.Slot, want wantBlend, text string) {
	t.Helper()
	if err := tryBlend(r, f, bin, n, want); err != nil {
		t.Fatalf("%s: %v\n%s", f.Name, err, text)
	}
}

// tryBlend runs the blend program over pixels of the format.
func tryBlend(r *rand.Rand, f *emu.Format, bin *Binary, n ir.Slot, blend wantBlend) error {
	p, err := core.LoadFresh(bin.Code, &bin.Meta)
	if err != nil {
		return err
	}
	img, err := emu.NewImage(emu.ImageDesc{Width: 4, Height: 4, Format: f})
	if err != nil {
		return err
	}
	view := &emu.ImageView{Image: img, Format: f}
	color := make([]emu.Attachment, n+1)
	color[n].View = view
	l := &emu.Launch{NumLanes: 1, Check: true, Out: make([]emu.Slots, 1), Env: &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}},
		Draw: &emu.Pipeline{Color: color}}
	value := func() (v [4]uint32) {
		for i := range v {
			if v[i] = r.Uint32() >> (r.UintN(4) * 8); !f.IsInteger() {
				v[i] = math.Float32bits(r.Float32()*1.6 - 0.3)
				if r.UintN(6) == 0 {
					v[i] = math.Float32bits(edges[r.IntN(len(edges))])
				}
			}
		}
		return v
	}
	for k := range int32(16) {
		x, y, old := value(), value(), stored(f, value())
		view.Store(int(k&3), int(k>>2), 0, 0, 0, old)
		var in emu.Slots
		in[ir.SlotVar0], in[ir.SlotVar0+1] = x, y
		prim := &emu.Primitive{}
		for i := range prim.V {
			prim.V[i] = &in
		}
		l.Fragment = []emu.FragmentLane{{X: k & 3, Y: k >> 2, SampleID: -1, Coverage: 1, Prim: prim}}
		if st, err := p.NewWave(l).Run(1000); err != nil {
			return err
		} else if st != emu.StatusDone {
			return errors.New("the program has not ended")
		}
		if got, color := l.Out[0][ir.SlotData0+n], blend(f, x, y, old); !isStored(f, got, color) {
			return fmt.Errorf("%x and %x over %x: %x, want %x", x, y, old, got, stored(f, color))
		}
	}
	return nil
}

// TestBlendSamples: pixels of several samples have as many raw ones, which blend programs do not make.
func TestBlendSamples(t *testing.T) {
	programs.Hold(t)
	f := emu.FormatByName("R8G8B8A8_UNORM")
	bin, text := listing(t, blendShader(f, 0), CompileOptions{Blend: f.Name})
	p, err := core.LoadFresh(bin.Code, &bin.Meta)
	if err != nil {
		t.Fatal(err)
	}
	img, err := emu.NewImage(emu.ImageDesc{Width: 1, Height: 1, Samples: 4, Format: f})
	if err != nil {
		t.Fatal(err)
	}
	prim := &emu.Primitive{Samples: 4}
	for i := range prim.V {
		prim.V[i] = new(emu.Slots)
	}
	l := &emu.Launch{NumLanes: 1, Check: true, Out: make([]emu.Slots, 1), Env: &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}},
		Draw:     &emu.Pipeline{Color: []emu.Attachment{{View: &emu.ImageView{Image: img}}}},
		Fragment: []emu.FragmentLane{{SampleID: -1, Coverage: 15, Prim: prim}}}
	if _, err := p.NewWave(l).Run(1000); err == nil || !strings.Contains(err.Error(), "the pixel of one sample, there are 4") {
		t.Errorf("error %v\n%s", err, text)
	}
}

// tileForms blends where the tile has other pixels than memory.
func tileForms() error {
	for _, name := range []string{"B8G8R8A8_UNORM", "R5G6B5_UNORM_PACK16", "A2B10G10R10_UNORM_PACK32"} {
		for _, gpu := range []string{"t860", "t620"} {
			f := emu.FormatByName(name)
			bin, err := compile(blendShader(f, 0), CompileOptions{GPU: gpu, Blend: name})
			if err == nil {
				err = tryBlend(rand.New(rand.NewPCG(8, 9)), f, bin, 0, blendWant)
			}
			if err != nil {
				return fmt.Errorf("%s on %s: %w", name, gpu, err)
			}
		}
	}
	return nil
}

//go:embed testdata/ir/test_blend_attachment.nir
var testBlendAttachmentText string

// An input attachment is what the target has.
func TestBlendAttachment(t *testing.T) {
	programs.Hold(t)
	s, err := ir.Parse(testBlendAttachmentText)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(5, 9))
	for _, name := range []string{"R8G8B8A8_UNORM", "R16G16_SFLOAT"} {
		bin, text := listing(t, s, CompileOptions{Blend: name})
		if len(bin.Meta.Textures) != 0 || len(bin.Meta.Varyings) > 1 {
			t.Errorf("%s: textures %v, varyings %v", name, bin.Meta.Textures, bin.Meta.Varyings)
		}
		runBlend(t, r, emu.FormatByName(name), bin, 0, sumWant, text)
	}
}

// What no blend program can do is refused.
func TestBlendRefuses(t *testing.T) {
	f := emu.FormatByName("R8G8B8A8_UNORM")
	other, b := gputest.NewShader(ir.StageFragment, 0)
	in := b.Intrinsic(ir.IntrLoadInput, 4, 32, b.Imm32(0))
	in.Set(ir.IdxIoSemantics, ir.IOSemantics{Location: ir.SlotVar0 + 2, NumSlots: 1}.Pack())
	st := b.Intrinsic(ir.IntrStoreOutput, 0, 0, &in.Def, b.Imm32(0))
	st.Set(ir.IdxWriteMask, 15).Set(ir.IdxIoSemantics, ir.IOSemantics{Location: ir.SlotData0, NumSlots: 1}.Pack())
	comp, _ := gputest.NewShader(ir.StageCompute, 1)
	for _, c := range []struct {
		s            *ir.Shader
		format, want string
	}{
		{blendShader(f, 0), "NONE", "is not known"},
		{blendShader(f, 0), "D16_UNORM", "it has no colours"},
		{blendShader(f, 0), "R64G64_UINT", "32 bits a channel at most"},
		{blendShader(f, 0), "E5B9G9R9_UFLOAT_PACK32", "a shared exponent"},
		{blendShader(f, 0), "R8G8B8A8_USCALED", "scaled integers"},
		{other, f.Name, "has the inputs 0 and 1"},
		{comp, f.Name, "is a fragment shader"},
	} {
		if _, err := held(Compile(c.s, CompileOptions{Blend: c.format})); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.format, err, c.want)
		}
	}
}

// blendUniforms blends with a push constant, which is refused.
func blendUniforms() error {
	s := blendShader(emu.FormatByName("R8G8B8A8_UNORM"), 0)
	im := s.Entry().Impl
	for b := range im.Blocks() {
		for in := range b.Instrs() {
			if in.IsIntrinsic(ir.IntrStoreOutput) {
				bld := ir.NewBuilder(ir.Before(in))
				k := bld.Intrinsic(ir.IntrLoadPushConstant, 4, 32, bld.Imm32(0))
				k.Set(ir.IdxRange, 16).Set(ir.IdxAlignMul, 16)
				in.Srcs[0].Set(bld.Fmul(in.Srcs[0].Def, &k.Def))
			}
		}
	}
	_, err := compile(s, CompileOptions{Blend: "R8G8B8A8_UNORM"})
	if err == nil {
		return errors.New("a push constant in a blend program is accepted")
	}
	if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "push constants in a blend program are not supported") {
		return err
	}
	return nil
}
