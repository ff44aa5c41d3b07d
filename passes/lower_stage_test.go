package passes

import (
	_ "embed"
	"math"
	"slices"
	"strings"
	"testing"

	"nirc/ir"
)

//go:embed testdata/ir/interface_fs.nir
var interfaceFS string

//go:embed testdata/ir/interface_vs.nir
var interfaceVS string

// TestInterfacePasses executes shaders before and after the passes over inputs
// and outputs, alone and together, before and after lower_io.
func TestInterfacePasses(t *testing.T) {
	for _, text := range []string{interfaceFS, interfaceVS} {
		s := parseShader(t, text)
		for _, list := range []string{
			"lower_io_arrays_to_elements",
			"lower_io_to_scalar_early",
			"lower_io_to_vector",
			"lower_io_arrays_to_elements,lower_io_to_scalar_early",
			"lower_io_to_scalar_early,lower_io_to_vector",
			"lower_io_to_vector,lower_io",
			"lower_io_arrays_to_elements,lower_io_to_vector,lower_io,lower_io_to_scalar",
			"lower_io,lower_io_to_scalar",
			"lower_io,lower_io_to_scalar(modes=shader_out)",
			"lower_io_to_scalar_early,lower_io",
		} {
			comparePasses(t, s, list, stageInputs{})
		}
	}
}

// TestSysvalsToVaryings reads the same values as system values and as inputs.
func TestSysvalsToVaryings(t *testing.T) {
	s := parseShader(t, `shader fragment "main" {
  var @1 system_value vec4f32 "fc" { builtin=15 }
  var @2 system_value b1 "ff" { builtin=17 }
  var @3 system_value vec2f32 "pc" { builtin=16 }
  var @4 system_value u32 "layer" { builtin=9 }
  var @5 system_value u32 "prim" { builtin=7 }
  var @6 shader_out vec4f32[2] "o" { location=DATA0 }
  fn f0 "main" entry() {
    b0:
      %900:32 = load_const 0x0
      %901:32 = load_const 0x1
      %1:32 = deref_var @1
      %2:32x4 = load_deref %1
      %3:32 = deref_var @2
      %4:1 = load_deref %3
      %5:32 = deref_var @3
      %6:32x2 = load_deref %5
      %7:32 = deref_var @4
      %8:32 = load_deref %7
      %9:32 = deref_var @5
      %10:32 = load_deref %9
      %11:32x2 = bcsel %4.xx, %2.xy, %6
      %12:32x4 = vec4 %11.x, %11.y, %8, %10
      %13:32 = deref_var @6
      %14:32 = deref_array %13[%900]
      store_deref %14, %12 write_mask=xyzw
      %15:32 = deref_array %13[%901]
      store_deref %15, %2 write_mask=xyzw
  }
}`)
	all := "lower_sysvals_to_varyings(frag_coord=true,front_face=true,layer_id=true,primitive_id=true,view_index=true)"
	for _, list := range []string{"lower_sysvals_to_varyings", all, all + ",lower_io", all + ",lower_system_values,lower_io"} {
		comparePasses(t, s, list, stageInputs{})
	}
}

// TestSingleSampled runs a shader that asks about samples in a pixel of one.
func TestSingleSampled(t *testing.T) {
	s := parseShader(t, `shader fragment "main" {
  var @1 shader_in vec4f32 "a" { location=VAR0 interp=smooth sample }
  var @2 shader_in vec2f32 "b" { location=VAR1 interp=noperspective centroid }
  var @3 system_value i32 "id" { builtin=18 }
  var @4 system_value vec2f32 "pos" { builtin=19 }
  var @5 shader_out vec4f32[2] "o" { location=DATA0 }
  fn f0 "main" entry() {
    b0:
      %900:32 = load_const 0x0
      %901:32 = load_const 0x1
      %1:32 = deref_var @1
      %2:32x4 = load_deref %1
      %3:32 = deref_var @2
      %4:32x2 = load_deref %3
      %5:32x2 = interp_deref_at_sample %3, %900
      %6:32 = deref_var @3
      %7:32 = load_deref %6
      %8:32 = deref_var @4
      %9:32x2 = load_deref %8
      %10:32 = load_sample_mask_in
      %11:32x4 = vec4 %4.x, %5.y, %7, %10
      %12:32 = deref_var @5
      %13:32 = deref_array %12[%900]
      store_deref %13, %11 write_mask=xyzw
      %14:32x4 = fadd %2, %9.xyxy
      %15:32 = deref_array %12[%901]
      store_deref %15, %14 write_mask=xyzw
  }
}`)
	for _, list := range []string{"lower_single_sampled", "lower_system_values,lower_io,lower_single_sampled", "lower_single_sampled,lower_system_values,lower_io"} {
		after := comparePasses(t, s, list, stageInputs{})
		if text := ir.Print(after); strings.Contains(text, "sample_id") || strings.Contains(text, "centroid") || strings.Contains(text, "sample_pos") {
			t.Errorf("%s leaves\n%s", list, text)
		}
	}
}

