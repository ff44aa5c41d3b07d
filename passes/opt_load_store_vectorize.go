package passes

import (
	"slices"
	"sync"

	"nirc/ir"
	"nirc/ir/optab"
)

var optLoadStoreVectorizePass = &Pass{
	Name: "opt_load_store_vectorize", For: ir.HasMemory, Class: "B", Run: optLoadStoreVectorize, Optional: true, Rewrites: true,
	Doc: "Merges explicit memory accesses of a block that lie side by side, loads that overlap, and, with holes, loads of what nobody writes that have a few bytes between them: loads at the place of the first, " +
		"stores at that of the last, if nothing in between may touch the same memory. Offsets are compared as sums of a few values times constants. Volatile and coherent accesses and atomics stay.",
	Options: []Option{
		{"modes", "memory whose accesses are merged; mem_ssbo stands for mem_global too", ir.ModeUBO | ir.ModeSSBO | ir.ModeShared | ir.ModeConstant | ir.ModePushConst | ir.ModeFunctionTemp},
		{"max_comps", "most components of a merged access", 4},
		{"max_bytes", "most bytes of a merged access", 16},
		{"holes", "most bytes between two loads that are merged, which the merged one loads for nothing; only where nobody writes, for others may be in the course of writing them", 0},
		{"ubo_straddle", "uniform buffer loads may cross a 16-byte boundary", false},
		{"push_straddle", "push constant loads may cross a 16-byte boundary", true},
		{"ubo_dynamic", "of uniform buffers, only loads whose descriptor or offset is no constant: others may cost nothing where they are", false},
		{"robust", "refuse where an offset might wrap around between the two", false},
	},
}

func optLoadStoreVectorize(c *Context, s *ir.Shader) (bool, error) {
	v := vectorizers.Get().(*vectorizer)
	defer v.release()
	*v = vectorizer{all: v.all, open: v.all[:0], c: c, modes: c.Modes("modes"), maxComps: c.Int("max_comps"), maxBytes: uint64(c.Int("max_bytes")), holes: int64(c.Int("holes")), straddle: c.Bool("ubo_straddle"), pushStraddle: c.Bool("push_straddle"), dynamic: c.Bool("ubo_dynamic"), robust: c.Bool("robust"), own: memoryOf(s), opts: s.Options}
	return eachBlock(s, v.block), nil
}

// vectorizers keeps the memory of runs that are over.
var vectorizers = sync.Pool{New: func() any { return new(vectorizer) }}

func (v *vectorizer) release() {
	clear(v.all[:v.most])
	*v = vectorizer{all: v.all}
	vectorizers.Put(v)
}

// vectorWindow bounds the accesses that a new one is compared with.
const vectorWindow = 48

type vectorizer struct {
	c        *Context
	modes    ir.Mode
	maxComps int
	maxBytes uint64
	holes    int64
	dynamic  bool
	robust   bool
	// Which loads may cross a boundary of 16 bytes: of uniform buffers, of push constants.
	straddle, pushStraddle bool
	own                    ownMemory
	opts                   *ir.Options
	// open is the part of all that new accesses are compared with, most how much of all was in use.
	open, all []memAccess
	most      int
	wheres    int32 // counts where accesses go
}

// memAccess is a load or store that others may join.
type memAccess struct {
	in    *ir.Instr
	store bool
	class ir.Mode // memory that may alias
	// Where: resource, then the terms plus at, modulo the offset's size.
	resource *ir.Def
	offset   *ir.Def
	where    int32 // a number of the resource and the terms: equal where they are
	own      int   // memory that only accesses of this number reach, -1: any
	terms    [maxOffsetTerms]offsetTerm
	at       int64
	bytes    int64
	nuw      bool // the terms + at are known not to wrap
	// fixed: nobody writes there.
	fixed bool
	// closed: no other joins it, as something after it may touch its memory; it
	// still is in the way of others.
	closed bool
}

