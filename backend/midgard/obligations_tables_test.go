package midgard

import (
	"context"
	_ "embed"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"nirc/backend"
	"nirc/backend/gputest"
	"nirc/backend/layout"
	"nirc/internal/emu"
	"nirc/ir"
	"nirc/passes"
)

// manyBuffers reads the last of an array of uniform buffers, of so many that the table holds all and of more.
func manyBuffers() error {
	for _, n := range []uint32{250, 260} {
		element := fmt.Sprintf("%%9:32 = load_const %d\n      %%1:32x2 = vulkan_resource_index %%9 binding=2", n-1)
		s, err := ir.Parse(strings.Replace(thirdBuffer, "%1:32x2 = vulkan_resource_index %0 binding=2", element, 1))
		if err != nil {
			return err
		}
		l := &layout.Layout{Sets: []layout.Set{{Bindings: []layout.Binding{{Binding: 2, Type: layout.UniformBuffer, Count: n, Stages: layout.AllStages}}}}}
		_, err = load(s, CompileOptions{Job: &backend.Job{Layout: l}})
		switch {
		case n > 255:
			return refused(err, "the pipeline layout needs more than", func() error { return nil })
		case err != nil:
			return err
		}
	}
	return nil
}

// deadResults runs shaders in which results that nothing reads stay, as the step that drops them is left out.
func deadResults() error {
	undropped := func() CompileOptions {
		return CompileOptions{Job: &backend.Job{Instrument: passes.NewInstrument(passes.RunOptions{Disable: []string{dce.Name}})}}
	}
	s, b := gputest.NewShader(ir.StageCompute, 1)
	for k := range 8 {
		gputest.LoadWords(b, gputest.StorageBuffer(b, 0, 0), b.Imm32(uint32(4*k)), 1)
	}
	gputest.StoreWords(b, gputest.StorageBuffer(b, 0, 1), b.Imm32(0), b.Imm32(1))
	if _, err := execute(s, undropped(), &gputest.Run{Groups: 1, In: make([]byte, 64), OutSize: 16}, nil); err != nil {
		return err
	}
	for seed := range int64(40) {
		s := gputest.Random{Seed: 5000 + seed, Size: 30, Comps: 4}.Shader()
		if _, err := execute(s, undropped(), &gputest.Run{Groups: 1, In: gputest.RandomInput(seed, 64), OutSize: 64 * gputest.OutBytes}, nil); err != nil {
			return err
		}
	}
	return nil
}

// denormals adds two of them on hardware that flushes them and on hardware that keeps them, for modules that demand either.
func denormals() error {
	s, err := ir.Parse(addDenormals)
	if err != nil {
		return err
	}
	for _, c := range []struct {
		mode ir.FloatControls
		want uint32
	}{{ir.FCDenormPreserve, 0x30}, {ir.FCDenormFlush, 0}} { // in an order, as what is compiled before the first error is held
		s := ir.Clone(s)
		s.Info.FloatControls = s.Info.FloatControls.With(c.mode, 32)
		o, err := Options("", ir.StageCompute)
		if err != nil {
			return err
		}
		if name, _, _ := s.Info.FloatControls.Beyond(o.FloatControls); name != "" {
			continue // the compiler refuses the module by its options
		}
		p, err := load(s, CompileOptions{})
		if err != nil {
			return err
		}
		for seed := range uint64(8) {
			env := &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}}
			buf := env.Mem.Alloc(8)
			binary.LittleEndian.PutUint32(buf.Data, 0x18)
			env.Bindings.Set(0, 0, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: buf.Addr, Size: 8}})
			params := emu.DispatchParams{Groups: [3]uint32{1, 1, 1}, Limits: emu.Limits{Check: true, Seed: seed}}
			if err := emu.Dispatch(context.Background(), p, env, params); err != nil {
				return err
			}
			if v := binary.LittleEndian.Uint32(buf.Data[4:]); v != c.want {
				return fmt.Errorf("seed %d: %#x and itself are %#x, not %#x", seed, 0x18, v, c.want)
			}
		}
	}
	return nil
}

// addDenormals doubles a float.
const addDenormals = `shader compute "main" {
  info { workgroup_size=1,1,1 num_ssbos=1 writes_memory }
  fn f0 "main" entry() {
    b0:
      %0:32 = load_const 0x0
      %1:32x2 = vulkan_resource_index %0 desc_type=7
      %2:32x2 = load_vulkan_descriptor %1 desc_type=7
      %3:32 = load_ssbo %2, %0 align_mul=4
      %4:32 = fadd %3, %3
      %5:32 = load_const 0x4
      store_ssbo %4, %2, %5 write_mask=x align_mul=4
  }
}
`

// spilled runs shaders that have few registers.
func spilled() error {
	for seed := range int64(4) {
		s := gputest.Random{Seed: 1000 + seed, Size: 60, Comps: 4}.Shader()
		if _, err := execute(s, CompileOptions{Registers: 4}, &gputest.Run{Groups: 1, In: gputest.RandomInput(seed, 64), OutSize: 64 * gputest.OutBytes}, nil); err != nil {
			return err
		}
	}
	return nil
}

// faceSign paints which side of a triangle is seen.
//
//go:embed testdata/ir/face_sign.nir
var faceSign string

// TestFaceSign: a face is 1 and its back is -1.
func TestFaceSign(t *testing.T) {
	programs.Hold(t)
	for name, vertex := range map[string]string{"one way": positions, "the other": strings.Replace(positions, "vec4 %8, %9", "vec4 %9, %8", 1)} {
		if err := drawsAlike(vertex, faceSign)(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestElementBeyondLayout: of an array of uniform buffers there are as many as the pipeline's layout says.
func TestElementBeyondLayout(t *testing.T) {
	programs.Hold(t)
	text := strings.Replace(thirdBuffer, "%1:32x2 = vulkan_resource_index %0 binding=2", "%9:32 = load_const 3\n      %1:32x2 = vulkan_resource_index %9 binding=2", 1)
	for _, n := range []uint32{3, 4} {
		s, err := ir.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		l := &layout.Layout{Sets: []layout.Set{{Bindings: []layout.Binding{{Binding: 2, Type: layout.UniformBuffer, Count: n, Stages: layout.AllStages}}}}}
		_, err = load(s, CompileOptions{Job: &backend.Job{Layout: l}})
		if n > 3 && err != nil || n <= 3 && (err == nil || !strings.Contains(err.Error(), "element 3 of binding 2 in set 0 is not supported, the pipeline layout has 3")) {
			t.Errorf("%d elements: %v", n, err)
		}
	}
}
