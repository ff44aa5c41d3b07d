package passes

// algPasses are the passes over algebraic rewriting and constant folding.
var algPasses = append([]*Pass{optConstantFoldingPass}, algebraicPasses...)
