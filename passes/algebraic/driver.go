package algebraic

import (
	"fmt"
	"math/bits"
	"slices"
	"sync"

	"nirc/ir"
)

// Env is what a run may ask for.
type Env struct {
	// Step is asked before each rewrite; nil allows all.
	Step func() bool
	// Hits counts the firings of rules by number, if it is long enough.
	Hits []uint32
}

// The engine keeps an instruction's state in its Flags: beside the worklist's
// bit how many rewrites led to it, and the last rule of those.
const (
	depthShift  = 1
	depthMask   = 0x7f
	ruleShift   = 8
	maxDepth    = 100
	growthLimit = 64 // rewrites an instruction of the input, on average
)

// engine is one run over a function.
type engine struct {
	m       matcher
	b       builder
	env     Env
	tries   *choice
	queue   ir.InstrWorklist
	dead    []*ir.Instr
	left    int // rewrites until the run is given up
	choices [numSections]choices
}

// Run applies the rules of a section to a function until none fires. An error
// says which rules undo each other. Metadata but control flow is stale after
// progress; the caller calls Preserve.
func Run(impl *ir.Impl, section Section, env Env) (progress bool, err error) {
	e := engines.Get().(*engine)
	defer engines.Put(e)
	e.env = env
	e.tries = e.choices[section].of(section, impl.Shader.Options)
	return e.run(impl)
}

// engines are kept from run to run: on a small shader, asking each rule
// whether the target wants it costs more than the rewriting.
var engines = sync.Pool{New: func() any { return new(engine) }}

// choices are those of a section for the options that came last, the latest first: who compiles for
// several targets comes back to each of them.
type choices []*choice

// maxChoices bounds them.
const maxChoices = 8

// choice is the candidates of a section whose rules a target's options enable.
type choice struct {
	options ir.Options
	list    []try
	start   [ir.NumOps + 1]int32 // where in list those of an operation begin
	// outlined remembers which of an operation's list an outline leaves, byKeys which the keys of the root's sources do.
	outlined []outlined
	byKeys   []keyedCands
	shift    uint // of a hash, for its place in these
	most     uint // the logarithm of how many outlines are remembered at most
	missed   int  // outlines since these have their size
}

// try is a candidate with what the first two sources must be, k0 in the low
// half: those bits of mask that the sources' keys have otherwise rule it out.
type try struct {
	key, mask uint32
	cand      *cand
}

// of returns the candidates of a section for these options.
func (l *choices) of(section Section, o *ir.Options) *choice {
	list := *l
	for i, c := range list {
		if c.options == *o {
			copy(list[1:i+1], list[:i])
			list[0] = c
			return c
		}
	}
	c := new(choice)
	if len(list) == maxChoices {
		c, list = list[maxChoices-1], list[:maxChoices-1]
	}
	enabled := make([]bool, len(rules))
	for i := range rules {
		r := &rules[i]
		enabled[i] = r.section == section && (r.option == nil || r.option(o))
	}
	c.options = *o
	c.fill(enabled)
	*l = slices.Insert(list, 0, c)
	return c
}

// fill lists the candidates of the rules that are enabled.
func (c *choice) fill(enabled []bool) {
	n := 0
	for op := range byOp {
		for i := range byOp[op] {
			if enabled[byOp[op][i].rule] {
				n++
			}
		}
	}
	c.list = slices.Grow(c.list[:0], n)
	for op := range byOp {
		c.start[op] = int32(len(c.list))
		for i := range byOp[op] {
			if k := &byOp[op][i]; enabled[k.rule] {
				c.list = append(c.list, k.try())
			}
		}
	}
	c.start[ir.NumOps] = int32(len(c.list))
	c.forget()
}

// forget empties what is remembered. A section of few candidates remembers few.
func (c *choice) forget() {
	c.most, c.missed = min(uint(bits.Len(uint(4*len(c.list)))), outlinedBits), 0
	if c.outlined != nil {
		clear(c.outlined)
		clear(c.byKeys)
		return
	}
	c.resize(min(c.most, firstBits))
}

// resize gives room for 1<<room outlines, with those that are remembered. It begins with few: places in a table are as if
// drawn, so each outline of a small shader would touch a page of its own, which a run over one shader pays for.
func (c *choice) resize(room uint) {
	outlines, keys := c.outlined, c.byKeys
	c.outlined, c.byKeys, c.shift, c.missed = make([]outlined, 1<<room), make([]keyedCands, 1<<room/2), 64-room, 0
	for _, f := range outlines {
		if f.outline != (outline{}) {
			*c.place(f.outline) = f
		}
	}
	for _, f := range keys {
		if f.key != 0 {
			*c.keyPlace(f.key) = f
		}
	}
}

