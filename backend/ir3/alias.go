package ir3

import (
	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
)

// On a7xx a register name in a texture instruction can stand for a const, an
// immediate or another register (ir3.md §7.9). aliasSources finds
// the elements of source vectors that would have to be moved otherwise; names
// are given out after register allocation.

// maxAliases is the number of entries that the table has room for.
const maxAliases = 16

// aliasFirst is the register number from which names are taken that no element
// has already.
const aliasFirst = 160

// aliasPart is a run of elements of a source vector: n registers from one of
// the instruction's uses on, or one const or immediate.
type aliasPart struct {
	src   uint8 // number of the source
	n     uint8
	use   int8        // index of the use, -1 of a const or immediate
	value isa.Operand // the const or immediate
}

// aliasEntry lets the register name stand for src.
type aliasEntry struct {
	name int32
	src  isa.Operand
}

// aliasSources rewrites texture instructions of f. prefetched are values that
// prefetches leave, of which nothing is aliased.
func aliasSources(f *mach.Func, prefetched func(v mach.Value) bool) {
	a := &aliaser{f: f, code: templates(f), prefetched: prefetched, uses: make([]int32, f.NumValues()), vectors: make([]int32, f.NumValues()), def: make([]*mach.Instr, f.NumValues())}
	any := false
	for b := range f.Blocks {
		for _, in := range f.Blocks[b].Instrs {
			any = any || in.Op >= mach.FirstTargetOp && hasTemplate(in.Op) && isaOp(in.Op).Category() == 5
			for _, u := range in.Uses() {
				a.uses[u.Val]++
				if in.Op == mach.OpCollect {
					a.vectors[u.Val]++
				}
			}
			for _, d := range in.Defs() {
				a.def[d.Val] = in
			}
		}
	}
	if !any {
		return
	}
	for b := range f.Blocks {
		blk := &f.Blocks[b]
		list := make([]*mach.Instr, 0, len(blk.Instrs))
		for _, in := range blk.Instrs {
			if in.Op < opInputs && in.Op >= mach.FirstTargetOp && takesAliases(&a.code.tmpl[in.Ext]) {
				list = a.instr(in, list)
			}
			list = append(list, in)
		}
		blk.Instrs = list
	}
	removeDead(f)
}

// takesAliases reports whether an instruction reads vectors that may be aliased.
// Those that are emitted four times over (samgp) are left as they are, and aliases do not
// always work beside the immediate offset of an isam (ir3.md §7.9).
func takesAliases(t *isa.Instr) bool {
	switch t.Op {
	case isa.OpIsam:
		return t.Flags&isa.TexP == 0
	case isa.OpIsaml, isa.OpIsamm, isa.OpSam, isa.OpSamb, isa.OpSaml, isa.OpSamgq, isa.OpGetlod, isa.OpGetsize,
		isa.OpGather4r, isa.OpGather4g, isa.OpGather4b, isa.OpGather4a, isa.OpImgHof, isa.OpImgPcmn, isa.OpImgSad, isa.OpImgSsd:
		return true
	}
	return false
}

type aliaser struct {
	f          *mach.Func
	code       *code
	prefetched func(v mach.Value) bool
	uses       []int32 // by value
	vectors    []int32 // by value: vectors that it is collected into
	def        []*mach.Instr
}

// instr gives in the parts of its sources; vectors of what is left in line go
// to the end of list.
func (a *aliaser) instr(in *mach.Instr, list []*mach.Instr) []*mach.Instr {
	t := a.code.tmpl[in.Ext]
	uses := in.Uses()
	var parts []aliasPart
	var vals []mach.Value
	k, room := 0, maxAliases
	for i := range t.Srcs {
		if t.Srcs[i].Kind != isa.Reg {
			continue
		}
		v := uses[k].Val
		k++
		elems := a.elements(v)
		if elems == nil || len(elems) > room {
			n := a.f.Elems(v)
			parts = append(parts, aliasPart{src: uint8(i), n: uint8(n), use: int8(len(vals))})
			vals = append(vals, v)
			continue
		}
		room -= len(elems)
		parts, vals, list = a.split(uint8(i), elems, parts, vals, list)
	}
	if room == maxAliases {
		return list
	}
	for _, u := range uses[k:] {
		vals = append(vals, u.Val)
	}
	defs := in.NDefs
	ops := make([]mach.Operand, int(defs)+len(vals))
	copy(ops, in.Defs())
	for i, v := range vals {
		ops[int(defs)+i].Val = v
	}
	in.Ops = ops
	in.Ext = a.code.new(t)
	a.code.setAliases(in.Ext, parts)
	return list
}

