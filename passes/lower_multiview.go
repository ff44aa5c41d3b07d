package passes

import (
	"math/bits"

	"nirc/ir"
)

var lowerMultiviewPass = &Pass{
	Name: "lower_multiview", Class: "B", Run: lowerMultiview, Idempotent: true,
	Instead: "hardware: programs of all targets run once a view, which ViewIndex tells them, on ir3 too, whose hardware could take a position for each view of one run; it stays for drivers that draw so",
	Doc: "Makes one run of a vertex shader write the positions of all views. Input: one function after lower_io, from whose outputs only the position depends on " +
		"view_index, and that writes no memory; any other shader is left alone. Output: the body in a loop over the views of the mask, with view_index the loop's, and " +
		"store_per_view_output of the position, indexed by the view's place in the mask. Without view_index there is no loop and the position is stored for each " +
		"view. The loop's counter is a variable: lower_vars_to_ssa comes after.",
	Options: []Option{{Name: "view_mask", Doc: "bit i: view i is drawn", Default: 0}},
}

func lowerMultiview(c *Context, s *ir.Shader) (bool, error) {
	mask := uint32(c.Int("view_mask"))
	f := s.Entry()
	if mask == 0 || s.Stage != ir.StageVertex || f == nil || f.Impl == nil {
		return false, nil
	}
	positions := storesOf(f.Impl, ir.SlotPos)
	if len(positions) == 0 || !multiviewPossible(f.Impl) {
		return false, nil
	}
	views := collect(f.Impl, func(in *ir.Instr) bool { return in.Intr == ir.IntrLoadViewIndex })
	if len(views) == 0 {
		for _, in := range positions {
			b := builderBefore(in)
			for i := range bits.OnesCount32(mask) {
				storePerView(b, in, b.Imm32(uint32(i)))
			}
			in.Remove()
		}
		f.Impl.Preserve(ir.MetaControlFlow)
		return true, nil
	}
	l := &viewLoop{impl: f.Impl, mask: mask}
	l.build()
	for _, in := range positions {
		b := builderBefore(in)
		storePerView(b, in, b.LoadVar(l.counter))
		in.Remove()
	}
	for _, in := range views {
		b := builderBefore(in)
		in.Def.RewriteUses(l.view(b, b.LoadVar(l.counter)))
		in.Remove()
	}
	f.Impl.Preserve(ir.MetaNone)
	return true, nil
}

// storePerView stores the position of the view at place i of the mask.
func storePerView(b *ir.Builder, in *ir.Instr, i *ir.Def) {
	sem := ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics))
	sem.PerView = true
	st := b.Effect(ir.IntrStorePerViewOutput, in.Srcs[0].Def, i, in.Srcs[1].Def)
	for _, k := range [...]ir.Index{ir.IdxBase, ir.IdxRange, ir.IdxWriteMask, ir.IdxComponent, ir.IdxSrcType} {
		st.Set(k, in.Get(k))
	}
	st.Set(ir.IdxIoSemantics, sem.Pack())
}

// viewLoop puts a function's body into a loop over the views.
type viewLoop struct {
	impl    *ir.Impl
	mask    uint32
	counter *ir.Variable
}

func (l *viewLoop) build() {
	l.counter = l.impl.NewLocal(ir.ScalarType(ir.BaseUint, 32), "view")
	body := ir.Extract(ir.AtStart(l.impl.Start()), ir.AtEnd(l.impl.Body.LastBlock()))
	b := ir.NewBuilder(ir.AtStart(l.impl.Start()))
	l.impl.Shader.SetLoc(0)
	b.StoreVar(l.counter, b.Imm32(0), 0)
	loop := b.PushLoop()
	ir.Reinsert(body, ir.AtStart(loop.Body.FirstBlock()))
	b.Cursor = ir.AtEnd(loop.Body.LastBlock())
	next := b.Iadd(b.LoadVar(l.counter), b.Imm32(1))
	b.StoreVar(l.counter, next, 0)
	last := b.PushIf(b.Uge(next, b.Imm32(uint32(bits.OnesCount32(l.mask)))))
	b.Jump(ir.JumpBreak)
	b.PopIf(last)
	b.PopLoop(loop)
}

// view builds the number of the view at place i of the mask.
func (l *viewLoop) view(b *ir.Builder, i *ir.Def) *ir.Def {
	first := bits.TrailingZeros32(l.mask)
	if m := l.mask >> first; m&(m+1) == 0 {
		return b.IAddImm(i, int64(first))
	}
	v := b.Imm32(uint32(31 - bits.LeadingZeros32(l.mask)))
	place := bits.OnesCount32(l.mask) - 1
	for n := 30 - bits.LeadingZeros32(l.mask); n >= 0; n-- {
		if l.mask>>n&1 == 0 {
			continue
		}
		place--
		v = b.Bcsel(b.Ieq(i, b.Imm32(uint32(place))), b.Imm32(uint32(n)), v)
	}
	return v
}

// multiviewPossible reports whether the body may run once a view with only the
// position differing: nothing but the position depends on the view, by value
// or by control flow, and nothing has an effect that counts.
func multiviewPossible(impl *ir.Impl) bool {
	var work ir.InstrWorklist
	const depends = 2
	for b := range impl.Blocks() {
		for in := b.First(); in != nil; in = in.Next() {
			in.Flags = 0
			switch {
			case in.Kind == ir.KindCall, in.Kind == ir.KindJump && (in.Jump == ir.JumpReturn || in.Jump == ir.JumpHalt), in.IsIntrinsic(ir.IntrDeclReg):
				return false
			case in.IsIntrinsic(ir.IntrStorePerViewOutput), in.Kind == ir.KindIntrinsic && in.Intr != ir.IntrStoreOutput && hasSideEffects(in):
				return false
			}
			if in.IsIntrinsic(ir.IntrLoadViewIndex) {
				in.Flags = depends
				work.Push(in)
			}
		}
	}
	position := func(in *ir.Instr) bool {
		return in.IsIntrinsic(ir.IntrStoreOutput) && ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics)).Location == ir.SlotPos
	}
	mark := func(in *ir.Instr) {
		if in.Flags&depends == 0 {
			in.Flags |= depends
			work.Push(in)
		}
	}
	for in := work.Pop(); in != nil; in = work.Pop() {
		if !in.HasDef() {
			if position(in) {
				continue
			}
			return false
		}
		for u := in.Def.FirstUse(); u != nil; u = u.NextUse() {
			if u.Instr != nil {
				mark(u.Instr)
				continue
			}
			if !markDependent(u.If, mark, position) {
				return false
			}
		}
	}
	return true
}

// markDependent marks what depends on which side of an if runs; false if that
// is more than values and the position.
func markDependent(x *ir.If, mark func(*ir.Instr), position func(*ir.Instr) bool) bool {
	for _, side := range [2]*ir.List{&x.Then, &x.Else} {
		for b := range ir.ListBlocks(side) {
			for in := b.First(); in != nil; in = in.Next() {
				if in.Kind == ir.KindJump || !in.HasDef() && !position(in) {
					return false
				}
			}
		}
	}
	for phi := range x.After().Phis() {
		mark(phi)
	}
	return true
}
