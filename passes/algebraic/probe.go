package algebraic

import "nirc/ir"

// Most candidates fail at the sources of the root's sources: (fadd a (fadd (fneg a) b)) at every sum of sums whose
// second is no negation. What a pattern wants there is looked at before it is walked. Over real shaders this leaves a
// third of the walks, and nearly halves the instructions that the pass takes: 273 to 151 million on AGX.

// place is a value below the root: source src of it, and of that one's instruction source sub; sub is -1 for src itself.
type place struct{ src, sub int8 }

func (p place) of(root *ir.Instr) *ir.Def {
	d := root.Srcs[p.src].Def
	if p.sub >= 0 {
		d = d.Instr.Srcs[p.sub].Def
	}
	return d
}

// probe is a condition that a match needs: that the value at a place has a key, or, if that is keyAny, that two places
// have the same value or constants both.
type probe struct {
	key  uint16
	a, b place
}

func (p *probe) holds(root *ir.Instr) bool {
	d := p.a.of(root)
	if p.key != keyAny {
		return keyOf(d) == p.key
	}
	e := p.b.of(root)
	return d == e || d.IsConst() && e.IsConst()
}

// maxProbes bounds those of a candidate: more would hardly rule out more.
const maxProbes = 4

// probed is a candidate with its probes, for roots whose sources have the keys that it wants.
type probed struct {
	cand   *cand
	n      uint8
	probes [maxProbes]probe
}

// plausible reports whether the candidate may match.
func (p *probed) plausible(root *ir.Instr) bool {
	for i := range p.n {
		if !p.probes[i].holds(root) {
			return false
		}
	}
	return true
}

// prober finds the probes of a candidate: those of keys first, which say more.
type prober struct {
	out   probed
	first [maxSlots]place // where a slot is bound first
	bound uint16
	same  []probe
	// keys: those of the root's own sources are not known to be what the pattern wants.
	keys bool
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
	p := prober{out: probed{cand: c}, keys: c.flip(root) != 0 && root.comm != 1}
	for i := range min(2, root.nsrc) {
		child := &nodes[root.first+uint16(i)]
		src := int8(i ^ c.flip(root))
		p.node(child, place{src, -1})
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
	if n.kind != patVar && (at.sub >= 0 || p.keys) {
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
