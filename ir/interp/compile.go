package interp

import (
	"fmt"

	"nirc/internal/parcopy"
	"nirc/ir"
	"nirc/ir/optab"
)

// inst is one step of a program. dst, a, b, c are places in the wave's values:
// the first lane of a slot.
type inst struct {
	op      opcode
	n, bits uint8
	dst     int32
	a, b, c int32
	imm     uint64
	x       *extra
}

// extra is what the less common instructions need.
type extra struct {
	in    *ir.Instr
	eval  func(m optab.Mode, bits uint8, s *[4]uint64) uint64
	vec   func(m optab.Mode, bits uint8, src [][]uint64, dst []uint64)
	src   [][]int32 // slots of the sources' components
	space space
	from  space // of a copy
	// Memory accesses.
	comp   uint32 // distance of components
	bytes  uint8  // of a component in memory
	mask   uint16
	helper bool // helper lanes take no part
	runs   []run
	io     ir.IOSemantics
	data   []byte // initial bytes of a variable
	tex    *texture
	image  *image
}

type compiler struct {
	p       *Program
	s       *ir.Shader
	opts    Options
	constAt map[uint64]int32
	copies  parcopy.Copies
	// undefs are slots of undefined values by size, numUndefs what was asked of full lists.
	undefs    map[uint8][]int32
	numUndefs int
	vars      map[*ir.Variable]uint32
	fns       map[*ir.Function]*function
	f         *function
	err       error
}

// function is a function being translated, or done.
type function struct {
	fn     *ir.Function
	impl   *ir.Impl
	start  int32
	done   bool
	params [][]int32
	defs   [][]int32 // slots by Def.Index
	ptrs   []*pointer
	regs   map[*ir.Def]*register
}

type register struct {
	first       int32
	comps, elem int
}

// failf notes the first error; in is nil if no instruction is at fault.
func (c *compiler) failf(in *ir.Instr, format string, args ...any) {
	switch {
	case c.err != nil:
	case in == nil:
		c.err = fmt.Errorf("interp: "+format, args...)
	default:
		c.err = fmt.Errorf("interp: %s: %s", c.p.where(in), fmt.Sprintf(format, args...))
	}
}

// refuse is failf for what the interpreter does not support.
func (c *compiler) refuse(in *ir.Instr, format string, args ...any) {
	if c.err == nil {
		c.failf(in, format, args...)
		c.err = ir.Unsupportedf("%v", c.err)
	}
}

func (c *compiler) shader() error {
	entry := c.s.Entry()
	if entry == nil || entry.Impl == nil {
		return fmt.Errorf("interp: the shader has no entry point")
	}
	c.layoutVariables()
	e, err := c.function(entry)
	if err != nil {
		return err
	}
	c.p.entry = e.start
	if pre := c.s.Preamble(); pre != nil && pre.Impl != nil {
		f, err := c.function(pre)
		if err != nil {
			return err
		}
		c.p.preamble = f.start
	}
	if err := c.resumeFunctions(); err != nil {
		return err
	}
	c.finishMemory()
	return c.err
}

// function translates a function and before it those that it calls.
func (c *compiler) function(fn *ir.Function) (*function, error) {
	if f := c.fns[fn]; f != nil {
		if !f.done {
			return nil, ir.Unsupportedf("interp: function %s calls itself: recursion is not supported", fn.Name)
		}
		return f, nil
	}
	f := &function{fn: fn, impl: fn.Impl, regs: map[*ir.Def]*register{}}
	c.fns[fn] = f
	if fn.Impl == nil {
		return nil, fmt.Errorf("interp: function %s has no body", fn.Name)
	}
	if !fn.Impl.Structured {
		return nil, ir.Unsupportedf("interp: function %s is unstructured: gotos are not supported", fn.Name)
	}
	for b := range fn.Impl.Blocks() {
		for in := range b.Instrs() {
			if in.Kind == ir.KindCall {
				if _, err := c.function(in.CallInfo().Callee); err != nil {
					return nil, err
				}
			}
		}
	}
	for _, p := range fn.Params {
		f.params = append(f.params, c.newSlots(int(p.NumComponents)))
	}
	c.f = f
	for _, v := range fn.Impl.Locals {
		c.place(v)
	}
	f.defs = make([][]int32, fn.Impl.NumDefs)
	f.ptrs = make([]*pointer, fn.Impl.NumDefs)
	for b := range fn.Impl.Blocks() {
		for in := range b.Instrs() {
			c.assign(in)
			if c.err != nil {
				return nil, c.err
			}
		}
	}
	f.start = c.pc()
	c.localInits()
	c.list(&fn.Impl.Body)
	c.emit(inst{op: opReturnEnd})
	f.done = true
	return f, c.err
}

