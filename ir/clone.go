package ir

import "sync"

// Cloner copies parts of a function, into the same function (unrolling), into
// another of the same shader (inlining) or into another shader. Values,
// blocks and variables that it has copied map to their copies; what it has
// not copied stays itself, or is what Map says.
type Cloner struct {
	Dst  *Impl
	defs []*Def // by the source's Def.Index
	// mapped are the places in defs that were written.
	mapped []uint32
	vars   map[*Variable]*Variable
	// fns maps functions of another shader.
	fns    map[*Function]*Function
	blocks map[*Block]*Block
	phis   []phiPair
	pend   []pendPair
	// Loc gives the places of copies; nil: those of what is copied.
	Loc func(uint32) uint32
}

func (c *Cloner) loc(i uint32) uint32 {
	if c.Loc == nil || i == 0 {
		return i
	}
	return c.Loc(i)
}

type phiPair struct{ from, to *Instr }

type pendPair struct {
	s    *Src
	from *Def
}

// NewCloner returns a cloner from src to dst (which may be the same). Release gives its memory back.
func NewCloner(src, dst *Impl) *Cloner {
	c := cloners.Get().(*Cloner)
	c.Dst = dst
	if n := int(src.NumDefs); n > cap(c.defs) {
		c.defs = make([]*Def, n, n+n/4)
	} else {
		c.defs = c.defs[:n]
	}
	return c
}

// cloners keeps the memory of those that were released: all of defs is nil, to its capacity.
var cloners = sync.Pool{New: func() any { return &Cloner{blocks: map[*Block]*Block{}} }}

// Release forgets what was copied, and keeps the memory for the next cloner. The cloner is not to be used afterwards.
func (c *Cloner) Release() {
	c.Reset()
	clear(c.phis[:cap(c.phis)])
	clear(c.pend[:cap(c.pend)])
	*c = Cloner{defs: c.defs, mapped: c.mapped, blocks: c.blocks, phis: c.phis, pend: c.pend}
	cloners.Put(c)
}

// Map makes uses of from in what is cloned refer to to.
func (c *Cloner) Map(from, to *Def) {
	for int(from.Index) >= len(c.defs) {
		c.defs = append(c.defs, nil)
	}
	c.defs[from.Index] = to
	c.mapped = append(c.mapped, from.Index)
}

// Reset forgets what was copied: the cloner of many small parts of a large function
// does not make a table of all values for each.
func (c *Cloner) Reset() {
	for _, i := range c.mapped {
		c.defs[i] = nil
	}
	clear(c.blocks)
	c.mapped, c.vars, c.phis, c.pend = c.mapped[:0], nil, c.phis[:0], c.pend[:0]
}

// MapVar makes derefs of from refer to to.
func (c *Cloner) MapVar(from, to *Variable) {
	if c.vars == nil {
		c.vars = map[*Variable]*Variable{}
	}
	c.vars[from] = to
}

// Def returns the copy of d, or d itself.
func (c *Cloner) Def(d *Def) *Def {
	if d != nil && int(d.Index) < len(c.defs) && c.defs[d.Index] != nil {
		return c.defs[d.Index]
	}
	return d
}

// Block returns the copy of b, or b itself.
func (c *Cloner) Block(b *Block) *Block {
	if n := c.blocks[b]; n != nil {
		return n
	}
	return b
}

