package agx

import (
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// TestTessBarriers: a barrier of tessellation control orders memory, as that is where outputs stand, whatever it says itself; it waits for no
// more than the subgroup, which a patch is.
func TestTessBarriers(t *testing.T) {
	for _, scope := range []ir.Scope{ir.ScopeNone, ir.ScopeSubgroup, ir.ScopeWorkgroup} {
		for _, memory := range []ir.Scope{ir.ScopeNone, ir.ScopeDevice} {
			s, b := gputest.NewShader(ir.StageTessCtrl, 1)
			s.Info.Tess.OutputVertices = 4
			in := b.Intrinsic(ir.IntrBarrier, 0, 0).Set(ir.IdxExecutionScope, uint64(scope)).Set(ir.IdxMemoryScope, uint64(memory))
			(&tess{stageMemory: stageMemory{s: s}, control: true}).barrier(in)
			semantics := ir.Semantics(in.Get(ir.IdxMemorySemantics))
			if semantics != ir.SemAcquire|ir.SemRelease || ir.Mode(in.Get(ir.IdxMemoryModes)) != ir.ModeGlobal ||
				ir.Scope(in.Get(ir.IdxMemoryScope)) != max(memory, ir.ScopeSubgroup) || ir.Scope(in.Get(ir.IdxExecutionScope)) != min(scope, ir.ScopeSubgroup) {
				t.Errorf("scope %d, of memory %d: %s", scope, memory, ir.Print(s))
			}
		}
	}
}