// maxOffsetTerms bounds what an offset is a sum of.
const maxOffsetTerms = 4

// offsetTerm is a factor times a component of a value; without a value it is none.
type offsetTerm struct {
	def    *ir.Def
	comp   int
	factor uint64
}

// before orders terms, none last.
func (t *offsetTerm) before(u *offsetTerm) bool {
	switch {
	case t.def == nil || u.def == nil:
		return t.def != nil && u.def == nil
	case t.def != u.def:
		return t.def.Index < u.def.Index
	}
	return t.comp < u.comp
}

// classOf returns the memory of an access by explicit offset. What is read only, by offset
// in constant data or by address, is one.
func classOf(i ir.Intrinsic) ir.Mode {
	switch info := i.Info(); info.Mem.Space {
	case ir.SpaceUbo:
		return ir.ModeUBO
	case ir.SpaceGlobal:
		if info.Flags&optab.CanReorder != 0 {
			return ir.ModeConstant
		}
		return ir.ModeSSBO
	case ir.SpaceSsbo:
		return ir.ModeSSBO
	case ir.SpaceConstant:
		return ir.ModeConstant
	case ir.SpaceShared:
		return ir.ModeShared
	case ir.SpaceScratch:
		return ir.ModeFunctionTemp
	case ir.SpacePush:
		return ir.ModePushConst
	}
	return 0
}

// begin tells what kind of access an instruction is; ok is false if it takes no part.
func (a *memAccess) begin(in *ir.Instr) (ok bool) {
	off, store, mem := memOffsetSrc(in.Intr)
	if !mem {
		return false
	}
	val := &in.Def
	if store {
		val = in.Srcs[0].Def
	}
	*a = memAccess{in: in, store: store, class: classOf(in.Intr), offset: in.Srcs[off].Def, bytes: int64(val.NumComponents) * int64(val.BitSize) / 8}
	if h := bufferHandle(in); h != nil {
		a.resource = h.Def
	}
	acc := ir.Access(in.Get(ir.IdxAccess))
	a.fixed = !store && (in.Intr.Info().Flags&optab.CanReorder != 0 || acc&ir.AccessCanReorder != 0)
	full := !store || in.Get(ir.IdxWriteMask) == 1<<val.NumComponents-1
	return a.class != 0 && val.BitSize >= 8 && acc&(ir.AccessVolatile|ir.AccessCoherent) == 0 && full
}

// describe says where an access goes.
func (a *memAccess) describe(own ownMemory) {
	a.own = own.of(a.in)
	a.splitOffset(a.offset)
	if a.in.Has(ir.IdxBase) {
		a.at += int64(a.in.Get(ir.IdxBase))
	}
}

// apart reports whether an access can neither join another nor be in another's way: memory whose accesses are not merged, and of
// uniform buffers what the driver may load beforehand. Where offsets lead is not asked of those, and most graphics shaders have no others.
func (v *vectorizer) apart(a *memAccess) bool {
	return v.modes&a.class == 0 || v.dynamic && a.class == ir.ModeUBO && fixedHandle(a.resource, 0) && fixedHandle(a.offset, 0)
}

// splitOffset writes an offset as a sum, which holds modulo its size.
func (a *memAccess) splitOffset(d *ir.Def) {
	a.sumOf(d, 0, 1, 0) // there is room for one term at least
	a.nuw = neverWraps(d)
	if a.terms[1].def != nil { // most have a term or none
		a.sortTerms()
	}
	a.at = signExtend(uint64(a.at), d.BitSize)
}

func (a *memAccess) sortTerms() {
	slices.SortFunc(a.terms[:], func(x, y offsetTerm) int {
		switch {
		case x.before(&y):
			return -1
		case y.before(&x):
			return 1
		}
		return 0
	})
}

