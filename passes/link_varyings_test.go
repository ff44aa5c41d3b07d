package passes

import (
	_ "embed"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
)

//go:embed testdata/ir/link_vs.nir
var linkVS string

//go:embed testdata/ir/link_fs.nir
var linkFS string

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
	if out, in := RemoveUnusedIO(vs, fs); out == 0 || in == 0 {
		t.Errorf("outputs removed: %d, inputs: %d", out, in)
	}
	check("RemoveUnusedIO")
	if l, _ := location(vs, "unread"); l != -1 {
		t.Errorf("the output that nobody reads is at %d", l)
	}
	if l, _ := location(fs, "unwritten"); l != -1 {
		t.Errorf("the input that nobody writes is at %d", l)
	}
	if out, in := RemoveUnusedIO(vs, fs); out+in > 0 {
		t.Error("removed something twice")
	}
	if LinkOptVaryings(vs, fs, nil) == (LinkedValues{}) {
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
	if CompactVaryings(vs, fs, nil) == 0 {
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
	if CompactVaryings(vs, fs, nil) > 0 {
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

// TestLinkNarrow: relaxed floats that all become 16 bits wide cross the interface so; others stay.
func TestLinkNarrow(t *testing.T) {
	vs := parseShader(t, `shader vertex "main" {
  var @1 shader_in vec2f32 "p" { location=ATTRIB0 }
  var @2 shader_out f32 "half" { location=VAR0 mediump }
  var @3 shader_out f32 "whole" { location=VAR1 mediump }
  fn f0 "main" entry() {
    b0:
      %1:32 = deref_var @1
      %2:32x2 = load_deref %1
      %3:32 = mov %2.x
      %4:32 = mov %2.y
      %5:32 = deref_var @2
      store_deref %5, %3 write_mask=x
      %6:32 = deref_var @3
      store_deref %6, %4 write_mask=x
  }
}`)
	fs := parseShader(t, `shader fragment "main" {
  var @1 shader_in f32 "half" { location=VAR0 interp=smooth mediump }
  var @2 shader_in f32 "whole" { location=VAR1 interp=smooth mediump }
  var @3 shader_out vec2f32 "o" { location=DATA0 }
  fn f0 "main" entry() {
    b0:
      %1:32 = deref_var @1
      %2:32 = load_deref %1
      %3:16 = f2fmp %2
      %4:16 = fadd %3, %3
      %5:32 = f2f32 %4
      %6:32 = deref_var @2
      %7:32 = load_deref %6
      %8:32x2 = vec2 %5, %7
      %9:32 = deref_var @3
      store_deref %9, %8 write_mask=xy
  }
}`)
	if n := NarrowVaryings(vs, fs, false); n != 1 {
		t.Errorf("%d components are narrow, want 1", n)
	}
	for _, s := range []*ir.Shader{vs, fs} {
		if err := ir.Validate(s); err != nil {
			t.Errorf("%v\n%s", err, ir.Print(s))
		}
		for _, v := range s.Variables {
			if want := map[string]uint8{"half": 16, "whole": 32}[v.Name]; want != 0 && v.Type.Bits != want {
				t.Errorf("%s has %d bits, want %d", v.Name, v.Type.Bits, want)
			}
		}
	}
}

// TestLinkNarrowVectors: what becomes 16 bits wide in a vector counts, and with half what lower_mediump will compute so.
func TestLinkNarrowVectors(t *testing.T) {
	for _, c := range []struct {
		use         string
		plain, half int
	}{
		{"%6:16x2 = f2f16 %5\n      %7:32x2 = f2f32 %6", 2, 2},
		{"%6:32x2 = fmul {mediump} %5, %5\n      %7:32x2 = mov %6", 0, 2},
		{"%6:32x2 = fmul %5, %5\n      %7:32x2 = mov %6", 0, 0},
		{"%6:32x2 = fmul {mediump} %5, %5\n      %7:32x2 = fadd %6, %5", 0, 0},
	} {
		for _, half := range []bool{false, true} {
			vs := parseShader(t, `shader vertex "main" {
  var @1 shader_in vec2f32 "p" { location=ATTRIB0 }
  var @2 shader_out f32 "a" { location=VAR0 mediump }
  var @3 shader_out f32 "b" { location=VAR1 mediump }
  fn f0 "main" entry() {
    b0:
      %1:32 = deref_var @1
      %2:32x2 = load_deref %1
      %3:32 = mov %2.x
      %4:32 = mov %2.y
      %5:32 = deref_var @2
      store_deref %5, %3 write_mask=x
      %6:32 = deref_var @3
      store_deref %6, %4 write_mask=x
  }
}`)
			fs := parseShader(t, `shader fragment "main" {
  var @1 shader_in f32 "a" { location=VAR0 interp=smooth mediump }
  var @2 shader_in f32 "b" { location=VAR1 interp=smooth mediump }
  var @3 shader_out vec2f32 "o" { location=DATA0 }
  fn f0 "main" entry() {
    b0:
      %1:32 = deref_var @1
      %2:32 = load_deref %1
      %3:32 = deref_var @2
      %4:32 = load_deref %3
      %5:32x2 = vec2 %2, %4
      `+c.use+`
      %8:32 = deref_var @3
      store_deref %8, %7 write_mask=xy
  }
}`)
			want := c.plain
			if half {
				want = c.half
			}
			if n := NarrowVaryings(vs, fs, half); n != want {
				t.Errorf("%s, half %v: %d components are narrow, want %d", c.use, half, n, want)
			}
			for _, s := range []*ir.Shader{vs, fs} {
				if err := ir.Validate(s); err != nil {
					t.Errorf("%v\n%s", err, ir.Print(s))
				}
			}
		}
	}
}

// TestLinkMerge: equal outputs become one input only where they are interpolated alike.
func TestLinkMerge(t *testing.T) {
	for _, interp := range []string{"smooth", "flat", "noperspective"} {
		vs := parseShader(t, `shader vertex "main" {
  var @1 shader_in f32 "p" { location=ATTRIB0 }
  var @2 shader_out f32 "a" { location=VAR0 }
  var @3 shader_out f32 "b" { location=VAR1 }
  fn f0 "main" entry() {
    b0:
      %1:32 = deref_var @1
      %2:32 = load_deref %1
      %3:32 = deref_var @2
      store_deref %3, %2 write_mask=x
      %4:32 = deref_var @3
      store_deref %4, %2 write_mask=x
  }
}`)
		fs := parseShader(t, `shader fragment "main" {
  var @1 shader_in f32 "a" { location=VAR0 interp=smooth }
  var @2 shader_in f32 "b" { location=VAR1 interp=`+interp+` }
  var @3 shader_out vec2f32 "o" { location=DATA0 }
  fn f0 "main" entry() {
    b0:
      %1:32 = deref_var @1
      %2:32 = load_deref %1
      %3:32 = deref_var @2
      %4:32 = load_deref %3
      %5:32x2 = vec2 %2, %4
      %6:32 = deref_var @3
      store_deref %6, %5 write_mask=xy
  }
}`)
		want := LinkedValues{}
		if interp == "smooth" {
			want.Merged = 1
		}
		if got := LinkOptVaryings(vs, fs, nil); got != want {
			t.Errorf("%s: %+v, want %+v", interp, got, want)
		}
	}
}

// TestLinkFlat: what is equal at all vertices and stays a varying is flat, unless the target interpolates for less.
func TestLinkFlat(t *testing.T) {
	for _, smooth := range []bool{false, true} {
		vs := parseShader(t, `shader vertex "main" {
  var @1 shader_out f32 "a" { location=VAR0 }
  var @2 mem_push_const f32 "u"
  fn f0 "main" entry() {
    b0:
      %1:32 = deref_var @2
      %2:32 = load_deref %1
      %3:32 = fexp2 %2
      %4:32 = deref_var @1
      store_deref %4, %3 write_mask=x
  }
}`)
		fs := parseShader(t, `shader fragment "main" {
  var @1 shader_in f32 "a" { location=VAR0 interp=smooth }
  var @2 shader_out f32 "o" { location=DATA0 }
  fn f0 "main" entry() {
    b0:
      %1:32 = deref_var @1
      %2:32 = load_deref %1
      %3:32 = deref_var @2
      store_deref %3, %2 write_mask=x
  }
}`)
		own := *fs.Options
		own.SmoothCheaper = smooth
		fs.Options = &own
		want, interp := LinkedValues{Flat: 1}, ir.InterpFlat
		if smooth {
			want, interp = LinkedValues{}, ir.InterpSmooth
		}
		if got := LinkOptVaryings(vs, fs, nil); got != want || fs.Variables[0].Interp != interp {
			t.Errorf("smooth cheaper %v: %+v and %s, want %+v and %s", smooth, got, fs.Variables[0].Interp, want, interp)
		}
	}
}
