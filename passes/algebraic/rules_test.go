package algebraic

import (
	"fmt"
	"math"
	"math/rand"
	"testing"

	"nirc/ir"
	"nirc/ir/optab"
)

// lanes is an evaluated value.
type lanes [16]uint64

// trial evaluates one rule on one choice of sizes.
type trial struct {
	r     *rule
	s     *shape
	mode  optab.Mode
	sizes [maxSlots]uint8
	vals  [maxSlots]lanes
	// What evaluation met.
	nan, inf, undefined bool
	biggest             float64
	one                 [4]uint64 // scratch for calls through pointers
	vec                 [4]lanes
	in                  [4][]uint64
	out                 lanes
	done                [maxSteps]lanes
	doneBits            [maxSteps]uint8
	root                uint8
	flags               uint16 // all flags of the pattern
}

func (t *trial) see(v uint64, bits uint8, class ir.TypeClass) {
	if class != ir.ClassFloat || bits < 16 {
		return
	}
	f := ir.FloatValue(v, bits)
	switch {
	case f != f:
		t.nan = true
	case math.IsInf(f, 0):
		t.inf = true
	default:
		t.biggest = math.Max(t.biggest, math.Abs(f))
	}
}

// eval computes one operation on evaluated sources.
func (t *trial) eval(op ir.Op, width int, outBits uint8, src []lanes, srcBits []uint8) (out lanes) {
	info := op.Info()
	bits := outBits
	for i, in := range info.In {
		if in.Bits == 0 {
			bits = srcBits[i]
			break
		}
	}
	sized := info.Out.Bits != 0 && len(info.In) > 0
	for _, in := range info.In {
		sized = sized && in.Bits != 0
	}
	if sized {
		bits = srcBits[0]
	}
	for c := range width {
		t.undefined = t.undefined || undefinedFor(op, bits, src, c)
	}
	if info.Eval != nil {
		for c := range width {
			s := &t.one
			for i := range src {
				s[i] = src[i][c]
				t.see(s[i], srcBits[i], info.In[i].Class)
			}
			out[c] = info.Eval(t.mode, bits, s)
			t.see(out[c], outBits, info.Out.Class)
		}
		return out
	}
	for i := range src {
		n := int(info.In[i].Comps)
		if n == 0 {
			n = width
		}
		t.vec[i] = src[i]
		t.in[i] = t.vec[i][:n]
	}
	info.EvalVec(t.mode, bits, t.in[:len(src)], t.out[:width])
	return t.out
}

// undefinedFor reports whether the operation's result is undefined, so that a
// replacement may give anything.
func undefinedFor(op ir.Op, bits uint8, s []lanes, c int) bool {
	switch op {
	case ir.OpUbitfieldExtract, ir.OpIbitfieldExtract:
		return badField(s[1][c], s[2][c])
	case ir.OpBitfieldInsert:
		return badField(s[2][c], s[3][c])
	case ir.OpFpow:
		a, b := ir.FloatValue(s[0][c], bits), ir.FloatValue(s[1][c], bits)
		return !(a >= 0) || a == 0 && b == 0
	case ir.OpFrexpExp:
		v := ir.FloatValue(s[0][c], bits)
		return v != v || math.IsInf(v, 0)
	case ir.OpImul24Relaxed, ir.OpUmul24Relaxed, ir.OpUmad24Relaxed:
		return s[0][c] >= 1<<23 || s[1][c] >= 1<<23
	case ir.OpAmul:
		return bits == 32 && (s[0][c] >= 1<<23 || s[1][c] >= 1<<23)
	case ir.OpPackSnorm4x8, ir.OpPackSnorm2x16:
		for _, v := range s[0][:op.Info().In[0].Comps] {
			if f := ir.FloatValue(v, bits); f != f {
				return true
			}
		}
	case ir.OpIdiv, ir.OpUdiv, ir.OpIrem, ir.OpImod, ir.OpUmod:
		return s[1][c] == 0
	}
	return false
}

func badField(o, n uint64) bool {
	return int32(o) < 0 || int32(n) < 0 || o+n > 32
}

