package passes

import (
	"math"
	"slices"
	"sync"

	"nirc/internal/slab"
	"nirc/ir"
)

var optComposeSumsPass = &Pass{
	Name: "opt_compose_sums", For: ir.HasALU, Class: "B", Run: optComposeSums, Idempotent: true, Optional: true, Rewrites: true,
	Doc: "Composes linear maps, A·(B·v) as (A·B)·v, where A and B are constants or come from uniform buffers and push constants: the product of the matrices folds, or a preamble has it once for all invocations, " +
		"and 16 multiply-adds of an invocation go for two matrices of 4 x 4. Looks at sums of scalars inside a block, so matrices may stand as columns, rows or written out, and where it saves more " +
		"operations than the preamble gets sixteen times as many of. Sums that anything else reads stay, and sums with a rounded value among others, whose differences are exact. What is exact or keeps properties of special values stays: Vulkan allows it otherwise " +
		"(its SPIR-V environment assumes AllowReassoc and AllowTransform where nothing is said), and outputs that several shaders compute alike are Invariant, which is exact.",
}

// composers keeps the memory of runs that are over.
var composers = sync.Pool{New: func() any { return new(linearMaps) }}

func optComposeSums(c *Context, s *ir.Shader) (bool, error) {
	m := composers.Get().(*linearMaps)
	defer m.release()
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) (progress bool) {
		for blk := range impl.Blocks() {
			// What composes with one sum may then do so with the next.
			for m.parse(impl, blk) && m.compose(c) {
				progress = true
			}
		}
		return progress
	}), nil
}

// release lets go of the shader and keeps the memory.
func (m *linearMaps) release() {
	clear(m.sums[:cap(m.sums)])
	clear(m.terms[:cap(m.terms)])
	clear(m.added[:cap(m.added)])
	clear(m.termRoom[:cap(m.termRoom)])
	clear(m.onceRoom[:cap(m.onceRoom)])
	m.impl = nil
	composers.Put(m)
}

const (
	// maxSumTerms is how many terms a sum has at most, maxComposed how many sums are composed with how many others at a time.
	maxSumTerms = 16
	maxComposed = 16
	// onceShare is how many operations of a preamble cost as much as one of an invocation.
	onceShare = 16
)

// scalarLane is a component of a value; without one it is 1.
type scalarLane struct {
	def  *ir.Def
	comp int
}

// linearTerm is a value times a factor that is the same for all invocations.
type linearTerm struct{ value, factor scalarLane }

// linearSum is a sum of terms and of values that are the same for all invocations.
type linearSum struct {
	root  *ir.Instr
	terms []linearTerm
	once  []scalarLane
	// first is the first place in linearMaps.readers that lists a term whose value this is, 0 if there is none, read how many there are.
	first, read int32
	cancels     bool    // see addSum
	done        bool    // it was composed, or what it was read by
	now         *ir.Def // what it became
}

// reader is a term of a sum whose value is another sum.
type reader struct{ sum, next int32 }

// linearMaps are the sums of a block.
type linearMaps struct {
	impl *ir.Impl
	once []bool // by Def.Index: the same for all invocations, and known before any
	old  int    // the values below were there before any was made here
	sums []linearSum
	// of is by Def.Index the sum that a value is, from 1 on; noted are the indices of those that are.
	of, noted []int32
	readers   []reader // from 1 on
	// terms and added are those of all sums.
	terms []linearTerm
	added []scalarLane

	inner, outer []int32
	// termRoom and onceRoom are those of the sum that is made at the moment.
	termRoom []linearTerm
	onceRoom []scalarLane
}

// parse finds the sums of a block; false if there are none that compose.
func (m *linearMaps) parse(impl *ir.Impl, blk *ir.Block) bool {
	m.forget()
	m.sums, m.readers, m.terms, m.added = m.sums[:0], append(m.readers[:0], reader{}), m.terms[:0], m.added[:0]
	if m.impl == impl {
		m.grow(impl)
	}
	for in := blk.First(); in != nil; in = in.Next() {
		if m.impl == impl && in.HasDef() && int(in.Def.Index) >= m.old {
			m.once[in.Def.Index] = m.isOnce(in) // made by rewrite, in this block
		}
		if !sumsScalars(in) || in.Def.Unused() {
			continue
		}
		if m.impl != impl {
			m.start(impl)
		}
		if !m.once[in.Def.Index] && !m.isPart(in) {
			m.addSum(in)
		}
	}
	found := false
	for i := range m.sums {
		for _, t := range m.sums[i].terms {
			if u := m.sumOf(t.value); u != nil {
				m.readers = append(m.readers, reader{int32(i), u.first})
				u.first, u.read, found = int32(len(m.readers)-1), u.read+1, true
			}
		}
	}
	return found
}

