// Package reduce shrinks a module, SPIR-V or IR text, while a test of the caller's goes on to accept
// it. It makes valid modules only and does not compile them.
package reduce

import (
	"context"
	"time"

	"nirc"
	"nirc/ir"
)

// Reduction shrinks a module while a test goes on to accept it: it takes away
// functions, loops, sides of branches, stores, values and what is unused,
// in halves, quarters and so on to single ones, until nothing more can go.
type Reduction struct {
	// Accept reports whether a candidate still shows what is looked for. It gets
	// the module in the form of the one that is shrunk: binary, assembly or IR text. An error
	// ends the reduction.
	Accept func(ctx context.Context, module []byte) (bool, error)
	// Time bounds the reduction, 0 does not; what is found until then counts.
	Time time.Duration
	// Log, unless nil, is told of each candidate that was accepted: what went
	// and how many instructions are left.
	Log func(what string, left int)
	// Tried counts the candidates.
	Tried int
}

// form is a module that can be shrunk. It is immutable.
type form interface {
	// edits names the kinds of edits, in the order in which they are worth trying.
	edits() []string
	// chances counts where an edit can be made.
	chances(edit int) int
	// apply makes the edits from the first chance on, n of them; nil if that does not give a module.
	apply(edit, first, n int) form
	bytes() []byte
	size() int
}

// Run returns the smallest module that was accepted, and its number of
// instructions before and after. The error is that of Accept, or says that the module itself is
// not accepted.
func (r *Reduction) Run(ctx context.Context, m *nirc.Module, text bool) (module []byte, before, after int, err error) {
	if r.Time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, r.Time)
		defer cancel()
	}
	var f form
	if m.IR() != nil {
		f = &irForm{m.IR()}
	} else if f, err = newSpirvForm(m.SPIRV, text); err != nil {
		return nil, 0, 0, err
	}
	before = f.size()
	switch ok, err := r.accept(ctx, f); {
	case err != nil:
		return nil, before, before, err
	case !ok:
		return nil, before, before, nirc.Diagnostics{{File: m.Name, Msg: "the module is not accepted as it is, so that there is nothing to keep"}}
	}
	f, err = r.shrink(ctx, f)
	if ctx.Err() == context.DeadlineExceeded && r.Time > 0 {
		err = nil
	}
	return f.bytes(), before, f.size(), err
}

// shrink goes through all kinds of edits until none of them is accepted.
func (r *Reduction) shrink(ctx context.Context, f form) (form, error) {
	for {
		was := f
		for edit := range f.edits() {
			var err error
			if f, err = r.sweep(ctx, f, edit); err != nil {
				return f, err
			}
		}
		if f == was {
			return f, nil
		}
	}
}

// sweep tries one kind of edit, many at a time first.
func (r *Reduction) sweep(ctx context.Context, f form, edit int) (form, error) {
	for n := f.chances(edit); n > 0; n /= 2 {
		for at := 0; at < f.chances(edit); {
			chances := f.chances(edit)
			c := f.apply(edit, at, n)
			ok := false
			if c != nil {
				var err error
				if ok, err = r.accept(ctx, c); err != nil {
					return f, err
				}
			}
			if ok {
				f = c
				if r.Log != nil {
					r.Log(f.edits()[edit], f.size())
				}
			}
			if !ok || f.chances(edit) >= chances {
				at += n
			}
		}
	}
	return f, nil
}

func (r *Reduction) accept(ctx context.Context, f form) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	r.Tried++
	ok, err := r.Accept(ctx, f.bytes())
	if ctx.Err() != nil {
		return false, ctx.Err() // what was cut short tells nothing
	}
	return ok, err
}

// irForm is a shader in the IR's text form.
type irForm struct{ s *ir.Shader }

// irEdit is a kind of edit of the IR: visit walks the chances, and at those
// that take says to take, makes the edit.
type irEdit struct {
	name  string
	visit func(s *ir.Shader, take func() bool)
}

var irEdits = []irEdit{
	{"calls and functions", irFunctions},
	{"loops and ifs", irNodes(func(n ir.Node) bool { return true }, ir.RemoveNode)},
	{"then sides", irNodes(isIf, func(n ir.Node) { i := n.(*ir.If); ir.ReplaceIf(i, &i.Then) })},
	{"else sides", irNodes(isIf, func(n ir.Node) { i := n.(*ir.If); ir.ReplaceIf(i, &i.Else) })},
	{"effects", irInstrs(func(in *ir.Instr) bool { return !in.HasDef() && in.Kind != ir.KindJump }, nil)},
	{"values for undefs", irInstrs(isValue, func(b *ir.Builder, d *ir.Def) *ir.Def { return b.Undef(d.NumComponents, d.BitSize) })},
	{"values for zeros", irInstrs(isValue, func(b *ir.Builder, d *ir.Def) *ir.Def {
		return b.Const(d.BitSize, make([]uint64, d.NumComponents)...)
	})},
	{"unused values", irInstrs(func(in *ir.Instr) bool { return in.HasDef() && in.Def.Unused() }, nil)},
	{"variables", irVariables},
}

