package agx

import (
	"fmt"
	"math/bits"

	"nirc/backend"
	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

// tileBytes is how much a sample may take of tile memory
// (agx.md §9.3).
const tileBytes = 64

// tileFormat is the format that colours of an image format have in the tile:
// what is no memory format itself lives in the next larger one.
func tileFormat(f *emu.Format) (m isa.Format, ok bool) {
	if len(f.Channels) == 0 || f.IsDepthStencil() || f.IsWide() || f.SharedExponent || !renderable(f) {
		return 0, false
	}
	c := &f.Channels[0]
	wide := uint8(0)
	for i := range f.Channels {
		wide = max(wide, f.Channels[i].Width)
	}
	switch c.Kind {
	case emu.KindUnorm:
		switch {
		case f.Bytes == 4 && wide == 10:
			return isa.FormatRGB10A2, true
		case wide == 8 && c.Width == 8:
			return isa.FormatU8Norm, true
		case wide == 16:
			return isa.FormatU16Norm, true
		}
		return isa.FormatF16, wide < 8
	case emu.KindSnorm:
		switch wide {
		case 8:
			return isa.FormatS8Norm, true
		case 16:
			return isa.FormatS16Norm, true
		}
	case emu.KindSrgb:
		return isa.FormatSRGBA8, true
	case emu.KindUfloat:
		return isa.FormatRG11B10F, true
	case emu.KindSfloat:
		if wide == 16 {
			return isa.FormatF16, true
		}
		return isa.FormatI32, true
	case emu.KindUint, emu.KindSint:
		switch {
		case wide == 8:
			return isa.FormatI8, true
		case wide <= 16:
			return isa.FormatI16, true
		}
		return isa.FormatI32, true
	}
	return 0, false
}

// renderable reports whether hardware has images of a colour format that tiles are stored to, by the renderable ones of
// ail_pixel_format in Mesa 25.0 (src/asahi/layout/formats.c): none of three components, of alpha alone or below the
// colours, of 4:4, and none of signed integers of ten bits, which its authors saw fail.
func renderable(f *emu.Format) bool {
	alpha := false
	for i := range f.Channels {
		c := &f.Channels[i]
		alpha = alpha || c.Comp == emu.CompA && c.Offset == 0 && c.Width < 4
	}
	whole := f.Bytes%3 != 0 && (f.Bytes > 1 || len(f.Channels) == 1)
	return whole && !alpha && components(f) != 1<<emu.CompA && !(f.IsSigned() && f.Channels[0].Width%8 != 0)
}

// components is the mask of the components that a format has.
func components(f *emu.Format) (mask uint8) {
	for i := range f.Channels {
		if c := &f.Channels[i]; c.Kind != emu.KindNone && c.Comp <= emu.CompA {
			mask |= 1 << c.Comp
		}
	}
	return mask
}

// placeTargets places the colour targets in a sample's tile storage, in order,
// each aligned to its block, and returns the bytes that they take.
func placeTargets(targets []backend.TargetKey) ([]abi.TileTarget, int, error) {
	var list []abi.TileTarget
	at := 0
	for i := range targets {
		if targets[i].Format == "" {
			continue
		}
		f := emu.FormatByName(targets[i].Format)
		if f == nil {
			return nil, 0, fmt.Errorf("agx: there is no colour format %q", targets[i].Format)
		}
		m, ok := tileFormat(f)
		if !ok {
			return nil, 0, ir.Unsupportedf("agx: format %s is not supported as a colour target", f.Name)
		}
		t := abi.TileTarget{Slot: ir.SlotData0 + ir.Slot(i), Mask: components(f), Format: m, Signed: f.IsSigned()}
		block := m.Block()
		if faults.has(faultTileAlign) {
			block = m.Size()
		}
		size := 4
		if !m.Packed() && m != isa.FormatSRGBA8 {
			size = block * bits.Len8(t.Mask)
		}
		at = backend.AlignUp(at, block)
		t.Offset = uint32(at)
		if at += size; at > tileBytes {
			return nil, 0, ir.Unsupportedf("agx: colour targets of more than %d bytes a sample are not supported", tileBytes)
		}
		list = append(list, t)
	}
	return list, at, nil
}

// tileSizes are the pixels of a tile, the most first.
var tileSizes = [...][2]uint32{{32, 32}, {32, 16}, {16, 16}}

// tileLayout chooses the largest tile that holds pixels of some samples, of some bytes each. Those of several samples have room
// there even without targets, as agx_build_tilebuffer_layout of Mesa 25.0 gives them (src/asahi/lib/agx_tilebuffer.c).
func tileLayout(bytes, samples int) (*abi.TileLayout, error) {
	if samples > 1 && !faults.has(faultEmptyTile) {
		bytes = max(bytes, 1)
	}
	l := &abi.TileLayout{Stride: uint32(backend.AlignUp(bytes, 8))}
	for _, z := range tileSizes {
		l.Width, l.Height = z[0], z[1]
		if l.Bytes(samples) <= abi.MaxTileBytes {
			return l, nil
		}
	}
	if faults.has(faultTileBudget) {
		return l, nil
	}
	return nil, ir.Unsupportedf("agx: colour targets of %d bytes a sample with %d samples a pixel are not supported: no tile holds them", l.Stride, samples)
}
