package passes

import (
	"sync"

	"nirc/ir"
	"nirc/passes/analysis"
)

var optRemovePhisPass = &Pass{
	Name: "opt_remove_phis", Withstands: ChangeFacts | ChangeRemoval, For: ir.HasPhi, Class: "A", Run: implPass(ir.MetaControlFlow, optRemovePhis), Idempotent: true, Optional: true,
	Doc: "Replaces phis whose sources are all the same value or constant.",
}

// optRemovePhis replaces phis whose sources are all one value, or all the
// same constant. Sources that are the phi itself or undef do not count; with
// an undef the value must dominate the phi.
func optRemovePhis(impl *ir.Impl) (progress bool) {
	impl.Require(ir.MetaDominance)
	work := instrWorklists.Get().(*ir.InstrWorklist)
	defer instrWorklists.Put(work)
	work.Reset()
	for b := range impl.Blocks() {
		for phi := range b.Phis() {
			phi.Flags = 0
			work.Push(phi)
		}
	}
	for phi := work.Pop(); phi != nil; phi = work.Pop() {
		by := phiValue(impl, phi)
		if by == nil {
			continue
		}
		for u := range phi.Def.Uses() {
			if in := u.Instr; in != nil && in.Kind == ir.KindPhi && in != phi {
				work.Push(in)
			}
		}
		phi.Def.RewriteUses(by)
		for i := range phi.Srcs {
			phi.Srcs[i].Set(nil)
		}
		phi.Remove()
		progress = true
	}
	return progress
}

// instrWorklists keeps the memory of lists that are empty again.
var instrWorklists = sync.Pool{New: func() any { return new(ir.InstrWorklist) }}

// phiValue returns what phi can be replaced by, or nil.
func phiValue(impl *ir.Impl, phi *ir.Instr) *ir.Def {
	var def *ir.Def
	undef := false
	for i := range phi.Srcs {
		d := phi.Srcs[i].Def
		switch {
		case d == &phi.Def:
		case d.IsUndef():
			undef = true
		case def == nil:
			def = d
		case d != def && !analysis.EqualConsts(d, def):
			return nil
		}
	}
	if def == nil {
		return undefAtStart(impl, phi.Def.NumComponents, phi.Def.BitSize)
	}
	if def.Instr.Block != phi.Block && def.Instr.Block.Dominates(phi.Block) {
		return def
	}
	if def.IsConst() {
		// A constant from the branches is made again before them.
		c := impl.Shader.NewConst(def.BitSize, def.Instr.Imm...)
		c.Loc = def.Instr.Loc
		ir.AfterPhis(phi.Block).Insert(c)
		return &c.Def
	}
	if undef || !dominatesPhi(def, phi) {
		return nil
	}
	return def
}

// dominatesPhi reports whether def is available at phi's block. Without undefs
// it is, unless def is a value of a loop around itself.
func dominatesPhi(def *ir.Def, phi *ir.Instr) bool {
	b := def.Instr.Block
	return b != phi.Block && b.Dominates(phi.Block) || b == phi.Block && def.Instr.Kind == ir.KindPhi
}
