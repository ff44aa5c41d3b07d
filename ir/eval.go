package ir

import (
	"sync"

	"nirc/ir/optab"
)

// ModeOf returns the float environment that a shader's execution modes ask
// for: denormals are kept unless flushed, rounding is to nearest unless toward zero.
func ModeOf(fc FloatControls) optab.Mode {
	at := func(p FloatControls) uint8 { return uint8(fc/p) & 7 }
	return optab.Mode{FlushDenorm: at(FCDenormFlush), RTZ: at(FCRoundRTZ), SignedZero: at(FCSignedZeroPreserve)}
}

// evalArgs are the operands of one evaluation.
type evalArgs struct {
	words [48]uint64
	srcs  [16][]uint64
	one   [4]uint64
	dst   [16]uint64
}

// evalScratch keeps them: evaluations are called through a table, so they are on the heap.
var evalScratch = sync.Pool{New: func() any { return new(evalArgs) }}

// EvalConstALU computes an ALU instruction whose sources are all load_const,
// swizzles honoured. It returns the result's components, zero-extended, and
// false if a source is not constant or the operation has no evaluation.
func EvalConstALU(in *Instr, m optab.Mode) ([16]uint64, bool) {
	if in.Kind != KindALU {
		return [16]uint64{}, false
	}
	for i := range in.Srcs {
		if !in.Srcs[i].Def.IsConst() {
			return [16]uint64{}, false
		}
	}
	info := in.Op.Info()
	a := evalScratch.Get().(*evalArgs)
	defer evalScratch.Put(a)
	a.dst = [16]uint64{}
	n := int(in.Def.NumComponents)
	switch {
	case info.Eval != nil:
		for c := range n {
			for i := range in.Srcs {
				a.one[i], _ = in.Srcs[i].Const(c)
			}
			a.dst[c] = info.Eval(m, in.OpBits(), &a.one)
		}
	case info.EvalVec != nil:
		at := 0
		for i := range in.Srcs {
			first := at
			for c := range in.SrcComps(i) {
				a.words[at], _ = in.Srcs[i].Const(c)
				at++
			}
			a.srcs[i] = a.words[first:at]
		}
		info.EvalVec(m, in.OpBits(), a.srcs[:len(in.Srcs)], a.dst[:n])
	default:
		return [16]uint64{}, false
	}
	return a.dst, true
}
