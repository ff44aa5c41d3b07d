package midgard

import (
	"slices"

	"nirc/backend/midgard/isa"
	"nirc/internal/slab"
)

// coalescer removes moves before registers are given: readers of a copy read
// what was copied, and what only a move reads is made where the move would put it, be
// that an input of the load/store or texture pipe.
type coalescer struct {
	f     *function
	defs  []int32 // by virtual register: instructions that write it
	reads []int32 // sources that read it
	// fixed are the physical registers that nothing writes: uniforms.
	fixed [numPhysical]bool
	users [][]*inst // by virtual register: who reads it, in f's order
	block []int32   // by virtual register: the block of its readers, manyBlocks if several
	first []int32   // by virtual register: where the current block first writes it
	count []int32   // by virtual register: how often the current block writes it
}

// reach bounds how far a move and what makes its value may be apart.
const reach = 192

const manyBlocks = -2

// forwardCopies lets the readers of copies read the originals, and removes the
// copies. Nothing else dies: readers read of an original what they read of its copy.
func (f *function) forwardCopies() {
	c := newCoalescer(f)
	for b := range f.blocks {
		for i, in := range f.blocks[b].list {
			c.forward(b, i, in)
		}
	}
	for b := range f.blocks {
		list := f.blocks[b].list
		f.blocks[b].list = slices.DeleteFunc(list, c.unread)
	}
}

// unread reports whether an instruction is a copy that nothing reads.
func (c *coalescer) unread(in *inst) bool {
	return in.dst.virtual() && c.reads[index(in.dst)] == 0 && in.isMove()
}

// coalesce lets values be made where moves would put them; the instructions must
// not be fused yet. Where nothing is dead before, nothing is dead after it: moves
// that are removed were all that read their sources, and bring all of those.
func (f *function) coalesce() {
	c := newCoalescer(f)
	for b := range f.blocks {
		c.blockBackward(b)
	}
}

func newCoalescer(f *function) *coalescer {
	n := len(f.nodes)
	c := &f.memory().coal
	c.f, c.defs, c.reads, c.block = f, slab.Zeroed(c.defs, n), slab.Zeroed(c.reads, n), slab.Resized(c.block, n)
	c.first, c.count, c.users = slab.Zeroed(c.first, n), slab.Zeroed(c.count, n), slab.Resized(c.users, n)
	for k := range c.users {
		c.users[k] = c.users[k][:0]
	}
	for i := range c.fixed {
		c.fixed[i] = i < isa.RegPipe0
	}
	for i := range c.block {
		c.block[i] = -1
	}
	var buf [maxUses]liveReg
	for b := range f.blocks {
		for _, in := range f.blocks[b].list {
			if in.dst.virtual() && in.mask != 0 {
				c.defs[index(in.dst)]++
			} else if in.dst < numPhysical {
				c.fixed[in.dst] = false
			}
			for _, u := range in.uses(buf[:0]) {
				if u.r.virtual() {
					c.note(index(u.r), in, int32(b))
				}
			}
		}
	}
	// Fragment results and the second colour leave in r0 to r2.
	c.fixed[0], c.fixed[1], c.fixed[2] = false, false, false
	return c
}

// note notes that an instruction of block b reads the virtual register k.
func (c *coalescer) note(k uint32, in *inst, b int32) {
	c.reads[k]++
	if u := c.users[k]; len(u) == 0 || u[len(u)-1] != in {
		c.users[k] = append(u, in)
	}
	switch c.block[k] {
	case -1:
		c.block[k] = b
	case b:
	default:
		c.block[k] = manyBlocks
	}
}

// stays reports whether a register has one value wherever a copy of it is read.
func (c *coalescer) stays(r reg) bool {
	if r.virtual() {
		return c.defs[index(r)] == 1
	}
	return r < numPhysical && c.fixed[r]
}

