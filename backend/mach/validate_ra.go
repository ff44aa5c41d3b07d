package mach

import "fmt"

// Checker proves a register allocation right, independently of the allocator:
// it remembers the function as it was in SSA form and later follows, by a
// forward dataflow over the allocated code, which value each register unit
// holds. Every use must read the value that it read before, and nothing may be moved
// after a terminator, where control may have left already. What shared registers hold
// is followed along physical edges too.
type Checker struct {
	f      *Func
	blocks []checkBlock
	// defIn[v] is the generic instruction (copy, collect, split, undef) that makes
	// v from other values, as it was, or nil.
	defIn []*Instr
	base  [maxFiles]int
	units int
}

type checkBlock struct {
	phis []*Instr // the live objects: registers appear in them
	ins  []checkInstr
}

// checkInstr is a target's instruction as it was before allocation.
type checkInstr struct {
	in  *Instr
	ops []Operand
}

// content is what a unit holds: value<<6 | unit of the value; 0 unknown.
type content uint32

const (
	unknown    content = 0
	unitBits           = 6
	anyContent content = ^content(0) // an undefined value, equal to anything
)

// NewChecker remembers f as it is, to be called right before Allocate.
func NewChecker(f *Func) *Checker {
	c := &Checker{f: f, blocks: make([]checkBlock, len(f.Blocks)), defIn: make([]*Instr, len(f.vals))}
	for i := range f.files {
		c.base[i] = c.units
		c.units += f.files[i].Units
	}
	for b := range f.Blocks {
		cb := &c.blocks[b]
		for _, in := range f.Blocks[b].Instrs {
			switch in.Op {
			case OpPhi:
				cb.phis = append(cb.phis, in)
			case OpCopy, OpCollect, OpSplit, OpUndef, OpPcopy:
				c.noteDefs(in)
			default:
				cb.ins = append(cb.ins, checkInstr{in, append([]Operand(nil), in.Ops...)})
			}
		}
	}
	return c
}

// noteDefs keeps a copy of the instruction as what defines its values.
func (c *Checker) noteDefs(in *Instr) {
	was := *in
	was.Ops = append([]Operand(nil), in.Ops...)
	for _, d := range was.Defs() {
		if d.Val != 0 {
			c.defIn[d.Val] = &was
		}
	}
}

// canon follows unit k of v through copies, collects and splits to where it comes from.
func (c *Checker) canon(v Value, k int) content {
	for {
		in := c.defIn[v]
		if in == nil {
			return content(v)<<unitBits | content(k)
		}
		switch in.Op {
		case OpUndef:
			return anyContent
		case OpCopy:
			v = in.Uses()[0].Val
		case OpPcopy:
			for i := range in.Defs() {
				if in.Ops[i].Val == v {
					v = in.Uses()[i].Val
					break
				}
			}
		case OpSplit:
			for i := range in.Defs() {
				if in.Ops[i].Val == v {
					k += i * c.f.Size(v)
					break
				}
			}
			v = in.Uses()[0].Val
		case OpCollect:
			i := 0
			for ; k >= c.f.Size(in.Uses()[i].Val); i++ {
				k -= c.f.Size(in.Uses()[i].Val)
			}
			v = in.Uses()[i].Val
		}
		if v == 0 {
			return anyContent
		}
	}
}

// Check follows the allocated code and reports the first thing that is wrong.
// It may run after Allocate and again after LowerCopies.
func (c *Checker) Check() error {
	n := len(c.f.Blocks)
	outs := make([][]content, n)
	work := []BlockID{0}
	queued := make([]bool, n)
	reach := make([]bool, n)
	cur := make([]content, c.units)
	for len(work) > 0 {
		b := work[0]
		work = work[1:]
		queued[b] = false
		reach[b] = true
		c.entry(b, outs, cur)
		if err := c.run(b, cur, false); err != nil {
			return err
		}
		if outs[b] != nil && same(outs[b], cur) {
			continue
		}
		if outs[b] == nil {
			outs[b] = make([]content, c.units)
		}
		copy(outs[b], cur)
		for _, succs := range [...][]BlockID{c.f.Blocks[b].Succs, c.f.Blocks[b].PhysSuccs} {
			for _, s := range succs {
				if !queued[s] {
					queued[s] = true
					work = append(work, s)
				}
			}
		}
	}
	for b := range n {
		if !reach[b] {
			continue
		}
		c.entry(BlockID(b), outs, cur)
		if err := c.run(BlockID(b), cur, true); err != nil {
			return err
		}
	}
	return nil
}

