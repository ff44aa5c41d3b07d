package passes

import "nirc/ir"

var lowerClipFSPass = &Pass{
	Name: "lower_clip_fs", Class: "B", Run: lowerClipFS,
	Instead: "hardware: rasterisers clip, and where they do not (midgard) the program drops by clip and cull distances together, as the ABI says (clip:N+M); it stays for targets of user clip planes alone",
	Doc: "Ends fragments that lie outside of an enabled user clip plane, for targets whose rasteriser does not clip. Input: a fragment shader after lower_io. " +
		"Output: at its start, the interpolated clip distances of the enabled planes and terminate_if one of them is negative.",
	Options: clipPlanesOption,
}

func lowerClipFS(c *Context, s *ir.Shader) (bool, error) {
	planes := c.Int("planes") & (1<<maxClipPlanes - 1)
	f := s.Entry()
	if planes == 0 || s.Stage != ir.StageFragment || f == nil || f.Impl == nil {
		return false, nil
	}
	b := ir.NewBuilder(ir.AtStart(f.Impl.Start()))
	s.SetLoc(0)
	bary := &b.Intrinsic(ir.IntrLoadBarycentricPixel, 2, 32).Set(ir.IdxInterpMode, uint64(ir.InterpSmooth)).Def
	zero := b.Imm32(0)
	var outside *ir.Def
	for half := range 2 {
		on := planes >> (4 * half) & 15
		if on == 0 {
			continue
		}
		slot := ir.SlotClipDist0 + ir.Slot(half)
		l := b.Intrinsic(ir.IntrLoadInterpolatedInput, 4, 32, bary, zero)
		l.Set(ir.IdxBase, uint64(slot)).Set(ir.IdxDestType, ir.ALUType{Class: ir.ClassFloat, Bits: 32}.Pack())
		l.Set(ir.IdxIoSemantics, ir.IOSemantics{Location: slot, NumSlots: 1}.Pack())
		for k := range 4 {
			if on>>k&1 == 0 {
				continue
			}
			neg := b.Flt(b.Channel(&l.Def, k), b.ImmFloat(0, 32))
			if outside != nil {
				neg = b.Ior(outside, neg)
			}
			outside = neg
		}
	}
	b.Intrinsic(ir.IntrTerminateIf, 0, 0, outside)
	s.Info.UsesDiscard = true
	f.Impl.Preserve(ir.MetaControlFlow)
	return true, nil
}
