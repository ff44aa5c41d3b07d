package ir

import "nirc/ir/optab"

// The constant indices of intrinsics; see optab.Index.
const (
	IdxAccess          = optab.IdxAccess
	IdxWriteMask       = optab.IdxWriteMask
	IdxDstAccess       = optab.IdxDstAccess
	IdxSrcAccess       = optab.IdxSrcAccess
	IdxParamIdx        = optab.IdxParamIdx
	IdxNumComponents   = optab.IdxNumComponents
	IdxNumArrayElems   = optab.IdxNumArrayElems
	IdxBitSize         = optab.IdxBitSize
	IdxDivergent       = optab.IdxDivergent
	IdxBase            = optab.IdxBase
	IdxLegacyFabs      = optab.IdxLegacyFabs
	IdxLegacyFneg      = optab.IdxLegacyFneg
	IdxLegacyFsat      = optab.IdxLegacyFsat
	IdxMemoryModes     = optab.IdxMemoryModes
	IdxSrcType         = optab.IdxSrcType
	IdxDestType        = optab.IdxDestType
	IdxRoundingMode    = optab.IdxRoundingMode
	IdxSaturate        = optab.IdxSaturate
	IdxDescSet         = optab.IdxDescSet
	IdxBinding         = optab.IdxBinding
	IdxDescType        = optab.IdxDescType
	IdxAlignMul        = optab.IdxAlignMul
	IdxAlignOffset     = optab.IdxAlignOffset
	IdxRangeBase       = optab.IdxRangeBase
	IdxRange           = optab.IdxRange
	IdxComponent       = optab.IdxComponent
	IdxAtomicOp        = optab.IdxAtomicOp
	IdxIoSemantics     = optab.IdxIoSemantics
	IdxIoXfb           = optab.IdxIoXfb
	IdxIoXfb2          = optab.IdxIoXfb2
	IdxInterpMode      = optab.IdxInterpMode
	IdxUcpId           = optab.IdxUcpId
	IdxExecutionScope  = optab.IdxExecutionScope
	IdxMemoryScope     = optab.IdxMemoryScope
	IdxMemorySemantics = optab.IdxMemorySemantics
	IdxClusterSize     = optab.IdxClusterSize
	IdxReductionOp     = optab.IdxReductionOp
	IdxImageDim        = optab.IdxImageDim
	IdxImageArray      = optab.IdxImageArray
	IdxFormat          = optab.IdxFormat
	IdxStreamId        = optab.IdxStreamId
	IdxRayQueryValue   = optab.IdxRayQueryValue
	IdxCommitted       = optab.IdxCommitted
	IdxColumn          = optab.IdxColumn
	IdxSignExtend      = optab.IdxSignExtend
	IdxExplicitCoord   = optab.IdxExplicitCoord
	IdxFlags           = optab.IdxFlags
	IdxCallIdx         = optab.IdxCallIdx
	IdxStackSize       = optab.IdxStackSize
)
