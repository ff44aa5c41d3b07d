package passes

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand"
	"strings"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
	"nirc/ir/interp"
)

// blendShader stores the colour that the push constants hold in its first 16
// bytes, and the second source after it.
func blendShader(integer emu.ChannelKind, dual bool) *ir.Shader {
	class := ir.ClassFloat
	switch integer {
	case emu.KindUint:
		class = ir.ClassUint
	case emu.KindSint:
		class = ir.ClassInt
	}
	s := ir.NewShader(ir.StageFragment, nil)
	s.Name = "main"
	f := s.NewFunction("main")
	f.IsEntry = true
	b := ir.NewBuilder(ir.AtEnd(f.Impl.Start()))
	store := func(index uint8, at uint32) {
		sem := ir.IOSemantics{Location: ir.SlotData0, NumSlots: 1, DualSourceIndex: index}
		v := pushVec4(b, at)
		b.Intrinsic(ir.IntrStoreOutput, 0, 0, v, b.Imm32(0)).Set(ir.IdxBase, uint64(ir.SlotData0)).Set(ir.IdxRange, 1).
			Set(ir.IdxWriteMask, 15).Set(ir.IdxSrcType, ir.ALUType{Class: class, Bits: 32}.Pack()).Set(ir.IdxIoSemantics, sem.Pack())
	}
	store(0, 0)
	if dual {
		store(1, 16)
	}
	return s
}

func pushVec4(b *ir.Builder, at uint32) *ir.Def {
	return &b.Intrinsic(ir.IntrLoadPushConstant, 4, 32, b.Imm32(at)).Set(ir.IdxRange, 64).Set(ir.IdxAlignMul, 16).Def
}

// coverShader is a vertex shader of a triangle that covers everything.
func coverShader() *ir.Shader {
	s := ir.NewShader(ir.StageVertex, nil)
	s.Name = "main"
	f := s.NewFunction("main")
	f.IsEntry = true
	b := ir.NewBuilder(ir.AtEnd(f.Impl.Start()))
	id := &b.Intrinsic(ir.IntrLoadVertexId, 1, 32).Def
	at := func(n uint32) *ir.Def {
		return b.Bcsel(b.Ieq(id, b.Imm32(n)), b.ImmFloat(3, 32), b.ImmFloat(-1, 32))
	}
	pos := b.Vec(at(1), at(2), b.ImmFloat(0, 32), b.ImmFloat(1, 32))
	sem := ir.IOSemantics{Location: ir.SlotPos, NumSlots: 1}
	b.Intrinsic(ir.IntrStoreOutput, 0, 0, pos, b.Imm32(0)).Set(ir.IdxRange, 1).Set(ir.IdxWriteMask, 15).
		Set(ir.IdxSrcType, ir.ALUType{Class: ir.ClassFloat, Bits: 32}.Pack()).Set(ir.IdxIoSemantics, sem.Pack())
	return s
}

// drawPixel draws over one texel and returns it.
func drawPixel(t *testing.T, vs emu.Program, s *ir.Shader, e *emu.Format, texel, push []byte, state emu.BlendState) []byte {
	t.Helper()
	fs, err := interp.New(s, interp.Options{WaveSize: 4})
	if err != nil {
		t.Fatalf("%v\n%s", err, ir.Print(s))
	}
	img, err := emu.NewImage(emu.ImageDesc{Width: 1, Height: 1, Format: e})
	if err != nil {
		t.Fatal(err)
	}
	copy(img.Data, texel)
	p := &emu.Pipeline{Vertex: vs, Fragment: fs, Env: &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}, Push: push}, Topology: emu.TriangleList, Blend: state,
		Color: []emu.Attachment{{View: &emu.ImageView{Image: img}}}}
	if err := emu.Draw(context.Background(), p, emu.DrawParams{VertexCount: 3, InstanceCount: 1}); err != nil {
		t.Fatal(err)
	}
	return img.Data
}

// TestLowerBlend draws with random states by fixed function and by shader, the
// latter with what the attachment holds in place of load_output.
func TestLowerBlend(t *testing.T) {
	vs, err := interp.New(coverShader(), interp.Options{WaveSize: 4})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewSource(6))
	names := []string{"R8G8B8A8_UNORM", "B8G8R8A8_UNORM", "R8G8B8A8_SNORM", "R8G8B8A8_SRGB", "R16G16B16A16_SFLOAT", "R5G6B5_UNORM_PACK16", "A2B10G10R10_UNORM_PACK32",
		"B10G11R11_UFLOAT_PACK32", "R8_UNORM", "R8G8B8A8_UINT", "R16G16_SINT", "R32G32B32A32_SFLOAT", "A2B10G10R10_UINT_PACK32"}
	for i := range 900 {
		e := emu.FormatByName(names[i%len(names)])
		f, err := ParsePixelFormat(e.Name)
		if err != nil {
			t.Fatal(err)
		}
		o, state := randomBlend(r, f)
		texel, push := blendInputs(r, e, &state)
		s := blendShader(e.Channels[0].Kind, !e.IsInteger() && !state.LogicEnable && state.Attachments[0].Enable)
		want := drawPixel(t, vs, s, e, texel, push, state)
		text := ir.Print(s)
		if _, err := LowerBlend(s, o); err != nil {
			t.Fatal(err)
		}
		if err := ir.Validate(s); err != nil {
			t.Fatalf("%v\n%s", err, ir.Print(s))
		}
		replaceByPush(s)
		got := drawPixel(t, vs, s, e, texel, push, emu.BlendState{})
		var a, b [16]byte
		copy(a[:], got)
		copy(b[:], want)
		if !sameTexel(f, a, b) && !closeFloats(e, got, want) {
			t.Fatalf("%d: %s %+v: %x becomes %x, want %x\n%s---\n%s", i, e.Name, state, texel, got, want, text, ir.Print(s))
		}
	}
}

