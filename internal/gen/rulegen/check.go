package main

import (
	"fmt"
	"sort"

	"nirc/ir"
	"nirc/ir/optab"
)

// size is a variable of the unification of bit sizes.
type size struct {
	up   *size
	bits uint8
}

func (s *size) find() *size {
	for s.up != nil {
		s = s.up
	}
	return s
}

// unify makes a and b the same size; false if they contradict.
func unify(a, b *size) bool {
	a, b = a.find(), b.find()
	switch {
	case a == b:
		return true
	case a.bits != 0 && b.bits != 0 && a.bits != b.bits:
		return false
	case a.bits == 0:
		a.up = b
	default:
		b.up = a
	}
	return true
}

// checked is a rule with what checking found out.
type checked struct {
	*rule
	slots  []string          // variables and labels by slot
	vars   map[string]*varOf // variables
	sizes  map[*term]*size
	root   *size
	comm   []*term // commutative nodes worth swapping
	widths map[*term]uint8
}

type varOf struct {
	slot    int
	size    *size
	isConst bool
	width   uint8
}

// Limits that the engine's tables have (maxSlots, maxSteps, cand.swap).
const (
	maxSlots = 12
	maxComm  = 5
)

func check(r *rule) (*checked, error) {
	c := &checked{rule: r, vars: map[string]*varOf{}, sizes: map[*term]*size{}, widths: map[*term]uint8{}}
	rootWidth := rootWidth(r.pat)
	var err error
	if c.root, err = c.pattern(r.pat, rootWidth); err != nil {
		return nil, err
	}
	if len(c.slots) > maxSlots {
		return nil, r.errorf("more than %d variables", maxSlots)
	}
	if len(c.comm) > maxComm {
		return nil, r.errorf("more than %d commutative operations", maxComm)
	}
	before := c.snapshot()
	s, err := c.replacement(r.repl, rootWidth, r.pat.op.Info().Out.Class)
	if err != nil {
		return nil, err
	}
	if !unify(s, c.root) {
		return nil, r.errorf("the replacement has %d bits, the pattern %d", s.find().bits, c.root.find().bits)
	}
	if err := c.compare(before); err != nil {
		return nil, err
	}
	if err := c.inferred(r.repl); err != nil {
		return nil, err
	}
	if err := c.conditions(); err != nil {
		return nil, err
	}
	if was, is := patternCost(r.pat, true), c.replacementCost(r.repl, map[string]bool{}); is > was && !r.grows {
		return nil, r.errorf("the replacement costs %d, the pattern that goes away %d: mark the rule grows, or what is used once", is, was)
	}
	return c, nil
}

// rootWidth returns how many components a pattern's root has, 0 if any. Below
// operations that work per component, one with a fixed result fixes all.
func rootWidth(t *term) uint8 {
	if t.kind != kOp {
		return 0
	}
	info := t.op.Info()
	if info.Out.Comps != 0 {
		return info.Out.Comps
	}
	for i, a := range t.args {
		if w := rootWidth(a); info.In[i].Comps == 0 && w != 0 {
			return w
		}
	}
	return 0
}

// pattern gives sizes to a pattern. width is 0 where the root's counts.
func (c *checked) pattern(t *term, width uint8) (*size, error) {
	c.widths[t] = width
	s := &size{bits: t.bits}
	c.sizes[t] = s
	switch t.kind {
	case kVar:
		v := c.vars[t.name]
		if v == nil {
			v = &varOf{slot: len(c.slots), size: s, width: width}
			c.vars[t.name] = v
			c.slots = append(c.slots, t.name)
		}
		v.isConst = v.isConst || t.isNum
		if v.width != width {
			return nil, c.errorf("%s stands for vectors of different widths", t.name)
		}
		if !unify(v.size, s) {
			return nil, c.errorf("%s has two sizes", t.name)
		}
	case kOp:
		return s, c.patternOp(t, width, s)
	}
	return s, nil
}

// makes checks that an operation makes as many components as are due.
func (c *checked) makes(t *term, width uint8) error {
	if n := t.op.Info().Out.Comps; n != 0 && n != width {
		return c.errorf("%s makes %d components where %d are due", t.op, n, width)
	}
	return nil
}

func (c *checked) patternOp(t *term, width uint8, dest *size) error {
	info := t.op.Info()
	if err := c.makes(t, width); err != nil {
		return err
	}
	if t.label != "" {
		if c.vars[t.label] != nil {
			return c.errorf("$%s stands twice", t.label)
		}
		c.vars[t.label] = &varOf{slot: len(c.slots), size: dest, width: width}
		c.slots = append(c.slots, t.label)
	}
	if err := c.operands(t, dest, func(a *term, in optab.T) (*size, error) {
		w := width
		if in.Comps != 0 {
			w = in.Comps
		} else if info.Out.Comps != 0 {
			w = info.Out.Comps
		}
		return c.pattern(a, w)
	}); err != nil {
		return err
	}
	if info.Props&optab.Commutative != 0 && !sameTerm(t.args[0], t.args[1]) && !c.bothPlain(t) {
		c.comm = append(c.comm, t)
	}
	return nil
}

