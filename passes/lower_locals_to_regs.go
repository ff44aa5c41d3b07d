package passes

import "nirc/ir"

var lowerLocalsToRegsPass = &Pass{
	Name: "lower_locals_to_regs", For: ir.HasTemp, Class: "A", Run: lowerLocalsToRegs, Idempotent: true,
	Options: []Option{{"max_words", "if not 0: only arrays that are indexed by values, of 32-bit components and booleans, that take at most so many words in all", 0}},
	Doc:     "Turns the locals that remain, vectors and arrays, into registers.",
}

// lowerLocalsToRegs turns the locals that remain, arrays of vectors or
// scalars of any nesting, into registers. Structs, casts, copies and
// component accesses keep a variable where it is. A boolean takes as many
// bits as the widest value it is given or read as: 32 after the passes that
// make booleans masks.
//
// With max_words it takes arrays alone for which registers are addressed by values, as the
// targets that have such an array beside their values do.
func lowerLocalsToRegs(c *Context, s *ir.Shader) (bool, error) {
	words := c.Int("max_words")
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) bool {
		if len(impl.Locals) == 0 {
			return false
		}
		l := &localRegs{regs: make([]*ir.Def, maxVarID(impl.Locals)+1), bounded: words > 0}
		if !l.choose(impl, words) {
			return false
		}
		rewriteAccesses(impl, l.access)
		return true
	}), nil
}

// maxRegElems is the most elements that a register may have (num_array_elems, ir/validate_rows.go).
const maxRegElems = 1<<16 - 1

// localRegs are the registers of the locals that have one.
type localRegs struct {
	regs []*ir.Def // by variable ID
	// bounded: arrays of a bounded size alone. Constant indices are kept inside, others are the target's matter.
	bounded bool
}

// choose declares the registers, of at most the given number of words if they are bounded.
func (l *localRegs) choose(impl *ir.Impl, words int) (any bool) {
	bad, indirect := make([]bool, len(l.regs)), make([]bool, len(l.regs))
	bits := make([]uint8, len(l.regs)) // of the widest value, 0 without access
	for b := range impl.Blocks() {
		for in := b.First(); in != nil; in = in.Next() {
			if in.Kind != ir.KindDeref {
				continue
			}
			if v := rootVar(in); v != nil && v.Mode == ir.ModeFunctionTemp {
				bad[v.ID] = bad[v.ID] || !regDeref(in)
				indirect[v.ID] = indirect[v.ID] || in.Deref == ir.DerefArray && !in.Srcs[1].Def.IsConst()
				bits[v.ID] = max(bits[v.ID], v.Type.WithoutArray().Bits, accessBits(in))
			}
		}
	}
	for _, v := range impl.Locals {
		leaf := v.Type.WithoutArray()
		if bits[v.ID] == 0 || bad[v.ID] || !leaf.IsNumeric() || v.Init != nil || elementCount(v.Type) > maxRegElems {
			continue
		}
		if l.bounded {
			if bits[v.ID] == 1 {
				bits[v.ID] = 32
			}
			size := elementCount(v.Type) * int(leaf.Rows)
			if !indirect[v.ID] || bits[v.ID] != 32 || size > words {
				continue
			}
			words -= size
		}
		b := ir.NewBuilder(ir.AtStart(impl.Start()))
		l.regs[v.ID] = b.DeclReg(leaf.Rows, bits[v.ID], elementCount(v.Type))
		any = true
	}
	return any
}

// accessBits is the size of the widest value loaded or stored through a deref.
func accessBits(d *ir.Instr) (bits uint8) {
	for u := d.Def.FirstUse(); u != nil; u = u.NextUse() {
		switch {
		case u.Instr == nil:
		case u.Instr.IsIntrinsic(ir.IntrLoadDeref):
			bits = max(bits, u.Instr.Def.BitSize)
		case u.Instr.IsIntrinsic(ir.IntrStoreDeref):
			bits = max(bits, u.Instr.Srcs[1].Def.BitSize)
		}
	}
	return bits
}

