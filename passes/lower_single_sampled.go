package passes

import "nirc/ir"

var lowerSingleSampledPass = &Pass{
	Name: "lower_single_sampled", Class: "B", Run: lowerSingleSampled, Idempotent: true,
	Doc: "Drops what only multisampling needs from a fragment shader that will run with one sample a pixel: sample_id is 0, sample_pos the centre, sample_mask_in " +
		"says whether the fragment is no helper, and centroid and sample interpolation is that of the pixel. Takes derefs and lowered inputs alike; variables lose " +
		"centroid and sample, the shader's facts sample shading.",
}

func lowerSingleSampled(_ *Context, s *ir.Shader) (bool, error) {
	if s.Stage != ir.StageFragment {
		return false, nil
	}
	progress := s.Info.UsesSampleShading || s.Info.SampleInputs
	s.Info.UsesSampleShading, s.Info.SampleInputs = false, false
	for _, v := range s.Variables {
		if v.Mode == ir.ModeShaderIn && (v.Centroid || v.Sample) {
			v.Centroid, v.Sample = false, false
			progress = true
		}
	}
	return eachIntrinsic(s, singleSampled) || progress, nil
}

// singleSampled returns what replaces an intrinsic, or nil.
func singleSampled(b *ir.Builder, in *ir.Instr) *ir.Def {
	switch in.Intr {
	case ir.IntrLoadSampleId, ir.IntrLoadSampleIdNoPerSample:
		return b.Imm32(0)
	case ir.IntrLoadSamplePos, ir.IntrLoadSamplePosOrCenter, ir.IntrLoadSamplePosFromId:
		half := ir.FloatBits(0.5, in.Def.BitSize)
		return b.Const(in.Def.BitSize, half, half)
	case ir.IntrLoadSampleMaskIn:
		// One sample is covered, or the fragment is there for its quad only.
		return b.B2i32(b.Inot(&b.Intrinsic(ir.IntrLoadHelperInvocation, 1, 1).Def))
	case ir.IntrLoadBarycentricCentroid, ir.IntrLoadBarycentricSample, ir.IntrLoadBarycentricAtSample:
		return &b.Intrinsic(ir.IntrLoadBarycentricPixel, 2, in.Def.BitSize).Set(ir.IdxInterpMode, in.Get(ir.IdxInterpMode)).Def
	case ir.IntrInterpDerefAtCentroid, ir.IntrInterpDerefAtSample:
		return b.LoadDeref(in.Srcs[0].Def, 0)
	case ir.IntrLoadDeref:
		return singleSampledVariable(b, in)
	}
	return nil
}

// singleSampledVariable does the same for the variables of these built-ins
// (numbers of the SPIR-V specification).
func singleSampledVariable(b *ir.Builder, in *ir.Instr) *ir.Def {
	d := derefOf(in.Srcs[0].Def)
	if d == nil || d.DerefInfo().Modes != ir.ModeSystemValue {
		return nil
	}
	v := rootVar(d)
	if v == nil {
		return nil
	}
	switch v.BuiltIn {
	case ir.BuiltInSampleID:
		return b.ImmInt(0, in.Def.BitSize)
	case ir.BuiltInSamplePosition:
		var half [2]uint64
		for i := range half {
			half[i] = ir.FloatBits(0.5, in.Def.BitSize)
		}
		return b.Const(in.Def.BitSize, half[:in.Def.NumComponents]...)
	}
	return nil
}