// neverWraps reports whether the constants that an offset ends with are added without wrapping.
func neverWraps(d *ir.Def) bool {
	in := d.Instr
	if !in.IsALU(ir.OpIadd) || !in.Srcs[0].Def.IsConst() && !in.Srcs[1].Def.IsConst() {
		return true
	}
	return in.NoUnsignedWrap
}

// maxSumDepth bounds how far sums are followed.
const maxSumDepth = 8

// sumOf adds factor times a component of d; false if that has too many terms.
func (a *memAccess) sumOf(d *ir.Def, comp int, factor uint64, depth int) bool {
	if v, ok := d.Const(comp); ok {
		a.at += int64(uint64(signExtend(v, d.BitSize)) * factor)
		return true
	}
	in := d.Instr
	src := func(k int, factor uint64) bool {
		return a.sumOf(in.Srcs[k].Def, in.Srcs[k].Swizzle.Lane(comp), factor, depth+1)
	}
	switch {
	case in.Kind != ir.KindALU || depth == maxSumDepth:
	case in.Op == ir.OpMov:
		return src(0, factor)
	case in.IsVec():
		return a.sumOf(in.Srcs[comp].Def, in.Srcs[comp].Swizzle.Lane(0), factor, depth+1)
	case in.Op == ir.OpIadd:
		terms, at := a.terms, a.at
		if src(0, factor) && src(1, factor) {
			return true
		}
		a.terms, a.at = terms, at
	case in.Op == ir.OpIshl:
		if n, ok := in.Srcs[1].Const(comp); ok {
			return src(0, factor<<(n&uint64(d.BitSize-1)))
		}
	case in.Op == ir.OpImul || in.Op == ir.OpAmul:
		for k := range 2 {
			if n, ok := in.Srcs[1-k].Const(comp); ok {
				return src(k, factor*n)
			}
		}
	}
	return a.term(d, comp, factor)
}

// term adds a term; false if there is no room.
func (a *memAccess) term(d *ir.Def, comp int, factor uint64) bool {
	factor &= 1<<d.BitSize - 1
	for i := range a.terms {
		t := &a.terms[i]
		if t.def == nil {
			*t = offsetTerm{d, comp, factor}
			return true
		}
		if t.def == d && t.comp == comp {
			t.factor = (t.factor + factor) & (1<<d.BitSize - 1)
			return true
		}
	}
	return false
}

func signExtend(v uint64, bits uint8) int64 { return int64(v<<(64-bits)) >> (64 - bits) }

func (v *vectorizer) block(blk *ir.Block) (progress bool) {
	v.open = v.all[:0]
	var a memAccess
	for in := range blk.Instrs() {
		switch {
		case in.Kind == ir.KindCall || in.Kind == ir.KindParallelCopy:
			v.open = v.all[:0]
		case in.Kind != ir.KindIntrinsic:
		default:
			if !a.begin(in) {
				v.disturb(in)
			} else if !v.apart(&a) {
				a.describe(v.own)
				progress = v.add(&a) || progress
			}
		}
	}
	return progress
}

// disturb closes the accesses that an instruction may interfere with: one
// with effects ends all but what nobody writes, a load closes all stores, which loads still must not pass.
func (v *vectorizer) disturb(in *ir.Instr) {
	switch {
	case hasSideEffects(in):
		v.open = slices.DeleteFunc(v.open, func(o memAccess) bool { return !o.fixed })
	case !canReorder(in) && !in.Intr.Info().SysVal:
		for i := range v.open {
			o := &v.open[i]
			o.closed = o.closed || o.store
		}
	}
}

// add merges a new access with open ones as often as possible, and opens it.
// The list is in the order of the code: a merged store stands where the last
// was, a merged load where the first was, and so do their entries.
func (v *vectorizer) add(a *memAccess) (progress bool) {
	v.name(a)
	at := v.push(a)
	for {
		next := v.join(at)
		if next < 0 {
			break
		}
		at, progress = next, true
	}
	a = &v.open[at]
	for i := range v.open {
		if o := &v.open[i]; i != at && conflict(o, a) {
			o.closed = true
		}
	}
	return progress
}