func same(a, b []content) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// entry computes what the units hold at the start of block b: what all
// predecessors seen so far agree on, after the phis.
func (c *Checker) entry(b BlockID, outs [][]content, cur []content) {
	first := true
	clear(cur)
	edge := make([]content, c.units)
	for k, p := range c.f.Blocks[b].Preds {
		if outs[p] == nil {
			continue
		}
		copy(edge, outs[p])
		for _, phi := range c.blocks[b].phis {
			c.phi(phi, k, outs[p], edge)
		}
		if first {
			copy(cur, edge)
			first = false
			continue
		}
		for i := range cur {
			if cur[i] != edge[i] {
				cur[i] = unknown
			}
		}
	}
	for _, p := range c.f.Blocks[b].PhysPreds {
		if outs[p] != nil {
			c.physical(outs[p], cur)
		}
	}
}

// physical meets what shared registers hold where control comes from elsewhere.
func (c *Checker) physical(out, cur []content) {
	for k := range c.f.files {
		if !c.f.files[k].Shared {
			continue
		}
		for i := c.base[k]; i < c.base[k]+c.f.files[k].Units; i++ {
			if cur[i] != out[i] {
				cur[i] = unknown
			}
		}
	}
}

// phi renames the phi's source from predecessor k to the phi's value.
func (c *Checker) phi(phi *Instr, k int, out, edge []content) {
	d := &phi.Ops[0]
	if d.Reg == NoReg || d.Flags&Dead != 0 {
		return
	}
	at := c.base[c.f.File(d.Val)] + int(d.Reg)
	src := phi.Uses()[k].Val
	for i := range c.f.Size(d.Val) {
		edge[at+i] = unknown
		if want := anyContent; src != 0 {
			want = c.canon(src, i)
			if want != anyContent && out[at+i] != want {
				continue
			}
		}
		edge[at+i] = content(d.Val)<<unitBits | content(i)
	}
}

// run follows the instructions of block b; with verify it reports errors.
func (c *Checker) run(b BlockID, cur []content, verify bool) error {
	next, left := 0, false
	for at, in := range c.f.Blocks[b].Instrs {
		switch in.Op {
		case OpPhi, OpUndef, OpNone:
			continue
		}
		if left && in.Op < FirstTargetOp {
			return fmt.Errorf("mach: block %d: instruction %d moves values after a terminator", b, at)
		}
		switch in.Op {
		case OpMove, OpCopy, OpPcopy, OpCollect, OpSplit:
			if err := c.copies(b, at, in, cur, verify); err != nil {
				return err
			}
			continue
		case OpSwap:
			c.swap(in, cur)
			continue
		}
		if verify {
			want := c.blocks[b].ins
			if next >= len(want) || want[next].in != in {
				return fmt.Errorf("mach: block %d: instruction %d is not the one that stood there before allocation", b, at)
			}
			if err := c.instr(b, at, &want[next], cur); err != nil {
				return err
			}
			next++
		}
		left = left || c.f.Props(in)&PropTerminator != 0
		for i := range in.Defs() {
			c.define(&in.Ops[i], cur)
		}
	}
	if verify && next != len(c.blocks[b].ins) {
		return fmt.Errorf("mach: block %d: %d instructions are missing after allocation", b, len(c.blocks[b].ins)-next)
	}
	return nil
}

func (c *Checker) define(d *Operand, cur []content) {
	if d.Val == 0 || d.Reg == NoReg {
		return
	}
	at := c.base[c.f.File(d.Val)] + int(d.Reg)
	for i := range c.f.Size(d.Val) {
		cur[at+i] = c.canon(d.Val, i)
	}
}

// reads reports a use whose register does not hold its value.
func (c *Checker) reads(b BlockID, at int, u *Operand, cur []content) error {
	if u.Val == 0 {
		return nil
	}
	if err := c.legal(b, at, u); err != nil {
		return err
	}
	r := c.base[c.f.File(u.Val)] + int(u.Reg)
	for i := range c.f.Size(u.Val) {
		if want := c.canon(u.Val, i); want != anyContent && cur[r+i] != want {
			return fmt.Errorf("mach: block %d, instruction %d: register unit %d does not hold unit %d of value %d but value %d",
				b, at, int(u.Reg)+i, i, u.Val, cur[r+i]>>unitBits)
		}
	}
	return nil
}

