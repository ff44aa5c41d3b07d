package mach

import (
	"errors"
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"nirc/backend/gputest"
)

// wishFixed lets random stores of f have their value in a register that a parallel copy takes it to, or that they want
// themselves, and random instructions make what they do a second time, in a fixed register, for the next that reads it.
func wishFixed(f *Func, r *rand.Rand) {
	for b := range f.Blocks {
		var list []*Instr
		for i, in := range f.Blocks[b].Instrs {
			if in.Op == opALU && in.NDefs == 1 && in.Ops[0].Flags == 0 && f.Class(in.Ops[0].Val) == tFull && r.Intn(3) == 0 {
				in = makeTwice(f, in, Reg(2*r.Intn(8)), f.Blocks[b].Instrs[i+1:])
			}
			list = append(list, in)
			if in.Op != opStore || r.Intn(2) > 0 {
				continue
			}
			v := in.Uses()[0].Val
			at := Reg(2 * r.Intn(8))
			if r.Intn(3) == 0 {
				in.Uses()[0].Flags |= Fixed
				in.Uses()[0].Reg = at
				continue
			}
			cp := f.NewInstr(OpPcopy, 1, 1)
			cp.Ops[0].Val, cp.Ops[0].Reg, cp.Ops[1].Val = f.Clone(v), at, v
			cp.Ops[0].Flags |= Fixed
			in.Uses()[0].Val = cp.Ops[0].Val
			list = slices.Insert(list, len(list)-1, cp)
		}
		f.Blocks[b].Instrs = list
	}
}

// makeTwice is in with a second result, which is fixed and which the first of those after it that reads the first one reads.
func makeTwice(f *Func, in *Instr, at Reg, after []*Instr) *Instr {
	d := in.Ops[0].Val
	two := f.NewInstr(in.Op, 2, len(in.Uses()))
	two.Ext = in.Ext
	copy(two.Ops[2:], in.Uses())
	two.Ops[0].Val, two.Ops[1].Val, two.Ops[1].Reg, two.Ops[1].Flags = d, f.Clone(d), at, Fixed
	for _, next := range after {
		for k, u := range next.Uses() {
			if u.Val == d {
				next.Uses()[k].Val = two.Ops[1].Val
				return two
			}
		}
	}
	return two
}

// wishTogether makes groups of values that would like to be in line, and pairs of sources that end and results, of what
// instructions of f make.
func wishTogether(f *Func, r *rand.Rand) (groups [][]Value, pairs []InPlace) {
	ComputeLiveness(f)
	var last []Value
	for b := range f.Blocks {
		last = last[:0]
		for _, in := range f.Blocks[b].Instrs {
			if in.Op != opALU || f.File(in.Ops[0].Val) != 0 {
				continue
			}
			d := in.Ops[0].Val
			if len(last) > 0 && (f.Class(d) != f.Class(last[0]) || r.Intn(4) == 0) {
				if len(last) > 1 {
					groups = append(groups, slices.Clone(last))
				}
				last = last[:0]
			}
			last = append(last, d)
			for _, u := range in.Uses() {
				if u.Flags&Kill != 0 && f.vals[u.Val] == f.vals[d] && r.Intn(2) == 0 {
					pairs = append(pairs, InPlace{Result: d, Source: u.Val})
					break
				}
			}
		}
	}
	return groups, pairs
}

// work counts what a program does besides what it is for: a block at depth d of loops counts 8^d times.
type work struct{ moves, swaps, stores, loads, again, used int }

func (w *work) count(f *Func) {
	for b := range f.Blocks {
		weight := 1 << (3 * min(f.Blocks[b].LoopDepth, 3))
		for _, in := range f.Blocks[b].Instrs {
			switch in.Op {
			case OpMove:
				w.moves += weight
			case OpSwap:
				w.swaps += weight
			case OpSpill:
				w.stores += weight
			case OpReload:
				w.loads += weight
			case opConst:
				w.again += weight
			}
			for i := range in.Ops {
				if o := &in.Ops[i]; o.Reg != NoReg {
					class, n := f.operandShape(o)
					if f.classes[class].File == 0 {
						w.used = max(w.used, int(o.Reg)+n)
					}
				}
			}
		}
	}
}

