package mach

import "fmt"

// lineup is a value about to be placed by compact, and where.
type lineup struct {
	v     Value
	early bool
	r     int
}

// compact lays out a whole file again for an instruction whose results found
// no place: values that live on and are bound to the low part of the file, early
// results of that kind, then the dying sources with the results over them,
// then the rest. Without holes between them they fit if they fit at all.
func (a *allocator) compact(in *Instr) error {
	file := -1
	for i := range in.Defs() {
		d := &in.Ops[i]
		if d.Val == 0 || a.isPlaced(d.Val) {
			continue
		}
		fs := a.file(d.Val)
		if r := a.reg[d.Val]; r != NoReg && fs.val[r] == d.Val {
			fs.release(int(r), a.f.Size(d.Val))
		} else if file < 0 {
			file = int(a.f.File(d.Val))
		}
		a.reg[d.Val] = NoReg
	}
	for _, v := range a.killed {
		a.file(v).release(int(a.reg[v]), a.f.Size(v))
		setRange(&a.file(v).held, int(a.reg[v]), a.f.Size(v))
	}
	if err := a.layOut(in, uint8(file)); err != nil {
		return err
	}
	for i := range in.Defs() {
		d := &in.Ops[i]
		if d.Val == 0 || int(a.f.File(d.Val)) == file || a.isPlaced(d.Val) {
			continue
		}
		if d.Flags&Early != 0 {
			return &PressureError{a.block, a.f.files[a.f.File(d.Val)].Name}
		}
		if !a.placeDef(in, i) {
			return &PressureError{a.block, a.f.files[a.f.File(d.Val)].Name}
		}
	}
	return nil
}

func (a *allocator) layOut(in *Instr, file uint8) error {
	fs := &a.files[file]
	for i := range in.Ops {
		o := &in.Ops[i]
		if o.Val != 0 && o.Flags&Fixed != 0 && a.f.File(o.Val) == file {
			return fmt.Errorf("mach: block %d: no place for the results beside fixed registers of file %s", a.block, a.f.files[file].Name)
		}
	}
	a.lines = a.lines[:0]
	for i := 0; i < len(fs.val); {
		v := fs.val[i]
		if v == 0 {
			i++
			continue
		}
		a.lines = append(a.lines, lineup{v: v})
		i = int(a.reg[v]) + a.f.Size(v)
	}
	live := len(a.lines)
	pos, err := a.line(a.lines[:live], true, a.f.floors[file])
	if err != nil {
		return err
	}
	if pos, err = a.lineDefs(in, file, true, true, pos); err != nil {
		return err
	}
	if pos, err = a.overlay(in, file, pos); err != nil {
		return err
	}
	if pos, err = a.lineDefs(in, file, true, false, pos); err != nil {
		return err
	}
	if _, err = a.line(a.lines[:live], false, pos); err != nil {
		return err
	}
	clear(fs.val)
	fs.busy, fs.held = [8]uint64{}, [8]uint64{}
	for i, l := range a.lines {
		switch n := a.f.Size(l.v); {
		case i < live:
			a.move(l.v, Reg(l.r))
			fs.take(l.v, l.r, n)
		case a.isKilled(l.v):
			a.move(l.v, Reg(l.r))
			fs.used = max(fs.used, l.r+n)
			setRange(&fs.held, l.r, n)
		default:
			a.put(l.v, Reg(l.r))
			a.hintPhi(l.v)
		}
	}
	return nil
}

// line places those of vs that are bound to the low part of the file (or
// those that are not) from pos on and returns where they end.
func (a *allocator) line(vs []lineup, limited bool, pos int) (int, error) {
	for i := range vs {
		if (a.f.classes[a.f.Class(vs[i].v)].Limit != 0) != limited {
			continue
		}
		var err error
		if vs[i].r, pos, err = a.next(vs[i].v, pos); err != nil {
			return 0, err
		}
	}
	return pos, nil
}

// next returns the aligned place of v at or after pos, and its end.
func (a *allocator) next(v Value, pos int) (r, end int, err error) {
	c := &a.f.classes[a.f.Class(v)]
	r = (pos + int(c.Align) - 1) &^ (int(c.Align) - 1)
	end = r + a.f.Size(v)
	if end > a.f.limit(a.f.Class(v)) {
		return 0, 0, &PressureError{a.block, a.f.files[c.File].Name}
	}
	return r, end, nil
}

func (a *allocator) lineDefs(in *Instr, file uint8, early, limited bool, pos int) (int, error) {
	for _, d := range in.Defs() {
		if d.Val == 0 || a.f.File(d.Val) != file || (d.Flags&Early != 0) != early || d.Flags&Tied != 0 {
			continue
		}
		if (a.f.classes[a.f.Class(d.Val)].Limit != 0) != limited {
			continue
		}
		r, end, err := a.next(d.Val, pos)
		if err != nil {
			return 0, err
		}
		a.lines = append(a.lines, lineup{d.Val, early, r})
		pos = end
	}
	return pos, nil
}

// overlay places the dying sources and, over them, the results; a tied
// result has its source's place.
func (a *allocator) overlay(in *Instr, file uint8, pos int) (int, error) {
	for i := range a.f.classes {
		if c := &a.f.classes[i]; c.File == file {
			pos = (pos + int(c.Align) - 1) &^ (int(c.Align) - 1)
		}
	}
	start := pos
	for _, d := range in.Defs() {
		if d.Flags&Tied == 0 || d.Val == 0 || a.f.File(d.Val) != file {
			continue
		}
		u := in.Uses()[d.Tie].Val
		r, end, err := a.next(u, start)
		if err != nil {
			return 0, err
		}
		a.lines = append(a.lines, lineup{v: u, r: r}, lineup{v: d.Val, r: r})
		start = end
	}
	srcs := start
	for _, limited := range [2]bool{true, false} {
		for _, v := range a.killed {
			if a.f.File(v) != file || a.isTied(in, v) || (a.f.classes[a.f.Class(v)].Limit != 0) != limited {
				continue
			}
			r, end, err := a.next(v, srcs)
			if err != nil {
				return 0, err
			}
			a.lines = append(a.lines, lineup{v: v, r: r})
			srcs = end
		}
	}
	defs, err := a.lineDefs(in, file, false, true, start)
	if err != nil {
		return 0, err
	}
	if defs, err = a.lineDefs(in, file, false, false, defs); err != nil {
		return 0, err
	}
	return max(srcs, defs), nil
}

// isTied reports whether v is the source of a tied result.
func (a *allocator) isTied(in *Instr, v Value) bool {
	for _, d := range in.Defs() {
		if d.Flags&Tied != 0 && in.Uses()[d.Tie].Val == v {
			return true
		}
	}
	return false
}
