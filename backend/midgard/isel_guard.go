package midgard

import (
	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
	"nirc/ir"
)

// guard is an access of some bytes at an offset of a buffer, and what was found out of
// it: the address in bounds or of the sink, and the index, 0 of the sink.
type guard struct {
	h, off *ir.Def // off nil: of all offsets, index being the first out of bounds
	bytes  int
	write  bool
	blk    int
	base   source // two words
	index  source
}

// guarded is the address of an access of some bytes at a byte offset of a buffer. If the shader is
// to be robust, it goes to the sink out of bounds: nowhere else may it go, for buffers lie anywhere and
// what is not mapped ends the job.
func (s *isel) guarded(in *ir.Instr, h *ir.Def, k guard) (a address) {
	desc, _ := s.descOf(in, h)
	o := s.comp(k.off, 0)
	if s.sh.Options.Robust.Of(in.MemoryModes()) == ir.RobustOff || faults.has(faultBounds) {
		a = address{pair: true, lo: desc.lane(0), hi: desc.lane(1), index: source{reg: regNone}}
		a.add(o)
		return a
	}
	k.h, k.blk = h, s.blk
	if !s.guardOf(&k) {
		s.guard(&k, desc, o)
	}
	return address{pair: true, lo: k.base.lane(0), hi: k.base.lane(1), index: k.index}
}

// guard makes what an access needs at offset o of the buffer of desc.
func (s *isel) guard(k *guard, desc, o source) {
	limit := desc.lane(2)
	if k.bytes > 1 {
		all := guard{h: k.h, bytes: k.bytes, blk: k.blk}
		if !s.guardOf(&all) {
			all.index = s.temp(isa.OpUsubsat, 1, limit, constant(uint32(k.bytes-1)))
			s.guards = append(s.guards, all)
		}
		limit = all.index
	}
	inside := s.temp(isa.OpUlt, 1, o, limit)
	sink := s.sink(k.write)
	base := s.f.newNode(2)
	s.selectTo(dest{reg: base, lanes: 3}, inside.lane(0), desc, sink)
	k.base = source{reg: base, swz: identity}
	k.index = s.temp(isa.OpIand, 1, o, inside)
	s.guards = append(s.guards, *k)
}

// sink is the address that accesses out of bounds go to: of zeros, or of what nobody reads.
func (s *isel) sink(write bool) source {
	o := s.sysval(abi.Sysval{Kind: abi.SysvalSink})
	if write {
		o = o.place([4]uint8{2, 3, 2, 3})
	}
	return o
}

// maxGuards is how many guards an access looks back at.
const maxGuards = 16

// guardOf finds what an earlier access of the block found out.
func (s *isel) guardOf(k *guard) bool {
	for i := len(s.guards) - 1; i >= max(0, len(s.guards)-maxGuards); i-- {
		g := &s.guards[i]
		if g.h == k.h && g.off == k.off && g.bytes == k.bytes && g.write == k.write && g.blk == k.blk {
			*k = *g
			return true
		}
	}
	return false
}
