package algebraic

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"nirc/ir"
)

// instance builds IR that a rule matches: values of four components that are
// read through random swizzles.
type instance struct {
	t    *trial
	p    *pools
	s    *ir.Shader
	b    *ir.Builder
	rng  *rand.Rand
	vars [maxSlots]*ir.Def
	swz  [maxSlots]ir.Swizzle
	vals map[*ir.Def]lanes
}

func (x *instance) randomSwizzle() ir.Swizzle {
	s := ir.IdentitySwizzle
	for i := range 16 {
		s = s.With(i, x.rng.Intn(4))
	}
	return s
}

// source builds node n and returns how its components are read; of[j] is the root's component that component j is for, -1 if nobody reads it.
func (x *instance) source(n *node, of []int) (*ir.Def, ir.Swizzle) {
	bits := x.t.s.bits[n.id()]
	swz := ir.IdentitySwizzle
	switch n.kind {
	case patInt, patFloat:
		v := n.val & mask(bits)
		if n.kind == patFloat {
			v = floatBits(n.val, bits)
		}
		swz, vals := x.randomSwizzle(), [4]uint64{}
		for c := range vals { // components that nobody reads are others
			vals[c] = v ^ uint64(1+x.rng.Intn(127))&mask(bits)
		}
		for j, c := range of {
			if c >= 0 {
				vals[swz.Lane(j)] = v
			}
		}
		return x.b.Const(bits, vals[:]...), swz
	case patVar, patConst:
		for j, c := range of {
			if c < 0 {
				c = x.rng.Intn(4)
			}
			swz = swz.With(j, x.swz[n.slot].Lane(c))
		}
		return x.vars[n.slot], swz
	}
	if c := int(n.op.Info().Out.Comps); c != 0 {
		for j, c := range of {
			swz = swz.With(j, max(0, c))
		}
		return &x.alu(n, components(c)).Def, swz
	}
	if n.flags&(patNSW|patNUW) != 0 || len(of) > 4 {
		return &x.alu(n, of).Def, swz // a component more might wrap
	}
	// Components that are read stand anywhere among four.
	inner := []int{-1, -1, -1, -1}
	for j, at := range x.rng.Perm(4)[:len(of)] {
		swz = swz.With(j, at)
		inner[at] = of[j]
	}
	return &x.alu(n, inner).Def, swz
}

// components are as many of the root.
func components(n int) (list []int) {
	for c := range n {
		list = append(list, c)
	}
	return list
}

// alu builds an operation node with components for those of the root. All variables must be read alike for each of the root's
// components, so swizzles below the root permute what is between, and at variables lead to those of x.swz.
func (x *instance) alu(n *node, of []int) *ir.Instr {
	info := n.op.Info()
	var defs [4]*ir.Def
	var swz [4]ir.Swizzle
	for i := range int(n.nsrc) {
		w := of
		if c := int(info.In[i].Comps); c != 0 {
			w = components(c)
		}
		defs[i], swz[i] = x.source(&nodes[int(n.first)+i], w)
	}
	if n.comm != 0 && x.rng.Intn(2) == 0 {
		defs[0], defs[1], swz[0], swz[1] = defs[1], defs[0], swz[1], swz[0]
	}
	in := x.s.NewALU(n.op, uint8(len(of)), x.t.s.bits[n.id()], defs[:n.nsrc]...)
	for i := range int(n.nsrc) {
		in.Srcs[i].Swizzle = swz[i]
	}
	in.NoSignedWrap, in.NoUnsignedWrap = n.flags&patNSW != 0, n.flags&patNUW != 0
	x.b.Insert(in)
	return in
}

// value evaluates a value; variables have theirs in vals.
func (x *instance) value(d *ir.Def) lanes {
	if v, ok := x.vals[d]; ok {
		return v
	}
	in := d.Instr
	var out lanes
	if in.Kind == ir.KindLoadConst {
		copy(out[:], in.Imm)
		return out
	}
	var src [4]lanes
	var sb [4]uint8
	for i := range in.Srcs {
		v := x.value(in.Srcs[i].Def)
		for c := range in.SrcComps(i) {
			src[i][c] = v[in.Srcs[i].Swizzle.Lane(c)]
		}
		sb[i] = in.Srcs[i].Def.BitSize
	}
	flags := uint16(0)
	if in.NoSignedWrap {
		flags |= patNSW
	}
	if in.NoUnsignedWrap {
		flags |= patNUW
	}
	for c := range int(d.NumComponents) {
		x.t.undefined = x.t.undefined || flags != 0 && wraps(flags, d.BitSize, src[0][c], src[1][c])
	}
	return x.t.eval(in.Op, int(d.NumComponents), d.BitSize, src[:len(in.Srcs)], sb[:len(in.Srcs)])
}

