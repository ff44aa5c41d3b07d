package abi

import "nirc/ir"

// Bits of Meta.Attachments: a colour attachment has the bit of its number, depth and stencil those after the colours.
const (
	ColorAttachments  = 1<<ir.MaxColors - 1
	DepthAttachment   = 1 << (ir.MaxColors + ir.SlotDepth)
	StencilAttachment = 1 << (ir.MaxColors + ir.SlotStencil)

	// NumAttachments bounds the numbers of attachments.
	NumAttachments = ir.MaxColors + 2
)

// AttachmentResult returns the fragment result that attachment n holds.
func AttachmentResult(n uint32) ir.Slot {
	if n < ir.MaxColors {
		return ir.SlotData0 + ir.Slot(n)
	}
	return ir.Slot(n - ir.MaxColors)
}
