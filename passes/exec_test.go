package passes

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
	"nirc/ir/interp"
)

// testGroups is how many workgroups of one invocation a test shader runs in;
// each has 256 bytes of the buffer.
const testGroups = 4

// testImages binds to set 0 a texture with four levels and a linear sampler
// (binding 1), a storage image of 4x4 (2) and an array of two layers (3), each
// texel of which is another.
func testImages(bind *emu.Bindings) (err error) {
	image := func(d emu.ImageDesc, format string) *emu.ImageView {
		d.Format = emu.FormatByName(format)
		img, e := emu.NewImage(d)
		if e != nil {
			err = e
			return nil
		}
		for i := range img.Data {
			img.Data[i] = byte(i*7 + i>>8)
		}
		return &emu.ImageView{Image: img}
	}
	smp := &emu.Sampler{Mag: emu.FilterLinear, Min: emu.FilterLinear, MaxLod: emu.LodNone}
	bind.Set(0, 1, []emu.Descriptor{{Type: emu.DescCombinedImageSampler, Image: image(emu.ImageDesc{Width: 8, Height: 8, Mips: 4}, "R8G8B8A8_UNORM"), Sampler: smp}})
	bind.Set(0, 2, []emu.Descriptor{{Type: emu.DescStorageImage, Image: image(emu.ImageDesc{Width: 4, Height: 4}, "R32_UINT")}})
	bind.Set(0, 3, []emu.Descriptor{{Type: emu.DescStorageImage, Image: image(emu.ImageDesc{Width: 4, Height: 4, Layers: 2}, "R32_UINT")}})
	bind.Set(0, 4, []emu.Descriptor{{Type: emu.DescCombinedImageSampler, Image: image(emu.ImageDesc{Width: 8, Height: 1, Mips: 4}, "R8G8B8A8_UNORM"), Sampler: smp}})
	bind.Set(0, 5, []emu.Descriptor{{Type: emu.DescCombinedImageSampler, Image: image(emu.ImageDesc{Width: 8, Height: 8, Mips: 4}, "R8G8B8A8_SRGB"), Sampler: smp}})
	return err
}

// execute runs a compute shader with one storage buffer (set 0, binding 0,
// handle 0) and the images of testImages, and returns what the buffer holds then.
func execute(s *ir.Shader) ([]byte, error) {
	p, err := interp.New(s, interp.Options{WaveSize: 4})
	if err != nil {
		return nil, err
	}
	mem := emu.NewMemory()
	buf := mem.Alloc(testGroups * 256)
	var bind emu.Bindings
	bind.Set(0, 0, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: buf.Addr, Size: uint64(len(buf.Data))}})
	if err := testImages(&bind); err != nil {
		return nil, err
	}
	env := &emu.Env{Mem: mem, Bindings: &bind}
	err = emu.Dispatch(context.Background(), p, env, emu.DispatchParams{Limits: emu.Limits{Budget: 1 << 22}, Groups: [3]uint32{testGroups, 1, 1}})
	return buf.Data, err
}

// compareRuns tests that two shaders leave the same in memory.
func compareRuns(t *testing.T, before, after *ir.Shader) {
	t.Helper()
	if before.Stage != ir.StageCompute {
		return
	}
	a, err := execute(before)
	if err != nil {
		t.Fatalf("before: %v", err)
	}
	b, err := execute(after)
	if err != nil {
		t.Fatalf("after: %v\n%s", err, ir.Print(after))
	}
	if !bytes.Equal(a, b) {
		t.Errorf("the results differ:\n%x\n%x\n%s\n---\n%s", a, b, ir.Print(before), ir.Print(after))
	}
}

// TestPointerInitialiser writes through a pointer that a variable starts with,
// and directly.
func TestPointerInitialiser(t *testing.T) {
	text := func(init, to string) *ir.Shader {
		return parseShader(t, `shader compute "main" {
  info { workgroup_size=1,1,1 }
  var @2 shader_temp u32 "target"
  var @3 shader_temp u32 "p"`+init+`
  fn f0 "main" entry() {
    b0:
      %0:32 = load_const 0x0
      %1:32 = load_const 0x7
      %2:32 = deref_var @2
      %3:32 = deref_var @3
      %4:32 = load_deref %3
      %5:32 = deref_cast %4 (shader_temp u32)
      store_deref %`+to+`, %1 write_mask=x
      %6:32 = load_deref %2
      store_ssbo %6, %0, %0 write_mask=x align_mul=4
  }
}`)
	}
	s := text(" { pointer_init=@2 }", "5")
	runPasses(t, s, "lower_variable_initializers")
	got, err := execute(s)
	if err != nil {
		t.Fatal(err)
	}
	want, err := execute(text("", "2"))
	if err != nil || !bytes.Equal(got, want) || got[0] != 7 {
		t.Errorf("%v: %x, want %x", err, got[:4], want[:4])
	}
}

// TestTexResults lets the shader decode and swizzle what a texture of another
// format holds.
func TestTexResults(t *testing.T) {
	run := func(binding, result, list string) []float32 {
		s := parseShader(t, `shader compute "main" {
  info { workgroup_size=1,1,1 }
  var @1 uniform sampled2D<f32> "t" { set=0 binding=`+binding+` }
  fn f0 "main" entry() {
    b0:
      %0:32 = load_const 0x0
      %1:32x3 = load_workgroup_id
      %2:32 = mov %1.x
      %3:32x2 = vec2 %2, %2
      %4:32 = deref_var @1
      %5:32x4 = txf texture_deref=%4 coord=%3 lod=%0 dim=2D dest=f32 coord_components=2
      %6:32x4 = mov %5.`+result+`
      %7:32 = load_const 0x4
      %8:32 = ishl %2, %7
      store_ssbo %6, %0, %8 write_mask=xyzw align_mul=16
  }
}`)
		runPasses(t, s, list)
		mem, err := execute(s)
		if err != nil {
			t.Fatal(err)
		}
		var v []float32
		for i := 0; i < testGroups*16; i += 4 {
			v = append(v, math.Float32frombits(binary.LittleEndian.Uint32(mem[i:])))
		}
		return v
	}
	for _, c := range []struct{ binding, result, list string }{{"5", "xyzw", "lower_tex(srgb=true)"}, {"1", "wzyx", "lower_tex(swizzle=wzyx)"}, {"5", "yyxw", "lower_tex(srgb=true,swizzle=yyxw)"}} {
		want, got := run(c.binding, c.result, "opt_dce"), run("1", "xyzw", c.list)
		for i := range want {
			if d := want[i] - got[i]; d > 1e-5 || d < -1e-5 {
				t.Errorf("%s: component %d is %v, want %v", c.list, i, got[i], want[i])
			}
		}
	}
}
