package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// EntryPoint is an OpEntryPoint of a module.
type EntryPoint struct {
	Name  string
	Stage ir.Stage
	Model spv.ExecutionModel
	// ID is the function's id, Interface the ids of its interface variables.
	ID        uint32
	Interface []uint32

	word int // offset in the module
}

// EntryPoints lists the module's entry points in their order.
func EntryPoints(m *spv.Module) []EntryPoint { return entryPoints(nil, m) }

// entryPoints appends the module's entry points to list.
func entryPoints(list []EntryPoint, m *spv.Module) []EntryPoint {
	for i := range m.Insts {
		in := &m.Insts[i]
		if in.Op == spv.OpFunction {
			break
		}
		if in.Op != spv.OpEntryPoint {
			continue
		}
		name, next := in.StringArg(2)
		e := EntryPoint{Name: name, Model: spv.ExecutionModel(in.Arg(0)), ID: in.Arg(1), Interface: in.Args()[next:], word: int(in.Offset)}
		if e.Stage = ir.StageOfModel(uint32(e.Model)); e.Stage == ir.StageKernel {
			e.Stage = ir.StageCompute // what it is on GPUs; Model says that it is a kernel
		}
		list = append(list, e)
	}
	return list
}

// chooseEntry finds the entry point that the options ask for.
func (t *translator) chooseEntry() {
	t.entries = entryPoints(t.entries, t.m)
	var found, main *EntryPoint // the first that fits, and the first of those with that name
	n := 0
	for i := range t.entries {
		e := &t.entries[i]
		if t.opts.Entry != "" && e.Name != t.opts.Entry || t.opts.Stage != ir.StageNone && e.Stage != t.opts.Stage {
			continue
		}
		if n++; found == nil {
			found = e
		}
		if main == nil && e.Name == "main" {
			main = e
		}
	}
	if n > 1 && t.opts.Entry == "" && main != nil {
		found, n = main, 1
	}
	switch {
	case len(t.entries) == 0:
		t.fail(0, "the module has no entry point")
	case n == 0:
		t.fail(0, "the module has no entry point %q of stage %s", t.opts.Entry, t.opts.Stage)
	case n > 1 && (t.opts.Entry == "" || t.opts.Stage == ir.StageNone):
		t.fail(0, "the module has several entry points that fit; name one with its stage")
	}
	t.entry, t.stage, t.kernel = *found, found.Stage, found.Model == spv.ExecutionModelKernel
	switch {
	case t.stage == ir.StageNone:
		t.checkModel(found.Model)
		t.refuseModel(found.Model)
	case t.stage >= ir.StageTask || t.kernel:
		t.checkModel(found.Model)
	}
}

// checkModel refuses an execution model whose capability the target lacks.
func (t *translator) checkModel(m spv.ExecutionModel) {
	for i := range t.m.Insts {
		in := &t.m.Insts[i]
		if in.Op != spv.OpCapability {
			break
		}
		t.noteCapability(spv.Capability(in.Arg(0)))
	}
	t.word = t.entry.word
	t.checkLacks(t.entry.ID, spv.KindExecutionModel.Capabilities(uint32(m)))
	t.lacks = t.lacks[:0] // collectDecorations notes them again
}

func (t *translator) refuseModel(m spv.ExecutionModel) {
	t.refuse(t.entry.ID, "the entry point's execution model %s (%s) is not supported", m, capabilityWords(spv.KindExecutionModel.Capabilities(uint32(m))))
}
