package passes

// lowerPasses are the passes over arithmetic that targets lack.
var lowerPasses = []*Pass{
	lowerALUToScalarPass,
	lowerLoadConstToScalarPass,
	lowerALUPass,
	lowerIdivPass,
	lowerBitSizePass,
	lowerInt64Pass,
	lower64BitPhisPass,
	lowerPackPass,
	lowerDoublesPass,
	lowerTexPass,
	lowerBoolToInt32Pass,
	lowerSubgroupsPass,
	propagateInvariantPass,
	toLCSSAPass,
	lowerRobustAccessPass,
}
