package midgard

import (
	"nirc/backend/midgard/isa"
)

// reg is a register of the machine form: physical below firstVirtual.
type reg uint32

// Physical registers. Up to 31 they are numbered as an ALU instruction writes
// them; what reads of the same number mean has numbers of its own.
const (
	regLd0     reg = isa.RegConst // inputs of load/store
	regLd1     reg = isa.RegLdSt1
	regTexIn0  reg = isa.RegTex0
	regTexIn1  reg = isa.RegTex1
	regCond    reg = isa.RegCond
	regTexOut0 reg = 32
	regTexOut1 reg = 33
	regPC      reg = 34
	regConst   reg = 35 // embedded constants, one value a lane
	regNone    reg = 36

	numPhysical      = 40
	firstVirtual reg = 64
)

func (r reg) virtual() bool { return r >= firstVirtual }

const (
	partFull part = iota
	partLow       // of a result: one lane, in the low half of its component; of a source: see high
	partHigh      // of a result: one lane, in the high half of its component
	partBoth      // of a result: two lanes a component, all in one half of a register
	partByte      // four lanes of 8 bits in a component; of a source: see odd
	partWide      // of a result: lanes of 64 bits, two components each
	partCut       // of a result: lanes of 64 bits are computed, of which 32 are kept, in a half of a register
	partWord      // of a source of such: lanes of 32 bits, which mod extends; both components read the same
)

// kind is what an instruction is.
type kind uint8

const (
	kindALU kind = iota
	kindLdSt
	kindTex
	kindBranch   // to block target, if cond is set when it holds (inv: does not)
	kindDiscard  // of the fragment, under cond
	kindWriteout // of a fragment's results; see writeout
	kindTileWait // until the tile can be read
)

// inst is an instruction.
type inst struct {
	kind kind
	op   isa.Op
	dst  reg
	mask uint8 // components of dst that are written
	half part  // of the result
	// skip is the lanes of a partBoth or partByte result that are not written; keep is
	// the components of which a part that is not written stays what it was.
	skip, keep uint8
	out        isa.OutMod
	src        [2]source
	// imm: source 2 is the inline constant con.
	imm bool
	con uint16
	// hasCond: a select, a conditional branch or discard, whose condition is cond.
	hasCond bool
	inv     bool
	cond    source
	// fuse, if not nil, is the instruction that makes the condition, in its bundle.
	fuse *inst
	// ld is a load/store; its registers 0 and 1 are those of the machine. dst and
	// mask are a load's result, data is a store's or atomic's operand registers.
	ld     isa.LoadStore
	tex    isa.Texture
	target int
	wo     *writeout
	loc    uint32
	spill  uint8 // 1: stores a spilled value, 2: loads one
	// fences is how many memory barriers stand before an access to memory, in the
	// order of selection.
	fences uint32
	texels bool // a lookup of what stores may change
}

// writeout is what leaves in one writeout bundle.
type writeout struct {
	color source
	// mask is the lanes of the colour that mean something, rest those that a move
	// brings; the instructions of make bring the others, each on its unit.
	mask, rest uint8
	make       [isa.NumALUUnits]*inst
	dual       source // second colour, or regNone
	depth      source // or regNone
	stencil    source // or regNone
	target     int    // render target, or abi.TargetNone
	loc        uint32 // place of the store
	index      int    // number of the writeout in the program
	last       bool
	again      bool // the waiting loop's
	blend      bool // a blend program's: it names its target always and keeps r1.w
}

// block is a basic block.
type block struct {
	list  []*inst
	succs []int
	preds []int
	depth int // of loops
}

// nodeInfo is what a virtual register is.
type nodeInfo struct {
	size    uint8 // components
	noSpill bool
	// held: noSpill, except where nothing else can be spilled.
	held bool
	// min is the lowest work register that it may have.
	min uint8
	// first: it must begin with component x of its work register.
	first bool
	// even: it must begin with component x or z: 16-bit lanes of several components
	// lie in one half of a register.
	even bool
}

