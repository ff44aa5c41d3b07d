package interp

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"nirc/ir"
)

// lanesOf is what an invocation of a wave sees of it: the values of all its lanes, and which run.
type lanesOf struct {
	v      []uint32
	active []bool
	l      int // the invocation
	arg    int
}

// from is the value of a lane, 0 where that does not run or is not there.
func (x *lanesOf) from(k int) uint32 {
	if k < 0 || k >= len(x.v) || !x.active[k] {
		return 0
	}
	return x.v[k]
}

// first and last of the lanes that run.
func (x *lanesOf) first() int {
	for k := range x.active {
		if x.active[k] {
			return k
		}
	}
	return -1
}

func (x *lanesOf) last() (n int) {
	for k := range x.active {
		if x.active[k] {
			n = k
		}
	}
	return n
}

// fold goes through the lanes of the cluster that run, up to the invocation's own or all.
func (x *lanesOf) fold(size int, f func(a, b uint32) uint32, id uint32, upTo func(k int) bool) uint32 {
	base := x.l / size * size
	r := id
	for k := base; k < base+size && k < len(x.v); k++ {
		if x.active[k] && upTo(k) {
			r = f(r, x.v[k])
		}
	}
	return r
}

// count counts the lanes from a to b (without b) whose bit of the ballot of bit 3 of the values is set.
func (x *lanesOf) count(a, b int) (n uint32) {
	for k := a; k < b && k < len(x.v); k++ {
		if x.active[k] && x.v[k]>>3&1 != 0 {
			n++
		}
	}
	return n
}

func truth32(b bool) uint32 { return uint32(truth(b)) }

// subgroupCase is an operation on the value v of each lane and an argument (lane%7), and what it gives by its definition.
type subgroupCase struct {
	name string
	make func(b *ir.Builder, v, arg *ir.Def) *ir.Def
	want func(x *lanesOf) uint32
}

func simple(i ir.Intrinsic, args ...int) func(b *ir.Builder, v, arg *ir.Def) *ir.Def {
	return func(b *ir.Builder, v, arg *ir.Def) *ir.Def {
		src := []*ir.Def{v}
		for range args {
			src = append(src, arg)
		}
		return &b.Intrinsic(i, 1, 32, src...).Def
	}
}

// ballot is the ballot of bit 3 of the value.
func ballot(b *ir.Builder, v *ir.Def) *ir.Def {
	return &b.Intrinsic(ir.IntrBallot, 4, 32, b.Ine(b.Iand(v, b.Imm32(8)), b.Imm32(0))).Def
}

func ofBallot(i ir.Intrinsic) func(b *ir.Builder, v, arg *ir.Def) *ir.Def {
	return func(b *ir.Builder, v, _ *ir.Def) *ir.Def { return &b.Intrinsic(i, 1, 32, ballot(b, v)).Def }
}

func ballotWord(k int) subgroupCase {
	return subgroupCase{"ballot", func(b *ir.Builder, v, _ *ir.Def) *ir.Def { return b.Channel(ballot(b, v), k) }, func(x *lanesOf) (w uint32) {
		for l := range 32 {
			w |= x.count(32*k+l, 32*k+l+1) << l
		}
		return w
	}}
}

func vote(i ir.Intrinsic, mask uint32, want func(x *lanesOf, set func(k int) bool) bool) subgroupCase {
	return subgroupCase{i.Info().Name, func(b *ir.Builder, v, _ *ir.Def) *ir.Def {
		return b.B2i32(&b.Intrinsic(i, 1, 1, b.Ine(b.Iand(v, b.Imm32(mask)), b.Imm32(0))).Def)
	}, func(x *lanesOf) uint32 {
		return truth32(want(x, func(k int) bool { return x.v[k]&mask != 0 }))
	}}
}

// all reports whether f holds for the lanes from a to b that run.
func (x *lanesOf) all(a, b int, f func(k int) bool) bool {
	for k := a; k < b && k < len(x.v); k++ {
		if x.active[k] && !f(k) {
			return false
		}
	}
	return true
}

