package isa

// Op is an instruction: one row of the table. Two rows may share a mnemonic
// (ldg.a has one encoding on a6xx and another on a7xx).
type Op uint16

// The instructions. OpRaw is a word that decodes to nothing.
const (
	OpRaw Op = iota

	// Category 0.
	OpNop
	OpBr
	OpBrao
	OpBraa
	OpBrac
	OpBany
	OpBall
	OpBrax
	OpJump
	OpCall
	OpRet
	OpKill
	OpEnd
	OpEmit
	OpCut
	OpChmask
	OpChsh
	OpFlowRev
	OpBkt
	OpGetlast
	OpGetone
	OpShps
	OpShpe
	OpPredt
	OpPredf
	OpPrede

	// Category 1.
	OpMov
	OpCov
	OpMova
	OpMova1
	OpSwz
	OpGat
	OpSct
	OpMovmsk

	// Category 2.
	OpAddF
	OpMinF
	OpMaxF
	OpMulF
	OpSignF
	OpCmpsF
	OpAbsnegF
	OpCmpvF
	OpFloorF
	OpCeilF
	OpRndneF
	OpRndazF
	OpTruncF
	OpAddU
	OpAddS
	OpSubU
	OpSubS
	OpCmpsU
	OpCmpsS
	OpMinU
	OpMinS
	OpMaxU
	OpMaxS
	OpAbsnegS
	OpAndB
	OpOrB
	OpNotB
	OpXorB
	OpCmpvU
	OpCmpvS
	OpMulU24
	OpMulS24
	OpMullU
	OpBfrevB
	OpClzS
	OpClzB
	OpShlB
	OpShrB
	OpAshrB
	OpBaryF
	OpFlatB
	OpMgenB
	OpGetbitB
	OpSetrm
	OpCbitsB
	OpShb
	OpMsad

	// Category 3.
	OpMadU16
	OpMadshU16
	OpMadS16
	OpMadshM16
	OpMadU24
	OpMadS24
	OpMadF16
	OpMadF32
	OpSelB16
	OpSelB32
	OpSelS16
	OpSelS32
	OpSelF16
	OpSelF32
	OpSadS16
	OpSadS32
	OpShrm
	OpShlm
	OpShrg
	OpShlg
	OpAndg
	OpDp2acc
	OpDp4acc
	OpWmm
	OpWmmAccu

	// Category 4.
	OpRcp
	OpRsq
	OpLog2
	OpExp2
	OpSin
	OpCos
	OpSqrt
	OpHrsq
	OpHlog2
	OpHexp2

	// Category 5.
	OpIsam
	OpIsaml
	OpIsamm
	OpSam
	OpSamb
	OpSaml
	OpSamgq
	OpGetlod
	OpConv
	OpConvm
	OpGetsize
	OpGetbuf
	OpGetpos
	OpGetinfo
	OpDsx
	OpDsy
	OpGather4r
	OpGather4g
	OpGather4b
	OpGather4a
	OpSamgp0
	OpSamgp1
	OpSamgp2
	OpSamgp3
	OpDsxpp1
	OpDsypp1
	OpRgetpos
	OpRgetinfo
	OpTcinv
	OpBrcstActive
	OpQuadBrcst
	OpQuadHoriz
	OpQuadVert
	OpQuadDiag

	// Category 6.
	OpLdg
	OpLdgA6
	OpLdgA7
	OpLdgK
	OpStg
	OpStgA6
	OpStgA7
	OpLdl
	OpLdp
	OpLdlw
	OpStl
	OpStp
	OpStlw
	OpLdlv
	OpStc
	OpStsc
	OpAtomicLAdd
	OpAtomicLSub
	OpAtomicLXchg
	OpAtomicLInc
	OpAtomicLDec
	OpAtomicLCmpxchg
	OpAtomicLMin
	OpAtomicLMax
	OpAtomicLAnd
	OpAtomicLOr
	OpAtomicLXor
	OpAtomicGAdd
	OpAtomicGSub
	OpAtomicGXchg
	OpAtomicGInc
	OpAtomicGDec
	OpAtomicGCmpxchg
	OpAtomicGMin
	OpAtomicGMax
	OpAtomicGAnd
	OpAtomicGOr
	OpAtomicGXor
	OpLdib
	OpStib
	OpResbase
	OpResinfo
	OpAtomicBAdd
	OpAtomicBSub
	OpAtomicBXchg
	OpAtomicBCmpxchg
	OpAtomicBMin
	OpAtomicBMax
	OpAtomicBAnd
	OpAtomicBOr
	OpAtomicBXor
	OpLdc
	OpLdcK
	OpGetspid
	OpGetwid
	OpGetfiberid
	OpShflXor
	OpShflUp
	OpShflDown
	OpShflRup
	OpShflRdown
	OpRayIntersection

	// Category 7.
	OpBar
	OpFence
	OpSleepS
	OpSleepL
	OpIcinv
	OpDcclnShr
	OpDcclnAll
	OpDcinvShr
	OpDcinvAll
	OpDcfluShr
	OpDcfluAll
	OpCcinv
	OpLock
	OpUnlock
	OpAlias

	// Category 5 again: image processing, last, as the numbers of the others stand in testdata of the core.
	OpImgHof
	OpImgPcmn
	OpImgSad
	OpImgSsd

	// NumOps is the number of instructions.
	NumOps
)

// String returns the mnemonic without its suffixes.
func (o Op) String() string {
	if o < NumOps && opTable[o].name != "" {
		return opTable[o].name
	}
	return "raw"
}

// Category returns the instruction's category, 0 to 7. OpRaw has none, -1.
func (o Op) Category() int {
	if o == OpRaw || o >= NumOps {
		return -1
	}
	return int(opTable[o].value >> 61)
}
