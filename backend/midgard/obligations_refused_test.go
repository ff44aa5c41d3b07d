package midgard

import (
	"context"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"

	"nirc/backend/gputest"
	"nirc/internal/emu"
	"nirc/ir"
)

// feedback captures the positions of three vertices.
func feedback() error {
	s, err := ir.Parse(positions)
	if err != nil {
		return err
	}
	s.Captures = []ir.Capture{{Slot: ir.SlotPos, Count: 4, Bits: 32}}
	s.Info.XfbStrides[0] = 16
	p, err := load(s, CompileOptions{Feedback: true})
	if err != nil {
		return err
	}
	env := &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}}
	at := env.Mem.Alloc(48)
	for i := range uint32(3) {
		l := &emu.Launch{NumLanes: 1, Check: true, Out: make([]emu.Slots, 1), Inputs: make([][]emu.Vec4, 1), Env: env, Vertex: []emu.VertexLane{{VertexIndex: i}},
			Capture: &emu.CaptureLaunch{Vertices: 3}}
		l.Capture.Buffers[0] = at.Addr
		if st, err := p.NewWave(l).Run(1000); err != nil || st != emu.StatusDone {
			return fmt.Errorf("status %d, %w", st, err)
		}
	}
	for i := range 3 {
		if w := math.Float32frombits(binary.LittleEndian.Uint32(at.Data[16*i+12:])); w != 2 {
			return fmt.Errorf("vertex %d: w is %v, want 2", i, w)
		}
	}
	return nil
}

// refused runs what a compile that should be refused makes.
func refused(compiled error, why string, run func() error) error {
	if compiled != nil && strings.Contains(compiled.Error(), why) {
		return nil
	}
	return errors.Join(compiled, run())
}

// unfedInput paints the number of the viewport.
func unfedInput() error {
	fragment := strings.Replace(`shader fragment "main" { info { outputs_written=0x10 io_lowered } fn f0 "main" entry() { b0: %0:32 = load_const 0x0
		%1:32 = load_input %0 dest_type=u32 io_semantics={VIEWPORT 1} %4:32 = load_const 0x2 %5:32 = iadd %1, %4 %2:32 = u2f32 %5 %3:32x4 = vec4 %2, %2, %2, %2
		store_output %3, %0 base=4 range=1 write_mask=xyzw src_type=f32 io_semantics={DATA0 1} } }`, "\n\t\t", " ", -1)
	_, _, err := loadText(fragment, CompileOptions{})
	return refused(err, "gl_ViewportIndex is not supported", drawsAlike(positions, fragment))
}

// blendTexture blends by a texture on a chip where the registers of results are those of the colour.
func blendTexture() error {
	var want emu.Vec4
	for _, gpu := range []string{"t860", "t720"} {
		_, p, err := loadText(testUnfedRefusedText, CompileOptions{GPU: gpu, Blend: "R8G8B8A8_UNORM"})
		img, imgErr := emu.NewImage(emu.ImageDesc{Width: 4, Height: 4, Format: emu.FormatByName("R8G8B8A8_UNORM")})
		if imgErr != nil {
			return imgErr
		}
		run := func() error {
			l := &emu.Launch{Env: &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}}, Draw: &emu.Pipeline{Color: []emu.Attachment{{View: &emu.ImageView{Image: img}}}}}
			l.Env.Bindings.Set(0, 0, []emu.Descriptor{gputest.Picture()})
			if err := fragmentOut(p, l); err != nil {
				return err
			}
			got := l.Out[0][ir.SlotData0]
			if gpu == "t860" {
				want = got
			} else if got != want {
				return fmt.Errorf("%s blends %x, want %x", gpu, got, want)
			}
			return nil
		}
		if gpu == "t860" {
			err = errors.Join(err, run())
		} else {
			err = refused(err, "in a blend program is not supported", run)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// storing stores the position and two attributes, which leave in three stores.
var storing = strings.NewReplacer("outputs_written=0x1 ", "outputs_written=0x300000001 ", "      store_output %12", `      %20:32x4 = load_input %0 dest_type=f32 io_semantics={ATTRIB0 1}
      %21:32x4 = load_input %0 dest_type=f32 io_semantics={ATTRIB1 1}
      store_output %20, %0 base=32 range=1 write_mask=xyzw src_type=f32 io_semantics={VAR0 1}
      store_output %21, %0 base=33 range=1 write_mask=xyzw src_type=f32 io_semantics={VAR1 1}
      store_output %12`).Replace(positions)

// upperTags paints on a chip that has no tags for writeouts.
func upperTags() error {
	_, p, err := loadText(plainColor, CompileOptions{GPU: "t760"})
	if err != nil {
		return err
	}
	return fragmentOut(p, &emu.Launch{})
}

// limitedLod samples level 0 by samplers whose least LOD is 1, on chips with and without such samplers.
func limitedLod() error {
	text := strings.NewReplacer("tex2D<f32>", "sampled2D<f32>", "%2:32x2 = load_const (0x1, 0x2)", "%2:32x2 = load_const (0x3f000000, 0x3f000000)",
		"txf texture_deref=%0", "txl texture_deref=%0 sampler_deref=%0").Replace(testUnfedRefusedText)
	img, err := emu.NewImage(emu.ImageDesc{Width: 4, Height: 4, Mips: 2, Format: emu.FormatByName("R8G8B8A8_UNORM")})
	if err != nil {
		return err
	}
	for i := range img.LevelBytes(1) {
		img.LevelBytes(1)[i] = 255
	}
	for _, gpu := range []string{"t860", "t720"} {
		_, p, err := loadText(text, CompileOptions{GPU: gpu})
		if err != nil {
			return err
		}
		l := &emu.Launch{Env: &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}}}
		l.Env.Bindings.Set(0, 0, []emu.Descriptor{{Type: emu.DescCombinedImageSampler, Image: &emu.ImageView{Image: img}, Sampler: &emu.Sampler{MinLod: 1, MaxLod: emu.LodNone}}})
		if err := fragmentOut(p, l); err != nil {
			return err
		}
		if got := math.Float32frombits(l.Out[0][ir.SlotData0][0]); got != 1 {
			return fmt.Errorf("%s: level 0 is sampled: %v", gpu, got)
		}
	}
	return nil
}

