package passes

// loopPasses are the passes over loops and ifs.
var loopPasses = []*Pass{
	optLoopUnrollPass,
	optIdivConstPass,
	optGCMPass,
	optSinkPass,
	optMovePass,
	optLoadStoreVectorizePass,
	optShrinkVectorsPass,
	optLargeConstantsPass,
}
