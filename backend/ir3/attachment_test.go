package ir3

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"nirc/backend/ir3/core"
	"nirc/internal/emu"
	"nirc/ir"
	"nirc/ir/interp"
	"nirc/passes"
)

// attachmentReader counts up what its second attachment has.
func attachmentReader() (*ir.Shader, error) {
	s, b := newStage(ir.StageFragment)
	in := b.Intrinsic(ir.IntrLoadOutput, 1, 32, b.Imm32(0)).Set(ir.IdxRange, 1).Set(ir.IdxDestType, ir.ALUType{Class: ir.ClassUint, Bits: 32}.Pack()).
		Set(ir.IdxIoSemantics, ir.IOSemantics{Location: ir.SlotData0 + 1, NumSlots: 1, FBFetch: true}.Pack())
	outputTo(b, b.IAddImm(&in.Def, 1), ir.SlotData0+1)
	p, err := passes.ParsePassList("lower_fb_read(layer=auto),lower_alu_to_scalar")
	if err != nil {
		return nil, err
	}
	return s, p.Run(s, passes.RunOptions{})
}

// countedUp draws the reader over itself three times, to one layer of a multisampled attachment, whose samples must have counted.
func countedUp(gpu string, seed uint64) error {
	s, err := attachmentReader()
	if err != nil {
		return err
	}
	fragment, _, err := loaded(s, CompileOptions{GPU: gpu})
	if err != nil {
		return err
	}
	return countsUp(fragment, seed)
}

// countsUp is countedUp for a program.
func countsUp(fragment emu.Program, seed uint64) error {
	const size, samples, layers, layer, draws = 4, 2, 2, 1, 3
	img, err := emu.NewImage(emu.ImageDesc{Width: size, Height: size, Layers: layers, Samples: samples, Format: emu.FormatByName("R32_UINT")})
	if err != nil {
		return err
	}
	for i := range uint32(len(img.Data) / 4) {
		binary.LittleEndian.PutUint32(img.Data[4*i:], 1000+7*i)
	}
	vs, b := newStage(ir.StageVertex)
	outputTo(b, inputFrom(b, ir.SlotAttrib0, 0, 4), ir.SlotPos)
	vertex, err := interp.New(vs, interp.Options{WaveSize: 64})
	if err != nil {
		return err
	}
	var data []byte
	for _, v := range []float32{-1, -1, 0.5, 1, 3, -1, 0.5, 1, -1, 3, 0.5, 1} {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
	}
	p := &emu.Pipeline{Vertex: vertex, Fragment: fragment, Env: &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}}, Topology: emu.TriangleList, Layer: layer,
		Area: emu.Rect{Width: size, Height: size}, Viewports: []emu.Viewport{{Width: size, Height: size, MaxDepth: 1}},
		Bindings: []emu.VertexBinding{{Data: data, Stride: 16}}, Attributes: []emu.VertexAttribute{{Format: emu.FormatByName("R32G32B32A32_SFLOAT")}},
		Color: []emu.Attachment{{}, {View: &emu.ImageView{Image: img}}}}
	if err := emu.Draw(context.Background(), p, emu.DrawParams{VertexCount: 3, InstanceCount: draws, Limits: emu.Limits{Check: true, Seed: seed}}); err != nil {
		return err
	}
	for i := range uint32(len(img.Data) / 4) {
		want := 1000 + 7*i
		if i >= uint32(layer*len(img.Data)/4/layers) {
			want += draws
		}
		if got := binary.LittleEndian.Uint32(img.Data[4*i:]); got != want {
			return fmt.Errorf("sample %d: %d, want %d", i, got, want)
		}
	}
	return nil
}

// TestAttachments: fragments read what those before them left in an attachment, whatever the order in which waves run.
func TestAttachments(t *testing.T) {
	programs.Hold(t)
	for _, gpu := range []string{"a630", "a740"} {
		for seed := range uint64(4) {
			if err := countedUp(gpu, seed); err != nil {
				t.Errorf("%s, seed %d: %v", gpu, seed, err)
			}
		}
	}
}

