package agx

import (
	"nirc/backend"
	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/ir"
)

// stageMemory is what the lowerings of stages that are none of the hardware have in
// common: a builder, what the driver puts into uniforms, and records of vertices.
type stageMemory struct {
	s    *ir.Shader
	b    *ir.Builder
	meta *abi.Meta
	// reads are the per-vertex slots that the shader reads.
	reads [ir.NumVaryingSlots]bool
	err   error
}

func (t *stageMemory) fail(in *ir.Instr, format string, args ...any) {
	backend.Note(&t.err, backend.Refuse(TargetName, t.s, in, format, args...))
}

// slotList lists the slots below an end that are set.
func slotList(set [ir.NumVaryingSlots]bool, end ir.Slot) (list []ir.Slot) {
	for k := range end {
		if set[k] {
			list = append(list, k)
		}
	}
	return list
}

// access reads what in accesses.
func (t *stageMemory) access(in *ir.Instr) (a backend.StageAccess, ok bool) {
	a, why := backend.StageAccessOf(in)
	if why != "" {
		t.fail(in, "%s", why)
	}
	return a, t.err == nil
}

// sysval reads what the driver puts into uniform registers.
func (t *stageMemory) sysval(k abi.UniformKind, bits uint8) *ir.Def {
	return &t.b.Intrinsic(ir.IntrLoadSysvalAgx, 1, bits).Set(ir.IdxFlags, uint64(k)).Def
}

func (t *stageMemory) word(k abi.UniformKind) *ir.Def { return t.sysval(k, 32) }

// slots is the number of slots of a record, below that of them that stand before one.
func (t *stageMemory) slots(k abi.UniformKind) *ir.Def {
	b, mask := t.b, t.sysval(k, 64)
	return b.Iadd(b.BitCount(b.Unpack64_2x32SplitX(mask)), b.BitCount(b.Unpack64_2x32SplitY(mask)))
}

func (t *stageMemory) below(k abi.UniformKind, a *backend.StageAccess) *ir.Def {
	b, mask := t.b, t.sysval(k, 64)
	lo, hi := b.Unpack64_2x32SplitX(mask), b.Unpack64_2x32SplitY(mask)
	switch {
	case a.Index != nil: // of those from SlotVar0 on
		n := b.Iadd(a.Index, b.Imm32(uint32(a.Slot-ir.SlotVar0)))
		hi = b.Iand(hi, b.Isub(b.Ishl(b.Imm32(1), n), b.Imm32(1)))
	case a.Slot < 32:
		return b.BitCount(b.Iand(lo, b.Imm32(1<<a.Slot-1)))
	default:
		hi = b.Iand(hi, b.Imm32(1<<(a.Slot-32)-1))
	}
	return b.Iadd(b.BitCount(lo), b.BitCount(hi))
}

func (t *stageMemory) replace(in *ir.Instr, d *ir.Def) {
	if t.err == nil {
		in.Def.RewriteUses(d)
		in.Remove()
	}
}

// fetch loads words from an index on of what a uniform has the address of.
func (t *stageMemory) fetch(k abi.UniformKind, at *ir.Def, n uint8, op ir.Intrinsic) *ir.Def {
	return &t.b.Intrinsic(op, n, 32, t.sysval(k, 64), at).Set(ir.IdxFormat, uint64(isa.FormatI32)).Def
}

// load makes what in gives of words in memory. Inputs and outputs between stages
// always are words, see setInput.
func (t *stageMemory) load(in *ir.Instr, k abi.UniformKind, at *ir.Def, op ir.Intrinsic) *ir.Def {
	return backend.FromStageWord(t.b, in, t.fetch(k, at, in.Def.NumComponents, op))
}

// store stores words from an index on of what a uniform has the address of.
func (t *stageMemory) store(k abi.UniformKind, at, val *ir.Def, f isa.Format) *ir.Instr {
	return t.b.Effect(ir.IntrStoreAgx, val, t.sysval(k, 64), at).Set(ir.IdxFormat, uint64(f))
}

// record reads what in gives of a vertex's record among those at UniformRecords.
func (t *stageMemory) record(in *ir.Instr, a *backend.StageAccess, vertex *ir.Def) *ir.Def {
	b := t.b
	for slot := a.Slot; slot < a.Slot+a.Count; slot++ {
		t.reads[slot] = true
	}
	first := b.Imul(vertex, t.slots(abi.UniformRecordSlots))
	at := b.Iadd(b.Ishl(b.Iadd(first, t.below(abi.UniformRecordSlots, a)), b.Imm32(2)), b.Imm32(a.Comp))
	return t.load(in, abi.UniformRecords, at, ir.IntrLoadConstantAgx)
}
