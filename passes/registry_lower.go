package passes

// lowerPasses are the passes over arithmetic that targets lack.
var lowerPasses = []*Pass{
	lowerALUToScalarPass,
	lowerLoadConstToScalarPass,
	lowerALUPass,
	lowerIdivPass,
	lowerBitSizePass,
}
