package algebraic

import "nirc/ir"

// outline is what makes a root, its first two sources, and of each of these the first two: by keys. A word belongs to a source,
// its own key lowest; at the top stand the root's operation and the size of its result. Shaders are made of some thousands of
// outlines, and the next shader of the same, so which candidates are left for a outline is found once and remembered. For most
// it is none.
type outline [2]uint64

// outlineOf returns the outline of an ALU instruction.
func outlineOf(root *ir.Instr) outline {
	sh := outline{uint64(root.Op) << 48, uint64(root.Def.BitSize) << 48}
	for i := range min(2, len(root.Srcs)) {
		in := root.Srcs[i].Def.Instr
		keys := uint64(keyOther)
		switch in.Kind {
		case ir.KindALU:
			keys = uint64(keyOp) + uint64(in.Op)
			if len(in.Srcs) > 0 {
				keys |= uint64(keyOf(in.Srcs[0].Def)) << 16
			}
			if len(in.Srcs) > 1 {
				keys |= uint64(keyOf(in.Srcs[1].Def)) << 32
			}
		case ir.KindLoadConst:
			keys = uint64(keyConst)
		}
		sh[i] |= keys
	}
	return sh
}

// at is the key of the value at a place; ok is false if the outline does not hold it.
func (sh *outline) at(p place) (key uint16, ok bool) {
	if p.src > 1 || p.sub > 1 {
		return 0, false
	}
	return uint16(sh[p.src] >> (16 * uint(p.sub+1))), true
}

// bits is the size of the root's result.
func (sh *outline) bits() uint8 { return uint8(sh[1] >> 48) }

// outlined are the candidates that are left for a outline.
type outlined struct {
	outline outline // of no instruction: nothing yet
	list    []probed
}

// outlinedBits is the logarithm of how many outlines are remembered at most, firstBits of how many at first; there is room for 1<<growth
// times as many when as many were new.
const outlinedBits, firstBits, growth = 12, 6, 2

// candidates returns those for a root of an outline.
func (c *choice) candidates(op ir.Op, sh outline) []probed {
	f := c.place(sh)
	if f.outline == sh {
		return f.list
	}
	if c.missed++; c.missed > len(c.outlined) && len(c.outlined) < 1<<c.most {
		c.resize(min(64-c.shift+growth, c.most))
		f = c.place(sh)
	}
	f.outline, f.list = sh, f.list[:0]
	list := c.keyed(op, uint32(uint16(sh[0]))|uint32(uint16(sh[1]))<<16)
	for i := range list {
		if p := &list[i]; p.suits(&sh) {
			f.list = append(f.list, p.rest(&sh))
		}
	}
	return f.list
}

// place is where an outline is remembered.
func (c *choice) place(sh outline) *outlined {
	return &c.outlined[(sh[0]*0x9e3779b97f4a7c15^sh[1])*0xd6e8feb86659fd93>>c.shift]
}

// keyPlace is where the candidates of keys are remembered, by what keyedCands has as the key.
func (c *choice) keyPlace(key uint64) *keyedCands {
	return &c.byKeys[(key-1)*0x9e3779b97f4a7c15>>(c.shift+1)]
}

// keyedCands are the candidates for an operation and its sources' keys. Half as many are remembered as outlines: large
// shaders have more outlines than are, and then find candidates by the keys of the root's sources alone.
type keyedCands struct {
	key  uint64 // 1 and that of candidates; 0: nothing yet
	list []probed
}

// keyed returns the candidates for an operation whose sources have these keys.
func (c *choice) keyed(op ir.Op, key uint32) []probed {
	k := (uint64(op)<<32 | uint64(key)) + 1
	f := c.keyPlace(k)
	if f.key == k {
		return f.list
	}
	f.key, f.list = k, f.list[:0]
	list := c.list[c.start[op]:c.start[op+1]]
	for i := range list {
		if t := &list[i]; (key^t.key)&t.mask == 0 {
			f.list = append(f.list, t.cand.probed())
		}
	}
	return f.list
}

// answers tells what an outline says of a probe: that it fails, that it holds, or that the root must be looked at.
func (sh *outline) answers(x *probe) (fails, holds bool) {
	key, ok := sh.at(x.a)
	switch want := x.key; {
	case !ok || want == keyAny:
		return false, false
	case want == keyInt || want == keyFloat:
		return key != keyConst, false
	default:
		return key != want, key == want
	}
}

// suits reports whether the candidate may match roots of an outline.
func (p *probed) suits(sh *outline) bool {
	if p.bits != 0 && p.bits != sh.bits() {
		return false
	}
	for i := range p.n {
		if fails, _ := sh.answers(&p.probes[i]); fails {
			return false
		}
	}
	return true
}

// rest is the candidate with those of its probes that the outline does not answer.
func (p *probed) rest(sh *outline) probed {
	out := probed{cand: p.cand, bits: p.bits}
	for i := range p.n {
		if _, holds := sh.answers(&p.probes[i]); !holds {
			out.probes[out.n] = p.probes[i]
			out.n++
		}
	}
	return out
}
