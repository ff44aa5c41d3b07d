package ir3

import (
	"nirc/backend/ir3/abi"
	"nirc/backend/ir3/isa"
	"nirc/ir"
)

// The first that a preamble does is to copy to the const file what others left elsewhere
// (ir3.md §6.9): ranges of uniform buffers, through their descriptors, so that these may
// change after the commands were recorded; and on devices on which the command stream does not load
// consts, push constants and the parameters of driver and chained stages.

// maxCopied is the most that one instruction copies, in scalars of push constants and in vec4 of buffers.
const (
	maxCopiedPush  = 128
	maxCopiedVec4  = 256
	maxPushedDword = 256 // push constants that stsc names
)

// constLoad is a copy to scalar at: of n dwords of the push constants from first on, if push, or
// of n vec4 of a buffer from its first on. set is -1 of the driver's own buffers.
type constLoad struct {
	push     bool
	set      int8
	slot     uint32
	first, n int
	at       int
}

// loads lists the copies.
func (c *constFile) loads(g *GPU, stage ir.Stage) []constLoad {
	if faults.has(faultConsts) {
		return nil
	}
	var list []constLoad
	if g.PreambleConsts {
		for k := 0; k < c.push.Size; k += maxCopiedPush {
			list = append(list, constLoad{push: true, first: int(c.start)/4 + k, n: min(maxCopiedPush, c.push.Size-k), at: c.push.Offset + k})
		}
		for slot, a := range [...]abi.Area{abi.BufferDriver: c.driver, abi.BufferPrimitive: c.primitive, abi.BufferMap: c.slots} {
			if a.Size > 0 && !(stage == ir.StageVertex && slot == abi.BufferDriver) {
				list = append(list, constLoad{set: -1, slot: uint32(slot), n: (a.Size + 3) / 4, at: a.Offset})
			}
		}
	}
	for i := range c.ubos.ranges {
		r := &c.ubos.ranges[i]
		list = append(list, constLoad{set: r.set, slot: r.slot, first: int(r.first), n: int(r.n), at: r.at})
	}
	return list
}

// loadConsts adds the copies at the start of the preamble, which is made if there is none.
func (s *isel) loadConsts() {
	list := s.consts.loads(s.gpu, s.sh.Stage)
	if len(list) == 0 || s.err != nil {
		return
	}
	if s.gpu.PreambleConsts && int(s.consts.start)/4+s.consts.push.Size > maxPushedDword {
		s.fail(nil, "push constants after byte %d are not supported on %s", 4*maxPushedDword, s.gpu.Name)
		return
	}
	copies := func() {
		for i := range list {
			s.copyConsts(&list[i])
		}
	}
	if s.pre.f == nil {
		s.appendPreamble(1, copies)
		return
	}
	main := s.f
	s.f = s.pre.f
	copies()
	s.f = main
}

// copyConsts adds one copy.
func (s *isel) copyConsts(l *constLoad) {
	if l.push {
		s.add(isa.Instr{Op: isa.OpStsc, Type: isa.U32, Size: uint16(l.n), Dst: isa.Operand{Kind: isa.ConstDst, Val: int32(l.at)}, Srcs: [4]isa.Operand{isa.I(int32(l.first))}}, 0)
		return
	}
	for k := 0; k < l.n; k += maxCopiedVec4 {
		s.writeA1(uint32(l.at + 4*k))
		s.add(isa.Instr{Op: isa.OpLdcK, Size: uint16(min(maxCopiedVec4, l.n-k)), Set: l.set + 1, Srcs: [4]isa.Operand{isa.I(int32(l.first + k)), isa.I(int32(l.slot))}}, 0)
	}
}
