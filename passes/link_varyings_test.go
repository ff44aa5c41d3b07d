package passes

import (
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
)

const linkVS = `shader vertex "main" {
  var @1 shader_in vec4f32 "p" { location=ATTRIB0 }
  var @2 shader_out vec4f32 "unread" { location=VAR0 }
  var @3 shader_out vec2f32 "b" { location=VAR1 }
  var @4 shader_out f32 "one" { location=VAR3 }
  var @5 shader_out f32 "c" { location=VAR4 component=2 }
  var @6 shader_out vec2f32 "again" { location=VAR5 }
  var @7 shader_out u32 "flat" { location=VAR6 }
  var @8 shader_out vec4f32[2] "arr" { location=VAR8 }
  var @9 shader_out vec4f32 "gl" { location=POS }
  fn f0 "main" entry() {
    b0:
      %900:32 = load_const 0x0
      %901:32 = load_const 0x3f800000
      %902:32 = load_const 0x1
      %1:32 = deref_var @1
      %2:32x4 = load_deref %1
      %3:32 = deref_var @2
      store_deref %3, %2 write_mask=xyzw
      %4:32 = deref_var @3
      %5:32x2 = mov %2.zw
      store_deref %4, %5 write_mask=xy
      %6:32 = deref_var @4
      store_deref %6, %901 write_mask=x
      %7:32 = deref_var @5
      %8:32 = mov %2.y
      store_deref %7, %8 write_mask=x
      %9:32 = deref_var @6
      store_deref %9, %5 write_mask=xy
      %10:32 = deref_var @7
      %11:32 = load_vertex_id
      store_deref %10, %11 write_mask=x
      %12:32 = deref_var @8
      %13:32 = deref_array %12[%902]
      store_deref %13, %2 write_mask=xyzw
      %14:32 = deref_var @9
      store_deref %14, %2 write_mask=xyzw
  }
}`

const linkFS = `shader fragment "main" {
  var @1 shader_in vec2f32 "b" { location=VAR1 interp=smooth }
  var @2 shader_in f32 "one" { location=VAR3 interp=smooth }
  var @3 shader_in f32 "c" { location=VAR4 interp=smooth component=2 }
  var @4 shader_in vec2f32 "again" { location=VAR5 interp=smooth }
  var @5 shader_in u32 "flat" { location=VAR6 interp=flat }
  var @6 shader_in vec4f32 "second" { location=VAR9 interp=smooth }
  var @7 shader_in f32 "unwritten" { location=VAR12 interp=smooth }
  var @8 shader_out vec4f32[2] "o" { location=DATA0 }
  fn f0 "main" entry() {
    b0:
      %900:32 = load_const 0x0
      %901:32 = load_const 0x1
      %1:32 = deref_var @1
      %2:32x2 = load_deref %1
      %3:32 = deref_var @2
      %4:32 = load_deref %3
      %5:32 = deref_var @3
      %6:32 = load_deref %5
      %7:32 = deref_var @4
      %8:32x2 = load_deref %7
      %9:32 = deref_var @5
      %10:32 = load_deref %9
      %11:32 = deref_var @6
      %12:32x4 = load_deref %11
      %13:32 = deref_var @7
      %14:32 = interp_deref_at_centroid %13
      %15:32 = fmul %14, %900
      %16:32x4 = vec4 %2.x, %4, %6, %8.y
      %17:32x4 = fadd %16, %12
      %18:32 = deref_var @8
      %19:32 = deref_array %18[%900]
      store_deref %19, %17 write_mask=xyzw
      %20:32x4 = vec4 %10, %2.y, %8.x, %15
      %21:32 = deref_array %18[%901]
      store_deref %21, %20 write_mask=xyzw
  }
}`

// runLinked runs a vertex shader and, on its first three vertices, a fragment
// shader.
func runLinked(t *testing.T, vs, fs *ir.Shader) *stageRun {
	t.Helper()
	v, err := runStage(vs, stageInputs{seed: 9})
	if err != nil {
		t.Fatalf("%v\n%s", err, ir.Print(vs))
	}
	verts := [3]emu.Slots{v.Out[0], v.Out[1], v.Out[2]}
	f, err := runStage(fs, stageInputs{seed: 9, verts: &verts})
	if err != nil {
		t.Fatalf("%v\n%s", err, ir.Print(fs))
	}
	return f
}

// location returns where a variable is, -1 if it is no varying.
func location(s *ir.Shader, name string) (slot int32, comp uint8) {
	for _, v := range s.Variables {
		if v.Name == name && v.Mode != ir.ModeShaderTemp {
			return v.Location - int32(ir.SlotVar0), v.Component
		}
	}
	return -1, 0
}

// TestLinkVaryings links two stages step by step and runs both after each.
func TestLinkVaryings(t *testing.T) {
	vs, fs := parseShader(t, linkVS), parseShader(t, linkFS)
	want := runLinked(t, vs, fs)
	check := func(step string) {
		t.Helper()
		for _, s := range []*ir.Shader{vs, fs} {
			if err := ir.Validate(s); err != nil {
				t.Fatalf("%s: %v\n%s", step, err, ir.Print(s))
			}
		}
		if d := differ(want, runLinked(t, vs, fs)); d != "" {
			t.Fatalf("%s: %s\n%s\n%s", step, d, ir.Print(vs), ir.Print(fs))
		}
	}
	if out, in := RemoveUnusedIO(vs, fs); !out || !in {
		t.Errorf("outputs removed: %v, inputs: %v", out, in)
	}
	check("RemoveUnusedIO")
	if l, _ := location(vs, "unread"); l != -1 {
		t.Errorf("the output that nobody reads is at %d", l)
	}
	if l, _ := location(fs, "unwritten"); l != -1 {
		t.Errorf("the input that nobody writes is at %d", l)
	}
	if out, in := RemoveUnusedIO(vs, fs); out || in {
		t.Error("removed something twice")
	}
	if !LinkOptVaryings(vs, fs) {
		t.Error("nothing is known of the inputs")
	}
	check("LinkOptVaryings")
	RemoveUnusedIO(vs, fs)
	check("RemoveUnusedIO again")
	for _, name := range []string{"one", "again"} {
		if l, _ := location(vs, name); l != -1 {
			t.Errorf("%s is still at %d", name, l)
		}
	}
	if !CompactVaryings(vs, fs) {
		t.Error("nothing moved")
	}
	check("CompactVaryings")
	for _, s := range []*ir.Shader{vs, fs} {
		b, bc := location(s, "b")
		c, cc := location(s, "c")
		f, _ := location(s, "flat")
		if b != 0 || bc != 0 || c != 0 || cc != 2 || f != 1 {
			t.Errorf("b at %d.%d, c at %d.%d, flat at %d", b, bc, c, cc, f)
		}
	}
	if CompactVaryings(vs, fs) {
		t.Error("moved twice")
	}
	if l, _ := location(vs, "arr"); l != 8 {
		t.Errorf("the array moved to %d", l)
	}
	runPasses(t, vs, "assign_io_locations")
	for _, v := range vs.Variables {
		want := map[string]uint32{"gl": 0, "b": 1, "c": 1, "flat": 2, "arr": 3}[v.Name]
		if v.Mode == ir.ModeShaderOut && v.DriverLocation != want {
			t.Errorf("%s has driver location %d, want %d", v.Name, v.DriverLocation, want)
		}
	}
}