func (c *compiler) localInits() {
	for _, v := range c.f.impl.Locals {
		if v.Init != nil {
			data := make([]byte, packed.size(v.Type))
			packed.put(data, v.Type, v.Init, 0, packed.component(v.Type))
			c.emit(inst{op: opInit, imm: uint64(c.vars[v]), x: &extra{data: data}})
		}
	}
}

func (c *compiler) pc() int32 { return int32(len(c.p.code)) }

func (c *compiler) emit(i inst) int32 {
	c.p.code = append(c.p.code, i)
	return c.pc() - 1
}

// newSlots makes n slots next to each other.
func (c *compiler) newSlots(n int) []int32 {
	s := make([]int32, n)
	for i := range s {
		s[i] = int32(c.p.slots * c.p.lanes)
		c.p.slots++
	}
	return s
}

// constant returns a slot that always holds v.
func (c *compiler) constant(v uint64) int32 {
	if s, ok := c.constAt[v]; ok {
		return s
	}
	s := c.newSlots(1)[0]
	c.constAt[v] = s
	c.p.consts = append(c.p.consts, constSlot{s, v})
	return s
}

// maxUndefs is how many undefined values of a size differ.
const maxUndefs = 16

// undef returns a slot of undefined values: the pattern if the options give one, else
// what the wave's garbage has for it.
func (c *compiler) undef(bits uint8) int32 {
	if c.opts.UndefPattern != 0 {
		return c.constant(c.opts.UndefPattern & lowBits(bits))
	}
	list := c.undefs[bits]
	if len(list) < maxUndefs {
		s := c.newSlots(1)[0]
		c.undefs[bits] = append(list, s)
		c.p.undefs = append(c.p.undefs, constSlot{s, lowBits(bits)})
		return s
	}
	c.numUndefs++
	return list[c.numUndefs%maxUndefs]
}

func lowBits(bits uint8) uint64 {
	if bits >= 64 {
		return ^uint64(0)
	}
	return 1<<bits - 1
}

// assign gives an instruction's result its slots.
func (c *compiler) assign(in *ir.Instr) {
	if in.Kind == ir.KindParallelCopy {
		info := in.CopyInfo()
		for i := range info.Entries {
			if e := &info.Entries[i]; e.DstReg == nil {
				c.f.defs[e.Dst.Index] = c.newSlots(int(e.Dst.NumComponents))
			}
		}
		return
	}
	if !in.HasDef() {
		return
	}
	s := c.aliases(in)
	if s == nil {
		s = c.newSlots(int(in.Def.NumComponents))
	}
	c.f.defs[in.Def.Index] = s
}

// aliases are the slots of an instruction whose result needs no code, being a
// constant or values that have slots; nil of others, and after a failure.
func (c *compiler) aliases(in *ir.Instr) (s []int32) {
	n := int(in.Def.NumComponents)
	switch {
	case in.Kind == ir.KindLoadConst:
		for i := range n {
			s = append(s, c.constant(in.Imm[i]&lowBits(in.Def.BitSize)))
		}
	case in.Kind == ir.KindUndef:
		for range n {
			s = append(s, c.undef(in.Def.BitSize))
		}
	case in.IsALU(ir.OpMov):
		for i := range n {
			s = append(s, c.src(in, 0)[in.Srcs[0].Swizzle.Lane(i)])
		}
	case in.IsVec():
		for i := range n {
			s = append(s, c.src(in, i)[in.Srcs[i].Swizzle.Lane(0)])
		}
	case in.Kind == ir.KindDeref:
		s = c.assignDeref(in)
	case in.Kind == ir.KindIntrinsic:
		s = c.intrinsicAliases(in, n)
	}
	return s
}

// intrinsicAliases is aliases for an intrinsic of n components.
func (c *compiler) intrinsicAliases(in *ir.Instr, n int) (s []int32) {
	switch in.Intr {
	case ir.IntrLoadParam:
		i := int(in.Get(ir.IdxParamIdx))
		if i >= len(c.f.params) || len(c.f.params[i]) < n {
			c.failf(in, "function %s has no such parameter %d", c.f.fn.Name, i)
			return nil
		}
		return c.f.params[i][:n]
	case ir.IntrLoadVulkanDescriptor, ir.IntrAsUniform:
		if src := c.src(in, 0); len(src) >= n {
			return src[:n]
		}
	case ir.IntrVulkanResourceIndex:
		s = c.newSlots(1)
		for range n - 1 {
			s = append(s, c.constant(0))
		}
	case ir.IntrVulkanResourceReindex:
		return append(c.newSlots(1), c.src(in, 0)[1:]...)
	case ir.IntrDeclReg:
		comps, elems := int(in.Get(ir.IdxNumComponents)), max(1, int(in.Get(ir.IdxNumArrayElems)))
		r := c.newSlots(comps * elems)
		if len(r) == 0 {
			c.failf(in, "the register has no component")
			return nil
		}
		c.f.regs[&in.Def] = &register{first: r[0], comps: comps, elem: elems}
		return []int32{c.constant(0)}
	}
	return s
}