func (c *cand) try() try {
	k := [2]uint16{c.k0, c.k1}
	if c.flip(&nodes[rules[c.rule].root]) != 0 {
		k[0], k[1] = k[1], k[0]
	}
	t := try{cand: c}
	for i, k := range k {
		if k != keyAny {
			t.key |= uint32(k) << (16 * i)
			t.mask |= 0xffff << (16 * i)
		}
	}
	return t
}

// run applies the enabled rules.
func (e *engine) run(impl *ir.Impl) (progress bool, err error) {
	s := impl.Shader
	e.m.flush = s.Info.FloatControls
	e.b.m, e.b.s, e.b.mode = &e.m, s, ir.ModeOf(s.Info.FloatControls)
	e.queue.Reset()
	for blk := range impl.Blocks() {
		for in := blk.First(); in != nil; in = in.Next() {
			in.Flags = 0
			if in.Kind == ir.KindALU {
				e.queue.Push(in)
			}
		}
	}
	e.left = growthLimit*e.queue.Len() + 1000
	for in := e.queue.Next(); in != nil; in = e.queue.Next() {
		if in.Block == nil || in.Def.Unused() {
			continue
		}
		did, err := e.visit(in)
		progress = progress || did
		if err != nil {
			return progress, err
		}
	}
	return progress, nil
}

// visit tries all candidates on in and applies the first that matches.
func (e *engine) visit(in *ir.Instr) (bool, error) {
	if e.tries.start[in.Op] == e.tries.start[in.Op+1] {
		return false, nil
	}
	list := e.tries.candidates(in.Op, outlineOf(in))
	e.m.root = in
	for i := range list {
		p := &list[i]
		if !p.plausible(in) || !e.m.match(p.cand) {
			continue
		}
		if e.env.Step != nil && !e.env.Step() {
			return false, nil
		}
		return true, e.apply(in, int(p.cand.rule))
	}
	return false, nil
}

// apply rewrites the matched root by the rule.
func (e *engine) apply(in *ir.Instr, n int) error {
	depth, last := in.Flags>>depthShift&depthMask, in.Flags>>ruleShift
	e.left--
	if depth >= maxDepth || e.left < 0 {
		return fmt.Errorf("algebraic rules %s and %s undo each other or never end at %s", rules[n].name, rules[max(last, 1)-1].name, in.Op)
	}
	if n < len(e.env.Hits) {
		e.env.Hits[n]++
	}
	v := e.b.replace(&rules[n])
	if v.def == &in.Def {
		return nil // a cycle without entry: unreachable code
	}
	state := (depth+1)<<depthShift | uint32(n+1)<<ruleShift
	for _, x := range e.b.made {
		x.Flags = state
		e.push(x)
	}
	e.replaceUses(in, v)
	e.remove(in)
	return nil
}

func (e *engine) push(in *ir.Instr) {
	if in.Kind == ir.KindALU {
		e.queue.Push(in)
	}
}

// replaceUses makes users of in's result use v. ALU users read through v's
// swizzle; for the others a mov shapes v, unless it has the right shape.
func (e *engine) replaceUses(in *ir.Instr, v value) {
	n := int(in.Def.NumComponents)
	same := int(v.def.NumComponents) == n && v.swz.Same(ir.IdentitySwizzle, n)
	var shaped *ir.Def
	for u := range in.Def.Uses() {
		if u.Instr != nil {
			e.push(u.Instr)
		}
		switch {
		case same:
			u.Set(v.def)
		case u.Instr != nil && u.Instr.Kind == ir.KindALU:
			u.Swizzle = u.Swizzle.Compose(v.swz)
			u.Set(v.def)
		default:
			if shaped == nil {
				mov := e.b.s.NewALU(ir.OpMov, uint8(n), v.def.BitSize, v.def)
				mov.Srcs[0].Swizzle = v.swz
				mov.Loc = in.Loc
				ir.Before(in).Insert(mov)
				shaped = &mov.Def
			}
			u.Set(shaped)
		}
	}
}

// remove deletes in and what only it used, and looks again at the users of
// values that now have one use.
func (e *engine) remove(in *ir.Instr) {
	e.dead = append(e.dead[:0], in)
	for len(e.dead) > 0 {
		x := e.dead[len(e.dead)-1]
		e.dead = e.dead[:len(e.dead)-1]
		for i := range x.Srcs {
			d := x.Srcs[i].Def
			if d == nil {
				continue
			}
			x.Srcs[i].Set(nil)
			switch {
			case d.Unused():
				if k := d.Instr.Kind; k == ir.KindALU || k == ir.KindLoadConst {
					e.dead = append(e.dead, d.Instr)
				}
			case d.UsedOnce() && d.Instr.Kind == ir.KindALU:
				if u := d.FirstUse(); u.Instr != nil {
					e.push(u.Instr)
				}
			}
		}
		x.Remove()
	}
}