// TestAttachmentMeta: the metadata names what is read, for a fiber a sample, and whether fragments of a sample take turns.
func TestAttachmentMeta(t *testing.T) {
	programs.Hold(t)
	for _, free := range []bool{false, true} {
		s, err := attachmentReader()
		if err != nil {
			t.Fatal(err)
		}
		s.Info.NonCoherentColorReads = free
		bin, err := compile(s, CompileOptions{GPU: "a660"})
		if err != nil {
			t.Fatal(err)
		}
		if m := &bin.Meta; m.Attachments != 2 || !m.PerSample || m.OrderedAttachments == free || m.Bindless.Textures {
			t.Errorf("non-coherent %v: attachments %b, by sample %v, ordered %v, textures by sets %v", free, m.Attachments, m.PerSample, m.OrderedAttachments, m.Bindless.Textures)
		}
	}
}

// TestOrderedAttachments: fragments take turns where one thing that is read is to be in order, whatever else is not.
func TestOrderedAttachments(t *testing.T) {
	programs.Hold(t)
	for free := range 8 {
		for reads := range 8 {
			s, b := newStage(ir.StageFragment)
			s.Info.NonCoherentColorReads, s.Info.NonCoherentDepthReads, s.Info.NonCoherentStencilReads = free&1 != 0, free&2 != 0, free&4 != 0
			sum := b.Imm32(0)
			for k, slot := range []ir.Slot{ir.SlotData0 + 3, ir.SlotDepth, ir.SlotStencil} {
				if reads>>k&1 != 0 {
					in := b.Intrinsic(ir.IntrLoadAttachment, 1, 32, b.Imm32(0)).Set(ir.IdxDestType, ir.ALUType{Class: ir.ClassUint, Bits: 32}.Pack())
					sum = b.Iadd(sum, &in.Set(ir.IdxIoSemantics, ir.IOSemantics{Location: slot, NumSlots: 1, FBFetch: true}.Pack()).Def)
				}
			}
			outputTo(b, sum, ir.SlotData0)
			p, err := passes.ParsePassList("lower_fb_read(layer=auto),lower_alu_to_scalar")
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Run(s, passes.RunOptions{}); err != nil {
				t.Fatal(err)
			}
			bin, err := compile(s, CompileOptions{GPU: "a660"})
			if err != nil {
				t.Fatal(err)
			}
			want := uint16(reads&1)<<3 | uint16(reads>>1)<<8
			if m := &bin.Meta; m.Attachments != want || m.OrderedAttachments != (reads&^free != 0) {
				t.Errorf("reads %03b, free %03b: attachments %b, want %b, ordered %v", reads, free, m.Attachments, want, m.OrderedAttachments)
			}
		}
	}
}

// TestRefusedAttachments: what is no attachment, and what a pass was to make fetches of.
func TestRefusedAttachments(t *testing.T) {
	s, err := attachmentReader()
	if err != nil {
		t.Fatal(err)
	}
	for b := range s.Entry().Impl.Blocks() {
		for in := range b.Instrs() {
			if in.Kind == ir.KindTex {
				in.TexInfo().TextureIndex = 10
			}
		}
	}
	if _, err := compile(s, CompileOptions{GPU: "a660"}); err == nil || !strings.Contains(err.Error(), "attachment 10 is not supported, there are 8 colours, depth and stencil") {
		t.Errorf("attachment 10: %v", err)
	}
	s, b := newStage(ir.StageFragment)
	in := b.Intrinsic(ir.IntrLoadOutput, 1, 32, b.Imm32(0)).Set(ir.IdxRange, 1).Set(ir.IdxIoSemantics, ir.IOSemantics{Location: ir.SlotData0, NumSlots: 1, FBFetch: true}.Pack())
	outputTo(b, &in.Def, ir.SlotData0)
	if _, err := compile(s, CompileOptions{GPU: "a660"}); err == nil || !strings.Contains(err.Error(), "lower_fb_read makes fetches of them") {
		t.Errorf("without the pass: %v", err)
	}
}

// TestAttachmentsByMeta: the core refuses to read an attachment that the metadata does not name, and so the driver does not bind.
func TestAttachmentsByMeta(t *testing.T) {
	programs.Hold(t)
	s, err := attachmentReader()
	if err != nil {
		t.Fatal(err)
	}
	bin, err := compile(s, CompileOptions{GPU: "a630"})
	if err != nil {
		t.Fatal(err)
	}
	bin.Meta.Attachments = 0
	p, err := core.Load(bin.Code, &bin.Meta)
	if err != nil {
		t.Fatal(err)
	}
	if err := countsUp(p, 1); err == nil || !strings.Contains(err.Error(), "the meta does not say that attachment 1 is read") {
		t.Errorf("error %v", err)
	}
}
