package nirc

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"nirc/ir"
	"nirc/passes"
)

// ownRegisters are registers of the IR that hold no array: the frontend makes none.
const ownRegisters = `the intrinsic decl_reg is not supported|a register of 0 elements|store_reg with a source of 1 bits`

// refusedClaims are the shaders of passes that nothing runs, by pass or by pass and file, that targets refuse, and in which words:
// that is what the pass's reason says, or is not what the pass is about. Nothing else is refused.
var refusedClaims = map[string]string{
	"lower_task_shader":            `stage task is not supported`,
	"lower_shader_calls":           `stage callable is not supported`,
	"lower_regs_to_ssa":            ownRegisters,
	"lower_to_source_mods":         ownRegisters,
	"lower_bool_to_bitsize/copies": ownRegisters,
	// Whoever reads texels that may not be there.
	"lower_readonly_images_to_tex": `SparseResidency is not supported on t860`,
	// lower_compute_system_values replaces it, which needs the built-in variable of a module.
	"lower_non_uniform_access/kinds": `the intrinsic load_workgroup_index is not supported`,
}

// TestReasonClaims: what a pass that nothing runs would rewrite, targets take as it is, which is what the pass's reason claims. The
// shaders of its own tests are compiled for all targets without it.
func TestReasonClaims(t *testing.T) {
	refused, compiled := map[string]bool{}, 0
	for _, p := range passes.Registry() {
		if p.Instead == "" {
			continue
		}
		files, err := filepath.Glob("passes/testdata/" + p.Name + "/*.txtar")
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no shaders: %v", p.Name, err)
		}
		for _, file := range files {
			text := boundShader(t, file)
			name := p.Name + "/" + strings.TrimSuffix(filepath.Base(file), ".txtar")
			for _, target := range Targets() {
				_, err := Compile(context.Background(), []byte(text), Options{File: name + ".nir", Target: target.Name})
				if err == nil {
					compiled++
					continue
				}
				key := name
				if refusedClaims[key] == "" {
					key = p.Name
				}
				if why := refusedClaims[key]; why == "" || !regexp.MustCompile(why).MatchString(err.Error()) {
					t.Errorf("%s on %s: %v", name, target.Name, err)
				}
				refused[key] = true
			}
		}
	}
	for key := range refusedClaims {
		if !refused[key] {
			t.Errorf("%s: no target refuses it any more", key)
		}
	}
	if compiled == 0 {
		t.Error("nothing was compiled")
	}
}

// boundShader returns the shader of a pass's test, with buffers of set 0 where the test has numbers for handles, as no frontend gives
// them.
func boundShader(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(data), "-- in --\n")
	text, _, _ = strings.Cut(text, "\n-- ")
	s, err := ir.Parse(text + "\n")
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	for _, f := range s.Functions {
		if f.Impl == nil {
			continue
		}
		for b := range f.Impl.Blocks() {
			for in := range b.Instrs() {
				bindBuffer(in)
			}
		}
	}
	return ir.Print(s)
}

// bindBuffer makes a handle that is a constant number the descriptor of that binding.
func bindBuffer(in *ir.Instr) {
	m := in.Memory()
	if m.Space != ir.SpaceSsbo && m.Space != ir.SpaceUbo || m.Handle < 0 {
		return
	}
	h := &in.Srcs[m.Handle]
	n, ok := h.Def.Const(0)
	if !ok {
		return
	}
	kind := uint64(7) // VK_DESCRIPTOR_TYPE_STORAGE_BUFFER
	if m.Space == ir.SpaceUbo {
		kind = 6
	}
	b := ir.NewBuilder(ir.Before(in))
	index := b.Intrinsic(ir.IntrVulkanResourceIndex, 2, 32, b.Imm32(0)).Set(ir.IdxBinding, n).Set(ir.IdxDescType, kind)
	desc := b.Intrinsic(ir.IntrLoadVulkanDescriptor, 2, 32, &index.Def).Set(ir.IdxDescType, kind)
	h.Set(b.Channel(&desc.Def, 0))
}
