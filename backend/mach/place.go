package mach

import (
	"cmp"
	"fmt"
	"slices"
)

// Registers that all threads of a wave share cannot be moved about where
// control flow joins: what one thread's way does to them is there for those that
// went another way, before or after it. PlaceFile therefore gives each value of such a file
// one place for all its life, ahead of [Allocate]. A life is one piece of the program from
// the first point where the value is live to the last, in the order of the
// blocks, so that ways in between, of whichever threads, find it untouched.

// placement gives the values of one file their places.
type placement struct {
	f     *Func
	file  uint8
	lv    *Liveness
	place []Reg
	// first and last bound the life of each value, in half steps: instruction i
	// of the program reads at 2i and writes at 2i+1.
	first, last []int32
}

// life is a value, or a merge set, that is to be placed.
type life struct {
	first, last int32
	value       Value // 0 of a set
	set         int32
	reg         int
}

// PlaceFile returns a register for each value of a file that holds for its
// whole life, NoReg for values of other files. Values that belong together
// (see [AllocOptions.MergeSets] and [AllocOptions.Groups]) get one place, or
// stand in line. lv is the liveness of f. The error is a *PressureError where they do not fit;
// operands of the file that are fixed or tied are an error too.
func PlaceFile(f *Func, lv *Liveness, file uint8, groups [][]Value) ([]Reg, error) {
	n := len(f.vals)
	bounds := make([]int32, 2*n)
	p := &placement{f: f, file: file, lv: lv, place: make([]Reg, n), first: bounds[:n:n], last: bounds[n:]}
	for v := range n {
		p.place[v], p.first[v], p.last[v] = NoReg, -1, -1
	}
	if any, err := p.lives(); !any || err != nil {
		return p.place, err
	}
	sets := buildSets(f, p.lv, int(file), groups, nil)
	sets.finish()
	list := p.gather(sets)
	slices.SortFunc(list, func(a, b life) int {
		return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(a.set, b.set), cmp.Compare(a.value, b.value))
	})
	return p.place, p.scan(list, sets)
}

// extend makes v live at point at.
func (p *placement) extend(v Value, at int32) {
	if v == 0 || p.f.File(v) != p.file {
		return
	}
	if p.first[v] < 0 || at < p.first[v] {
		p.first[v] = at
	}
	p.last[v] = max(p.last[v], at)
}

// lives finds where each value of the file lives, and reports whether there are any.
func (p *placement) lives() (any bool, err error) {
	at := int32(0)
	for b := range p.f.Blocks {
		start := 2 * at
		p.lv.In[b].Each(func(v Value) { p.extend(v, start) })
		for _, in := range p.f.Blocks[b].Instrs {
			for _, o := range in.Ops {
				if o.Val == 0 || p.f.File(o.Val) != p.file {
					continue
				}
				if any = true; o.Flags&(Fixed|Tied) != 0 {
					return any, fmt.Errorf("mach: block %d: value %d, whose register is given, cannot be placed", b, o.Val)
				}
			}
			for _, d := range in.Defs() {
				switch {
				case in.Op == OpPhi:
					p.extend(d.Val, start)
				case d.Flags&Early != 0:
					p.extend(d.Val, 2*at)
				}
				p.extend(d.Val, 2*at+1)
			}
			if in.Op != OpPhi {
				for _, u := range in.Uses() {
					p.extend(u.Val, 2*at)
				}
			}
			at++
		}
		// The end of a block is a step of its own, at which phis are written.
		p.lv.Out[b].Each(func(v Value) { p.extend(v, 2*at) })
		at++
	}
	return any, nil
}

// gather lists what is to be placed.
func (p *placement) gather(sets *mergeSets) []life {
	var list []life
	for i := range sets.sets {
		s := &sets.sets[i]
		if len(s.members) < 2 {
			continue
		}
		l := life{first: p.first[s.members[0].v], last: p.last[s.members[0].v], set: int32(i)}
		for _, m := range s.members[1:] {
			l.first, l.last = min(l.first, p.first[m.v]), max(l.last, p.last[m.v])
		}
		list = append(list, l)
	}
	for v := range p.first {
		if p.first[v] >= 0 && sets.of[v] < 0 {
			list = append(list, life{first: p.first[v], last: p.last[v], value: Value(v), set: -1})
		}
	}
	return list
}

// scan walks over the lives in the order in which they begin.
func (p *placement) scan(list []life, sets *mergeSets) error {
	var busy [8]uint64
	var active []life
	for _, l := range list {
		n := 0
		for _, a := range active {
			if a.last >= l.first {
				active[n] = a
				n++
				continue
			}
			clearRange(&busy, a.reg, p.size(a, sets))
		}
		active = active[:n]
		class, align := p.shape(l, sets)
		size := p.size(l, sets)
		l.reg = gap(&busy, nil, size, align, p.f.floors[p.file], p.f.limit(class))
		if l.reg < 0 {
			return &PressureError{p.blockAt(l.first), p.f.files[p.file].Name}
		}
		setRange(&busy, l.reg, size)
		active = append(active, l)
		if l.set < 0 {
			p.place[l.value] = Reg(l.reg)
			continue
		}
		for _, m := range sets.sets[l.set].members {
			p.place[m.v] = Reg(l.reg + int(m.off))
		}
	}
	return nil
}

func (p *placement) size(l life, sets *mergeSets) int {
	if l.set >= 0 {
		return sets.sets[l.set].size
	}
	return p.f.Size(l.value)
}

func (p *placement) shape(l life, sets *mergeSets) (class uint8, align int) {
	if l.set >= 0 {
		return sets.sets[l.set].class, sets.sets[l.set].align
	}
	class = p.f.Class(l.value)
	return class, int(p.f.classes[class].Align)
}

// blockAt is the block of a point.
func (p *placement) blockAt(point int32) BlockID {
	end := int32(0)
	for b := range p.f.Blocks {
		if end += int32(len(p.f.Blocks[b].Instrs)) + 1; point < 2*end {
			return BlockID(b)
		}
	}
	return 0
}
