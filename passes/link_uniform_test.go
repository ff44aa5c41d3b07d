package passes

import (
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
)

const uniformVS = `shader vertex "main" {
  type $0 = struct "P" block {
    "v": vec4f32 offset=0
    "w": f32[4:16] offset=16
  }
  var @1 mem_push_const $0 "pc"
  var @2 shader_in vec4f32 "p" { location=ATTRIB0 }
  var @3 shader_out vec4f32 "twice" { location=VAR0 }
  var @4 shader_out f32 "sum" { location=VAR1 }
  var @5 shader_out f32 "mixed" { location=VAR2 }
  var @6 shader_out f32 "long" { location=VAR3 }
  var @7 shader_out f32 "volatile" { location=VAR4 }
  fn f0 "main" entry() {
    b0:
      %1:32 = load_const 0x0
      %2:32 = load_const 0x2
      %3:32 = deref_var @1
      %4:32 = deref_struct %3.0
      %5:32x4 = load_deref %4
      %6:32 = deref_struct %3.1
      %7:32 = deref_array %6[%2]
      %8:32 = load_deref %7
      %9:32x4 = fadd %5, %5
      %10:32 = deref_var @3
      store_deref %10, %9 write_mask=xyzw
      %11:32 = fadd %5.y, %8
      %12:32 = deref_var @4
      store_deref %12, %11 write_mask=x
      %13:32 = deref_var @2
      %14:32x4 = load_deref %13
      %15:32 = fadd %14.x, %8
      %16:32 = deref_var @5
      store_deref %16, %15 write_mask=x
      %17:32 = fmul %11, %8
      %18:32 = fadd %17, %5.x
      %19:32 = deref_var @6
      store_deref %19, %18 write_mask=x
      %20:32 = load_deref %7 access=volatile
      %21:32 = deref_var @7
      store_deref %21, %20 write_mask=x
  }
}`

const uniformFS = `shader fragment "main" {
  type $0 = struct "P" block {
    "v": vec4f32 offset=0
    "w": f32[4:16] offset=16
  }
  var @1 mem_push_const $0 "pc"
  var @3 shader_in vec4f32 "twice" { location=VAR0 interp=smooth }
  var @4 shader_in f32 "sum" { location=VAR1 interp=smooth }
  var @5 shader_in f32 "mixed" { location=VAR2 interp=smooth }
  var @6 shader_in f32 "long" { location=VAR3 interp=smooth }
  var @7 shader_in f32 "volatile" { location=VAR4 interp=smooth }
  var @8 shader_out vec4f32 "o" { location=DATA0 }
  var @9 shader_out vec4f32 "q" { location=DATA1 }
  fn f0 "main" entry() {
    b0:
      %1:32 = deref_var @3
      %2:32x4 = load_deref %1
      %3:32 = deref_var @4
      %4:32 = load_deref %3
      %5:32 = deref_var @5
      %6:32 = load_deref %5
      %7:32 = deref_var @6
      %8:32 = load_deref %7
      %9:32 = deref_var @7
      %10:32 = load_deref %9
      %11:32 = deref_var @8
      store_deref %11, %2 write_mask=xyzw
      %12:32x4 = vec4 %4, %6, %8, %10
      %13:32 = deref_var @9
      store_deref %13, %12 write_mask=xyzw
  }
}`

// TestLinkUniform: what a stage makes of push constants alone is made in the next stage, if that takes few operations and may read them;
// what takes more is flat, unless the target interpolates for less.
func TestLinkUniform(t *testing.T) {
	push := make([]byte, 80)
	for i := range push {
		push[i] = byte(i * 5)
		if i%4 == 3 {
			push[i] = 0x40
		}
	}
	all := func(*ir.Variable) bool { return true }
	for _, c := range []struct {
		name    string
		change  func(vs, fs *ir.Shader)
		visible func(*ir.Variable) bool
		want    LinkedValues
	}{
		{"no operations", func(vs, fs *ir.Shader) {}, nil, LinkedValues{Flat: 4 + 1 + 1}},
		{"one operation", func(vs, fs *ir.Shader) { fs.Options.UniformCost = 1 }, nil, LinkedValues{Uniforms: 4 + 1, Flat: 1}},
		{"two operations", func(vs, fs *ir.Shader) { fs.Options.UniformCost = 2 }, nil, LinkedValues{Uniforms: 4 + 1, Flat: 1}},
		{"three operations", func(vs, fs *ir.Shader) { fs.Options.UniformCost = 3 }, nil, LinkedValues{Uniforms: 4 + 1 + 1}},
		{"interpolated for less", func(vs, fs *ir.Shader) { fs.Options.UniformCost, fs.Options.SmoothCheaper = 1, true }, nil, LinkedValues{Uniforms: 4 + 1}},
		{"floats of other modes", func(vs, fs *ir.Shader) {
			fs.Options.UniformCost = 9
			vs.Info.FloatControls |= ir.FCDenormPreserve
		}, nil, LinkedValues{}},
		{"not declared", func(vs, fs *ir.Shader) {
			fs.Options.UniformCost = 9
			fs.Variables = fs.Variables[1:]
		}, nil, LinkedValues{Flat: 4 + 1 + 1}},
		{"not declared, but there", func(vs, fs *ir.Shader) {
			fs.Options.UniformCost = 9
			fs.Variables = fs.Variables[1:]
		}, all, LinkedValues{Uniforms: 4 + 1 + 1}},
	} {
		vs, fs := parseShader(t, uniformVS), parseShader(t, uniformFS)
		vs.Options, fs.Options = &ir.Options{}, &ir.Options{}
		linked := func() *stageRun {
			v, err := runStage(vs, stageInputs{seed: 9, push: push})
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			verts := [3]emu.Slots{v.Out[0], v.Out[1], v.Out[2]}
			f, err := runStage(fs, stageInputs{seed: 9, verts: &verts, push: push})
			if err != nil {
				t.Fatalf("%s: %v\n%s", c.name, err, ir.Print(fs))
			}
			return f
		}
		c.change(vs, fs)
		want := linked()
		if got := LinkOptVaryings(vs, fs, c.visible); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
		for _, s := range []*ir.Shader{vs, fs} {
			if err := ir.Validate(s); err != nil {
				t.Fatalf("%s: %v\n%s", c.name, err, ir.Print(s))
			}
		}
		if d := differ(want, linked()); d != "" {
			t.Errorf("%s: %s\n%s", c.name, d, ir.Print(fs))
		}
	}
}
