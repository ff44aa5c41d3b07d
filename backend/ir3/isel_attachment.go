package ir3

import (
	"nirc/backend/ir3/abi"
	"nirc/backend/ir3/isa"
	"nirc/ir"
)

// attachment reads what an attachment has where the fragment is: texture n of the stage's own state, which is reached without a
// set, is colour attachment n, with depth and stencil after the colours (docs/abi.md). Mesa's freedreno reads colours by the same
// instruction (ir3_compiler_nir.c, txf_ms_fb).
func (x *texSel) attachment() {
	s, n := x.s, x.i.TextureIndex
	if n >= abi.NumAttachments {
		s.fail(x.in, "attachment %d is not supported, there are %d colours, depth and stencil", n, ir.MaxColors)
		return
	}
	x.own = int8(n) + 1
	if !faults.has(faultAttachments) {
		s.meta.Attachments |= 1 << n
	}
	sample := x.src(ir.TexSrcMsIndex)
	if sample.Instr.IsIntrinsic(ir.IntrLoadSampleIdNoPerSample) && !faults.has(faultAttachmentSamples) {
		s.meta.PerSample = true // each sample has a colour of its own
	}
	t := isa.Instr{Op: isa.OpIsamm, Type: x.destType()}
	c, layer := x.coords(&t, false)
	if faults.has(faultAttachmentLayer) {
		layer = immediate(0, false)
	}
	x.result(x.emit(t, uint8(x.in.Def.ComponentsRead()), append(c, layer, x.full(sample, 0, false)), nil))
}

// orderedAttachments reports whether some attachment that is read has to have what the older fragments of the sample left.
func (c *compiler) orderedAttachments() bool {
	free := uint16(0)
	for _, f := range []struct {
		which uint16
		is    bool
	}{{abi.ColorAttachments, c.s.Info.NonCoherentColorReads}, {abi.DepthAttachment, c.s.Info.NonCoherentDepthReads}, {abi.StencilAttachment, c.s.Info.NonCoherentStencilReads}} {
		if f.is {
			free |= f.which
		}
	}
	return c.meta.Attachments&^free != 0 && !faults.has(faultAttachmentOrder)
}