// legal reports an operand outside of its class.
func (c *Checker) legal(b BlockID, at int, o *Operand) error {
	class := c.f.Class(o.Val)
	if o.Reg == NoReg || int(o.Reg)+c.f.Size(o.Val) > c.f.limit(class) || int(o.Reg)&(int(c.f.classes[class].Align)-1) != 0 {
		return fmt.Errorf("mach: block %d, instruction %d: value %d may not be at register unit %d", b, at, o.Val, o.Reg)
	}
	return nil
}

// instr checks a target's instruction: the operands are those of before, the
// sources hold their values, and fixed, tied and early operands are what they ask for.
func (c *Checker) instr(b BlockID, at int, want *checkInstr, cur []content) error {
	in := want.in
	for i := range in.Ops {
		o, w := &in.Ops[i], &want.ops[i]
		if o.Val != w.Val || w.Flags&Fixed != 0 && o.Reg != w.Reg {
			return fmt.Errorf("mach: block %d, instruction %d: operand %d is not what it was", b, at, i)
		}
		if o.Val == 0 {
			continue
		}
		if i >= int(in.NDefs) {
			if err := c.reads(b, at, o, cur); err != nil {
				return err
			}
			continue
		}
		if err := c.legal(b, at, o); err != nil {
			return err
		}
		if o.Flags&Tied != 0 && in.Uses()[o.Tie].Reg != o.Reg {
			return fmt.Errorf("mach: block %d, instruction %d: result %d is not in the register of source %d", b, at, i, o.Tie)
		}
		for j := range in.Ops {
			if j == i || j >= int(in.NDefs) && (o.Flags&Early == 0 || o.Flags&Tied != 0 && j == int(in.NDefs)+int(o.Tie)) {
				continue
			}
			if c.overlap(o, &in.Ops[j]) {
				return fmt.Errorf("mach: block %d, instruction %d: operands %d and %d share registers", b, at, i, j)
			}
		}
	}
	return nil
}

func (c *Checker) overlap(a, b *Operand) bool {
	if b.Val == 0 || c.f.File(a.Val) != c.f.File(b.Val) {
		return false
	}
	return int(a.Reg) < int(b.Reg)+c.f.Size(b.Val) && int(b.Reg) < int(a.Reg)+c.f.Size(a.Val)
}

// copies follows a copying instruction: the destination holds afterwards what
// the source held, all sources being read first.
func (c *Checker) copies(b BlockID, at int, in *Instr, cur []content, verify bool) error {
	if verify {
		for i := range in.Uses() {
			if err := c.reads(b, at, &in.Uses()[i], cur); err != nil {
				return err
			}
		}
	}
	old := append([]content(nil), cur...)
	put := func(d, u *Operand, dOff, uOff, n int) {
		if d.Reg == NoReg || u.Reg == NoReg || d.Val == 0 && d.Size == 0 {
			return
		}
		dc, _ := c.f.operandShape(d)
		uc, _ := c.f.operandShape(u)
		to := c.base[c.f.classes[dc].File] + int(d.Reg) + dOff
		from := c.base[c.f.classes[uc].File] + int(u.Reg) + uOff
		copy(cur[to:to+n], old[from:from+n])
	}
	uses := in.Uses()
	switch in.Op {
	case OpCollect:
		off := 0
		for i := range uses {
			_, n := c.f.operandShape(&uses[i])
			put(&in.Ops[0], &uses[i], off, 0, n)
			off += n
		}
	case OpSplit:
		_, n := c.f.operandShape(&uses[0])
		n /= int(in.NDefs)
		for i := range in.Defs() {
			put(&in.Ops[i], &uses[0], 0, i*n, n)
		}
	default:
		for i := range in.Defs() {
			_, n := c.f.operandShape(&in.Ops[i])
			put(&in.Ops[i], &uses[i], 0, 0, n)
		}
	}
	return nil
}

func (c *Checker) swap(in *Instr, cur []content) {
	x, y := &in.Ops[0], &in.Ops[1]
	a := c.base[c.f.classes[x.Class].File] + int(x.Reg)
	b := c.base[c.f.classes[y.Class].File] + int(y.Reg)
	for i := range int(x.Size) {
		cur[a+i], cur[b+i] = cur[b+i], cur[a+i]
	}
}
