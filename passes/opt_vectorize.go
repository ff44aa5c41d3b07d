package passes

import (
	"sync"

	"nirc/internal/lazy"
	"nirc/ir"
)

var optVectorizePass = &Pass{
	Name: "opt_vectorize", For: ir.HasALU, Class: "B", Run: optVectorize, Optional: true, Rewrites: true,
	Doc: "Makes one vector operation of equal operations of a block whose sources are components of the same values, or constants, up to a width. " +
		"Readers take the components by swizzle; operations that others than ALU operations read, which have none, are left out. " +
		"Per-component operations only; moves and vectors are for opt_copy_prop.",
	Options: []Option{
		{"width", "most components of a result", 4},
		{"width64", "most components of a result of 64 bits", 2},
		{"distance", "most instructions between the two that become one; 0: any number", 0},
		{"ends", "at any distance where the later one alone reads as many components as it makes: no more values live between them", false},
		{"coords", "also what textures take as two coordinates, as far apart as that many instructions, with different constants", 0},
		{"consts", "operations with different constants too, which become a constant vector", true},
		{"moves", "what is read by others than ALU operations too: they get their components by moves", false},
		{"special", "divisions, roots and the like, which many vector units do one component at a time", false},
	},
}

// vectorizeOptions are the options of a run, which take as long to look up by their names as all the rest in a small shader.
type vectorizeOptions struct {
	width, width64 int
	special, moves bool
	consts, ends   bool
	distance       uint32
	coords         uint32
}

func optVectorize(c *Context, s *ir.Shader) (bool, error) {
	o, err := c.decoded(func() (any, error) {
		return &vectorizeOptions{width: c.Int("width"), width64: c.Int("width64"), special: c.Bool("special"), moves: c.Bool("moves"),
			consts: c.Bool("consts"), ends: c.Bool("ends"), coords: uint32(c.Int("coords")), distance: uint32(c.Int("distance"))}, nil
	})
	if err != nil {
		return false, err
	}
	v := aluVectorizers.Get().(*aluVectorizer)
	defer v.release()
	v.c, v.vectorizeOptions = c, *o.(*vectorizeOptions)
	return eachBlock(s, v.block), nil
}

// aluVectorizers keeps the memory of runs that are over.
var aluVectorizers = sync.Pool{New: func() any { return new(aluVectorizer) }}

func (v *aluVectorizer) release() {
	*v = aluVectorizer{slots: v.slots[:0], list: v.list[:0], origin: v.origin[:0]}
	aluVectorizers.Put(v)
}

// aluVectorizer holds the operations of a block that others may join, in a
// hash table by open addressing; Instr.Flags is the hash.
type aluVectorizer struct {
	c *Context
	vectorizeOptions
	slots []vectorSlot
	list  []vectorSlot // the operations of the block that may become part of a vector
	// origin gives, by the index of a joined value, 1 + that of the value that it was at first: what reads it keeps its hash.
	origin []uint32
}

// vectorSlot is an operation with its place in the block.
type vectorSlot struct {
	in  *ir.Instr
	pos uint32
}

func (v *aluVectorizer) block(blk *ir.Block) (progress bool) {
	if !v.pairs(blk) {
		return false
	}
	twice := v.collect(blk)
	if twice == 0 {
		clear(v.list)
		v.list = v.list[:0]
		return false
	}
	defer v.forget()
	v.reserve(len(v.list))
	for _, it := range v.list {
		in, pos := it.in, it.pos
		if twice>>(in.Op%64)&1 == 0 {
			continue
		}
		p := v.find(in)
		far := v.distance > 0 && pos-p.pos > max(v.distance, v.reach(in))
		if p.in == nil || far && !(v.ends && endsThere(in)) || int(p.in.Def.NumComponents+in.Def.NumComponents) > v.limit(in) || !v.c.Step() {
			*p = it
			continue
		}
		first := v.originOf(&p.in.Def)
		p.in = joinALU(p.in, in)
		v.note(&p.in.Def, first)
		progress = true
	}
	return progress
}

