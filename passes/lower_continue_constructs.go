package passes

import "nirc/ir"

var lowerContinueConstructsPass = &Pass{
	Name:       "lower_continue_constructs",
	Class:      "A",
	Idempotent: true,
	Run:        implPass(ir.MetaNone, lowerContinueConstructs),
	Doc:        "Removes continue lists: one with a single way in moves there, others to the head of the body under a not-first-iteration flag.",
}

// lowerContinueConstructs removes continue lists. With one way into it, the
// list moves there; with several it moves to the head of the body, under a
// condition that is false in the first iteration.
func lowerContinueConstructs(impl *ir.Impl) bool {
	progress, repair := continueList(&impl.Body)
	if repair {
		impl.Require(ir.MetaDominance)
		repairSSA(impl)
	}
	return progress
}

func continueList(l *ir.List) (progress, repair bool) {
	note := func(p, r bool) { progress, repair = progress || p, repair || r }
	for n := l.First(); n != nil; n = ir.Next(n) {
		switch x := n.(type) {
		case *ir.If:
			note(continueList(&x.Then))
			note(continueList(&x.Else))
		case *ir.Loop:
			note(continueList(&x.Body))
			if x.Continue.Empty() {
				continue
			}
			note(continueList(&x.Continue))
			note(true, lowerContinue(x))
		}
	}
	return progress, repair
}

// lowerContinue removes one loop's continue list and reports whether uses may
// have lost their definitions.
func lowerContinue(l *ir.Loop) (repair bool) {
	first := l.Continue.FirstBlock()
	if len(first.Preds) > 1 {
		rotateContinue(l)
		return true
	}
	var pred *ir.Block
	if len(first.Preds) == 1 {
		pred = first.Preds[0]
		replacePhis(first, pred)
	}
	code := ir.Extract(ir.AtStart(first), ir.AtEnd(l.Continue.LastBlock()))
	l.DropContinue()
	if pred == nil {
		code.Delete()
		return false
	}
	ir.Reinsert(code, ir.BeforeJump(pred))
	return false
}

// rotateContinue moves the continue list to the head of the body.
func rotateContinue(l *ir.Loop) {
	head, first := l.Body.FirstBlock(), l.Continue.FirstBlock()
	entry := ir.Prev(l).(*ir.Block)
	impl := head.Impl()
	s := impl.Shader
	var heads, conts []savedPhi
	for phi := range head.Phis() {
		heads = append(heads, savePhi(phi))
	}
	last := l.Continue.LastBlock()
	for phi := range first.Phis() {
		c := savePhi(phi)
		n := s.NewPhi(phi.Def.NumComponents, phi.Def.BitSize)
		ir.AtStart(head).Insert(n)
		s.AddPhiSrc(n, entry, undefAtStart(impl, n.Def.NumComponents, n.Def.BitSize))
		if head.HasPred(last) {
			s.AddPhiSrc(n, last, undefAtStart(impl, n.Def.NumComponents, n.Def.BitSize))
		}
		phi.Def.RewriteUses(&n.Def)
		for i := range phi.Srcs {
			phi.Srcs[i].Set(nil)
		}
		phi.Remove()
		c.phi = n
		conts = append(conts, c)
	}
	code := ir.Extract(ir.AtStart(first), ir.AtEnd(last))
	l.DropContinue()
	for i := range conts {
		setPhiSrcs(conts[i].phi, conts[i].from)
	}
	b := ir.NewBuilder(ir.AtEnd(entry))
	no, yes := b.ImmBool(false), b.ImmBool(true)
	again := s.NewPhi(1, 1)
	ir.AtStart(head).Insert(again)
	setPhiSrcs(again, func(p *ir.Block) *ir.Def {
		if p == entry {
			return no
		}
		return yes
	})
	i := ir.InsertIf(ir.AfterPhis(head), &again.Def)
	ir.Reinsert(code, ir.AtStart(i.Then.FirstBlock()))
	then := i.Then.LastBlock()
	for k := range heads {
		h := &heads[k]
		h.phi.MoveTo(ir.AtStart(i.After()))
		setPhiSrcs(h.phi, func(p *ir.Block) *ir.Def {
			if p == then {
				return h.from(last)
			}
			return h.from(entry)
		})
	}
}
