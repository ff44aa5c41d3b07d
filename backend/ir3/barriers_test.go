package ir3

import (
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/backend/ir3/isa"
	"nirc/ir"
)

// fenceOf is what a barrier's memory semantics want (ir3.md §7.8), "" for nothing.
func fenceOf(gen isa.Gen, modes ir.Mode, sem ir.Semantics, scope ir.Scope) string {
	const texels = ir.ModeSSBO | ir.ModeImage
	switch {
	case sem&(ir.SemAcquire|ir.SemRelease) == 0 || scope == ir.ScopeInvocation || modes&(texels|ir.ModeShared|ir.ModeGlobal) == 0:
		return ""
	case gen == isa.A7xx && scope > ir.ScopeWorkgroup && sem&ir.SemAcquire != 0 && modes&texels != 0:
		return "fence.g.w ccinv"
	case modes&texels != 0:
		return "fence.g.l.r.w"
	case modes&ir.ModeGlobal != 0:
		return "fence.g.r.w"
	}
	return "fence.r.w"
}

// TestBarriers: each memory that a barrier orders, by each semantics and in each scope, wants its fence and no more; lanes wait
// for each other where the workgroup or more does.
func TestBarriers(t *testing.T) {
	programs.Hold(t)
	for _, gpu := range gpus {
		chip, err := FindGPU(gpu)
		if err != nil {
			t.Fatal(err)
		}
		for _, modes := range []ir.Mode{0, ir.ModeShared, ir.ModeGlobal, ir.ModeSSBO, ir.ModeImage, ir.ModeShared | ir.ModeGlobal, ir.ModeShared | ir.ModeImage} {
			for _, sem := range []ir.Semantics{0, ir.SemAcquire, ir.SemRelease, ir.SemAcquire | ir.SemRelease} {
				for _, scope := range []ir.Scope{ir.ScopeInvocation, ir.ScopeSubgroup, ir.ScopeWorkgroup, ir.ScopeQueueFamily, ir.ScopeDevice} {
					for _, exec := range []ir.Scope{ir.ScopeNone, ir.ScopeSubgroup, ir.ScopeWorkgroup} {
						testBarrier(t, gpu, exec, fenceOf(chip.Gen, modes, sem, scope), func(in *ir.Instr) {
							in.Set(ir.IdxMemoryModes, uint64(modes)).Set(ir.IdxMemorySemantics, uint64(sem)).Set(ir.IdxMemoryScope, uint64(scope))
						})
					}
				}
			}
		}
	}
}

func testBarrier(t *testing.T, gpu string, exec ir.Scope, want string, set func(in *ir.Instr)) {
	t.Helper()
	s, b := gputest.NewShader(ir.StageCompute, 128)
	barrier := b.Intrinsic(ir.IntrBarrier, 0, 0).Set(ir.IdxExecutionScope, uint64(exec))
	set(barrier)
	bin, err := compile(s, CompileOptions{GPU: gpu})
	if err != nil {
		t.Fatal(err)
	}
	if exec >= ir.ScopeWorkgroup {
		want = strings.TrimSpace(want + " bar.g")
	}
	var got []string
	for _, word := range strings.Fields(disasm(bin)) {
		if op := word[strings.LastIndex(word, ")")+1:]; strings.HasPrefix(op, "fence") || op == "ccinv" || strings.HasPrefix(op, "bar.") {
			got = append(got, op)
		}
	}
	if text := strings.Join(got, " "); text != want || bin.Meta.UsesBarrier != (exec >= ir.ScopeWorkgroup) {
		t.Errorf("%s, %v: %q, want %q; lanes wait: %v", gpu, barrier, text, want, bin.Meta.UsesBarrier)
	}
}
