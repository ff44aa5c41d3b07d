package passes

import "nirc/ir"

var lowerFragcolorPass = &Pass{
	Name: "lower_fragcolor", Class: "C", Run: lowerFragcolor, Idempotent: true,
	Doc: "Stores the colour of attachment 0 to the others as well, as OpenGL does with gl_FragColor. Input: a fragment shader after lower_io. A shader that stores another " +
		"attachment itself, or a second source, is left alone.",
	Options: []Option{{"count", "colour attachments that get the colour", 1}},
}

func lowerFragcolor(c *Context, s *ir.Shader) (bool, error) {
	n := min(c.Int("count"), int(ir.NumResultSlots-ir.SlotData0))
	if s.Stage != ir.StageFragment || n <= 1 {
		return false, nil
	}
	for i := 1; i < int(ir.NumResultSlots-ir.SlotData0); i++ {
		if stores(s, ir.SlotData0+ir.Slot(i)) {
			return false, nil
		}
	}
	for _, f := range s.Functions {
		if f.Impl == nil {
			continue
		}
		for _, in := range storesOf(f.Impl, ir.SlotData0) {
			if ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics)).DualSourceIndex != 0 {
				return false, nil
			}
		}
	}
	return eachSlot(s, colorsAt(1), slotStores, func(b *ir.Builder, in *ir.Instr) (bool, error) {
		for i := 1; i < n; i++ {
			sem := ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics))
			sem.Location += ir.Slot(i)
			st := b.Effect(ir.IntrStoreOutput, in.Srcs[0].Def, in.Srcs[1].Def)
			copy(st.Imm, in.Imm)
			st.Set(ir.IdxBase, in.Get(ir.IdxBase)+uint64(i)).Set(ir.IdxIoSemantics, sem.Pack())
		}
		return true, nil
	})
}
