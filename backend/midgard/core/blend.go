package core

import (
	"encoding/binary"
	"errors"
	"fmt"

	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

// Blend programs (midgard.md §9.5). On hardware a writeout calls
// them; here one runs as the fragment program of a draw whose inputs 0 and 1 are
// the colours that are handed over, and its raw pixel is unpacked for the
// fixed-function stages.

// blendReturn is the return address that stands in r1.w: nothing may change it.
const blendReturn = 0xb1e4d000

// startBlend hands a blend program its colours and its return address.
func (w *wave) startBlend(t *thread) {
	x := &w.l.Fragment[t.lane]
	for i := range w.p.meta.Inputs {
		in := &w.p.meta.Inputs[i]
		flat, param := in.Interp == ir.InterpFlat, isa.VarySmooth
		if flat {
			param = isa.VaryFlatParams
		}
		v := interpolate(x, &abi.Varying{Kind: abi.VaryingSlot, Slot: in.Slot}, param, flat)
		switch in.Slot {
		case ir.SlotVar0:
			t.set(0, v)
		case ir.SlotVar0 + 1:
			t.set(2, v)
		}
	}
	t.file[1][1] = t.file[1][1]&mask(32) | blendReturn<<32
}

func (t *thread) set(r int, v [4]uint32) {
	t.file[r] = [2]uint64{uint64(v[0]) | uint64(v[1])<<32, uint64(v[2]) | uint64(v[3])<<32}
}

// repeated fills 16 bytes with the first n.
func repeated(raw *[16]byte, n int) {
	for i := n; i < len(raw); i++ {
		raw[i] = raw[i-n]
	}
}

// rawPixel is the pixel of a render target in the form that a raw load gives it.
func (w *wave) rawPixel(t *thread, target int) (v [4]uint32, err error) {
	f := w.p.blend
	if f == nil {
		return v, errors.New("raw pixels exist in blend programs only, whose target's format is known")
	}
	if target == isa.TargetDepth {
		return v, errors.New("what a raw load gives of the depth is not known")
	}
	if v, err = w.tilePixel(t, target); err != nil {
		return v, err
	}
	raw := packTile(f, w.p.meta.Blend.Tile, &v)
	for i := range v {
		v[i] = binary.LittleEndian.Uint32(raw[4*i:])
	}
	return v, nil
}

// blended takes what a blend program's writeout pushes, r0 and r1, and returns the
// colour.
func (w *wave) blended(v emu.Vec4, r1 [2]uint64, named bool) (emu.Vec4, error) {
	switch {
	case !named:
		return v, errors.New("the writeout of a blend program does not name its target in r1.z")
	case int(uint32(r1[1])) != w.p.meta.Blend.Target<<abi.TargetShift:
		return v, fmt.Errorf("a blend program of target %d writes %#x", w.p.meta.Blend.Target, uint32(r1[1]))
	case r1[1]>>32 != blendReturn:
		return v, fmt.Errorf("a blend program returns to %#x, not where it came from", r1[1]>>32)
	}
	var raw [16]byte
	for i, x := range v {
		binary.LittleEndian.PutUint32(raw[4*i:], x)
	}
	err := unpackTile(w.p.blend, w.p.meta.Blend.Tile, &raw, (*[4]uint32)(&v))
	return v, err
}