// allocations are ways to call the allocator; rooms is the size of the register file, limit what is spilled down to, 0 nothing.
var allocations = []struct {
	name         string
	rooms, limit int
	wide         bool // many values live at once
	fixed        bool // registers are given
	placed       bool // values keep one place
	opts         AllocOptions
}{
	{name: "lowest", rooms: 48},
	{name: "round", rooms: 48, opts: AllocOptions{RoundRobin: true}},
	{name: "sets", rooms: 48, opts: AllocOptions{MergeSets: true}},
	{name: "round of sets", rooms: 96, wide: true, opts: AllocOptions{RoundRobin: true, MergeSets: true}},
	{name: "target", rooms: 96, wide: true, opts: AllocOptions{RoundRobin: true, Target: [maxFiles]int{24}}},
	{name: "target and room", rooms: 96, opts: AllocOptions{RoundRobin: true, MergeSets: true, Target: [maxFiles]int{16}, Room: [maxFiles]int{32}}},
	{name: "fixed", rooms: 96, fixed: true},
	{name: "fixed sets", rooms: 96, fixed: true, opts: AllocOptions{MergeSets: true}},
	{name: "fixed wishes", rooms: 96, fixed: true, opts: AllocOptions{PassWishes: true}},
	{name: "fixed wishes of sets", rooms: 64, fixed: true, opts: AllocOptions{PassWishes: true, MergeSets: true, RoundRobin: true}},
	{name: "placed", rooms: 384, placed: true},
	{name: "spilled", rooms: 96, limit: 38, wide: true},
	{name: "spilled to few", rooms: 48, limit: 20, wide: true, opts: AllocOptions{MergeSets: true, RoundRobin: true}},
	{name: "spilled to half", rooms: 64, limit: 30, wide: true, opts: AllocOptions{MergeSets: true}},
}

// TestHeldPrograms: random programs do the same after allocation by every option, and testdata/programs.tsv has how many fit,
// what was added to them, weighed by the loops that it is in, and a digest: a change of spilling or allocation shows there what it
// costs or saves.
func TestHeldPrograms(t *testing.T) {
	rows := map[string]string{}
	for _, a := range allocations {
		var d gputest.Digest
		var w work
		fit := 0
		for seed := range int64(120) {
			f := randomFunc(seed, &testISA{units: a.rooms}, 20+int(seed)%60, a.wide)
			err := error(nil)
			if storesTheSame(t, f, seed, func() error { err = allocateBy(f, seed, a.rooms, a.limit, a.fixed, a.placed, a.opts); return err }) {
				fit++
				w.count(f)
			}
			d.Text(f.String())
			d.Text(err)
		}
		rows[a.name] = fmt.Sprintf("%d fit\t%+v\t%016x", fit, w, uint64(d))
	}
	gputest.HoldTable(t, "programs.tsv", rows)
}

// allocateBy spills and allocates as a row of allocations says.
func allocateBy(f *Func, seed int64, rooms, limit int, fixed, placed bool, opts AllocOptions) error {
	r := rand.New(rand.NewSource(seed))
	if fixed {
		wishFixed(f, r)
	}
	if placed {
		untie(f)
		return allocatePlaced(f, 0)
	}
	LowerTied(f)
	if limit > 0 {
		f.SetFileLimit(0, rooms)
		if _, err := Spill(f, 0, limit, 0, new(testSpiller)); err != nil {
			return &PressureError{} // of one instruction
		}
	}
	if opts.MergeSets {
		opts.Groups, opts.InPlace = wishTogether(f, r)
	}
	err := allocateUntied(f, opts)
	if err != nil && fixed && !errors.As(err, new(*PressureError)) {
		return &PressureError{} // given registers that cannot be had beside each other
	}
	return err
}
