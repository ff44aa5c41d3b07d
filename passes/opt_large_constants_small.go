package passes

import (
	"encoding/binary"
	"math/bits"

	"nirc/ir"
)

// pack replaces a small table of integers by one integer of at most so many bits, from which loads take theirs
// by a shift and a mask; false if it is none or does not fit.
func (k *constantVar) pack(most int) bool {
	t := k.v.Type
	if k.refused || !k.indirect || len(k.stores) == 0 || t.Elem == nil || !t.Elem.IsScalar() || t.Elem.Base == ir.BaseFloat || t.Elem.Bits > 32 {
		return false
	}
	size := int(t.Elem.MemBits() / 8)
	n := len(k.data) / size
	value := func(i int) uint64 {
		var word [8]byte
		copy(word[:], k.data[i*size:(i+1)*size])
		v := binary.LittleEndian.Uint64(word[:])
		if t.Elem.Base == ir.BaseBool {
			v = min(v, 1)
		}
		return v
	}
	width := 1
	for i := range n {
		width = max(width, bits.Len64(value(i)))
	}
	if n*width > most {
		return false
	}
	packed := uint64(0)
	for i := range n {
		packed |= value(i) << (i * width)
	}
	for _, in := range k.loads {
		k.unpack(in, packed, width)
	}
	for _, in := range k.stores {
		in.Remove()
	}
	return true
}

// unpack writes a load as a shift and a mask.
func (k *constantVar) unpack(in *ir.Instr, packed uint64, width int) {
	b := builderBefore(in)
	index := resizeUint(b, derefOf(in.Srcs[0].Def).Srcs[1].Def, 32)
	// A shift counts modulo 32, so that an index out of bounds does no harm.
	v := b.Iand(b.Ushr(b.Imm32(uint32(packed)), b.IMulImm(index, int64(width))), b.Imm32(uint32(1)<<width-1))
	if in.Def.BitSize == 1 {
		v = b.Ine(v, b.Imm32(0))
	} else {
		v = resizeUint(b, v, in.Def.BitSize)
	}
	in.Def.RewriteUses(v)
	in.Remove()
}
