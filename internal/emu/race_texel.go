package emu

import "bytes"

// Texel is an element of a texel buffer, X, or a texel of an image's view: for those who look for races.
type Texel struct {
	D                    *Descriptor
	X, Y, Z, Mip, Sample int
	InBuffer             bool
}

// Lookup is the lane that looks up texels of an image with or without a sampler, and its place in the code. The zero value is
// nobody that anybody watches.
type Lookup struct {
	Races *WaveRaces
	Lane  int
	Place uint32
}

// Fetch tells that Fetch reads a texel of a view.
func (u Lookup) Fetch(v *ImageView, dim TexDim, x, y, z, layer, lod, sample int) {
	if !u.Races.On() || v == nil || v.Image == nil {
		return
	}
	if at, l, ok := v.place(dim, x, y, z, layer, lod, sample); ok {
		u.note(&l, at)
	}
}

// note tells that the texel at a place of a level is read. Of images that no shader can store to nothing is told.
func (u *Lookup) note(l *texLevel, at int) {
	m := l.v.Image
	if !u.Races.On() || !u.Races.g.log.stored[m] || l.absent(at) {
		return
	}
	b := l.data[at:]
	u.Races.global(raceImages, u.Lane, u.Races.g.log.imageCell(m, b), l.f.Bytes, AccessRead, u.Place)
}

// imageCell is the place of b, a part of an image's data, among the cells.
func (l *raceLog) imageCell(m *Image, b []byte) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	id, ok := l.images[m]
	if !ok {
		id = uint64(len(l.images))
		l.images[m] = id
	}
	return imageCells + id<<36 + uint64(cap(m.Data)-cap(b))
}

// storedImages are the images that a dispatch's shader may store to.
func storedImages(env *Env) map[*Image]bool {
	list := map[*Image]bool{}
	if env == nil || env.Bindings == nil {
		return list
	}
	for i := range env.Bindings.descs {
		if d := &env.Bindings.descs[i]; d.Type == DescStorageImage && d.Image != nil {
			list[d.Image.Image] = true
		}
	}
	return list
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
	return b, v.TexelFormat(), log.imageCell(v.Image, b)
}
