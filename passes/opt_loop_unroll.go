package passes

import (
	"slices"

	"nirc/ir"
	"nirc/passes/analysis"
)

var optLoopUnrollPass = &Pass{
	Name: "opt_loop_unroll", For: ir.HasLoop, Class: "B", Run: optLoopUnroll, Optional: true, Rewrites: true,
	Doc: "Replaces loops whose trip count is known exactly by copies of their bodies, innermost first, within limits of trips and size that the loop's unroll hint lifts and that loops which run once do not have; those that go through a whole array may become larger. " +
		"Needs lower_continue_constructs. Loops that hold loops stay unless they run few times. Loops that stay, of many or of unknown trips, get more copies of their body if max_partial asks for it, " +
		"with the exits that cannot be taken decided; with bounded, those whose largest trip count is known, and at most half the limit, become a single round of that many copies. Both leave conditions to opt_dead_cf. What the counters of a loop decide (one side of an if) is not in the size of its copies.",
	Options: []Option{
		{"max_iterations", "most trips of an unrolled loop; 0: the target's, or 32", 0},
		{"force", "unroll whatever the size", false},
		{"max_partial", "most copies of the body of a loop that stays; 0: it is left alone", 0},
		{"partial_cost", "most instructions of a body with its copies", 128},
		{"bounded", "also loops of which only the largest trip count is known", false},
	},
}

// unrollCost is how many instructions a trip of the limit stands for.
const unrollCost = 26

// hintedTrips bounds the trips of loops that the source wants unrolled.
const hintedTrips = 1024

// arrayFactor is how many times as large loops may become that go through an array: in the copies its elements are values.
// Mesa's nir_opt_loop_unroll has no limit of size for these.
const arrayFactor = 8

// nestedTrips bounds the trips of loops that hold loops. Those take most of the time, and little is gained
// but what the outer counter decides in them; of many copies the code would only be longer.
const nestedTrips = 4

// growthCap bounds a function's instructions made by one run of the pass.
const growthCap = 200_000

func optLoopUnroll(c *Context, s *ir.Shader) (bool, error) {
	limit := uint32(c.Int("max_iterations"))
	if limit == 0 {
		limit = s.Options.MaxUnroll
	}
	if limit == 0 {
		limit = 32
	}
	force := c.Bool("force")
	return eachImpl(s, ir.MetaNone, func(impl *ir.Impl) bool {
		progress := false
		budget := growthCap
		for unrollRound(c, impl, limit, force, &budget) {
			progress = true
		}
		if c.Bool("bounded") || c.Int("max_partial") > 1 {
			progress = unrollRest(c, impl, limit, &budget) || progress
		}
		return progress
	}), nil
}

// unrollRound unrolls what one analysis of the loops allows, inner loops
// first. A loop around one that went waits for the next round, which sees what
// it holds then.
func unrollRound(c *Context, impl *ir.Impl, limit uint32, force bool, budget *int) bool {
	all := analysis.RequireLoops(impl).All
	var stale []*analysis.LoopInfo
	var copies *ir.Cloner
	progress := false
	for i := len(all) - 1; i >= 0; i-- {
		l := all[i]
		settled, goOn := settleLate(c, l)
		progress = progress || settled
		if !goOn {
			return progress
		}
		cost := (l.Cost + 1) * int(l.MaxTrips+1)
		if !l.Exact || len(l.Terminators) != 1 || !unrollable(l) || slices.Contains(stale, l) ||
			cost > *budget || !worthUnrolling(impl, l, limit, force) {
			continue
		}
		if !c.Step() {
			return progress
		}
		*budget -= cost
		for p := l.Parent; p != nil; p = p.Parent {
			stale = append(stale, p)
		}
		if copies == nil {
			copies = ir.NewCloner(impl, impl)
			defer copies.Release()
		}
		unroll(copies, l)
		progress = true
	}
	return progress
}

