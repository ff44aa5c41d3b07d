package core

import (
	"errors"
	"fmt"

	"nirc/backend/agx/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

// span is a run of register halves that an instruction touches.
type span struct {
	half    uint16
	n       uint8
	discard bool // its last use
}

// hazards is what the checker needs to know of an instruction.
type hazards struct {
	reads  [7]span
	nreads uint8
	write  span
	// clobber is what a texture instruction may destroy after its result.
	clobber span
	traits  isa.Traits
}

func spanOf(o *isa.Operand) (span, bool) {
	n := o.Halves()
	return span{half: uint16(o.Val), n: uint8(n), discard: o.Flags&isa.Discard != 0}, o.Kind == isa.Reg && n > 0
}

func (x *inst) findHazards() (h hazards) {
	h.traits = x.Op.Traits()
	add := func(s span) {
		h.reads[h.nreads] = s
		h.nreads++
	}
	for i := range x.Srcs {
		if s, ok := spanOf(&x.Srcs[i]); ok {
			add(s)
		}
	}
	if s, ok := spanOf(&x.Dst); ok {
		h.write = s
		if h.traits&isa.TraitExec != 0 {
			add(s)
		}
	}
	switch x.Op {
	case isa.OpTextureSample, isa.OpTextureLoad:
		whole := 4 * uint16(x.Dst.Size) / 16
		if mode, _ := x.Field(isa.TexResidency); mode == 2 { // the code stands after the texel
			h.write.n = uint8(whole + uint16(x.Dst.Size)/16)
			whole *= 2
		}
		end := h.write.half + uint16(h.write.n)
		if top := min(h.write.half+whole, 2*numRegs); top > end {
			h.clobber = span{half: end, n: uint8(top - end)}
		}
	case isa.OpCall:
		h.write = span{half: 2, n: 2}
	}
	return h
}

// pending is the lanes whose result of an asynchronous operation is under
// way; it is void once the clock of its slot has moved on.
type pending struct {
	clock, lanes uint32
}

// checker keeps what the hardware would have under way
// (agx.md §10.1) and the rules of agx.md §6.1, 7.4, 9.2 to 9.4.
type checker struct {
	pend        [2][2 * numRegs]pending
	clock       [2]uint32
	outstanding [2]int
	dead        [2 * numRegs]uint32 // lanes whose value a discard hint destroyed
	fences      uint32              // wait_pix executed
	nest        bool                // r0l was written
	flow        bool                // it is the nesting counter: control flow was executed
	final       bool                // st_var_final or no_var was executed
	images      []imageWrite
	stores      map[uint64]storeNote
	imageFence  uint8 // barriers of images since the last whole set
	dims        []textureDim
}

// textureDim is the dimension by which a descriptor was read.
type textureDim struct {
	d   *emu.Descriptor
	dim isa.Dim
}

// dimension notes by which dimension a descriptor is read; the instructions that read it agree on that, for it is the
// descriptor's.
func (c *checker) dimension(d *emu.Descriptor, dim isa.Dim) error {
	if c == nil {
		return nil
	}
	for i := range c.dims {
		if k := &c.dims[i]; k.d == d {
			if k.dim != dim {
				return fmt.Errorf("a texture is read as %s and as %s", k.dim, dim)
			}
			return nil
		}
	}
	c.dims = append(c.dims, textureDim{d, dim})
	return nil
}

// maxOutstanding is how many operations a scoreboard slot counts.
const maxOutstanding = 8

func newChecker(p *program) *checker {
	c, ok := p.checkPool.Get().(*checker)
	if !ok {
		c = new(checker)
	}
	*c = checker{clock: [2]uint32{1, 1}}
	return c
}

// reset forgets what a preamble did.
func (c *checker) reset(*wave) { *c = checker{clock: [2]uint32{1, 1}} }

func regName(half int) string { return fmt.Sprintf("r%d%c", half>>1, "lh"[half&1]) }

// before checks an instruction that is about to execute.
func (c *checker) before(w *wave, x *inst) error {
	if x.limit != nil {
		return x.limit
	}
	h := &x.chk
	m := w.exec
	if h.traits&isa.TraitLanes != 0 {
		m = w.all
	}
	for i, s := range h.reads[:h.nreads] {
		if x.Op == isa.OpImageWrite && i == 0 {
			s.n = uint8(w.texelHalves(x))
		}
		for u := int(s.half); u < int(s.half)+int(s.n); u++ {
			if slot := c.waits(u, m); slot >= 0 {
				return fmt.Errorf("reads %s while a result is under way, wait %d is missing", regName(u), slot)
			}
			if c.dead[u]&w.exec != 0 {
				return fmt.Errorf("reads %s, which has lost its value: .discard or a texture result took it", regName(u))
			}
		}
	}
	for u := int(h.write.half); u < int(h.write.half)+int(h.write.n); u++ {
		if slot := c.waits(u, w.exec); slot >= 0 {
			return fmt.Errorf("writes %s while a result is under way, wait %d is missing", regName(u), slot)
		}
	}
	if h.traits != 0 {
		return c.rules(w, x)
	}
	return nil
}

// waits returns the slot that a register waits for in some of the lanes, -1
// if none.
func (c *checker) waits(u int, m uint32) int {
	for slot := range c.pend {
		if p := &c.pend[slot][u]; p.clock == c.clock[slot] && p.lanes&m != 0 {
			return slot
		}
	}
	return -1
}

// rules checks instructions with traits.
func (c *checker) rules(w *wave, x *inst) error {
	h := &x.chk
	c.flow = c.flow || h.traits&isa.TraitExec != 0
	switch {
	case h.traits&isa.TraitExec != 0 && !c.nest && !(w.p.meta.PerSample && !w.preamble):
		return errors.New("r0l is not set before the first control-flow instruction")
	case h.traits&isa.TraitAsync != 0 && c.outstanding[x.Slot&1] >= maxOutstanding:
		return fmt.Errorf("more than %d operations are outstanding on slot %d", maxOutstanding, x.Slot)
	}
	switch x.Op {
	case isa.OpThreadgroupBarrier, isa.OpMemoryBarrier:
		for slot, n := range c.outstanding {
			if n > 0 {
				return fmt.Errorf("%d operations are outstanding on slot %d, wait %d is missing", n, slot, slot)
			}
		}
	case isa.OpStTile:
		if c.fences&12 != 12 {
			return errors.New("the tile is stored to before wait_pix 12")
		}
	case isa.OpLdTile:
		if c.fences&8 == 0 {
			return errors.New("the tile is loaded before wait_pix 8")
		}
	case isa.OpStVar, isa.OpStVarFinal, isa.OpNoVar:
		if c.final {
			return errors.New("an output is stored after the final one")
		}
	case isa.OpStop:
		if lane, v := w.waiting(); c.flow && v > 0 {
			return fmt.Errorf("the program ends while lane %d waits for %d levels to close", lane, v)
		}
		if w.p.meta.Stage == ir.StageVertex && !w.preamble && !c.final && w.grid == nil {
			return errors.New("the vertex shader ends without st_var_final or no_var")
		}
	case isa.OpDeviceStore, isa.OpAtomic, isa.OpImageWrite:
		if w.preamble || w.frag == nil || x.Op != isa.OpAtomic && w.dropsStores() {
			return nil
		}
		for lane := 0; lane < w.n; lane++ {
			if w.exec>>lane&1 != 0 && w.frag.cover[lane]&^w.frag.killed[lane] == 0 {
				return fmt.Errorf("lane %d, a helper invocation, writes memory", lane)
			}
		}
	}
	return nil
}

// haltedLanes is the nesting count from which on a lane is not meant to run again.
const haltedLanes = 128

// waiting finds a lane that waits for pops which do not come: the program jumped over them
// or has too few (agx.md §6.2).
func (w *wave) waiting() (lane int, levels uint32) {
	n := w.n
	if w.preamble {
		n = 1
	}
	for lane := range n {
		if v := w.regs[0][lane] & 0xffff; v > 0 && v < haltedLanes {
			return lane, v
		}
	}
	return 0, 0
}

// after records what an instruction that has executed leaves under way.
func (c *checker) after(w *wave, x *inst) {
	h := &x.chk
	for _, s := range h.reads[:h.nreads] {
		if s.discard {
			c.kill(s, w.all)
		}
	}
	for u := int(h.write.half); u < int(h.write.half)+int(h.write.n); u++ {
		c.dead[u] &^= w.exec
		c.nest = c.nest || u == isa.R0L
	}
	if h.clobber.n > 0 {
		c.kill(h.clobber, w.exec)
	}
	if h.traits == 0 {
		return
	}
	if slot := x.Slot & 1; h.traits&isa.TraitAsync != 0 {
		c.outstanding[slot]++
		for u := int(h.write.half); u < int(h.write.half)+int(h.write.n+h.clobber.n); u++ {
			p := &c.pend[slot][u]
			if p.clock != c.clock[slot] {
				*p = pending{clock: c.clock[slot]}
			}
			p.lanes |= w.exec
		}
	}
	switch x.Op {
	case isa.OpWait:
		c.clock[x.Slot&1]++
		c.outstanding[x.Slot&1] = 0
	case isa.OpMemoryBarrier:
		if c.memoryBarrier(x.Imm); x.Imm == deviceBarrier {
			w.l.Races.Fence()
		}
		if c.imageFence |= imageBarriers.Get()[x.Imm]; c.imageFence&(sawImage1|sawImage2) == sawImage1|sawImage2 {
			c.imageFence = 0
			w.l.Races.FenceImages()
		}
	case isa.OpWaitPix:
		c.fences |= x.Imm
	case isa.OpStVarFinal, isa.OpNoVar:
		c.final = true
	}
}

func (c *checker) kill(s span, lanes uint32) {
	for u := int(s.half); u < int(s.half)+int(s.n); u++ {
		c.dead[u] |= lanes
	}
}
