package midgard

import (
	"nirc/backend"
	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
	"nirc/internal/parcopy"
	"nirc/internal/slab"
	"nirc/ir"
)

// value is where an IR value is: its component i in component at[i] of a
// register. A 64-bit value has two components each.
type value struct {
	reg reg
	at  [4]uint8
	con [4]uint32 // regConst: component by component
	// high is the components of a value of 16 or 8 bits that are in the high halves of
	// theirs, odd those of 8 bits that are the upper bytes of these.
	high, odd uint8
	// narrow: a value of 32 bits whose components have 16 bits, as high says, and are
	// extended by mod where they are read.
	narrow bool
	mod    isa.Mod
	// clean: what stands above a scalar of 8 bits in its component is zero.
	clean bool
	// by is the instruction that makes it, if it is one that takes an output
	// modifier.
	by *inst
}

// isel selects machine instructions for one function, block by block.
type isel struct {
	sh   *ir.Shader
	impl *ir.Impl
	gpu  *GPU
	f    *function
	meta *abi.Meta
	tab  tables
	res  *resources
	vals []value // by def index
	// lazy: an instruction waits for its first use, in the same block; by def index.
	lazy []bool
	blk  int
	loc  uint32
	err  error
	// blocks gives machine blocks by IR block index.
	blocks []int
	phis   []*ir.Instr
	copies parcopy.Copies
	turn   uint8 // which load/store input the next access takes
	// texTurn is the texture input that comes next, outTurn the result that the last one landed in, of which the first
	// outLanes components are taken.
	texTurn  uint8
	outTurn  reg
	outLanes int
	// coords is what the texture inputs were given last.
	coords [2][4]source
	out    outputs
	guards []guard
	chosen []chosen
	// blend, if not nil, is the layout of the target of a blend program.
	blend *blendLayout
	// state is that of the pipeline, nil if it is not known.
	state *backend.State
	// feedback: the program writes transform feedback, and no outputs.
	feedback bool
	// floor is the first work register that is free for values.
	floor  int
	loopOf *loop      // the innermost loop
	ends   []breakOut // jumps to the end of the program
	tails  []tailPlace
	fences uint32 // memory barriers so far
	// demoted, if not regNone, is 0 until a demote makes it all ones.
	demoted reg
}

// fail notes the first error: what is not supported.
func (s *isel) fail(in *ir.Instr, format string, args ...any) {
	backend.Note(&s.err, backend.Refuse(TargetName, s.sh, in, format, args...))
}

// broken notes that the IR is not as the passes leave it.
func (s *isel) broken(in *ir.Instr, format string, args ...any) {
	backend.Note(&s.err, backend.Broken(TargetName, s.sh, in, format, args...))
}

// selectFunc translates the entry point.
func (c *compiler) selectFunc() (*isel, error) {
	impl := c.s.Entry().Impl
	impl.Require(ir.MetaBlockIndex | ir.MetaDominance)
	s := &c.mem.sel
	s.empty()
	s.sh, s.impl, s.gpu, s.meta, s.res, s.feedback = c.s, impl, c.gpu, &c.meta, c.res, c.opts.Feedback
	s.f = &function{mem: c.mem, nodes: c.mem.selected[:0]}
	defer func() { c.mem.selected = s.f.nodes }() // for the next one: there the list is long enough from the start
	s.state = c.job.State
	s.tab = tables{meta: s.meta, layout: c.job.Layout, limit: c.uniforms}
	s.vals, s.lazy = slab.Zeroed(s.vals, int(impl.NumDefs)), slab.Zeroed(s.lazy, int(impl.NumDefs))
	s.blocks = slab.Zeroed(s.blocks, int(impl.NumBlocks)+1)
	s.coords = [2][4]source{unknownCoords, unknownCoords}
	s.scanOutputs()
	s.newBlock(0)
	if s.blend = c.blend; s.blend != nil {
		s.startBlend()
	} else {
		s.waitForTile()
	}
	s.initOutputs()
	s.startDemotes()
	s.list(&impl.Body)
	if s.err == nil {
		s.finish()
	}
	if s.err != nil {
		return nil, s.err
	}
	s.fillPhis()
	s.fillTails()
	return s, s.err
}

// empty forgets all but the memory.
func (s *isel) empty() {
	*s = isel{vals: s.vals, lazy: s.lazy, blocks: s.blocks, out: outputs{list: s.out.list[:0]}}
}

// newBlock begins a block after the others and makes it current.
func (s *isel) newBlock(depth int) int {
	m := s.f.memory()
	s.f.blocks = append(s.f.blocks, block{depth: depth, succs: m.edges.Slice(2)[:0], preds: m.edges.Slice(2)[:0]})
	s.blk = len(s.f.blocks) - 1
	return s.blk
}

func (s *isel) edge(from, to int) {
	s.f.blocks[from].succs = append(s.f.blocks[from].succs, to)
	s.f.blocks[to].preds = append(s.f.blocks[to].preds, from)
}

// width is the number of register components of a component of d.
func width(d *ir.Def) int {
	if d.BitSize == 64 {
		return 2
	}
	return 1
}

// set gives def its value.
func (s *isel) set(d *ir.Def, v value) { s.vals[d.Index] = v }

// result makes a register for def, of 32 bits or more, and remembers it.
func (s *isel) result(d *ir.Def) reg {
	n := int(d.NumComponents) * width(d)
	if n > 4 {
		s.fail(d.Instr, "a value of %d x %d bits is not supported", d.NumComponents, d.BitSize)
		n = 4
	}
	r := s.f.newNode(n)
	s.set(d, value{reg: r, at: identity})
	return r
}

func (s *isel) block(b *ir.Block) {
	for in := range b.Instrs() {
		s.loc = in.Loc
		if s.waits(in) {
			s.lazy[in.Def.Index] = true
			continue
		}
		s.instr(in)
		if s.err != nil {
			return
		}
	}
}

// waits reports whether an instruction is selected at its first use: inputs and
// what only gathers live shorter then.
func (s *isel) waits(in *ir.Instr) bool {
	switch {
	case in.Kind == ir.KindALU && in.IsVec():
	case in.Kind == ir.KindIntrinsic:
		switch in.Intr {
		case ir.IntrLoadInput, ir.IntrLoadInterpolatedInput, ir.IntrLoadUbo, ir.IntrLoadPushConstant:
		default:
			return false
		}
	default:
		return false
	}
	for u := range in.Def.Uses() {
		if u.Instr == nil || u.Instr.Block != in.Block || u.Instr.Kind == ir.KindPhi {
			return false
		}
	}
	return true
}

func (s *isel) instr(in *ir.Instr) {
	kinds := backend.Kinds[*isel]{ALU: (*isel).aluInstr, Intrinsic: (*isel).intrinsic, Phi: (*isel).phi, Tex: (*isel).texture}
	backend.Note(&s.err, kinds.Select(TargetName, s.sh, s, in))
}

func (s *isel) phi(in *ir.Instr) {
	s.dest(&in.Def)
	s.phis = append(s.phis, in)
}