// src returns the slots of a source's components.
func (c *compiler) src(in *ir.Instr, i int) []int32 {
	return c.f.defs[in.Srcs[i].Def.Index]
}

func (c *compiler) dst(in *ir.Instr) int32 { return c.f.defs[in.Def.Index][0] }

// list translates a list of nodes. Where no lane is left behind an if or a
// loop, execution goes on at the list's end.
func (c *compiler) list(l *ir.List) {
	var dead []int32
	for n := range l.Nodes() {
		switch n := n.(type) {
		case *ir.Block:
			if c.block(n) {
				c.patch(dead)
				return
			}
		case *ir.If:
			dead = append(dead, c.branch(n))
		case *ir.Loop:
			dead = append(dead, c.loop(n))
		}
	}
	c.patch(dead)
}

// patch leads jumps to the next instruction.
func (c *compiler) patch(at []int32) {
	for _, i := range at {
		c.p.code[i].imm = uint64(c.pc())
	}
}

// branch translates an if; the result is the join, whose target is to be set.
func (c *compiler) branch(n *ir.If) int32 {
	cond := c.f.defs[n.Cond.Def.Index]
	head := ir.Prev(n).(*ir.Block)
	start := c.emit(inst{op: opIf, a: cond[0]})
	c.phiCopies(head, n.Then.FirstBlock())
	c.list(&n.Then)
	mid := c.emit(inst{op: opElse})
	c.p.code[start].imm = uint64(mid)
	c.phiCopies(head, n.Else.FirstBlock())
	c.list(&n.Else)
	end := c.emit(inst{op: opEndIf})
	c.p.code[mid].imm = uint64(end)
	return end
}

func (c *compiler) loop(n *ir.Loop) int32 {
	c.emit(inst{op: opLoop})
	head := c.pc()
	c.list(&n.Body)
	c.emit(inst{op: opLoopContinue})
	if !n.Continue.Empty() {
		c.list(&n.Continue)
	}
	return c.emit(inst{op: opLoopEnd, a: head})
}

// block translates a block; true: it ended in a jump.
func (c *compiler) block(b *ir.Block) bool {
	for in := range b.Instrs() {
		switch in.Kind {
		case ir.KindPhi, ir.KindLoadConst, ir.KindUndef:
			continue
		case ir.KindJump:
			for _, s := range b.Succ {
				if s != nil {
					c.phiCopies(b, s)
				}
			}
			c.emit(inst{op: [...]opcode{ir.JumpReturn: opReturn, ir.JumpHalt: opHalt, ir.JumpBreak: opBreak, ir.JumpContinue: opContinue}[in.Jump]})
			return true
		}
		c.instr(in)
		if c.err != nil {
			return true
		}
	}
	if b.FollowingIf() == nil && b.Succ[0] != nil {
		c.phiCopies(b, b.Succ[0])
	}
	return false
}

// phiCopies emits the copies that the phis of block to ask of the edge.
func (c *compiler) phiCopies(from, to *ir.Block) {
	var dst, src []int32
	for phi := range to.Phis() {
		s := phi.PhiSrc(from)
		if s == nil || s.Def == nil {
			continue
		}
		v := c.f.defs[s.Def.Index]
		for i, d := range c.f.defs[phi.Def.Index] {
			if d != v[i] {
				dst, src = append(dst, d), append(src, v[i])
			}
		}
	}
	c.parallel(dst, src)
}

// parallel emits copies between slots that all read before any writes.
func (c *compiler) parallel(dst, src []int32) {
	lanes := int32(c.p.lanes)
	for i := range dst {
		c.copies.Add(dst[i]/lanes, src[i]/lanes, 1)
	}
	c.copies.Flush((*slotWriter)(c))
}

// slotWriter writes parallel copies out, as a compiler, by the numbers of slots.
type slotWriter compiler

// Move copies a slot.
func (w *slotWriter) Move(_ int, dst, src int32, _ uint8) {
	(*compiler)(w).emit(inst{op: opCopy, dst: dst * int32(w.p.lanes), a: src * int32(w.p.lanes)})
}

// Break saves a slot that would be read too late in a new one.
func (w *slotWriter) Break(dst, _ int32, _ uint8) (beside int32, exchanged bool) {
	beside = (*compiler)(w).newSlots(1)[0] / int32(w.p.lanes)
	w.Move(0, beside, dst, 1)
	return beside, false
}