// Instr returns a free copy of in, which is not a phi. Sources whose values
// are copied later (uses of a loop's phi before Finish) are mended by Finish.
func (c *Cloner) Instr(in *Instr) *Instr {
	s := c.Dst.Shader
	n := s.instrs.New()
	n.Kind, n.Deref, n.Jump, n.TexOp, n.Op, n.Intr = in.Kind, in.Deref, in.Jump, in.TexOp, in.Op, in.Intr
	n.NumComponents, n.Exact, n.NoSignedWrap, n.NoUnsignedWrap = in.NumComponents, in.Exact, in.NoSignedWrap, in.NoUnsignedWrap
	n.FastMath, n.Relaxed, n.Loc = in.FastMath, in.Relaxed, c.loc(in.Loc)
	n.Def = Def{Index: noIndex, NumComponents: in.Def.NumComponents, BitSize: in.Def.BitSize, Divergent: in.Def.Divergent, Name: in.Def.Name}
	n.Def.Instr = n
	n.Imm = s.imms.Slice(len(in.Imm))
	copy(n.Imm, in.Imm)
	c.ext(n, in)
	n.Srcs = s.srcs.Slice(len(in.Srcs))
	for i := range in.Srcs {
		n.Srcs[i] = Src{Instr: n, Swizzle: in.Srcs[i].Swizzle}
		c.src(&n.Srcs[i], in.Srcs[i].Def)
	}
	if in.HasDef() {
		c.Map(&in.Def, &n.Def)
	}
	return n
}

func (c *Cloner) src(s *Src, from *Def) {
	if m := c.Def(from); m != from || from.Instr != nil && from.Instr.Block != nil && from.Instr.Block.impl == c.Dst {
		s.Set(m)
		if m == from {
			c.pend = append(c.pend, pendPair{s, from})
		}
		return
	}
	c.pend = append(c.pend, pendPair{s, from})
}

func (c *Cloner) ext(n, in *Instr) {
	s := c.Dst.Shader
	switch in.Kind {
	case KindTex:
		t := s.texs.New()
		*t = *in.TexInfo()
		t.SrcKinds = append([]TexSrc(nil), t.SrcKinds...)
		n.ext = t
	case KindDeref:
		d := s.derefs.New()
		*d = *in.DerefInfo()
		if v := c.vars[d.Var]; v != nil {
			d.Var = v
		}
		n.ext = d
	case KindPhi:
		n.ext = s.phis.New()
	case KindCall:
		callee := in.CallInfo().Callee
		if f := c.fns[callee]; f != nil {
			callee = f
		}
		n.ext = &CallInfo{Callee: callee}
	case KindParallelCopy:
		info := &CopyInfo{Entries: append([]CopyEntry(nil), in.CopyInfo().Entries...)}
		for i := range info.Entries {
			e := &info.Entries[i]
			old := &in.CopyInfo().Entries[i]
			e.DstReg = c.Def(e.DstReg)
			e.Dst = Def{Instr: n, Index: noIndex, NumComponents: old.Dst.NumComponents, BitSize: old.Dst.BitSize}
			if old.DstReg == nil {
				c.Map(&old.Dst, &e.Dst)
			}
		}
		n.ext = info
	}
}

// List copies the nodes of from to the place at. When all lists are copied,
// Finish fills in the phis. A jump at the list's end is copied too: then at
// must be the end of a block with nothing after it that is still wanted.
// It returns where code after the copy goes.
func (c *Cloner) List(from *List, at Cursor) Cursor {
	for n := from.head; n != nil; n = n.cf().next {
		switch x := n.(type) {
		case *Block:
			at = c.blockInto(x, at)
			if x.Jump() != nil && x.next != nil {
				at = AtEnd(at.Block) // what follows is reached in neither
			}
		case *If:
			i := InsertIf(at, nil)
			i.Control = x.Control
			c.src(&i.Cond, x.Cond.Def)
			c.List(&x.Then, AtEnd(i.Then.FirstBlock()))
			c.List(&x.Else, AtEnd(i.Else.FirstBlock()))
			at = AtStart(i.After())
		case *Loop:
			l := InsertLoop(at)
			l.Control, l.PartiallyUnrolled = x.Control, x.PartiallyUnrolled
			var cont *Block
			if !x.Continue.Empty() {
				cont = l.AddContinue()
			}
			c.List(&x.Body, AtEnd(l.Body.FirstBlock()))
			if cont != nil {
				c.List(&x.Continue, AtEnd(cont))
			}
			at = AtStart(l.After())
		}
	}
	return at
}

