package algebraic

import "nirc/ir"

// maxSlots bounds the values that a pattern binds.
const maxSlots = 12

// bind is a value that a pattern's variable stands for: width components of
// def, picked by swz.
type bind struct {
	def   *ir.Def
	swz   ir.Swizzle
	width uint8
}

// matcher matches patterns against instructions. It is reused for all.
type matcher struct {
	root  *ir.Instr
	flush ir.FloatControls // the shader's, for patNoFlush
	swap  uint8
	exact bool   // a matched instruction was exact
	bound uint16 // bit by slot: it has a value
	slots [maxSlots]bind
	asked bind // of the condition that is looked at
}

// keyOf returns the key of a value.
func keyOf(d *ir.Def) uint16 {
	switch d.Instr.Kind {
	case ir.KindALU:
		return keyOp + uint16(d.Instr.Op)
	case ir.KindLoadConst:
		return keyConst
	}
	return keyOther
}

// match tries candidate c on the root. The slots that the pattern binds are valid if it returns true.
func (m *matcher) match(c *cand) bool {
	r := &rules[c.rule]
	m.swap, m.exact, m.bound = c.swap, false, 0
	n := &nodes[r.root]
	if !m.instr(n, m.root, m.root.Def.NumComponents, ir.IdentitySwizzle) {
		return false
	}
	for i := range r.conds {
		q := &r.conds[i]
		b := &m.asked
		*b = bind{&m.root.Def, ir.IdentitySwizzle, m.root.Def.NumComponents}
		if q.slot >= 0 {
			*b = m.slots[q.slot]
		}
		p := &preds[q.pred]
		if p.fn != nil && p.fn(m, b) == q.not || p.fn2 != nil && p.fn2(m, b, &m.slots[max(q.slot2, 0)]) == q.not {
			return false
		}
	}
	return true
}

// instr matches an operation node against an ALU instruction of which width
// components are read through swz.
func (m *matcher) instr(n *node, in *ir.Instr, width uint8, swz ir.Swizzle) bool {
	if in.Kind != ir.KindALU || in.Op != n.op || n.bits != 0 && in.Def.BitSize != n.bits {
		return false
	}
	if n.flags != 0 && !m.allowed(n, in) {
		return false
	}
	info := in.Op.Info()
	if c := info.Out.Comps; c != 0 && in != m.root {
		if c != width || !swz.Same(ir.IdentitySwizzle, int(c)) {
			return false
		}
		swz = ir.IdentitySwizzle
	}
	if n.slot >= 0 && !m.bind(n.slot, &in.Def, swz, width) {
		return false
	}
	flip := 0
	if n.comm != 0 && m.swap>>(n.comm-1)&1 != 0 {
		flip = 1
	}
	for i := range int(n.nsrc) {
		k := i
		if k < 2 {
			k ^= flip
		}
		s := &in.Srcs[k]
		w, z := width, s.Swizzle
		if c := info.In[k].Comps; c != 0 {
			w = c
		} else if swz != ir.IdentitySwizzle {
			z = swz.Compose(s.Swizzle)
		}
		if !m.value(&nodes[int(n.first)+i], s.Def, w, z) {
			return false
		}
	}
	m.exact = m.exact || in.Exact
	return true
}

// allowed tests the flags of an operation node.
func (m *matcher) allowed(n *node, in *ir.Instr) bool {
	f := n.flags
	switch {
	case f&patInexact != 0 && in.Exact,
		f&patOnce != 0 && !in.Def.UsedOnce(),
		f&patNSW != 0 && !in.NoSignedWrap,
		f&patNUW != 0 && !in.NoUnsignedWrap:
		return false
	}
	if f&(patNSZ|patNInf|patNNaN|patNoFlush) == 0 {
		return true
	}
	bits := floatSize(in)
	switch {
	case f&patNSZ != 0 && in.FastMath.Has(ir.FCSignedZeroPreserve, bits),
		f&patNInf != 0 && in.FastMath.Has(ir.FCInfPreserve, bits),
		f&patNNaN != 0 && in.FastMath.Has(ir.FCNaNPreserve, bits),
		f&patNoFlush != 0 && m.flush.Has(ir.FCDenormFlush, bits):
		return false
	}
	return true
}

// floatSize is the size of the floats that an instruction works on.
func floatSize(in *ir.Instr) uint8 {
	info := in.Op.Info()
	if info.Out.Class == ir.ClassFloat || len(info.In) == 0 {
		return in.Def.BitSize
	}
	return in.Srcs[len(info.In)-1].Def.BitSize
}

// value matches any node against width components of d, picked by swz.
func (m *matcher) value(n *node, d *ir.Def, width uint8, swz ir.Swizzle) bool {
	if n.bits != 0 && d.BitSize != n.bits {
		return false
	}
	switch n.kind {
	case patOp:
		return m.instr(n, d.Instr, width, swz)
	case patConst:
		return d.Instr.Kind == ir.KindLoadConst && m.bind(n.slot, d, swz, width)
	case patVar:
		return m.bind(n.slot, d, swz, width)
	case patInt:
		return allLanes(d, swz, width, n.val&mask(d.BitSize))
	}
	return allLanes(d, swz, width, floatBits(n.val, d.BitSize))
}

// allLanes reports whether all components read are the constant v.
func allLanes(d *ir.Def, swz ir.Swizzle, width uint8, v uint64) bool {
	if d.Instr.Kind != ir.KindLoadConst {
		return false
	}
	for i := range int(width) {
		if d.Instr.Imm[swz.Lane(i)] != v {
			return false
		}
	}
	return true
}

// bind gives a slot its value, or reports whether the value equals the one it has.
func (m *matcher) bind(slot int8, d *ir.Def, swz ir.Swizzle, width uint8) bool {
	b := &m.slots[slot]
	if m.bound>>slot&1 == 0 {
		m.bound |= 1 << slot
		*b = bind{d, swz, width}
		return true
	}
	if b.width != width {
		return false
	}
	if b.def == d {
		return b.swz.Same(swz, int(width))
	}
	if !d.IsConst() || !b.def.IsConst() || d.BitSize != b.def.BitSize {
		return false
	}
	for i := range int(width) {
		if d.Instr.Imm[swz.Lane(i)] != b.lane(i) {
			return false
		}
	}
	return true
}

// lane returns component i of a bound constant.
func (b *bind) lane(i int) uint64 { return b.def.Instr.Imm[b.swz.Lane(i)] }

// mask returns the low bits.
func mask(bits uint8) uint64 {
	if bits >= 64 {
		return ^uint64(0)
	}
	return 1<<bits - 1
}

// floatBits converts the bits of a float64 to those of a float of another size.
func floatBits(v uint64, bits uint8) uint64 {
	return ir.FloatBits(ir.FloatValue(v, 64), bits)
}