var subgroupCases = []subgroupCase{
	{"shuffle", simple(ir.IntrShuffle, 1), func(x *lanesOf) uint32 { return x.from(x.arg) }},
	{"read_invocation", func(b *ir.Builder, v, _ *ir.Def) *ir.Def { return simple(ir.IntrReadInvocation, 1)(b, v, b.Imm32(3)) }, func(x *lanesOf) uint32 { return x.from(3) }},
	{"shuffle_xor", simple(ir.IntrShuffleXor, 1), func(x *lanesOf) uint32 { return x.from(x.l ^ x.arg) }},
	{"shuffle_up", simple(ir.IntrShuffleUp, 1), func(x *lanesOf) uint32 { return x.from(x.l - x.arg) }},
	{"shuffle_down", simple(ir.IntrShuffleDown, 1), func(x *lanesOf) uint32 { return x.from(x.l + x.arg) }},
	{"rotate", simple(ir.IntrRotate, 1), func(x *lanesOf) uint32 { return x.from((x.l + x.arg) % len(x.v)) }},
	{"quad_broadcast", simple(ir.IntrQuadBroadcast, 1), func(x *lanesOf) uint32 { return x.from(x.l/4*4 + x.arg%4) }},
	{"swap_horizontal", simple(ir.IntrQuadSwapHorizontal), func(x *lanesOf) uint32 { return x.from(x.l ^ 1) }},
	{"swap_vertical", simple(ir.IntrQuadSwapVertical), func(x *lanesOf) uint32 { return x.from(x.l ^ 2) }},
	{"swap_diagonal", simple(ir.IntrQuadSwapDiagonal), func(x *lanesOf) uint32 { return x.from(x.l ^ 3) }},
	{"read_first", simple(ir.IntrReadFirstInvocation), func(x *lanesOf) uint32 { return x.from(x.first()) }},
	{"first", func(b *ir.Builder, _, _ *ir.Def) *ir.Def { return &b.Intrinsic(ir.IntrFirstInvocation, 1, 32).Def }, func(x *lanesOf) uint32 { return uint32(x.first()) }},
	{"last", func(b *ir.Builder, _, _ *ir.Def) *ir.Def { return &b.Intrinsic(ir.IntrLastInvocation, 1, 32).Def }, func(x *lanesOf) uint32 { return uint32(x.last()) }},
	{"elect", func(b *ir.Builder, _, _ *ir.Def) *ir.Def { return b.B2i32(&b.Intrinsic(ir.IntrElect, 1, 1).Def) }, func(x *lanesOf) uint32 { return truth32(x.l == x.first()) }},
	ballotWord(0), ballotWord(1), ballotWord(2), ballotWord(3),
	{"count", ofBallot(ir.IntrBallotBitCountReduce), func(x *lanesOf) uint32 { return x.count(0, 128) }},
	{"count_inclusive", ofBallot(ir.IntrBallotBitCountInclusive), func(x *lanesOf) uint32 { return x.count(0, x.l+1) }},
	{"count_exclusive", ofBallot(ir.IntrBallotBitCountExclusive), func(x *lanesOf) uint32 { return x.count(0, x.l) }},
	{"find_lsb", ofBallot(ir.IntrBallotFindLsb), func(x *lanesOf) uint32 {
		for k := range x.v {
			if x.count(k, k+1) != 0 {
				return uint32(k)
			}
		}
		return 0xffffffff
	}},
	{"find_msb", ofBallot(ir.IntrBallotFindMsb), func(x *lanesOf) uint32 {
		for k := len(x.v) - 1; k >= 0; k-- {
			if x.count(k, k+1) != 0 {
				return uint32(k)
			}
		}
		return 0xffffffff
	}},
	{"inverse_ballot", func(b *ir.Builder, v, _ *ir.Def) *ir.Def {
		return b.B2i32(&b.Intrinsic(ir.IntrInverseBallot, 1, 1, b.Channel(ballot(b, v), 0)).Def)
	}, func(x *lanesOf) uint32 { return x.count(x.l, min(x.l+1, 32)) }},
	{"ballot_extract", func(b *ir.Builder, v, arg *ir.Def) *ir.Def {
		return b.B2i32(&b.Intrinsic(ir.IntrBallotBitfieldExtract, 1, 1, ballot(b, v), b.IMulImm(arg, 23)).Def)
	}, func(x *lanesOf) uint32 {
		if x.arg*23 > 127 {
			return 0
		}
		return x.count(x.arg*23, x.arg*23+1)
	}},
	vote(ir.IntrVoteAny, 7, func(x *lanesOf, set func(int) bool) bool { return !x.all(0, 128, func(k int) bool { return !set(k) }) }),
	vote(ir.IntrVoteAll, 31, func(x *lanesOf, set func(int) bool) bool { return x.all(0, 128, set) }),
	vote(ir.IntrQuadVoteAny, 1, func(x *lanesOf, set func(int) bool) bool {
		return !x.all(x.l/4*4, x.l/4*4+4, func(k int) bool { return !set(k) })
	}),
	vote(ir.IntrQuadVoteAll, 3, func(x *lanesOf, set func(int) bool) bool { return x.all(x.l/4*4, x.l/4*4+4, set) }),
	{"vote_ieq", func(b *ir.Builder, v, _ *ir.Def) *ir.Def {
		return b.B2i32(&b.Intrinsic(ir.IntrVoteIeq, 1, 1, b.Iand(v, b.Imm32(1<<20))).Def)
	},
		func(x *lanesOf) uint32 {
			return truth32(x.all(0, 128, func(k int) bool { return (x.v[k]^x.v[x.first()])>>20&1 == 0 }))
		}},
	{"vote_feq", func(b *ir.Builder, v, _ *ir.Def) *ir.Def { // zeros of both signs are equal
		return b.B2i32(&b.Intrinsic(ir.IntrVoteFeq, 1, 1, b.Bcsel(b.Ine(b.Iand(v, b.Imm32(1<<30)), b.Imm32(0)), b.ImmFloat(2, 32), b.Iand(v, b.Imm32(1<<31)))).Def)
	}, func(x *lanesOf) uint32 {
		return truth32(x.all(0, 128, func(k int) bool { return (x.v[k]^x.v[x.first()])>>30&1 == 0 }))
	}},
}