// name numbers where an access goes, as the last open one that goes there: to compare terms again and again took a third of
// this pass.
func (v *vectorizer) name(a *memAccess) {
	for i := len(v.open) - 1; i >= 0; i-- {
		if o := &v.open[i]; o.resource == a.resource && o.terms == a.terms {
			a.where = o.where
			return
		}
	}
	v.wheres++
	a.where = v.wheres
}

// push opens an access and returns its place. The window moves along its memory, and back to the beginning where that ends.
func (v *vectorizer) push(a *memAccess) int {
	if len(v.open) == vectorWindow {
		v.open = v.open[1:]
	}
	if len(v.open) == cap(v.open) {
		if cap(v.all) < 2*vectorWindow {
			v.all = make([]memAccess, max(8, 2*cap(v.all)))
		}
		v.open = append(v.all[:0], v.open...)
	}
	v.open = append(v.open, *a)
	v.most = max(v.most, cap(v.all)-cap(v.open)+len(v.open))
	return len(v.open) - 1
}

// join merges entry at with another and returns the place of what came of it,
// -1 if there is none. No access in between may conflict with that which moves.
func (v *vectorizer) join(at int) int {
	for k := len(v.open) - 1; k >= 0; k-- {
		if k == at || v.open[k].closed || !v.touch(&v.open[k], &v.open[at]) {
			continue
		}
		first, second := min(k, at), max(k, at)
		moves := second
		if v.open[at].store {
			moves = first
		}
		if v.between(first, second, &v.open[moves]) {
			continue
		}
		m, ok := v.merge(&v.open[first], &v.open[second])
		if !ok {
			continue
		}
		if m.store {
			v.open[second] = m
			v.open = append(v.open[:first], v.open[first+1:]...)
			return second - 1
		}
		v.open[first] = m
		v.open = append(v.open[:second], v.open[second+1:]...)
		return first
	}
	return -1
}

// between reports whether an entry between two places conflicts with a.
func (v *vectorizer) between(first, second int, a *memAccess) bool {
	for i := first + 1; i < second; i++ {
		if conflict(&v.open[i], a) {
			return true
		}
	}
	return false
}

// conflict reports whether the order of two accesses matters.
func conflict(x, y *memAccess) bool {
	if !x.store && !y.store || x.fixed || y.fixed || x.class != y.class || x.own != y.own && x.own >= 0 && y.own >= 0 {
		return false
	}
	if x.where == y.where {
		return x.at < y.at+y.bytes && y.at < x.at+x.bytes
	}
	return true
}

// touch reports whether two accesses lie side by side, whatever they do there, or are loads that overlap or have a hole
// between them that may be loaded.
func (v *vectorizer) touch(a, b *memAccess) bool {
	if a.where != b.where {
		return false
	}
	switch hole := max(b.at-(a.at+a.bytes), a.at-(b.at+b.bytes)); {
	case hole == 0:
		return true
	case hole < 0:
		return !a.store && !b.store
	default:
		return hole <= v.holes && a.fixed && b.fixed
	}
}

// both is how many bytes a and b take together, where a begins first.
func (a *memAccess) both(b *memAccess) int64 { return max(a.at+a.bytes, b.at+b.bytes) - a.at }

// sameKind reports whether two accesses differ only in place and width.
func sameKind(x, y *memAccess) bool {
	p, q := x.in, y.in
	if p.Intr != q.Intr || x.where != y.where || p.Get(ir.IdxAccess) != q.Get(ir.IdxAccess) {
		return false
	}
	if x.store {
		return p.Srcs[0].Def.BitSize == q.Srcs[0].Def.BitSize
	}
	return p.Def.BitSize == q.Def.BitSize
}

