package ir

import "nirc/ir/optab"

// rows checks what an intrinsic's row says of the sizes of its sources, and that
// constant indices which stand for something name what there is.
func (v *validator) rows(in *Instr, info *optab.Intrinsic) {
	for i, b := range info.SrcBits {
		v.check(b == 0 || b.Has(in.Srcs[i].Def.BitSize), "I16", in, "source %d has %d bits", i, in.Srcs[i].Def.BitSize)
	}
	for k, x := range info.Indices {
		if limit := indexLimits[x]; limit != 0 {
			v.check(in.Imm[k] < limit, "I17", in, "%s %d does not exist", x, in.Imm[k])
		}
		if x == IdxSrcType || x == IdxDestType {
			t := UnpackALUType(in.Imm[k])
			v.check(t.Bits == 0 || t.Class != ClassNone && validBits(t.Bits), "I17", in, "%s %s does not exist", x, indexText(x, in.Imm[k], v.s.Stage, in))
		}
	}
	if k := info.IndexPos(IdxImageArray); k >= 0 && in.Imm[k] != 0 {
		d := Dim(in.Get(IdxImageDim))
		v.check(hasLayers(d), "I17", in, "array of %s", d)
	}
	if k := info.IndexPos(IdxAtomicOp); k >= 0 {
		op := AtomicOp(in.Imm[k])
		v.check((op == AtomicCmpXchg || op == AtomicFCmpXchg) == (info.Mem.Op == MemSwap), "I17", in, "%s has another number of operands", AtomicOpNames[op])
	}
}

// indexLimits are the numbers that indices stay below: those of names, flags
// and components, and what fits into 32 bits. 0 is no limit.
var indexLimits = [optab.NumIndices]uint64{
	IdxAccess: 1 << len(accessNames), IdxDstAccess: 1 << len(accessNames), IdxSrcAccess: 1 << len(accessNames),
	IdxMemoryModes: uint64(modeEnd), IdxAtomicOp: uint64(len(AtomicOpNames)), IdxInterpMode: uint64(len(interpNames)),
	IdxExecutionScope: uint64(len(ScopeNames)), IdxMemoryScope: uint64(len(ScopeNames)), IdxReductionOp: uint64(NumOps),
	IdxImageDim: uint64(len(dimNames)), IdxRayQueryValue: uint64(len(rayQueryValues)), IdxCommitted: 2, IdxColumn: 4, IdxImageArray: 2, IdxFormat: 1 << 8, IdxStreamId: 4,
	IdxNumComponents: 17, IdxBitSize: 65, IdxNumArrayElems: 1 << 16, IdxComponent: 16, IdxSrcType: uint64(ClassBool+1) << 8, IdxDestType: uint64(ClassBool+1) << 8,
	IdxBase: 1 << 32, IdxDescSet: 1 << 32, IdxBinding: 1 << 32, IdxDescType: 1 << 32, IdxAlignMul: 1 << 32, IdxAlignOffset: 1 << 32,
	IdxRangeBase: 1 << 32, IdxRange: 1 << 32, IdxClusterSize: 1 << 32, IdxCallIdx: 1 << 32, IdxStackSize: 1 << 32, IdxParamIdx: 1 << 32,
}

// derefs checks rule I18: what works on variables or memory through a deref has
// one of what it works on.
func (v *validator) derefs(in *Instr) {
	switch in.Intr {
	case IntrDerefAtomic, IntrDerefAtomicSwap:
		d := in.Srcs[0].Def.Instr.DerefInfo()
		v.check(d.Type.IsScalar() && d.Type.Bits == in.Def.BitSize, "I18", in, "atomic of %d bits on a %s", in.Def.BitSize, d.Type)
		v.check(d.Modes&^ModeReadOnly != 0, "I18", in, "atomic on %s", d.Modes)
	case IntrInterpDerefAtCentroid, IntrInterpDerefAtSample, IntrInterpDerefAtOffset, IntrInterpDerefAtVertex:
		d := in.Srcs[0].Def.Instr.DerefInfo()
		v.check(d.Modes == ModeShaderIn, "I18", in, "interpolation of %s", d.Modes)
		v.check(d.Type.IsVectorOrScalar() && d.Type.Rows == in.Def.NumComponents && d.Type.Bits == in.Def.BitSize, "I18", in, "interpolation of a %s", d.Type)
	}
	if info := in.Intr.Info(); info.Mem.Space == SpaceImage && info.Derefs > 0 {
		d := in.Srcs[0].Def.Instr.DerefInfo()
		v.check(d.Modes&^opaqueModes == 0 && d.Type.Base == BaseImage, "I18", in, "no image, but a %s in %s", d.Type, d.Modes)
	}
}
