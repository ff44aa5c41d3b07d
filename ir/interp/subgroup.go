package interp

import (
	"math"
	"math/bits"

	"nirc/internal/emu"
	"nirc/ir"
)

// Operations that look at other lanes of the wave. A lane outside the wave, or
// not active, has the bits of Options.UndefPattern where its value is asked for,
// or if that is not 0 others each time, so that they do not cancel out.

// gather gives each active lane the value of another: from returns its number.
func (w *Wave) gather(i *inst, from func(l int) int) {
	x := i.x
	for k := range int32(i.n) {
		src := x.src[0][k]
		tmp := &w.lane
		absent := w.poison
		if absent != 0 {
			h := w.absent * 0x9e3779b97f4a7c15
			absent ^= (h ^ h>>32) * 0xbf58476d1ce4e5b9 >> 58 << 16
			w.absent++
		}
		for _, l := range w.on {
			f := from(int(l))
			tmp[l] = absent & lowBits(i.bits)
			if f >= 0 && f < w.p.lanes && w.active.Get(f) {
				tmp[l] = w.regs[src+int32(f)]
			}
		}
		for _, l := range w.on {
			w.regs[i.dst+k*w.w+int32(l)] = tmp[l]
		}
	}
}

// set gives every active lane the same scalar.
func (w *Wave) set(i *inst, v uint64) {
	d := w.regs[i.dst:]
	for _, l := range w.on {
		d[l] = v & lowBits(i.bits)
	}
}

// maskOf reads the ballot in source k of a lane.
func (w *Wave) maskOf(i *inst, k, l int) emu.Mask {
	var m emu.Mask
	size := int(i.x.in.Srcs[k].Def.BitSize)
	for c, s := range i.x.src[k] {
		at := c * size
		if at >= 128 {
			break
		}
		m[at>>6] |= w.regs[s+int32(l)] << (at & 63)
	}
	return m
}

func count(m emu.Mask) uint64 { return uint64(bits.OnesCount64(m[0]) + bits.OnesCount64(m[1])) }

func lowest(m emu.Mask) int {
	if m[0] != 0 {
		return bits.TrailingZeros64(m[0])
	}
	return 64 + bits.TrailingZeros64(m[1])
}

func highest(m emu.Mask) int {
	if m[1] != 0 {
		return 127 - bits.LeadingZeros64(m[1])
	}
	return 63 - bits.LeadingZeros64(m[0])
}

// execSubgroup runs a subgroup intrinsic; false: it is none.
func (w *Wave) execSubgroup(i *inst) bool {
	if w.execGather(i) || w.execVote(i) || w.execBallot(i) {
		return true
	}
	switch i.x.in.Intr {
	case ir.IntrReduce, ir.IntrInclusiveScan, ir.IntrExclusiveScan:
		w.execScan(i)
	default:
		return false
	}
	return true
}

func (w *Wave) execGather(i *inst) bool {
	x := i.x
	arg := func(l int) int { return int(uint32(w.regs[x.src[1][0]+int32(l)])) }
	var from func(l int) int
	switch x.in.Intr {
	case ir.IntrReadInvocation, ir.IntrShuffle:
		from = arg
	case ir.IntrReadFirstInvocation:
		if !w.active.Any() {
			return true
		}
		first := lowest(w.active)
		from = func(int) int { return first }
	case ir.IntrShuffleXor:
		from = func(l int) int { return l ^ arg(l) }
	case ir.IntrShuffleUp:
		from = func(l int) int { return l - arg(l) }
	case ir.IntrShuffleDown:
		from = func(l int) int { return l + arg(l) }
	case ir.IntrRotate:
		n := int(x.in.Get(ir.IdxClusterSize))
		if n == 0 || n > w.p.lanes {
			n = w.p.lanes
		}
		from = func(l int) int { return l&^(n-1) | (l+arg(l))&(n-1) }
	case ir.IntrQuadBroadcast:
		from = func(l int) int { return l&^3 | arg(l)&3 }
	case ir.IntrQuadSwapHorizontal:
		from = func(l int) int { return l ^ 1 }
	case ir.IntrQuadSwapVertical:
		from = func(l int) int { return l ^ 2 }
	case ir.IntrQuadSwapDiagonal:
		from = func(l int) int { return l ^ 3 }
	default:
		return false
	}
	w.gather(i, from)
	return true
}