// keepsBlocks reports whether loads of a memory may not cross a boundary of 16 bytes.
func (v *vectorizer) keepsBlocks(class ir.Mode) bool {
	return class == ir.ModeUBO && !v.straddle || class == ir.ModePushConst && !v.pushStraddle
}

// isFixed reports whether the offset is known when the shader is compiled.
func (a *memAccess) isFixed() bool {
	for i := range a.terms {
		if d := a.terms[i].def; d != nil && !fixedHandle(d, 0) {
			return false
		}
	}
	return true
}

// fixedHandle reports whether a descriptor is known when the shader is compiled.
func fixedHandle(d *ir.Def, depth int) bool {
	in := d.Instr
	switch in.Kind {
	case ir.KindLoadConst:
		return true
	case ir.KindALU:
	case ir.KindIntrinsic:
		if in.Intr != ir.IntrVulkanResourceIndex && in.Intr != ir.IntrVulkanResourceReindex && in.Intr != ir.IntrLoadVulkanDescriptor {
			return false
		}
	default:
		return false
	}
	for i := range in.Srcs {
		if depth > 8 || !fixedHandle(in.Srcs[i].Def, depth+1) {
			return false
		}
	}
	return true
}

// merge makes one access of an open one and a later one that touch.
func (v *vectorizer) merge(first, second *memAccess) (m memAccess, ok bool) {
	if !sameKind(first, second) {
		return m, false
	}
	low, high := first, second
	if second.at < first.at {
		low, high = second, first
	}
	if v.dynamic && low.class == ir.ModeUBO && fixedHandle(low.resource, 0) && low.isFixed() {
		return m, false
	}
	if v.modes&low.class == 0 || !v.fits(low, high) || !v.c.Step() {
		return m, false
	}
	if first.store {
		m = mergeStores(low, high, second)
	} else {
		m = mergeLoads(low, high, first)
	}
	return m, true
}

func (v *vectorizer) fits(low, high *memAccess) bool {
	bits := accessValue(low).BitSize
	unit, bytes := int64(bits/8), uint64(low.both(high))
	n := int(bytes / uint64(unit))
	if n > v.maxComps || bytes > v.maxBytes || n > 5 && n != 8 && n != 16 || (high.at-low.at)%unit != 0 {
		return false
	}
	mul, off := uint64(1), uint64(0)
	if low.in.Has(ir.IdxAlignMul) {
		mul, off = max(1, low.in.Get(ir.IdxAlignMul)), low.in.Get(ir.IdxAlignOffset)
	}
	if mul < uint64(bits/8) || off%uint64(bits/8) != 0 {
		return false
	}
	inside := off+bytes <= mul // of one aligned unit: it cannot wrap
	if fixed := low.terms[0].def == nil; fixed && low.at < 0 && low.at+int64(bytes) > 0 {
		return false // it does
	}
	if v.keepsBlocks(low.class) && !(mul >= 16 && off%16+bytes <= 16) {
		return false
	}
	return v.keepsBounds(low) && (!v.robust || inside || low.terms[0].def == nil || low.nuw && high.nuw)
}

// keepsBounds reports whether the bounds of an access may become those of a larger one: one test for
// all of it makes its parts count as out of bounds together (ir.Robust2).
func (v *vectorizer) keepsBounds(a *memAccess) bool {
	return v.opts.BoundsByElement || v.opts.Robust.Of(a.class) != ir.Robust2 || a.resource == nil
}

func accessValue(a *memAccess) *ir.Def {
	if a.store {
		return a.in.Srcs[0].Def
	}
	return &a.in.Def
}

