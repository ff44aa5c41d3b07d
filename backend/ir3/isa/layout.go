package isa

// fix is a constant of an encoding: bits [lo, lo+n) hold v.
type fix struct {
	lo, n uint8
	v     uint64
}

// field places a part of an instruction at bits [lo, lo+n) of the word.
type field struct {
	id    fieldID
	lo, n uint8
}

// form selects the rules that tie fields to each other (operand sizes,
// operand kinds); formPlain has none.
type form uint8

const (
	formPlain form = iota
	formMov
	formSwz
	formALU
	formBary
	formMad
	formAlt
	formDot
	formWmm
	formSFU
	formTex
	formMem
	formAtomic
	formIbo
	formDesc
	formAlias
)

// immClass says how an immediate source is written.
type immClass uint8

const (
	immNone immClass = iota
	immInt
	immFLUT
	immMov   // by the source type
	immAlias // (1.0), (0x1), with h first if 16 bits
)

// dataOperand says which operands have the size of Type.
type dataOperand uint8

const (
	dataNone    dataOperand = 0
	dataDst     dataOperand = 1
	dataSrc1    dataOperand = 2
	dataSrc2    dataOperand = 4
	dataDstSrc1             = dataDst | dataSrc1
	dataAtomic              = dataDst | dataSrc2
	dataAtomicB             = dataSrc1
)

const (
	genBoth uint8 = iota
	gen6
	gen7
)

// opInfo is one row of the table.
type opInfo struct {
	name   string // mnemonic without suffixes
	match  []fix
	layout []field
	form   form
	imm    immClass
	data   dataOperand
	gens   uint8
	nsrc   uint8  // category 5: source vectors
	samp   bool   // category 5: has a sampler
	tex    bool   // category 5: has a texture
	typed  bool   // category 5: prints its type
	half   bool   // category 3 normal form: sources are half registers
	text   string // what follows name; see texts

	mask, value uint64 // from match
}

func (o *opInfo) onGen(g Gen) bool {
	return o.gens == genBoth || o.gens == gen6 && g == A6xx || o.gens == gen7 && g == A7xx
}

type fieldID uint8

// Fields. The first group is transferred by (*xfer).simple, the second by the
// rules of the instruction's form.
const (
	fSY fieldID = iota
	fSS
	fJP
	fEQ
	fUL
	fEI
	fSat
	fRepeat
	fTarget
	fPred1
	fPred2
	fIndex
	fType
	fSrcType
	fCond
	fRound
	fDst
	fReg1
	fReg2
	fReg3
	fReg4
	fImm1
	fImm2
	fConst1
	fConstDst
	fOffS
	fOffU
	fOffLo // stores: 7:0 of the offset
	fOffHi // stores: 12:8
	fShift
	fSize
	fSize1 // size - 1
	fDims1 // dims - 1
	fTyped
	fUniform
	fSigned
	fHigh
	fWrMask
	f3D
	fA
	fO
	fClp
	fP
	fS
	fG
	fL
	fR
	fW
	fSRCR1 // (r) of src1 and nothing else
	fStscLo
	fStscHi
	numSimple

	fSrc1 = iota
	fSrc2
	fSrc3
	fSrcKind
	fDstRel
	fR1
	fR2
	fR3
	fNeg1
	fNeg2
	fNeg3
	fFull
	fConv
	fDstFull
	fInv1D
	fBaseHi
	fBaseLo
	fS2EN
	fTexHi // 31:21 of category 5
	fMode
	fBindless
	fBase
	fHasOff
	fOff5
	fOff2
	fScopeLo
	fScopeHi
	fBits
	fSize32
	numFields
)