// forget takes the sums of another block away: to clear all of of for each block would take the square of a function's length.
func (m *linearMaps) forget() {
	for _, k := range m.noted {
		m.of[k] = 0
	}
	m.noted = m.noted[:0]
}

// start finds what is the same for all invocations.
func (m *linearMaps) start(impl *ir.Impl) {
	m.old = int(impl.NumDefs)
	m.impl, m.once = impl, m.once[:0]
	m.grow(impl)
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			if in.HasDef() {
				m.once[in.Def.Index] = m.isOnce(in)
			}
		}
	}
}

// grow makes room for all values of the function, also those that were made here: of these once is false until parse comes by.
// To find out about all again took the square of a function's length.
func (m *linearMaps) grow(impl *ir.Impl) {
	n := int(impl.NumDefs)
	if len(m.of) < n {
		m.of = slab.Zeroed(m.of, n+n/4)
	}
	if have := len(m.once); have < n {
		m.once = slices.Grow(m.once, n-have)[:n]
		clear(m.once[have:])
	}
}

// isOnce reports whether a preamble surely can compute an instruction.
func (m *linearMaps) isOnce(in *ir.Instr) bool {
	switch in.Kind {
	case ir.KindLoadConst:
		return true
	case ir.KindALU:
	case ir.KindIntrinsic:
		switch in.Intr {
		case ir.IntrVulkanResourceIndex, ir.IntrLoadVulkanDescriptor, ir.IntrLoadUbo, ir.IntrLoadPushConstant:
		default:
			return false
		}
	default:
		return false
	}
	for i := range in.Srcs {
		if !m.once[in.Srcs[i].Def.Index] {
			return false
		}
	}
	return true
}

// sumsScalars reports whether in is a sum or product of scalars that may be computed in another order.
func sumsScalars(in *ir.Instr) bool {
	return in.Kind == ir.KindALU && (in.Op == ir.OpFadd || in.Op == ir.OpFmul || in.Op == ir.OpFfma) &&
		in.Def.NumComponents == 1 && in.Def.BitSize == 32 && !in.Exact && in.FastMath == 0
}

// isPart reports whether in is a term or a part of a sum that alone reads it.
func (m *linearMaps) isPart(in *ir.Instr) bool {
	if !in.Def.UsedOnce() {
		return false
	}
	u := in.Def.FirstUse()
	if u.Instr == nil || u.Instr.Block != in.Block || !sumsScalars(u.Instr) {
		return false
	}
	switch u.Instr.Op {
	case ir.OpFadd:
	case ir.OpFfma:
		if u != &u.Instr.Srcs[2] {
			return false
		}
	default:
		return false
	}
	return in.Op == ir.OpFadd || m.factorOf(in) >= 0
}

// factorOf is which of the first two sources is the same for all invocations where the other is not; -1 if none.
func (m *linearMaps) factorOf(in *ir.Instr) int {
	a, b := m.once[in.Srcs[0].Def.Index], m.once[in.Srcs[1].Def.Index]
	switch {
	case a == b:
		return -1
	case a:
		return 0
	}
	return 1
}

// addSum notes the sum that ends with in, if it is one of few enough terms.
func (m *linearMaps) addSum(in *ir.Instr) {
	terms, added := len(m.terms), len(m.added)
	if !m.addTerms(in) || len(m.terms) == terms || len(m.terms)-terms > maxSumTerms {
		m.terms, m.added = m.terms[:terms], m.added[:added]
		return
	}
	u := linearSum{root: in, terms: slices.Clip(m.terms[terms:]), once: slices.Clip(m.added[added:])}
	// What is left of a value after its whole part is exact and never negative. Two products are neither.
	u.cancels = len(u.terms) > 1 && slices.ContainsFunc(u.terms, func(t linearTerm) bool { return isRounded(t.value.def) })
	m.sums = append(m.sums, u)
	m.of[in.Def.Index] = int32(len(m.sums))
	m.noted = append(m.noted, int32(in.Def.Index))
}

// isRounded reports whether a value is a whole number, or one with the other sign.
func isRounded(d *ir.Def) bool {
	in := d.Instr
	if in.IsALU(ir.OpFneg) {
		in = in.Srcs[0].Def.Instr
	}
	if in.Kind != ir.KindALU {
		return false
	}
	switch in.Op {
	case ir.OpFfloor, ir.OpFceil, ir.OpFtrunc, ir.OpFroundEven:
		return true
	}
	return false
}

