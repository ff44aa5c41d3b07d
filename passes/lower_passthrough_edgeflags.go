package passes

import "nirc/ir"

var lowerPassthroughEdgeflagsPass = &Pass{
	Name: "lower_passthrough_edgeflags", Class: "C", Run: lowerPassthroughEdgeflags, Idempotent: true,
	Doc: "Copies the edge flag of a vertex from an attribute to an output, for the stage that draws polygons as their edges. Input: a vertex shader after lower_io; one that " +
		"stores the output itself is left alone.",
	Options: []Option{
		{"from", "location of the attribute", -1},
		{"to", "location of the output", 31},
	},
}

func lowerPassthroughEdgeflags(c *Context, s *ir.Shader) (bool, error) {
	from, to := c.Int("from"), c.Int("to")
	if s.Stage != ir.StageVertex || from < 0 {
		return false, nil
	}
	if err := checkLocations([]string{"from", "to"}, from, to); err != nil {
		return false, err
	}
	slot := ir.SlotVar0 + ir.Slot(to)
	if stores(s, slot) {
		return false, nil
	}
	return atExits(s, func(b *ir.Builder) {
		at := ir.SlotAttrib0 + ir.Slot(from)
		l := b.Intrinsic(ir.IntrLoadInput, 1, 32, b.Imm32(0))
		l.Set(ir.IdxBase, uint64(at)).Set(ir.IdxRange, 1).Set(ir.IdxDestType, floatType.Pack()).Set(ir.IdxIoSemantics, ir.IOSemantics{Location: at, NumSlots: 1}.Pack())
		storeSlot(b, slot, &l.Def)
	}), nil
}
