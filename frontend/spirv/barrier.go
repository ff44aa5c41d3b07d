package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// scope returns the scope that operand i names.
func (t *translator) scope(in *inst, i int) ir.Scope {
	switch s := spv.Scope(t.constArg(in, i)); s {
	case spv.ScopeCrossDevice, spv.ScopeDevice:
		return ir.ScopeDevice
	case spv.ScopeWorkgroup:
		return ir.ScopeWorkgroup
	case spv.ScopeSubgroup:
		return ir.ScopeSubgroup
	case spv.ScopeInvocation:
		return ir.ScopeInvocation
	case spv.ScopeQueueFamily:
		return ir.ScopeQueueFamily
	case spv.ScopeShaderCallKHR:
		return ir.ScopeShaderCall
	default:
		t.fail(in.id, "%s: the scope %s is not known", in.op, s)
	}
	return 0
}

// semantics splits memory semantics into their order and the modes they speak of.
func semantics(m spv.MemorySemantics) (ir.Semantics, ir.Mode) {
	var s ir.Semantics
	const acq, rel = spv.MemorySemanticsAcquire, spv.MemorySemanticsRelease
	order := m & (acq | rel | spv.MemorySemanticsAcquireRelease | spv.MemorySemanticsSequentiallyConsistent)
	switch order {
	case 0:
	case acq:
		s = ir.SemAcquire
	case rel:
		s = ir.SemRelease
	default: // both, or more than one bit
		s = ir.SemAcquire | ir.SemRelease
	}
	if m&spv.MemorySemanticsMakeAvailable != 0 {
		s |= ir.SemMakeAvailable
	}
	if m&spv.MemorySemanticsMakeVisible != 0 {
		s |= ir.SemMakeVisible
	}
	var modes ir.Mode
	if m&(spv.MemorySemanticsUniformMemory|spv.MemorySemanticsCrossWorkgroupMemory) != 0 {
		modes |= ir.ModeSSBO | ir.ModeGlobal
	}
	if m&spv.MemorySemanticsWorkgroupMemory != 0 {
		modes |= ir.ModeShared
	}
	if m&spv.MemorySemanticsImageMemory != 0 {
		modes |= ir.ModeImage
	}
	if m&spv.MemorySemanticsOutputMemory != 0 {
		modes |= ir.ModeShaderOut | ir.ModeTaskPayload
	}
	return s, modes
}

// ofStage are the modes of semantics that the stage has: a payload is written by task shaders only, where it counts as workgroup
// memory and as output.
func (t *translator) ofStage(modes ir.Mode) ir.Mode {
	switch {
	case t.stage != ir.StageTask:
		modes &^= ir.ModeTaskPayload
	case modes&ir.ModeShared != 0:
		modes |= ir.ModeTaskPayload
	}
	return modes
}

// barrier translates barriers and reports whether the instruction was one.
func (t *translator) barrier(in *inst) bool {
	switch in.op {
	case spv.OpMemoryBarrier:
		scope := t.scope(in, 0)
		s, modes := semantics(spv.MemorySemantics(t.constArg(in, 1)))
		if modes = t.ofStage(modes); s != 0 && modes != 0 {
			t.putBarrier(ir.ScopeNone, scope, s, modes)
		}
	case spv.OpControlBarrier:
		t.controlBarrier(in)
	case spv.OpControlBarrierArriveEXT: // what others are told; OpControlBarrierWaitEXT, which follows in each invocation, waits for all
		s, modes := semantics(spv.MemorySemantics(t.constArg(in, 2)))
		if modes = t.ofStage(modes); s != 0 && modes != 0 {
			t.putBarrier(ir.ScopeNone, t.scope(in, 1), s, modes)
		}
	case spv.OpControlBarrierWaitEXT:
		t.controlBarrier(in)
	default:
		return t.groupCopy(in)
	}
	return true
}

func (t *translator) controlBarrier(in *inst) {
	exec, mem := t.scope(in, 0), t.scope(in, 1)
	s, modes := semantics(spv.MemorySemantics(t.constArg(in, 2)))
	if modes = t.ofStage(modes); t.stage == ir.StageTessCtrl || t.stage == ir.StageMesh {
		s |= ir.SemAcquire | ir.SemRelease
		modes |= ir.ModeShaderOut
		mem = max(mem, ir.ScopeWorkgroup)
	}
	if ir.GroupStages.Has(t.stage) && exec == ir.ScopeWorkgroup && s == 0 && modes == 0 {
		// Old producers leave out what barrier() of GLSL means.
		s, modes, mem = ir.SemAcquire|ir.SemRelease, t.ofStage(ir.ModeShared), ir.ScopeWorkgroup
	}
	if s == 0 || modes == 0 {
		s, modes, mem = 0, 0, ir.ScopeNone
	}
	t.s.Info.UsesControlBarrier = true
	t.putBarrier(exec, mem, s, modes)
}

// interlocked is the memory that invocations hand on by interlocks.
const interlocked = ir.ModeSSBO | ir.ModeGlobal | ir.ModeImage

func (t *translator) putBarrier(exec, mem ir.Scope, s ir.Semantics, modes ir.Mode) {
	b := t.f.b.Effect(ir.IntrBarrier)
	b.Set(ir.IdxExecutionScope, uint64(exec)).Set(ir.IdxMemoryScope, uint64(mem))
	b.Set(ir.IdxMemorySemantics, uint64(s)).Set(ir.IdxMemoryModes, uint64(modes))
}
