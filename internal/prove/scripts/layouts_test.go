package scripts

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"nirc"
	"nirc/internal/amber"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/internal/prove"
	"nirc/internal/refs"
	"nirc/ir"
	"nirc/passes"
)

// The stages of a pipeline that share binding 3, and nothing else of the set.
const (
	sharingVertex = `#version 450
layout(set=0,binding=0) uniform A { mat4 m; };
layout(set=0,binding=3) uniform sampler2D t;
layout(location=0) in vec4 p; layout(location=0) out vec4 v;
void main() { gl_Position = m * p; v = textureLod(t, p.xy, 0.); }`
	sharingFragment = `#version 450
layout(set=0,binding=1) uniform sampler2D s[2];
layout(set=0,binding=3) uniform sampler2D t;
layout(location=0) in vec4 v; layout(location=0) out vec4 o;
void main() { o = texture(s[1], v.zw) + texture(t, v.xy); }`
)

// slotsOf lists the places that metadata gives binding 3 of set 0.
func slotsOf(x any, list []string) []string {
	switch x := x.(type) {
	case []any:
		for _, y := range x {
			list = slotsOf(y, list)
		}
	case map[string]any:
		set, _ := x["set"].(float64)
		for _, name := range []string{"slot", "first"} {
			if at, ok := x[name]; ok && set == 0 && x["binding"] == 3. {
				list = append(list, fmt.Sprint(name, " ", at, " + ", x["stride"]))
			}
		}
		for _, name := range []string{"descriptors", "textures", "samplers", "heap"} {
			list = slotsOf(x[name], list)
		}
	}
	return list
}

// TestStagesShareSlots: a binding stands at one place in all stages, whatever else they use.
func TestStagesShareSlots(t *testing.T) {
	refs.Tool(t, "glslangValidator")
	for _, b := range nirc.Targets() {
		var lists [2][]string
		for i, text := range []string{sharingVertex, sharingFragment} {
			m := prove.FromGLSL(t, []ir.Stage{ir.StageVertex, ir.StageFragment}[i], text)
			o, err := m.Compile(t.Context(), nirc.Options{Target: b.Name, Level: passes.O2})
			if err != nil {
				t.Fatal(err)
			}
			var meta any
			if err := json.Unmarshal(o.ABI, &meta); err != nil {
				t.Fatal(err)
			}
			lists[i] = slotsOf(meta, nil)
		}
		if len(lists[0]) == 0 || !slices.Equal(lists[0], lists[1]) {
			t.Errorf("%s: %v and %v", b.Name, lists[0], lists[1])
		}
	}
}

// withoutLayout compiles as if there were no layout.
type withoutLayout struct{ amber.Target }

func (t withoutLayout) Compile(ctx context.Context, s amber.Shader) (emu.Program, error) {
	s.Layout = nil
	return t.Target.Compile(ctx, s)
}

// TestLayouts runs scripts with the layouts of what they bind: the tables are filled by them, and a
// program that was compiled for other tables is noticed.
func TestLayouts(t *testing.T) {
	refs.Tool(t, "glslangValidator")
	for _, b := range nirc.Targets() {
		for _, name := range []string{"shared_set.amber", "unsized.amber", "images.amber", "images_draw.amber", "block_arrays.amber", "opaque.amber"} {
			gpus := []string{b.GPUs[0].Name, b.GPUs[len(b.GPUs)-1].Name}
			if name != "unsized.amber" && !refs.WholeGrids() {
				gpus = gpus[:1]
			}
			for _, gpu := range gpus {
				target, err := exec.AmberTarget(nirc.Options{Target: b.Name, GPU: gpu, Level: passes.O2})
				if err != nil {
					t.Fatal(err)
				}
				run := func(target amber.Target) amber.Result {
					r := &amber.Runner{Target: target, Modules: &modules, ScriptLayouts: true, Limits: emu.Limits{Check: true, Seed: 1}}
					return r.Run(t.Context(), prove.Script(t, prove.Data(name)))
				}
				if r := run(target); r.Verdict != amber.Pass && (gpu == b.GPUs[0].Name || r.Verdict != amber.Skip) {
					t.Errorf("%s on %s %s: %+v", name, b.Name, gpu, r)
				}
				if name != "unsized.amber" {
					continue // its tables would be filled in the same way
				}
				if r := run(withoutLayout{target}); r.Verdict != amber.Fail {
					t.Errorf("%s on %s %s, compiled for another layout: %+v", name, b.Name, gpu, r)
				}
			}
		}
	}
}
