// Package algebraic rewrites ALU instructions by rules: (iadd a 0) => a. The
// rules are text, in rules/*.rules; internal/gen/rulegen checks them and
// compiles them to the tables in rules_gen.go, which the engine here
// interprets: for each operation a list of candidate rules, filtered by what
// makes the first two sources before a pattern is walked.
//
// Nothing here knows a single rule, nothing here decides when rules run (that
// is the passes' business), and no rewrite ever looks across control flow: a
// pattern is a tree of ALU instructions and constants, wherever they stand.
package algebraic

import "nirc/ir"

//go:generate go run nirc/internal/gen/rulegen

// Kinds of pattern nodes.
const (
	patVar   uint8 = iota // any value
	patConst              // a value of known constants
	patInt                // the integer val in all components
	patFloat              // the float with the bits val (as float64) in all components
	patOp                 // the result of an operation
)

// Flags of a pattern node: what must not be, or must be, of the instruction.
const (
	patInexact uint16 = 1 << iota
	patOnce           // the value has one use
	patNSZ            // signed zeros need not be preserved
	patNInf
	patNNaN
	patNoFlush // the shader does not ask that denormals of the size flush
	patNSW     // no signed wrap is promised
	patNUW     // no unsigned wrap is promised
)

// node is a node of a pattern. The sources of an operation stand next to each
// other from first on.
type node struct {
	kind  uint8
	bits  uint8 // required size of the value, 0 any
	flags uint16
	comm  uint8 // 1 + bit in a candidate's swap mask, 0 if the sources stay in order
	nsrc  uint8
	slot  int8 // where the value is bound, -1 nowhere
	op    ir.Op
	first uint16
	val   uint64
}

// Kinds of steps that build a replacement.
const (
	stepOp uint8 = iota
	stepInt
	stepFloat
	stepHelper // constants computed from bound constants
)

// Sizes of a step's result beyond the literal ones.
const (
	sizeRoot uint8 = 100 // that of the matched root
	sizeSlot uint8 = 128 // + slot: that of a bound value
)

// Flags of a step.
const (
	stepExact   uint8 = 1 << iota // always exact
	stepInexact                   // never exact
)

// ref is an operand of a step, or a whole replacement: an earlier step or a
// bound value (slot), of it all components or component comp-1.
type ref struct {
	slot, step int8 // one of them is -1
	comp       uint8
}

// step builds one value of a replacement.
type step struct {
	kind   uint8
	flags  uint8
	size   uint8
	width  uint8 // components, 0: as many as the root
	nargs  uint8
	helper uint8
	op     ir.Op
	val    uint64
	args   [4]ref
}

// cond is a condition on a bound value.
type cond struct {
	pred  uint8
	slot  int8 // -1: the root
	slot2 int8 // of a predicate of two values
	not   bool
}

// Section is a set of rules that run together.
type Section uint8

// Sections.
const (
	Main              Section = iota
	Late                      // after the optimisation loop
	Flrp                      // lowering of flrp
	Frexp                     // lowering of frexp_sig and frexp_exp
	DistributeSrcMods         // moves negations and absolutes towards sources
	BeforeInt64               // before 64-bit integers are written in halves
	BeforeFfma                // before products and sums are fused
	numSections
)

// rule is a rule without its pattern's orders.
type rule struct {
	name        string
	section     Section
	approx      bool // the result may differ by rounding
	option      func(o *ir.Options) bool
	root        uint16 // into nodes
	conds       []cond
	first, last uint16 // into steps
	result      ref
}

// cand is a rule with a choice of orders of its commutative nodes. k0 and k1
// are what must make the root's sources (after swapping): a key or 0 for anything.
type cand struct {
	rule   uint16
	swap   uint8
	k0, k1 uint16
}

// Keys of values. An ALU instruction's key is keyOp + its operation.
const (
	keyAny   uint16 = 0
	keyConst uint16 = 1
	keyOp    uint16 = 2
	keyOther uint16 = 0xffff
)

type predicate struct {
	name string
	fn   func(m *matcher, b *bind) bool
	fn2  func(m *matcher, b, c *bind) bool
}

type helper struct {
	name string
	fn   func(bits uint8, v *[3]uint64) uint64
}

// NumRules is the number of rules; rule numbers are below.
func NumRules() int { return len(rules) }

// RuleName returns the name of a rule: that of its line, or file:line.
func RuleName(i int) string { return rules[i].name }
