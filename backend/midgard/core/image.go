package core

import (
	"fmt"
	"math"

	"nirc/backend/layout"
	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

// texel is a place in an image of the attribute table.
type texel struct {
	rec     *abi.Texture
	desc    *emu.Descriptor
	x, y, z int
	index   uint64 // of a texel buffer
	record  int
}

// locate finds the texel that an image operation means.
func (w *wave) locate(s *inputs, l *isa.LoadStore) (t texel, err error) {
	t.record = int(int32(s.index(l))) + l.Slot()
	if !w.record(&t) {
		return t, fmt.Errorf("entry %d of the attribute table is no image, or another than the metadata says", t.record)
	}
	if err := w.reaches(s.t, &abi.ImageTable, t.record, t.desc); err != nil {
		return t, err
	}
	c := uint64(s.word(l.Arg))
	t.index = c // of a buffer, whose coordinates have 16 bits too: more is outside
	if c >= maxTexels {
		t.index = math.MaxUint64
	}
	if l.Toggle {
		c = s.long(l.Arg)
	}
	t.x, t.y, t.z = int(c&0xffff), int(c>>16&0xffff), int(c>>32&0xffff)
	return t, nil
}

// maxTexels is how many texels of a buffer coordinates and descriptors reach.
const maxTexels = 1 << 16

// record finds the entry of the attribute table that t names, and its descriptor.
func (w *wave) record(t *texel) bool {
	e, d := w.bound(&abi.ImageTable, t.record)
	if d == nil {
		return false
	}
	best := -1
	for i := range w.p.meta.Images {
		x := &w.p.meta.Images[i]
		if !x.Has(uint32(t.record)) {
			continue
		}
		if x.Set != e.Set || x.Binding != e.Binding {
			return false
		}
		if k := d.Suits(x.Dim, x.Array); k > best {
			t.rec, t.desc, best = x, d, k
		}
	}
	return best >= 0
}

// bound returns what entry n of a table holds, which is filled by the pipeline's layout; nil if that
// has nothing there.
func (w *wave) bound(t *layout.Table, n int) (layout.Entry, *emu.Descriptor) {
	e, ok := t.Lookup(w.l.Env.Layout, 0, uint32(n))
	if n < 0 || !ok {
		return e, nil
	}
	return e, w.l.Env.Bindings.Lookup(e.Set, e.Binding, e.Element)
}

// buffer reports whether the texel is one of a texel buffer.
func (t *texel) buffer() bool { return t.rec.Dim == ir.DimBuf }

// at returns the coordinates as the view takes them.
func (t *texel) at() (x, y, z, sample int) {
	x, y, z = t.x, t.y, t.z
	switch t.rec.Dim {
	case ir.DimMS, ir.DimSubpassMS:
		if t.rec.Array { // the samples one below the other
			_, h, _ := t.desc.Image.Size(0)
			return x, y % max(h, 1), z, y / max(h, 1)
		}
		return x, y, 0, z
	case ir.Dim1D:
		if t.rec.Array {
			return x, 0, y, 0
		}
		return x, 0, 0, 0
	}
	return x, y, z, 0
}

func (t *texel) load(m *emu.Memory) [4]uint32 {
	if t.buffer() {
		return t.desc.LoadTexel(m, t.index)
	}
	if t.desc.Image == nil {
		return [4]uint32{}
	}
	x, y, z, sample := t.at()
	return t.desc.Image.Load(x, y, z, 0, sample)
}

func (t *texel) store(m *emu.Memory, v [4]uint32) {
	switch {
	case t.buffer():
		t.desc.StoreTexel(m, t.index, v)
	case t.desc.Image != nil:
		x, y, z, sample := t.at()
		t.desc.Image.Store(x, y, z, 0, sample, v)
	}
}

// access is the texel to those who look for races.
func (t *texel) access() emu.Texel {
	if t.buffer() {
		return emu.Texel{D: t.desc, X: int(t.index), InBuffer: true}
	}
	x, y, z, sample := t.at()
	return emu.Texel{D: t.desc, X: x, Y: y, Z: z, Sample: sample}
}

func (w *wave) image(s *inputs, l *isa.LoadStore) error {
	t, err := w.locate(s, l)
	if err != nil {
		return err
	}
	switch l.Op.Info().Kind {
	case isa.KindImage:
		w.noteTexel(s, t.access(), emu.AccessRead, nil)
		return w.result(s.t, l, typed(l.Op.Info().Elem, t.load(w.l.Env.Mem)))
	case isa.KindLeaImage:
		a := w.texelAddress(&t)
		return w.result(s.t, l, [4]uint32{uint32(a), uint32(a >> 32)})
	}
	v, err := s.data(l)
	if err == nil {
		err = w.helperWrites(s.t, imageBase)
	}
	if err != nil {
		return err
	}
	if l.Op.Info().Elem == isa.ElemF16 {
		for i, h := range unpackHalves(v) {
			v[i] = halfToSingle(h)
		}
	}
	w.noteTexel(s, t.access(), emu.AccessWrite, &v)
	t.store(w.l.Env.Mem, v)
	return nil
}

// inside reports whether there is such a texel.
func (t *texel) inside() bool {
	if t.buffer() {
		return t.index < t.desc.NumTexels()
	}
	x, y, z, sample := t.at()
	return t.desc.Image == nil || t.desc.Image.Texel(x, y, z, 0, sample) != nil
}

// texelAddress is an address that means the texel: that of memory for texel
// buffers, else one of the range imageBase with the table entry in bits 48:59
// and the coordinates below.
func (w *wave) texelAddress(t *texel) uint64 {
	if !t.inside() {
		return wildBase
	}
	if t.buffer() {
		return t.desc.Addr + t.index*uint64(t.desc.Format.Bytes)
	}
	return imageBase | uint64(t.record)<<48 | uint64(t.z)<<32 | uint64(t.y)<<16 | uint64(t.x)
}

func (w *wave) texelAt(a uint64) (t texel, ok bool) {
	t.record = int(a >> 48 & (abi.MaxImages - 1))
	if !w.record(&t) {
		return t, false
	}
	t.x, t.y, t.z = int(a&0xffff), int(a>>16&0xffff), int(a>>32&0xffff)
	return t, t.desc.Image != nil
}

// texelBytes are the bytes of the texel that an address of imageBase means.
func (w *wave) texelBytes(a uint64) []byte {
	t, ok := w.texelAt(a)
	if !ok {
		return nil
	}
	x, y, z, sample := t.at()
	return t.desc.Image.Texel(x, y, z, 0, sample)
}

func (w *wave) texelAtomic(s *inputs, a uint64, f func(uint64) uint64) (uint64, error) {
	t, ok := w.texelAt(a)
	if !ok {
		return 0, nil
	}
	w.noteTexel(s, t.access(), emu.AccessAtomic, nil)
	x, y, z, sample := t.at()
	return t.desc.Image.Atomic(x, y, z, sample, f), nil
}
