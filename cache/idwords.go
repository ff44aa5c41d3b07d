package cache

import "nirc/frontend/spirv/spv"

// idWords tells which words of an instruction are ids, for the operations that
// most of a module consists of: Module.Decode, which knows it of all, takes several times as long.
type idWords struct {
	mask uint8 // of words 1 to 7, a bit each
	from uint8 // all words from this one on are ids; 0 is none
}

// is reports whether word i is an id.
func (w idWords) is(i int) bool { return i < 8 && w.mask>>i&1 != 0 || w.from != 0 && i >= int(w.from) }

// idWordsOf finds out; false means that Decode has to.
func idWordsOf(in *spv.Instruction, glsl spv.ID) (w idWords, known bool) {
	switch op := in.Op; {
	case op >= spv.OpSNegate && op <= spv.OpSMulExtended, op >= spv.OpAny && op <= spv.OpFUnordGreaterThanEqual,
		op >= spv.OpShiftRightLogical && op <= spv.OpBitCount, op >= spv.OpDPdx && op <= spv.OpFwidthCoarse,
		op >= spv.OpConvertFToU && op <= spv.OpConvertUToPtr, op == spv.OpBitcast:
		return idWords{from: 1}, true
	}
	switch in.Op {
	case spv.OpTypeStruct, spv.OpTypeFunction, spv.OpTypeArray, spv.OpConstantComposite, spv.OpFunctionCall, spv.OpAccessChain, spv.OpInBoundsAccessChain,
		spv.OpCompositeConstruct, spv.OpLabel, spv.OpBranch, spv.OpPhi, spv.OpReturnValue:
		return idWords{from: 1}, true
	case spv.OpName, spv.OpMemberName, spv.OpDecorate, spv.OpMemberDecorate, spv.OpTypeInt, spv.OpTypeFloat, spv.OpSelectionMerge:
		return idWords{mask: 1 << 1}, true
	case spv.OpConstant, spv.OpTypeVector:
		return idWords{mask: 1<<1 | 1<<2}, true
	case spv.OpTypePointer:
		return idWords{mask: 1<<1 | 1<<3}, true
	case spv.OpFunction:
		return idWords{mask: 1<<1 | 1<<2 | 1<<4}, true
	case spv.OpVariable:
		return idWords{mask: 1<<1 | 1<<2, from: 4}, true
	case spv.OpCompositeExtract:
		return idWords{mask: 1<<1 | 1<<2 | 1<<3}, true
	case spv.OpVectorShuffle:
		return idWords{mask: 1<<1 | 1<<2 | 1<<3 | 1<<4}, true
	case spv.OpLoad: // without memory operands
		return idWords{from: 1}, len(in.Words) == 4
	case spv.OpStore:
		return idWords{from: 1}, len(in.Words) == 3
	case spv.OpBranchConditional: // without weights
		return idWords{from: 1}, len(in.Words) == 4
	case spv.OpExtInst: // all operands of GLSL.std.450 are ids
		return idWords{mask: 1<<1 | 1<<2 | 1<<3, from: 5}, in.IDArg(0) == glsl
	}
	return w, false
}
