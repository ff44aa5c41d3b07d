package ir

// The indices io_xfb and io_xfb2 of a store to an output hold what transform feedback captures of its slot: two words of
// 32 bits each, for the runs that begin at components 0 and 1, and at 2 and 3. A word is 0 where none begins.
const (
	xfbBuffer = 4 // from bit 0 on the number of components, from here on the buffer
	xfbHalf   = 8 // components take 16 bits in the buffer
	xfbOffset = 9 // the byte offset in the buffer
)

// MaxStoreCaptureOffset is the largest byte offset in a buffer that the indices of a store hold.
const MaxStoreCaptureOffset = 1<<(32-xfbOffset) - 1

// SetStoreCaptures puts runs of the slot that in, a store to an output, writes into its indices.
func (in *Instr) SetStoreCaptures(runs []Capture) {
	var words [2]uint64
	for i := range runs {
		c := &runs[i]
		w := uint64(c.Count) | uint64(c.Buffer)<<xfbBuffer | bit(c.Bits == 16, xfbHalf) | uint64(c.Offset)<<xfbOffset
		words[c.First/2] |= w << (c.First % 2 * 32)
	}
	in.Set(IdxIoXfb, words[0]).Set(IdxIoXfb2, words[1])
}

// StoreCaptures returns the runs that the indices of in, a store to an output, name, whether in writes all their components or
// not: a store that was split keeps those of the whole, and transform feedback takes what each part writes.
func (in *Instr) StoreCaptures() []Capture {
	var runs []Capture
	sem := UnpackIOSemantics(in.Get(IdxIoSemantics))
	for first := range uint8(4) {
		w := in.Get(IdxIoXfb)
		if first >= 2 {
			w = in.Get(IdxIoXfb2)
		}
		if w = w >> (first % 2 * 32) & 0xffffffff; w == 0 {
			continue
		}
		c := Capture{Slot: sem.Location, First: first, Count: uint8(w & 15), Bits: 32, Buffer: uint8(w >> xfbBuffer & 15), Stream: sem.GSStreams, Offset: uint32(w >> xfbOffset)}
		if w>>xfbHalf&1 != 0 {
			c.Bits = 16
		}
		runs = append(runs, c)
	}
	return runs
}