// blockInto copies the instructions of b to at, phis as free instructions
// that Finish puts at the copy's start.
func (c *Cloner) blockInto(b *Block, at Cursor) Cursor {
	c.blocks[b] = at.Block
	for in := b.first; in != nil; in = in.next {
		switch in.Kind {
		case KindPhi:
			n := c.Dst.Shader.NewPhi(in.Def.NumComponents, in.Def.BitSize)
			n.Loc, n.Def.Name = c.loc(in.Loc), in.Def.Name
			c.Map(&in.Def, &n.Def)
			c.phis = append(c.phis, phiPair{in, n})
		case KindJump:
			j := at.Block.InsertJump(in.Jump)
			j.Loc = c.loc(in.Loc)
			return Before(j)
		default:
			at.Insert(c.Instr(in))
		}
	}
	return at
}

// Finish completes the copies: phis get their sources, and uses of values
// that were copied after their use are mended. A phi keeps only sources from
// blocks that are predecessors of its copy; the caller adds others.
func (c *Cloner) Finish() {
	for i := len(c.phis) - 1; i >= 0; i-- {
		p := c.phis[i]
		b := c.blocks[p.from.Block]
		b.insert(p.to, b.first)
	}
	for _, p := range c.phis {
		b := p.to.Block
		for i, pred := range p.from.PhiInfo().Preds {
			q := c.Block(pred)
			if b.HasPred(q) && p.to.PhiSrc(q) == nil {
				c.Dst.Shader.AddPhiSrc(p.to, q, c.Def(p.from.Srcs[i].Def))
			}
		}
	}
	for _, p := range c.pend {
		p.s.Set(c.Def(p.from))
	}
	c.phis, c.pend = c.phis[:0], c.pend[:0]
}

// Clone returns a deep copy of s.
func Clone(s *Shader) *Shader {
	n := NewShader(s.Stage, s.Options)
	n.Name, n.Info = s.Name, s.Info
	n.ConstantData = append([]byte(nil), s.ConstantData...)
	n.Captures = append([]Capture(nil), s.Captures...)
	n.Arguments = append([]Argument(nil), s.Arguments...)
	n.ScratchSize, n.SharedSize, n.nextVar = s.ScratchSize, s.SharedSize, s.nextVar
	n.Locs = append([]Loc(nil), s.Locs...)
	n.Files = append([]string(nil), s.Files...)
	n.Funcs = append([]string(nil), s.Funcs...)
	n.Names = append([]string(nil), s.Names...)
	vars := map[*Variable]*Variable{}
	fns := map[*Function]*Function{}
	copyVar := func(v *Variable) *Variable {
		w := *v
		vars[v] = &w
		return &w
	}
	for _, v := range s.Variables {
		n.Variables = append(n.Variables, copyVar(v))
	}
	for _, f := range s.Functions {
		g := n.NewFunction(f.Name)
		g.Params = append([]Param(nil), f.Params...)
		g.IsEntry, g.IsPreamble, g.ShouldInline, g.DontInline = f.IsEntry, f.IsPreamble, f.ShouldInline, f.DontInline
		if f.Impl == nil {
			g.Impl = nil
		} else {
			g.Impl.Structured = f.Impl.Structured
			for _, v := range f.Impl.Locals {
				g.Impl.Locals = append(g.Impl.Locals, copyVar(v))
			}
		}
		fns[f] = g
	}
	for _, w := range vars {
		if w.PointerInit != nil {
			w.PointerInit = vars[w.PointerInit]
		}
	}
	for _, f := range s.Functions {
		if f.Impl == nil {
			continue
		}
		c := NewCloner(f.Impl, fns[f].Impl)
		c.vars, c.fns = vars, fns
		c.List(&f.Impl.Body, AtEnd(c.Dst.Start()))
		c.Finish()
		c.Release()
	}
	return n
}
