package passes

import (
	"slices"
	"sync"

	"nirc/internal/slab"
	"nirc/ir"
	"nirc/ir/optab"
)

var optCopyPropVarsPass = &Pass{
	Name: "opt_copy_prop_vars", Withstands: ChangeFacts, For: ir.HasAccess, Idle: accessesOnce, Class: "B", Run: optCopyPropVars, Optional: true,
	Doc: "Forwards the known contents of variables to loads, and drops stores of what is there. What was copied whole is read where it was copied from. What was stored to a robust buffer is not known: out of bounds it is gone.",
}

// optCopyPropVars forwards what is known of variables' contents along the
// tree: a load of what was just stored or loaded is that value, and a store of
// what is there already goes.
func optCopyPropVars(_ *Context, s *ir.Shader) (bool, error) {
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) bool {
		impl.Require(ir.MetaBlockIndex)
		c := copyProps.Get().(*copyProp)
		*c = copyProp{impl: impl, robust: s.Options.Robust, writes: slab.Zeroed(c.writes, int(impl.NumBlocks)), known: c.known[:0], saved: c.saved[:0]}
		if s.Contents()&(ir.HasIf|ir.HasLoop) != 0 {
			c.collect(&impl.Body)
		}
		c.list(&impl.Body)
		progress := c.progress
		clear(c.writes)
		clear(c.known[:c.most])
		c.most = 0
		c.impl = nil
		copyProps.Put(c)
		return progress
	}), nil
}

// copyProps keeps the memory of runs that are over. What is known is an array of maxKnown at most.
var copyProps = sync.Pool{New: func() any { return new(copyProp) }}

// trackedModes are the modes whose contents only change by what this
// invocation does, up to barriers.
const trackedModes = ir.ModeFunctionTemp | ir.ModeShaderTemp | ir.ModeShaderOut | ir.ModeShared | ir.ModeSSBO | ir.ModeGlobal

// maxKnown bounds the objects remembered at a time; the oldest go first.
const maxKnown = 128

// maxKnownComps is the widest vector whose components are remembered; kernels have wider ones, rarely.
const maxKnownComps = 4

// known is an object and the values of its components, nil where unknown.
type known struct {
	object
	vals [maxKnownComps]knownComp
	// copied is what the whole object is a copy of, or nil.
	copied *ir.Instr
}

type knownComp struct {
	def  *ir.Def
	comp uint8
}

type copyProp struct {
	impl   *ir.Impl
	robust ir.Robust
	// writes is what each if and loop may write, by the block before it.
	writes   []writeSet
	known    []known
	most     int     // the most that were known at a time
	saved    []known // what is known before the ifs and loops around
	progress bool
}

func (c *copyProp) list(l *ir.List) {
	for n := l.First(); n != nil; n = ir.Next(n) {
		switch x := n.(type) {
		case *ir.Block:
			for in := range x.Instrs() {
				c.instr(in)
			}
		case *ir.If:
			n := c.save()
			c.list(&x.Then)
			c.restore(n)
			c.list(&x.Else)
			c.drop(n)
			c.killWrites(x)
		case *ir.Loop:
			c.killWrites(x)
			n := c.save()
			c.list(&x.Body)
			c.restore(n)
			if !x.Continue.Empty() {
				c.list(&x.Continue)
			}
			c.drop(n)
		}
	}
}

// save puts aside what is known and returns how much it is.
func (c *copyProp) save() int {
	c.saved = append(c.saved, c.known...)
	return len(c.known)
}

// restore brings back the n objects put aside last, drop for the last time.
func (c *copyProp) restore(n int) {
	c.known = append(c.known[:0], c.saved[len(c.saved)-n:]...)
}

func (c *copyProp) drop(n int) {
	c.restore(n)
	n = len(c.saved) - n
	clear(c.saved[n:])
	c.saved = c.saved[:n]
}

// maxWrites bounds the derefs of a writeSet; beyond, their modes stand for them.
const maxWrites = 32

