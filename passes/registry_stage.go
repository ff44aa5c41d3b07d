package passes

// stagePasses are the passes over the interfaces of the graphics stages: clipping, blending,
// views, single samples; and over forms of them that other front ends make.
var stagePasses = []*Pass{
	lowerAmulPass,
	lowerAtomicsPass,
	lowerClipCullDistanceArraysPass,
	lowerClipCullDistanceToVec4sPass,
	lowerMemoryModelPass,
	lowerSysvalsToVaryingsPass,
	lowerIOArraysToElementsPass,
	lowerIOToScalarPass,
	lowerIOToScalarEarlyPass,
	lowerIOToVectorPass,
	lowerClipVSPass,
	lowerClipFSPass,
	lowerSingleSampledPass,
	lowerBlendPass,
	lowerConvertALUTypesPass,
	lowerIndirectTexturesPass,
	lowerInterpolationPass,
	lowerSamplersPass,
	lowerFBReadPass,
	lowerMultiviewPass,
	assignIOLocationsPass,
}
