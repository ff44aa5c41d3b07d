package ir3

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"nirc/backend/ir3/core"
	"nirc/internal/emu"
	"nirc/ir"
	"nirc/ir/interp"
)

// interpolationSize is the width and height of the pictures that tests draw.
const interpolationSize = 16

// interpolate builds an input at a computed place; smooth and not.
func interpolateAt(b *ir.Builder, how ir.Intrinsic, mode ir.Interp, slot ir.Slot, arg *ir.Def) *ir.Def {
	ij := b.Intrinsic(how, 2, 32, arg).Set(ir.IdxInterpMode, uint64(mode))
	return &b.Intrinsic(ir.IntrLoadInterpolatedInput, 4, 32, &ij.Def, b.Imm32(0)).Set(ir.IdxIoSemantics, sem(slot)).
		Set(ir.IdxDestType, ir.ALUType{Class: ir.ClassFloat, Bits: 32}.Pack()).Def
}

// interpolationShaders are fragment shaders that interpolate at places of their
// own. VAR0 is smooth, VAR1 linear in the window, VAR2 a small smooth number.
var interpolationShaders = []struct {
	name  string
	build func(b *ir.Builder) *ir.Def
	// released: all inputs are read before anything is discarded, in the first block.
	released bool
}{
	{"constant offset", func(b *ir.Builder) *ir.Def {
		return interpolateAt(b, ir.IntrLoadBarycentricAtOffset, ir.InterpSmooth, ir.SlotVar0, b.Const(32, uint64(math.Float32bits(0.25)), uint64(math.Float32bits(-0.4375))))
	}, true},
	{"constant offset, noperspective", func(b *ir.Builder) *ir.Def {
		return interpolateAt(b, ir.IntrLoadBarycentricAtOffset, ir.InterpNoPerspective, ir.SlotVar0+1, b.Const(32, uint64(math.Float32bits(-0.5)), uint64(math.Float32bits(0.375))))
	}, true},
	{"16-bit offset", func(b *ir.Builder) *ir.Def {
		return interpolateAt(b, ir.IntrLoadBarycentricAtOffset, ir.InterpSmooth, ir.SlotVar0, b.Const(16, ir.FloatBits(0.25, 16), ir.FloatBits(-0.25, 16)))
	}, true},
	{"computed offset and both kinds", func(b *ir.Builder) *ir.Def {
		v := interpolated(b, ir.IntrLoadBarycentricPixel, ir.InterpSmooth, ir.SlotVar0+2, 0, 2)
		s := interpolateAt(b, ir.IntrLoadBarycentricAtOffset, ir.InterpSmooth, ir.SlotVar0, v)
		l := interpolateAt(b, ir.IntrLoadBarycentricAtOffset, ir.InterpNoPerspective, ir.SlotVar0+1, v)
		return b.Vec(b.Channel(s, 0), b.Channel(s, 3), b.Channel(l, 1), b.Channel(l, 2))
	}, true},
	{"constant sample", func(b *ir.Builder) *ir.Def {
		return interpolateAt(b, ir.IntrLoadBarycentricAtSample, ir.InterpSmooth, ir.SlotVar0, b.Imm32(1))
	}, true},
	{"sample by the column", func(b *ir.Builder) *ir.Def {
		x := b.Iand(b.F2u32(b.Channel(&b.Intrinsic(ir.IntrLoadFragCoord, 4, 32).Def, 0)), b.Imm32(3))
		s := interpolateAt(b, ir.IntrLoadBarycentricAtSample, ir.InterpSmooth, ir.SlotVar0, x)
		l := interpolateAt(b, ir.IntrLoadBarycentricAtSample, ir.InterpNoPerspective, ir.SlotVar0+1, x)
		return b.Vec(b.Channel(s, 1), b.Channel(s, 2), b.Channel(l, 0), b.Channel(l, 3))
	}, true},
	{"after a discard", func(b *ir.Builder) *ir.Def {
		x := b.Channel(&b.Intrinsic(ir.IntrLoadFragCoord, 4, 32).Def, 0)
		b.Intrinsic(ir.IntrDemoteIf, 0, 0, b.Flt(x, b.ImmFloat(5, 32)))
		return interpolateAt(b, ir.IntrLoadBarycentricAtSample, ir.InterpSmooth, ir.SlotVar0, b.Imm32(2))
	}, true},
	{"in a branch", func(b *ir.Builder) *ir.Def {
		x := b.Channel(&b.Intrinsic(ir.IntrLoadFragCoord, 4, 32).Def, 0)
		i := b.PushIf(b.Flt(x, b.ImmFloat(7, 32)))
		s := interpolateAt(b, ir.IntrLoadBarycentricAtSample, ir.InterpSmooth, ir.SlotVar0, b.Imm32(3))
		b.PushElse(i)
		l := interpolateAt(b, ir.IntrLoadBarycentricAtOffset, ir.InterpNoPerspective, ir.SlotVar0+1, interpolated(b, ir.IntrLoadBarycentricPixel, ir.InterpSmooth, ir.SlotVar0+2, 0, 2))
		b.PopIf(i)
		return b.IfPhi(i, s, l)
	}, true},
	{"in a loop, by its counter", func(b *ir.Builder) *ir.Def {
		s, pre := b.Shader, b.Cursor.Block
		b.Intrinsic(ir.IntrDemoteIf, 0, 0, b.Flt(b.Channel(&b.Intrinsic(ir.IntrLoadFragCoord, 4, 32).Def, 1), b.ImmFloat(3, 32)))
		zero, none := b.Imm32(0), b.Const(32, 0, 0, 0, 0)
		l := b.PushLoop()
		n, sum := s.NewPhi(1, 32), s.NewPhi(4, 32)
		b.Insert(n)
		b.Insert(sum)
		s.AddPhiSrc(n, pre, zero)
		s.AddPhiSrc(sum, pre, none)
		i := b.PushIf(b.Uge(&n.Def, b.Imm32(4)))
		b.Jump(ir.JumpBreak)
		b.PopIf(i)
		v := interpolateAt(b, ir.IntrLoadBarycentricAtSample, ir.InterpSmooth, ir.SlotVar0, &n.Def)
		var parts [4]*ir.Def
		for c := range parts {
			parts[c] = b.Fadd(b.Channel(&sum.Def, c), b.Channel(v, c))
		}
		s.AddPhiSrc(n, b.Cursor.Block, b.Iadd(&n.Def, b.Imm32(1)))
		s.AddPhiSrc(sum, b.Cursor.Block, b.Vec(parts[:]...))
		b.PopLoop(l)
		return &sum.Def
	}, false},
	{"helpers beside the triangle", func(b *ir.Builder) *ir.Def {
		h := b.Bcsel(&b.Intrinsic(ir.IntrLoadHelperInvocation, 1, 1).Def, b.ImmFloat(2, 32), b.ImmFloat(1, 32))
		swap := func(i ir.Intrinsic) *ir.Def { return &b.Intrinsic(i, 1, 32, h).Def }
		return b.Vec(h, swap(ir.IntrQuadSwapHorizontal), swap(ir.IntrQuadSwapVertical), swap(ir.IntrQuadSwapDiagonal))
	}, false},
	{"sample position", func(b *ir.Builder) *ir.Def {
		p := &b.Intrinsic(ir.IntrLoadSamplePos, 2, 32).Def
		q := &b.Intrinsic(ir.IntrLoadSamplePosFromId, 2, 32, b.Imm32(3)).Def
		return b.Vec(b.Channel(p, 0), b.Channel(p, 1), b.Channel(q, 0), b.Channel(q, 1))
	}, false},
}

