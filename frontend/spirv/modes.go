package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// floatModes are the float properties that the entry point asks for.
type floatModes struct {
	exact bool // ContractionOff
	fast  ir.FloatControls
}

// executionModes reads the entry point's execution modes.
func (t *translator) executionModes() {
	info := &t.s.Info
	for i := range t.m.Insts {
		in := &t.m.Insts[i]
		if in.Op == spv.OpFunction {
			break
		}
		if in.Op != spv.OpExecutionMode && in.Op != spv.OpExecutionModeId || in.Arg(0) != t.entry.ID {
			continue
		}
		t.word = int(in.Offset)
		x := makeInst(in)
		t.executionMode(&x)
	}
	if c := t.workgroupSize; c != nil && c.typ.kind == tVector && c.typ.n == 3 && c.typ.isInt() {
		info.WorkgroupSize = [3]uint32{uint32(c.v[0]), uint32(c.v[1]), uint32(c.v[2])}
	}
	if t.kernel {
		t.kernelSize()
	}
	if ir.GroupStages.Has(t.stage) && !info.WorkgroupSizeVariable {
		for _, n := range info.WorkgroupSize {
			if n == 0 {
				t.fail(t.entry.ID, "the %s entry point has no workgroup size, or one of 0", t.stage)
			}
		}
	}
	if t.stage == ir.StageMesh {
		t.checkMesh()
	}
	t.float.fast |= info.FloatControls & 0x1ff
	info.SharedExplicitLayout = t.caps.explicitShared
}

func (t *translator) executionMode(in *inst) {
	info := &t.s.Info
	lit := func(k int) uint32 {
		if k+2 < len(in.args) {
			return in.args[k+2]
		}
		return 0
	}
	switch m := spv.ExecutionMode(in.args[1]); m {
	case spv.ExecutionModeLocalSize:
		info.WorkgroupSize = [3]uint32{lit(0), lit(1), lit(2)}
	case spv.ExecutionModeLocalSizeId:
		info.WorkgroupSize = [3]uint32{t.constArg(in, 2), t.constArg(in, 3), t.constArg(in, 4)}
	case spv.ExecutionModeEarlyFragmentTests:
		info.EarlyFragmentTests = true
	case spv.ExecutionModePostDepthCoverage:
		info.PostDepthCoverage = true
	case spv.ExecutionModePixelCenterInteger:
		t.broken(rulePixelCenter, t.entry.ID, "the execution mode %s is not supported", m)
	case spv.ExecutionModeOriginLowerLeft:
		t.broken(ruleOrigin, t.entry.ID, "the execution mode %s is not supported", m)
	case spv.ExecutionModeDepthReplacing:
		info.DepthReplacing = true
		info.DepthLayout = max(info.DepthLayout, 1)
	case spv.ExecutionModeDepthGreater:
		info.DepthLayout = 2
	case spv.ExecutionModeDepthLess:
		info.DepthLayout = 3
	case spv.ExecutionModeDepthUnchanged:
		info.DepthLayout = 4
	case spv.ExecutionModeStencilRefReplacingEXT:
		info.StencilReplacing = true
	case spv.ExecutionModeDerivativeGroupQuadsKHR:
		info.DerivativeGroup = ir.DerivativeQuads
	case spv.ExecutionModeDerivativeGroupLinearKHR:
		info.DerivativeGroup = ir.DerivativeLinear
	case spv.ExecutionModeSubgroupUniformControlFlowKHR:
		info.SubgroupUniform = true
	case spv.ExecutionModeMaximallyReconvergesKHR:
		info.MaximalR = true
	case spv.ExecutionModeSubgroupSize:
		t.wantSubgroupSize(lit(0))
	case spv.ExecutionModeRequireFullQuadsKHR:
		t.checkLack(t.entry.ID, spv.CapabilityQuadControlKHR)
		info.FullQuads = true
	case spv.ExecutionModeXfb:
		info.Xfb = true
	case spv.ExecutionModeContractionOff, spv.ExecutionModeDenormPreserve, spv.ExecutionModeDenormFlushToZero, spv.ExecutionModeRoundingModeRTE,
		spv.ExecutionModeRoundingModeRTZ, spv.ExecutionModeSignedZeroInfNanPreserve, spv.ExecutionModeFPFastMathDefault:
		t.floatMode(in, m)
	case spv.ExecutionModeNonCoherentColorAttachmentReadEXT:
		info.NonCoherentColorReads = true
	case spv.ExecutionModeNonCoherentDepthAttachmentReadEXT:
		info.NonCoherentDepthReads = true
	case spv.ExecutionModeNonCoherentStencilAttachmentReadEXT:
		info.NonCoherentStencilReads = true
	case spv.ExecutionModeLocalSizeHint, spv.ExecutionModeLocalSizeHintId, spv.ExecutionModeVecTypeHint, spv.ExecutionModeInitializer, spv.ExecutionModeFinalizer,
		spv.ExecutionModeArithmeticPoisonKHR: // what a driver may know
	default:
		t.geometryMode(in, m, lit(0))
	}
}