// settleLate decides the exits of a loop that a sooner one leaves no chance; goOn is false if
// no more rewrites are wanted. The loop is unrolled when opt_dead_cf has taken the exits away.
func settleLate(c *Context, l *analysis.LoopInfo) (settled, goOn bool) {
	for i := range l.Terminators {
		t := &l.Terminators[i]
		if !l.Late(i) {
			continue
		}
		if _, done := firstConst(t.If.Cond.Def); done {
			continue
		}
		if !c.Step() {
			return settled, false
		}
		settleExit(t.If, t, exitNever)
		settled = true
	}
	return settled, true
}

// unrollRest unrolls partially what unrollRound has left.
func unrollRest(c *Context, impl *ir.Impl, limit uint32, budget *int) (progress bool) {
	all := analysis.RequireLoops(impl).All
	var copies *ir.Cloner
	for i := len(all) - 1; i >= 0; i-- {
		l := all[i]
		bounded := 0
		if c.Bool("bounded") {
			bounded = boundedCost(impl.Shader.Options, l, limit)
		}
		plan := planPartial(l, limit, c.Int("max_partial"), c.Int("partial_cost"), bounded)
		if cost := (l.Cost + 1) * plan.copies; plan.copies < 2 || cost > *budget {
			continue
		} else if !c.Step() {
			return progress
		} else {
			*budget -= cost
		}
		if copies == nil {
			copies = ir.NewCloner(impl, impl)
			defer copies.Release()
		}
		unrollPartially(copies, l, plan)
		progress = true
	}
	return progress
}

// boundedCost is how many instructions a loop may become of which only the largest trip count is known: fewer of one with
// texture operations, where the target wants that and the source does not ask for the copies.
func boundedCost(o *ir.Options, l *analysis.LoopInfo, limit uint32) int {
	most := unrollCost * int(limit)
	if o.MaxSampling == 0 || o.MaxSampling >= most || l.Loop.Control == ir.LoopUnroll {
		return most
	}
	for b := range ir.ListBlocks(&l.Loop.Body) {
		for in := range b.Instrs() {
			if in.Kind == ir.KindTex {
				return o.MaxSampling
			}
		}
	}
	return most
}

func worthUnrolling(impl *ir.Impl, l *analysis.LoopInfo, limit uint32, force bool) bool {
	hint := l.Loop.Control
	switch {
	case hint == ir.LoopDontUnroll:
		return false
	case l.MaxTrips <= 1:
		return true // nothing but what comes before the exit is there twice
	case l.HasInner && l.MaxTrips > nestedTrips:
		return false
	case hint == ir.LoopUnroll && !l.HasInner:
		return l.MaxTrips <= hintedTrips
	case l.MaxTrips > limit:
		return false
	}
	cost, most := l.Cost*int(l.MaxTrips), unrollCost*int(limit)
	switch {
	case force && !l.HasInner || cost <= most || !l.HasInner && fitsUnrolled(l, int(l.MaxTrips), most):
		return true
	case !l.HasInner && cost <= arrayFactor*most && l.ThroughArray():
		return true
	case l.Cost > most:
		return false
	}
	return unrolledCost(impl, l) <= most
}

// unrollable: the shapes that unroll takes apart.
func unrollable(l *analysis.LoopInfo) bool {
	t := &l.Terminators[0]
	stay := t.Stay()
	return stay.LastBlock().Jump() == nil && l.Loop.Body.LastBlock().Jump() == nil && l.Loop.Continue.Empty()
}

// carried is a phi and the value that it takes over.
type carried struct{ phi, from *ir.Def }

func carriedBy(b *ir.Block, pred func(*ir.Block) bool) []carried {
	var out []carried
	for phi := range b.Phis() {
		for i, p := range phi.PhiInfo().Preds {
			if pred(p) {
				out = append(out, carried{&phi.Def, phi.Srcs[i].Def})
			}
		}
	}
	return out
}