// TestInterpolation draws triangles, whole, seen at an angle and clipped, with one and
// four samples, by the pixel and by the sample, and compares with the interpreter.
func TestInterpolation(t *testing.T) {
	programs.Hold(t)
	for _, sh := range interpolationShaders {
		for _, gpu := range gpus {
			s, b := newStage(ir.StageFragment)
			outputTo(b, sh.build(b), ir.SlotData0)
			if err := ir.Validate(s); err != nil {
				t.Fatal(err)
			}
			ref, err := interp.New(s, interp.Options{WaveSize: 64})
			if err != nil {
				t.Fatal(err)
			}
			bin, err := compile(s, CompileOptions{GPU: gpu})
			if err != nil {
				t.Fatalf("%s: %s: %v", sh.name, gpu, err)
			}
			if ei := strings.Contains(disasm(bin), "bary.f (ei)"); ei != sh.released {
				t.Errorf("%s: %s: the storage of the inputs is released: %v\n%s", sh.name, gpu, ei, disasm(bin))
			}
			p, err := core.Load(bin.Code, &bin.Meta)
			if err != nil {
				t.Fatal(err)
			}
			for seed := range uint64(6) {
				samples, shading := []int{1, 4}[min(seed, 1)], seed&1 == 0
				if err := samePictures(ref, p, seed, samples, shading); err != nil {
					t.Errorf("%s: %s: %d samples, sample shading %v: %v\n%s", sh.name, gpu, samples, shading, err, disasm(bin))
				}
			}
		}
	}
}

