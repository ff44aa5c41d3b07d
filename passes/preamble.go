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
	// the if before it.
	Moves(p *Preamble, in *ir.Instr) bool
	// Free reports whether the shader has a value that moves for nothing, or cannot be handed it: it is then no reason to move, though
	// it moves with what is made of it. Choose asks, in the order of the shader.
	Free(p *Preamble, in *ir.Instr) bool
	// Guarded reports whether an instruction is good only where the shader comes by: it stands in the same ifs of the preamble,
	// and not behind what ends invocations.
	Guarded(in *ir.Instr) bool
	// There reports whether what a guarded instruction reads is there whichever invocations come by: it stands in those of its ifs that move,
	// to read nothing in vain, and others around it do not matter.
	There(in *ir.Instr) bool
	// Cost is what an instruction costs.
	Cost(in *ir.Instr) int32
	// Size is the room that a value takes.
	Size(d *ir.Def) int
	// Place gives a value its place, if there is room; what saves most for its size comes first where there is not room for all.
	Place(in *ir.Instr) bool
}

// Preamble plans the preamble of a function: Classify, then Choose. Form writes it in IR; a target that selects
// instructions for both programs from the one function goes over the plan by Walk. It keeps its memory for the next.
type Preamble struct {
	// Room is how much room there is for values.
	Room int
	// ReadCost is what reading a value costs for its size.
	ReadCost int
	// BothSides is what both sides of an if may cost in the preamble without a branch around them.
	BothSides int32
	// Condition, if not nil, makes the condition under which a preamble with guarded instructions computes anything.
	Condition func(b *ir.Builder) *ir.Def
	// Crowded, if not nil, is called where there is not room for all, before anything has a place: then Place knows what each saves.
	Crowded func()

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
	guarded                        bool // the preamble has guarded instructions
	ifs                            analysis.PreambleIfs
	form                           preambleWriter
}

// Forget lets go of the function: nothing moves.
func (p *Preamble) Forget() {
	clear(p.moves)
	clear(p.chosen)
	p.can, p.need, p.placed = p.can[:0], p.need[:0], p.placed[:0]
	p.t, p.impl, p.form = nil, nil, preambleWriter{}
}

// has reports whether a value is in a set by index, which knows no values that are younger than Classify.
func has(set []bool, d *ir.Def) bool { return int(d.Index) < len(set) && set[d.Index] }

// Can reports whether the preamble can compute a value.
func (p *Preamble) Can(d *ir.Def) bool { return has(p.can, d) }

// Needed reports whether the preamble computes a value.
func (p *Preamble) Needed(d *ir.Def) bool { return has(p.need, d) }

// Placed reports whether the preamble leaves a value for the shader.
func (p *Preamble) Placed(d *ir.Def) bool { return has(p.placed, d) }

// Stays reports whether the shader reads a value, once Choose has found what stays.
func (p *Preamble) Stays(d *ir.Def) bool { return has(p.stays, d) }

// Gain is what a value saves that moves, where there is not room for all; else 0.
func (p *Preamble) Gain(d *ir.Def) int32 {
	if int(d.Index) < len(p.gain) {
		return p.gain[d.Index]
	}
	return 0
}

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

