package passes

import (
	"context"
	"fmt"
	"math"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
	"nirc/ir/interp"
)

// shadowShader compares a half with the texels of a row of four.
func shadowShader(t *testing.T) *ir.Shader {
	text := `shader compute "main" {
  info { workgroup_size=1,1,1 }
  var @1 uniform sampled2D_shadow<f32> "s" { set=0 binding=1 }
  fn f0 "main" entry() {
    b0:
      %900:32 = load_const 0x0
      %901:32 = load_const 0x3f000000
      %1:32 = deref_var @1
`
	for i := range 4 {
		text += fmt.Sprintf(`      %%%[1]d:32 = load_const %#[2]x
      %%%[3]d:32x2 = vec2 %%%[1]d, %%901
      %%%[4]d:32 = txl texture_deref=%%1 sampler_deref=%%1 coord=%%%[3]d comparator=%%901 lod=%%900 dim=2D dest=f32 shadow new_style_shadow coord_components=2
      %%%[5]d:32 = load_const %#[6]x
      store_ssbo %%%[4]d, %%900, %%%[5]d write_mask=x align_mul=4
`, 10+i, math.Float32bits(float32(i)/4+0.125), 20+i, 30+i, 40+i, 4*i)
	}
	return parseShader(t, text+"  }\n}")
}

// runShadow runs such a shader with a sampler.
func runShadow(t *testing.T, s *ir.Shader, smp *emu.Sampler) (out [4]float32) {
	t.Helper()
	p, err := interp.New(s, interp.Options{WaveSize: 1})
	if err != nil {
		t.Fatal(err)
	}
	img, err := emu.NewImage(emu.ImageDesc{Width: 4, Height: 1, Format: emu.FormatByName("R32_SFLOAT")})
	if err != nil {
		t.Fatal(err)
	}
	v := &emu.ImageView{Image: img}
	for x := range 4 {
		v.Store(x, 0, 0, 0, 0, [4]uint32{math.Float32bits(float32(x) / 4)})
	}
	mem := emu.NewMemory()
	buf := mem.Alloc(16)
	var bind emu.Bindings
	bind.Set(0, 0, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: buf.Addr, Size: 16}})
	bind.Set(0, 1, []emu.Descriptor{{Image: v, Sampler: smp}})
	if err := emu.Dispatch(context.Background(), p, &emu.Env{Mem: mem, Bindings: &bind}, emu.DispatchParams{Groups: [3]uint32{1, 1, 1}}); err != nil {
		t.Fatalf("%v\n%s", err, ir.Print(s))
	}
	for i := range out {
		out[i] = math.Float32frombits(uint32(emu.LoadBytes(buf.Data[4*i:], 4)))
	}
	return out
}

// TestTexShadow compares in the shader as samplers do, for each of their comparisons, and takes comparisons away.
func TestTexShadow(t *testing.T) {
	s := shadowShader(t)
	plain := &emu.Sampler{MaxLod: emu.LodNone}
	for op, name := range CompareOps {
		after := ir.Clone(s)
		runPasses(t, after, "lower_tex_shadow_swizzle(func="+name+")")
		want := runShadow(t, s, &emu.Sampler{MaxLod: emu.LodNone, Compare: true, CompareOp: emu.CompareOp(op)})
		if got := runShadow(t, after, plain); got != want {
			t.Errorf("%s: %v, a sampler gives %v", name, got, want)
		}
	}
	runPasses(t, s, "remove_tex_shadow")
	if got := runShadow(t, s, plain); got != [4]float32{0, 0.25, 0.5, 0.75} {
		t.Errorf("without comparison %v", got)
	}
}
