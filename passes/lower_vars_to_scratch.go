package passes

import "nirc/ir"

var lowerVarsToScratchPass = &Pass{
	Name: "lower_vars_to_scratch", Class: "A", Run: lowerVarsToScratch, Idempotent: true,
	Instead: "descriptors: lower_explicit_io puts what lower_locals_to_regs leaves into private memory; it stays for shaders that keep small arrays as variables",
	Options: []Option{{"threshold", "smallest variable that moves, in bytes", 256}},
	Doc:     "Moves large temporaries that are indexed by values into scratch memory.",
}

// lowerVarsToScratch moves temporaries of at least threshold bytes that are
// indexed by values into scratch memory. Booleans are 32 bits there.
func lowerVarsToScratch(c *Context, s *ir.Shader) (bool, error) {
	threshold := uint64(c.Int("threshold"))
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) bool {
		if len(impl.Locals) == 0 {
			return false
		}
		l := &scratch{impl: impl, offset: make([]int64, maxVarID(impl.Locals)+1)}
		if !l.choose(threshold) {
			return false
		}
		rewriteAccesses(impl, l.access)
		return true
	}), nil
}

type scratch struct {
	impl   *ir.Impl
	offset []int64 // by variable ID: offset + 1
}

// choose lays out the variables that move.
func (l *scratch) choose(threshold uint64) (any bool) {
	const indirect, complex = 1, 2
	how := make([]uint8, len(l.offset))
	for b := range l.impl.Blocks() {
		for in := b.First(); in != nil; in = in.Next() {
			if in.Kind != ir.KindDeref {
				continue
			}
			v := rootVar(in)
			if v == nil || v.Mode != ir.ModeFunctionTemp {
				continue
			}
			if in.Deref == ir.DerefArray && !in.Srcs[1].Def.IsConst() {
				how[v.ID] |= indirect
			}
			if !scratchDeref(in) {
				how[v.ID] |= complex
			}
		}
	}
	for _, v := range l.impl.Locals {
		if how[v.ID] != indirect || v.Init != nil || v.Type.HasRayQuery() {
			continue
		}
		size, align := scratchSize(v.Type)
		if uint64(size) < threshold {
			continue
		}
		s := l.impl.Shader
		at := (s.ScratchSize + align - 1) / align * align
		l.offset[v.ID] = int64(at) + 1
		s.ScratchSize = at + size
		any = true
	}
	return any
}

func scratchDeref(in *ir.Instr) bool {
	switch in.Deref {
	case ir.DerefVar, ir.DerefStruct, ir.DerefArray:
	default:
		return false
	}
	for u := in.Def.FirstUse(); u != nil; u = u.NextUse() {
		if isComplexUse(u) || u.Instr.IsIntrinsic(ir.IntrCopyDeref) {
			return false
		}
	}
	return true
}

// scratchSize returns the bytes and alignment of a type in scratch memory:
// components packed, vectors and aggregates aligned as their components.
func scratchSize(t *ir.Type) (size, align uint32) {
	switch {
	case isLeafType(t):
		b := uint32(t.MemBits() / 8)
		return b * uint32(t.Rows), b
	case t.IsStruct():
		align = 1
		for i := range t.Fields {
			s, a := scratchSize(t.Fields[i].Type)
			size = (size+a-1)/a*a + s
			align = max(align, a)
		}
		return (size + align - 1) / align * align, align
	}
	s, a := scratchSize(t.Child())
	s = (s + a - 1) / a * a
	return s * uint32(t.ChildCount()), a
}

func fieldOffset(t *ir.Type, field int) (at uint32) {
	for i := 0; ; i++ {
		s, a := scratchSize(t.Fields[i].Type)
		at = (at + a - 1) / a * a
		if i == field {
			return at
		}
		at += s
	}
}

func (l *scratch) access(in *ir.Instr) {
	d, v := localAccess(in)
	if v == nil || l.offset[v.ID] == 0 {
		return
	}
	b := builderBefore(in)
	t := d.DerefInfo().Type
	bytes := uint64(t.MemBits() / 8)
	addr := l.address(b, d, l.offset[v.ID]-1)
	if in.Intr == ir.IntrLoadDeref {
		n := b.Intrinsic(ir.IntrLoadScratch, t.Rows, t.MemBits(), addr).Set(ir.IdxAlignMul, bytes)
		val := &n.Def
		if t.Base == ir.BaseBool {
			val = b.Ine(val, b.Imm32(0))
			if in.Def.BitSize == 32 { // a mask
				val = b.Ineg(b.B2i32(val))
			}
		}
		in.Def.RewriteUses(val)
	} else {
		val := in.Srcs[1].Def
		if val.BitSize == 1 {
			val = b.B2i32(val)
		}
		b.Effect(ir.IntrStoreScratch, val, addr).Set(ir.IdxAlignMul, bytes).Set(ir.IdxWriteMask, in.Get(ir.IdxWriteMask))
	}
	in.Remove()
}

// address builds the byte offset of a deref in scratch memory.
func (l *scratch) address(b *ir.Builder, d *ir.Instr, base int64) *ir.Def {
	var index *ir.Def
	for d.Deref != ir.DerefVar {
		p := derefParent(d)
		if d.Deref == ir.DerefStruct {
			base += int64(fieldOffset(p.DerefInfo().Type, d.DerefInfo().Field))
			d = p
			continue
		}
		s, a := scratchSize(d.DerefInfo().Type)
		stride := int64((s + a - 1) / a * a)
		if c, ok := firstConst(d.Srcs[1].Def); ok {
			base += int64(c) * stride
		} else {
			term := b.IMulImm(d.Srcs[1].Def, stride)
			if index != nil {
				term = b.Iadd(index, term)
			}
			index = term
		}
		d = p
	}
	if index == nil {
		return b.Imm32(uint32(base))
	}
	return b.IAddImm(index, base)
}
