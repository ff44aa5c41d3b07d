package core

import (
	"errors"
	"fmt"
	"slices"

	"nirc/backend/agx/abi"
	"nirc/internal/emu"
	"nirc/ir"
)

// The record of a vertex and what becomes of it. Its words go to fixed functions by what the
// metadata say, and to fragment programs by groups alone: those that are interpolated smoothly, the
// flat and the linear ones, as the driver counts them (abi.Place). So a shader that stores a
// varying elsewhere gives the fragment program the value of another.

// maxUserWords is how many user words a vertex hands on: those of the slots from SlotPatch0 on,
// which outputs of vertices leave free.
const maxUserWords = 4 * int(ir.NumVaryingSlots-ir.SlotPatch0)

// userWord is where a user word stands in the outputs of a vertex.
func userWord(out *emu.Slots, word int) *uint32 {
	word -= abi.UserWord
	return &out[int(ir.SlotPatch0)+word/4][word%4]
}

// indexRecord finds out which words there are.
func (p *program) indexRecord() error {
	m := p.meta
	words := m.Place(&abi.Interps{})
	user := words.Smooth + words.Flat + words.Linear
	if user > maxUserWords {
		return &emu.Unsupported{What: fmt.Sprintf("%d words of varyings are not supported", user)}
	}
	var given [256]bool
	give := func(at, n int) error {
		for i := at; i < at+n; i++ {
			if i < 0 || i > 255 {
				return fmt.Errorf("agx core: output word %d does not exist", i)
			}
			if given[i] {
				return fmt.Errorf("agx core: output word %d is given twice", i)
			}
			given[i], p.record = true, max(p.record, i+1)
		}
		return nil
	}
	if err := give(abi.UserWord, user); err != nil {
		return err
	}
	for _, v := range m.Varyings {
		if v.User {
			continue
		}
		if err := give(v.Word, int(v.Count)); err != nil {
			return err
		}
	}
	if m.LayerViewportWord > 0 {
		return give(m.LayerViewportWord, 1)
	}
	return nil
}

// lastStage is the program that runs before the rasteriser of a draw, nil if another core has it.
func lastStage(d *emu.Pipeline) *program {
	if d == nil {
		return nil
	}
	last := d.Vertex
	if d.TessEval != nil {
		last = d.TessEval
	}
	if d.Geometry != nil {
		last = d.Geometry
	}
	p, _ := last.(*program)
	if p != nil && p.raster != nil {
		p = p.raster
	}
	return p
}

// placed is where the driver places the varyings of a vertex stage in the draw.
func (w *wave) placed() *abi.Words {
	if w.words == nil {
		var read abi.Interps
		if d := w.l.Draw; d != nil && d.Fragment != nil {
			for _, in := range d.Fragment.IO().Inputs {
				read.Set(in.Slot, in.Mask, in.Interp)
			}
		}
		words := w.p.meta.Place(&read)
		w.words = &words
	}
	return w.words
}

// firstFan reports whether the draw is one of fans whose first vertex provokes.
func (w *wave) firstFan() bool {
	d := w.l.Draw
	return d != nil && d.Topology == emu.TriangleFan && !d.Raster.ProvokingLast && d.TessEval == nil && d.Geometry == nil && !w.p.meta.Lists
}

// The doubts of a wave (emu.Launch.Doubt), see agx.md §16.1.
const (
	doubtMiddleWord  uint64 = iota + 1 // the value of a primitive's second vertex stands in word b of its register
	doubtVertexOrder                   // the triangles of strips and fans begin at another vertex than Vulkan's do
)

// vertexOf is the vertex, by Vulkan's order, that the hardware numbers so.
func (w *wave) vertexOf(n int) int {
	d := w.l.Draw
	strip := d != nil && (d.Topology == emu.TriangleStrip || d.Topology == emu.TriangleFan) && d.TessEval == nil && d.Geometry == nil
	if strip && !w.p.meta.Lists && w.l.Doubt(doubtVertexOrder) {
		return (n + 1) % 3
	}
	return n
}

// cornerPlane is the coefficient register that has the value of a vertex.
func (w *wave) cornerPlane(c coef, v uint32) [3]uint32 {
	if c.Vertex == 2 && w.l.Doubt(doubtMiddleWord) {
		return [3]uint32{w.junk(), v, w.junk()}
	}
	return [3]uint32{w.junk(), w.junk(), v}
}

// varyingUniform fills a uniform that tells of varyings; false if k is none.
func (w *wave) varyingUniform(u *abi.Uniform, to []uint32) bool {
	slot := ir.Slot(u.Element)
	switch u.Kind {
	case abi.UniformVaryingWord:
		to[0] = uint32(w.placed().At[slot%ir.NumVaryingSlots][u.Offset/4&3])
	case abi.UniformFirstFan:
		to[0] = 0
		if w.firstFan() {
			to[0] = 1
		}
	case abi.UniformMiddleWord:
		to[0] = 0
		if w.l.Doubt(doubtMiddleWord) {
			to[0] = 1
		}
	case abi.UniformSlotWritten:
		to[0] = 0
		if w.frag != nil && w.frag.words != nil {
			if _, ok := w.frag.word(slot%ir.NumVaryingSlots, 0); ok {
				to[0] = ^uint32(0)
			}
		} else if d := w.l.Draw; d != nil && writes(d, slot) {
			to[0] = ^uint32(0)
		}
	default:
		return false
	}
	return true
}