// writeSet is what a part of the code may write.
type writeSet struct {
	modes  ir.Mode
	derefs []*ir.Instr
}

func (w *writeSet) addDeref(d *ir.Instr) {
	m := d.DerefInfo().Modes
	if m&^w.modes == 0 || slices.Contains(w.derefs, d) {
		return
	}
	if len(w.derefs) == maxWrites {
		w.modes |= m
		return
	}
	w.derefs = append(w.derefs, d)
}

func (w *writeSet) merge(v *writeSet) {
	w.modes |= v.modes
	for _, d := range v.derefs {
		w.addDeref(d)
	}
}

// collect fills in writes for the ifs and loops of a list and returns what the
// list may write.
func (c *copyProp) collect(l *ir.List) (w writeSet) {
	for n := l.First(); n != nil; n = ir.Next(n) {
		var inner writeSet
		switch x := n.(type) {
		case *ir.Block:
			for in := x.First(); in != nil; in = in.Next() {
				m, d := writes(in)
				w.modes |= m
				if d != nil {
					w.addDeref(d)
				}
			}
			continue
		case *ir.If:
			inner = c.collect(&x.Then)
			other := c.collect(&x.Else)
			inner.merge(&other)
		case *ir.Loop:
			inner = c.collect(&x.Body)
			other := c.collect(&x.Continue)
			inner.merge(&other)
		}
		w.merge(&inner)
		c.writes[ir.Prev(n).(*ir.Block).Index] = inner
	}
	return w
}

// killWrites forgets what an if or a loop may write.
func (c *copyProp) killWrites(n ir.Node) {
	w := &c.writes[ir.Prev(n).(*ir.Block).Index]
	if w.modes != 0 {
		c.killModes(w.modes)
	}
	for _, d := range w.derefs {
		c.killDeref(d)
	}
}

// kill forgets what an instruction may write.
func (c *copyProp) kill(in *ir.Instr) {
	switch modes, d := writes(in); {
	case d != nil:
		c.killDeref(d)
	case modes != 0:
		c.killModes(modes)
	}
}

// writes returns the modes that an instruction may write, or the deref if it
// writes through one only.
func writes(in *ir.Instr) (ir.Mode, *ir.Instr) {
	switch in.Kind {
	case ir.KindCall:
		return ^ir.Mode(0), nil
	case ir.KindIntrinsic:
	default:
		return 0, nil
	}
	switch in.Intr {
	case ir.IntrStoreDeref, ir.IntrCopyDeref, ir.IntrMemcpyDeref, ir.IntrDerefAtomic, ir.IntrDerefAtomicSwap:
		return 0, in.Srcs[0].Def.Instr
	case ir.IntrBarrier:
		return ir.Mode(in.Get(ir.IdxMemoryModes)), nil
	case ir.IntrEmitVertex, ir.IntrEmitVertexWithCounter:
		return ir.ModeShaderOut, nil
	}
	if in.Intr.Info().Flags&optab.CanEliminate == 0 {
		return ^(ir.ModeFunctionTemp | ir.ModeShaderTemp | ir.ModeShaderOut), nil
	}
	return 0, nil
}

// killDeref forgets what a write through d may change.
func (c *copyProp) killDeref(d *ir.Instr) {
	if len(c.known) > 0 {
		p := newObject(d)
		c.killObject(&p)
	}
}

func (c *copyProp) killObject(p *object) {
	c.keep(func(k *known) bool {
		return k.compare(p) == noAlias && (k.copied == nil || compareDerefs(k.copied, p.deref) == noAlias)
	})
}

func (c *copyProp) killModes(m ir.Mode) {
	c.keep(func(k *known) bool {
		return k.deref.DerefInfo().Modes&m == 0 && (k.copied == nil || k.copied.DerefInfo().Modes&m == 0)
	})
}

// keep forgets all that f does not hold of.
func (c *copyProp) keep(f func(*known) bool) {
	n := 0
	for i := range c.known {
		if !f(&c.known[i]) {
			continue
		}
		if n < i {
			c.known[n] = c.known[i]
		}
		n++
	}
	c.known = c.known[:n]
}

