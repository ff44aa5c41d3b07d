package agx

import (
	"nirc/backend/agx/isa"
	"nirc/internal/lazy"
)

// unit is where an instruction executes.
type unit uint8

const (
	unitNone unit = iota
	unitF
	unitSCIB
	unitIC
)

// timing is the unit and the issue interval of an instruction.
type timing struct {
	unit     unit
	interval int
}

// timings is the model of agx.md §10.4; what is
// not in it takes no cycles.
var timings = lazy.Value[*[isa.NumOps]timing]{Make: func() *[isa.NumOps]timing {
	t := new([isa.NumOps]timing)
	set := func(u unit, interval int, ops ...isa.Op) {
		for _, op := range ops {
			t[op] = timing{u, interval}
		}
	}
	set(unitF, 1, isa.OpFmadd32, isa.OpFadd32, isa.OpFmul32, isa.OpFmadd16, isa.OpFadd16, isa.OpFmul16)
	set(unitSCIB, 1, isa.OpMovImm16, isa.OpMovImm32, isa.OpBitop, isa.OpIcmpsel, isa.OpFcmpsel, isa.OpIadd)
	set(unitSCIB, 2, isa.OpGetSR, isa.OpIcmpBallot, isa.OpFcmpBallot, isa.OpIcmpQuadBallot, isa.OpFcmpQuadBallot,
		isa.OpSimdShuffle, isa.OpSimdShuffleXor, isa.OpSimdShuffleUp, isa.OpSimdShuffleDown, isa.OpSimdShuffleRotateUp,
		isa.OpQuadShuffle, isa.OpQuadShuffleXor, isa.OpQuadShuffleUp, isa.OpQuadShuffleDown, isa.OpQuadShuffleRotateUp)
	set(unitSCIB, 24, isa.OpReduce)
	set(unitIC, 2, isa.OpImadd, isa.OpBfi, isa.OpBfeil, isa.OpExtr, isa.OpAsr, isa.OpFloor, isa.OpSinPt1, isa.OpSinPt2, isa.OpLog2, isa.OpExp2)
	set(unitIC, 3, isa.OpRcp)
	set(unitIC, 4, isa.OpRsqrt, isa.OpRsqrtSpecial)
	return t
}}

// prefixInterval is the issue interval of a prefix scan.
const prefixInterval = 18

// cycles estimates the streams of the two groups of units.
func cycles(list []*pinstr) (fscib, ic int) {
	for _, in := range list {
		t := timings.Get()[in.Op]
		if in.Op == isa.OpReduce && in.Flags&isa.Prefix != 0 {
			t.interval = prefixInterval
		}
		switch t.unit {
		case unitIC:
			ic += 2 * t.interval
			fscib++
		case unitF, unitSCIB:
			fscib += t.interval
		}
	}
	return fscib, ic
}