// pairs reports whether there may be two operations in a block that one could be made of: the same operation on the same
// values, constants being alike. Where no two are so from the start none become so, and of the blocks where some operation
// comes twice that is three in four: who reads their results need not be asked.
func (v *aluVectorizer) pairs(blk *ir.Block) bool {
	var seen [128]uint64 // a bit by the hash of what was seen
	for in := blk.First(); in != nil; in = in.Next() {
		if !v.fits(in) {
			continue
		}
		h := uint32(in.Op) + 1
		for i := range in.Srcs {
			h *= 0x9e3779b1
			if d := in.Srcs[i].Def; !d.IsConst() {
				h += d.Index + 1
			}
		}
		h = h * 0x9e3779b1 >> 19
		if seen[h/64]>>(h%64)&1 != 0 {
			return true
		}
		seen[h/64] |= 1 << (h % 64)
	}
	return false
}

// collect lists the operations of a block that may become part of a vector. Most blocks have no two that are equal except for
// their sources: bit n of twice is set if there are two operations whose number leaves n when it is divided by 64. What
// becomes a vector changes nothing of what comes later, so this is asked once.
func (v *aluVectorizer) collect(blk *ir.Block) (twice uint64) {
	once, pos := uint64(0), uint32(0)
	for in := range blk.Instrs() {
		if pos++; v.takes(in) {
			v.list = append(v.list, vectorSlot{in, pos})
			bit := uint64(1) << (in.Op % 64)
			twice |= once & bit
			once |= bit
		}
	}
	return twice
}

// forget empties what block filled: between blocks all memory is zero.
func (v *aluVectorizer) forget() {
	clear(v.slots)
	clear(v.list)
	v.slots, v.list = v.slots[:0], v.list[:0]
}

// reserve makes the empty table large enough for n operations.
func (v *aluVectorizer) reserve(n int) {
	size := 16
	for size < 2*n {
		size *= 2
	}
	if cap(v.slots) < size {
		v.slots = make([]vectorSlot, size)
	}
	v.slots = v.slots[:size]
}

func (v *aluVectorizer) limit(in *ir.Instr) int {
	if in.Def.BitSize == 64 || in.OpBits() == 64 {
		return v.width64
	}
	return v.width
}

// takes reports whether an operation may become part of a vector.
func (v *aluVectorizer) takes(in *ir.Instr) bool {
	return v.fits(in) && (v.moves || onlyALUReads(&in.Def) || v.reach(in) > 0)
}

// fits is takes without the question who reads the result.
func (v *aluVectorizer) fits(in *ir.Instr) bool {
	if in.Kind != ir.KindALU {
		return false
	}
	if f := vectorForms.Get()[in.Op]; f == formNone || f == formSpecial && !v.special {
		return false
	}
	n := int(in.Def.NumComponents)
	return n < min(v.width, v.width64) || n < v.limit(in)
}

// What vectors of an operation are.
const (
	formNone    = iota // none: moves and vectors, and what does not do the same to each component
	formSpecial        // only taken where option special says so
	formPlain
)

// vectorForms are those of the operations. To ask their table each time took longer than all else that is asked of most.
var vectorForms = lazy.Value[*[ir.NumOps]uint8]{Make: func() *[ir.NumOps]uint8 {
	t := new([ir.NumOps]uint8)
	for op := range ir.Op(ir.NumOps) {
		switch {
		case op == ir.OpMov || op >= ir.OpVec2 && op <= ir.OpVec16 || op.Info().Horizontal():
		case expensiveALU(op):
			t[op] = formSpecial
		default:
			t[op] = formPlain
		}
	}
	return t
}}

// onlyALUReads reports whether all that reads a value has swizzles.
func onlyALUReads(d *ir.Def) bool {
	for u := range d.Uses() {
		if u.Instr == nil || u.Instr.Kind != ir.KindALU {
			return false
		}
	}
	return true
}

// find returns the slot of what in may join, or the free one where it belongs.
func (v *aluVectorizer) find(in *ir.Instr) *vectorSlot {
	h := mix(0, uint64(in.Op)<<16|uint64(in.Def.BitSize)<<8|uint64(in.FastMath))
	for i := range in.Srcs {
		if d := in.Srcs[i].Def; d.IsConst() {
			h = mix(h, uint64(d.BitSize)<<40)
		} else {
			h = mix(h, uint64(v.originOf(d)))
		}
	}
	in.Flags = uint32(h >> 16)
	mask := uint32(len(v.slots) - 1)
	for i := in.Flags & mask; ; i = (i + 1) & mask {
		p := &v.slots[i]
		if p.in == nil || p.in.Flags == in.Flags && v.joins(p.in, in) {
			return p
		}
	}
}