// unroll replaces a loop with one terminator that leaves in iteration MaxTrips.
// The body is taken apart into what runs before the terminator, the side that
// stays with what follows, and the side that leaves; copies of these go
// before the loop, which is then deleted.
func unroll(c *ir.Cloner, info *analysis.LoopInfo) {
	l, t := info.Loop, &info.Terminators[0]
	pre := ir.Prev(l).(*ir.Block)
	head, join := l.Body.FirstBlock(), t.If.After()
	inLoop := map[*ir.Block]bool{}
	for b := range ir.ListBlocks(&l.Body) {
		inLoop[b] = true
	}
	init := carriedBy(head, func(p *ir.Block) bool { return p == pre })
	next := carriedBy(head, func(p *ir.Block) bool { return p != pre })
	joined := carriedBy(join, func(*ir.Block) bool { return true })
	left := carriedBy(l.After(), func(p *ir.Block) bool { return inLoop[p] })
	outside := usesOutside(l, inLoop)

	exit := t.Exit()
	bodyB := ir.Extract(ir.AfterPhis(join), ir.AtEnd(l.Body.LastBlock()))
	stay := ir.Extract(ir.AtStart(t.Stay().FirstBlock()), ir.AtEnd(t.Stay().LastBlock()))
	leave := ir.Extract(ir.AtStart(exit.FirstBlock()), ir.BeforeJump(exit.LastBlock()))
	bodyA := ir.Extract(ir.AfterPhis(head), ir.AtEnd(ir.Prev(t.If).(*ir.Block)))

	c.Reset()
	at := ir.AtEnd(ir.Prev(l).(*ir.Block))
	for _, p := range init {
		c.Map(p.phi, p.from)
	}
	vals := make([]*ir.Def, len(next))
	for trip := uint32(0); ; trip++ {
		at = c.List(bodyA, at)
		c.Finish()
		if trip == info.MaxTrips {
			break
		}
		at = c.List(stay, at)
		c.Finish()
		for _, p := range joined {
			c.Map(p.phi, c.Def(p.from))
		}
		at = c.List(bodyB, at)
		c.Finish()
		for i, p := range next {
			vals[i] = c.Def(p.from)
		}
		for i, p := range next {
			c.Map(p.phi, vals[i])
		}
	}
	c.List(leave, at)
	c.Finish()
	for _, p := range left {
		p.phi.RewriteUses(c.Def(p.from))
	}
	for _, u := range outside {
		u.src.Set(c.Def(u.def))
	}
	for _, list := range []*ir.List{bodyB, stay, leave, bodyA} {
		list.Delete()
	}
	ir.RemoveNode(l)
}

// outsideUse is a use after a loop of a value made in it.
type outsideUse struct {
	src *ir.Src
	def *ir.Def
}

// usesOutside collects the uses of the loop's values after it, those by the
// phis right after it left out.
func usesOutside(l *ir.Loop, inLoop map[*ir.Block]bool) []outsideUse {
	var out []outsideUse
	after := l.After()
	for b := range ir.ListBlocks(&l.Body) {
		for in := b.First(); in != nil; in = in.Next() {
			if !in.HasDef() {
				continue
			}
			for u := range in.Def.Uses() {
				user := userBlock(u, after)
				if !inLoop[user] && !(user == after && u.Instr != nil && u.Instr.Kind == ir.KindPhi) {
					out = append(out, outsideUse{u, &in.Def})
				}
			}
		}
	}
	return out
}

// userBlock is the block of what uses a value: of an if, the one before it;
// otherwise if neither an if nor an instruction does.
func userBlock(u *ir.Src, otherwise *ir.Block) *ir.Block {
	switch {
	case u.If != nil:
		return ir.Prev(u.If).(*ir.Block)
	case u.Instr != nil:
		return u.Instr.Block
	}
	return otherwise
}
