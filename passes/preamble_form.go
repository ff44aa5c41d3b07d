package passes

import (
	"nirc/ir"
	"nirc/passes/analysis"
)

// PreambleForm says how a preamble that is written in IR hands values to the shader.
type PreambleForm interface {
	// Copied may change the preamble's copy of an instruction, before it is inserted at b.
	Copied(b *ir.Builder, in *ir.Instr)
	// Store leaves v, the preamble's copy of the value of an instruction that has a place, there.
	Store(b *ir.Builder, in *ir.Instr, v *ir.Def)
	// Load reads it in the shader.
	Load(b *ir.Builder, in *ir.Instr) *ir.Def
}

// preambleWriter writes a preamble in IR.
type preambleWriter struct {
	p       *Preamble
	f       PreambleForm
	c       *ir.Cloner
	b       *ir.Builder
	join    *ir.If // the preamble's if that was just closed
	choices bool
}

// Form makes the preamble that was chosen in an empty function, of this or another shader, and lets the shader read what it stores.
// It reports whether it moved what ifs choose: what is left of these may do nothing.
func (p *Preamble) Form(to *ir.Impl, f PreambleForm) (choices bool) {
	p.form = preambleWriter{p: p, f: f, c: ir.NewCloner(p.impl, to), b: ir.NewBuilder(ir.AtEnd(to.Start()))}
	w := &p.form
	if p.guarded && p.Condition != nil {
		i := w.b.PushIf(p.Condition(w.b))
		p.Walk(w)
		w.b.PopIf(i)
	} else {
		p.Walk(w)
	}
	w.c.Finish()
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
		in.Def.RewriteUses(f.Load(b, in))
	}
	w.c.Release()
	w.c = nil
	p.impl.Preserve(ir.MetaControlFlow)
	return w.choices
}

// PreambleBranch copies an if as one.
func (w *preambleWriter) PreambleBranch(x *ir.If) {
	i := w.b.PushIf(w.c.Def(x.Cond.Def))
	w.p.WalkList(&x.Then, w)
	w.b.PushElse(i)
	w.p.WalkList(&x.Else, w)
	w.b.PopIf(i)
	w.join = i
}

// PreambleBlock copies what moves of a block, and stores what the shader wants of it.
func (w *preambleWriter) PreambleBlock(b *ir.Block) {
	join := w.join
	w.join = nil
	for in := range b.Instrs() {
		if !in.HasDef() || !w.p.need[in.Def.Index] {
			continue
		}
		if in.Kind == ir.KindPhi {
			w.choice(in, join)
		} else {
			c := w.c.Instr(in)
			w.f.Copied(w.b, c)
			w.b.Insert(c)
		}
		if w.p.placed[in.Def.Index] {
			w.f.Store(w.b, in, w.c.Def(&in.Def))
		}
	}
}

// choice makes what an if chooses: by a phi of the preamble's own if, if it has one, else by a selection.
func (w *preambleWriter) choice(in *ir.Instr, join *ir.If) {
	x := analysis.Chooser(in)
	side := func(l *ir.List) *ir.Def { return w.c.Def(in.PhiSrc(l.LastBlock()).Def) }
	w.choices = true
	if join != nil {
		w.c.Map(&in.Def, w.b.IfPhi(join, side(&x.Then), side(&x.Else)))
		return
	}
	sel := ir.OpBcsel
	if bits := x.Cond.Def.BitSize; bits > 1 {
		sel, _ = formOf(sel, bits)
	}
	w.c.Map(&in.Def, w.b.ALU(sel, w.c.Def(x.Cond.Def), side(&x.Then), side(&x.Else)))
}