// joins reports whether two operations differ only in components and constants.
func (v *aluVectorizer) joins(a, b *ir.Instr) bool {
	if a.Op != b.Op || a.Def.BitSize != b.Def.BitSize || a.Exact != b.Exact || a.FastMath != b.FastMath ||
		a.NoSignedWrap != b.NoSignedWrap || a.NoUnsignedWrap != b.NoUnsignedWrap {
		return false
	}
	for i := range a.Srcs {
		x, y := a.Srcs[i].Def, b.Srcs[i].Def
		if x != y && !(x.IsConst() && y.IsConst() && x.BitSize == y.BitSize && (v.consts || v.reach(a) > 0 && v.reach(b) > 0 || v.coords > 0 && longConst(&a.Srcs[i], a) && longConst(&b.Srcs[i], b) || sameConst(&a.Srcs[i], &b.Srcs[i], a))) {
			return false
		}
	}
	return true
}

// sameConst reports whether two constant sources read one and the same value in
// all lanes.
func sameConst(x, y *ir.Src, in *ir.Instr) bool {
	v, _ := x.Const(0)
	for k := range int(in.Def.NumComponents) {
		if w, _ := x.Const(k); w != v {
			return false
		}
	}
	w, _ := y.Const(0)
	return v == w
}

// joinALU makes one operation of two, in place of the first, where the
// sources of both are known.
func joinALU(a, b *ir.Instr) *ir.Instr {
	na, nb := int(a.Def.NumComponents), int(b.Def.NumComponents)
	n := na + nb
	for !legalWidth(n) {
		n++
	}
	bld := builderBefore(a)
	var srcs [4]*ir.Def
	var swz [4]ir.Swizzle
	for i := range a.Srcs {
		x, y := &a.Srcs[i], &b.Srcs[i]
		srcs[i] = x.Def
		for k := range na + nb {
			lane := x.Swizzle.Lane(min(k, na-1))
			if k >= na {
				lane = y.Swizzle.Lane(k - na)
			}
			swz[i] = swz[i].With(k, lane)
		}
		if x.Def.IsConst() {
			srcs[i], swz[i] = joinConsts(bld, x, y, na, nb), ir.IdentitySwizzle
		}
	}
	v := bld.Shader.NewALU(a.Op, uint8(n), a.Def.BitSize, srcs[:len(a.Srcs)]...)
	for i := range a.Srcs {
		v.Srcs[i].Swizzle = swz[i]
	}
	v.Exact, v.FastMath, v.NoSignedWrap, v.NoUnsignedWrap, v.Loc, v.Flags = a.Exact, a.FastMath, a.NoSignedWrap, a.NoUnsignedWrap, a.Loc, a.Flags
	bld.Insert(v)
	readParts(bld, &a.Def, &v.Def, 0)
	readParts(bld, &b.Def, &v.Def, na)
	a.Remove()
	b.Remove()
	return v
}

// joinConsts makes the constant that holds what two sources read.
func joinConsts(bld *ir.Builder, x, y *ir.Src, nx, ny int) *ir.Def {
	n := nx + ny
	for !legalWidth(n) {
		n++
	}
	vals := make([]uint64, n)
	for k := range nx {
		vals[k], _ = x.Const(k)
	}
	for k := range ny {
		vals[nx+k], _ = y.Const(k)
	}
	return bld.Const(x.Def.BitSize, vals...)
}

// readParts makes what reads old read the components of v from first on.
func readParts(bld *ir.Builder, old, v *ir.Def, first int) {
	var part *ir.Def
	for u := old.FirstUse(); u != nil; u = old.FirstUse() {
		if u.Instr == nil || u.Instr.Kind != ir.KindALU {
			if part == nil {
				part = bld.Channels(v, first, int(old.NumComponents))
			}
			u.Set(part)
			continue
		}
		swz := ir.Swizzle(0)
		for k := range 16 {
			swz = swz.With(k, min(u.Swizzle.Lane(k), int(old.NumComponents)-1)+first)
		}
		u.Set(v)
		u.Swizzle = swz
	}
}
