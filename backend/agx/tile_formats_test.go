package agx

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"nirc/backend"
	"nirc/internal/emu"
	"nirc/ir"
)

// TestColorFormats: colours of all formats that hardware renders to have a place in the tile, others are refused.
func TestColorFormats(t *testing.T) {
	refused := []string{"R4G4_UNORM_PACK8", "R5G5B5A1_UNORM_PACK16", "B5G5R5A1_UNORM_PACK16", "A8_UNORM",
		"A2R10G10B10_SNORM_PACK32", "A2R10G10B10_SINT_PACK32", "A2B10G10R10_SNORM_PACK32", "A2B10G10R10_SINT_PACK32", "E5B9G9R9_UFLOAT_PACK32"}
	ran := 0
	for _, f := range emu.Formats() {
		three := f.Bytes%3 == 0
		if f.IsDepthStencil() || f.IsWide() || strings.Contains(f.Name, "SCALED") {
			continue
		}
		list, _, err := placeTargets([]backend.TargetKey{{Format: f.Name}})
		if no := three || slices.Contains(refused, f.Name); no && !errors.Is(err, errors.ErrUnsupported) || !no && (err != nil || len(list) != 1) {
			t.Errorf("%s: %v", f.Name, err)
		}
		ran++
	}
	if ran < 60 {
		t.Errorf("%d formats", ran)
	}
}

// TestTargetPlaces: each target stands after those before it, at a multiple of its block; those that are absent take no room, and
// all have what a sample has.
func TestTargetPlaces(t *testing.T) {
	keys := func(formats ...string) (list []backend.TargetKey) {
		for _, f := range formats {
			list = append(list, backend.TargetKey{Format: f})
		}
		return list
	}
	const wide, narrow, half = "R32G32B32A32_SFLOAT", "R8_UNORM", "R16_SFLOAT"
	for _, c := range []struct {
		targets []backend.TargetKey
		offsets []uint32
		bytes   int
		want    string
	}{
		{keys(), nil, 0, ""},
		{keys("", "R8G8B8A8_UNORM", "", half), []uint32{0, 4}, 6, ""},
		{keys(narrow, half, narrow, "R32_UINT"), []uint32{0, 2, 4, 8}, 12, ""},
		{keys(narrow, "R8G8B8A8_SRGB", narrow), []uint32{0, 4, 8}, 9, ""},
		{keys(wide, wide, wide, wide), []uint32{0, 16, 32, 48}, 64, ""},
		{keys(wide, wide, wide, wide, narrow), nil, 0, "colour targets of more than 64 bytes a sample are not supported"},
		{keys(narrow, wide, wide, wide, wide), nil, 0, "colour targets of more than 64 bytes a sample are not supported"},
		{keys("R9_UNORM"), nil, 0, `there is no colour format "R9_UNORM"`},
		{keys(half, "E5B9G9R9_UFLOAT_PACK32"), nil, 0, "format E5B9G9R9_UFLOAT_PACK32 is not supported as a colour target"},
	} {
		list, n, err := placeTargets(c.targets)
		if (err == nil) != (c.want == "") || err != nil && (!strings.Contains(err.Error(), c.want) || list != nil || n != 0) {
			t.Errorf("%v: %v, want %q", c.targets, err, c.want)
		}
		var offsets []uint32
		for _, x := range list {
			offsets = append(offsets, x.Offset)
			if c.targets[x.Slot-ir.SlotData0].Format == "" {
				t.Errorf("%v: slot %v has no target", c.targets, x.Slot)
			}
		}
		if !slices.Equal(offsets, c.offsets) || n != c.bytes {
			t.Errorf("%v: at %v, %d bytes, want %v, %d", c.targets, offsets, n, c.offsets, c.bytes)
		}
	}
}

// TestTileComponents: what can be a colour target has all components before its last: what reads the tile takes as many in a row.
func TestTileComponents(t *testing.T) {
	targets := 0
	for _, f := range emu.Formats() {
		if _, ok := tileFormat(f); !ok {
			continue
		}
		targets++
		if m := components(f); m == 0 || m&(m+1) != 0 {
			t.Errorf("%s has the components %04b", f.Name, m)
		}
	}
	if targets < 60 {
		t.Errorf("only %d formats are colour targets", targets)
	}
}
