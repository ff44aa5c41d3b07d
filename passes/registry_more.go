package passes

// morePasses are rows of NIR's listing that few pipelines need: interfaces of
// the graphics stages, blending, and forms that other front ends make.
var morePasses = []*Pass{
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