// gatherOrder gathers four texels that differ.
func gatherOrder() error {
	text := strings.NewReplacer("tex2D<f32>", "sampled2D<f32>", "%2:32x2 = load_const (0x1, 0x2)", "%2:32x2 = load_const (0x3f000000, 0x3f000000)",
		"txf texture_deref=%0", "tg4 texture_deref=%0 sampler_deref=%0").Replace(testUnfedRefusedText)
	img, err := emu.NewImage(emu.ImageDesc{Width: 2, Height: 2, Format: emu.FormatByName("R32_SFLOAT")})
	if err != nil {
		return err
	}
	for i := range 4 {
		emu.StoreBytes(img.Data[4*i:], 4, uint64(math.Float32bits(float32(i))))
	}
	_, p, err := loadText(text, CompileOptions{})
	if err != nil {
		return err
	}
	l := &emu.Launch{Env: &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}}}
	l.Env.Bindings.Set(0, 0, []emu.Descriptor{{Type: emu.DescCombinedImageSampler, Image: &emu.ImageView{Image: img}, Sampler: &emu.Sampler{MaxLod: emu.LodNone}}})
	if err := fragmentOut(p, l); err != nil {
		return err
	}
	for c, want := range [4]float32{2, 3, 1, 0} {
		if got := math.Float32frombits(l.Out[0][ir.SlotData0][c]); got != want {
			return fmt.Errorf("component %d is texel %v, want %v", c, got, want)
		}
	}
	return nil
}

//go:embed testdata/ir/far_texel.nir
var farTexelText string

// farTexel loads the texel whose coordinates have the low 16 bits of one that there is.
func farTexel() error {
	_, p, err := loadText(farTexelText, CompileOptions{})
	if err != nil {
		return err
	}
	img, err := emu.NewImage(emu.ImageDesc{Width: 4, Height: 4, Format: emu.FormatByName("R32_UINT")})
	if err != nil {
		return err
	}
	for i := range img.Data {
		img.Data[i] = 3
	}
	env := &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}}
	out := env.Mem.Alloc(16)
	env.Bindings.Set(0, 0, []emu.Descriptor{{Type: emu.DescStorageImage, Image: &emu.ImageView{Image: img}}})
	env.Bindings.Set(0, 1, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: out.Addr, Size: 16}})
	if err := emu.Dispatch(context.Background(), p, env, emu.DispatchParams{Groups: [3]uint32{1, 1, 1}, Limits: emu.Limits{Check: true}}); err != nil {
		return err
	}
	if v := binary.LittleEndian.Uint32(out.Data); v != 0 {
		return fmt.Errorf("a texel outside of the image is %#x", v)
	}
	return nil
}
