package core

import (
	"encoding/binary"
	"fmt"

	"nirc/backend/midgard/abi"
	"nirc/internal/emu"
)

// What the tile has of a pixel (midgard.md §9.5): four bytes in a form of the fixed functions, or the bytes of the
// format, as many as the next power of two, again and again.

// packTile is the pixel of a colour.
func packTile(f *emu.Format, form string, v *[4]uint32) (raw [16]byte) {
	f.Pack(raw[:], v)
	if !abi.TileRaw(form) {
		word := uint32(0xa5a5a5a5) // in channels that the format has not
		for _, c := range f.Channels {
			word = placed(word, form, int(c.Comp), int(c.Width), bitsOf(raw[:], int(c.Offset), int(c.Width)))
		}
		binary.LittleEndian.PutUint32(raw[:], word)
	}
	repeated(&raw, abi.TileBits(form)/8)
	return raw
}

// placed is the word of the tile with bits of a channel in it; below them in their byte there is nothing.
func placed(word uint32, form string, comp, width int, x uint32) uint32 {
	if form == abi.TileRGB10A2 {
		low := 24 + 2*comp
		word = word&^(3<<low) | x&3<<low
		if comp < 3 {
			word = word&^(0xff<<(8*comp)) | x>>2<<(8*comp)
		}
		return word
	}
	return word&^(0xff<<(8*comp)) | x<<(8*comp+8-width)
}

// taken is a channel's bits of the word.
func taken(word uint32, form string, comp, width int) uint32 {
	if form == abi.TileRGB10A2 {
		x := word >> (24 + 2*comp) & 3
		if comp < 3 {
			x |= word >> (8 * comp) & 0xff << 2
		}
		return x
	}
	return word >> (8*comp + 8 - width) & (1<<width - 1)
}

// unpackTile is the colour of a pixel, which is refused where it does not repeat, or has bits where its form has none.
func unpackTile(f *emu.Format, form string, raw *[16]byte, v *[4]uint32) error {
	want := *raw
	repeated(&want, abi.TileBits(form)/8)
	if *raw != want {
		return fmt.Errorf("the raw pixel % x does not repeat its first %d bytes", *raw, abi.TileBits(form)/8)
	}
	if !abi.TileRaw(form) {
		word := binary.LittleEndian.Uint32(raw[:])
		var mem [16]byte
		whole := word
		for _, c := range f.Channels {
			x := taken(word, form, int(c.Comp), int(c.Width))
			whole = placed(whole, form, int(c.Comp), int(c.Width), x)
			setBits(mem[:], int(c.Offset), x)
		}
		if whole != word {
			return fmt.Errorf("the pixel %#x has bits beside the channels of %s in %s", word, f.Name, form)
		}
		*raw = mem
	}
	f.Unpack(raw[:], v)
	return nil
}

// bitsOf are up to 32 bits of little-endian memory.
func bitsOf(mem []byte, offset, width int) uint32 {
	return uint32(binary.LittleEndian.Uint64(mem[offset/32*4:]) >> (offset % 32) & (1<<width - 1))
}

// setBits adds bits to memory that is zero there.
func setBits(mem []byte, offset int, x uint32) {
	for ; x != 0; x, offset = x>>1, offset+1 {
		mem[offset/8] |= uint8(x&1) << (offset % 8)
	}
}
