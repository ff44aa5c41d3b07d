package core

import (
	"errors"
	"fmt"
	"math/bits"

	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

// execStTile stores a colour to the pixel's tile storage, in the samples that
// the mask names of those that the lane shades.
func execStTile(w *wave, x *inst) error {
	if err := w.tileForm(x, &x.Srcs[0]); err != nil {
		return err
	}
	f, size := w.frag, x.Format.Size()
	for lane := 0; lane < w.n; lane++ {
		if w.exec>>lane&1 == 0 {
			continue
		}
		m := w.sampleOperand(&x.Srcs[1], lane) & f.shaded[lane]
		f.stored[lane] |= m
		for ; m != 0; m &= m - 1 {
			s, at := bits.TrailingZeros32(m), int(x.Imm)
			if x.Format.Packed() {
				w.tilePut(lane, s, at, 4, w.packWord(x, &x.Srcs[0], lane))
				continue
			}
			r := int(x.Srcs[0].Val)
			for k := 0; k < 4; k++ {
				if x.Mask>>k&1 != 0 {
					w.tilePut(lane, s, at+k*size, size, toMemory(x.Format, x.Srcs[0].Size, k, w.get(r, x.Srcs[0].Size, lane)))
					r += int(x.Srcs[0].Size) / 16
				}
			}
		}
	}
	return nil
}

func (w *wave) tileForm(x *inst, data *isa.Operand) error {
	if w.frag == nil {
		return errors.New("tile memory outside fragment shaders is not supported")
	}
	store := x.Op == isa.OpStTile
	switch {
	case w.check == nil:
	case !store && x.Format == isa.FormatF16:
		return errors.New("nobody knows what a load of format f16 does: load i16")
	case store && (x.Format == isa.FormatI8 || x.Format == isa.FormatI16) && data.Size == 32:
		return errors.New("nobody knows how 32-bit registers are stored as shorter integers: narrow them")
	}
	if u, _ := x.Field("u0"); store && u != 0 {
		return errors.New("tile stores with explicit coordinates are not supported")
	}
	if w.check != nil && int(x.Imm)%x.Format.Block() != 0 {
		return fmt.Errorf("byte %d of the tile is no place for format %s, which is aligned to %d", x.Imm, x.Format, x.Format.Block())
	}
	if store && w.check != nil && !x.Format.Packed() {
		for _, t := range w.p.meta.Tile {
			if t.Offset == uint32(x.Imm) && x.Mask != t.Mask {
				return fmt.Errorf("components %#x of a target that has %#x are stored: what hardware makes of that is not known", x.Mask, t.Mask)
			}
		}
	}
	end := int(x.Imm) + 4
	if !x.Format.Packed() {
		end = int(x.Imm) + x.Format.Size()*bits.Len8(x.Mask)
	}
	if end > w.frag.size {
		return fmt.Errorf("bytes %d to %d of the tile belong to no target", x.Imm, end-1)
	}
	return x.checkFormat()
}

// sampleTile is the storage of a sample.
func (f *fragState) sampleTile(lane, sample int) []tileByte {
	at := (lane*f.samples + sample) * f.size
	return f.tile[at : at+f.size]
}

func (w *wave) tilePut(lane, sample, at, n int, v uint32) {
	t := w.frag.sampleTile(lane, sample)[at:]
	for i := 0; i < n; i++ {
		t[i] = tileByte{byte(v >> (8 * i)), true}
	}
}

func (w *wave) tileGet(lane, sample, at, n int) (v uint32, ok bool) {
	t := w.frag.sampleTile(lane, sample)[at:]
	ok = true
	for i := 0; i < n; i++ {
		v |= uint32(t[i].v) << (8 * i)
		ok = ok && t[i].ok
	}
	return v, ok
}

var errTileLoad = errors.New("loading what the tile held before the shader is not supported")

// execLdTile loads from the tile: what the shader stored, else what the
// attachment holds.
func execLdTile(w *wave, x *inst) error {
	if err := w.tileForm(x, &x.Dst); err != nil {
		return err
	}
	f := w.frag
	for lane := 0; lane < w.n; lane++ {
		if w.exec>>lane&1 == 0 {
			continue
		}
		m := w.sampleOperand(&x.Srcs[0], lane) & f.shaded[lane]
		if m == 0 {
			continue
		}
		if err := w.loadTile(x, lane, bits.TrailingZeros32(m)); err != nil {
			return err
		}
	}
	return nil
}

func (w *wave) loadTile(x *inst, lane, sample int) error {
	size, at, r := x.Format.Size(), int(x.Imm), int(x.Dst.Val)
	get := func(at, n int) (uint32, error) {
		v, ok := w.tileGet(lane, sample, at, n)
		if !ok {
			if err := w.background(lane, sample, at, n); err != nil {
				return 0, err
			}
			v, _ = w.tileGet(lane, sample, at, n)
		}
		return v, nil
	}
	if x.Format.Packed() {
		v, err := get(at, 4)
		if err == nil {
			w.unpackWord(x, lane, v)
		}
		return err
	}
	for k := 0; k < 4; k++ {
		if x.Mask>>k&1 == 0 {
			continue
		}
		v, err := get(at+k*size, size)
		if err != nil {
			return err
		}
		w.set(r, x.Dst.Size, lane, fromMemory(x.Format, x.Dst.Size, k, v))
		r += int(x.Dst.Size) / 16
	}
	return nil
}

// background brings the target that holds some bytes in from its attachment,
// where the shader has not stored: it plays the background program.
func (w *wave) background(lane, sample, at, n int) error {
	draw, l := w.l.Draw, &w.l.Fragment[lane]
	if draw == nil || w.p.meta.Part != abi.PartLinked {
		return errTileLoad
	}
	t, k := w.p.targetAt(at, n), 0
	if t != nil {
		k = int(t.Slot) - int(ir.SlotData0)
	}
	if t == nil || k >= len(draw.Color) || draw.Color[k].View == nil {
		return fmt.Errorf("bytes %d to %d of the tile belong to no attachment", at, at+n-1)
	}
	layer := 0
	if l.Prim != nil {
		layer = int(l.Prim.Layer)
	}
	v := draw.Color[k].View.Load(int(l.X), int(l.Y), layer, 0, sample)
	b := w.frag.sampleTile(lane, sample)[t.Offset:]
	put := func(at, n int, v uint32) {
		for i := range n {
			if !b[at+i].ok {
				b[at+i].v = byte(v >> (8 * i))
			}
		}
	}
	if t.Format.Packed() {
		var c [4]float64
		for k := range c {
			c[k] = wideF(v[k])
		}
		put(0, 4, packFloats(t.Format, &c))
		return nil
	}
	size := t.Format.Size()
	for k := range 4 {
		if t.Mask>>k&1 != 0 {
			put(k*size, size, toMemory(t.Format, 32, k, v[k]))
		}
	}
	return nil
}

// tileTargets are the targets that the program stores to, and those that its main part reads.
func (p *program) tileTargets() [2][]abi.TileTarget {
	return [2][]abi.TileTarget{p.meta.Tile, p.meta.TileReads}
}

// targetAt is the target that holds some bytes of the tile, nil if none does.
func (p *program) targetAt(at, n int) *abi.TileTarget {
	for _, list := range p.tileTargets() {
		for i := range list {
			if t := &list[i]; at >= int(t.Offset) && at+n <= int(t.Offset)+targetSize(t) {
				return t
			}
		}
	}
	return nil
}

// targetSize is the number of bytes of a target.
func targetSize(t *abi.TileTarget) int {
	if t.Format.Packed() {
		return 4
	}
	return t.Format.Size() * bits.Len8(t.Mask)
}

// tileStores hands the colours of a lane to emu, those of samples that have
// the same at once.
func (w *wave) tileStores(lane int) {
	f := w.frag
	for i := range w.p.meta.Tile {
		t := &w.p.meta.Tile[i]
		first := len(w.l.Tile)
	next:
		for m := f.shaded[lane]; m != 0; m &= m - 1 {
			s := bits.TrailingZeros32(m)
			st := emu.TileStore{Lane: lane, Target: int(t.Slot - ir.SlotData0), Samples: 1 << s, Mask: f.storedMask(t, lane, s)}
			if st.Mask == 0 {
				continue
			}
			st.Color = w.tileColor(t, lane, s)
			for k := first; k < len(w.l.Tile); k++ {
				if o := &w.l.Tile[k]; o.Mask == st.Mask && o.Color == st.Color {
					o.Samples |= st.Samples
					continue next
				}
			}
			w.l.Tile = append(w.l.Tile, st)
		}
	}
}

// storedMask says which components of a target the shader has stored.
func (f *fragState) storedMask(t *abi.TileTarget, lane, sample int) (mask uint8) {
	b := f.sampleTile(lane, sample)[t.Offset:]
	if t.Format.Packed() {
		if b[0].ok {
			mask = t.Mask
		}
		return mask
	}
	for k := range 4 {
		if t.Mask>>k&1 != 0 && b[k*t.Format.Size()].ok {
			mask |= 1 << k
		}
	}
	return mask
}

// tileOutput gives a colour of the tile to a result slot.
func (w *wave) tileOutput(t *abi.TileTarget, lane int, out *emu.Slots) {
	out[t.Slot] = w.tileColor(t, lane, bits.TrailingZeros32(w.frag.shaded[lane]))
}

// tileColor widens a colour of the tile to words: floats of float formats,
// integers of the others.
func (w *wave) tileColor(t *abi.TileTarget, lane, sample int) (o [4]uint32) {
	if t.Format.Packed() {
		v, _ := w.tileGet(lane, sample, int(t.Offset), 4)
		for k, c := range unpackFloats(t.Format, v) {
			if t.Mask>>k&1 != 0 && k < packedCount(t.Format) {
				o[k] = round32(c)
			}
		}
		return o
	}
	size := t.Format.Size()
	for k := 0; k < 4; k++ {
		if t.Mask>>k&1 == 0 {
			continue
		}
		v, _ := w.tileGet(lane, sample, int(t.Offset)+k*size, size)
		switch t.Format {
		case isa.FormatF16:
			v = halfToSingle(v)
		case isa.FormatI8:
			if t.Signed {
				v = uint32(int32(int8(v)))
			}
		case isa.FormatI16:
			if t.Signed {
				v = uint32(int32(int16(v)))
			}
		default:
			v = fromMemory(t.Format, 32, k, v)
		}
		o[k] = v
	}
	return o
}

// checkTile finds a linked program whose pixels no tile holds.
func (p *program) checkTile() error {
	m := p.meta
	if m.Part != abi.PartLinked || m.Stage != ir.StageFragment {
		return nil
	}
	l := m.TileLayout
	if l == nil {
		return errors.New("agx core: the program does not say the layout of the tile")
	}
	if n := l.Bytes(m.Samples); n > abi.MaxTileBytes {
		return fmt.Errorf("agx core: a tile of %dx%d pixels of %d samples of %d bytes takes %d bytes, there are %d", l.Width, l.Height, m.Samples, l.Stride, n, abi.MaxTileBytes)
	}
	if l.Stride == 0 && m.Samples > 1 {
		return errors.New("agx core: pixels of several samples need room in the tile, even without targets")
	}
	for i := range m.Tile {
		if t := &m.Tile[i]; t.Offset+uint32(targetSize(t)) > l.Stride {
			return fmt.Errorf("agx core: tile target %d ends beyond the %d bytes of a sample", t.Slot, l.Stride)
		}
	}
	return nil
}

// checkPass finds what the code of a fragment program does and its metadata does not say: a
// driver would let its fragments pass as others.
func (p *program) checkPass() error {
	f := &p.meta.Pass
	if p.meta.Stage != ir.StageFragment {
		return nil
	}
	for _, c := range []struct {
		name       string
		does, says bool
	}{
		{"reads the tile", p.uses.tileLoads, f.Translucent},
		{"writes the tile", p.uses.tileStores, f.WritesTile},
		{"kills or tests samples", p.uses.kills, f.WritesSampleMask},
		{"writes depth", p.uses.depth, f.WritesDepth},
		{"writes stencil", p.uses.stencil, f.WritesStencil},
		{"writes memory without early tests, which a written depth has to keep from being skipped,",
			p.uses.stores && !p.meta.EarlyFragmentTests, p.uses.depth || p.leavesDepth() || p.meta.KeepDepth},
		{"looks at other lanes", p.uses.lanes || p.uses.quads, f.SeparateTriangles},
		{"takes derivatives", p.uses.quads, p.meta.NeedsQuads},
		{"writes memory", p.uses.stores, p.meta.WritesMemory},
	} {
		if c.does && !c.says {
			return fmt.Errorf("agx core: the program %s and its meta does not say so", c.name)
		}
	}
	return p.checkEarly()
}

// checkEarly finds a linked program that tests at another time than its metadata says, and metadata for
// which a driver would keep fragments from early tests without need.
func (p *program) checkEarly() error {
	m, u := p.meta, &p.uses
	if m.Part != abi.PartLinked {
		return nil
	}
	early := m.EarlyFragmentTests
	for _, c := range []struct {
		what  string
		wrong bool
	}{
		{"it asks for early tests, and its first sample_mask is no test", early && u.kills && (u.killsFirst || !u.testsFirst)},
		{"it asks for early tests, and zs_emit tests again", early && (u.depth || u.stencil)},
		{"its meta says that it kills or tests samples, and it does not", m.Pass.WritesSampleMask && !u.kills},
		{"its meta says that it writes depth, and it does not", m.Pass.WritesDepth && !u.depth},
		{"its meta says that it writes stencil, and it does not", m.Pass.WritesStencil && !u.stencil},
		{"its meta says that it writes the tile, and it does not", m.Pass.WritesTile && !u.tileStores},
	} {
		if c.wrong {
			return fmt.Errorf("agx core: of early and late tests: %s", c.what)
		}
	}
	return nil
}

// leavesDepth reports whether a depth is among the results.
func (p *program) leavesDepth() bool {
	for i := range p.meta.Results {
		if p.meta.Results[i].Slot == ir.SlotDepth {
			return true
		}
	}
	return false
}