// closeFloats compares float colours: the arithmetic may round differently.
func closeFloats(e *emu.Format, a, b []byte) bool {
	var x, y [4]uint32
	e.Unpack(a, &x)
	e.Unpack(b, &y)
	for c := range x {
		p, q := float64(math.Float32frombits(x[c])), float64(math.Float32frombits(y[c]))
		if same := p == q || p != p && q != q; !same && (math.IsInf(q, 0) || !(math.Abs(p-q) <= 1e-2*max(1, math.Abs(q)))) {
			return false
		}
	}
	return e.IsFloat()
}

// randomBlend makes a state, as the pass and as the emulator have it.
func randomBlend(r *rand.Rand, f *PixelFormat) (*BlendOptions, emu.BlendState) {
	o := &BlendOptions{LogicEnable: r.Intn(3) == 0 || f.IsInteger() && r.Intn(2) == 0, Logic: ir.LogicOp(r.Intn(16))}
	if f.kind() == PixelSnorm {
		o.LogicEnable = false // -1 has two codes
	}
	eq := func() BlendEquation {
		return BlendEquation{ir.BlendFactor(r.Intn(19)), ir.BlendFactor(r.Intn(19)), ir.BlendOp(r.Intn(5))}
	}
	t := &o.Targets[0]
	*t = BlendTarget{Format: f, Enable: !f.IsInteger(), Color: eq(), Alpha: eq(), WriteMask: 15}
	if r.Intn(2) == 0 {
		t.WriteMask = uint8(r.Intn(16))
	}
	a := emu.AttachmentBlend{Enable: t.Enable, SrcColor: ir.BlendFactor(t.Color.Src), DstColor: ir.BlendFactor(t.Color.Dst), ColorOp: ir.BlendOp(t.Color.Op),
		SrcAlpha: ir.BlendFactor(t.Alpha.Src), DstAlpha: ir.BlendFactor(t.Alpha.Dst), AlphaOp: ir.BlendOp(t.Alpha.Op), WriteMask: t.WriteMask}
	return o, emu.BlendState{LogicEnable: o.LogicEnable, Logic: ir.LogicOp(o.Logic), Attachments: []emu.AttachmentBlend{a}}
}

// blendInputs makes a texel, and push constants of both sources, the texel's
// colour and the blend constants.
func blendInputs(r *rand.Rand, e *emu.Format, state *emu.BlendState) (texel, push []byte) {
	texel = make([]byte, e.Bytes)
	var stored [4]uint32
	if e.IsFloat() {
		for c := range stored {
			stored[c] = math.Float32bits(float32(r.Intn(33)) / 16)
		}
		e.Pack(texel, &stored)
	} else {
		r.Read(texel)
	}
	e.Unpack(texel, &stored)
	words := make([]uint32, 0, 16)
	for range 8 {
		v := math.Float32bits(float32(r.Intn(41)-8) / 24)
		if e.IsInteger() {
			v = uint32(r.Intn(1<<e.Channels[0].Width) - int(1<<e.Channels[0].Width/2)*int(b2i(e.IsSigned())))
		}
		words = append(words, v)
	}
	words = append(words, stored[:]...)
	for c := range state.Constants {
		state.Constants[c] = float32(r.Intn(17))/12 - 0.1
		words = append(words, math.Float32bits(state.Constants[c]))
	}
	var buf bytes.Buffer
	if err := binary.Write(&buf, binary.LittleEndian, words); err != nil {
		panic(err)
	}
	return texel, buf.Bytes()
}

func b2i(v bool) int {
	if v {
		return 1
	}
	return 0
}

// replaceByPush makes push constants of what the attachment holds and of the
// blend constants.
func replaceByPush(s *ir.Shader) {
	eachIntrinsic(s, func(b *ir.Builder, in *ir.Instr) *ir.Def {
		switch in.Intr {
		case ir.IntrLoadOutput:
			return pushVec4(b, 32)
		case ir.IntrLoadBlendConstColorRgba:
			return pushVec4(b, 48)
		}
		return nil
	})
}

// TestLowerBlendRefusals asks for what cannot be done.
func TestLowerBlendRefusals(t *testing.T) {
	for _, c := range []struct{ options, want string }{
		{"enable=true", "option format is missing"},
		{"logic_op=xor", "option format is missing"},
		{"write_mask=3", "option format is missing"},
		{"format=R8G8B8A8_FOO", "no uncompressed colour format"},
		{"format=R8_UNORM,rt=8", "no colour attachment"},
		{"format=R8_UNORM,src_color=red", "want one of"},
		{"format=R8_UNORM,color_op=mul", "want one of"},
		{"format=R8_UNORM,logic_op=not", "want one of"},
		{"format=R8_UINT,enable=true", "integer format"},
		{"format=R8_UNORM,enable=true,src_color=src1_color", "second colour source"},
	} {
		list := "lower_blend"
		if c.options != "" {
			list = fmt.Sprintf("lower_blend(%s)", c.options)
		}
		p, err := ParsePassList(list)
		if err == nil {
			err = p.Run(blendShader(emu.KindUnorm, false), RunOptions{VerifyEach: true})
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", list, err, c.want)
		}
	}
}