// elements are the elements of a vector that is only made for one instruction
// and of which some are better aliased; nil of others.
func (a *aliaser) elements(v mach.Value) []mach.Operand {
	d := a.def[v]
	if d == nil || a.uses[v] != 1 || a.f.Class(v) != classFull {
		return nil
	}
	if _, ok := a.constant(v); ok {
		return []mach.Operand{{Val: v}}
	}
	if d.Op != mach.OpCollect {
		return nil
	}
	some := false
	for _, u := range d.Uses() {
		x := a.def[u.Val]
		if a.f.Class(u.Val) != classFull {
			return nil // halves of the vector's elements
		}
		if a.prefetched(u.Val) || x != nil && x.Op == mach.OpSplit && a.prefetched(x.Uses()[0].Val) {
			return nil
		}
		some = some || a.loose(u.Val)
	}
	if !some {
		return nil
	}
	return d.Uses()
}

// constant returns the const or immediate that a move makes v of.
func (a *aliaser) constant(v mach.Value) (isa.Operand, bool) {
	d := a.def[v]
	if d == nil || d.Op != machOp(isa.OpMov) || len(d.Uses()) != 0 {
		return isa.Operand{}, false
	}
	t := &a.code.tmpl[d.Ext]
	o := t.Srcs[0]
	plain := t.Type == isa.U32 && t.SrcType == isa.U32 && t.Repeat == 0 && o.Flags == 0
	return o, plain && (o.Kind == isa.Imm || o.Kind == isa.Const)
}

// loose reports whether an element had to be moved into its vector: it is a
// constant, or stands in several.
func (a *aliaser) loose(v mach.Value) bool {
	_, ok := a.constant(v)
	return ok || a.vectors[v] > 1
}

// split makes parts of the elements: runs of registers stay vectors.
func (a *aliaser) split(src uint8, elems []mach.Operand, parts []aliasPart, vals []mach.Value, list []*mach.Instr) ([]aliasPart, []mach.Value, []*mach.Instr) {
	for i := 0; i < len(elems); {
		v := elems[i].Val
		if o, ok := a.constant(v); ok {
			parts = append(parts, aliasPart{src: src, n: 1, use: -1, value: o})
			i++
			continue
		}
		n := 1
		if a.vectors[v] <= 1 {
			for i+n < len(elems) && !a.loose(elems[i+n].Val) {
				n++
			}
		}
		if n > 1 {
			run := elems[i : i+n]
			v = a.f.NewValue(a.f.Class(v), n)
			c := a.f.NewInstr(mach.OpCollect, 1, n)
			c.Ops[0].Val = v
			for j := range run {
				c.Ops[1+j].Val = run[j].Val
			}
			list = append(list, c)
		}
		parts = append(parts, aliasPart{src: src, n: uint8(n), use: int8(len(vals))})
		vals = append(vals, v)
		i += n
	}
	return parts, vals, list
}

// setAliases notes the parts of the sources of template ext.
func (c *code) setAliases(ext uint32, parts []aliasPart) {
	for len(c.aliasAt) <= int(ext) {
		c.aliasAt = append(c.aliasAt, 0)
	}
	c.aliases = append(c.aliases, parts)
	c.aliasAt[ext] = int32(len(c.aliases))
}

// aliasParts are the parts of the sources of template ext, nil of most.
func (c *code) aliasParts(ext uint32) []aliasPart {
	if int(ext) >= len(c.aliasAt) || c.aliasAt[ext] == 0 {
		return nil
	}
	return c.aliases[c.aliasAt[ext]-1]
}

// naming gives the sources of one instruction their names.
type naming struct {
	names []aliasEntry // what each name stands for so far, itself included
}

// fits reports whether names from base on may stand for the elements, and how
// many entries that takes.
func (n *naming) fits(base int32, elems []isa.Operand) (entries int, ok bool) {
	if base < 0 || int(base)+len(elems) > isa.SharedFirst {
		return 0, false
	}
	for k, e := range elems {
		name := base + int32(k)
		if e != isa.R(int(name)) {
			entries++
		}
		for i := range n.names {
			if n.names[i].name == name && n.names[i].src != e {
				return 0, false
			}
		}
	}
	return entries, true
}