// TestClipPlanes computes distances in a vertex shader and tests what a
// fragment shader makes of them.
func TestClipPlanes(t *testing.T) {
	vs := parseShader(t, `shader vertex "main" {
  fn f0 "main" entry() {
    b0:
      %900:32 = load_const 0x0
      %1:32x4 = load_input %900 base=0 range=1 dest_type=f32 io_semantics={ATTRIB0 1}
      store_output %1, %900 base=0 range=1 write_mask=xyzw src_type=f32 io_semantics={POS 1}
  }
}`)
	runPasses(t, vs, "lower_clip_vs(planes=37)") // 0, 2 and 5
	in := stageInputs{seed: 5}
	for i := range in.planes {
		in.planes[i] = [4]float32{float32(i) - 2, 1, float32(i % 3), -0.5}
	}
	run, err := runStage(vs, in)
	if err != nil {
		t.Fatal(err)
	}
	for l := range run.Out {
		p := run.Out[l][ir.SlotPos]
		for i := range 6 {
			want := float32(0)
			if 37>>i&1 != 0 {
				for c := range 4 {
					want += in.planes[i][c] * math.Float32frombits(p[c])
				}
			}
			if got := math.Float32frombits(run.Out[l][int(ir.SlotClipDist0)+i/4][i%4]); got != want {
				t.Errorf("lane %d plane %d: distance %v, want %v", l, i, got, want)
			}
		}
	}
	if vs.Info.ClipDistances != 6 {
		t.Errorf("%d clip distances, want 6", vs.Info.ClipDistances)
	}
	fs := parseShader(t, `shader fragment "main" {
  fn f0 "main" entry() {
    b0:
      %900:32 = load_const 0x0
      %1:32x2 = load_barycentric_pixel interp_mode=smooth
      %2:32x4 = load_interpolated_input %1, %900 base=2 dest_type=f32 io_semantics={CLIP_DIST0 1}
      %3:32x4 = load_interpolated_input %1, %900 base=3 dest_type=f32 io_semantics={CLIP_DIST1 1}
      store_output %2, %900 base=4 range=1 write_mask=xyzw src_type=f32 io_semantics={DATA0 1}
      store_output %3, %900 base=5 range=1 write_mask=xyzw src_type=f32 io_semantics={DATA1 1}
  }
}`)
	clipped := ir.Clone(fs)
	runPasses(t, clipped, "lower_clip_fs(planes=37)")
	died, lived := 0, 0
	for in.seed = 1; in.seed < 20; in.seed++ {
		whole, err := runStage(fs, in)
		if err != nil {
			t.Fatal(err)
		}
		run, err := runStage(clipped, in)
		if err != nil {
			t.Fatal(err)
		}
		for l := range run.Live {
			inside := true
			for i := range 6 {
				if 37>>i&1 != 0 && math.Float32frombits(whole.Out[l][int(ir.SlotData0)+i/4][i%4]) < 0 {
					inside = false
				}
			}
			if run.Live[l] != inside {
				t.Errorf("seed %d lane %d: alive %v, want %v", in.seed, l, run.Live[l], inside)
			}
			if inside {
				lived++
			} else {
				died++
			}
		}
	}
	if died == 0 || lived == 0 {
		t.Errorf("%d died, %d lived: nothing is tested", died, lived)
	}
}