// elementCount is the number of vectors in an array type, matrices counted by
// column, or 1<<30 if they are more; 0 of a vector.
func elementCount(t *ir.Type) int {
	n := 0
	for t.IsArray() || t.IsMatrix() {
		n = min(max(n, 1)*t.ChildCount(), 1<<30)
		t = t.Child()
	}
	return n
}

func regDeref(in *ir.Instr) bool {
	switch in.Deref {
	case ir.DerefVar:
	case ir.DerefArray:
		if p := derefParent(in); isLeafType(p.DerefInfo().Type) {
			return false
		}
	default:
		return false
	}
	for u := in.Def.FirstUse(); u != nil; u = u.NextUse() {
		if isComplexUse(u) || u.Instr.IsIntrinsic(ir.IntrCopyDeref) || u.Instr.Kind == ir.KindIntrinsic && !isLeafType(in.DerefInfo().Type) {
			return false
		}
	}
	return true
}

// access turns a load or store of a variable with a register into one of it.
func (l *localRegs) access(in *ir.Instr) {
	d, v := localAccess(in)
	if v == nil || l.regs[v.ID] == nil {
		return
	}
	b := builderBefore(in)
	base, index := l.element(b, d)
	reg := l.regs[v.ID]
	if n := elementCount(v.Type); base >= uint64(max(n, 1)) {
		// Out of bounds: nothing is stored, and what is loaded is undefined.
		if in.HasDef() {
			in.Def.RewriteUses(b.Undef(in.Def.NumComponents, in.Def.BitSize))
		}
		in.Remove()
		return
	}
	bits := uint8(reg.Instr.Get(ir.IdxBitSize))
	if in.Intr == ir.IntrStoreDeref {
		val := in.Srcs[1].Def
		if val.BitSize == 1 && bits != 1 {
			val = b.ALU(boolCast(bits), val)
		}
		n := regIntrinsic(b, ir.IntrStoreReg, ir.IntrStoreRegIndirect, index, 0, 0, val, reg)
		n.Set(ir.IdxWriteMask, in.Get(ir.IdxWriteMask)).Set(ir.IdxBase, base)
		in.Remove()
		return
	}
	n := regIntrinsic(b, ir.IntrLoadReg, ir.IntrLoadRegIndirect, index, in.Def.NumComponents, bits, reg)
	n.Set(ir.IdxBase, base)
	val := &n.Def
	if in.Def.BitSize == 1 && bits != 1 {
		val = b.Ine(val, b.ImmInt(0, bits))
	}
	in.Def.RewriteUses(val)
	in.Remove()
}

// regIntrinsic builds the direct form of a register access, or that with an
// index if there is one.
func regIntrinsic(b *ir.Builder, direct, indirect ir.Intrinsic, index *ir.Def, comps, bits uint8, srcs ...*ir.Def) *ir.Instr {
	if index == nil {
		return b.Intrinsic(direct, comps, bits, srcs...)
	}
	return b.Intrinsic(indirect, comps, bits, append(srcs, index)...)
}

// element returns which vector of its variable a deref names: a constant
// part and the rest, nil if there is none.
func (l *localRegs) element(b *ir.Builder, d *ir.Instr) (base uint64, index *ir.Def) {
	for d.Deref != ir.DerefVar {
		size := uint64(max(elementCount(d.DerefInfo().Type), 1))
		p := derefParent(d)
		n := p.DerefInfo().Type.ChildCount()
		if c, ok := firstConst(d.Srcs[1].Def); ok {
			if l.bounded {
				c = min(c, uint64(n-1))
			}
			base += c * size
		} else {
			term := d.Srcs[1].Def
			if l.bounded && term.BitSize != 32 {
				term = b.U2u32(term)
			}
			term = b.IMulImm(term, int64(size))
			if index != nil {
				term = b.Iadd(index, term)
			}
			index = term
		}
		d = p
	}
	return base, index
}
