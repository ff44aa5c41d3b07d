package emu

import "bytes"

// Texel is an element of a texel buffer, X, or a texel of an image's view: for those who look for races.
type Texel struct {
	D                    *Descriptor
	X, Y, Z, Mip, Sample int
	InBuffer             bool
}

// imageCells is where texels of images stand among the cells of a race log, 1<<36 bytes each image.
const imageCells = 1 << 60

// imageByte is what an error says of a cell: the byte of its image.
func imageByte(m raceMemory, at uint64) uint64 {
	if m == raceImages && at >= imageCells {
		return at & (1<<36 - 1)
	}
	return at
}

// Texel tells an access of a lane to a texel, v what a store puts there. One that changes nothing is not told,
// nor are those outside of the image.
func (w *WaveRaces) Texel(mem *Memory, lane int, t *Texel, kind AccessKind, v *[4]uint32, place uint32) {
	if !w.On() {
		return
	}
	b, f, at := t.bytes(w.g.log, mem)
	if b == nil {
		return
	}
	if v != nil {
		var room [16]byte
		after := append(room[:0], b...)
		if f.Pack(after, v); bytes.Equal(after, b) {
			return
		}
	}
	w.global(raceImages, lane, at, len(b), kind, place)
}

// bytes are those of the texel, nil if there is none, their format and their place among the cells.
func (t *Texel) bytes(log *raceLog, mem *Memory) ([]byte, *Format, uint64) {
	if t.InBuffer {
		if t.X < 0 || t.D.Format == nil {
			return nil, nil, 0
		}
		return t.D.texel(mem, uint64(t.X)), t.D.Format, t.D.Addr + uint64(t.X)*uint64(t.D.Format.Bytes)
	}
	v := t.D.Image
	if v == nil {
		return nil, nil, 0
	}
	b := v.Texel(t.X, t.Y, t.Z, t.Mip, t.Sample)
	if b == nil {
		return nil, nil, 0
	}
	log.mu.Lock()
	defer log.mu.Unlock()
	id, ok := log.images[v.Image]
	if !ok {
		id = uint64(len(log.images))
		log.images[v.Image] = id
	}
	off := cap(v.Image.Data) - cap(b) // b is a part of Data
	return b, v.TexelFormat(), imageCells + id<<36 + uint64(off)
}
