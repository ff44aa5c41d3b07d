package core

import (
	"errors"

	"nirc/backend/ir3/isa"
	"nirc/internal/emu"
)

// execImage sums many texels, or the differences of two blocks of them (ir3.md §3.7).
func execImage(w *wave, x *inst) error {
	if x.Type != isa.F32 {
		return errors.New("image processing gives floats of 32 bits only")
	}
	return w.eachTexel(x, func(lane int) (t [4]uint32, err error) {
		_, res, err := w.texture(x, lane)
		if err != nil {
			return t, err
		}
		s, err := w.sampler(x, lane)
		if err != nil {
			return t, err
		}
		var second *emu.Descriptor
		if x.Op.TwoTextures() {
			if second, err = w.secondTexture(x, lane); err != nil {
				return t, err
			}
		}
		return w.processImage(x, lane, res.Image, second, s), nil
	})
}

func (w *wave) processImage(x *inst, lane int, v *emu.ImageView, second *emu.Descriptor, s *emu.Sampler) [4]uint32 {
	word := func(i, k int) uint32 { return w.texGet(x, int(x.Srcs[i].Val)+k, lane, false) }
	halves := func(n uint32) [2]int { return [2]int{int(n & 0xffff), int(n >> 16)} }
	at := [2]float32{floatOf(word(0, 0)), floatOf(word(0, 1))}
	op := emu.SampleOp{Dim: emu.Tex2D, Coord: [3]float32{at[0], at[1]}, Lookup: w.looker(lane)}
	switch x.Op {
	case isa.OpImgHof:
		return v.SampleWeighted(s, &op, second.Image)
	case isa.OpImgPcmn:
		sides := halves(word(1, 0))
		return v.BoxFilter(s, &op, [2]float64{float64(sides[0]) / 64, float64(sides[1]) / 64}, float64(h2f(word(1, 1))))
	}
	target := emu.Block{View: v, At: [2]int{int(at[0]), int(at[1])}}
	reference := emu.Block{View: second.Image, At: halves(word(1, 0))}
	return emu.MatchBlocks(s, target, reference, halves(word(1, 1)), x.Op == isa.OpImgSsd, op.Lookup)
}
