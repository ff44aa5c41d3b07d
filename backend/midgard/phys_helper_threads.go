package midgard

import (
	"nirc/backend/midgard/isa"
	"nirc/internal/slab"
)

// helpersWant is what the helper threads of quads still have a use for at a point of the code: registers out of which a
// later derivative may be made, and whether any is taken at all.
type helpersWant struct {
	regs  [(numPhysical + 15) / 16]uint64
	quads bool
}

// helperThreads lets helper threads end where the last derivative of their way is taken, and go without the
// results of lookups out of which no later one is made: they have none of the memory traffic then (midgard.md §6.6).
func (c *compiler) helperThreads() error {
	if !c.meta.NeedsQuads {
		return nil
	}
	c.p.listBundles(c.f)
	blocks := c.f.blocks
	m := c.f.memory()
	m.wants = slab.Zeroed(m.wants, len(blocks))
	in := m.wants
	after := func(b int) (w helpersWant) {
		for _, s := range blocks[b].succs {
			w.join(&in[s])
		}
		return w
	}
	for changed := true; changed; {
		changed = false
		for b := len(blocks) - 1; b >= 0; b-- {
			w := after(b)
			for i := len(blocks[b].list) - 1; i >= 0; i-- {
				w.before(blocks[b].list[i])
			}
			if w != in[b] {
				in[b], changed = w, true
			}
		}
	}
	for b := range blocks {
		w := after(b)
		for i := len(blocks[b].list) - 1; i >= 0; i-- {
			if t := blocks[b].list[i]; t.derives() {
				t.tex.Helpers = w.field(t)
			}
			w.before(blocks[b].list[i])
		}
	}
	return nil
}

// derives reports whether the instruction takes derivatives over a quad.
func (in *inst) derives() bool {
	return in.kind == kindTex && !in.inv && (in.tex.Op == isa.TexSample || in.tex.Op == isa.TexDerivative)
}

// field is what an operation that takes derivatives says of helper threads, w being what they want after it.
func (w *helpersWant) field(in *inst) isa.Helpers {
	switch wanted := w.any(in); {
	case faults.has(faultHelpers), !wanted && !w.quads:
		return isa.HelpersKill
	case !wanted, faults.has(faultSkippedResults):
		return isa.HelpersSkip
	}
	return isa.HelpersNormal
}

// any reports whether the result of the instruction is wanted.
func (w *helpersWant) any(in *inst) bool {
	return in.mask != 0 && in.dst != regNone && compSet(w.regs[:]).get(in.dst)&in.mask != 0
}

// before walks over an instruction backwards. Where a derivative follows, helper threads must come to it by the same way as
// the others of their quads, and find in memory what they put there.
func (w *helpersWant) before(in *inst) {
	set := compSet(w.regs[:])
	wanted := w.any(in)
	if wanted {
		set.remove(in.dst, in.mask)
	}
	switch {
	case in.derives():
		w.quads, wanted = true, true
	case in.kind == kindBranch, in.kind == kindDiscard, in.kind == kindLdSt && in.effects():
		wanted = wanted || w.quads
	}
	if !wanted {
		return
	}
	var buf [maxUses]liveReg
	for _, u := range in.uses(buf[:0]) {
		set.add(u.r, u.m)
	}
}

// join adds what is wanted where the code goes on.
func (w *helpersWant) join(o *helpersWant) {
	for i := range w.regs {
		w.regs[i] |= o.regs[i]
	}
	w.quads = w.quads || o.quads
}