// addTerms adds the terms of in; false if it is no sum.
func (m *linearMaps) addTerms(in *ir.Instr) bool {
	if in.Op == ir.OpFadd {
		return m.addSource(in, 0) && m.addSource(in, 1)
	}
	k := m.factorOf(in)
	if k < 0 {
		return false
	}
	m.terms = append(m.terms, linearTerm{value: laneOf(&in.Srcs[1-k]), factor: laneOf(&in.Srcs[k])})
	return in.Op != ir.OpFfma || m.addSource(in, 2)
}

// addSource adds what source k of in is.
func (m *linearMaps) addSource(in *ir.Instr, k int) bool {
	x := in.Srcs[k].Def.Instr
	switch {
	case m.once[x.Def.Index]:
		m.added = append(m.added, laneOf(&in.Srcs[k]))
	case x.Block == in.Block && sumsScalars(x) && m.isPart(x):
		return m.addTerms(x)
	default:
		m.terms = append(m.terms, linearTerm{value: laneOf(&in.Srcs[k])})
	}
	return true
}

func laneOf(s *ir.Src) scalarLane { return scalarLane{s.Def, s.Swizzle.Lane(0)} }

// sumOf is the sum that a value is, nil if it is none.
func (m *linearMaps) sumOf(v scalarLane) *linearSum {
	if int(v.def.Index) >= len(m.of) || m.of[v.def.Index] == 0 {
		return nil
	}
	return &m.sums[m.of[v.def.Index]-1]
}

// compose composes what pays, each sum once; it reports whether anything changed.
func (m *linearMaps) compose(c *Context) (progress bool) {
	for i := range m.sums {
		if m.sums[i].first == 0 || m.sums[i].done || !m.gather(int32(i)) || !m.pays() || !c.Step() {
			continue
		}
		m.rewrite()
		progress = true
	}
	return progress
}

// gather finds the sums that are read as the terms of others together with sum i, and these others. It reports false if they are
// too many, or something else reads one of them.
func (m *linearMaps) gather(i int32) bool {
	m.inner, m.outer = append(m.inner[:0], i), m.outer[:0]
	for k := 0; k < len(m.inner); k++ {
		u := &m.sums[m.inner[k]]
		if u.done || u.cancels || !m.onlyTerms(u) {
			return false
		}
		for r := u.first; r != 0; r = m.readers[r].next {
			y := m.readers[r].sum
			if slices.Contains(m.outer, y) {
				continue
			}
			if m.sums[y].done || len(m.outer) == maxComposed {
				return false
			}
			m.outer = append(m.outer, y)
			for _, t := range m.sums[y].terms {
				v := m.sumOf(t.value)
				if v == nil || v.done || v.cancels || !m.onlyTerms(v) {
					continue
				}
				if isInfinite(t.factor) {
					return false // times a difference it is no number where it is infinite times the parts
				}
				if n := m.of[v.root.Def.Index] - 1; !slices.Contains(m.inner, n) {
					if len(m.inner) == maxComposed {
						return false
					}
					m.inner = append(m.inner, n)
				}
			}
		}
	}
	// What is read by others of them is composed first.
	return !slices.ContainsFunc(m.inner, func(n int32) bool { return slices.Contains(m.outer, n) })
}

// isInfinite reports whether a factor is a constant that is not finite.
func isInfinite(l scalarLane) bool {
	if l.def == nil {
		return false
	}
	bits, ok := l.def.Const(l.comp)
	x := math.Float32frombits(uint32(bits))
	return ok && x-x != 0
}

// onlyTerms reports whether nothing but terms of sums reads u.
func (m *linearMaps) onlyTerms(u *linearSum) bool {
	n := int32(0)
	for range u.root.Def.Uses() {
		if n++; n > u.read {
			return false
		}
	}
	return n == u.read
}

// pays reports whether the sums take fewer operations once those that they read are composed with them.
func (m *linearMaps) pays() bool {
	saved, made := 0, 0
	for _, n := range m.inner {
		saved += m.sums[n].cost()
	}
	for _, n := range m.outer {
		y := &m.sums[n]
		z := m.room(y)
		for _, t := range y.terms {
			u := m.composed(t.value)
			if u == nil {
				made += z.merge(t)
				continue
			}
			for _, x := range u.terms {
				x.factor = t.factor
				made += 1 + z.merge(x)
			}
			if len(u.once) > 0 {
				z.once = append(z.once, u.once[0])
				made += 1 + len(u.once)
			}
		}
		m.keepRoom(&z)
		if len(z.terms) > maxSumTerms {
			return false
		}
		saved += y.cost() - z.cost()
	}
	return saved*onceShare > made
}

// room is a sum of nothing but what y adds that is the same for all invocations. There is one at a time.
func (m *linearMaps) room(y *linearSum) linearSum {
	return linearSum{terms: m.termRoom[:0], once: append(m.onceRoom[:0], y.once...)}
}

