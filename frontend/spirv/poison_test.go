package spirv_test

import (
	"context"
	_ "embed"
	"strings"
	"testing"

	"nirc/frontend/spirv"
	"nirc/frontend/spirv/spv"
	"nirc/internal/emu"
	"nirc/ir"
	"nirc/ir/interp"
)

func translate(t *testing.T, text string) (*ir.Shader, error) {
	t.Helper()
	return translateFor(t, text, nil)
}

// translateFor translates a module for a target, nil for none.
func translateFor(t *testing.T, text string, o *ir.Options) (*ir.Shader, error) {
	t.Helper()
	words, err := spv.Assemble(text, spv.AssembleOptions{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := spv.ParseWords(words)
	if err != nil {
		t.Fatal(err)
	}
	return spirv.Translate(m, spirv.Options{Target: o})
}

// workgroupModule sums what a workgroup variable of structs, arrays and
// matrices holds before anything was stored, by 3 invocations, and by 64.
//
//go:embed testdata/asm/workgroup_module.spvasm
var workgroupModule string

func TestWorkgroupInitialiser(t *testing.T) {
	for _, c := range []struct {
		threads, init string
		zero          bool
	}{{"3", "%null", true}, {"64", "%null", true}, {"64", "", false}} {
		s, err := translate(t, strings.NewReplacer("THREADS", c.threads, "INIT", c.init).Replace(workgroupModule))
		if err != nil {
			t.Fatal(err)
		}
		if err := ir.Validate(s); err != nil {
			t.Fatal(err)
		}
		p, err := interp.New(s, interp.Options{WaveSize: 8})
		if err != nil {
			t.Fatal(err)
		}
		mem := emu.NewMemory()
		out := mem.Alloc(256)
		for i := range out.Data {
			out.Data[i] = 7
		}
		var b emu.Bindings
		b.Set(0, 0, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: out.Addr, Size: 256}})
		params := emu.DispatchParams{Groups: [3]uint32{1, 1, 1}, Limits: emu.Limits{Check: true}}
		err = emu.Dispatch(context.Background(), p, &emu.Env{Mem: mem, Bindings: &b}, params)
		if !c.zero {
			if err == nil || !strings.Contains(err.Error(), "what nothing wrote, workgroup memory") {
				t.Errorf("%s invocations without an initialiser: error %v", c.threads, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		n := int(p.WorkgroupSize()[0])
		zero := true
		for _, x := range out.Data[:4*n] {
			zero = zero && x == 0
		}
		if !zero {
			t.Errorf("%s invocations, initialiser %q: not all are zero", c.threads, c.init)
		}
	}
}

func TestWorkgroupInitialiserNotNull(t *testing.T) {
	text := strings.NewReplacer("THREADS", "1", "INIT", "%one", "%null = OpConstantNull %s", "%none = OpConstantNull %outer\n%one = OpConstantComposite %s %c1 %none").Replace(workgroupModule)
	if _, err := translate(t, text); err == nil || !strings.Contains(err.Error(), "OpVariable-04734") {
		t.Errorf("error %v", err)
	}
}

// distances is a vertex shader with a gl_PerVertex as GLSL declares it.
//
//go:embed testdata/asm/distances.spvasm
var distances string

// TestDistancesDeclared looks at what counts as clip and cull distances: those
// that the shader names, not those that gl_PerVertex declares.
func TestDistancesDeclared(t *testing.T) {
	for member, want := range map[string][2]uint8{"0": {0, 0}, "1": {2, 0}, "2": {0, 2}} {
		s, err := translate(t, strings.NewReplacer("MEMBER", member).Replace(distances))
		if err != nil {
			t.Fatal(err)
		}
		if got := [2]uint8{s.Info.ClipDistances, s.Info.CullDistances}; got != want {
			t.Errorf("a store to member %s: %v, not %v", member, got, want)
		}
	}
}
