package emu

import (
	"testing"

	"nirc/ir"
)

// TestImageBounds: levels, layers and texels that an image does not have are nowhere.
func TestImageBounds(t *testing.T) {
	m := mustImage(t, ImageDesc{Width: 8, Height: 4, Layers: 3, Mips: 2, Format: FormatByName("R8_UNORM")}).Image
	for mip, want := range map[int][3]int{-1: {}, 0: {8, 4, 1}, 1: {4, 2, 1}, 2: {2, 1, 1}, 5: {1, 1, 1}} {
		if w, h, d := m.LevelSize(mip); [3]int{w, h, d} != want {
			t.Errorf("level %d is of %dx%dx%d, want %v", mip, w, h, d, want)
		}
	}
	for mip, want := range map[int]int{-1: 0, 0: 96, 1: 24, 2: 0} {
		if got := len(m.LevelBytes(mip)); got != want {
			t.Errorf("level %d has %d bytes, want %d", mip, got, want)
		}
	}
	for _, c := range []struct{ x, y, z, layer, mip, sample, want int }{
		{0, 0, 0, 0, 0, 0, 0}, {7, 3, 0, 2, 0, 0, 95}, {8, 0, 0, 0, 0, 0, -1}, {0, 4, 0, 0, 0, 0, -1}, {0, 0, 1, 0, 0, 0, -1}, {0, 0, 0, 3, 0, 0, -1}, {0, 0, 0, 0, 0, 1, -1}, {-1, 0, 0, 0, 0, 0, -1},
		{0, 0, 0, 0, 1, 0, 96}, {3, 1, 0, 2, 1, 0, 119}, {4, 0, 0, 0, 1, 0, -1}, {0, 0, 0, 0, 2, 0, -1}, {0, 0, 0, 0, -1, 0, -1}, {0, -1, 0, 0, 0, 0, -1}, {0, 0, 0, -1, 0, 0, -1}, {0, 0, 0, 0, 0, -1, -1},
	} {
		if got := m.Offset(c.x, c.y, c.z, c.layer, c.mip, c.sample); got != c.want {
			t.Errorf("%+v: byte %d", c, got)
		}
	}
}

// TestAttachmentOf: the attachment of a fragment result, of depth and stencil where the format has them.
func TestAttachmentOf(t *testing.T) {
	colour := mustImage(t, ImageDesc{Width: 1, Height: 1, Format: FormatByName("R8_UNORM")})
	p := &Pipeline{Color: []Attachment{{View: colour}, {}}}
	if p.Attachment(ir.SlotData0) != colour || p.Attachment(ir.SlotData0+1) != nil || p.Attachment(ir.SlotData0+2) != nil || p.Attachment(ir.SlotDepth) != nil || p.Attachment(ir.SlotStencil) != nil {
		t.Error("the attachments of colours are not theirs, or there is one of depth")
	}
	for name, has := range map[string][2]bool{"D16_UNORM": {true, false}, "S8_UINT": {false, true}, "D32_SFLOAT_S8_UINT": {true, true}} {
		p.DepthStencil.View = mustImage(t, ImageDesc{Width: 1, Height: 1, Format: FormatByName(name)})
		depth, stencil := p.Attachment(ir.SlotDepth), p.Attachment(ir.SlotStencil)
		if (depth != nil) != has[0] || (stencil != nil) != has[1] || depth != nil && (depth != p.DepthStencil.View || depth.Stencil) || stencil != nil && !stencil.Stencil || p.DepthStencil.View.Stencil {
			t.Errorf("%s: depth %v, stencil %v", name, depth, stencil)
		}
		if p.Attachment(ir.SlotSampleMask) != nil {
			t.Errorf("%s: the sample mask has an attachment", name)
		}
	}
}
