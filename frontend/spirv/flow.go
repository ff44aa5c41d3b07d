package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// fall is where falling out of a list's end leads: any of the chain.
type fall struct {
	ct   *construct
	kind exitKind
	next *fall
}

func (f *fall) leads(ct *construct, kind exitKind) bool {
	for ; f != nil; f = f.next {
		if f.ct == ct && f.kind == kind {
			return true
		}
	}
	return false
}

// resolve finds the exits that need no jump, and from the others which
// selections have to become loops and which loops need a continue.
func (t *translator) resolve(list []node, end *fall) {
	for i := range list {
		n := &list[i]
		var here *fall
		if i == len(list)-1 {
			here = end
		}
		switch n.kind {
		case nIf, nPick:
			t.resolve(n.a, here)
			t.resolve(n.b, here)
		case nGroup:
			t.resolve(n.a, &fall{ct: n.ct, next: here})
		case nLoop:
			t.resolve(n.a, &fall{ct: n.ct, kind: exContinue})
			t.resolve(n.b, &fall{})
		case nSwitch:
			for k := range n.ct.sw.cases {
				t.resolve(n.ct.sw.cases[k].body, here)
			}
		case nExit:
			n.natural = here.leads(n.ct, n.exit)
			switch {
			case n.natural:
			case n.exit == exContinue:
				n.ct.contJumps++
			case n.ct.kind != ctLoop:
				n.ct.needLoop = true
			}
		}
	}
}

// exit names a way to leave a construct.
type exit struct {
	ct   *construct
	kind exitKind
}

// irLoop is an open IR loop: what break and continue do in it, and the exits
// that pass through it on their way to an outer loop.
type irLoop struct {
	loop      *ir.Loop
	brk, cont exit
	passing   []passing
}

// passing is an exit through loops by way of a flag.
type passing struct {
	exit exit
	flag *ir.Variable
}

// flagVar is a boolean local, made when first needed.
type flagVar struct{ v *ir.Variable }

func (t *translator) flag(f *flagVar) *ir.Variable {
	if f.v == nil {
		f.v = t.f.b.Impl.NewLocal(ir.BoolType, "")
	}
	return f.v
}

// emitBody translates the function's tree.
func (t *translator) emitBody() { t.emit(t.f.tree) }

// emit translates a list of the tree.
func (t *translator) emit(list []node) {
	for i := range list {
		n := &list[i]
		switch n.kind {
		case nBlock:
			t.emitBlock(&t.f.blocks[n.block])
		case nIf:
			t.emitIf(n)
		case nRoute:
			t.emitRoute(n)
		case nPick:
			t.emitPick(n)
		case nGroup:
			t.emitGroup(n)
		case nLoop:
			t.emitLoop(n)
		case nSwitch:
			t.emitSwitch(n)
		case nExit:
			if n.fallTo != nil {
				t.f.b.StoreVar(t.flag(&n.fallTo.ft), t.f.constant(1, 1), 0)
			}
			if !n.natural {
				t.leave(exit{n.ct, n.exit})
			}
		}
	}
}

func (t *translator) emitIf(n *node) {
	b := t.f.b
	blk := &t.f.blocks[n.block]
	in := &t.m.Insts[blk.term]
	t.word = int(in.Offset)
	cond := t.boolVector(in.Arg(0), 1)
	i := b.PushIf(cond)
	if blk.kind == mergeSelection {
		switch {
		case blk.control&uint32(spv.SelectionControlFlatten) != 0:
			i.Control = ir.IfFlatten
		case blk.control&uint32(spv.SelectionControlDontFlatten) != 0:
			i.Control = ir.IfDontFlatten
		}
	}
	t.emit(n.a)
	b.PushElse(i)
	t.emit(n.b)
	b.PopIf(i)
}

// emitGroup translates what is left to the construct's merge: as it is, or as
// a loop that runs once if some exit has to jump.
func (t *translator) emitGroup(n *node) {
	if !n.ct.needLoop {
		t.emit(n.a)
		return
	}
	l := t.pushLoop(exit{n.ct, exMerge}, exit{})
	t.emit(n.a)
	t.endTrip()
	t.popLoop(l)
}

// pushLoop opens an IR loop.
func (t *translator) pushLoop(brk, cont exit) *ir.Loop {
	l := t.f.b.PushLoop()
	t.f.loops = append(t.f.loops, irLoop{loop: l, brk: brk, cont: cont})
	return l
}

// endTrip ends the body of a loop that runs once.
func (t *translator) endTrip() {
	if b := t.f.b; b.Cursor.Block.Jump() == nil {
		b.Jump(ir.JumpBreak)
	}
}

// popLoop closes the innermost IR loop and lets the exits that pass through it go on.
func (t *translator) popLoop(l *ir.Loop) {
	f := t.f
	b := f.b
	top := &f.loops[len(f.loops)-1]
	pass := top.passing
	f.loops = f.loops[:len(f.loops)-1]
	b.PopLoop(l)
	for _, p := range pass {
		outer := &f.loops[len(f.loops)-1]
		if outer.brk == p.exit || outer.cont == p.exit {
			// The flag is set again for each run of the outermost loop passed.
			before := ir.NewBuilder(ir.AtEnd(ir.Prev(l).(*ir.Block)))
			before.StoreVar(p.flag, f.constant(1, 0), 0)
		}
		i := b.PushIf(b.LoadVar(p.flag))
		t.leaveFlag(p.exit, p.flag)
		b.PopIf(i)
	}
}

// leave jumps out of a construct.
func (t *translator) leave(e exit) { t.leaveFlag(e, nil) }