// TestEngine fires every rule on IR with vectors and swizzles, the sources of commutative operations in either order, and compares
// the values before and after.
func TestEngine(t *testing.T) {
	p := makePools()
	hit := 0
	for i := range rules {
		r := &rules[i]
		s := shapeOf(r)
		done := false
		s.assignments(func() {
			if done {
				return
			}
			tried, fires := 0, 0
			for seed := range int64(4) {
				got, err := fire(i, s, p, seed)
				if err != nil {
					t.Errorf("%s: %v", r.name, err)
				}
				if got != unfit {
					tried++
				}
				if got == fired {
					fires++
				}
				done = done || fires > 0 || err != nil
			}
			if fires > 0 && fires < tried {
				t.Errorf("%s fires for %d of %d instances that differ in how components are read and in the order of what commutes", r.name, fires, tried)
			}
		})
		if !done {
			t.Logf("%s did not fire: no instance satisfies its conditions", r.name)
			continue
		}
		hit++
	}
	t.Logf("%d of %d rules fired", hit, len(rules))
	if hit < len(rules)*9/10 {
		t.Errorf("too few rules fired")
	}
}

// only is the choice of some rules by number.
func only(list ...int) *choice {
	enabled := make([]bool, len(rules))
	for _, n := range list {
		enabled[n] = true
	}
	c := new(choice)
	c.fill(enabled)
	return c
}

// What becomes of an instance: values that its rule does not promise anything for, no match, a match.
const (
	unfit = iota
	missed
	fired
)

// fire applies a rule to an instance of its pattern.
func fire(n int, s *shape, p *pools, seed int64) (int, error) {
	s.fix()
	r := &rules[n]
	x := &instance{p: p, rng: rand.New(rand.NewSource(seed)), vals: map[*ir.Def]lanes{}}
	x.t = &trial{r: r, s: s, flags: allFlags(&nodes[r.root]), root: s.root.find().bits}
	x.s = ir.NewShader(ir.StageCompute, nil)
	f := x.s.NewFunction("main")
	x.b = ir.NewBuilder(ir.AtEnd(f.Impl.Start()))
	if !x.pick() {
		return unfit, nil
	}
	root := &nodes[r.root]
	width := int(root.op.Info().Out.Comps)
	if width == 0 {
		if width = int(steppedWidth(r)); width == 0 {
			width = 3 - 2*int(seed&1)
		}
	}
	in := x.alu(root, components(width))
	use := x.b.Mov(&in.Def)
	phi := x.b.Intrinsic(ir.IntrStoreScratch, 0, 0, &in.Def, x.b.Imm32(0))
	x.b.Intrinsic(ir.IntrStoreScratch, 0, 0, use, x.b.Imm32(0))
	before := x.value(&in.Def)
	if x.t.undefined || x.t.nan && (x.t.flags&patNNaN != 0 || r.approx) || x.t.inf && (x.t.flags&patNInf != 0 || r.approx) {
		return unfit, nil
	}
	e := &engine{tries: only(n), env: Env{Hits: make([]uint32, len(rules))}}
	if _, err := e.run(f.Impl); err != nil {
		return missed, err
	}
	if e.env.Hits[n] == 0 {
		return missed, nil
	}
	if err := ir.Validate(x.s); err != nil && !strings.Contains(err.Error(), "align") && !strings.Contains(err.Error(), "ALU") && !strings.Contains(err.Error(), "entry") {
		return fired, err
	}
	for _, d := range []*ir.Def{phi.Srcs[0].Def, use} {
		after := x.value(d)
		for c := range width {
			if !x.t.agree(before[c], after[c], d.BitSize, resultClass(root)) {
				return fired, fmt.Errorf("component %d: %#x is not %#x\n%s", c, after[c], before[c], ir.Print(x.s))
			}
		}
	}
	return fired, nil
}

// steppedWidth is the width that a rule's pattern fixes through a horizontal
// operation below per-component ones, 0 if none.
func steppedWidth(r *rule) uint8 { return fixedWidth(&nodes[r.root]) }

func fixedWidth(n *node) uint8 {
	if n.kind != patOp {
		return 0
	}
	info := n.op.Info()
	if info.Out.Comps != 0 {
		return info.Out.Comps
	}
	for i := range int(n.nsrc) {
		if w := fixedWidth(&nodes[int(n.first)+i]); info.In[i].Comps == 0 && w != 0 {
			return w
		}
	}
	return 0
}