// writes reports whether the last stage before the rasteriser of another core writes a slot.
func writes(d *emu.Pipeline, slot ir.Slot) bool {
	last := d.Vertex
	if d.TessEval != nil {
		last = d.TessEval
	}
	if d.Geometry != nil {
		last = d.Geometry
	}
	for _, o := range last.IO().Outputs {
		if o.Slot == slot {
			return true
		}
	}
	return false
}

// startRecord makes room for the records of the lanes.
func (w *wave) startRecord() {
	w.record = make([]uint32, w.n*w.p.record)
	if w.check != nil {
		p := w.newPoison()
		for i := range w.record {
			w.record[i] = p.next()
		}
	}
}

// execStVar stores a word of the vertex's output record.
func execStVar(w *wave, x *inst) error {
	if w.p.meta.Stage != ir.StageVertex {
		return errNoVertex
	}
	for lane := 0; lane < w.n; lane++ {
		if w.exec>>lane&1 == 0 {
			continue
		}
		n := int(w.value(&x.Srcs[1], lane))
		if n < w.p.record && len(w.record) > 0 {
			w.record[lane*w.p.record+n] = w.get(int(x.Srcs[0].Val), 32, lane)
		} else if w.check != nil {
			return fmt.Errorf("output word %d is given to nothing", n)
		}
	}
	return nil
}

// drawsPoints reports whether the wave is of the last stage of a draw of points.
func (w *wave) drawsPoints() bool {
	d := w.l.Draw
	switch {
	case d == nil || d.Raster.Discard || lastStage(d) != w.p:
		return false
	case d.Geometry != nil:
		g, ok := d.Geometry.(*program)
		return ok && g.meta.Geometry.OutPrimitive == ir.OutPoints
	case d.TessEval != nil:
		return w.p.meta.Tess != nil && w.p.meta.Tess.PointMode
	}
	return d.Topology == emu.PointList
}

// finishRecord hands the records of the lanes to what reads them.
func (w *wave) finishRecord() error {
	words := w.placed()
	user := abi.UserWord + words.Smooth + words.Flat + words.Linear
	if w.check != nil && w.drawsPoints() && !slices.ContainsFunc(w.p.meta.Varyings, func(v abi.Varying) bool { return v.Slot == ir.SlotPointSize }) {
		return errors.New("points are drawn, and the program stores no size for them")
	}
	for lane := range w.n {
		record, out := w.record[lane*w.p.record:(lane+1)*w.p.record], &w.l.Out[lane]
		for n := abi.UserWord; n < user; n++ {
			*userWord(out, n) = record[n]
		}
		for _, v := range w.p.meta.Varyings {
			at := v.Word
			if v.User {
				at = words.At[v.Slot][v.First]
			}
			for c, n := range record[at : at+int(v.Count)] {
				out[v.Slot][int(v.First)+c] = n
			}
		}
		// What fixed functions read comes last: user varyings of the same slots are only copies.
		for _, v := range w.p.meta.Varyings {
			if v.User {
				continue
			}
			copy(out[v.Slot][v.First:v.First+v.Count], record[v.Word:])
			if size := wideF(out[v.Slot][0]); w.check != nil && v.Slot == ir.SlotPointSize && !(size >= 1 && size <= 512) {
				return fmt.Errorf("a point size of %v, which hardware does not draw", size)
			}
		}
		if n := w.p.meta.LayerViewportWord; n > 0 {
			out[ir.SlotLayer][0], out[ir.SlotViewport][0] = record[n]&0xffff, record[n]>>16
		}
	}
	return nil
}

// word is the word of a component of a slot that the fragment program reads.
func (f *fragState) word(slot ir.Slot, comp uint8) (int, bool) {
	if f.words == nil {
		return 0, false
	}
	return f.words.Word(slot, comp)
}

// varying is a component of a slot at vertex k, as the coefficient registers are bound to the
// record; garbage where the stage before leaves none.
func (w *wave) varying(f *emu.FragmentLane, slot ir.Slot, comp uint8, k int) uint32 {
	v := f.Prim.V[k]
	switch {
	case v == nil:
		return 0
	case w.frag.words == nil || slot == ir.SlotPos:
		return v[slot][comp&3]
	}
	if n, ok := w.frag.word(slot, comp); ok {
		return *userWord(v, n)
	}
	return w.junk()
}

// junk is a word that holds nothing.
func (w *wave) junk() uint32 {
	if w.check == nil {
		return 0
	}
	return w.frag.garbage.next()
}

// invalidPlane is word a of a coefficient register without a plane: bit 0 of a number that is not
// normal (agx.md §9.1).
const invalidPlane = 1

// flatPlane is the coefficient register of a flat input.
func (w *wave) flatPlane(v uint32) [3]uint32 {
	if w.firstFan() {
		return [3]uint32{w.junk(), v, w.junk()}
	}
	return [3]uint32{w.junk(), w.junk(), v}
}