// bug fails for what cannot be.
func (t *translator) bug(what string) {
	err := t.errorf(0, "internal error of the frontend: %s", what)
	err.Internal = true
	panic(bail{err})
}

// leaveFlag jumps out of a construct; flag is set already if not nil.
func (t *translator) leaveFlag(e exit, flag *ir.Variable) {
	f := t.f
	b := f.b
	k := len(f.loops) - 1
	for k >= 0 && f.loops[k].brk != e && f.loops[k].cont != e {
		k--
	}
	if k < 0 {
		t.bug("an exit leads to no loop")
	}
	if k == len(f.loops)-1 {
		if f.loops[k].cont == e {
			b.Jump(ir.JumpContinue)
		} else {
			b.Jump(ir.JumpBreak)
		}
		return
	}
	inner := &f.loops[len(f.loops)-1]
	if flag == nil {
		flag = t.passFlag(inner, e)
		b.StoreVar(flag, f.constant(1, 1), 0)
	} else {
		t.notePassing(inner, e, flag)
	}
	b.Jump(ir.JumpBreak)
}

// passFlag returns the flag of an exit through a loop.
func (t *translator) passFlag(l *irLoop, e exit) *ir.Variable {
	for _, p := range l.passing {
		if p.exit == e {
			return p.flag
		}
	}
	v := t.f.b.Impl.NewLocal(ir.BoolType, "")
	l.passing = append(l.passing, passing{e, v})
	return v
}

func (t *translator) notePassing(l *irLoop, e exit, flag *ir.Variable) {
	for _, p := range l.passing {
		if p.exit == e && p.flag == flag {
			return
		}
	}
	l.passing = append(l.passing, passing{e, flag})
}

// loopControl is the hint of a loop's header; a loop without one has header -1.
func (t *translator) loopControl(header int32) ir.LoopControl {
	switch {
	case header < 0 || t.f.blocks[header].kind != mergeLoop:
	case t.f.blocks[header].control&uint32(spv.LoopControlUnroll) != 0:
		return ir.LoopUnroll
	case t.f.blocks[header].control&uint32(spv.LoopControlDontUnroll) != 0:
		return ir.LoopDontUnroll
	}
	return ir.LoopNone
}

// emitLoop translates a loop.
func (t *translator) emitLoop(n *node) {
	f := t.f
	b := f.b
	ct := n.ct
	control := t.loopControl(n.block)
	brk, cont := exit{ct, exMerge}, exit{ct, exContinue}
	switch {
	case ct.contJumps == 0 || len(n.b) == 0:
		l := t.pushLoop(brk, cont)
		l.Control = control
		t.emit(n.a)
		if b.Cursor.Block.Jump() == nil {
			t.emit(n.b)
		}
		t.popLoop(l)
	case ct.wrapCont:
		// The continue construct may return, which a continue list may not: a
		// continue becomes the break of an inner loop.
		l := t.pushLoop(brk, exit{})
		l.Control = control
		inner := t.pushLoop(cont, exit{})
		t.emit(n.a)
		t.endTrip()
		t.popLoop(inner)
		t.emit(n.b)
		t.popLoop(l)
	default:
		l := t.pushLoop(brk, cont)
		l.Control = control
		list := l.AddContinue()
		t.emit(n.a)
		b.Cursor = ir.AtEnd(list)
		f.loops[len(f.loops)-1].cont = exit{}
		t.emit(n.b)
		t.popLoop(l)
	}
}

// emitSwitch translates an OpSwitch: an if each case, on conditions that are
// computed first.
func (t *translator) emitSwitch(n *node) {
	f := t.f
	b := f.b
	sw := n.ct.sw
	in := &t.m.Insts[f.blocks[n.block].term]
	t.word = int(in.Offset)
	if len(sw.cases) == 1 {
		t.emit(sw.cases[0].body)
		return
	}
	sel := t.intVector(in.Arg(0), 1, 0)
	conds := t.caseConditions(sw, sel)
	if sw.falls {
		b.StoreVar(t.flag(&sw.ft), f.constant(1, 0), 0)
	}
	t.ordered(sw, func(k int) {
		c := &sw.cases[k]
		if body := c.body[0].a; len(body) == 0 || len(body) == 1 && body[0].kind == nExit && body[0].natural && body[0].fallTo == nil {
			return
		}
		cond := conds[k]
		if c.fallen {
			cond = b.Ior(cond, b.LoadVar(t.flag(&sw.ft)))
		}
		i := b.PushIf(cond)
		if c.fallen {
			b.StoreVar(t.flag(&sw.ft), f.constant(1, 0), 0)
		}
		t.emit(c.body)
		b.PopIf(i)
	})
}

// caseConditions computes when each case is entered; the default when none of
// the others is.
func (t *translator) caseConditions(sw *switchInfo, sel *ir.Def) []*ir.Def {
	b := t.f.b
	conds := make([]*ir.Def, len(sw.cases))
	var any *ir.Def
	deflt := -1
	for k := range sw.cases {
		c := &sw.cases[k]
		if c.deflt {
			deflt = k
			continue
		}
		var cond *ir.Def
		for _, v := range c.vals {
			cond = t.or(cond, b.Ieq(sel, t.f.constant(sel.BitSize, v)))
		}
		conds[k] = cond
		any = t.or(any, cond)
	}
	conds[deflt] = b.Inot(any)
	return conds
}

func (t *translator) or(x, y *ir.Def) *ir.Def {
	if x == nil {
		return y
	}
	return t.f.b.Ior(x, y)
}