// pattern evaluates a pattern node and fills the slots of labels.
func (t *trial) pattern(n *node, width int) (v lanes) {
	bits := t.s.bits[n.id()]
	switch n.kind {
	case patInt:
		for i := range v {
			v[i] = n.val & mask(bits)
		}
		return v
	case patFloat:
		for i := range v {
			v[i] = floatBits(n.val, bits)
		}
		return v
	case patVar, patConst:
		return t.vals[n.slot]
	}
	info := n.op.Info()
	var src [4]lanes
	var sb [4]uint8
	if c := int(info.Out.Comps); c != 0 {
		width = c
	}
	for i := range int(n.nsrc) {
		w := width
		if c := int(info.In[i].Comps); c != 0 {
			w = c
		}
		k := &nodes[int(n.first)+i]
		src[i] = t.pattern(k, w)
		sb[i] = t.s.bits[k.id()]
	}
	if n.flags&(patNSW|patNUW) != 0 && wraps(n.flags, bits, src[0][0], src[1][0]) {
		t.undefined = true
	}
	v = t.eval(n.op, width, bits, src[:n.nsrc], sb[:n.nsrc])
	if n.slot >= 0 {
		t.vals[n.slot] = v
	}
	return v
}

func (t *trial) operand(r ref) (v lanes, bits uint8) {
	if r.slot >= 0 {
		v, bits = t.vals[r.slot], t.sizes[r.slot]
	} else {
		v, bits = t.done[r.step], t.doneBits[r.step]
	}
	if r.comp != 0 {
		x := v[r.comp-1]
		for i := range v {
			v[i] = x
		}
	}
	return v, bits
}

// replacement evaluates the rule's steps.
func (t *trial) replacement(width int) (lanes, uint8) {
	for i := t.r.first; i < t.r.last; i++ {
		st := &steps[i]
		bits := st.size
		if bits >= sizeSlot {
			bits = t.sizes[st.size-sizeSlot]
		} else if bits == sizeRoot {
			bits = t.root
		}
		w := int(st.width)
		if w == 0 {
			w = width
		}
		var v lanes
		switch st.kind {
		case stepInt:
			for k := range v {
				v[k] = st.val & mask(bits)
			}
		case stepFloat:
			for k := range v {
				v[k] = floatBits(st.val, bits)
			}
		case stepHelper:
			for k := range w {
				var a [3]uint64
				for j := range int(st.nargs) {
					a[j] = t.vals[st.args[j].slot][k]
				}
				v[k] = helpers[st.helper].fn(t.sizes[st.args[0].slot], &a) & mask(bits)
			}
		case stepOp:
			var src [4]lanes
			var sb [4]uint8
			for j := range int(st.nargs) {
				src[j], sb[j] = t.operand(st.args[j])
			}
			v = t.eval(st.op, w, bits, src[:st.nargs], sb[:st.nargs])
		}
		t.done[i-t.r.first], t.doneBits[i-t.r.first] = v, bits
	}
	return t.operand(t.r.result)
}

// structural are the predicates that say nothing about values.
var structural = map[string]bool{"is_not_const": true, "is_const": true, "is_used_once": true, "is_reciprocal": true, "is_only_used_by_fadd": true, "is_only_summed": true, "is_only_used_as_float": true, "is_used_by_if": true}

// conditions reports whether the rule's conditions hold of the values.
func (t *trial) conditions(s *ir.Shader, m *matcher) bool {
	for _, q := range t.r.conds {
		p := &preds[q.pred]
		if structural[p.name] || q.slot < 0 {
			continue
		}
		if p.name == "promised16_signed" && int64(int16(t.vals[q.slot][0])) != int64(int32(t.vals[q.slot][0])) ||
			p.name == "promised16_unsigned" && t.vals[q.slot][0] >= 1<<15 ||
			p.name == "promised16_float" && !isHalf(t.vals[q.slot][0]) {
			return false
		}
		mk := func(slot int8) *bind {
			w := max(t.s.width[slot], 1)
			b := &m.slots[slot]
			if b.def == nil || b.def.BitSize != t.sizes[slot] {
				*b = bind{&s.NewConst(t.sizes[slot], make([]uint64, w)...).Def, ir.IdentitySwizzle, w}
			}
			copy(b.def.Instr.Imm, t.vals[slot][:w])
			return b
		}
		b := mk(q.slot)
		var ok bool
		if p.fn2 != nil {
			ok = p.fn2(m, b, mk(q.slot2))
		} else {
			ok = p.fn(m, b)
		}
		if ok == q.not {
			return false
		}
	}
	return true
}

// isHalf reports whether a 32-bit float is a 16-bit one too.
func isHalf(v uint64) bool {
	f := ir.FloatValue(v, 32)
	return ir.FloatValue(ir.FloatBits(f, 16), 16) == f
}

// wraps reports whether a sum breaks the promises in flags.
func wraps(flags uint16, bits uint8, a, b uint64) bool {
	sum := (a + b) & mask(bits)
	sign := uint64(1) << (bits - 1)
	return flags&patNUW != 0 && sum < a || flags&patNSW != 0 && (a^sum)&(b^sum)&sign != 0
}

