package midgard

import (
	"strings"
	"testing"

	"nirc/backend/midgard/abi"
	"nirc/ir"
)

// lodText is a fragment shader whose value %5 is made by op of a texture, coordinates and a
// LOD; mask are the components of its colour that are written.
func lodText(def, op, mask string) string {
	return `
shader fragment "main" {
  info { outputs_written=0x10 num_textures=1 io_lowered }
  var @1 uniform sampled2D<f32> "s" { set=0 binding=0 }
  var @2 shader_out vec4f32 "color" { location=DATA0 temporary }
  fn f0 "main" entry() {
    b0: // preds:
      %0:32 = load_const 0x0
      %1:32 = deref_var @1
      %2:32x4 = load_frag_coord
      %3:32x2 = mov %2.xy
      %4:32 = mov %2.z
      ` + def + ` = ` + op + ` texture_deref=%1 sampler_deref=%1 coord=%3 lod=%4 dim=2D dest=f32 coord_components=2
      store_output %5, %0 base=4 range=1 write_mask=` + mask + ` src_type=f32 io_semantics={DATA0 1}
  }
}
`
}

// Where the GPU ignores the sampler's limits for explicit levels of detail the
// shader applies them: bias, minimum, maximum.
func TestBrokenLOD(t *testing.T) {
	programs.Hold(t)
	for _, g := range gpus {
		s, err := ir.Parse(lodText("%5:32x4", "txl", "xyzw"))
		if err != nil {
			t.Fatal(err)
		}
		bin, text := listing(t, s, CompileOptions{GPU: g.Name})
		if bin.Meta.BrokenLOD != g.BrokenLOD {
			t.Errorf("%s: the metadata says broken LOD: %t", g.Name, bin.Meta.BrokenLOD)
		}
		if g.BrokenLOD {
			expect(t, text, "FADD.f32", "FMAX.f32", "FMIN.f32", "TEX_GRAD")
		} else if strings.Contains(text, "FMAX") {
			t.Errorf("%s clamps a LOD that its samplers clamp:\n%s", g.Name, text)
		}
	}
}

// A query of the LOD is arithmetic over the sampler's state and the texture's levels, on
// all GPUs; without a LOD, or in a form that nothing lowered, it is refused.
func TestLodQuery(t *testing.T) {
	programs.Hold(t)
	text := lodText("%5:32x2", "lod", "xy")
	for _, g := range gpus {
		s, err := ir.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		bin, list := listing(t, s, CompileOptions{GPU: g.Name})
		expect(t, list, "FMAX.f32", "FMIN.f32", "FCEIL.f32")
		kinds := map[abi.SysvalKind]bool{}
		for _, v := range bin.Meta.Sysvals {
			kinds[v.Kind] = true
		}
		if !kinds[abi.SysvalSampler] || !kinds[abi.SysvalTextureSize] {
			t.Errorf("%s: system values %v", g.Name, bin.Meta.Sysvals)
		}
	}
	s, err := ir.Parse(strings.Replace(text, " lod=%4", "", 1))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := compile(s, CompileOptions{GPU: "t860"}); err == nil || !strings.Contains(err.Error(), "a query of an implicit LOD is not supported") {
		t.Errorf("a query that nothing lowered: %v", err)
	}
}