// function is a program in the machine form.
type function struct {
	blocks []block
	nodes  []nodeInfo
	slab   []inst // what is left of it
	slabs  int    // made without memory
	loops  int
	mem    *memory
	// settled: removeDead would find nothing.
	settled bool
	// verify: allocations are proved.
	verify bool
}

func (f *function) newNode(n int) reg {
	f.nodes = append(f.nodes, nodeInfo{size: uint8(n)})
	return firstVirtual + reg(len(f.nodes)-1)
}

func (f *function) node(r reg) *nodeInfo { return &f.nodes[r-firstVirtual] }

// count is the number of instructions.
func (f *function) count() (n int) {
	for b := range f.blocks {
		n += len(f.blocks[b].list)
	}
	return n
}

// clone copies the function so that the copy can be changed.
func (f *function) clone() *function {
	m := f.memory()
	c := m.copies.New()
	*c = function{loops: f.loops, verify: f.verify, mem: m, nodes: m.nodes.Slice(len(f.nodes)), blocks: m.blocks.Slice(len(f.blocks))}
	copy(c.nodes, f.nodes)
	copy(c.blocks, f.blocks)
	lists := f.memory().lists.Slice(f.count())
	for b := range c.blocks {
		old := c.blocks[b].list
		list := lists[:len(old):len(old)]
		lists = lists[len(old):]
		for i, in := range old {
			list[i] = c.cloneInst(in)
		}
		c.blocks[b].list = list
	}
	return c
}

func (f *function) cloneInst(in *inst) *inst {
	t := f.nextInst()
	*t = *in
	if t.fuse != nil {
		t.fuse = f.cloneInst(t.fuse)
	}
	if t.wo != nil {
		w := f.memory().writes.New()
		*w = *t.wo
		for u, m := range w.make {
			if m != nil {
				w.make[u] = f.cloneInst(m)
			}
		}
		t.wo = w
	}
	return t
}

// slabSize is how many values a slab has, minSlab the first of a function that
// has no memory.
const (
	slabSize = 128
	minSlab  = 32
)

func (f *function) newInst(t inst) *inst {
	p := f.nextInst()
	*p = t
	return p
}

// nextInst returns an instruction to be overwritten.
func (f *function) nextInst() *inst {
	if len(f.slab) == 0 {
		if f.mem != nil {
			f.slab = f.mem.insts.next()
		} else {
			f.slabs++
			f.slab = make([]inst, min(minSlab*f.slabs, slabSize))
		}
	}
	p := &f.slab[0]
	f.slab = f.slab[1:]
	return p
}

// newFirst makes a virtual register that begins with component x: results that no
// swizzle can move.
func (f *function) newFirst(n int) reg {
	r := f.newNode(n)
	f.node(r).first = true
	return r
}

// effects reports whether the instruction does more than make its result.
func (in *inst) effects() bool {
	switch in.kind {
	case kindALU:
		return false
	case kindLdSt:
		switch in.ld.Op.Info().Kind {
		case isa.KindLoad, isa.KindUbo, isa.KindAttr, isa.KindVary, isa.KindSpecial, isa.KindMov, isa.KindCube, isa.KindImage,
			isa.KindLeaImage, isa.KindLea, isa.KindPersp, isa.KindTile:
			return false
		}
	case kindTex:
		return in.tex.Op == isa.TexBarrier
	}
	return true
}

func index(r reg) uint32 { return uint32(r - firstVirtual) }

// isMove reports whether the instruction only copies.
func (in *inst) isMove() bool {
	return in.kind == kindALU && !in.imm && !in.hasCond && in.half == partFull && in.src[1].half == partFull && in.src[1].mod == 0 &&
		(in.op == isa.OpImov || in.op == isa.OpFmov && in.out == isa.OutNone)
}