// floatMode reads the modes that say how floats are computed.
func (t *translator) floatMode(in *inst, m spv.ExecutionMode) {
	asked := t.s.Info.FloatControls
	defer func() {
		if t.opts.FloatControls == nil {
			return
		}
		if name, bits, why := (t.s.Info.FloatControls &^ asked).Beyond(*t.opts.FloatControls); name != "" {
			err := t.errorf(t.entry.ID, "the execution mode %s for floats of %d bits is not supported: %s", name, bits, why)
			err.Unsupported, err.Target = true, t.opts.TargetName
			panic(bail{err})
		}
	}()
	switch m {
	case spv.ExecutionModeContractionOff:
		t.float.exact = true
	case spv.ExecutionModeDenormPreserve:
		t.floatControl(in, ir.FCDenormPreserve)
	case spv.ExecutionModeDenormFlushToZero:
		t.floatControl(in, ir.FCDenormFlush)
	case spv.ExecutionModeRoundingModeRTE:
		t.floatControl(in, ir.FCRoundRTE)
	case spv.ExecutionModeRoundingModeRTZ:
		t.floatControl(in, ir.FCRoundRTZ)
	case spv.ExecutionModeSignedZeroInfNanPreserve:
		t.floatControl(in, ir.FCSignedZeroPreserve)
		t.floatControl(in, ir.FCInfPreserve)
		t.floatControl(in, ir.FCNaNPreserve)
	case spv.ExecutionModeFPFastMathDefault:
		t.fastMathDefault(in)
	}
}

// fastMathDefault reads what instructions of one float type may do that have
// no decoration of their own. Exactness is one flag for all sizes: the
// strictest of the defaults holds.
func (t *translator) fastMathDefault(in *inst) {
	ty := t.typeOf(t.arg(in, 2))
	if ty.kind != tFloat {
		t.fail(ty.id, "FPFastMathDefault is given for a type that is no float")
	}
	exact, keep := fastMathBits(spv.FPFastMathMode(t.constArg(in, 3)))
	t.float.exact = t.float.exact || exact
	t.float.fast = t.float.fast.With(keep, ty.bits)
}

func (t *translator) floatControl(in *inst, p ir.FloatControls) {
	switch bits := t.arg(in, 2); bits {
	case 16, 32, 64:
		t.s.Info.FloatControls = t.s.Info.FloatControls.With(p, uint8(bits))
	default:
		t.fail(0, "an execution mode for floats of %d bits", bits)
	}
}

// fastMathBits maps a FPFastMathMode to exactness and to the properties to
// preserve, at the 16-bit place of each.
func fastMathBits(m spv.FPFastMathMode) (exact bool, keep ir.FloatControls) {
	const all = spv.FPFastMathModeAllowRecip | spv.FPFastMathModeAllowContract | spv.FPFastMathModeAllowReassoc | spv.FPFastMathModeAllowTransform
	if m&spv.FPFastMathModeFast != 0 {
		return false, 0
	}
	if m&spv.FPFastMathModeNSZ == 0 {
		keep |= ir.FCSignedZeroPreserve
	}
	if m&spv.FPFastMathModeNotInf == 0 {
		keep |= ir.FCInfPreserve
	}
	if m&spv.FPFastMathModeNotNaN == 0 {
		keep |= ir.FCNaNPreserve
	}
	return m&all != all, keep
}

// fastMath gives the builder what a FPFastMathMode decoration says.
func (t *translator) fastMath(m spv.FPFastMathMode) {
	exact, keep := fastMathBits(m)
	t.f.b.Exact = exact
	t.f.b.FastMath = keep | keep<<1 | keep<<2
}

// builderModes gives the builder the entry point's defaults.
func (t *translator) builderModes() {
	t.f.b.Exact, t.f.b.FastMath = t.float.exact, t.float.fast
	t.s.SetLoc(0)
}

