package midgard

import (
	"slices"

	"nirc/backend/midgard/isa"
)

// loc is the source location of a bundle: that of its first instruction that has one.
func (b *bundle) loc() uint32 {
	for _, list := range [...][]*inst{b.units[:], b.ldst[:]} {
		for _, in := range list {
			if in != nil && in.loc != 0 {
				return in.loc
			}
		}
	}
	for _, in := range [...]*inst{b.tex, b.branch} {
		if in != nil && in.loc != 0 {
			return in.loc
		}
	}
	return 0
}

// stageUnits are the units of the two stages.
var stageUnits = [2]unitList{{isa.UnitVMUL, isa.UnitSADD}, {isa.UnitVADD, isa.UnitSMUL, isa.UnitLUT}}

// instructions are those of a bundle in an order in which nothing that runs at
// once with something, or after it, takes away what that reads: allocation and
// liveness look at them one after the other.
func (b *bundle) instructions(list []*inst) []*inst {
	add := func(in *inst) {
		if in != nil {
			list = append(list, in)
		}
	}
	add(b.ldst[0])
	add(b.ldst[1])
	add(b.tex)
	// In a stage what comes later in the program may write what others read.
	for _, units := range stageUnits {
		var stage [3]*inst
		var seq [3]int
		n := 0
		for _, u := range units {
			if b.units[u] == nil {
				continue
			}
			k := n
			for ; k > 0 && seq[k-1] > b.seq[u]; k-- {
				stage[k], seq[k] = stage[k-1], seq[k-1]
			}
			stage[k], seq[k] = b.units[u], b.seq[u]
			n++
		}
		list = append(list, stage[:n]...)
	}
	add(b.branch)
	return list
}

// count is the number of its instructions.
func (b *bundle) count() (n int) {
	for _, in := range b.units {
		if in != nil {
			n++
		}
	}
	for _, in := range [...]*inst{b.ldst[0], b.ldst[1], b.tex, b.branch} {
		if in != nil {
			n++
		}
	}
	return n
}

// listBundles gives the blocks of f the order of the bundles, unless they have it.
func (p *program) listBundles(f *function) {
	if p.listed == f {
		return
	}
	p.listed = f
	for i := range p.blocks {
		list := f.blocks[i].list[:0]
		for _, b := range p.blocks[i].list {
			list = b.instructions(list)
		}
		f.blocks[i].list = list
	}
}

// program is the code in bundles.
type program struct {
	gpu    *GPU
	blocks []pblock
	list   []*bundle // in the order of the code, made by layout
	listed *function // whose blocks have the order of the bundles: see listBundles
}

// pblock is a block in bundles.
type pblock struct {
	list []*bundle
}

// bundle is a bundle, and its form.
type bundle struct {
	contents
	// enc and at are made by layout: the encoded form, the position in quadwords.
	enc isa.Bundle
	at  int
}

// contents is a bundle before it is laid out: most that plans make are not.
type contents struct {
	units  [isa.NumALUUnits]*inst
	seq    [isa.NumALUUnits]int   // where in its block each was
	cond   [isa.NumALUUnits]*inst // unit makes the condition of this instruction
	branch *inst
	ldst   [2]*inst
	tex    *inst
	consts [4]uint32
	nconst int
	size   int // bytes of an ALU bundle's body
	r31    bool
	// block is the block that it belongs to.
	block int
}

func (b *bundle) alu() bool { return b.ldst[0] == nil && b.tex == nil }

func newBundle() *bundle { return &bundle{contents: contents{size: 4}} }

// unitSize is what an instruction on a unit takes of an ALU bundle.
func unitSize(u isa.Unit) int {
	if u.Scalar() {
		return 6
	}
	return 8
}

const branchSize = 6

func terminator(in *inst) bool {
	return in.kind == kindBranch || in.kind == kindDiscard || in.kind == kindWriteout || in.kind == kindTileWait
}

func isVaryStore(in *inst) bool { return in.ld.Op.Info().Kind == isa.KindStVary }

// runs reports whether a unit runs an instruction.
func runs(u isa.Unit, in *inst) bool {
	if !in.op.Info().Units.Has(u) {
		return false
	}
	if u == isa.UnitLUT && !in.op.Is(isa.OneLane) && in.half != partFull {
		return false
	}
	return !u.Scalar() || in.scalar()
}

// scalar reports whether a scalar unit can have the instruction: one lane.
func (in *inst) scalar() bool {
	if in.half >= partBoth || !in.op.Is(isa.FloatDst) && in.out != isa.OutKeepLow {
		return false
	}
	return in.mask&(in.mask-1) == 0 && !in.op.Is(isa.Reduce|isa.SelectVector)
}

// constPool collects the constants of a bundle.
type constPool struct {
	words [4]uint32
	n     int
}

func (p *constPool) from(b *bundle) { p.words, p.n = b.consts, b.nconst }

func (p *constPool) to(b *bundle) { b.consts, b.nconst = p.words, p.n }

// hasConst reports whether the instruction itself has embedded constants.
func (in *inst) hasConst() bool {
	return in.src[0].reg == regConst || !in.imm && in.src[1].reg == regConst
}

// all adds the constants of an instruction; false if there is no room.
func (p *constPool) all(in *inst) bool {
	for i := range in.src {
		s := &in.src[i]
		if s.reg != regConst || i == 1 && in.imm {
			continue
		}
		lanes := in.lanesRead(i)
		for k := range 4 {
			if lanes>>k&1 != 0 && !p.take(s.con[k]) {
				return false
			}
		}
	}
	return true
}

// take finds or makes the place of a word, and reports whether there is one.
func (p *constPool) take(v uint32) bool {
	if slices.Contains(p.words[:p.n], v) {
		return true
	}
	if p.n == len(p.words) {
		return false
	}
	p.words[p.n] = v
	p.n++
	return true
}
