package agx

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"nirc/backend"
	"nirc/internal/emu"
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