func (w *Wave) execVote(i *inst) bool {
	x := i.x
	switch x.in.Intr {
	case ir.IntrElect:
		for n, l := range w.on {
			w.regs[i.dst+int32(l)] = truth(n == 0) * lowBits(i.bits)
		}
	case ir.IntrFirstInvocation:
		w.set(i, uint64(lowest(w.active)))
	case ir.IntrLastInvocation:
		w.set(i, uint64(highest(w.active)))
	case ir.IntrVoteAny:
		m := w.where1(x.src[0][0])
		w.set(i, truth(m.Any())*lowBits(i.bits))
	case ir.IntrVoteAll:
		w.set(i, truth(w.where1(x.src[0][0]) == w.active)*lowBits(i.bits))
	case ir.IntrVoteIeq, ir.IntrVoteFeq:
		w.set(i, truth(w.allEqual(i))*lowBits(i.bits))
	case ir.IntrQuadVoteAny, ir.IntrQuadVoteAll:
		m := w.where1(x.src[0][0])
		for _, l := range w.on {
			q := int(l) &^ 3
			set, on := m[q>>6]>>(q&63)&15, w.active[q>>6]>>(q&63)&15
			r := set != 0
			if x.in.Intr == ir.IntrQuadVoteAll {
				r = set == on
			}
			w.regs[i.dst+int32(l)] = truth(r) * lowBits(i.bits)
		}
	default:
		return false
	}
	return true
}

// allEqual reports whether source 0 is the same in all active lanes.
func (w *Wave) allEqual(i *inst) bool {
	size := i.x.in.Srcs[0].Def.BitSize
	for _, s := range i.x.src[0] {
		for _, l := range w.on {
			a, b := w.regs[s+int32(l)], w.regs[s+int32(w.on[0])]
			if i.x.in.Intr == ir.IntrVoteIeq && a != b || i.x.in.Intr == ir.IntrVoteFeq && ir.FloatValue(a, size) != ir.FloatValue(b, size) {
				return false
			}
		}
	}
	return true
}

func (w *Wave) execBallot(i *inst) bool {
	x := i.x
	all := firstLanes(w.p.lanes)
	var f func(l int) uint64
	switch x.in.Intr {
	case ir.IntrBallot, ir.IntrBallotRelaxed:
		m := w.where1(x.src[0][0])
		for k := range int32(i.n) {
			at := int(k) * int(i.bits)
			v := uint64(0)
			if at < 128 {
				v = m[at>>6] >> (at & 63) & lowBits(i.bits)
			}
			for _, l := range w.on {
				w.regs[i.dst+k*w.w+int32(l)] = v
			}
		}
		return true
	case ir.IntrInverseBallot:
		f = func(l int) uint64 { m := w.maskOf(i, 0, l); return truth(m.Get(l)) * lowBits(i.bits) }
	case ir.IntrBallotBitfieldExtract:
		f = func(l int) uint64 {
			m := w.maskOf(i, 0, l)
			n := w.regs[x.src[1][0]+int32(l)]
			return truth(n < 128 && m.Get(int(n&127))) * lowBits(i.bits)
		}
	case ir.IntrBallotBitCountReduce:
		f = func(l int) uint64 { return count(and(w.maskOf(i, 0, l), all)) }
	case ir.IntrBallotBitCountInclusive:
		f = func(l int) uint64 { return count(and(w.maskOf(i, 0, l), firstLanes(l+1))) }
	case ir.IntrBallotBitCountExclusive:
		f = func(l int) uint64 { return count(and(w.maskOf(i, 0, l), firstLanes(l))) }
	case ir.IntrBallotFindLsb, ir.IntrBallotFindMsb:
		f = func(l int) uint64 {
			m := and(w.maskOf(i, 0, l), all)
			switch {
			case !m.Any():
				return lowBits(i.bits)
			case x.in.Intr == ir.IntrBallotFindLsb:
				return uint64(lowest(m))
			}
			return uint64(highest(m))
		}
	default:
		return false
	}
	for _, l := range w.on {
		w.lane[l] = f(int(l)) & lowBits(i.bits)
	}
	for _, l := range w.on {
		w.regs[i.dst+int32(l)] = w.lane[l]
	}
	return true
}

