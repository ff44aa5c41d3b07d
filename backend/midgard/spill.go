package midgard

import (
	"errors"
	"fmt"
	"slices"

	"nirc/backend/midgard/isa"
)

// maxRounds bounds the turns of spilling.
const maxRounds = 64

// spillReach is the byte of the thread's storage before which spill slots end: offsets of loads and stores are of 18 bits with a
// sign (midgard.md §5.1).
const spillReach = 1 << 17

// errSpillReach: registers would have to be spilled beyond spillReach.
var errSpillReach = errors.New("midgard: spills do not end before what offsets reach")

// allocate brings f to physical registers, all of them if it is told so; slots counts 16-byte spill slots
// from byte base of the thread's storage.
func (f *function) allocate(floor, limit, base int, all bool) (slots, used int, err error) {
	for range maxRounds {
		a := newAllocator(f, floor, limit)
		ok := a.build()
		if ok {
			if ok, err = a.allocate(); err != nil {
				if f.splitSelects(limit-floor, firstVirtual+reg(a.stuck)) {
					continue
				}
				return 0, 0, err
			}
		}
		if ok {
			a.spread(all)
			if err := a.check(); err != nil {
				return 0, 0, err
			}
			a.apply()
			return slots, a.used, nil
		}
		if slots = f.insertSpills(a.spill, slots, base); base+16*slots > spillReach {
			return slots, 0, errSpillReach
		}
	}
	return 0, 0, fmt.Errorf("midgard: register allocation with %d work registers does not end", limit)
}

// spiller takes the marked registers out of a function.
type spiller struct {
	f     *function
	mark  []bool
	slot  []int32 // by register: its byte
	again []*inst // by register: what makes its value again, if not memory
	out   []*inst // of the block at hand
	// What the instruction at hand has reloaded.
	from, to []reg
}

// insertSpills puts loads before every use of the marked registers and stores
// after every write; it returns the new number of slots.
func (f *function) insertSpills(spill []bool, slots, base int) int {
	p := spiller{f: f, mark: spill, slot: make([]int32, len(spill)), again: f.remakable(spill)}
	for i, s := range spill {
		if s && p.again[i] == nil {
			p.slot[i] = int32(base + 16*slots)
			slots++
		}
	}
	for b := range f.blocks {
		f.freeStoreInput(b, func(in *inst) bool { return in.mask != 0 && p.spilled(in.dst) && p.again[index(in.dst)] == nil })
		p.out = nil
		for _, in := range f.blocks[b].list {
			p.rewrite(in)
		}
		f.blocks[b].list = p.out
	}
	return slots
}

func (p *spiller) spilled(r reg) bool {
	return r.virtual() && int(index(r)) < len(p.mark) && p.mark[index(r)]
}

// rewrite appends an instruction with what it wants before and after it.
func (p *spiller) rewrite(in *inst) {
	p.from, p.to = p.from[:0], p.to[:0]
	in.eachSource(func(s *source, _ uint8) {
		if p.spilled(s.reg) {
			s.reg = p.reload(s.reg, in.loc)
		}
	})
	if !p.spilled(in.dst) || in.mask == 0 {
		p.out = append(p.out, in)
		return
	}
	d := in.dst
	if p.again[index(d)] != nil {
		return
	}
	switch {
	case in.keep != 0:
		in.dst = p.reload(d, in.loc)
	case in.kind == kindTex:
		in.dst = p.fresh(d)
		p.f.node(in.dst).first = p.f.node(d).first
	default:
		in.dst = regLd0 // nothing but the store reads it
	}
	p.out = append(p.out, in)
	if faults.has(faultSpillStore) {
		return
	}
	p.out = append(p.out, p.f.spillStore(in.dst, in.mask, p.slot[index(d)], in.loc)...)
}

// fresh is a register that stands for r for one instruction.
func (p *spiller) fresh(r reg) reg {
	t := p.f.newNode(int(p.f.node(r).size))
	p.f.node(t).noSpill, p.f.node(t).min = true, p.f.node(r).min
	return t
}

// reload brings the value of r back, once an instruction.
func (p *spiller) reload(r reg, loc uint32) reg {
	if k := slices.Index(p.from, r); k >= 0 {
		return p.to[k]
	}
	t := p.fresh(r)
	if d := p.again[index(r)]; d != nil {
		c := *d
		c.dst, p.f.node(t).first = t, p.f.node(r).first
		p.out = append(p.out, p.f.newInst(c))
	} else {
		p.out = append(p.out, p.f.spillLoad(t, p.slot[index(r)], loc))
	}
	p.from, p.to = append(p.from, r), append(p.to, t)
	return t
}

