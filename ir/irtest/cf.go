package irtest

import "nirc/ir"

// loopState is an open loop: what its jumps need.
type loopState struct {
	// inContinue: the cursor is in the continue list, where only break is legal.
	inContinue bool
}

// body makes n instructions or so in a scope of its own and reports whether it
// ended in a jump. kept are values available at its end.
func (g *gen) body(n int) (jumped bool, kept [5]*ir.Def) {
	m := g.mark()
	g.depth++
	left := g.left
	g.left = n
	for g.left > 0 {
		g.statement()
	}
	for i := range kept {
		if p := g.pool[i]; len(p) > 0 {
			kept[i] = p[len(p)-1-g.r.IntN(min(len(p), 6))]
		}
	}
	jumped = g.maybeJump()
	g.left = left - n + g.left
	g.depth--
	g.cut(m)
	return jumped, kept
}

// maybeJump ends the cursor's block in a jump now and then.
func (g *gen) maybeJump() bool {
	if g.depth < 2 && len(g.loops) == 0 || !g.chance(1, 4) {
		return false
	}
	kind := ir.JumpReturn
	if n := len(g.loops); n > 0 {
		switch top := g.loops[n-1]; {
		case g.chance(1, 2):
			kind = ir.JumpBreak
		case top.inContinue:
			return false
		case g.chance(7, 8):
			kind = ir.JumpContinue
		}
	} else if !g.chance(1, 8) {
		return false
	}
	g.b.Jump(kind)
	return true
}

// ifElse makes an if with phis after it.
func (g *gen) ifElse() {
	cond := g.shaped(1, 1)
	i := g.b.PushIf(cond)
	i.Control = ir.IfControl(g.r.IntN(4) / 3 * g.r.IntN(3))
	n := min(g.left, 2+g.r.IntN(24))
	tj, tv := g.body(n)
	g.b.PushElse(i)
	ej := false
	var ev [5]*ir.Def
	if g.chance(2, 3) {
		ej, ev = g.body(n)
	} else {
		for k := range ev {
			if p := g.pool[k]; len(p) > 0 {
				ev[k] = p[g.r.IntN(len(p))]
			}
		}
	}
	g.b.PopIf(i)
	g.left--
	if tj || ej {
		return
	}
	for k := range tv {
		if t, e := tv[k], ev[k]; t != nil && e != nil && t.NumComponents == e.NumComponents {
			g.add(g.b.IfPhi(i, t, e))
		}
	}
	g.b.PopIf(i)
}

// loop makes a loop of a few turns: a counter that leaves at its limit, phis
// that carry values round, and whatever the body does.
func (g *gen) loop() {
	b := g.b
	carried, zero, limit := g.value(32), b.Imm32(0), b.Imm32(uint32(1+g.r.IntN(4)))
	before := b.Cursor.Block
	l := b.PushLoop()
	head := l.Body.FirstBlock()
	l.Control = ir.LoopControl(g.r.IntN(6) / 4)
	if g.Everything {
		l.PartiallyUnrolled = g.chance(1, 8)
	}
	m := g.mark()
	counter := g.headPhi(head, 1, 32)
	phi := g.headPhi(head, carried.NumComponents, 32)
	g.add(counter)
	g.add(phi)
	next := b.Iadd(counter, b.Imm32(1))
	round := b.ALU(ir.OpIxor, phi, b.Iadd(phi, g.b.Swizzle(next, make([]int, phi.NumComponents)...)))
	exit := b.PushIf(b.Uge(counter, limit))
	b.Jump(ir.JumpBreak)
	b.PopIf(exit)
	st := &loopState{}
	g.loops = append(g.loops, st)
	g.body(min(g.left, 3+g.r.IntN(30)))
	if g.chance(1, 2) {
		st.inContinue = true
		b.Cursor = ir.AtEnd(l.AddContinue())
		g.body(min(g.left, 1+g.r.IntN(4)))
	}
	g.loops = g.loops[:len(g.loops)-1]
	g.cut(m)
	for _, p := range head.Preds {
		if p == before {
			g.setPhi(counter.Instr, p, zero)
			g.setPhi(phi.Instr, p, carried)
		} else {
			g.setPhi(counter.Instr, p, next)
			g.setPhi(phi.Instr, p, round)
		}
	}
	b.PopLoop(l)
	// The loop's head dominates what follows. Only its phis are used there, so
	// that a test may put more exits anywhere.
	g.add(counter)
	g.exitPhi(l, phi)
}

// exitPhi merges, after the loop, a value that reaches every break.
func (g *gen) exitPhi(l *ir.Loop, d *ir.Def) {
	after := l.After()
	phi := g.s.NewPhi(d.NumComponents, d.BitSize)
	ir.AtStart(after).Insert(phi)
	for _, p := range after.Preds {
		g.s.AddPhiSrc(phi, p, d)
	}
	g.b.PopLoop(l)
	g.add(&phi.Def)
}

// headPhi makes a phi at a loop's head whose sources setPhi gives later.
func (g *gen) headPhi(head *ir.Block, comps, bits uint8) *ir.Def {
	phi := g.s.NewPhi(comps, bits)
	ir.AfterPhis(head).Insert(phi)
	return &phi.Def
}

// setPhi gives the phi its source from pred; the undef that an edit of the
// tree may have put there goes away.
func (g *gen) setPhi(phi *ir.Instr, pred *ir.Block, d *ir.Def) {
	src := phi.PhiSrc(pred)
	if src == nil {
		g.s.AddPhiSrc(phi, pred, d)
		return
	}
	old := src.Def
	src.Set(d)
	if old.IsUndef() && old.Unused() {
		old.Instr.Remove()
	}
}
