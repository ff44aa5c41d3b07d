package interp

import (
	"nirc/internal/emu"
	"nirc/ir"
)

// processImage runs the filters of many texels and the matches of blocks.
func (w *Wave) processImage(t *texture, d *emu.Descriptor, s *emu.Sampler, l int, op *emu.SampleOp) [4]uint32 {
	switch t.op {
	case ir.TexOpSampleWeightedQcom:
		return d.Image.SampleWeighted(s, op, w.descriptor(t.second, l).Image)
	case ir.TexOpBoxFilterQcom:
		size := &t.src[ir.TexSrcBoxSize]
		box := [2]float64{float64(w.float(size, 0, l)), float64(w.float(size, 1, l))}
		return d.Image.BoxFilter(s, op, box, 1/(box[0]*box[1]))
	}
	pair := func(k ir.TexSrc) [2]int { return [2]int{w.int(&t.src[k], 0, l), w.int(&t.src[k], 1, l)} }
	reference := emu.Block{View: w.descriptor(t.second, l).Image, At: pair(ir.TexSrcRefCoord)}
	return emu.MatchBlocks(s, emu.Block{View: d.Image, At: pair(ir.TexSrcCoord)}, reference, pair(ir.TexSrcBlockSize), t.op == ir.TexOpBlockMatchSsdQcom, op.Lookup)
}