// tolerance of approximate rules, relative to the largest value met.
func tolerance(bits uint8) (rel, abs float64) {
	switch bits {
	case 16:
		return 0x1p-6, 0x1p-11
	case 32:
		return 0x1p-17, 0x1p-120
	}
	return 0x1p-44, 0x1p-1000
}

// agree compares the results by the rule's promises.
func (t *trial) agree(l, r uint64, bits uint8, class ir.TypeClass) bool {
	if l == r {
		return true
	}
	if class != ir.ClassFloat || bits < 16 {
		return false
	}
	x, y := ir.FloatValue(l, bits), ir.FloatValue(r, bits)
	switch {
	case x != x && y != y:
		return true
	case x == 0 && y == 0:
		return t.flags&patNSZ != 0 || t.r.approx
	case t.r.approx:
		rel, abs := tolerance(bits)
		return math.Abs(x-y) <= rel*math.Max(t.biggest, math.Max(math.Abs(x), math.Abs(y)))+abs
	}
	return false
}

func allFlags(n *node) uint16 {
	f := n.flags
	for i := range int(n.nsrc) {
		f |= allFlags(&nodes[int(n.first)+i])
	}
	return f
}

// pools of interesting values.
type pools struct {
	ints, floats, mild map[uint8][]uint64
}

func makePools() *pools {
	p := &pools{map[uint8][]uint64{}, map[uint8][]uint64{}, map[uint8][]uint64{}}
	rng := rand.New(rand.NewSource(1))
	for _, bits := range []uint8{1, 8, 16, 32, 64} {
		m := mask(bits)
		var v []uint64
		for i := range uint64(34) {
			v = append(v, i&m)
		}
		for i := range bits {
			v = append(v, 1<<i&m, (1<<i-1)&m, -(1<<i)&m)
		}
		v = append(v, m, m>>1, 0x5555555555555555&m, 0xaaaaaaaaaaaaaaaa&m)
		for range 30 {
			v = append(v, rng.Uint64()&m)
		}
		p.ints[bits] = v
		if bits < 16 {
			continue
		}
		var f, mild []uint64
		for _, x := range []float64{0, 1, 0.5, 2, 1.5, 3, 255, 0.25, 4, math.Pi, 1e-3, 100, math.Inf(1), 0.999, 7} {
			f = append(f, ir.FloatBits(x, bits), ir.FloatBits(-x, bits))
		}
		exp := map[uint8]uint{16: 10, 32: 23, 64: 52}[bits]
		f = append(f, ir.FloatBits(math.NaN(), bits), 1, 1<<(bits-1)|1, 1<<exp-1, 1<<exp, 1<<(bits-1)|1<<exp,
			ir.FloatBits(math.Inf(1), bits)-1, ir.FloatBits(math.Inf(-1), bits)-1)
		for range 24 {
			f = append(f, rng.Uint64()&m)
		}
		for range 40 {
			x := math.Ldexp(1+rng.Float64(), rng.Intn(5)-2)
			mild = append(mild, ir.FloatBits(x, bits), ir.FloatBits(-x, bits))
		}
		p.floats[bits], p.mild[bits] = f, append(mild, ir.FloatBits(1, bits), ir.FloatBits(2, bits), ir.FloatBits(0.5, bits))
	}
	return p
}

// pool returns the values to try for a slot.
func (t *trial) pool(p *pools, slot int) []uint64 {
	ts := t.s.slots[slot].find()
	bits := ts.bits
	switch {
	case ts.cls&clsBool != 0 && bits > 1:
		return []uint64{0, mask(bits)}
	case bits == 8 || bits == 1:
		all := make([]uint64, 1<<bits)
		for i := range all {
			all[i] = uint64(i)
		}
		return all
	case ts.cls&clsFloat != 0 && t.r.approx:
		return p.mild[bits]
	case ts.cls&clsFloat != 0:
		return p.floats[bits]
	case ts.cls == clsUint && bits >= 16 && !t.r.approx:
		return append(append([]uint64{}, p.ints[bits]...), p.floats[bits]...)
	}
	return p.ints[bits]
}

// TestRules checks every rule: both sides give the same, for all 8-bit values
// of up to two variables and for many of other sizes and numbers, in the float
// environments that the rule may meet.
func TestRules(t *testing.T) {
	p := makePools()
	total, withSizes := 0, 0
	for i := range rules {
		r := &rules[i]
		s := shapeOf(r)
		if !s.ok {
			t.Errorf("%s: the pattern's sizes contradict", r.name)
			continue
		}
		samples := 0
		s.assignments(func() {
			withSizes++
			n, err := checkRule(r, s, p)
			samples += n
			if err != nil {
				t.Error(err)
			}
		})
		if samples == 0 {
			t.Errorf("%s was never tested: no values satisfy its conditions", r.name)
		}
		total += samples
	}
	t.Logf("%d rules, %d choices of sizes, %d samples", len(rules), withSizes, total)
}