// Classify finds what the preamble can compute: forward, as it must compute all that an instruction needs.
func (p *Preamble) Classify(impl *ir.Impl, t PreambleTarget) {
	n := int(impl.NumDefs)
	p.impl, p.t, p.ended, p.wrote = impl, t, false, false
	p.can, p.need, p.placed = slab.Zeroed(p.can, n), p.need[:0], p.placed[:0]
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
			if t.Moves(p, in) {
				p.can[in.Def.Index] = true
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
	if p.ended && analysis.ReadsOutOfIf(in) {
		return false // the if may have to be a branch of the preamble, which does not end
	}
	return !p.t.Guarded(in) || !p.ended && (p.t.There(in) || analysis.UnderIfs(in.Block, p.can))
}

// Choose finds what the preamble leaves for the shader, gives it places, and finds what the preamble computes for that;
// false if it leaves nothing.
func (p *Preamble) Choose() bool {
	p.findFree()
	p.findStaying()
	total := p.findChosen()
	wanted := len(p.chosen)
	p.gain = p.gain[:0]
	if total > p.Room || p.ReadCost > 0 {
		p.weigh()
		if p.Crowded != nil {
			p.Crowded()
		}
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
	if n < wanted {
		p.findStaying() // the shader computes what has no place, of what it then reads too
	}
	if n > 0 {
		p.findNeeded()
	}
	return n > 0
}

// findFree asks which values are free, and supposes places for all others.
func (p *Preamble) findFree() {
	n := len(p.can)
	p.free, p.stays, p.placed = slab.Zeroed(p.free, n), slab.Zeroed(p.stays, n), slab.Zeroed(p.placed, n)
	for _, in := range p.moves {
		free := p.t.Free(p, in)
		p.free[in.Def.Index], p.placed[in.Def.Index] = free, !free
	}
}

// findStaying finds, backwards, what something that stays reads, also through what has no place.
func (p *Preamble) findStaying() {
	for _, in := range slices.Backward(p.moves) {
		p.stays[in.Def.Index] = p.readByShader(&in.Def)
	}
}

func (p *Preamble) readByShader(d *ir.Def) bool {
	for u := range d.Uses() {
		switch in := u.Instr; {
		case in == nil:
			if !p.Vanishes(u.If) {
				return true
			}
		case !in.HasDef() || !p.can[in.Def.Index] || p.stays[in.Def.Index] && !p.placed[in.Def.Index]:
			return true
		}
	}
	return false
}

// Vanishes reports whether the shader has nothing left of an if: the preamble computes all that it chooses, and
// what its sides hold is for that alone.
func (p *Preamble) Vanishes(x *ir.If) bool {
	if !p.Can(x.Cond.Def) {
		return false
	}
	b, ok := ir.Next(x).(*ir.Block)
	return ok && p.idle(b, true) && p.idleList(&x.Then) && p.idleList(&x.Else)
}

// idleList reports whether the shader computes nothing in a list.
func (p *Preamble) idleList(l *ir.List) bool {
	for n := range l.Nodes() {
		switch n := n.(type) {
		case *ir.Block:
			if !p.idle(n, false) {
				return false
			}
		case *ir.If:
			if !p.Vanishes(n) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// idle reports whether the shader computes nothing in a block, or no phi of it. Constants are where they are read, and of derefs what
// accesses by them counts.
func (p *Preamble) idle(b *ir.Block, phis bool) bool {
	for in := range b.Instrs() {
		switch {
		case phis && in.Kind != ir.KindPhi:
			return true
		case in.Kind == ir.KindDeref, in.Kind == ir.KindLoadConst:
			continue
		case !in.HasDef() || !p.can[in.Def.Index] || p.stays[in.Def.Index] && !p.placed[in.Def.Index]:
			return false
		}
	}
	return true
}

// findChosen lists what wants a place, and takes the places back that were supposed. It returns the room for all of it.
func (p *Preamble) findChosen() (room int) {
	for _, in := range p.moves {
		if p.stays[in.Def.Index] && p.placed[in.Def.Index] {
			p.chosen = append(p.chosen, in)
			room += p.t.Size(&in.Def)
		}
		p.placed[in.Def.Index] = false
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
			p.ifs.Reads(in)
			if in.Kind == ir.KindPhi {
				p.need[analysis.Chooser(in).Cond.Def.Index] = true
			}
			guarded := p.t.Guarded(in)
			p.guarded = p.guarded || guarded
			p.ifs.Computes(in, p.t.Cost(in), guarded)
		}
	}
}

// Kept reports whether the preamble has an if as a branch; if not, what it chooses there is a selection.
func (p *Preamble) Kept(x *ir.If) bool { return p.ifs.Kept(x) }

// Walk goes over the shader for w, which writes what the preamble needs of it.
func (p *Preamble) Walk(w analysis.PreambleWriter) { p.WalkList(&p.impl.Body, w) }

// WalkList goes over a list of the shader, such as a side of an if that is kept.
func (p *Preamble) WalkList(l *ir.List, w analysis.PreambleWriter) { p.ifs.Walk(l, w) }