// samePictures draws with two fragment programs and compares all samples.
func samePictures(ref, p emu.Program, seed uint64, samples int, shading bool) error {
	want, err := interpolationDraw(ref, seed, samples, shading)
	if err != nil {
		return fmt.Errorf("interpreter: %w", err)
	}
	got, err := interpolationDraw(p, seed, samples, shading)
	if err != nil {
		return err
	}
	drawn := 0
	for i := 0; i+4 <= len(want); i += 4 {
		w, g := math.Float32frombits(binary.LittleEndian.Uint32(want[i:])), math.Float32frombits(binary.LittleEndian.Uint32(got[i:]))
		if w != -100 {
			drawn++
		}
		if d := math.Abs(float64(w - g)); !(d <= 2e-4*math.Max(1, math.Abs(float64(w)))) {
			return fmt.Errorf("texel %d, component %d is %v, want %v", i/16, i/4&3, g, w)
		}
	}
	if drawn < 40 {
		return fmt.Errorf("the triangle covers %d words only", drawn)
	}
	return nil
}

// interpolationDraw draws a triangle and returns the samples.
func interpolationDraw(fs emu.Program, seed uint64, samples int, shading bool) ([]byte, error) {
	img, err := emu.NewImage(emu.ImageDesc{Width: interpolationSize, Height: interpolationSize, Samples: samples, Format: emu.FormatByName("R32G32B32A32_SFLOAT")})
	if err != nil {
		return nil, err
	}
	view := &emu.ImageView{Image: img}
	none := math.Float32bits(-100)
	if err := view.Clear([4]uint32{none, none, none, none}); err != nil {
		return nil, err
	}
	vs, b := newStage(ir.StageVertex)
	outputTo(b, inputFrom(b, ir.SlotAttrib0, 0, 4), ir.SlotPos)
	for k := range 3 {
		outputTo(b, inputFrom(b, ir.SlotAttrib0+1+ir.Slot(k), 0, 4), ir.SlotVar0+ir.Slot(k))
	}
	vertex, err := interp.New(vs, interp.Options{WaveSize: 64})
	if err != nil {
		return nil, err
	}
	p := &emu.Pipeline{Vertex: vertex, Fragment: fs, Env: &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}}, Topology: emu.TriangleList,
		Area: emu.Rect{Width: interpolationSize, Height: interpolationSize}, Viewports: []emu.Viewport{{Width: interpolationSize, Height: interpolationSize, MaxDepth: 1}},
		Bindings: []emu.VertexBinding{{Data: interpolationVertices(seed), Stride: 64}}, Color: []emu.Attachment{{View: view}}}
	p.Multisample.SampleShading = shading
	for k := range uint32(4) {
		p.Attributes = append(p.Attributes, emu.VertexAttribute{Location: k, Format: emu.FormatByName("R32G32B32A32_SFLOAT"), Offset: 16 * k})
	}
	err = emu.Draw(context.Background(), p, emu.DrawParams{VertexCount: 3, InstanceCount: 1, Limits: emu.Limits{Check: true}})
	return img.Data, err
}

// interpolationVertices are position and three attributes of three vertices.
func interpolationVertices(seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 9))
	w := [3]float32{1, 1, 1}
	if seed > 0 {
		w = [3]float32{0.5 + r.Float32(), 1 + 2*r.Float32(), 0.75 + r.Float32()}
	}
	xy := [3][2]float32{{-0.9, -0.85}, {0.95, -0.7}, {-0.6, 0.9}}
	var data []byte
	put := func(l ...float32) {
		for _, f := range l {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(f))
		}
	}
	for k := range w {
		x, y := xy[k][0]*w[k], xy[k][1]*w[k]
		if seed > 3 && k == 1 {
			// Behind the eye, and in its plane.
			x, y, w[k] = 1.5, 0.25, float32(seed-5)*0.25
		}
		put(x, y, 0.5*w[k], w[k])
		for range 8 {
			put(r.Float32()*4 - 2)
		}
		put(r.Float32()-0.5, r.Float32()-0.5, 0, 0)
	}
	return data
}
