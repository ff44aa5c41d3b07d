package spirv

import (
	"math"

	"nirc/ir"
)

// wide reports whether the index has 64 bits and goes into a buffer where accesses out of bounds must not come back into
// them: it then counts with all its bits.
func (t *translator) wide(d *ir.Def, ix index) bool {
	return ix.id != 0 && t.opts.Robust.Of(d.Instr.DerefInfo().Modes) != ir.RobustOff && t.valType(ix.id).bits > 32
}

// wideSteps returns such an index, of elements of stride bytes, as steps of 32 bits. The first is the index, held to what
// 32 bits have. That is enough for elements of two bytes and more, which are then at the end of the offset's 32 bits.
// Elements of one byte want the rest too, which is nil for others and where it is known to be 0. Indices of arrays below
// what 32 bits have, with forward, become such above them: either is out of bounds.
func (t *translator) wideSteps(ix index, stride uint32, forward bool) (first, rest *ir.Def) {
	const least, most = math.MinInt32, math.MaxInt32
	if ix.known {
		x := ix.c
		if forward && x < least {
			x = math.MaxInt64
		}
		held := min(max(x, least), most)
		first = t.indexDef(index{c: held, known: true}, 32)
		if left := min(max(x-held, least), most); left != 0 && stride < 2 {
			rest = t.indexDef(index{c: left, known: true}, 32)
		}
		return first, rest
	}
	b := t.f.b
	low, high := b.ImmInt(least, 64), b.ImmInt(most, 64)
	hold := func(x *ir.Def) *ir.Def { return b.Imin(b.Imax(x, low), high) }
	x := t.indexDef(ix, 64)
	if forward {
		x = b.Bcsel(b.Ilt(x, low), b.ImmInt(math.MaxInt64, 64), x)
	}
	held := hold(x)
	if stride < 2 {
		rest = t.signExtend(hold(b.Isub(x, held)), 32)
	}
	return t.signExtend(held, 32), rest
}

// element indexes the array or vector that d points to.
func (t *translator) element(d *ir.Def, ix index) *ir.Def {
	if !t.wide(d, ix) {
		return t.f.b.DerefArray(d, t.indexDef(ix, d.BitSize))
	}
	stride := uint32(4)
	switch ty := d.Instr.DerefInfo().Type; {
	case ty.IsArray() || ty.IsMatrix():
		stride = ty.Stride
	case ty.Bits != 0:
		stride = uint32(ty.Bits) / 8
	}
	first, rest := t.wideSteps(ix, stride, true)
	r := t.f.b.DerefArray(d, first)
	if rest != nil {
		r = t.f.b.DerefPtrAsArray(r, rest)
	}
	return r
}

// column is the index of a column of the row-major matrix that d points to, of which each row has an element.
func (t *translator) column(d *ir.Def, ix index) *ir.Def {
	if !t.wide(d, ix) {
		return t.indexDef(ix, d.BitSize)
	}
	first, _ := t.wideSteps(ix, 2, true)
	return first
}

// moved moves the pointer d by elements of stride bytes.
func (t *translator) moved(d *ir.Def, ix index, stride uint32) *ir.Def {
	if !t.wide(d, ix) {
		return t.f.b.DerefPtrAsArray(d, t.indexDef(ix, d.BitSize))
	}
	first, rest := t.wideSteps(ix, stride, false)
	r := t.f.b.DerefPtrAsArray(d, first)
	if rest != nil {
		r = t.f.b.DerefPtrAsArray(r, rest)
	}
	return r
}