// freeStoreInput makes the load/store pipe's first input late where it would
// hold a value across a spill store, which goes through it too: what is made
// there is made in a register, and moved before the reader.
func (f *function) freeStoreInput(b int, spills func(in *inst) bool) {
	var out, group []*inst // group: what writes the input since its last reader
	mask, hit := uint8(0), false
	for _, in := range f.blocks[b].list {
		read := false
		in.reads(func(r reg, _ uint8) { read = read || r == regLd0 })
		if read {
			if hit {
				t := f.newNode(4)
				f.node(t).noSpill, f.node(t).held, f.node(t).first = true, true, true
				for _, w := range group {
					w.dst = t
				}
				mv := inst{op: isa.OpImov, dst: regLd0, mask: mask, out: isa.OutKeepLow, loc: in.loc}
				mv.src = [2]source{{reg: regNone}, {reg: t, swz: identity}}
				out = append(out, f.newInst(mv))
			}
			group, mask, hit = group[:0], 0, false
		}
		if in.dst == regLd0 && in.mask != 0 {
			group, mask = append(group, in), mask|in.mask
		}
		hit = hit || mask != 0 && spills(in)
		out = append(out, in)
	}
	f.blocks[b].list = out
}

// widelyRead is from how many reads on a register counts as live anyway.
const widelyRead = 8

// remakable finds, for spilled registers, the instruction that makes the value
// again from what is there wherever it is wanted: that is better than memory.
func (f *function) remakable(spill []bool) []*inst {
	list := make([]*inst, len(spill))
	defs, reads := make([]uint32, len(f.nodes)), make([]uint32, len(f.nodes))
	for b := range f.blocks {
		for _, in := range f.blocks[b].list {
			in.reads(func(r reg, _ uint8) {
				if r.virtual() {
					reads[index(r)]++
				}
			})
			if !in.dst.virtual() || in.mask == 0 {
				continue
			}
			k := index(in.dst)
			defs[k]++
			if int(k) < len(spill) && spill[k] {
				list[k] = in
			}
		}
	}
	for k, in := range list {
		if in == nil {
			continue
		}
		ok := defs[k] == 1 && (in.kind == kindALU && !in.hasCond && in.half == partFull || in.kind == kindLdSt && in.loadsFixed())
		in.eachSource(func(s *source, _ uint8) {
			if s.reg.virtual() {
				q := index(s.reg)
				ok = ok && defs[q] == 1 && reads[q] >= widelyRead && (int(q) >= len(spill) || !spill[q])
			} else {
				ok = ok && s.reg >= 8 && s.reg < isa.RegPipe0 // a uniform
			}
		})
		if !ok {
			list[k] = nil
		}
	}
	return list
}

// Spill slots are reached through the base of the thread's storage.
var spillBase = isa.AddrReg{Reg: isa.AddrLocal}

func (f *function) spillLoad(t reg, off int32, loc uint32) *inst {
	in := inst{kind: kindLdSt, dst: t, mask: fullMask(int(f.node(t).size)), loc: loc, spill: 2}
	in.ld = isa.LoadStore{Op: isa.Ld128, Swizzle: isa.XYZW, Arg: spillBase, Toggle: true, Format: isa.IndexU32,
		Index: isa.AddrReg{Reg: isa.AddrZero}, Offset: off}
	return f.newInst(in)
}

func (f *function) spillStore(t reg, mask uint8, off int32, loc uint32) []*inst {
	st := inst{kind: kindLdSt, dst: regNone, loc: loc, spill: 1}
	st.ld = isa.LoadStore{Op: isa.St128, Swizzle: isa.XYZW, Mask: mask, Arg: spillBase, Toggle: true, Format: isa.IndexU32,
		Index: isa.AddrReg{Reg: isa.AddrZero}, Offset: off}
	if t == regLd0 {
		return []*inst{f.newInst(st)}
	}
	mv := inst{op: isa.OpImov, dst: regLd0, mask: mask, out: isa.OutKeepLow, loc: loc}
	mv.src = [2]source{{reg: regNone}, {reg: t, swz: identity}}
	return []*inst{f.newInst(mv), f.newInst(st)}
}