// find returns what is known of an object, or nil.
func (c *copyProp) find(p *object) *known {
	for i := len(c.known) - 1; i >= 0; i-- {
		if k := &c.known[i]; k.copied == nil && k.equal(p) {
			return k
		}
	}
	return nil
}

func (c *copyProp) add(p *object) *known {
	if len(c.known) >= maxKnown {
		c.known = append(c.known[:0], c.known[maxKnown/2:]...)
	}
	c.known = append(c.known, known{object: *p})
	c.most = max(c.most, len(c.known))
	return &c.known[len(c.known)-1]
}

func (c *copyProp) instr(in *ir.Instr) {
	if in.IsIntrinsic(ir.IntrCopyDeref) {
		c.copy(in)
		return
	}
	if in.Kind != ir.KindIntrinsic || in.Intr != ir.IntrLoadDeref && in.Intr != ir.IntrStoreDeref {
		c.kill(in)
		return
	}
	d := derefOf(in.Srcs[0].Def)
	if d == nil || !isLeafType(d.DerefInfo().Type) || valueBits(in) != d.DerefInfo().Type.Bits || ir.Access(in.Get(ir.IdxAccess))&ir.AccessVolatile != 0 {
		c.kill(in)
		return
	}
	m := d.DerefInfo().Modes
	if m&^trackedModes != 0 || d.DerefInfo().Type.Rows > maxKnownComps || ir.Access(in.Get(ir.IdxAccess))&ir.AccessCoherent != 0 {
		c.kill(in)
		return
	}
	switch {
	case in.Intr == ir.IntrLoadDeref:
		if from := c.source(d, in); from != nil {
			in.Srcs[0].Set(&from.Def)
			c.progress = true
			c.instr(in)
			return
		}
		c.load(in, d)
	case c.robust.Of(m) != ir.RobustOff:
		c.kill(in) // out of bounds, a load gives zeros after it
	default:
		c.store(in, d)
	}
}

func (c *copyProp) load(in, d *ir.Instr) {
	n := int(in.Def.NumComponents)
	p := newObject(d)
	k := c.find(&p)
	if k == nil {
		k = c.add(&p)
	}
	var defs [maxKnownComps]*ir.Def
	var comps [maxKnownComps]int
	complete := true
	for i := 0; i < n; i++ {
		if k.vals[i].def == nil {
			k.vals[i] = knownComp{&in.Def, uint8(i)}
			complete = false
		}
		defs[i], comps[i] = k.vals[i].def, int(k.vals[i].comp)
	}
	if !complete {
		for i := 0; i < n; i++ {
			k.vals[i] = knownComp{&in.Def, uint8(i)}
		}
		return
	}
	v := vecOf(builderBefore(in), defs[:n], comps[:n])
	in.Def.RewriteUses(v)
	for i := range c.known {
		for j := range c.known[i].vals {
			if kc := &c.known[i].vals[j]; kc.def == &in.Def {
				kc.def = v
			}
		}
	}
	in.Remove()
	c.progress = true
}

func (c *copyProp) store(in, d *ir.Instr) {
	val := in.Srcs[1].Def
	mask := in.Get(ir.IdxWriteMask)
	n := int(val.NumComponents)
	var vals [maxKnownComps]knownComp
	p := newObject(d)
	if k := c.find(&p); k != nil {
		vals = k.vals
		same := true
		for i := 0; i < n; i++ {
			if mask>>i&1 != 0 && vals[i] != (knownComp{val, uint8(i)}) {
				same = false
			}
		}
		if same {
			in.Remove()
			c.progress = true
			return
		}
	}
	c.killObject(&p)
	for i := 0; i < n; i++ {
		if mask>>i&1 != 0 {
			vals[i] = knownComp{val, uint8(i)}
		}
	}
	c.add(&p).vals = vals
}
