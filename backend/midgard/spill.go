package midgard

import (
	"fmt"

	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
)

// shiftSwizzle moves the lanes of a load's swizzle up with its destination.
func shiftSwizzle(s isa.Swizzle, off int) isa.Swizzle {
	return isa.Swz(s.Lane(max(0-off, 0)), s.Lane(max(1-off, 0)), s.Lane(max(2-off, 0)), s.Lane(max(3-off, 0)))
}

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
// behind every write; it returns the new number of slots.
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
// anew from what is there wherever it is wanted: that is better than memory.
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

// check proves the allocation: no write touches a component of another register
// that is live there.
func (a *allocator) check() error {
	l := a.f.liveness()
	for b := range a.f.blocks {
		if err := a.checkBlock(b, l); err != nil {
			return err
		}
		if err := a.f.checkInputs(b); err != nil {
			return err
		}
	}
	return nil
}

// occupied counts, by component of the work registers, the values that are live
// there. A value that lies over the end of its register, which checkWrite
// refuses, reaches into the next.
type occupied [4*abi.MaxWork + 8]int32

// checkBlock goes through a block from its end.
func (a *allocator) checkBlock(b int, l *liveness) error {
	live := l.at(b)
	var occ occupied
	for _, x := range l.out[b] {
		a.occupy(&occ, x.r, x.m, 1)
	}
	var buf [maxUses]liveReg
	list := a.f.blocks[b].list
	for i := len(list) - 1; i >= 0; i-- {
		in := list[i]
		if d := in.dst; d != regNone && in.mask != 0 {
			a.occupy(&occ, d, live.get(d)&in.mask, -1)
			if d.virtual() {
				if err := a.checkWrite(in, &occ); err != nil {
					return err
				}
			}
			live.remove(d, in.mask)
		}
		for _, u := range in.uses(buf[:0]) {
			a.occupy(&occ, u.r, u.m&^live.get(u.r), 1)
			live.add(u.r, u.m)
		}
	}
	return nil
}

// occupy adds n to the counts of components of a register.
func (a *allocator) occupy(occ *occupied, r reg, m uint8, n int32) {
	if m == 0 || !r.virtual() || a.place[index(r)] < 0 {
		return
	}
	for p := a.place[index(r)]; m != 0; p, m = p+1, m>>1 {
		if m&1 != 0 {
			occ[p] += n
		}
	}
}

// checkWrite checks a write; occ is without the components that it writes.
func (a *allocator) checkWrite(in *inst, occ *occupied) error {
	p := a.place[index(in.dst)]
	if p < 0 {
		return nil
	}
	if int(p&3)+int(a.f.node(in.dst).size) > 4 {
		return fmt.Errorf("midgard: a value lies over the end of work register %d", p>>2)
	}
	for k := range 4 {
		if in.mask>>k&1 != 0 && occ[int(p)+k] != 0 {
			return fmt.Errorf("midgard: two values share components of work register %d", p>>2)
		}
	}
	return nil
}

// checkInputs proves that no lane of a pipe's input is written again before
// something reads it.
func (f *function) checkInputs(b int) error {
	var pending [numPhysical]uint8
	var buf [maxUses]liveReg
	for _, in := range f.blocks[b].list {
		for _, u := range in.uses(buf[:0]) {
			if u.r < numPhysical {
				pending[u.r] = 0
			}
		}
		if d := in.dst; d >= regLd0 && d <= regTexIn1 && (in.half == partFull || in.half >= partByte && in.keep == 0) {
			if pending[d]&in.mask != 0 {
				return fmt.Errorf("midgard: r%d is written twice before it is read\n%s", d, f.String())
			}
			pending[d] |= in.mask
		}
	}
	return nil
}