// reductions are the operations of reduce and of scans of 32-bit integers, with what they start from.
var reductions = []struct {
	op ir.Op
	f  func(a, b uint32) uint32
	id uint32
}{
	{ir.OpIadd, func(a, b uint32) uint32 { return a + b }, 0},
	{ir.OpImul, func(a, b uint32) uint32 { return a * b }, 1},
	{ir.OpImin, func(a, b uint32) uint32 { return uint32(min(int32(a), int32(b))) }, 0x7fffffff},
	{ir.OpImax, func(a, b uint32) uint32 { return uint32(max(int32(a), int32(b))) }, 0x80000000},
	{ir.OpUmin, func(a, b uint32) uint32 { return min(a, b) }, 0xffffffff},
	{ir.OpUmax, func(a, b uint32) uint32 { return max(a, b) }, 0},
	{ir.OpIand, func(a, b uint32) uint32 { return a & b }, 0xffffffff},
	{ir.OpIor, func(a, b uint32) uint32 { return a | b }, 0},
	{ir.OpIxor, func(a, b uint32) uint32 { return a ^ b }, 0},
}

// allSubgroupCases are those above, and reduce and the scans with each operation and several clusters.
func allSubgroupCases(wave int) []subgroupCase {
	list := subgroupCases
	for _, r := range reductions {
		for _, size := range []int{0, 2, 8} {
			if size > wave {
				continue
			}
			whole := size
			if size == 0 {
				whole = wave
			}
			mk := func(i ir.Intrinsic, size int) func(b *ir.Builder, v, _ *ir.Def) *ir.Def {
				return func(b *ir.Builder, v, _ *ir.Def) *ir.Def {
					return &b.Intrinsic(i, 1, 32, v).Set(ir.IdxReductionOp, uint64(r.op)).Set(ir.IdxClusterSize, uint64(size)).Def
				}
			}
			list = append(list, subgroupCase{"reduce " + r.op.String(), mk(ir.IntrReduce, size), func(x *lanesOf) uint32 {
				return x.fold(whole, r.f, r.id, func(int) bool { return true })
			}})
			if size != 0 {
				continue
			}
			list = append(list, subgroupCase{"inclusive " + r.op.String(), mk(ir.IntrInclusiveScan, 0), func(x *lanesOf) uint32 {
				return x.fold(whole, r.f, r.id, func(k int) bool { return k <= x.l })
			}}, subgroupCase{"exclusive " + r.op.String(), mk(ir.IntrExclusiveScan, 0), func(x *lanesOf) uint32 {
				return x.fold(whole, r.f, r.id, func(k int) bool { return k < x.l })
			}})
		}
	}
	return list
}

