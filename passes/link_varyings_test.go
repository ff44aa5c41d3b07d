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
	if CompactVaryings(vs, fs) == 0 {
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
	if CompactVaryings(vs, fs) > 0 {
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
