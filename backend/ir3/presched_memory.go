package ir3

import (
	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
)

// Accesses to private and workgroup memory say where they go by a register and a distance from it. Those at other distances from the
// same register touch nothing in common: a loop that copies an array, once it is unrolled, can so load
// several elements before it stores the first.

// placedAccess is an access to memory at a distance from a register.
type placedAccess struct {
	unit     int32
	base     mach.Value
	from, to int32 // bytes from base
	writes   bool
	any      bool // where it goes is not known: in the way of all others
}

// maxPlaced bounds the accesses that a new one is compared with.
const maxPlaced = 32

func (a *placedAccess) meets(b *placedAccess) bool {
	switch {
	case !a.writes && !b.writes:
		return false
	case a.any || b.any || a.base != b.base:
		return true
	}
	return a.from < b.to && b.from < a.to
}

// placeOf says where an access goes.
func placeOf(unit int32, in *mach.Instr, t *isa.Instr, writes bool) placedAccess {
	a := placedAccess{unit: unit, writes: writes}
	switch t.Op {
	case isa.OpLdl, isa.OpLdlw, isa.OpLdp, isa.OpStl, isa.OpStlw, isa.OpStp:
		a.base, a.from = in.Uses()[0].Val, t.Off
		a.to = a.from + int32(max(t.Size, 1))*typeBytes(t.Type)
	default:
		a.any = true
	}
	return a
}

func typeBytes(t isa.Type) int32 {
	switch {
	case t == isa.U64: // and U8, which has its number
		return 8
	case t.Half():
		return 2
	}
	return 4
}

// orderPlaced keeps an access behind those of the same memory that it may meet. One that finds too many comes behind them all,
// and the next ones behind it.
func (p *preScheduler) orderPlaced(list []placedAccess, a placedAccess) []placedAccess {
	if len(list) >= maxPlaced {
		a.any, a.writes = true, true
	}
	for k := range list {
		if a.meets(&list[k]) {
			p.edge(list[k].unit, a.unit, 0, waitSlots)
		}
	}
	if a.any && a.writes {
		list = list[:0]
	}
	return append(list, a)
}