// pick chooses values for the variables that satisfy the rule's conditions in
// all components.
func (x *instance) pick() bool {
	t := x.t
	for k := range t.s.slots {
		if t.s.slots[k] != nil {
			t.sizes[k] = t.s.slots[k].find().bits
		}
	}
	m := &matcher{root: &ir.Instr{}}
	m.root.Def.BitSize = t.root
	var found [maxSlots]lanes
	for c := range 4 {
		ok := false
		for try := 0; try < 4000 && !ok; try++ {
			for k := range t.s.slots {
				if t.s.isVar[k] {
					l := t.pool(x.p, k)
					t.vals[k][0] = l[x.rng.Intn(len(l))]
					w := t.vals[k][0]
					for j := range t.vals[k] {
						t.vals[k][j] = w
					}
				}
			}
			ok = t.conditions(x.s, m)
		}
		if !ok {
			return false
		}
		for k := range found {
			found[k][c] = t.vals[k][0]
		}
	}
	for k := range t.s.slots {
		if !t.s.isVar[k] {
			continue
		}
		if t.s.isConst[k] || needsRange(t.r, k) {
			x.vars[k] = x.b.Const(t.sizes[k], found[k][0], found[k][1], found[k][2], found[k][3])
		} else {
			x.vars[k] = x.b.Undef(4, t.sizes[k])
			x.vals[x.vars[k]] = found[k]
		}
		// Components of all variables move together, or conditions on two break.
		x.swz[k] = ir.Swz(2, 0, 3, 1)
	}
	return true
}

// needsRange reports whether a condition asks the range analysis about a slot,
// which knows nothing of an opaque value.
func needsRange(r *rule, slot int) bool {
	for _, q := range r.conds {
		if int(q.slot) == slot && !structural[preds[q.pred].name] && !strings.HasPrefix(preds[q.pred].name, "promised") && preds[q.pred].name != "not_bool" {
			return true
		}
	}
	return false
}

// TestFlagsCarry: what replaces an exact instruction is exact, takes the
// root's float properties and its place in the source.
func TestFlagsCarry(t *testing.T) {
	s := ir.NewShader(ir.StageCompute, nil)
	f := s.NewFunction("main")
	b := ir.NewBuilder(ir.AtEnd(f.Impl.Start()))
	x, y := b.Undef(1, 32), b.Undef(1, 32)
	b.Exact = true
	b.FastMath = ir.FloatControls(0).With(ir.FCSignedZeroPreserve, 32)
	s.Locs = append(s.Locs, ir.Loc{Line: 7})
	s.SetLoc(1)
	r := b.Fsub(x, y)
	use := b.Intrinsic(ir.IntrStoreScratch, 0, 0, r, b.Imm32(0))
	if _, err := Run(f.Impl, Main, Env{}); err != nil {
		t.Fatal(err)
	}
	in := use.Srcs[0].Def.Instr
	if !in.IsALU(ir.OpFadd) || !in.Exact || !in.FastMath.Has(ir.FCSignedZeroPreserve, 32) || in.Loc != 1 {
		t.Errorf("got %s exact %v fast-math %b loc %d", in.Op, in.Exact, in.FastMath, in.Loc)
	}
	if neg := in.Srcs[1].Def.Instr; !neg.IsALU(ir.OpFneg) || !neg.Exact {
		t.Errorf("the negation is %s, exact %v", neg.Op, neg.Exact)
	}
}

// TestPingPong: two rules that undo each other are reported, both by name.
func TestPingPong(t *testing.T) {
	lower, fuse := -1, -1
	for i := range rules {
		switch {
		case rules[i].section == Main && nodes[rules[i].root].op == ir.OpFsub:
			lower = i
		case rules[i].section == Late && nodes[rules[i].root].op == ir.OpFadd && rules[i].first+1 == rules[i].last && steps[rules[i].first].op == ir.OpFsub:
			fuse = i
		}
	}
	if lower < 0 || fuse < 0 {
		t.Fatal("the rules between fsub and fadd are not there")
	}
	s := ir.NewShader(ir.StageCompute, nil)
	f := s.NewFunction("main")
	b := ir.NewBuilder(ir.AtEnd(f.Impl.Start()))
	b.Intrinsic(ir.IntrStoreScratch, 0, 0, b.Fsub(b.Undef(1, 32), b.Undef(1, 32)), b.Imm32(0))
	e := &engine{tries: only(lower, fuse)}
	_, err := e.run(f.Impl)
	if err == nil || !strings.Contains(err.Error(), rules[lower].name) || !strings.Contains(err.Error(), rules[fuse].name) {
		t.Errorf("error %v does not name %s and %s", err, rules[lower].name, rules[fuse].name)
	}
}