func checkRule(r *rule, s *shape, p *pools) (int, error) {
	s.fix()
	t := &trial{r: r, s: s, flags: allFlags(&nodes[r.root]), root: s.root.find().bits}
	var slots []int
	for k := range s.slots {
		if s.slots[k] != nil {
			t.sizes[k] = s.slots[k].find().bits
			if s.isVar[k] {
				slots = append(slots, k)
			}
		}
	}
	modes := []optab.Mode{{}, {RTZ: 7}}
	if t.flags&patNoFlush == 0 {
		modes = append(modes, optab.Mode{FlushDenorm: 7})
	}
	n := 0
	var err error
	sh := ir.NewShader(ir.StageCompute, nil)
	m := &matcher{root: &ir.Instr{}}
	m.root.Def.BitSize = t.root
	turn := 0
	t.combinations(p, slots, func() bool {
		if !t.conditions(sh, m) {
			return true
		}
		turn++
		for i, mode := range modes {
			if i > 0 && turn > 1000 {
				break
			}
			t.mode = mode
			did, e := t.sample()
			if did {
				n++
			}
			if e != nil {
				err = e
				return false
			}
		}
		return true
	})
	return n, err
}

// sample compares both sides on the slots' values.
func (t *trial) sample() (bool, error) {
	t.nan, t.inf, t.undefined, t.biggest = false, false, false, 0
	root := &nodes[t.r.root]
	width := max(int(root.op.Info().Out.Comps), 1)
	l := t.pattern(root, width)
	if t.undefined || t.nan && (t.flags&patNNaN != 0 || t.r.approx) || t.inf && (t.flags&patNInf != 0 || t.r.approx) {
		return false, nil
	}
	v, bits := t.replacement(width)
	if bits != t.root {
		return false, fmt.Errorf("%s: the replacement has %d bits, the root %d", t.r.name, bits, t.root)
	}
	for c := range width {
		if !t.agree(l[c], v[c], bits, root.op.Info().Out.Class) && !t.agree(l[c], v[c], bits, resultClass(root)) {
			return false, fmt.Errorf("%s at size %d, component %d: %#x is not %#x, mode %+v, values %s", t.r.name, bits, c, v[c], l[c], t.mode, t.show())
		}
	}
	return true, nil
}

// resultClass finds floats after moves of bits: a select of floats gives a
// float although its result is typed as bits.
func resultClass(n *node) ir.TypeClass {
	if n.op == ir.OpBcsel {
		for i := 0; i < 3; i++ {
			c := &nodes[int(n.first)+i]
			if c.kind == patOp && i > 0 {
				return c.op.Info().Out.Class
			}
			if c.kind == patOp && c.op.Info().In[0].Class == ir.ClassFloat {
				return ir.ClassFloat
			}
		}
	}
	return n.op.Info().Out.Class
}

func (t *trial) show() string {
	s := ""
	for k := range t.s.slots {
		if t.s.slots[k] != nil {
			s += fmt.Sprintf("%d:%#x@%d ", k, t.vals[k][:max(1, t.s.width[k])], t.sizes[k])
		}
	}
	return s
}

// combinations sets the slots' values: all combinations if they are few, else
// a sample.
func (t *trial) combinations(p *pools, slots []int, f func() bool) {
	var lists [maxSlots][]uint64
	count, wide := 1, false
	for _, k := range slots {
		lists[k] = t.pool(p, k)
		count *= len(lists[k])
		wide = wide || t.s.width[k] > 1
		if count > 1<<20 {
			count = 1 << 20
		}
	}
	rng := rand.New(rand.NewSource(2))
	eight := true
	for _, k := range slots {
		eight = eight && (t.sizes[k] <= 8 || len(lists[k]) <= 2)
	}
	if (count <= 3000 || eight && count <= 1<<16) && !wide {
		for i := range count {
			x := i
			for _, k := range slots {
				t.set(k, lists[k][x%len(lists[k])])
				x /= len(lists[k])
			}
			if !f() {
				return
			}
		}
		return
	}
	for round := range 2000 {
		for _, k := range slots {
			for c := range 16 {
				t.vals[k][c] = lists[k][rng.Intn(len(lists[k]))]
				if round%8 == 7 { // one number in all components, for conditions that want that
					t.vals[k][c] = t.vals[k][0]
				}
			}
			if t.s.width[k] <= 1 {
				t.set(k, t.vals[k][0])
			}
		}
		if !f() {
			return
		}
	}
}

func (t *trial) set(slot int, v uint64) { t.vals[slot][0] = v }