// keepRoom keeps the memory that a sum of room has grown to.
func (m *linearMaps) keepRoom(z *linearSum) { m.termRoom, m.onceRoom = z.terms, z.once }

// composed is the sum that a value is, if it is one of those that go.
func (m *linearMaps) composed(v scalarLane) *linearSum {
	if u := m.sumOf(v); u != nil && slices.Contains(m.inner, m.of[v.def.Index]-1) {
		return u
	}
	return nil
}

// cost is how many operations a sum takes: a multiply-add for each product, an addition for each value that is added.
func (s *linearSum) cost() (n int) {
	added := min(1, len(s.once))
	for _, t := range s.terms {
		if t.factor.def == nil {
			added++
		} else {
			n++
		}
	}
	return n + max(0, added-1)
}

// merge adds a term, the factors of one value as one, and returns how many factors were added to others.
func (s *linearSum) merge(t linearTerm) int {
	for i := range s.terms {
		if s.terms[i].value == t.value {
			if s.terms[i].factor.def == nil {
				s.terms[i].factor = t.factor
			}
			return 1
		}
	}
	s.terms = append(s.terms, t)
	return 0
}

// rewrite makes the sums again, and removes those that they read.
func (m *linearMaps) rewrite() {
	slices.Sort(m.outer)
	for _, n := range m.outer {
		y := &m.sums[n]
		b := scalarBuilder{ir.NewBuilder(ir.Before(y.root)).AtInstr(y.root), y.root}
		z := m.room(y)
		for _, t := range y.terms {
			u := m.composed(t.value)
			if u == nil {
				z.addFactor(b, linearTerm{m.current(t.value), t.factor})
				continue
			}
			for _, x := range u.terms {
				z.addFactor(b, linearTerm{m.current(x.value), b.times(t.factor, x.factor)})
			}
			for _, o := range u.once {
				z.once = append(z.once, b.times(t.factor, o))
			}
		}
		m.keepRoom(&z)
		y.now, y.done = z.build(b), true
		y.root.Def.RewriteUses(y.now)
		removeSum(y.root)
	}
	for _, n := range m.inner {
		m.sums[n].done = true
	}
}

// current is a value, or what it became.
func (m *linearMaps) current(v scalarLane) scalarLane {
	if u := m.sumOf(v); u != nil && u.now != nil {
		return scalarLane{u.now, 0}
	}
	return v
}

// scalarBuilder builds operations that are as relaxed as another.
type scalarBuilder struct {
	*ir.Builder
	like *ir.Instr
}

// op is an operation of two components; without a value 1.
func (b scalarBuilder) op(op ir.Op, x, y scalarLane) scalarLane {
	for _, l := range []*scalarLane{&x, &y} {
		if l.def == nil {
			l.def = b.ImmFloat(1, 32)
		}
	}
	in := b.Shader.NewALU(op, 1, 32, x.def, y.def)
	in.Srcs[0].Swizzle, in.Srcs[1].Swizzle, in.Relaxed = ir.Broadcast(x.comp), ir.Broadcast(y.comp), b.like.Relaxed
	return scalarLane{&b.Insert(in).Def, 0}
}

// times is the product of two factors.
func (b scalarBuilder) times(x, y scalarLane) scalarLane {
	switch {
	case x.def == nil:
		return y
	case y.def == nil:
		return x
	}
	return b.op(ir.OpFmul, x, y)
}

// addFactor is merge with the factors computed.
func (s *linearSum) addFactor(b scalarBuilder, t linearTerm) {
	for i := range s.terms {
		if x := &s.terms[i]; x.value == t.value {
			x.factor = b.op(ir.OpFadd, x.factor, t.factor)
			return
		}
	}
	s.terms = append(s.terms, t)
}

// build computes the sum: first what is the same for all invocations.
func (s *linearSum) build(b scalarBuilder) *ir.Def {
	var sum scalarLane
	plus := func(l scalarLane) {
		if sum.def != nil {
			l = b.op(ir.OpFadd, l, sum)
		}
		sum = l
	}
	for _, o := range s.once {
		plus(o)
	}
	for _, t := range s.terms {
		plus(b.times(t.value, t.factor))
	}
	return b.Channel(sum.def, sum.comp)
}

// removeSum removes a sum that nothing reads, and what it alone read.
func removeSum(in *ir.Instr) {
	var srcs [3]*ir.Def
	n := len(in.Srcs)
	for i := range in.Srcs {
		srcs[i] = in.Srcs[i].Def
	}
	in.Remove()
	for _, d := range srcs[:n] {
		if d.Unused() && d.Instr.Block != nil && sumsScalars(d.Instr) {
			removeSum(d.Instr)
		}
	}
}