func isIf(n ir.Node) bool { _, ok := n.(*ir.If); return ok }

// isValue reports whether an instruction makes a value that a constant may replace.
func isValue(in *ir.Instr) bool {
	return in.HasDef() && !in.Def.Unused() && in.Kind != ir.KindUndef && in.Kind != ir.KindLoadConst && in.Kind != ir.KindDeref
}

// irInstrs makes the edit that removes instructions, with something in
// place of the result if it has one.
func irInstrs(fits func(*ir.Instr) bool, instead func(*ir.Builder, *ir.Def) *ir.Def) func(*ir.Shader, func() bool) {
	return func(s *ir.Shader, take func() bool) {
		for _, f := range s.Functions {
			if f.Impl == nil {
				continue
			}
			for b := range f.Impl.BlocksReverse() {
				for in := range b.InstrsReverse() {
					if !fits(in) || !take() {
						continue
					}
					if instead != nil {
						in.Def.RewriteUses(instead(ir.NewBuilder(ir.AtStart(f.Impl.Start())), &in.Def))
					}
					in.Remove()
				}
			}
			f.Impl.Preserve(ir.MetaControlFlow)
		}
	}
}

// irNodes makes the edit of ifs and loops.
func irNodes(fits func(ir.Node) bool, edit func(ir.Node)) func(*ir.Shader, func() bool) {
	return func(s *ir.Shader, take func() bool) {
		var list []ir.Node
		var collect func(l *ir.List)
		collect = func(l *ir.List) {
			for n := range l.Nodes() {
				switch n := n.(type) {
				case *ir.Block:
					continue
				case *ir.If:
					collect(&n.Then)
					collect(&n.Else)
				case *ir.Loop:
					collect(&n.Body)
					collect(&n.Continue)
				}
				if fits(n) && take() {
					list = append(list, n)
				}
			}
		}
		for _, f := range s.Functions {
			if f.Impl != nil {
				collect(&f.Impl.Body)
			}
		}
		// Inner nodes stand before those around them.
		for _, n := range list {
			edit(n)
		}
	}
}

// irFunctions removes functions but the entry point, and calls of them.
func irFunctions(s *ir.Shader, take func() bool) {
	gone := make(map[*ir.Function]bool)
	kept := s.Functions[:0:0]
	for _, f := range s.Functions {
		if !f.IsEntry && take() {
			gone[f] = true
			continue
		}
		kept = append(kept, f)
	}
	if len(gone) == 0 {
		return
	}
	s.Functions = kept
	irInstrs(func(in *ir.Instr) bool { return in.Kind == ir.KindCall && gone[in.CallInfo().Callee] }, nil)(s, func() bool { return true })
}

// irVariables removes variables that nothing refers to.
func irVariables(s *ir.Shader, take func() bool) {
	used := make(map[*ir.Variable]bool)
	for _, f := range s.Functions {
		if f.Impl == nil {
			continue
		}
		for b := range f.Impl.Blocks() {
			for in := range b.Instrs() {
				if in.Kind == ir.KindDeref && in.DerefInfo().Var != nil {
					used[in.DerefInfo().Var] = true
				}
			}
		}
	}
	drop := func(list []*ir.Variable) []*ir.Variable {
		kept := list[:0:0]
		for _, v := range list {
			if used[v] || !take() {
				kept = append(kept, v)
			}
		}
		return kept
	}
	s.Variables = drop(s.Variables)
	for _, f := range s.Functions {
		if f.Impl != nil {
			f.Impl.Locals = drop(f.Impl.Locals)
		}
	}
}

func (f *irForm) edits() []string {
	names := make([]string, len(irEdits))
	for i, e := range irEdits {
		names[i] = e.name
	}
	return names
}

func (f *irForm) chances(edit int) (n int) {
	irEdits[edit].visit(ir.Clone(f.s), func() bool { n++; return false })
	return n
}

func (f *irForm) apply(edit, first, n int) form {
	s, at, took := ir.Clone(f.s), 0, false
	irEdits[edit].visit(s, func() bool {
		at++
		take := at > first && at <= first+n
		took = took || take
		return take
	})
	if !took || ir.Validate(s) != nil {
		return nil
	}
	return &irForm{s}
}

func (f *irForm) bytes() []byte { return []byte(ir.Print(f.s)) }

func (f *irForm) size() (n int) {
	for _, fn := range f.s.Functions {
		if fn.Impl == nil {
			continue
		}
		for b := range fn.Impl.Blocks() {
			for range b.Instrs() {
				n++
			}
		}
	}
	return n
}
