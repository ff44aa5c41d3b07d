package midgard

import (
	"fmt"

	"nirc/backend/midgard/abi"
)

// check proves the allocation, where functions are verified: no write touches a component of another register
// that is live there.
func (a *allocator) check() error {
	if !a.f.verify {
		return nil
	}
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
