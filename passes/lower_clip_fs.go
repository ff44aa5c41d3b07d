package passes

import (
	"math/bits"

	"nirc/ir"
)

var lowerClipFSPass = &Pass{
	Name: "lower_clip_fs", Class: "B", Run: lowerClipFS,
	Doc: "Demotes fragments that lie outside of an enabled clip plane, or of one whose distance is no number, for targets whose rasteriser does not clip. Input: a fragment shader after lower_io. " +
		"Output: at its start, the interpolated clip distances of the enabled planes and demote_if one of them is not 0 or more; derivatives go on to see what is drawn beside.",
	Options: []Option{{Name: "planes", Doc: "bit i: plane i is enabled; 0: as many as the shader's facts say (clip_distances)", Default: 0}},
}

func lowerClipFS(c *Context, s *ir.Shader) (bool, error) {
	planes := uint(c.Int("planes")) & (1<<maxClipPlanes - 1)
	if planes == 0 {
		planes = 1<<s.Info.ClipDistances - 1
	}
	f := s.Entry()
	if planes == 0 || s.Stage != ir.StageFragment || f == nil || f.Impl == nil {
		return false, nil
	}
	b := ir.NewBuilder(ir.AtStart(f.Impl.Start()))
	s.SetLoc(0)
	bary := &b.Intrinsic(ir.IntrLoadBarycentricPixel, 2, 32).Set(ir.IdxInterpMode, uint64(ir.InterpSmooth)).Def
	zero := b.Imm32(0)
	inside := b.ImmBool(true)
	for half := range 2 {
		on := planes >> (4 * half) & 15
		if on == 0 {
			continue
		}
		slot := ir.SlotClipDist0 + ir.Slot(half)
		l := b.Intrinsic(ir.IntrLoadInterpolatedInput, uint8(bits.Len(on)), 32, bary, zero)
		l.Set(ir.IdxBase, uint64(slot)).Set(ir.IdxDestType, ir.ALUType{Class: ir.ClassFloat, Bits: 32}.Pack())
		l.Set(ir.IdxIoSemantics, ir.IOSemantics{Location: slot, NumSlots: 1}.Pack())
		for k := range 4 {
			if on>>k&1 != 0 {
				inside = b.Iand(inside, b.Fge(b.Channel(&l.Def, k), b.ImmFloat(0, 32)))
			}
		}
	}
	b.Effect(ir.IntrDemoteIf, b.Inot(inside))
	s.Info.UsesDiscard, s.Info.UsesDemote = true, true
	f.Impl.Preserve(ir.MetaControlFlow)
	return true, nil
}
