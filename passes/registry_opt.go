package passes

// optPasses are optimisations that stand alone: each may be left out.
var optPasses = []*Pass{
	optCombineStoresPass,
	optComparisonPrePass,
	optRematerializeComparesPass,
	optReassociateBfiPass,
	optFragdepthPass,
	optMoveDiscardsToTopPass,
	optNonUniformAccessPass,
	optBarrierModesPass,
	optFindArrayCopiesPass,
	optOffsetsPass,
	optUpdateAlignmentsPass,
	optPhiPrecisionPass,
	optIntrinsicsPass,
	optReassociatePass,
	optUniformAtomicsPass,
	optVectorizePass,
	optGroupLoadsPass,
	optPreamblePass,
	schedulePass,
}