// TestSubgroupGrid runs each operation of subgroups and quads with random values in waves of several sizes, of which all,
// some or one lane run, against its definition.
func TestSubgroupGrid(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const total = 128
	for _, wave := range []int{4, 32, 64, 128} {
		for _, running := range []uint32{1, 2, 1 << 6} { // one lane of so many, by chance
			cases := allSubgroupCases(wave)
			k := newBench(t, len(cases)+1)
			k.s.Info.WorkgroupSize[0] = total
			b := k.b
			data := make([]byte, 8*total)
			var v, on [total]uint32
			for l := range total {
				v[l] = r.Uint32() | 1<<31*uint32(l&1)
				if wave != 4 && l%3 == 0 {
					v[l] &^= 1<<30 | 1<<20 | 15
				}
				on[l] = truth32(r.Uint32()%running == 0)
				put32(data[8*l:], v[l])
				put32(data[8*l+4:], on[l])
			}
			h := b.Intrinsic(ir.IntrVulkanResourceIndex, 2, 32, b.Imm32(0)).Set(ir.IdxBinding, 1).Set(ir.IdxDescType, 2)
			in := b.Intrinsic(ir.IntrLoadSsbo, 2, 32, b.Channel(&h.Def, 0), b.IMulImm(k.lane, 8)).Set(ir.IdxAlignMul, 4)
			val, arg := b.Channel(&in.Def, 0), b.Umod(k.lane, b.Imm32(7))
			i := b.PushIf(b.Ine(b.Channel(&in.Def, 1), b.Imm32(0)))
			for n, c := range cases {
				k.outAt(c.make(b, val, arg), n)
			}
			b.PopIf(i)
			res := k.run(wave, data)
			for n, c := range cases {
				k.want(res, n, func(l int) uint32 {
					if on[l] == 0 {
						return 0
					}
					base := l / wave * wave
					x := &lanesOf{v: v[base : base+wave], active: make([]bool, wave), l: l - base, arg: l % 7}
					for j := range x.active {
						x.active[j] = on[base+j] != 0
					}
					return c.want(x)
				})
				if t.Failed() {
					t.Fatalf("%s in waves of %d, one of %d running", c.name, wave, running)
				}
			}
		}
	}
}

func put32(b []byte, v uint32) {
	for k := range 4 {
		b[k] = byte(v >> (8 * k))
	}
}

// TestWideReductions: floats and other sizes start from their own neutral values.
func TestWideReductions(t *testing.T) {
	for _, c := range []struct {
		op   ir.Op
		bits uint8
		want uint64 // exclusive, in lane 0
	}{
		{ir.OpFadd, 32, 0}, {ir.OpFmul, 32, 0x3f800000}, {ir.OpFmin, 32, 0x7f800000}, {ir.OpFmax, 32, 0xff800000},
		{ir.OpFmul, 16, 0x3c00}, {ir.OpFmin, 16, 0x7c00}, {ir.OpFmax, 16, 0xfc00}, {ir.OpFmin, 64, 0x7ff0000000000000}, {ir.OpFmax, 64, 0xfff0000000000000},
		{ir.OpImin, 8, 0x7f}, {ir.OpImax, 8, 0x80}, {ir.OpUmin, 16, 0xffff}, {ir.OpImin, 64, 1<<63 - 1}, {ir.OpImax, 64, 1 << 63}, {ir.OpIand, 64, 1<<64 - 1}, {ir.OpImul, 16, 1},
	} {
		if got := identity(c.op, c.bits); got != c.want {
			t.Errorf("%s of %d bits starts from %#x, want %#x", c.op, c.bits, got, c.want)
		}
	}
	if n := bits.OnesCount64(firstLanes(64)[1]); n != 0 {
		t.Errorf("the first 64 lanes have %d after them", n)
	}
}