// forward lets the readers of a copy read the original.
func (c *coalescer) forward(b, at int, m *inst) {
	d := m.dst
	if !d.virtual() || !m.isMove() || c.defs[index(d)] != 1 || c.reads[index(d)] == 0 {
		return
	}
	s := m.src[1]
	if s.reg == regConst || s.reg == regNone || s.reg == d {
		return
	}
	if !c.stays(s.reg) && !c.holds(b, at, m) || !c.readable(m) {
		return
	}
	for _, u := range c.users[index(d)] {
		u.eachSource(func(o *source, _ uint8) {
			if o.reg != d {
				return
			}
			o.reg = s.reg
			for i := range o.swz {
				o.swz[i] = s.swz[o.swz[i]&3]
			}
		})
		if s.reg.virtual() {
			k := index(s.reg)
			c.users[k] = append(c.users[k], u)
			c.reads[k]++
			if c.block[k] != c.block[index(d)] {
				c.block[k] = manyBlocks
			}
		}
	}
	c.reads[index(d)] = 0
}

// readable reports whether all readers of a copy can read the original instead:
// lanes that are not of 32 bits must lie together.
func (c *coalescer) readable(m *inst) bool {
	ok := true
	for _, u := range c.users[index(m.dst)] {
		if u.src[0].half|u.src[1].half|u.cond.half == partFull && u.wo == nil {
			continue
		}
		u.eachSource(func(o *source, lanes uint8) {
			if o.reg != m.dst || o.half == partFull {
				return
			}
			moved := *o
			for i := range moved.swz {
				moved.swz[i] = m.src[1].swz[o.swz[i]&3]
			}
			k := moved.components(lanes)
			ok = ok && (k&3 == 0 || k&12 == 0) && (o.half != partByte || k&(k-1) == 0)
		})
	}
	return ok
}

// holds reports whether a copied register keeps its value up to the last reader of
// the copy, all of them in the block.
func (c *coalescer) holds(b, at int, m *inst) bool {
	d, s := m.dst, m.src[1]
	if c.block[index(d)] != int32(b) {
		return false
	}
	left := len(c.users[index(d)])
	list := c.f.blocks[b].list
	read := s.components(m.mask)
	for k := at + 1; k < len(list) && k-at < reach; k++ {
		in := list[k]
		reads := false
		in.eachSource(func(o *source, _ uint8) { reads = reads || o.reg == d })
		if reads {
			if left--; left == 0 {
				return true
			}
		}
		if in.dst == s.reg && in.mask&read != 0 {
			return false
		}
	}
	return false
}

// blockBackward lets what makes values put them where moves want them. Moves
// are looked at from the last on: a value may go through several.
func (c *coalescer) blockBackward(b int) {
	list := c.f.blocks[b].list
	for _, in := range list {
		for _, r := range [2]reg{in.dst, in.src[1].reg} {
			if r.virtual() {
				c.first[index(r)], c.count[index(r)] = -1, 0
			}
		}
	}
	for i, in := range list {
		if in.dst.virtual() && in.mask != 0 {
			k := index(in.dst)
			if c.count[k]++; c.first[k] < 0 {
				c.first[k] = int32(i)
			}
		}
	}
	for i := len(list) - 1; i >= 0; i-- {
		if in := list[i]; in != nil && c.backward(list, i, in) {
			list[i] = nil
		}
	}
	kept := 0
	for _, in := range list {
		if in != nil {
			list[kept] = in
			kept++
		}
	}
	c.f.blocks[b].list = list[:kept]
}

// backward makes the instructions that make the source of a move write its
// destination; true if the move is no longer needed.
func (c *coalescer) backward(list []*inst, at int, m *inst) bool {
	s := &m.src[1]
	if !m.isMove() || !s.reg.virtual() || s.reg == m.dst || m.dst == regNone || m.dst == regCond {
		return false
	}
	if !m.dst.virtual() && (m.dst < regLd0 || m.dst > regTexIn1) {
		return false
	}
	k := index(s.reg)
	if c.reads[k] != 1 || c.count[k] != c.defs[k] || c.count[k] == 0 {
		return false
	}
	first := int(c.first[k])
	if first >= at || at-first > reach {
		return false
	}
	lane, ok := lanesOf(m)
	if !ok {
		return false
	}
	if !c.free(list[first:at], m, &lane) {
		c.sink(list, first, at, &lane)
		return false
	}
	for _, in := range list[first:at] {
		if in != nil && in.dst == s.reg && in.mask != 0 {
			c.retarget(in, m, &lane)
		}
	}
	if m.dst.virtual() {
		d := index(m.dst)
		c.defs[d] += c.defs[k] - 1
		c.count[d] += c.count[k] - 1
		if c.first[d] < 0 || int(c.first[d]) > first {
			c.first[d] = int32(first)
		}
	}
	c.defs[k], c.count[k], c.reads[k] = 0, 0, 0
	return true
}