// TestInterpolation evaluates plane equations in place of interpolation.
func TestInterpolation(t *testing.T) {
	s := parseShader(t, `shader fragment "main" {
  var @1 shader_in vec4f32[2] "a" { location=VAR0 interp=smooth }
  var @2 shader_in vec2f32 "b" { location=VAR2 interp=noperspective component=1 centroid }
  var @3 shader_out vec4f32[2] "o" { location=DATA0 }
  fn f0 "main" entry() {
    b0:
      %900:32 = load_const 0x0
      %901:32 = load_const 0x1
      %902:32x2 = load_const (0x3e800000, 0xbe000000)
      %1:32 = deref_var @1
      %2:32 = deref_array %1[%901]
      %3:32x4 = interp_deref_at_offset %2, %902
      %4:32 = deref_var @2
      %5:32x2 = interp_deref_at_sample %4, %901
      %6:32x2 = load_deref %4
      %7:32x4 = load_deref %2
      %8:32x4 = vec4 %5.x, %5.y, %6.x, %6.y
      %9:32x4 = fadd %3, %7
      %12:32 = deref_var @3
      %13:32 = deref_array %12[%900]
      store_deref %13, %8 write_mask=xyzw
      %15:32 = deref_array %12[%901]
      store_deref %15, %9 write_mask=xyzw
  }
}`)
	for _, list := range []string{"lower_io,lower_interpolation", "lower_io,lower_interpolation(pixel=true,centroid=true,sample=true)"} {
		after := comparePasses(t, s, list, stageInputs{samples: 4})
		if text := ir.Print(after); !strings.Contains(text, "interp_deltas") || strings.Contains(list, "pixel") && strings.Contains(text, "load_interpolated") {
			t.Errorf("%s leaves\n%s", list, text)
		}
	}
}

// TestMoveCaptures moves captured cull distances after three clip distances.
func TestMoveCaptures(t *testing.T) {
	run := func(slot ir.Slot, first, count uint8, offset uint32) ir.Capture {
		return ir.Capture{Slot: slot, First: first, Count: count, Bits: 32, Buffer: 1, Offset: offset}
	}
	got := moveCaptures([]ir.Capture{run(ir.SlotPos, 0, 4, 0), run(ir.SlotCullDist0, 0, 3, 16), run(ir.SlotClipDist0, 0, 3, 28)}, 3)
	want := []ir.Capture{run(ir.SlotPos, 0, 4, 0), run(ir.SlotClipDist0, 3, 1, 16), run(ir.SlotClipDist1, 0, 2, 20), run(ir.SlotClipDist0, 0, 3, 28)}
	if !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestDiscardKinds runs a shader with demotes before and after they, or what
// asks for no helpers of them, become terminates, and back.
func TestDiscardKinds(t *testing.T) {
	text := func(asks string) *ir.Shader {
		return parseShader(t, `shader fragment "main" {
  fn f0 "main" entry() {
    b0:
      %0:32 = load_const 0x0
      %1:32x4 = load_frag_coord
      %2:32 = load_const 0x3f800000
      %3:32 = mov %1.x
      %4:32 = mov %1.y
      %5:1 = flt %3, %2
      %6:1 = flt %4, %2
      demote_if %5
    if %6 {
      b1:
        demote
    } else {
      b2:
    }
    b3:
      `+asks+`
      store_output %7, %0 base=0 range=1 write_mask=x src_type=f32 io_semantics={DATA0 1}
  }
}`)
	}
	plain, derived := text("%7:32 = fmul %3, %4"), text("%7:32 = ddx %3")
	for _, c := range []struct {
		s          *ir.Shader
		list, want string
	}{
		{plain, "lower_terminate_to_demote(to=terminate)", "terminate"},
		{plain, "lower_terminate_to_demote(to=fit)", "terminate"},
		{derived, "lower_terminate_to_demote(to=fit)", "demote"},
		{plain, "lower_terminate_to_demote(to=terminate),lower_terminate_to_demote", "demote"},
	} {
		after := ir.Print(comparePasses(t, c.s, c.list, stageInputs{}))
		if strings.Contains(after, "terminate") != (c.want == "terminate") || strings.Contains(after, "demote") != (c.want == "demote") {
			t.Errorf("%s gives\n%s", c.list, after)
		}
	}
}