// base picks the first name of a vector: where most elements are in place.
func (n *naming) base(elems []isa.Operand) int32 {
	best, least := int32(-1), len(elems)+1
	try := func(base int32) {
		if entries, ok := n.fits(base, elems); ok && entries < least {
			best, least = base, entries
		}
	}
	for k, e := range elems {
		if e.Kind == isa.Reg {
			try(e.Val - int32(k))
		}
	}
	// Free names are more than elements in all of the vectors.
	for k := int32(0); best < 0 && k < isa.SharedFirst; k++ {
		try((aliasFirst + k) % isa.SharedFirst)
	}
	return best
}

// add notes what the names from base on stand for.
func (n *naming) add(base int32, elems []isa.Operand) {
	for k, e := range elems {
		n.names = append(n.names, aliasEntry{base + int32(k), e})
	}
}

// aliased puts the sources of a texture instruction with parts into its
// template and returns the entries of the alias table.
func (p *phys) aliased(t *isa.Instr, in *mach.Instr, parts []aliasPart) []aliasEntry {
	uses := in.Uses()
	var vecs [len(t.Srcs)][]isa.Operand
	var whole [len(t.Srcs)]bool
	for i := range parts {
		x := &parts[i]
		whole[x.src] = x.use >= 0 && len(vecs[x.src]) == 0
		if x.use < 0 {
			vecs[x.src] = append(vecs[x.src], x.value)
			continue
		}
		o := p.operand(&uses[x.use])
		for k := range int32(x.n) {
			vecs[x.src] = append(vecs[x.src], isa.R(int(o.Val+k)))
		}
	}
	var n naming
	for pass := range 2 {
		for i, v := range vecs {
			if len(v) == 0 || whole[i] != (pass == 0) {
				continue
			}
			base := n.base(v)
			if base < 0 {
				p.fail("no register names are left for the sources of %s", t.Op)
				return nil
			}
			n.add(base, v)
			t.Srcs[i] = isa.R(int(base))
		}
	}
	k := 0
	for i, e := range n.names {
		if e.src != isa.R(int(e.name)) && !n.before(i) {
			n.names[k] = e
			k++
		}
	}
	return n.names[:k]
}

// before reports whether an earlier vector has the same entry.
func (n *naming) before(i int) bool {
	for j := range i {
		if n.names[j] == n.names[i] {
			return true
		}
	}
	return false
}

// ofAliased fills t with what x touches: aliased names are not read, but what
// they stand for.
func (t *touch) ofAliased(x *pinstr) {
	t.of(&x.Instr)
	if x.array.n > 0 {
		t.relative(x)
	}
	if len(x.alias) == 0 {
		return
	}
	a1 := len(t.reads) > 0 && t.reads[len(t.reads)-1].unit == unitA1
	t.reads = t.reads[:0]
	n1, n2, n3 := x.TexSources()
	for i, n := range [...]int{n1, n2, n3} {
		o := x.Srcs[i]
		for k := 0; k < n && o.Kind == isa.Reg; k++ {
			t.read(x.named(o), 1)
			o.Val++
		}
	}
	if a1 {
		t.reads = append(t.reads, span{unit: unitA1, n: 1})
	}
}

func (x *pinstr) named(o isa.Operand) isa.Operand {
	for i := range x.alias {
		if x.alias[i].name == o.Val {
			return x.alias[i].src
		}
	}
	return o
}

// expandAliases writes the entries before the instructions that they are for.
// (ss), which a lookup cannot have, stands on the first one.
func (p *phys) expandAliases() {
	for b := range p.blocks {
		blk := &p.blocks[b]
		total := 0
		for i := range blk.ins {
			total += len(blk.ins[i].alias)
		}
		if total == 0 {
			continue
		}
		list := make([]pinstr, 0, len(blk.ins)+total)
		for _, x := range blk.ins {
			flags := x.Flags & isa.SS // (sy) stands at the lookup, which reads what the names stand for
			if faults.has(faultAliasWait) {
				flags = x.Flags & (isa.SS | isa.SY)
			}
			for k, e := range x.alias {
				a := isa.Instr{Op: isa.OpAlias, Type: isa.U32, Dst: isa.R(int(e.name)), Srcs: [4]isa.Operand{e.src}}
				if k == 0 {
					a.Flags, a.Index = flags, uint8(len(x.alias)-1)
					x.Flags &^= flags
				}
				list = append(list, pinstr{Instr: a, loc: x.loc, to: -1})
			}
			list = append(list, x)
		}
		blk.ins = list
	}
}
