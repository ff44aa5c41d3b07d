package passes

// ioPasses are the passes over inputs, outputs, descriptors and explicit memory.
var ioPasses = []*Pass{
	lowerSystemValuesPass,
	lowerComputeSystemValuesPass,
	lowerIOToTemporariesPass,
	lowerIOPass,
	lowerVarsToExplicitTypesPass,
	lowerExplicitIOPass,
	lowerMemAccessBitSizesPass,
	lowerWrmasksPass,
}
