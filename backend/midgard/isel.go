package midgard

import (
	"nirc/backend"
	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
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
	turn   uint8 // which load/store input the next access takes
	// texTurn and outTurn are the texture input and result that come next.
	texTurn uint8
	outTurn reg
	out     outputs
	guards  []guard
	// blend, if not nil, is the layout of the target of a blend program.
	blend *blendLayout
	// floor is the first work register that is free for values.
	floor  int
	loopOf *loop      // the innermost loop
	ends   []breakOut // jumps to the end of the program
	tails  []tailPlace
}

// fail notes the first error.
func (s *isel) fail(in *ir.Instr, format string, args ...any) {
	if s.err == nil {
		s.err = backend.Refuse("midgard", s.sh, in, format, args...)
	}
}

// selectFunc translates the entry point.
func (c *compiler) selectFunc() (*isel, error) {
	impl := c.s.Entry().Impl
	impl.Require(ir.MetaBlockIndex | ir.MetaDominance)
	s := &isel{sh: c.s, impl: impl, gpu: c.gpu, meta: &c.meta, res: c.res, f: &function{}}
	s.tab = tables{meta: s.meta, limit: c.uniforms}
	s.vals = make([]value, impl.NumDefs)
	s.lazy = make([]bool, impl.NumDefs)
	s.blocks = make([]int, impl.NumBlocks+1)
	s.scanOutputs()
	s.newBlock(0)
	if s.blend = c.blend; s.blend != nil {
		s.startBlend()
	} else {
		s.waitForTile()
	}
	s.initOutputs()
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

// newBlock begins a block behind the others and makes it current.
func (s *isel) newBlock(depth int) int {
	s.f.blocks = append(s.f.blocks, block{depth: depth})
	s.blk = len(s.f.blocks) - 1
	return s.blk
}

func (s *isel) edge(from, to int) {
	s.f.blocks[from].succs = append(s.f.blocks[from].succs, to)
	s.f.blocks[to].preds = append(s.f.blocks[to].preds, from)
}

// add appends an instruction to the current block.
func (s *isel) add(t inst) *inst {
	in := s.f.newInst(t)
	in.loc = s.loc
	b := &s.f.blocks[s.blk]
	b.list = append(b.list, in)
	return in
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

// operand makes a source of n components of a def (words of 64-bit components
// count), the i-th from component pick(i).
func (s *isel) operand(d *ir.Def, n int, pick func(i int) int) (o source) {
	if s.lazy[d.Index] {
		s.lazy[d.Index] = false
		loc := s.loc
		s.loc = d.Instr.Loc
		s.instr(d.Instr)
		s.loc = loc
	}
	last := 0
	for i := range 4 {
		c := last
		if i < n {
			c = pick(i)
			last = c
		}
		if c >= int(d.NumComponents)*width(d) {
			s.fail(d.Instr, "%%%d of %d x %d bits is too small for what reads it", d.Index, d.NumComponents, d.BitSize)
			return o
		}
		switch d.Instr.Kind {
		case ir.KindLoadConst:
			v := d.Instr.Imm[c/width(d)]
			if width(d) == 2 && c&1 != 0 {
				v >>= 32
			}
			o.reg, o.con[i] = regConst, uint32(v)
			if d.BitSize == 1 {
				o.con[i] = -uint32(v & 1)
			}
		case ir.KindUndef:
			o.reg = regConst
		default:
			v := &s.vals[d.Index]
			o.reg, o.swz[i], o.con[i] = v.reg, v.at[c&3], v.con[c&3]
			o.high |= v.high >> (c & 3) & 1 << i
			o.odd |= v.odd >> (c & 3) & 1 << i
		}
	}
	switch v := &s.vals[d.Index]; {
	case o.reg == regConst:
	case d.BitSize == 16:
		o.half = partLow
	case d.BitSize == 8:
		o.half = partByte
	case v.narrow:
		o.half, o.mod = partLow, v.mod
	}
	if o.reg == 0 && !d.IsConst() && !d.IsUndef() {
		s.fail(d.Instr, "%s", backend.Unselected(d))
	}
	return o
}

// comp is one component of a def for all lanes.
func (s *isel) comp(d *ir.Def, c int) source {
	return s.operand(d, 1, func(int) int { return c })
}

// whole is all components of a def.
func (s *isel) whole(d *ir.Def) source {
	return s.operand(d, min(int(d.NumComponents)*width(d), 4), func(i int) int { return i })
}

// src is ALU source i of in, lane by lane.
func (s *isel) src(in *ir.Instr, i int) source {
	q := &in.Srcs[i]
	n := in.SrcComps(i)
	if n > 4 {
		s.fail(in, "%s of %d components is not supported", in.Op, n)
		n = 4
	}
	w := width(q.Def)
	if w == 2 {
		return s.operand(q.Def, min(2*n, 4), func(k int) int { return q.Swizzle.Lane(k/2)*2 + k&1 })
	}
	return s.operand(q.Def, n, func(k int) int { return q.Swizzle.Lane(k) })
}

// constant is the same word in all lanes.
func constant(v uint32) source { return source{reg: regConst, con: [4]uint32{v, v, v, v}} }

// lane makes all lanes of o read what lane i reads.
func (o source) lane(i int) source {
	o.swz = replicate(o.swz[i])
	o.high = o.high >> i & 1 * 15
	o.odd = o.odd >> i & 1 * 15
	c := o.con[i]
	o.con = [4]uint32{c, c, c, c}
	return o
}

// place gives each lane i of o the former lane from[i].
func (o source) place(from [4]uint8) source {
	p := o
	p.high, p.odd = 0, 0
	for i, k := range from {
		p.swz[i], p.con[i] = o.swz[k], o.con[k]
		p.high |= o.high >> k & 1 << i
		p.odd |= o.odd >> k & 1 << i
	}
	return p
}

// shifted moves the lanes up by n, which may be negative.
func (o source) shifted(n int) source {
	var from [4]uint8
	for i := range from {
		from[i] = uint8(min(max(i-n, 0), 3))
	}
	return o.place(from)
}

// move copies lanes of o to the masked components of dst.
func (s *isel) move(dst reg, mask uint8, o source) *inst {
	op := isa.OpImov
	if o.reg == regConst && mask != 0 {
		// Some floats are inline constants of a float move alone.
		_, integer := inlineConstant(isa.OpImov, o, mask)
		_, float := inlineConstant(isa.OpFmov, o, mask)
		if float && !integer {
			op = isa.OpFmov
		}
	}
	return s.alu(op, dst, mask, source{reg: regNone}, o)
}

// inRegister returns o as an operand that is no constant.
func (s *isel) inRegister(o source, lanes uint8) source {
	if o.reg != regConst {
		return o
	}
	n := 4
	for n > 1 && lanes>>(n-1) == 0 {
		n--
	}
	r := s.f.newNode(n)
	s.move(r, lanes&fullMask(n), o)
	return source{reg: r, swz: identity}
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
	switch in.Kind {
	case ir.KindALU:
		s.aluInstr(in)
	case ir.KindIntrinsic:
		s.intrinsic(in)
	case ir.KindLoadConst, ir.KindUndef, ir.KindJump:
	case ir.KindPhi:
		s.dest(&in.Def)
		s.phis = append(s.phis, in)
	case ir.KindTex:
		s.texture(in)
	default:
		if err := backend.RefuseKind("midgard", s.sh, in); s.err == nil {
			s.err = err
		}
	}
}
