package isa

import "nirc/internal/lazy"

// Unpacking what was packed takes as long as packing it, and code generators pack each instruction of a shader. For
// instructions all of whose items are of classes below it can be told without: such a class accepts only what it gives back
// when it unpacks, so an instruction is kept whole if nothing stands where it has no item.

// parts is a set of the numbers of an Instr that exact classes transfer.
type parts uint16

const (
	partCond parts = 1 << iota
	partShift
	partBits
	partTable
	partMode
	partRound
	partNest
	partImm
	partTarget
	numParts = iota
)

// exactClasses are the classes whose packing keeps what it accepts, with the part that they transfer; TestExact proves it.
var exactClasses = lazy.Value[map[string]parts]{Make: func() map[string]parts {
	return map[string]parts{
		"dst": 0, "dst64": 0, "dst2": 0, "dst16": 0, "r0l": 0,
		"src": 0, "src16": 0, "src64": 0, "isrc": 0, "isrc64": 0, "fsrc": 0, "fsrc16": 0, "fsrc2": 0, "sel": 0, "sr": 0,
		"icc": partCond, "fcc": partCond, "rnd": partRound, "rndi": partRound, "cvt": partMode, "red": partMode,
		"simd": 0, "prefix": 0, "sat": 0, "sub": 0, "kill": 0, "killh": 0,
		"tt": partTable, "lsl": partShift, "mask32": partBits, "nest": partNest, "imm": partImm, "rel": partTarget,
	}
}}

// exactness is what an info knows to report whether packing keeps an instruction.
type exactness struct {
	exact bool // all items are of exact classes
	dst   bool
	srcs  uint8
	flags Flags
	// empty has all bits set for the parts that the instruction has no item for.
	empty [numParts]uint32
	// Some fields have fixed bits inside: operands must have given them the values that they have in fixed.
	inside, fixed word
}

// compileExact looks whether all of the items, whose classes are named, are exact.
func (in *info) compileExact(classNames []string) {
	e := &in.exactness
	e.exact = true
	var have parts
	for i := range in.items {
		it := &in.items[i]
		p, ok := exactClasses.Get()[classNames[i]]
		e.exact = e.exact && ok
		have |= p
		e.flags |= it.cls.flag
		switch {
		case it.slot >= 0:
			e.srcs++
		case it.slot == -1:
			e.dst = true
		}
	}
	for i := range in.fields {
		in.fields[i].put(&e.inside, 1<<in.fields[i].width-1)
	}
	e.inside = e.inside.and(in.mask)
	e.fixed = e.inside.and(in.value)
	for i := range e.empty {
		if have>>i&1 == 0 {
			e.empty[i] = ^uint32(0)
		}
	}
}

// keeps reports that the bits that packBy made of i by means of x are known to hold all of it. False may mean that it is not known.
func (in *info) keeps(x *xfer, i *Instr) bool {
	e := &in.exactness
	if !e.exact || x.w.and(e.inside) != e.fixed || i.Flags&^e.flags != 0 || !e.dst && i.Dst != (Operand{}) {
		return false
	}
	for _, o := range i.Srcs[e.srcs:] {
		if o != (Operand{}) {
			return false
		}
	}
	lost := uint32(i.Format|Format(i.Mask|i.Slot)) | uint32(i.Dim) | uint32(i.Lod) | uint32(i.Gather) | uint32(i.Interp) | i.Extra
	lost |= uint32(i.Cond)&e.empty[0] | uint32(i.Shift)&e.empty[1] | uint32(i.Bits)&e.empty[2] | uint32(i.Table)&e.empty[3] |
		uint32(i.Mode)&e.empty[4] | uint32(i.Round)&e.empty[5] | uint32(i.Nest)&e.empty[6] | i.Imm&e.empty[7] | uint32(i.Target)&e.empty[8]
	return lost == 0
}