// identity is the neutral value of a reduction.
func identity(op ir.Op, size uint8) uint64 {
	all := lowBits(size)
	switch op {
	case ir.OpImul:
		return 1
	case ir.OpFmul:
		return ir.FloatBits(1, size)
	case ir.OpImin:
		return all >> 1
	case ir.OpImax:
		return all>>1 + 1
	case ir.OpUmin, ir.OpIand:
		return all
	case ir.OpFmin:
		return ir.FloatBits(math.Inf(1), size)
	case ir.OpFmax:
		return ir.FloatBits(math.Inf(-1), size)
	}
	return 0
}

// execScan runs reduce and the scans, in lane order.
func (w *Wave) execScan(i *inst) {
	x := i.x
	n := int(x.in.Get(ir.IdxClusterSize))
	if n == 0 || n > w.p.lanes || n&(n-1) != 0 {
		n = w.p.lanes
	}
	id := identity(ir.Op(x.in.Get(ir.IdxReductionOp)), i.bits)
	for k := range int32(i.n) {
		src := x.src[0][k]
		acc, cluster, any := id, -1, false
		for _, l := range w.on {
			if c := int(l) / n; c != cluster {
				acc, cluster, any = id, c, false
			}
			before := acc
			v := w.regs[src+int32(l)]
			if any {
				w.args = [4]uint64{acc, v}
				acc = x.eval(w.p.mode, i.bits, &w.args)
			} else {
				acc, any = v, true
			}
			w.lane[l] = acc
			if x.in.Intr == ir.IntrExclusiveScan {
				w.lane[l] = before
			}
		}
		if x.in.Intr == ir.IntrReduce { // the last lane of a cluster has the whole
			for j := len(w.on) - 1; j > 0; j-- {
				if int(w.on[j])/n == int(w.on[j-1])/n {
					w.lane[w.on[j-1]] = w.lane[w.on[j]]
				}
			}
		}
		for _, l := range w.on {
			w.regs[i.dst+k*w.w+int32(l)] = w.lane[l]
		}
	}
}

// wholeQuad reports whether all lanes of a lane's quad are active. Where they are
// not, Vulkan leaves derivatives undefined.
func (w *Wave) wholeQuad(l int) bool {
	q := l &^ 3
	return w.active[q>>6]>>(q&63)&15 == 15
}

// execDerivative runs ddx and ddy; the forms without a name are the fine ones.
// Where a lane of the quad that is asked for is not active, the lane's own
// value stands for it: undefined, but the same in every run of one UndefPattern.
func (w *Wave) execDerivative(i *inst) {
	x := i.x
	step, coarse := 1, false
	switch x.in.Intr {
	case ir.IntrDdx:
		coarse = w.p.other
	case ir.IntrDdy:
		step, coarse = 2, w.p.other
	case ir.IntrDdyFine:
		step = 2
	case ir.IntrDdxCoarse:
		coarse = true
	case ir.IntrDdyCoarse:
		step, coarse = 2, true
	}
	sub := ir.OpFsub.Info().Eval
	for k := range int32(i.n) {
		src := x.src[0][k]
		for _, l := range w.on {
			if w.p.undef != 0 && !w.wholeQuad(int(l)) {
				w.lane[l] = w.p.undef & lowBits(i.bits)
				continue
			}
			base := int(l) &^ step
			if coarse {
				base = int(l) &^ 3
			}
			w.args = [4]uint64{w.regs[src+int32(l)], w.regs[src+int32(l)]}
			if w.active.Get(base + step) {
				w.args[0] = w.regs[src+int32(base+step)]
			}
			if w.active.Get(base) {
				w.args[1] = w.regs[src+int32(base)]
			}
			w.lane[l] = sub(w.p.mode, i.bits, &w.args)
		}
		for _, l := range w.on {
			w.regs[i.dst+k*w.w+int32(l)] = w.lane[l]
		}
	}
}
