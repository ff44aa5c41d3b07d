package emu

import "nirc/ir"

// Attachment returns the view of what a draw has for a fragment result: a colour attachment, or an aspect of the depth and stencil
// attachment as shaders read it; nil of what is not there.
func (p *Pipeline) Attachment(result ir.Slot) *ImageView {
	if result >= ir.SlotData0 {
		if k := int(result - ir.SlotData0); k < len(p.Color) {
			return p.Color[k].View
		}
		return nil
	}
	v := p.DepthStencil.View
	if v == nil {
		return nil
	}
	f := v.TexelFormat()
	switch {
	case result == ir.SlotDepth && f.DepthBits != 0:
		return v
	case result == ir.SlotStencil && f.StencilBits != 0:
		stencil := *v
		stencil.Stencil = true
		return &stencil
	}
	return nil
}
