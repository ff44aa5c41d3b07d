package algebraic

import "nirc/ir"

// Most candidates fail at the sources of the root's sources: (fadd a (fadd (fneg a) b)) at every sum of sums whose
// second is no negation. What a pattern wants there is looked at before it is walked: what operations and sizes answer once
// for an outline, constants and equal values at each root. Over real shaders this leaves a twelfth of the walks, and of
// the instructions that the pass took first less than half.

// place is a value below the root: source src of it, and of that one's instruction source sub; sub is -1 for src itself.
// Below an instruction whose sources have a width of their own no pattern wants a constant or an equal value (TestProbedSources).
type place struct{ src, sub int8 }

func (p place) of(root *ir.Instr) *ir.Def {
	d := root.Srcs[p.src].Def
	if p.sub >= 0 {
		d = d.Instr.Srcs[p.sub].Def
	}
	return d
}

// first is the component of the value that is read for the first of the root's result.
func (p place) first(root *ir.Instr) int {
	s := &root.Srcs[p.src]
	k := s.Swizzle.Lane(0)
	if p.sub < 0 {
		return k
	}
	return s.Def.Instr.Srcs[p.sub].Swizzle.Lane(k)
}

// probe is a condition that a match needs: that the value at a place has a key, or, if that is keyAny, that two places
// have the same value, as their first components tell; keyInt and keyFloat: that it is the constant val, as the lower half
// of its first component tells. Of the patterns that have the right operations most want other constants.
type probe struct {
	key  uint16
	a, b place
	val  uint32
}

// Keys of probes alone.
const (
	keyInt   uint16 = 0xfffe
	keyFloat uint16 = 0xfffd // val is that of 32 bits; values of other sizes hold
)

func (p *probe) holds(root *ir.Instr) bool {
	d := p.a.of(root)
	switch p.key {
	case keyAny:
	case keyInt:
		return d.IsConst() && (uint32(d.Instr.Imm[p.a.first(root)])^p.val)&uint32(mask(d.BitSize)) == 0
	case keyFloat:
		return d.IsConst() && (d.BitSize != 32 || uint32(d.Instr.Imm[p.a.first(root)]) == p.val)
	default:
		return keyOf(d) == p.key
	}
	e := p.b.of(root)
	if d == e {
		return p.a.first(root) == p.b.first(root)
	}
	return d.IsConst() && e.IsConst() && d.BitSize == e.BitSize && d.Instr.Imm[p.a.first(root)] == e.Instr.Imm[p.b.first(root)]
}

// maxProbes bounds those of a candidate: more would hardly rule out more.
const maxProbes = 4

// probed is a candidate with its probes, for roots whose sources have the keys that it wants.
type probed struct {
	cand   *cand
	bits   uint8 // size of the root's result, 0 any
	n      uint8
	probes [maxProbes]probe
}

// plausible reports whether the candidate may match a root of an outline that it suits.
func (p *probed) plausible(root *ir.Instr) bool {
	for i := range p.n {
		if !p.probes[i].holds(root) {
			return false
		}
	}
	return true
}

// prober finds the probes of a candidate: those of keys and constants first, which say more.
type prober struct {
	out   probed
	first [maxSlots]place // where a slot is bound first
	bound uint16
	same  []probe
}

func (p *prober) add(x probe) {
	if p.out.n < maxProbes {
		p.out.probes[p.out.n] = x
		p.out.n++
	}
}

// probed returns the candidate with its probes, for roots whose first two sources are as try says.
func (c *cand) probed() probed {
	root := &nodes[rules[c.rule].root]
	p := prober{out: probed{cand: c, bits: root.bits}}
	for i := range min(2, root.nsrc) {
		child := &nodes[root.first+uint16(i)]
		src := int8(i ^ c.flip(root))
		p.node(child, place{src: src, sub: -1})
		if child.kind != patOp {
			continue
		}
		for k := range child.nsrc {
			sub := k
			if k < 2 {
				sub ^= c.flip(child)
			}
			p.node(&nodes[child.first+uint16(k)], place{src, int8(sub)})
		}
	}
	for _, x := range p.same {
		p.add(x)
	}
	return p.out
}

// flip is 1 if the candidate takes the first two sources of a node the other way round.
func (c *cand) flip(n *node) uint8 {
	if n.comm != 0 {
		return c.swap >> (n.comm - 1) & 1
	}
	return 0
}

// node notes what a pattern wants of the value at a place.
func (p *prober) node(n *node, at place) {
	switch {
	case n.kind == patInt:
		p.add(probe{key: keyInt, a: at, val: uint32(n.val)})
	case n.kind == patFloat:
		p.add(probe{key: keyFloat, a: at, val: uint32(floatBits(n.val, 32))})
	case n.kind != patVar && at.sub >= 0:
		key := keyConst
		if n.kind == patOp {
			key = keyOp + uint16(n.op)
		}
		p.add(probe{key: key, a: at})
	}
	if n.slot < 0 || n.kind == patInt || n.kind == patFloat {
		return
	}
	if p.bound>>n.slot&1 != 0 {
		p.same = append(p.same, probe{a: p.first[n.slot], b: at})
		return
	}
	p.bound |= 1 << n.slot
	p.first[n.slot] = at
}
