package ir3

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
	"nirc/ir/interp"
)

// coverageShader stores the mask of covered samples, after early tests if post.
func coverageShader(post bool) *ir.Shader {
	s, b := newStage(ir.StageFragment)
	s.Info.EarlyFragmentTests, s.Info.PostDepthCoverage = true, post
	outputTo(b, b.U2f32(&b.Intrinsic(ir.IntrLoadSampleMaskIn, 1, 32).Def), ir.SlotData0)
	return s
}

// coverageDraw draws a triangle at depth 0.5 over pixels of 4 samples, half of which are nearer, and returns the
// numbers that the pixels hold.
func coverageDraw(fs emu.Program) (map[float32]int, error) {
	const size = 8
	image := func(format string, words ...uint32) *emu.ImageView {
		img, err := emu.NewImage(emu.ImageDesc{Width: size, Height: size, Samples: 4, Format: emu.FormatByName(format)})
		if err != nil {
			panic(err)
		}
		for i := 0; i < len(img.Data)/4; i++ {
			binary.LittleEndian.PutUint32(img.Data[4*i:], words[i%len(words)])
		}
		return &emu.ImageView{Image: img}
	}
	near, far := math.Float32bits(0.25), math.Float32bits(0.75)
	color, depth := image("R32_SFLOAT", math.Float32bits(-1)), image("D32_SFLOAT", near, near, far, far)
	vs, b := newStage(ir.StageVertex)
	outputTo(b, inputFrom(b, ir.SlotAttrib0, 0, 4), ir.SlotPos)
	vertex, err := interp.New(vs, interp.Options{WaveSize: 64})
	if err != nil {
		return nil, err
	}
	var data []byte
	for _, v := range []float32{-1, -1, 0.5, 1, 3, -1, 0.5, 1, -1, 3, 0.5, 1} {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
	}
	p := &emu.Pipeline{Vertex: vertex, Fragment: fs, Env: &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}}, Topology: emu.TriangleList,
		Area: emu.Rect{Width: size, Height: size}, Viewports: []emu.Viewport{{Width: size, Height: size, MaxDepth: 1}},
		Bindings: []emu.VertexBinding{{Data: data, Stride: 16}}, Attributes: []emu.VertexAttribute{{Format: emu.FormatByName("R32G32B32A32_SFLOAT")}},
		Color: []emu.Attachment{{View: color}}, DepthStencil: emu.Attachment{View: depth}, Depth: emu.DepthState{Test: true, Compare: emu.CompareLess}}
	if err := emu.Draw(context.Background(), p, emu.DrawParams{VertexCount: 3, InstanceCount: 1, Limits: emu.Limits{Check: true}}); err != nil {
		return nil, err
	}
	found := map[float32]int{}
	for i := 0; i < len(color.Image.Data); i += 4 {
		found[math.Float32frombits(binary.LittleEndian.Uint32(color.Image.Data[i:]))]++
	}
	return found, nil
}

// postDepth compares the mask that a shader sees with what it must be.
func postDepth(post bool, want float32) error {
	s := coverageShader(post)
	ref, err := interp.New(s, interp.Options{WaveSize: 64})
	if err != nil {
		return err
	}
	p, _, err := loaded(s, CompileOptions{GPU: "a740"})
	if err != nil {
		return err
	}
	for _, fs := range []emu.Program{ref, p} {
		found, err := coverageDraw(fs)
		if err != nil {
			return err
		}
		if found[want] != 128 || found[-1] != 128 {
			return fmt.Errorf("samples by number: %v, want 128 of %v", found, want)
		}
	}
	return nil
}

// TestPostDepthCoverage: the mask of covered samples is that of the primitive, and with PostDepthCoverage what early tests
// leave of it.
func TestPostDepthCoverage(t *testing.T) {
	programs.Hold(t)
	for post, want := range map[bool]float32{false: 15, true: 12} {
		if err := postDepth(post, want); err != nil {
			t.Errorf("PostDepthCoverage %t: %v", post, err)
		}
	}
}

// TestFullQuads: a shader that requires full quads has helpers and whole quads, though no instruction reads another fiber.
func TestFullQuads(t *testing.T) {
	programs.Hold(t)
	for _, full := range []bool{false, true} {
		s, b := newStage(ir.StageFragment)
		s.Info.FullQuads = full
		outputTo(b, b.Imm32(1), ir.SlotData0)
		p, bin, err := loaded(s, CompileOptions{GPU: "a660"})
		if err != nil {
			t.Fatal(err)
		}
		if io := p.IO(); io.NeedsQuads != full || bin.Meta.FullQuads != full {
			t.Errorf("full quads %t: needs quads %t, whole ones %t", full, io.NeedsQuads, bin.Meta.FullQuads)
		}
	}
}
