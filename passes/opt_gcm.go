package passes

import (
	"nirc/ir"
	"nirc/passes/analysis"
)

var optGCMPass = &Pass{
	Name: "opt_gcm", For: ir.HasIf | ir.HasLoop, Class: "B", Run: optGCM, Optional: true, Rewrites: true,
	Doc: "Moves instructions to better blocks (global code motion): out of loops that do not change them, and down to the last place that all uses share, " +
		"never into a loop. Derivatives, operations across lanes and loads that others may write stay; loads that might go wrong where they did not run move down, and out of loops only if each loop that is entered comes by them.",
	Options: []Option{
		{"sink", "move instructions down too; without, only what leaves a loop moves", true},
		{"room", "most words that what leaves a loop may take in registers through it, except for what is the same for all threads; 0: any number", 0},
	},
}

func optGCM(c *Context, s *ir.Shader) (bool, error) {
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) bool {
		var p placement
		p.init(impl)
		progress := hoist(c, impl, &p)
		if !c.Bool("sink") {
			return progress
		}
		return sink(impl, &p, func(in *ir.Instr) bool {
			return in.Kind != ir.KindLoadConst && in.Kind != ir.KindUndef && c.Step()
		}) || progress
	}), nil
}

// hoist goes forward, so that what an instruction needs has moved before it.
func hoist(c *Context, impl *ir.Impl, p *placement) (progress bool) {
	l := entered{impl: impl}
	var room loopRoom
	room.init(impl, c.Int("room"))
	for blk := range impl.Blocks() {
		if p.depth[blk.Index] == 0 {
			continue
		}
		for in := range blk.Instrs() {
			var to *ir.Block
			switch mobilityOf(in) {
			case speculated:
				to = p.up(in)
			case sinkable:
				to = l.out(in)
			default:
				continue
			}
			if to != blk {
				to = room.reach(in, to)
			}
			if to != blk && c.Step() {
				in.MoveTo(ir.BeforeJump(to))
				progress = true
			}
		}
	}
	return progress
}

// entered finds what runs whenever the loop around it is entered.
type entered struct {
	impl  *ir.Impl
	loops *analysis.Loops
	known []uint8 // by block index
}

// out returns the block before the outermost loop that an instruction may
// leave without running where it did not, or its own.
func (e *entered) out(in *ir.Instr) *ir.Block {
	to := in.Block
	for {
		l := ir.EnclosingLoop(to)
		if l == nil || !e.runs(l, to) {
			return to
		}
		before := ir.Prev(l).(*ir.Block)
		for i := range in.Srcs {
			if !before.Reachable() || !in.Srcs[i].Def.Instr.Block.Dominates(before) {
				return to
			}
		}
		to = before
	}
}

// runs reports whether a block of a loop's body, not in an if, runs at least once
// when the loop is entered: before it stand only exits that are known
// not to be taken at first, and ifs without jumps.
func (e *entered) runs(l *ir.Loop, b *ir.Block) bool {
	if ir.ParentList(b) != &l.Body {
		return false
	}
	if e.known == nil {
		e.known = make([]uint8, e.impl.NumBlocks)
	}
	k := &e.known[b.Index]
	if *k == unasked {
		*k = always
		if n := ir.Prev(b); n != nil && !e.passes(l, n) {
			*k = perhaps
		}
	}
	return *k == always
}

// What is known of a block.
const (
	unasked uint8 = iota
	always
	perhaps
)

// passes reports whether the first iteration comes by an if of a loop's body and
// by the block before it.
func (e *entered) passes(l *ir.Loop, n ir.Node) bool {
	x, ok := n.(*ir.If)
	if !ok || !e.staysAtFirst(l, x) && !withoutJumps(&x.Then, &x.Else) {
		return false
	}
	before := ir.Prev(n).(*ir.Block)
	for in := range before.Instrs() {
		if isDiscard(in) || in.Kind == ir.KindCall {
			return false
		}
	}
	return e.runs(l, before)
}

// staysAtFirst reports whether an if is an exit that the first iteration does not take.
func (e *entered) staysAtFirst(l *ir.Loop, x *ir.If) bool {
	if e.loops == nil {
		e.loops = analysis.RequireLoops(e.impl)
	}
	for _, info := range e.loops.All {
		if info.Loop != l {
			continue
		}
		for _, t := range info.Terminators {
			if t.If == x {
				return t.Known && t.Trips > 0 && withoutJumps(t.Stay())
			}
		}
	}
	return false
}

// withoutJumps reports whether lists hold neither jumps nor discards nor calls.
func withoutJumps(lists ...*ir.List) bool {
	for _, l := range lists {
		for b := range ir.ListBlocks(l) {
			for in := range b.Instrs() {
				if in.Kind == ir.KindJump || in.Kind == ir.KindCall || isDiscard(in) {
					return false
				}
			}
			if b.FollowingLoop() != nil {
				return false
			}
		}
	}
	return true
}

// sink goes backward, so that what uses an instruction has moved before it,
// and puts each before what its new block held.
func sink(impl *ir.Impl, p *placement, want func(*ir.Instr) bool) (progress bool) {
	for blk := range impl.BlocksReverse() {
		for in := range blk.InstrsReverse() {
			if !in.HasDef() || in.Def.Unused() || mobilityOf(in) == pinned {
				continue
			}
			if to := p.down(in); to != blk && want(in) {
				in.MoveTo(ir.AfterPhis(to))
				progress = true
			}
		}
	}
	return progress
}

// kinds are the kinds of instructions that opt_sink and opt_move handle.
type kinds struct{ consts, inputs, buffers, compares, copies, alu bool }

func sinkKinds(c *Context) kinds {
	return kinds{c.Bool("const_undef"), c.Bool("inputs"), c.Bool("buffers"), c.Bool("compares"), c.Bool("copies"), c.Bool("alu")}
}

func (k kinds) has(in *ir.Instr) bool {
	switch in.Kind {
	case ir.KindLoadConst, ir.KindUndef:
		return k.consts
	case ir.KindIntrinsic:
		switch in.Intr {
		case ir.IntrLoadUbo, ir.IntrLoadSsbo, ir.IntrLoadPushConstant, ir.IntrLoadGlobalConstant, ir.IntrLoadConstant, ir.IntrLoadGlobal:
			return k.buffers
		}
		return k.inputs && in.Intr.Info().SysVal || k.inputs && (in.Intr == ir.IntrLoadInput || in.Intr == ir.IntrLoadInterpolatedInput)
	case ir.KindALU:
		switch {
		case in.Op == ir.OpMov || in.IsVec():
			return k.copies
		case in.Op.Info().Out.Class == ir.ClassBool:
			return k.compares
		}
		return k.alu && variableSources(in) <= 1
	}
	return false
}

// variableSources counts the different sources that are not constants.
func variableSources(in *ir.Instr) (n int) {
	for i := range in.Srcs {
		d := in.Srcs[i].Def
		seen := d.IsConst()
		for j := range i {
			seen = seen || in.Srcs[j].Def == d
		}
		if !seen {
			n++
		}
	}
	return n
}
