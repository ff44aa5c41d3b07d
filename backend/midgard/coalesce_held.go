package midgard

import (
	"math"

	"nirc/backend/midgard/isa"
	"nirc/internal/emu"
)

// heldLane is what a component of a texture input holds: a component of a register that has one value, or a constant.
type heldLane struct {
	reg  reg // regNone: not known
	comp uint8
	con  uint32
}

// dropHeld removes moves to the texture pipe's inputs of what they hold already: they stay as they are until they are written
// (midgard.md §1.2).
func (f *function) dropHeld() {
	var c *coalescer
	for b := range f.blocks {
		list := f.blocks[b].list
		var held [2][4]heldLane
		for k := range held {
			for i := range held[k] {
				held[k][i].reg = regNone
			}
		}
		kept := list[:0]
		for _, in := range list {
			if in.mask == 0 || in.dst != regTexIn0 && in.dst != regTexIn1 {
				kept = append(kept, in)
				continue
			}
			if c == nil {
				c = newCoalescer(f)
			}
			if lanes := c.hold(in, &held[in.dst-regTexIn0]); lanes != in.mask {
				in.mask, f.settled = lanes, false
				in.inlines()
			}
			if in.mask != 0 && !c.joinMove(kept, in) {
				kept = append(kept, in)
			}
		}
		f.blocks[b].list = kept
	}
}

// hold notes what an instruction writes to an input, and returns the lanes that the input does not hold yet.
func (c *coalescer) hold(in *inst, held *[4]heldLane) (lanes uint8) {
	s := &in.src[1]
	known := in.kind == kindALU && in.half == partFull && !in.hasCond && s.half == partFull && s.mod == 0 &&
		(in.op == isa.OpImov || in.op == isa.OpFmov && in.out == isa.OutNone) && (in.imm || s.reg == regConst || s.inRegister() && c.stays(s.reg))
	for i := range held {
		if in.mask>>i&1 == 0 {
			continue
		}
		v := heldLane{reg: regNone}
		if known {
			v = heldLane{reg: s.reg, comp: s.swz[i]}
			if s.reg == regConst || in.imm {
				v = heldLane{reg: regConst, con: in.constant(i)}
			}
		}
		if v.reg == regNone || v != held[i] {
			lanes |= 1 << i
		}
		held[i] = v
	}
	return lanes
}

// constant is what lane i of a move of constants gets.
func (in *inst) constant(i int) uint32 {
	switch {
	case !in.imm:
		return in.src[1].con[i]
	case in.op == isa.OpFmov:
		return math.Float32bits(emu.HalfToFloat(in.con))
	}
	return uint32(int32(int16(in.con)))
}

// joinMove lets an earlier move to an input bring what a move from the same register brings, where the input's other components are not
// read or written in between; true if it does.
func (c *coalescer) joinMove(list []*inst, in *inst) bool {
	s := &in.src[1]
	if !in.isMove() || !s.reg.virtual() || !c.stays(s.reg) {
		return false
	}
	for k := len(list) - 1; k >= 0 && len(list)-k < reach; k-- {
		m := list[k]
		if m.dst == in.dst && m.isMove() && m.op == in.op && m.src[1].reg == s.reg && m.mask&in.mask == 0 {
			for i := range uint8(4) {
				if in.mask>>i&1 != 0 {
					m.src[1].swz[i] = s.swz[i]
				}
			}
			m.mask |= in.mask
			c.reads[index(s.reg)]--
			c.f.settled = false
			return true
		}
		if m.dst == in.dst && m.mask&in.mask != 0 {
			return false
		}
		hit := false
		m.reads(func(r reg, comps uint8) { hit = hit || r == in.dst && comps&in.mask != 0 })
		if hit {
			return false
		}
	}
	return false
}
