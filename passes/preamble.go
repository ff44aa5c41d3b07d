package passes

import (
	"slices"

	"nirc/internal/slab"
	"nirc/ir"
	"nirc/passes/analysis"
)

// PreambleTarget says what a target's preamble is like: a program that runs once before the shader and leaves what is the
// same for all its invocations where they read it.
type PreambleTarget interface {
	// Moves reports whether the preamble may compute an instruction whose sources it computes, and of a phi the condition of
	// the if before it; free, whether the shader has the value for nothing, or cannot be handed it: it is then no reason to move, though it
	// moves with what is made of it.
	Moves(p *Preamble, in *ir.Instr) (can, free bool)
	// Guarded reports whether an instruction is good only where the shader comes by: it stands in the same ifs of the preamble,
	// and not behind what ends invocations.
	Guarded(in *ir.Instr) bool
	// Cost is what an instruction costs.
	Cost(in *ir.Instr) int32
	// Size is the room that a value takes.
	Size(d *ir.Def) int
	// Place gives a value its place, if there is room; what saves most for its size comes first where there is not room for all.
	Place(in *ir.Instr) bool
	// Copied may change the preamble's copy of an instruction, before it is inserted at b.
	Copied(b *ir.Builder, in *ir.Instr)
	// Store leaves v, the preamble's copy of the value of an instruction that has a place, there.
	Store(b *ir.Builder, in *ir.Instr, v *ir.Def)
	// Load reads it in the shader.
	Load(b *ir.Builder, in *ir.Instr) *ir.Def
}

// Preamble forms the preamble of a function: Classify, then Choose, then Form. It keeps its memory for the next.
type Preamble struct {
	// Room is how much room there is for values.
	Room int
	// ReadCost is what reading a value costs for its size.
	ReadCost int
	// BothSides is what both sides of an if may cost in the preamble without a branch around them.
	BothSides int32
	// Condition, if not nil, makes the condition under which a preamble with guarded instructions computes anything.
	Condition func(b *ir.Builder) *ir.Def

	t    PreambleTarget
	impl *ir.Impl
	// By index: the preamble can compute the value; it is free; something that stays in the shader reads it; the preamble computes
	// it; it has a place.
	can, free, stays, need, placed []bool
	gain                           []int32 // by index: the cost of a value with its share of what it is computed from
	moves                          []*ir.Instr
	chosen                         []*ir.Instr
	ended                          bool // the shader may have ended before what is classified now
	wrote                          bool // it may have written memory, or waited for what others write
	choices                        bool
	guarded                        bool // the preamble has guarded instructions
	ifs                            analysis.PreambleIfs
	c                              *ir.Cloner
	b                              *ir.Builder
	join                           *ir.If // the preamble's if that was just closed
}

// Forget lets go of the function.
func (p *Preamble) Forget() {
	clear(p.moves)
	clear(p.chosen)
	p.t, p.impl, p.c, p.b, p.join = nil, nil, nil, nil, nil
}

// Can reports whether the preamble can compute a value. It knows no values that are younger than Classify.
func (p *Preamble) Can(d *ir.Def) bool { return int(d.Index) < len(p.can) && p.can[d.Index] }

// FromFree reports whether all sources of an instruction are free.
func (p *Preamble) FromFree(in *ir.Instr) bool {
	for i := range in.Srcs {
		if !p.free[in.Srcs[i].Def.Index] {
			return false
		}
	}
	return true
}

// Wrote reports whether the shader may have written memory, or waited for what others write, before what is classified now.
func (p *Preamble) Wrote() bool { return p.wrote }

// Choices reports whether Form moved what ifs choose: what is left of these may do nothing.
func (p *Preamble) Choices() bool { return p.choices }

// Classify finds what the preamble can compute: forward, as it must compute all that an instruction needs.
func (p *Preamble) Classify(impl *ir.Impl, t PreambleTarget) {
	n := int(impl.NumDefs)
	p.impl, p.t, p.ended, p.wrote, p.choices = impl, t, false, false, false
	p.can, p.free = slab.Zeroed(p.can, n), slab.Zeroed(p.free, n)
	clear(p.moves)
	p.moves, p.chosen = p.moves[:0], p.chosen[:0]
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			if !in.HasDef() {
				p.ended, p.wrote = p.ended || endsShader(in), p.wrote || changesMemory(in)
				continue
			}
			if !p.movable(in) {
				p.ended, p.wrote = p.ended || in.Kind == ir.KindCall, p.wrote || changesMemory(in)
				continue
			}
			if can, free := t.Moves(p, in); can {
				p.can[in.Def.Index], p.free[in.Def.Index] = true, free
				p.moves = append(p.moves, in)
			}
		}
	}
}