// retarget lets one of the instructions that make the source of a move write its destination.
func (c *coalescer) retarget(in, m *inst, lane *[4]uint8) {
	pinned := c.f.node(in.dst).first
	if pinned && m.dst.virtual() {
		c.f.node(m.dst).first = true
	}
	if pinned {
		in.dst = m.dst // at the same components; its swizzle is of the operand
	} else {
		in.redirect(m.dst, lane)
	}
}

const noLane = 4

// lanesOf returns, by component of a move's source, the one lane that reads it.
func lanesOf(m *inst) (lane [4]uint8, ok bool) {
	lane = [4]uint8{noLane, noLane, noLane, noLane}
	for i := range uint8(4) {
		if m.mask>>i&1 == 0 {
			continue
		}
		c := m.src[1].swz[i]
		if lane[c] != noLane {
			return lane, false
		}
		lane[c] = i
	}
	return lane, true
}

// free reports whether the destination of a move can be written from where its
// source is first made on; list is what stands between.
func (c *coalescer) free(list []*inst, m *inst, lane *[4]uint8) bool {
	s := m.src[1].reg
	pinned := c.f.node(s).first
	for i, in := range list {
		if in == nil {
			continue
		}
		defines := in.dst == s && in.mask != 0
		switch {
		case defines && !in.redirects(lane, pinned):
			return false
		case !defines && in.dst == m.dst && in.mask&m.mask != 0:
			return false
		}
		if i == 0 {
			continue // reads before it writes
		}
		hit := false
		in.reads(func(r reg, comps uint8) { hit = hit || r == m.dst && comps&m.mask != 0 })
		if hit {
			return false
		}
	}
	return true
}

// redirects reports whether the instruction can write its result's components to other lanes; pinned: it can write
// another register only.
func (in *inst) redirects(lane *[4]uint8, pinned bool) bool {
	if in.kind == kindTex || in.half != partFull && in.half < partByte || in.keep != 0 || in.kind == kindLdSt && in.spill != 0 {
		return false
	}
	for k := range uint8(4) {
		if in.mask>>k&1 == 0 {
			continue
		}
		if lane[k] == noLane || pinned && lane[k] != k {
			return false
		}
		// Words of 64 bits stay together, what is cut from these in its half.
		if in.half >= partWide && (in.half == partCut || lane[k]&1 != k&1 || lane[k&^1]>>1 != lane[k|1]>>1) {
			return false
		}
	}
	return true
}

// redirect makes the instruction write another register, component k of its
// result to component lane[k].
func (in *inst) redirect(dst reg, lane *[4]uint8) {
	mask, from := uint8(0), [4]uint8{}
	lead := uint8(noLane)
	for k := range uint8(4) {
		if in.mask>>k&1 != 0 {
			mask |= 1 << lane[k]
			from[lane[k]] = k
			if lead == noLane {
				lead = k
			}
		}
	}
	for i := range from {
		if mask>>i&1 == 0 {
			from[i] = lead // lanes that are not written read what another does
		}
	}
	in.dst, in.mask = dst, mask
	switch in.kind {
	case kindALU:
		if in.half == partByte {
			return // its lanes are those of the component, wherever that is
		}
		if !in.op.Is(isa.Reduce) {
			in.src[0], in.src[1] = in.src[0].place(from), in.src[1].place(from)
		}
		if in.hasCond && in.op.Is(isa.SelectVector) {
			in.cond = in.cond.place(from)
		}
	case kindLdSt:
		z := in.ld.Swizzle
		in.ld.Swizzle = isa.Swz(z.Lane(int(from[0])), z.Lane(int(from[1])), z.Lane(int(from[2])), z.Lane(int(from[3])))
	}
}
