package ir3

import (
	"nirc/backend/ir3/isa"
	"nirc/ir"
)

// attachment reads the colour that an attachment has where the fragment is: texture n of the stage's own state, which is reached
// without a set (docs/abi.md), is attachment n. Mesa's freedreno reads it by the same instruction (ir3_compiler_nir.c, txf_ms_fb).
func (x *texSel) attachment() {
	s, n := x.s, x.i.TextureIndex
	if n >= maxAttachments {
		s.fail(x.in, "colour attachment %d is not supported, there are %d", n, maxAttachments)
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
	x.result(x.emit(t, usedMask(&x.in.Def), append(c, layer, x.full(sample, 0, false)), nil))
}

// maxAttachments is how many colour attachments there are.
const maxAttachments = 8