// geometryMode reads the modes of the tessellation and geometry stages.
func (t *translator) geometryMode(in *inst, m spv.ExecutionMode, n uint32) {
	tess, geom := &t.s.Info.Tess, &t.s.Info.Geom
	if t.stage == ir.StageMesh && t.meshMode(m, n) {
		return
	}
	switch m {
	case spv.ExecutionModeInvocations:
		geom.Invocations = n
	case spv.ExecutionModeOutputVertices:
		tess.OutputVertices, geom.MaxVertices = n, n
	case spv.ExecutionModeTriangles:
		tess.Domain, geom.InPrimitive = ir.DomainTriangles, ir.InTriangles
	case spv.ExecutionModeQuads:
		tess.Domain = ir.DomainQuads
	case spv.ExecutionModeIsolines:
		tess.Domain = ir.DomainIsolines
	case spv.ExecutionModeSpacingEqual:
		tess.Spacing = ir.SpacingEqual
	case spv.ExecutionModeSpacingFractionalEven:
		tess.Spacing = ir.SpacingFractionalEven
	case spv.ExecutionModeSpacingFractionalOdd:
		tess.Spacing = ir.SpacingFractionalOdd
	case spv.ExecutionModeVertexOrderCcw:
		tess.CCW = true
	case spv.ExecutionModePointMode:
		tess.PointMode = true
	case spv.ExecutionModeInputPoints:
		geom.InPrimitive = ir.InPoints
	case spv.ExecutionModeInputLines:
		geom.InPrimitive = ir.InLines
	case spv.ExecutionModeInputLinesAdjacency:
		geom.InPrimitive = ir.InLinesAdjacency
	case spv.ExecutionModeInputTrianglesAdjacency:
		geom.InPrimitive = ir.InTrianglesAdjacency
	case spv.ExecutionModeOutputPoints:
		geom.OutPrimitive = ir.OutPoints
	case spv.ExecutionModeOutputLineStrip:
		geom.OutPrimitive = ir.OutLineStrip
	case spv.ExecutionModeOutputTriangleStrip:
		geom.OutPrimitive = ir.OutTriangleStrip
	case spv.ExecutionModeQuadDerivativesKHR: // lanes of a quad compute them together whatever other quads do
	case spv.ExecutionModeEarlyAndLateFragmentTestsAMD:
		t.earlyAndLate()
	case spv.ExecutionModeStencilRefUnchangedFrontAMD, spv.ExecutionModeStencilRefGreaterFrontAMD, spv.ExecutionModeStencilRefLessFrontAMD,
		spv.ExecutionModeStencilRefUnchangedBackAMD, spv.ExecutionModeStencilRefGreaterBackAMD, spv.ExecutionModeStencilRefLessBackAMD:
		// what lets tests be early
	case spv.ExecutionModeOriginUpperLeft, spv.ExecutionModeVertexOrderCw,
		spv.ExecutionModePixelInterlockOrderedEXT, spv.ExecutionModePixelInterlockUnorderedEXT,
		spv.ExecutionModeSampleInterlockOrderedEXT, spv.ExecutionModeSampleInterlockUnorderedEXT,
		// What has interlocks shades each pixel: the area of a shading rate is a pixel.
		spv.ExecutionModeShadingRateInterlockOrderedEXT, spv.ExecutionModeShadingRateInterlockUnorderedEXT:
	default:
		t.refuseEnumerant(t.entry.ID, "execution mode", spv.KindExecutionMode, uint32(m))
	}
}

// wantSubgroupSize takes SubgroupSize, which demands that subgroups have so many invocations, of a target whose subgroups have.
func (t *translator) wantSubgroupSize(n uint32) {
	switch have := uint32(t.s.Options.SubgroupSize); have {
	case n:
		t.s.Info.SubgroupSize = uint8(n)
	case 0:
		t.refuse(t.entry.ID, "the execution mode SubgroupSize %d is not supported: the size of a subgroup is known at run time only", n)
	default:
		t.refuse(t.entry.ID, "the execution mode SubgroupSize %d is not supported: subgroups have %d invocations", n, have)
	}
}

// earlyAndLate takes EarlyAndLateFragmentTestsAMD, by which tests before the shader keep fragments from running that the tests after it
// would discard. Those after it alone give the same picture: only what a shader stores elsewhere would tell.
func (t *translator) earlyAndLate() {
	for i := range t.m.Insts {
		in := &t.m.Insts[i]
		stores := in.Op == spv.OpImageWrite || in.Op == spv.OpImageTexelPointer
		if in.Op == spv.OpVariable {
			sc := spv.StorageClass(in.Arg(0))
			stores = sc == spv.StorageClassStorageBuffer || sc == spv.StorageClassPhysicalStorageBuffer || sc == spv.StorageClassAtomicCounter
		}
		if stores {
			t.refuse(t.entry.ID, "the execution mode %s of a shader that may store to memory is not supported: the hardware's tests are before such a shader or after it", spv.ExecutionModeEarlyAndLateFragmentTestsAMD)
		}
	}
}