// bothPlain reports whether a node's first two sources are variables that
// nothing else tells apart, so that swapping them matches nothing new.
func (c *checked) bothPlain(t *term) bool {
	for _, a := range t.args[:2] {
		if a.kind != kVar || a.isNum || a.bits != 0 || count(c.pat, a.name) > 1 {
			return false
		}
		for _, q := range c.conds {
			if q.arg == a.name || q.arg2 == a.name {
				return false
			}
		}
	}
	return true
}

// count returns how often a variable occurs in a term.
func count(t *term, name string) int {
	n := 0
	if t.kind == kVar && t.name == name {
		n = 1
	}
	for _, a := range t.args {
		n += count(a, name)
	}
	return n
}

// operands unifies the sizes of an operation's operands.
func (c *checked) operands(t *term, dest *size, arg func(*term, optab.T) (*size, error)) error {
	info := t.op.Info()
	w := &size{}
	for i, a := range t.args {
		s, err := arg(a, info.In[i])
		if err != nil {
			return err
		}
		if err := c.place(a, info.In[i].Class); err != nil {
			return err
		}
		want := w
		if b := info.In[i].Bits; b != 0 {
			want = &size{bits: b}
		}
		if !unify(s, want) {
			return c.errorf("source %d of %s has %d bits where %d are due", i, t.op, s.find().bits, want.find().bits)
		}
	}
	out := w
	if info.Out.Bits != 0 {
		out = &size{bits: info.Out.Bits}
	}
	if !unify(dest, out) {
		return c.errorf("%s has %d bits where %d are due", t.op, out.find().bits, dest.find().bits)
	}
	return nil
}

// place tests that a literal suits the class of its place.
func (c *checked) place(t *term, class optab.Class) error {
	switch {
	case t.kind == kInt && class == optab.ClassFloat:
		return c.errorf("an integer stands where a float is due: write %d.0", int64(t.val))
	case t.kind == kFloat && (class == optab.ClassInt || class == optab.ClassBool):
		return c.errorf("a float stands where an integer is due")
	}
	return nil
}

func (c *checked) replacement(t *term, width uint8, class optab.Class) (*size, error) {
	if w, seen := c.widths[t]; seen && w != width {
		return nil, c.errorf("a part of the replacement is used at two widths")
	}
	c.widths[t] = width
	s := &size{bits: t.bits}
	c.sizes[t] = s
	switch t.kind {
	case kVar:
		v := c.vars[t.name]
		if v == nil {
			return nil, c.errorf("%s is not in the pattern", t.name)
		}
		if t.comp != 0 && (v.width == 0 || t.comp > max(v.width, 1)) {
			return nil, c.errorf("%s has no such component", t.name)
		}
		if t.comp == 0 && v.width != width {
			return nil, c.errorf("%s is %d wide where %d are due", t.name, v.width, width)
		}
		if !unify(s, v.size) {
			return nil, c.errorf("%s has two sizes", t.name)
		}
	case kInt, kFloat:
		if err := c.place(t, class); err != nil {
			return nil, err
		}
	case kHelper:
		for _, a := range t.args {
			v := c.vars[a.name]
			if v == nil || !v.isConst {
				return nil, c.errorf("helper %s: %s is not a constant of the pattern", t.name, a.name)
			}
			if v.width != width {
				return nil, c.errorf("helper %s: %s is %d wide where %d are due", t.name, a.name, v.width, width)
			}
		}
	case kOp:
		return s, c.replacementOp(t, width, s)
	}
	return s, nil
}

func (c *checked) replacementOp(t *term, width uint8, dest *size) error {
	if err := c.makes(t, width); err != nil {
		return err
	}
	if len(t.args) > 4 {
		return c.errorf("%s has more than 4 sources", t.op)
	}
	return c.operands(t, dest, func(a *term, in optab.T) (*size, error) {
		w := width
		if in.Comps != 0 {
			w = in.Comps
		}
		return c.replacement(a, w, in.Class)
	})
}

// known is the size of a pattern's value as the pattern alone gives it.
type known struct {
	name string
	s    *size
	rep  *size
	bits uint8
}

func (c *checked) snapshot() []known {
	list := []known{{"the result", c.root, c.root.find(), c.root.find().bits}}
	names := make([]string, 0, len(c.vars))
	for n := range c.vars {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		s := c.vars[n].size
		list = append(list, known{n, s, s.find(), s.find().bits})
	}
	return list
}

// compare makes sure that the replacement asks of sizes no more than the
// pattern grants: nothing else is tested when the rule runs.
func (c *checked) compare(before []known) error {
	for i, k := range before {
		if b := k.s.find().bits; k.bits == 0 && b != 0 {
			return c.errorf("the replacement needs %s to be %d bits: write @%d in the pattern", k.name, b, b)
		}
		for _, o := range before[:i] {
			if k.rep != o.rep && k.bits == 0 && o.bits == 0 && k.s.find() == o.s.find() {
				return c.errorf("the replacement needs %s and %s to have one size, the pattern does not say so", o.name, k.name)
			}
		}
	}
	return nil
}

