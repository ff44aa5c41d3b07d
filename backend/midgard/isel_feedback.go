package midgard

import (
	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
	"nirc/ir"
)

// feedbackOutputs ends a program of the ABI xfb: what transform feedback captures goes to memory, and
// nothing to the rasteriser (midgard.md §9.3). Vertex v of instance i of a draw of n vertices is number i*n + v; the
// driver says where the buffers go on, and has seen that there is room.
func (s *isel) feedbackOutputs() {
	var number source
	bases := map[uint8]source{}
	for i := range s.sh.Captures {
		c := &s.sh.Captures[i]
		o := s.slotOutput(c.Slot)
		if o == nil {
			continue // never written: what is there is undefined
		}
		if s.loc = o.loc; c.Bits != 32 || c.Stream != 0 {
			s.fail(nil, "transform feedback of %d bits on stream %d is not supported", c.Bits, c.Stream)
			return
		}
		if len(bases) == 0 {
			number = s.vertexNumber()
		}
		base, ok := bases[c.Buffer]
		if !ok {
			base = s.sysval(abi.Sysval{Kind: abi.SysvalFeedback, Element: uint32(c.Buffer)})
			bases[c.Buffer] = base
		}
		at := s.temp(isa.OpImul, 1, number, constant(s.sh.Info.XfbStrides[c.Buffer]))
		for k := range int(c.Count) {
			a := address{pair: true, lo: base.lane(0), hi: base.lane(1), index: at, offset: int32(c.Offset) + int32(4*k)}
			s.storePiece(&a, piece{n: 1, log: 2}, 1, o.value().lane(int(c.First)+k))
		}
	}
	s.meta.WritesMemory = true
	s.meta.Captures, s.meta.XfbStrides = s.sh.Captures, s.sh.Info.XfbStrides
}

// slotOutput is the output of a slot, nil if nothing is stored to it.
func (s *isel) slotOutput(slot ir.Slot) *output {
	for i := range s.out.list {
		if s.out.list[i].slot == slot {
			return &s.out.list[i]
		}
	}
	return nil
}

// vertexNumber counts the vertices of a draw over its instances.
func (s *isel) vertexNumber() source {
	offsets := s.sysval(abi.Sysval{Kind: abi.SysvalVertexOffsets})
	above := s.temp(isa.OpIsub, 1, offsets.lane(0), offsets.lane(1))
	vertex := s.temp(isa.OpIadd, 1, s.attribute(isa.LdAttrS32, abi.Record{Kind: abi.RecordVertexID}, 0, 1), above)
	instance := s.attribute(isa.LdAttrS32, abi.Record{Kind: abi.RecordInstanceID}, 0, 1)
	count := s.sysval(abi.Sysval{Kind: abi.SysvalNumVertices})
	return s.temp(isa.OpIadd, 1, s.temp(isa.OpImul, 1, instance, count.lane(0)), vertex)
}
