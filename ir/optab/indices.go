package optab

// Index names a constant index of an intrinsic.
type Index uint8

// The constant indices (nir-ir.md §6.1).
const (
	IdxAccess Index = iota
	IdxWriteMask
	IdxDstAccess
	IdxSrcAccess
	IdxParamIdx
	IdxNumComponents
	IdxNumArrayElems
	IdxBitSize
	IdxDivergent
	IdxBase
	IdxLegacyFabs
	IdxLegacyFneg
	IdxLegacyFsat
	IdxMemoryModes
	IdxSrcType
	IdxDestType
	IdxRoundingMode
	IdxSaturate
	IdxDescSet
	IdxBinding
	IdxDescType
	IdxAlignMul
	IdxAlignOffset
	IdxRangeBase
	IdxRange
	IdxComponent
	IdxAtomicOp
	IdxIoSemantics
	IdxIoXfb
	IdxIoXfb2
	IdxInterpMode
	IdxUcpId
	IdxExecutionScope
	IdxMemoryScope
	IdxMemorySemantics
	IdxClusterSize
	IdxReductionOp
	IdxImageDim
	IdxImageArray
	IdxFormat
	IdxStreamId
	IdxRayQueryValue
	IdxCommitted
	IdxColumn
	IdxSignExtend
	IdxExplicitCoord
	IdxFlags
	IdxCallIdx
	IdxStackSize
	numIndices
)

// indexNames are the indices' names in the text form.
var indexNames = [...]string{
	"access",
	"write_mask",
	"dst_access",
	"src_access",
	"param_idx",
	"num_components",
	"num_array_elems",
	"bit_size",
	"divergent",
	"base",
	"legacy_fabs",
	"legacy_fneg",
	"legacy_fsat",
	"memory_modes",
	"src_type",
	"dest_type",
	"rounding_mode",
	"saturate",
	"desc_set",
	"binding",
	"desc_type",
	"align_mul",
	"align_offset",
	"range_base",
	"range",
	"component",
	"atomic_op",
	"io_semantics",
	"io_xfb",
	"io_xfb2",
	"interp_mode",
	"ucp_id",
	"execution_scope",
	"memory_scope",
	"memory_semantics",
	"cluster_size",
	"reduction_op",
	"image_dim",
	"image_array",
	"format",
	"stream_id",
	"ray_query_value",
	"committed",
	"column",
	"sign_extend",
	"explicit_coord",
	"flags",
	"call_idx",
	"stack_size",
}

// String returns the index's name in the text form.
func (i Index) String() string { return indexNames[i] }

// ParseIndex returns the index of that name.
func ParseIndex(name string) (Index, bool) {
	for i, n := range indexNames {
		if n == name {
			return Index(i), true
		}
	}
	return 0, false
}

// NumIndices is the number of constant indices.
const NumIndices = int(numIndices)
