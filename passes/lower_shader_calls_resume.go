package passes

import (
	"fmt"
	"slices"

	"nirc/ir"
)

// callPart is the entry point or a resume function, with its own copies of the frame's variables.
type callPart struct {
	x     *callSplit
	impl  *ir.Impl
	vars  []*ir.Variable
	calls []*ir.Instr // as in x.calls; nil: it is not there any more
	// resuming is true in a resume function until it has come to where it goes on, nil without loops.
	resuming *ir.Variable
}

// whole is the part that the entry point becomes.
func (x *callSplit) whole() *callPart {
	p := &callPart{x: x, impl: x.impl, calls: slices.Clone(x.calls)}
	for i := range x.frame {
		p.vars = append(p.vars, x.frame[i].v)
	}
	return p
}

// resume makes the function that goes on after a call.
func (x *callSplit) resume(k int) *callPart {
	f := x.s.NewFunction(fmt.Sprintf("%s.resume.%d", x.impl.Fn.Name, k))
	p := &callPart{x: x, impl: f.Impl}
	c := ir.NewCloner(x.impl, f.Impl)
	for i := range x.frame {
		v := x.frame[i].v
		n := f.Impl.NewLocal(v.Type, v.Name)
		p.vars = append(p.vars, n)
		c.MapVar(v, n)
	}
	c.List(&x.impl.Body, ir.AtEnd(f.Impl.Start()))
	c.Finish()
	p.calls = shaderCalls(f.Impl)
	p.cut(p.calls[k])
	b := ir.NewBuilder(ir.AtStart(f.Impl.Start()))
	b.Effect(ir.IntrRtResume).Set(ir.IdxCallIdx, uint64(k)).Set(ir.IdxStackSize, uint64(x.size))
	for i, live := range x.live[k] {
		if live {
			b.StoreVar(p.vars[i], p.fill(b, i), 0)
		}
	}
	if p.resuming != nil {
		b.StoreVar(p.resuming, b.ImmBool(true), 0)
	}
	return p
}

// cut takes away what comes before a call, as far as no loop leads there again, and leads the rest past it.
func (p *callPart) cut(call *ir.Instr) {
	list := &p.impl.Body
	for {
		switch n := childWith(list, call.Block).(type) {
		case *ir.Block:
			if b := p.skip(list, ir.After(call)); b != nil {
				b.StoreVar(p.resuming, b.ImmBool(false), 0)
			}
			return
		case *ir.If:
			list = p.enterIf(list, n, call)
		case *ir.Loop:
			p.skip(list, ir.AtEnd(ir.Prev(n).(*ir.Block)))
			if p.resuming == nil {
				p.resuming = p.impl.NewLocal(ir.BoolType, "resuming")
			}
			list = &n.Body
		}
	}
}

// enterIf goes into the side of an if that has the call: outside of loops the side alone is left.
func (p *callPart) enterIf(list *ir.List, n *ir.If, call *ir.Instr) *ir.List {
	side := &n.Then
	if childWith(side, call.Block) == nil {
		side = &n.Else
	}
	cond := rootVar(n.Cond.Def.Instr.Srcs[0].Def.Instr)
	b := p.skip(list, ir.AtEnd(ir.Prev(n).(*ir.Block)))
	if b == nil {
		ir.ReplaceIf(n, side)
		return list
	}
	b.At(ir.AtEnd(ir.Prev(n).(*ir.Block)))
	resuming, c := b.LoadVar(p.resuming), b.LoadVar(cond)
	if side == &n.Then {
		n.Cond.Set(b.Ior(resuming, c))
	} else {
		n.Cond.Set(b.Iand(b.Inot(resuming), c))
	}
	return side
}

// skip passes over what a list has up to a place: it goes, or, in a loop, runs only if the function has come to its call.
// The builder, nil in the first case, stands after it.
func (p *callPart) skip(list *ir.List, to ir.Cursor) *ir.Builder {
	first := list.FirstBlock()
	before := ir.Extract(ir.AtStart(first), to)
	if p.resuming == nil {
		before.Delete()
		return nil
	}
	b := ir.NewBuilder(ir.AtStart(first))
	i := b.PushIf(b.Inot(b.LoadVar(p.resuming)))
	ir.Reinsert(before, ir.AtStart(i.Then.FirstBlock()))
	b.PopIf(i)
	return b
}

// childWith is the node of a list that holds a block, nil if none does.
func childWith(list *ir.List, b *ir.Block) ir.Node {
	for n := list.First(); n != nil; n = ir.Next(n) {
		for up := ir.Node(b); up != nil; up = ir.Parent(up) {
			if up == n {
				return n
			}
		}
	}
	return nil
}

// lowerCalls makes the part end at each call that is left.
func (p *callPart) lowerCalls() {
	for _, in := range shaderCalls(p.impl) {
		if in.Block == nil || !slices.Contains(shaderCalls(p.impl), in) {
			continue // after another call
		}
		k := slices.Index(p.calls, in)
		b := builderBefore(in)
		for i, live := range p.x.live[k] {
			if live {
				p.spill(b, i)
			}
		}
		op := ir.IntrRtTraceRay
		if in.Intr == ir.IntrExecuteCallable {
			op = ir.IntrRtExecuteCallable
		}
		srcs := make([]*ir.Def, len(in.Srcs))
		for i := range in.Srcs {
			srcs[i] = in.Srcs[i].Def
		}
		b.Effect(op, srcs...).Set(ir.IdxCallIdx, uint64(k)).Set(ir.IdxStackSize, uint64(p.x.size))
		last := in.Block
		for n := ir.Node(in.Block); n != nil; n = ir.Next(n) {
			if blk, ok := n.(*ir.Block); ok {
				last = blk
			}
		}
		at := in.Block
		ir.Extract(ir.Before(in), ir.AtEnd(last)).Delete()
		at.InsertJump(ir.JumpHalt)
	}
}

// spill stores a variable to its place in the frame, fill loads it. Booleans are words there.
func (p *callPart) spill(b *ir.Builder, i int) {
	d := b.LoadVar(p.vars[i])
	if d.BitSize == 1 {
		d = b.B2i32(d)
	}
	st := b.Effect(ir.IntrStoreScratch, d, b.Imm32(p.x.frame[i].offset))
	st.Set(ir.IdxWriteMask, 1<<d.NumComponents-1).Set(ir.IdxAlignMul, uint64(max(d.BitSize/8, 1)))
}

func (p *callPart) fill(b *ir.Builder, i int) *ir.Def {
	t := p.vars[i].Type
	l := b.Intrinsic(ir.IntrLoadScratch, t.Rows, t.MemBits(), b.Imm32(p.x.frame[i].offset)).Set(ir.IdxAlignMul, uint64(t.MemBits()/8))
	if t.Base != ir.BaseBool {
		return &l.Def
	}
	return b.Ine(&l.Def, b.Const(32, make([]uint64, t.Rows)...))
}