// endsShader reports whether an instruction may end the shader, or hides what does.
func endsShader(in *ir.Instr) bool {
	return isDiscard(in) || in.Kind == ir.KindCall || in.Kind == ir.KindJump && (in.Jump == ir.JumpReturn || in.Jump == ir.JumpHalt)
}

// changesMemory reports whether an instruction may change what loads after it read.
func changesMemory(in *ir.Instr) bool {
	if in.Kind != ir.KindIntrinsic {
		return in.Kind == ir.KindCall
	}
	return in.Memory().Writes() || in.Intr == ir.IntrBarrier || in.Intr == ir.IntrBeginInvocationInterlock
}

// movable reports whether nothing but the target can be against moving an instruction.
func (p *Preamble) movable(in *ir.Instr) bool {
	switch in.Kind {
	case ir.KindLoadConst, ir.KindUndef:
		return true
	case ir.KindPhi:
		if x := analysis.Chooser(in); x == nil || !p.can[x.Cond.Def.Index] {
			return false
		}
	case ir.KindCall:
		return false
	}
	for i := range in.Srcs {
		if !p.can[in.Srcs[i].Def.Index] {
			return false
		}
	}
	return !p.t.Guarded(in) || !p.ended && analysis.UnderIfs(in.Block, p.can)
}

// Choose finds what the preamble leaves for the shader, and gives it places; false if that is nothing.
func (p *Preamble) Choose() bool {
	total := p.findStaying()
	if total > p.Room || p.ReadCost > 0 {
		p.weigh()
	}
	n := 0
	for _, in := range p.chosen {
		if p.t.Place(in) {
			p.placed[in.Def.Index] = true
			p.chosen[n] = in
			n++
		}
	}
	clear(p.chosen[n:])
	p.chosen = p.chosen[:n]
	return n > 0
}

// findStaying finds, backwards, what something that stays reads, also through what is free. It returns the room for all of it that is worth any.
func (p *Preamble) findStaying() (room int) {
	p.stays, p.placed = slab.Zeroed(p.stays, len(p.can)), slab.Zeroed(p.placed, len(p.can))
	for _, in := range slices.Backward(p.moves) {
		for u := range in.Def.Uses() {
			if u.Instr == nil || !u.Instr.HasDef() || !p.can[u.Instr.Def.Index] || p.free[u.Instr.Def.Index] && p.stays[u.Instr.Def.Index] {
				p.stays[in.Def.Index] = true
				break
			}
		}
	}
	for _, in := range p.moves {
		if p.stays[in.Def.Index] && !p.free[in.Def.Index] {
			p.chosen = append(p.chosen, in)
			room += p.t.Size(&in.Def)
		}
	}
	return room
}

// weigh drops what saves no more than reading it costs, and puts first what saves most for its size. What an instruction costs goes in
// equal shares to what reads it.
func (p *Preamble) weigh() {
	p.gain = slab.Zeroed(p.gain, len(p.can))
	share := func(d *ir.Def) int32 { return p.gain[d.Index] / uses(d) }
	for _, in := range p.moves {
		total := p.t.Cost(in)
		for i := range in.Srcs {
			total += share(in.Srcs[i].Def)
		}
		if in.Kind == ir.KindPhi {
			total += share(analysis.Chooser(in).Cond.Def)
		}
		p.gain[in.Def.Index] = total
	}
	saves := func(in *ir.Instr) int { return int(p.gain[in.Def.Index]) - p.ReadCost*p.t.Size(&in.Def) }
	p.chosen = slices.DeleteFunc(p.chosen, func(in *ir.Instr) bool { return saves(in) <= 0 })
	slices.SortStableFunc(p.chosen, func(x, y *ir.Instr) int {
		return saves(y)*p.t.Size(&x.Def) - saves(x)*p.t.Size(&y.Def)
	})
}