// sizeCode returns what the engine's tables call the size of a replacement's
// value, or false if nothing gives it.
func (c *checked) sizeCode(s *size) (uint8, bool) {
	s = s.find()
	switch {
	case s.bits != 0:
		return s.bits, true
	case s == c.root.find():
		return sizeRoot, true
	}
	for i, n := range c.slots {
		if v := c.vars[n]; v != nil && v.size.find() == s {
			return sizeSlot + uint8(i), true
		}
	}
	return 0, false
}

const (
	sizeRoot = 100
	sizeSlot = 128
)

func (c *checked) inferred(t *term) error {
	if t.kind == kOp || t.kind == kHelper || t.kind == kInt || t.kind == kFloat {
		if code, ok := c.sizeCode(c.sizes[t]); !ok {
			return c.errorf("nothing gives the size of %s in the replacement", show(t))
		} else if t.kind == kInt && code < sizeRoot && !fits(t.val, code) {
			return c.errorf("%s does not fit %d bits", show(t), code)
		}
	}
	if t.kind == kOp {
		for _, a := range t.args {
			if err := c.inferred(a); err != nil {
				return err
			}
		}
	}
	return nil
}

func fits(v uint64, bits uint8) bool {
	return bits == 64 || v>>bits == 0 || int64(v) < 0 && int64(v) >= -1<<(bits-1)
}

func (c *checked) conditions() error {
	for _, q := range c.conds {
		if q.arg == "" || q.arg == "root" {
			continue
		}
		if c.vars[q.arg] == nil || q.arg2 != "" && c.vars[q.arg2] == nil {
			return c.errorf("condition %s: no such variable", q)
		}
	}
	return nil
}

// slotOf returns the slot of a variable or label, -1 of the root.
func (c *checked) slotOf(name string) int {
	if v := c.vars[name]; v != nil {
		return v.slot
	}
	return -1
}

// costOf is roughly how dear an operation is; moves of bits are free.
func costOf(op ir.Op) int {
	switch op {
	case ir.OpMov, ir.OpVec2, ir.OpVec3, ir.OpVec4, ir.OpPack64_2x32Split, ir.OpUnpack64_2x32SplitX, ir.OpUnpack64_2x32SplitY,
		ir.OpFneg, ir.OpFabs, ir.OpB2i8, ir.OpB2i16, ir.OpB2i32, ir.OpB2i64, ir.OpB2f16, ir.OpB2f32, ir.OpB2f64:
		return 1
	case ir.OpIdiv, ir.OpUdiv, ir.OpIrem, ir.OpImod, ir.OpUmod:
		return 40
	case ir.OpFdiv, ir.OpFpow, ir.OpFmod, ir.OpFrem, ir.OpFlrp:
		return 10
	case ir.OpFrcp, ir.OpFrsq, ir.OpFsqrt, ir.OpFexp2, ir.OpFlog2, ir.OpFsin, ir.OpFcos:
		return 8
	case ir.OpImul, ir.OpUmulHigh, ir.OpImulHigh, ir.OpFfma, ir.OpImad:
		return 3
	}
	return 2
}

// patternCost is the cost of what dies with the root: itself and sources that
// are used once.
func patternCost(t *term, root bool) int {
	if t.kind != kOp || !root && !t.has("once") {
		return 0
	}
	n := costOf(t.op)
	for _, a := range t.args {
		n += patternCost(a, false)
	}
	return n
}

// replacementCost is the cost of what is built; operations on constants are
// evaluated at once and cost nothing.
func (c *checked) replacementCost(t *term, seen map[string]bool) int {
	if t.kind != kOp || seen[show(t)] || c.constant(t) {
		return 0
	}
	seen[show(t)] = true
	n := costOf(t.op)
	for _, a := range t.args {
		n += c.replacementCost(a, seen)
	}
	return n
}

// constant reports whether a term of the replacement is known when it is built.
func (c *checked) constant(t *term) bool {
	switch t.kind {
	case kVar:
		return c.vars[t.name].isConst
	case kOp:
		for _, a := range t.args {
			if !c.constant(a) {
				return false
			}
		}
	}
	return true
}

// show prints a term so that equal terms print alike.
func show(t *term) string {
	at := ""
	if t.bits != 0 {
		at = fmt.Sprintf("@%d", t.bits)
	}
	switch t.kind {
	case kVar:
		s := t.name
		if t.comp != 0 {
			s += "." + string("xyzw"[t.comp-1])
		}
		return s + at
	case kInt:
		return fmt.Sprintf("%d%s", int64(t.val), at)
	case kFloat:
		return fmt.Sprintf("f%x%s", t.val, at)
	case kHelper:
		s := "{" + t.name
		for _, a := range t.args {
			s += " " + show(a)
		}
		return s + "}" + at
	}
	s := "(" + t.op.String() + at
	for _, f := range t.flags {
		s += "." + f
	}
	for _, a := range t.args {
		s += " " + show(a)
	}
	return s + ")"
}

func sameTerm(a, b *term) bool { return show(a) == show(b) }