var (
	layZero    = []field{{fSS, 44, 1}}
	layNop     = []field{{fRepeat, 40, 3}, {fSS, 44, 1}, {fEQ, 48, 1}}
	layTarget  = []field{{fTarget, 0, 32}, {fSS, 44, 1}}
	layBr1     = []field{{fTarget, 0, 32}, {fSS, 44, 1}, {fPred1, 52, 3}}
	layBr2     = []field{{fTarget, 0, 32}, {fSS, 44, 1}, {fPred1, 52, 3}, {fPred2, 45, 3}}
	layBrac    = []field{{fTarget, 0, 32}, {fIndex, 32, 5}, {fSS, 44, 1}}
	layKill    = []field{{fSS, 44, 1}, {fPred1, 52, 3}}
	layGetlast = layTarget

	layMova = []field{{fSrc1, 0, 32}, {fR1, 43, 1}, {fSS, 44, 1}, {fUL, 45, 1}, {fRepeat, 40, 2},
		{fSrcKind, 53, 2}, {fRound, 55, 2}}
	layMov = append([]field{{fDst, 32, 8}, {fType, 46, 3}, {fDstRel, 49, 1}, {fSrcType, 50, 3}}, layMova...)
	laySwz = []field{{fReg1, 0, 8}, {fReg2, 8, 8}, {fReg3, 16, 8}, {fDst, 32, 8}, {fSS, 44, 1}, {fUL, 45, 1},
		{fType, 46, 3}, {fSrcType, 50, 3}, {fRound, 55, 2}}
	layGat    = append([]field{{fReg4, 24, 8}}, laySwz...)
	laySct    = layGat
	layMovmsk = []field{{fDst, 32, 8}, {fSize1, 40, 2}, {fSS, 44, 1}, {fUL, 45, 1}, {fRound, 55, 2}}

	layALU1 = []field{{fSrc1, 0, 16}, {fDst, 32, 8}, {fRepeat, 40, 2}, {fSat, 42, 1}, {fR1, 43, 1}, {fSS, 44, 1},
		{fUL, 45, 1}, {fConv, 46, 1}, {fEI, 47, 1}, {fR2, 51, 1}, {fFull, 52, 1}}
	layALU2 = append([]field{{fSrc2, 16, 16}}, layALU1...)
	layCmp  = append([]field{{fCond, 48, 3}}, layALU2...)
	layBary = layALU2

	layMadCommon = []field{{fSrc1, 0, 13}, {fNeg1, 14, 1}, {fR2, 15, 1}, {fSrc3, 16, 13}, {fR3, 29, 1}, {fDst, 32, 8},
		{fRepeat, 40, 2}, {fR1, 43, 1}, {fSS, 44, 1}, {fUL, 45, 1}, {fReg2, 47, 8}}
	layMad = append([]field{{fNeg2, 30, 1}, {fNeg3, 31, 1}, {fSat, 42, 1}, {fConv, 46, 1}}, layMadCommon...)
	layAlt = append([]field{{fNeg2, 30, 1}, {fNeg3, 31, 1}, {fFull, 42, 1}, {fConv, 46, 1}}, layMadCommon...)
	layDot = []field{{fSrc1, 0, 13}, {fSigned, 14, 1}, {fR2, 15, 1}, {fSrc3, 16, 13}, {fR3, 29, 1}, {fHigh, 30, 1},
		{fNeg3, 31, 1}, {fDst, 32, 8}, {fRepeat, 40, 2}, {fSat, 42, 1}, {fR1, 43, 1}, {fSS, 44, 1}, {fUL, 45, 1},
		{fReg2, 47, 8}}
	layWmm = append([]field{{fNeg2, 30, 1}, {fFull, 31, 1}, {fDstFull, 46, 1}}, layMadCommon...)
	laySFU = []field{{fSrc1, 0, 16}, {fDst, 32, 8}, {fRepeat, 40, 2}, {fSat, 42, 1}, {fR1, 43, 1}, {fSS, 44, 1},
		{fUL, 45, 1}, {fConv, 46, 1}, {fFull, 52, 1}}

	layTexMove = []field{{fFull, 0, 1}, {fReg1, 1, 8}, {fDst, 32, 8}, {fWrMask, 40, 4}, {fType, 44, 3}}
	layTexBase = append([]field{{f3D, 48, 1}, {fA, 49, 1}, {fS, 50, 1}, {fO, 52, 1}, {fP, 53, 1}, {fReg2, 9, 8}}, layTexMove...)
	layTex     = append([]field{{fBaseHi, 19, 2}, {fTexHi, 21, 11}, {fBaseLo, 47, 1}, {fS2EN, 51, 1}}, layTexBase...)
	// Bit 18 is .1d of isam, .clp of what samples, and 0 everywhere else.
	layIsam     = append([]field{{fInv1D, 18, 1}}, layTex...)
	layTexLod   = append([]field{{fClp, 18, 1}}, layTex...)
	layTexPlain = layTexBase
	layTexImg   = append([]field{{fBaseHi, 19, 2}, {fTexHi, 21, 11}, {fBaseLo, 47, 1}, {fS2EN, 51, 1}, {f3D, 48, 1}, {fA, 49, 1}, {fReg2, 9, 8}}, layTexMove...)
	layTcinv    = []field{}
	layBrcst    = append([]field{{fIndex, 19, 2}}, layTexMove...)
	layQuad1    = layTexMove
	layQuad2    = append([]field{{fReg2, 9, 8}}, layTexMove...)

	layLdg   = []field{{fOffS, 1, 13}, {fReg1, 14, 8}, {fSize, 24, 3}, {fDst, 32, 8}, {fType, 49, 3}}
	layLdgA6 = []field{{fReg2, 1, 8}, {fOffU, 9, 2}, {fShift, 12, 2}, {fReg1, 14, 8}, {fSize, 24, 3}, {fDst, 32, 8}, {fType, 49, 3}}
	layLdgA7 = []field{{fReg2, 1, 8}, {fReg1, 14, 8}, {fConst1, 13, 1}, {fSize, 24, 3}, {fDst, 32, 8}, {fOffU, 41, 8}, {fType, 49, 3}}
	layLdgK  = []field{{fOffS, 1, 13}, {fReg1, 14, 8}, {fSize, 23, 4}, {fConstDst, 32, 9}, {fType, 49, 3}}
	layStg   = []field{{fReg2, 1, 8}, {fOffHi, 9, 5}, {fSize, 24, 3}, {fOffLo, 32, 8}, {fReg1, 41, 8}, {fType, 49, 3}}
	layStgA6 = []field{{fReg2, 1, 8}, {fOffU, 9, 2}, {fShift, 12, 2}, {fSize, 24, 3}, {fReg3, 32, 8}, {fReg1, 41, 8}, {fType, 49, 3}}
	layStgA7 = []field{{fReg2, 1, 8}, {fReg1, 41, 8}, {fConst1, 13, 1}, {fOffU, 14, 8}, {fSize, 24, 3}, {fReg3, 32, 8}, {fType, 49, 3}}
	layLdl   = []field{{fOffS, 1, 13}, {fReg1, 14, 8}, {fSize, 24, 8}, {fDst, 32, 8}, {fType, 49, 3}}
	layStl   = []field{{fReg2, 1, 8}, {fOffHi, 9, 5}, {fSize, 24, 8}, {fOffLo, 32, 8}, {fReg1, 41, 8}, {fType, 49, 3}}
	layLdlv  = []field{{fOffU, 1, 13}, {fSize, 24, 8}, {fDst, 32, 8}, {fType, 49, 3}}
	layStc   = []field{{fReg1, 1, 8}, {fSize, 24, 3}, {fConstDst, 32, 9}, {fType, 49, 3}}
	layStsc  = []field{{fSrc1, 1, 8}, {fStscHi, 9, 5}, {fSize, 24, 8}, {fStscLo, 32, 8}, {fType, 49, 3}}

	layAtomic = []field{{fDims1, 9, 2}, {fTyped, 11, 1}, {fSize1, 12, 2}, {fReg1, 14, 8}, {fImm1, 22, 1}, {fReg2, 24, 8},
		{fImm2, 23, 1}, {fDst, 32, 8}, {fType, 49, 3}}
	layDesc    = []field{{fBase, 1, 3}, {fMode, 6, 2}, {fBindless, 8, 1}, {fSize1, 12, 2}}
	layDescT   = append([]field{{fDims1, 9, 2}, {fTyped, 11, 1}, {fType, 49, 3}}, layDesc...)
	layOff     = []field{{fOff2, 4, 2}, {fHasOff, 23, 1}, {fOff5, 54, 5}}
	layIbo     = cat(layDescT, layOff, []field{{fReg1, 24, 8}, {fDst, 32, 8}, {fReg2, 41, 8}})
	layStib    = cat(layDescT, layOff, []field{{fReg1, 32, 8}, {fReg2, 24, 8}, {fReg3, 41, 8}})
	layRes     = cat(layDescT, []field{{fDst, 32, 8}, {fReg1, 41, 8}})
	layAtomicB = cat(layDescT, []field{{fReg1, 32, 8}, {fReg2, 24, 8}, {fReg3, 41, 8}})
	layLdc     = cat(layDesc, []field{{fIndex, 9, 2}, {fUniform, 11, 1}, {fReg1, 24, 8}, {fImm1, 23, 1}, {fDst, 32, 8}, {fReg2, 41, 8}})
	layLdcK    = []field{{fBase, 1, 3}, {fMode, 6, 2}, {fBindless, 8, 1}, {fReg1, 24, 8}, {fImm1, 23, 1}, {fSize1, 32, 8}, {fReg2, 41, 8}}
	layGetID   = []field{{fDst, 32, 8}, {fType, 49, 3}}
	layShfl    = []field{{fReg1, 1, 8}, {fReg2, 24, 8}, {fImm2, 23, 1}, {fDst, 32, 8}, {fType, 49, 3}}
	layRay     = []field{{fReg2, 1, 8}, {fReg1, 14, 8}, {fConst1, 13, 1}, {fReg3, 24, 8}, {fDst, 32, 8}, {fReg4, 41, 8}}

	laySS    = []field{{fSS, 44, 1}}
	layBar   = []field{{fSS, 44, 1}, {fW, 51, 1}, {fR, 52, 1}, {fL, 53, 1}, {fG, 54, 1}}
	layAlias = []field{{fSrc1, 0, 32}, {fDst, 32, 8}, {fIndex, 40, 4}, {fSS, 44, 1}, {fScopeLo, 47, 1}, {fBits, 48, 1},
		{fScopeHi, 49, 1}, {fSize32, 50, 1}, {fSrcKind, 51, 2}}
)

func cat(parts ...[]field) []field {
	var all []field
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}
