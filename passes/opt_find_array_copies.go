package passes

import (
	"slices"

	"nirc/ir"
)

var optFindArrayCopiesPass = &Pass{
	Name: "opt_find_array_copies", For: ir.HasElement, Class: "B", Run: implPass(ir.MetaControlFlow, optFindArrayCopies), Idempotent: true, Optional: true,
	Doc: "Makes one copy_deref of whole arrays, with wildcards for indices, of copies of all their elements one after the other, 0 first, in one block. " +
		"Copies through load and store count as well as copy_deref. Before split_var_copies and lower_var_copies, which take copies apart again.",
}

// maxRuns and maxArrayWrites bound the runs that are open at a time and the
// writes of a block that are remembered.
const (
	maxRuns        = 16
	maxArrayWrites = 64
)

func optFindArrayCopies(impl *ir.Impl) (progress bool) {
	if !slices.ContainsFunc(impl.Locals, holdsArray) && !slices.ContainsFunc(impl.Shader.Variables, holdsArray) {
		return false
	}
	a := &arrayCopies{}
	for blk := range impl.Blocks() {
		// Copies of inner arrays may be elements of outer ones.
		for a.block(blk) {
			progress = true
		}
	}
	return progress
}

// holdsArray reports whether elements of arrays in a variable may be copied to.
func holdsArray(v *ir.Variable) bool {
	return v.Mode&ir.ModeReadOnly == 0 && typeHoldsArray(v.Type)
}

func typeHoldsArray(t *ir.Type) bool {
	return t.Base == ir.BaseArray || slices.ContainsFunc(t.Fields, func(f ir.Field) bool { return typeHoldsArray(f.Type) })
}

// copyRun is a row of element copies seen so far.
type copyRun struct {
	// dst and src are what the first copy wrote and read; dstLink and srcLink the
	// links of their chains that index the arrays.
	dst, src         *ir.Instr
	dstLink, srcLink *ir.Instr
	next             uint64
	stores           []*ir.Instr
}

type arrayCopies struct {
	runs   []copyRun
	writes []writeAt
	// since is the position up to which writes are forgotten.
	since uint32
}

// writeAt is a write of a block; deref nil: to anything.
type writeAt struct {
	pos   uint32
	deref *ir.Instr
}

func (a *arrayCopies) block(blk *ir.Block) (progress bool) {
	a.runs, a.writes, a.since = a.runs[:0], a.writes[:0], 0
	pos := uint32(0)
	for in := range blk.Instrs() {
		pos++
		in.Flags = pos
		switch in.Kind {
		case ir.KindCall:
			a.runs = a.runs[:0]
			a.note(pos, nil)
		case ir.KindIntrinsic:
			progress = a.intrinsic(in) || progress
		}
	}
	return progress
}

func (a *arrayCopies) note(pos uint32, d *ir.Instr) {
	if len(a.writes) == maxArrayWrites {
		a.since = a.writes[maxArrayWrites/2].pos
		a.writes = append(a.writes[:0], a.writes[maxArrayWrites/2+1:]...)
	}
	a.writes = append(a.writes, writeAt{pos, d})
}

func (a *arrayCopies) intrinsic(in *ir.Instr) bool {
	if in.Intr == ir.IntrLoadDeref {
		if d := derefOf(in.Srcs[0].Def); d != nil {
			a.read(d)
		}
		return false
	}
	if dst, src := a.elementCopy(in); dst != nil {
		return a.copied(in, dst, src)
	}
	modes, d := writes(in)
	switch {
	case d != nil:
		a.clobber(in.Flags, d)
		if in.Intr == ir.IntrCopyDeref {
			a.read(in.Srcs[1].Def.Instr)
		}
	case modes != 0:
		a.runs = a.runs[:0]
		a.note(in.Flags, nil)
	}
	return false
}

// whole is the element of a run's array with the index left open: its
// relation to another deref that goes through the array is that of a prefix.
func (r *copyRun) whole() *ir.Instr { return derefParent(r.dstLink) }

func (r *copyRun) wholeSrc() *ir.Instr { return derefParent(r.srcLink) }

func (a *arrayCopies) drop(f func(*copyRun) bool) {
	n := 0
	for i := range a.runs {
		if !f(&a.runs[i]) {
			a.runs[n] = a.runs[i]
			n++
		}
	}
	a.runs = a.runs[:n]
}

// read drops the runs that have written what is read: a copy in place of theirs would come after it.
func (a *arrayCopies) read(d *ir.Instr) {
	a.drop(func(r *copyRun) bool { return compareDerefs(r.whole(), d) != noAlias })
}

// clobber takes note of a write that belongs to no run.
func (a *arrayCopies) clobber(pos uint32, d *ir.Instr) {
	a.note(pos, d)
	a.drop(func(r *copyRun) bool {
		return compareDerefs(r.whole(), d) != noAlias || compareDerefs(r.wholeSrc(), d) != noAlias
	})
}

