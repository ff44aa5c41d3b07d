package midgard

import (
	"fmt"

	"nirc/backend/midgard/isa"
)

// maxRounds bounds the turns of spilling.
const maxRounds = 64

// allocate brings f to physical registers; slots counts 16-byte spill slots
// from byte base of the thread's storage.
func (f *function) allocate(floor, limit, base int) (slots, used int, err error) {
	for range maxRounds {
		a := newAllocator(f, floor, limit)
		ok := a.build()
		if ok {
			if ok, err = a.allocate(); err != nil {
				return 0, 0, err
			}
		}
		if ok {
			if err := a.check(); err != nil {
				return 0, 0, err
			}
			a.apply()
			return slots, a.used, nil
		}
		slots = f.insertSpills(a.spill, slots, base)
	}
	return 0, 0, fmt.Errorf("midgard: register allocation with %d work registers does not end", limit)
}

// insertSpills puts loads before every use of the marked registers and stores
// after every write; it returns the new number of slots.
func (f *function) insertSpills(spill []bool, slots, base int) int {
	slot := make([]int32, len(spill))
	again := f.remakable(spill)
	for i, s := range spill {
		if s && again[i] == nil {
			slot[i] = int32(base + 16*slots)
			slots++
		}
	}
	spilled := func(r reg) bool { return r.virtual() && int(index(r)) < len(spill) && spill[index(r)] }
	for b := range f.blocks {
		f.freeStoreInput(b, func(in *inst) bool { return in.mask != 0 && spilled(in.dst) && again[index(in.dst)] == nil })
		var out []*inst
		for _, in := range f.blocks[b].list {
			var from, to [8]reg
			n := 0
			reload := func(r reg) reg {
				for k := range n {
					if from[k] == r {
						return to[k]
					}
				}
				t := f.newNode(int(f.node(r).size))
				f.node(t).noSpill, f.node(t).min = true, f.node(r).min
				if d := again[index(r)]; d != nil {
					c := *d
					c.dst = t
					out = append(out, f.newInst(c))
				} else {
					out = append(out, f.spillLoad(t, slot[index(r)], in.loc))
				}
				from[n], to[n] = r, t
				n++
				return t
			}
			in.eachSource(func(s *source, _ uint8) {
				if spilled(s.reg) {
					s.reg = reload(s.reg)
				}
			})
			if !spilled(in.dst) || in.mask == 0 {
				out = append(out, in)
				continue
			}
			d := in.dst
			if again[index(d)] != nil {
				continue
			}
			var t reg
			if in.keep != 0 {
				t = reload(d)
			} else {
				t = f.newNode(int(f.node(d).size))
				f.node(t).noSpill, f.node(t).min, f.node(t).first = true, f.node(d).min, f.node(d).first
			}
			in.dst = t
			out = append(out, in)
			out = append(out, f.spillStore(t, in.mask, slot[index(d)], in.loc)...)
		}
		f.blocks[b].list = out
	}
	return slots
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
				f.node(t).noSpill, f.node(t).first = true, true
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
		ok := defs[k] == 1 && in.kind == kindALU && !in.hasCond && in.half == partFull
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
	mv := inst{op: isa.OpImov, dst: regLd0, mask: mask, out: isa.OutKeepLow, loc: loc}
	mv.src = [2]source{{reg: regNone}, {reg: t, swz: identity}}
	st := inst{kind: kindLdSt, dst: regNone, loc: loc, spill: 1}
	st.ld = isa.LoadStore{Op: isa.St128, Swizzle: isa.XYZW, Mask: mask, Arg: spillBase, Toggle: true, Format: isa.IndexU32,
		Index: isa.AddrReg{Reg: isa.AddrZero}, Offset: off}
	return []*inst{f.newInst(mv), f.newInst(st)}
}