// TestStep: no rewrite happens that the caller does not allow.
func TestStep(t *testing.T) {
	s := ir.NewShader(ir.StageCompute, nil)
	f := s.NewFunction("main")
	b := ir.NewBuilder(ir.AtEnd(f.Impl.Start()))
	v := b.Undef(1, 32)
	for range 10 {
		v = b.Iadd(b.Imul(v, b.Imm32(1)), b.Imm32(0))
	}
	b.Intrinsic(ir.IntrStoreScratch, 0, 0, v, b.Imm32(0))
	n := 0
	if _, err := Run(f.Impl, Main, Env{Step: func() bool { n++; return n <= 3 }}); err != nil {
		t.Fatal(err)
	}
	left := 0
	for in := range f.Impl.Start().Instrs() {
		if in.Kind == ir.KindALU {
			left++
		}
	}
	if left != 17 {
		t.Errorf("%d of 20 instructions left after 3 steps, want 17", left)
	}
}

// BenchmarkRun measures a function of 50,000 instructions.
func BenchmarkRun(b *testing.B) {
	for range b.N {
		b.StopTimer()
		f := longFunction(50000)
		b.StartTimer()
		if _, err := Run(f.Impl, Main, Env{}); err != nil {
			b.Fatal(err)
		}
	}
}

func longFunction(n int) *ir.Function {
	s := ir.NewShader(ir.StageCompute, nil)
	f := s.NewFunction("main")
	b := ir.NewBuilder(ir.AtEnd(f.Impl.Start()))
	rng := rand.New(rand.NewSource(3))
	pool := []*ir.Def{b.Undef(1, 32), b.Undef(1, 32), b.Imm32(0), b.Imm32(1), b.Imm32(8), b.ImmFloat(1, 32)}
	pick := func() *ir.Def { return pool[max(0, len(pool)-1-rng.Intn(min(len(pool), 60)))] }
	ops := []ir.Op{ir.OpIadd, ir.OpImul, ir.OpIand, ir.OpIshl, ir.OpFadd, ir.OpFmul, ir.OpFsub, ir.OpUshr, ir.OpIxor, ir.OpFmax}
	for range n {
		pool = append(pool, b.ALU(ops[rng.Intn(len(ops))], pick(), pick()))
		if rng.Intn(8) == 0 {
			pool = append(pool, pool[rng.Intn(6)])
		}
		if rng.Intn(20) == 0 {
			b.Intrinsic(ir.IntrStoreScratch, 0, 0, pick(), b.Imm32(0))
		}
	}
	return f
}

// Flags of a rule hold it back where the shader keeps what it would change.
func TestFlags(t *testing.T) {
	none := ir.FloatControls(0)
	for _, c := range []struct {
		name             string
		flags            uint16
		fastMath, shader ir.FloatControls
		exact            bool
		want             bool
	}{
		{"no flags", 0, none, none, true, true},
		{"inexact", patInexact, none, none, false, true},
		{"inexact of what is exact", patInexact, none, none, true, false},
		{"no flush", patNoFlush, none, none, false, true},
		{"no flush where it is flushed", patNoFlush, none, none.With(ir.FCDenormFlush, 32), false, false},
		{"no flush where other sizes are", patNoFlush, none, none.With(ir.FCDenormFlush, 16), false, true},
		{"signed zeros", patNSZ, none.With(ir.FCSignedZeroPreserve, 32), none, false, false},
		{"no signed zeros", patNSZ, none.With(ir.FCInfPreserve, 32), none, false, true},
		{"infinities", patNInf, none.With(ir.FCInfPreserve, 32), none, false, false},
		{"no infinities", patNInf, none.With(ir.FCNaNPreserve, 32), none, false, true},
		{"NaN", patNNaN, none.With(ir.FCNaNPreserve, 32), none, false, false},
		{"no NaN", patNNaN, none.With(ir.FCSignedZeroPreserve, 32), none, false, true},
		{"no wrap is not known", patNUW, none, none, false, false},
		{"no signed wrap is not known", patNSW, none, none, false, false},
	} {
		s := ir.NewShader(ir.StageCompute, nil)
		b := ir.NewBuilder(ir.AtStart(s.NewFunction("main").Impl.Start()))
		in := b.Fadd(b.ImmFloat(1, 32), b.ImmFloat(2, 32)).Instr
		in.Exact, in.FastMath = c.exact, c.fastMath
		m := &matcher{flush: c.shader}
		if got := m.allowed(&node{flags: c.flags}, in); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}
