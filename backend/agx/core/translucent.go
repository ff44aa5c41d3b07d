package core

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

// checkShowsThrough finds a fragment that leaves some of a bound target as it was in a program that its metadata calls
// opaque: hardware throws away what lies below opaque fragments (agx.md §9.3).
func (w *wave) checkShowsThrough(lane int) error {
	p, draw := w.p, w.l.Draw
	if w.check == nil || draw == nil || p.meta.Part != abi.PartLinked || p.meta.Pass.Translucent {
		return nil
	}
	for k := range draw.Color {
		if draw.Color[k].View == nil {
			continue
		}
		t := p.tileTarget(k)
		if t == nil {
			return fmt.Errorf("the program leaves target %d as it is, and its meta does not say that it is translucent", k)
		}
		for m := w.frag.cover[lane] &^ w.frag.killed[lane]; m != 0; m &= m - 1 {
			s := bits.TrailingZeros32(m)
			if left := t.Mask &^ w.frag.storedMask(t, lane, s); left != 0 {
				return fmt.Errorf("lane %d leaves components %#x of sample %d of target %d as they are, and the meta does not say that the program is translucent", lane, left, s, k)
			}
		}
	}
	return nil
}

// tileTarget is the place of a colour target in the tile, nil if the program does not store to it.
func (p *program) tileTarget(k int) *abi.TileTarget {
	for i := range p.meta.Tile {
		if t := &p.meta.Tile[i]; t.Slot == ir.SlotData0+ir.Slot(k) {
			return t
		}
	}
	return nil
}

// checkOpaque finds a program whose metadata calls it translucent without need: hardware shades what its fragments hide.
func (p *program) checkOpaque(draw *emu.Pipeline) error {
	if draw == nil || p.meta.Part != abi.PartLinked || !p.meta.Pass.Translucent || p.uses.tileLoads || p.uses.partStores {
		return nil
	}
	for k := range draw.Color {
		if draw.Color[k].View == nil {
			continue
		}
		if t := p.tileTarget(k); t == nil || !p.storesTo(t) {
			return nil
		}
	}
	return errors.New("the meta says that the program is translucent, and it stores all of each target")
}

// storesTo reports whether the program has a store to the target; of one whose components are all masked it has none.
func (p *program) storesTo(t *abi.TileTarget) bool {
	return slices.ContainsFunc(p.code, func(x inst) bool { return x.Op == isa.OpStTile && uint32(x.Imm) == t.Offset })
}

// storesPart reports whether a store to the tile leaves samples that passed early tests as they were.
func (p *program) storesPart(x *inst) bool {
	return p.meta.EarlyFragmentTests && x.Srcs[1].Kind != isa.Imm
}
