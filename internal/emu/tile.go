package emu

import "math/bits"

// TileStore is a colour that a fragment lane stores itself: as it is to go
// into the attachment, after blending.
type TileStore struct {
	// Lane is the lane, Target the colour attachment.
	Lane, Target int
	// Samples of the pixel that get the colour, Mask the components that are
	// stored, bit 0 being red.
	Samples uint32
	Mask    uint8
	// Color is as Format.Pack takes it.
	Color [4]uint32
}

// storeTile writes what lane i stored to the samples in mask.
func (f *fragmentStage) storeTile(w *fragmentWave, i int, mask uint32) {
	o, l, pr := &f.d.out, &w.lanes[i], w.prim[i]
	for k := range w.launch.Tile {
		st := &w.launch.Tile[k]
		if st.Lane != i {
			continue
		}
		for j := range o.targets {
			if t := &o.targets[j]; t.index == st.Target {
				t.storeTile(t.pixel(int(l.X), int(l.Y), int(pr.Layer)), st, mask&st.Samples)
			}
		}
	}
}

// storeTile writes the components of a colour to samples of a pixel.
func (t *colorTarget) storeTile(pixel []byte, st *TileStore, samples uint32) {
	var texel, keep [16]byte
	for i := range t.format.Channels {
		if c := &t.format.Channels[i]; c.Kind != KindNone && st.Mask>>c.Comp.index()&1 == 0 {
			c.putBits(keep[:], ^uint32(0))
		}
	}
	t.format.Pack(texel[:], &st.Color)
	for left := samples; left != 0; left &= left - 1 {
		b := pixel[bits.TrailingZeros32(left)*t.bytes:]
		for i := range t.bytes {
			b[i] = b[i]&keep[i] | texel[i]&^keep[i]
		}
	}
}
