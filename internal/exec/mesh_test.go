package exec

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"nirc"
	"nirc/internal/emu"
	"nirc/ir"
	"nirc/passes"
)

// stageText is the assembly of one of the frontend's modules.
func stageText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../../frontend/spirv/testdata/stages/" + name + ".spvasm")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// drawMesh runs modules and returns all outputs that something was stored to, as text.
func drawMesh(t *testing.T, seed uint64, list string, groups [3]uint32, texts ...string) (string, error) {
	t.Helper()
	x := &Execution{Mesh: true, Groups: groups, Limits: emu.Limits{Check: true, Seed: seed}}
	x.Options.Target = nirc.IRTarget
	if list != "" {
		p, err := passes.ParsePassList(list)
		if err != nil {
			t.Fatal(err)
		}
		x.Options.Passes = p
	}
	for i, text := range texts {
		m, err := nirc.Load([]byte(text), fmt.Sprintf("%d.spvasm", i))
		if err != nil {
			t.Fatal(err)
		}
		x.Modules = append(x.Modules, m)
	}
	words := []byte{}
	for _, w := range []uint32{20, 1, 0, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1} {
		words = append(words, byte(w), 0, 0, 0)
	}
	x.Bindings = []Binding{{Data: words}}
	if err := Execute(context.Background(), x); err != nil {
		return "", err
	}
	var b strings.Builder
	for _, g := range x.MeshGroups {
		fmt.Fprintf(&b, "%v %v\n", g.Task, g.ID)
		for _, s := range slices.Concat(g.Vertices[:g.NumVertices], g.Primitives[:g.NumPrimitives]) {
			for slot := range ir.NumVaryingSlots {
				for c := range 4 {
					if s.Written[slot]>>c&1 != 0 {
						fmt.Fprintf(&b, " %d.%d=%x", slot, c, s.Slots[slot][c])
					}
				}
			}
			b.WriteByte('\n')
		}
	}
	return b.String(), nil
}

// toInterface are the passes that make payload, inputs and outputs explicit.
const toInterface = "lower_returns,inline_functions,lower_variable_initializers,lower_vars_to_ssa,lower_array_deref_of_vec,lower_system_values,lower_compute_system_values," +
	"split_var_copies,lower_var_copies,lower_vars_to_ssa,lower_vars_to_explicit_types(modes=mem_shared|mem_task_payload)," +
	"lower_explicit_io(modes=mem_ssbo|mem_shared|mem_task_payload),lower_io,remove_dead_derefs"

// Task and mesh shaders put out the same whatever passes have run: with the payload where it was, in shared memory, and with the
// launch by one invocation.
func TestMeshPasses(t *testing.T) {
	cull, quads := stageText(t, "cull.task"), stageText(t, "quads.mesh")
	pairs := [][2]string{{cull, quads}, {stageText(t, "lines_nv.task"), stageText(t, "lines_nv.mesh")}}
	lists := []string{toInterface, toInterface + ",lower_task_shader", toInterface + ",lower_task_shader(shared=true),lower_vars_to_ssa",
		toInterface + ",lower_task_shader(shared=true),lower_task_shader,opt_cse,opt_dce,opt_algebraic,opt_gcm"}
	for i, p := range pairs {
		want, err := drawMesh(t, 1, "", [3]uint32{3, 1, 1}, p[0], p[1])
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(want, "\n["); n < 5 {
			t.Errorf("pair %d: %d mesh workgroups\n%s", i, n, want)
		}
		for _, l := range lists {
			for seed := uint64(1); seed < 4; seed++ {
				got, err := drawMesh(t, seed, l, [3]uint32{3, 1, 1}, p[0], p[1])
				if err != nil || sortIDs(got) != sortIDs(want) {
					t.Errorf("pair %d, %s: %v\n%s\nwant\n%s", i, l, err, got, want)
				}
			}
		}
	}
}

// sortIDs puts the lines of outputs into an order: which invocation comes first with its id is left open.
func sortIDs(text string) string {
	lines := strings.Split(text, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// What a device does not take, and what is undefined, is an error.
func TestMeshLimits(t *testing.T) {
	cull, quads := stageText(t, "cull.task"), stageText(t, "quads.mesh")
	for _, x := range []struct{ name, task, mesh, from, to, want string }{
		{"vertices", cull, quads, "OpSetMeshOutputsEXT %uint_4 %uint_2", "OpSetMeshOutputsEXT %uint_8 %uint_2", "8 vertices and 2 primitives are more than the shader's 4 and 2"},
		{"a vertex beyond", cull, quads, "OpSetMeshOutputsEXT %uint_4 %uint_2", "OpSetMeshOutputsEXT %uint_2 %uint_2", "is number 2, of 2"},
		{"task groups", cull, quads, "OpEmitMeshTasksEXT %82 %uint_1 %uint_1", "OpEmitMeshTasksEXT %uint_264 %uint_264 %uint_264", "a device takes 65535 in a dimension and 4194304 in all"},
		{"no task", "", quads, "", "", "there is no task shader"},
		{"larger payload", stageText(t, "lines_nv.task"), quads, "", "", "reads 48 bytes of payload, the task shader has 4"},
	} {
		texts := []string{}
		for _, s := range []string{x.task, x.mesh} {
			if s != "" {
				texts = append(texts, strings.Replace(s, x.from, x.to, 1))
			}
		}
		_, err := drawMesh(t, 1, "", [3]uint32{1, 1, 1}, texts...)
		if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v", x.name, err)
		}
	}
}
