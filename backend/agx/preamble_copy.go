package agx

import (
	"nirc/backend"
	"nirc/internal/slab"
	"nirc/ir"
	"nirc/passes/analysis"
)

// What an instruction of the preamble costs, to decide whether an if stays one there (agx.md §13).
const (
	costALU     = 1
	costLoad    = 10
	costTexture = 20
	// maxBothSides is what both sides of an if may cost without a branch around them.
	maxBothSides = 64
)

// copier makes the preamble's program of the instructions of the shader whose results move, in their order.
type copier struct {
	*preamble
	need []bool // by index: the preamble computes the value
	ifs  *analysis.PreambleIfs
	next int    // the moved value that comes next
	join *ir.If // the preamble's if that was just closed, of those that it has as ifs
}

// fill makes the preamble of what moves.
func (p *preamble) fill(m *memory) {
	m.need = slab.Zeroed(m.need, int(p.impl.NumDefs))
	c := copier{preamble: p, need: m.need, ifs: &m.ifs}
	c.findNeeded()
	p.start()
	c.ifs.Walk(&p.impl.Body, &c)
}

// findNeeded finds, backwards, what the moved values are computed from, and which ifs stay.
func (c *copier) findNeeded() {
	c.impl.Require(ir.MetaBlockIndex)
	c.ifs.Begin(c.impl, maxBothSides)
	for i := range c.moved {
		c.need[c.moved[i].in.Def.Index] = true
	}
	for b := range c.impl.BlocksReverse() {
		c.ifs.Enter(b, c.can)
		if x := b.FollowingIf(); x != nil && c.ifs.Kept(x) {
			c.need[x.Cond.Def.Index] = true
		}
		for in := range b.InstrsReverse() {
			if !in.HasDef() || !c.need[in.Def.Index] {
				continue
			}
			for i := range in.Srcs {
				c.need[in.Srcs[i].Def.Index] = true
			}
			if in.Kind == ir.KindPhi {
				c.need[backend.Chooser(in).Cond.Def.Index] = true
			}
			c.ifs.Computes(in, copyCost(in), isGuarded(in))
		}
	}
}

// copyCost is what an instruction costs in the preamble.
func copyCost(in *ir.Instr) int32 {
	switch in.Kind {
	case ir.KindALU, ir.KindPhi:
		return costALU
	case ir.KindTex:
		return costTexture
	case ir.KindIntrinsic:
		switch in.Intr {
		case ir.IntrLoadSsbo, ir.IntrLoadUbo, ir.IntrLoadConstant, ir.IntrLoadConstantAgx:
			return costLoad
		}
	}
	return 0
}

// isGuarded reports whether in reads by an index that may be good only where it stands.
func isGuarded(in *ir.Instr) bool {
	return in.IsIntrinsic(ir.IntrLoadConstant) || in.IsIntrinsic(ir.IntrLoadSsbo) || in.IsIntrinsic(ir.IntrLoadConstantAgx)
}

// PreambleBranch copies an if as one.
func (c *copier) PreambleBranch(x *ir.If) {
	i := c.b.PushIf(c.copies[x.Cond.Def.Index])
	c.ifs.Walk(&x.Then, c)
	c.b.PushElse(i)
	c.ifs.Walk(&x.Else, c)
	c.b.PopIf(i)
	c.join = i
}

// PreambleBlock copies what moves of a block, and stores what the shader wants of it.
func (c *copier) PreambleBlock(b *ir.Block) {
	join := c.join
	c.join = nil
	for in := range b.Instrs() {
		if !in.HasDef() || !c.need[in.Def.Index] {
			continue
		}
		switch {
		case in.Kind != ir.KindPhi:
			c.copies[in.Def.Index] = c.copy(in)
		case join != nil:
			c.copies[in.Def.Index] = c.phi(in, func(then, els *ir.Def) *ir.Def { return c.b.IfPhi(join, then, els) })
		default:
			c.copies[in.Def.Index] = c.phi(in, func(then, els *ir.Def) *ir.Def {
				return c.b.Bcsel(c.copies[backend.Chooser(in).Cond.Def.Index], then, els)
			})
		}
		if c.next < len(c.moved) && c.moved[c.next].in == in {
			c.storeMoved(&c.moved[c.next])
			c.next++
		}
	}
}

// phi makes what an if chooses, by its values at the ends of both sides.
func (c *copier) phi(in *ir.Instr, make func(then, els *ir.Def) *ir.Def) *ir.Def {
	x := backend.Chooser(in)
	side := func(l *ir.List) *ir.Def { return c.copies[in.PhiSrc(l.LastBlock()).Def.Index] }
	c.chosen = true
	return make(side(&x.Then), side(&x.Else))
}

// storeMoved leaves a value in its uniform registers.
func (c *copier) storeMoved(m *movedValue) {
	v := c.copies[m.in.Def.Index]
	for k, u := range m.place {
		x := c.b.Channel(v, k)
		switch m.in.Def.BitSize {
		case 1:
			x = c.b.B2i16(x)
		case 64:
			c.store(c.b.Unpack64_2x32SplitY(x), u+2)
			x = c.b.Unpack64_2x32SplitX(x)
		}
		c.store(x, u)
	}
}