// elementCopy returns what an instruction copies from where, nil if it does
// not copy what is still the same at the source.
func (a *arrayCopies) elementCopy(in *ir.Instr) (dst, src *ir.Instr) {
	const special = ir.AccessVolatile | ir.AccessCoherent
	if in.Intr != ir.IntrStoreDeref && in.Intr != ir.IntrCopyDeref {
		return nil, nil
	}
	dst = derefOf(in.Srcs[0].Def)
	if in.Intr == ir.IntrCopyDeref {
		src = derefOf(in.Srcs[1].Def)
		if in.Get(ir.IdxDstAccess)|in.Get(ir.IdxSrcAccess) != 0 {
			return nil, nil
		}
	} else {
		load := in.Srcs[1].Def.Instr
		full := uint64(1)<<in.Srcs[1].Def.NumComponents - 1
		if !load.IsIntrinsic(ir.IntrLoadDeref) || load.Block != in.Block || in.Get(ir.IdxWriteMask)&full != full ||
			ir.Access(in.Get(ir.IdxAccess)|load.Get(ir.IdxAccess))&special != 0 || load.Flags < a.since {
			return nil, nil
		}
		src = derefOf(load.Srcs[0].Def)
		for i := len(a.writes) - 1; src != nil && i >= 0 && a.writes[i].pos > load.Flags; i-- {
			if w := a.writes[i].deref; w == nil || compareDerefs(w, src) != noAlias {
				return nil, nil
			}
		}
	}
	if dst == nil || src == nil || derefVar(dst) == nil || derefVar(src) == nil || !dst.DerefInfo().Type.Bare().Equal(src.DerefInfo().Type.Bare()) {
		return nil, nil
	}
	return dst, src
}

// lastIndex returns the last link of a chain that picks an array's element by
// a constant, and the index.
func lastIndex(d *ir.Instr) (*ir.Instr, uint64) {
	for ; d != nil; d = derefParent(d) {
		if d.Deref == ir.DerefArray && derefParent(d) != nil && derefParent(d).DerefInfo().Type.Base == ir.BaseArray {
			if v, ok := firstConst(d.Srcs[1].Def); ok {
				return d, v
			}
			return nil, 0
		}
	}
	return nil, 0
}

// copied adds an element copy to the run that it goes on, or starts one.
func (a *arrayCopies) copied(in, dst, src *ir.Instr) bool {
	dl, di := lastIndex(dst)
	sl, si := lastIndex(src)
	if dl == nil || sl == nil || di != si || compareDerefs(derefParent(dl), derefParent(sl)) != noAlias {
		a.clobber(in.Flags, dst)
		a.read(src)
		return false
	}
	for i := range a.runs {
		r := &a.runs[i]
		if r.next != di || !sameBut(r.dst, dst, r.dstLink, dl) || !sameBut(r.src, src, r.srcLink, sl) {
			continue
		}
		own := *r
		a.runs = append(a.runs[:i], a.runs[i+1:]...)
		a.clobber2(in.Flags, dst, src)
		own.next++
		own.stores = append(own.stores, in)
		if int(own.next) == int(derefParent(dl).DerefInfo().Type.Len) {
			own.replace(in)
			return true
		}
		a.runs = append(a.runs, own)
		return false
	}
	a.clobber2(in.Flags, dst, src)
	if n := derefParent(dl).DerefInfo().Type.Len; di == 0 && n > 1 && derefParent(sl).DerefInfo().Type.Len == n && len(a.runs) < maxRuns {
		a.runs = append(a.runs, copyRun{dst: dst, src: src, dstLink: dl, srcLink: sl, next: 1, stores: []*ir.Instr{in}})
	}
	return false
}

// clobber2 takes note of an element copy for the other runs: of other fields
// of the same elements it is none of their business.
func (a *arrayCopies) clobber2(pos uint32, dst, src *ir.Instr) {
	a.note(pos, dst)
	a.drop(func(r *copyRun) bool {
		return compareDerefs(r.whole(), dst) != noAlias && !r.apart(dst) || compareDerefs(r.wholeSrc(), dst) != noAlias || compareDerefs(r.whole(), src) != noAlias
	})
}

// apart reports whether d is another part of each element than what the run copies.
func (r *copyRun) apart(d *ir.Instr) bool {
	var pa, pb [pathLen]*ir.Instr
	a, b := derefPath(pa[:0], r.dst), derefPath(pb[:0], d)
	if _, ok := compareRoots(a[0], b[0]); !ok {
		return false
	}
	for i := 1; i < min(len(a), len(b)); i++ {
		if a[i] == r.dstLink {
			continue
		}
		if compareLinks(a[i], b[i]) == noAlias {
			return true
		}
	}
	return false
}

// sameBut reports whether two chains are the same except for the given links, which
// stand at the same place.
func sameBut(x, y, xl, yl *ir.Instr) bool {
	for x != xl && y != yl {
		if x.Deref != y.Deref || compareLinks(x, y) != derefsEqual {
			return false
		}
		x, y = derefParent(x), derefParent(y)
	}
	return x == xl && y == yl && compareDerefs(derefParent(x), derefParent(y)) == derefsEqual
}

// replace puts the copy of the whole array in the last copy's place.
func (r *copyRun) replace(last *ir.Instr) {
	b := builderBefore(last)
	dst := openIndex(b, r.dst, r.dstLink)
	src := openIndex(b, r.src, r.srcLink)
	c := b.CopyDeref(dst, src)
	c.Flags = last.Flags
	for _, s := range r.stores {
		s.Remove()
	}
}

// openIndex builds a chain like d's with a wildcard in link's place.
func openIndex(b *ir.Builder, d, link *ir.Instr) *ir.Def {
	if d == link {
		return b.DerefWildcard(&derefParent(d).Def)
	}
	return rebuildDeref(b, d, openIndex(b, derefParent(d), link))
}
