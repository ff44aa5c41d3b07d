package passes

import "nirc/ir"

var removeDeadDerefsPass = &Pass{
	Name: "remove_dead_derefs", Makes: ChangeRemoval, Withstands: ChangeFacts, For: ir.HasDeref, Class: "A", Run: implPass(ir.MetaControlFlow|ir.MetaInstrIndex, removeUnusedDerefs), Idempotent: true, Optional: true,
	Doc: "Deletes derefs that nothing uses.",
}

// removeUnusedDerefs deletes derefs that nothing uses.
func removeUnusedDerefs(impl *ir.Impl) (progress bool) {
	for b := range impl.Blocks() {
		for in := range b.InstrsReverse() {
			if in.Kind == ir.KindDeref && in.Def.Unused() {
				in.Remove()
				progress = true
			}
		}
	}
	if progress {
		removeUnusedDerefs(impl) // parents in earlier blocks
	}
	return progress
}