// place gives in, a copy of at's access, low's offset and alignment; at
// supplies the offset, whose value is there.
func place(b *ir.Builder, in *ir.Instr, at, low, high *memAccess) {
	off, _, _ := memOffsetSrc(in.Intr)
	delta := low.at - at.at
	if base := in.Get(ir.IdxBase); in.Has(ir.IdxBase) && int64(base)+delta >= 0 {
		in.Set(ir.IdxBase, uint64(int64(base)+delta))
		delta = 0
	}
	in.Srcs[off].Set(b.IAddImm(in.Srcs[off].Def, delta))
	if in.Has(ir.IdxAlignMul) {
		in.Set(ir.IdxAlignMul, low.in.Get(ir.IdxAlignMul)).Set(ir.IdxAlignOffset, low.in.Get(ir.IdxAlignOffset))
	}
	if in.Has(ir.IdxRange) {
		uniteRanges(in, low.in, high.in)
	}
}

// uniteRanges bounds an access by what bounds either of two. A range of
// push constants counts from the base.
func uniteRanges(in, x, y *ir.Instr) {
	start := func(i *ir.Instr) uint64 {
		if i.Has(ir.IdxRangeBase) {
			return i.Get(ir.IdxRangeBase)
		}
		return i.Get(ir.IdxBase)
	}
	first := min(start(x), start(y))
	end := max(start(x)+x.Get(ir.IdxRange), start(y)+y.Get(ir.IdxRange))
	if in.Has(ir.IdxRangeBase) {
		in.Set(ir.IdxRangeBase, first)
	} else {
		first = in.Get(ir.IdxBase)
	}
	in.Set(ir.IdxRange, min(end-first, 1<<32-1))
}

// copyAccess makes an intrinsic like a's, without its value.
func copyAccess(s *ir.Shader, a *memAccess, comps, bits uint8, val *ir.Def) *ir.Instr {
	srcs := make([]*ir.Def, len(a.in.Srcs))
	for i := range srcs {
		srcs[i] = a.in.Srcs[i].Def
	}
	if a.store {
		srcs[0], comps, bits = val, 0, 0
	}
	in := s.NewIntrinsic(a.in.Intr, comps, bits, srcs...)
	copy(in.Imm, a.in.Imm)
	in.Loc = a.in.Loc
	return in
}

func mergeLoads(low, high, first *memAccess) memAccess {
	s := first.in.Block.Impl().Shader
	b := ir.NewBuilder(ir.Before(first.in))
	unit, bytes := int64(low.in.Def.BitSize/8), low.both(high)
	in := copyAccess(s, first, uint8(bytes/unit), low.in.Def.BitSize, nil)
	place(b, in, first, low, high)
	b.Insert(in)
	low.in.Def.RewriteUses(b.Channels(&in.Def, 0, int(low.in.Def.NumComponents)))
	high.in.Def.RewriteUses(b.Channels(&in.Def, int((high.at-low.at)/unit), int(high.in.Def.NumComponents)))
	low.in.Remove()
	high.in.Remove()
	return memAccess{in: in, class: low.class, resource: low.resource, where: low.where, own: low.own, terms: low.terms, at: low.at, bytes: bytes,
		nuw: low.nuw && high.nuw, fixed: low.fixed && high.fixed}
}

func mergeStores(low, high, last *memAccess) memAccess {
	s := last.in.Block.Impl().Shader
	b := ir.NewBuilder(ir.Before(last.in))
	var comps []*ir.Def
	for _, a := range []*memAccess{low, high} {
		v := a.in.Srcs[0].Def
		for i := range int(v.NumComponents) {
			comps = append(comps, b.Channel(v, i))
		}
	}
	in := copyAccess(s, last, 0, 0, b.Vec(comps...))
	in.Set(ir.IdxWriteMask, 1<<len(comps)-1)
	place(b, in, last, low, high)
	b.Insert(in)
	low.in.Remove()
	high.in.Remove()
	return memAccess{in: in, store: true, class: low.class, resource: low.resource, where: low.where, own: low.own, terms: low.terms, at: low.at, bytes: low.bytes + high.bytes,
		nuw: low.nuw && high.nuw}
}
