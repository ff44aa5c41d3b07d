package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// imageProcessing translates the filters of many texels and the block matches of SPV_QCOM_image_processing, and reports
// whether the instruction was one. The sampler of a second image has no say: weights are read by number, and references
// lie inside their image (Vulkan 1.3, Weight Image Sampling and Block Matching).
func (t *translator) imageProcessing(in *inst) bool {
	switch in.op {
	case spv.OpImageSampleWeightedQCOM:
		x := t.processed(in, ir.TexOpSampleWeightedQcom)
		t.processedCoord(in, x, t.floatVector(t.arg(in, 1), 2, 32))
		t.secondImage(in, x, true)
		t.finishProcessed(in, x)
	case spv.OpImageBoxFilterQCOM:
		x := t.processed(in, ir.TexOpBoxFilterQcom)
		t.processedCoord(in, x, t.floatVector(t.arg(in, 1), 2, 32))
		t.s.AddTexSrc(x, ir.TexSrcBoxSize, t.floatVector(t.arg(in, 2), 2, 32))
		t.finishProcessed(in, x)
	case spv.OpImageBlockMatchSADQCOM:
		t.blockMatch(in, ir.TexOpBlockMatchSadQcom)
	case spv.OpImageBlockMatchSSDQCOM:
		t.blockMatch(in, ir.TexOpBlockMatchSsdQcom)
	default:
		return false
	}
	return true
}

func (t *translator) blockMatch(in *inst, op ir.TexOp) {
	x := t.processed(in, op)
	t.processedCoord(in, x, t.intVector(t.arg(in, 1), 2, 32))
	t.secondImage(in, x, false)
	t.s.AddTexSrc(x, ir.TexSrcRefCoord, t.intVector(t.arg(in, 3), 2, 32))
	t.s.AddTexSrc(x, ir.TexSrcBlockSize, t.intVector(t.arg(in, 4), 2, 32))
	t.finishProcessed(in, x)
}

// processed makes the operation on the first image, a plane of floats.
func (t *translator) processed(in *inst, op ir.TexOp) *ir.Instr {
	tex, smp := t.sampled(t.arg(in, 0))
	it := imageTypeOf(tex.typ)
	if s := &it.image; s.dim != spv.Dim2D || s.arrayed || s.ms || s.sampled == 2 || !it.elem.isFloat() {
		t.fail(in.id, "%s is of sampled planes of floats only, not of %s", in.op, it)
	}
	if res := t.typeOf(in.typ); res.kind != tVector || res.n != 4 || !res.isFloat() || res.scalarType().bits != 32 {
		t.fail(in.id, "%s: the result is not a vector of four floats of 32 bits", in.op)
	}
	return t.newTex(op, 4, 32, ir.ClassFloat, tex, smp, &it.image)
}

func (t *translator) processedCoord(in *inst, x *ir.Instr, c *ir.Def) {
	x.TexInfo().CoordComponents = 2
	t.s.AddTexSrc(x, ir.TexSrcCoord, c)
}

// secondImage adds operand 2, the reference, or the image of weights, which has layers.
func (t *translator) secondImage(in *inst, x *ir.Instr, layers bool) {
	tex, _ := t.sampled(t.arg(in, 2))
	it := imageTypeOf(tex.typ)
	s := &it.image
	if s.arrayed != layers || s.ms || s.sampled == 2 || !it.elem.isFloat() || s.dim != spv.Dim2D && !(layers && s.dim == spv.Dim1D) {
		t.fail(in.id, "%s: the second image is a %s, which has other texels or dimensions", in.op, it)
	}
	x.TexInfo().TextureNonUniform = x.TexInfo().TextureNonUniform || tex.access&ir.AccessNonUniform != 0
	t.s.AddTexSrc(x, ir.TexSrcTexture2Deref, t.derefOf(tex))
}

func (t *translator) finishProcessed(in *inst, x *ir.Instr) {
	t.f.b.Insert(x)
	t.set(in, &x.Def)
}