// maxUsesCounted bounds the users among whom a cost is shared.
const maxUsesCounted = 8

func uses(d *ir.Def) int32 {
	n := int32(0)
	for range d.Uses() {
		if n++; n == maxUsesCounted {
			break
		}
	}
	return max(n, 1)
}

// Form makes the preamble in an empty function, of this or another shader, and lets the shader read what it stores.
func (p *Preamble) Form(to *ir.Impl) {
	p.findNeeded()
	p.c, p.b, p.join = ir.NewCloner(p.impl, to), ir.NewBuilder(ir.AtEnd(to.Start())), nil
	if p.guarded && p.Condition != nil {
		i := p.b.PushIf(p.Condition(p.b))
		p.ifs.Walk(&p.impl.Body, p)
		p.b.PopIf(i)
	} else {
		p.ifs.Walk(&p.impl.Body, p)
	}
	p.c.Finish()
	for _, in := range p.moves {
		if !p.placed[in.Def.Index] {
			continue
		}
		at := ir.Before(in)
		if in.Kind == ir.KindPhi {
			at = ir.AfterPhis(in.Block)
		}
		b := ir.NewBuilder(at).AtInstr(in)
		b.Cursor = at
		in.Def.RewriteUses(p.t.Load(b, in))
	}
	p.impl.Preserve(ir.MetaControlFlow)
}

// findNeeded finds, backwards, what the stored values are computed from, and which ifs the preamble has.
func (p *Preamble) findNeeded() {
	p.need = slab.Resized(p.need, len(p.can))
	copy(p.need, p.placed)
	p.guarded = false
	p.impl.Require(ir.MetaBlockIndex)
	p.ifs.Begin(p.impl, p.BothSides)
	for b := range p.impl.BlocksReverse() {
		p.ifs.Enter(b, p.can)
		if x := b.FollowingIf(); x != nil && p.ifs.Kept(x) {
			p.need[x.Cond.Def.Index] = true
		}
		for in := range b.InstrsReverse() {
			if !in.HasDef() || !p.need[in.Def.Index] {
				continue
			}
			for k := range in.Srcs {
				p.need[in.Srcs[k].Def.Index] = true
			}
			if in.Kind == ir.KindPhi {
				p.need[analysis.Chooser(in).Cond.Def.Index] = true
			}
			guarded := p.t.Guarded(in)
			p.guarded = p.guarded || guarded
			p.ifs.Computes(in, p.t.Cost(in), guarded)
		}
	}
}

// PreambleBranch copies an if as one.
func (p *Preamble) PreambleBranch(x *ir.If) {
	i := p.b.PushIf(p.c.Def(x.Cond.Def))
	p.ifs.Walk(&x.Then, p)
	p.b.PushElse(i)
	p.ifs.Walk(&x.Else, p)
	p.b.PopIf(i)
	p.join = i
}

// PreambleBlock copies what moves of a block, and stores what the shader wants of it.
func (p *Preamble) PreambleBlock(b *ir.Block) {
	join := p.join
	p.join = nil
	for in := range b.Instrs() {
		if !in.HasDef() || !p.need[in.Def.Index] {
			continue
		}
		if in.Kind == ir.KindPhi {
			p.choice(in, join)
		} else {
			c := p.c.Instr(in)
			p.t.Copied(p.b, c)
			p.b.Insert(c)
		}
		if p.placed[in.Def.Index] {
			p.t.Store(p.b, in, p.c.Def(&in.Def))
		}
	}
}

// choice makes what an if chooses: by a phi of the preamble's own if, if it has one, else by a selection.
func (p *Preamble) choice(in *ir.Instr, join *ir.If) {
	x := analysis.Chooser(in)
	side := func(l *ir.List) *ir.Def { return p.c.Def(in.PhiSrc(l.LastBlock()).Def) }
	p.choices = true
	if join != nil {
		p.c.Map(&in.Def, p.b.IfPhi(join, side(&x.Then), side(&x.Else)))
		return
	}
	p.c.Map(&in.Def, p.b.Bcsel(p.c.Def(x.Cond.Def), side(&x.Then), side(&x.Else)))
}
