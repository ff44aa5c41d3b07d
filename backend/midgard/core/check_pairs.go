package core

import (
	"errors"

	"nirc/backend/midgard/isa"
)

// 64-bit addresses, and what 64-bit atomics take, stand in whole halves of r26 and r27: in xy or in zw
// (midgard.md §3.6). ALU operands have a selector for each word (midgard.md §3.2) and may be any two.

// checkLongs finds those that do not.
func checkLongs(l *isa.LoadStore) error {
	info := l.Op.Info()
	long := info.Atomic != isa.AtomicNone && info.Size == 8
	index := false // of 64 bits
	switch info.Kind {
	case isa.KindLoad, isa.KindStore, isa.KindLea, isa.KindAtomic:
		index = l.Index.Reg != isa.AddrZero && l.Format == isa.IndexU64
	case isa.KindCmpXchg:
		index = long // the comparand
		if l.Format != isa.IndexReserved {
			return errors.New("a compare and exchange has the comparand in the index's place, and the format of an index")
		}
	case isa.KindImage, isa.KindStImage, isa.KindLeaImage:
	default:
		return nil
	}
	switch {
	case l.Toggle && l.Arg.Comp&1 != 0:
		return errors.New("the 64-bit argument begins in the middle of a half")
	case index && l.Index.Comp&1 != 0:
		return errors.New("the 64-bit index begins in the middle of a half")
	case long && l.AtomicSrc().Comp&1 != 0:
		return errors.New("the 64-bit operand begins in the middle of a half")
	}
	return nil
}
