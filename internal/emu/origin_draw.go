package emu

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"

	"nirc/ir"
)

// A small draw of the checking mode runs a second time too (origin.go), with other garbage in what its
// waves hold; both have to leave the same texels and the same memory, except for the components of
// colours that the fragment shader leaves out of its outputs: Vulkan has them undefined.

// Bounds of draws that run twice.
const (
	maxTwiceVertices = 1 << 8
	maxTwicePixels   = 1 << 12
	maxTwiceDrawn    = 1 << 20 // bytes of memory, images and attachments
	maxTwiceFuel     = 1 << 19 // instructions of all lanes
)

// drawSwaps put other garbage in place of that of the waves from first to before end.
type drawSwaps struct {
	first, end int
	from, to   int // of a wave's draws
	stages     []ir.Stage
	made       map[int]*swap
}

// of is the swap of the next wave, nil if its garbage stays.
func (s *drawSwaps) of(stage ir.Stage) *swap {
	if s == nil {
		return nil
	}
	n := len(s.stages)
	s.stages = append(s.stages, stage)
	if n < s.first || n >= s.end {
		return nil
	}
	x := &swap{other: Poison(fork(uint64(n)+2, 0x64726177)), from: s.from, to: s.to}
	s.made[n] = x
	return x
}

// twiceSmall reports whether a second run of a draw costs little.
func (d *drawer) twiceSmall() bool {
	p := d.params
	area := d.area
	if uint64(p.VertexCount)*uint64(p.InstanceCount) > maxTwiceVertices || p.Feedback != nil || d.p.Env.Mem == nil || area.x1 <= area.x0 || area.y1 <= area.y0 {
		return false
	}
	if uint64(area.x1-area.x0)*uint64(area.y1-area.y0)*uint64(d.samples) > maxTwicePixels {
		return false
	}
	n := 0
	d.eachByte(func(b []byte, _ *drawnTo) { n += len(b) })
	return n <= maxTwiceDrawn
}

// drawnTo is an attachment, and which components of it a fragment shader gives.
type drawnTo struct {
	name string
	view *ImageView
	mask uint8
}

// eachByte gives all bytes that a draw may change once, those of attachments with what they are: they may be memory of a
// buffer too.
func (d *drawer) eachByte(f func(b []byte, to *drawnTo)) {
	attached := map[*byte]int{}
	view := func(v *ImageView, name string, mask uint8) {
		if v != nil && v.Image != nil && len(v.Image.Data) > 0 {
			attached[&v.Image.Data[0]] = len(v.Image.Data)
			f(v.Image.Data, &drawnTo{name, v, mask})
		}
	}
	for i := range d.p.Color {
		mask := d.givenColor(i)
		view(d.p.Color[i].View, fmt.Sprintf("colour attachment %d", i), mask)
		view(d.p.Color[i].Resolve, fmt.Sprintf("what colour attachment %d resolves to", i), mask)
	}
	view(d.p.DepthStencil.View, "the depth and stencil attachment", 15)
	view(d.p.DepthStencil.Resolve, "what the depth and stencil attachment resolves to", 15)
	d.p.Env.each(func(b []byte) {
		if len(b) > 0 {
			b = b[min(attached[&b[0]], len(b)):]
		}
		if len(b) > 0 {
			f(b, nil)
		}
	})
}

// givenColor are the components of a colour attachment that are as the fragment shader says: none if blending
// mixes them with others.
func (d *drawer) givenColor(i int) (mask uint8) {
	if d.p.Fragment == nil {
		return 0
	}
	for _, o := range d.p.Fragment.IO().Outputs {
		if o.Slot == ir.SlotData0+ir.Slot(i) {
			mask |= o.Mask
		}
	}
	if mixed := i < len(d.p.Blend.Attachments) && d.p.Blend.Attachments[i].Enable || d.p.Multisample.AlphaToCoverage; mixed && mask != 15 {
		return 0
	}
	return mask
}

// restoreBytes puts back what eachByte gave.
func (d *drawer) restoreBytes(list [][]byte) {
	k := 0
	d.eachByte(func(b []byte, _ *drawnTo) {
		copy(b, list[k])
		k++
	})
}

func (d *drawer) saveBytes() (list [][]byte) {
	d.eachByte(func(b []byte, _ *drawnTo) { list = append(list, bytes.Clone(b)) })
	return list
}

// twice runs the draw, and again with other garbage.
func (d *drawer) twice(ctx context.Context) error {
	before, left, oob := d.saveBytes(), d.meter.left.Load(), d.p.Env.Mem.OutOfBounds
	if err := d.once(); err != nil || left-d.meter.left.Load() > maxTwiceFuel {
		return err
	}
	r := drawnAgain{d: d, ctx: ctx, before: before, after: d.saveBytes()}
	kept := d.p.Env.Mem.OutOfBounds
	defer func() {
		d.restoreBytes(r.after)
		d.p.Env.Mem.OutOfBounds = kept
	}()
	d.p.Env.Mem.OutOfBounds = oob
	diff, s := r.run(0, math.MaxInt, 0, math.MaxInt)
	if diff == "" {
		return nil
	}
	return errors.New("emu: " + diff + " hangs on what nothing wrote, " + r.origin(len(s.stages)))
}

// drawnAgain makes runs of a draw with other garbage.
type drawnAgain struct {
	d             *drawer
	ctx           context.Context
	before, after [][]byte
}

// run swaps the garbage of the waves from first to before end, in their draws from one to before another, and
// says what the run leaves that the first one did not.
func (r *drawnAgain) run(first, end, from, to int) (diff string, s *drawSwaps) {
	r.d.restoreBytes(r.before)
	params := *r.d.params
	params.Stats = nil
	d := newDrawer(r.ctx, r.d.p, &params)
	s = &drawSwaps{first: first, end: end, from: from, to: to, made: map[int]*swap{}}
	d.swaps = s
	d.meter.left.Store(min(d.meter.left.Load(), 8*maxTwiceFuel))
	err := d.prepare()
	if err == nil {
		err = d.once()
	}
	if err != nil {
		return fmt.Sprintf("an error (%v)", err), s
	}
	k := 0
	r.d.eachByte(func(b []byte, to *drawnTo) {
		was := r.after[k]
		k++
		switch {
		case diff != "" || bytes.Equal(b, was):
		case to == nil:
			diff = r.placeInMemory(b, was)
		default:
			diff = to.differs(b, was)
		}
	})
	return diff, s
}

// placeInMemory says where the first byte is that two runs leave different.
func (r *drawnAgain) placeInMemory(b, was []byte) string {
	at := 0
	for b[at] == was[at] {
		at++
	}
	for _, x := range r.d.p.Env.Mem.bufs {
		if data := x.Data[:cap(x.Data)]; len(data) > 0 && &data[0] == &b[0] {
			return fmt.Sprintf("what is stored at address %#x (%#x or %#x)", x.Addr+uint64(at), was[at], b[at])
		}
	}
	return fmt.Sprintf("a texel that is stored (byte %d is %#x or %#x)", at, was[at], b[at])
}

// differs names the first texel that two runs leave different in what the shader gives, "" if there is none.
func (t *drawnTo) differs(b, was []byte) string {
	f := t.view.TexelFormat()
	for o := 0; o+f.Bytes <= len(b); o += f.Bytes {
		if bytes.Equal(b[o:o+f.Bytes], was[o:o+f.Bytes]) {
			continue
		}
		var v, w [4]uint32
		f.Unpack(b[o:o+f.Bytes], &v)
		f.Unpack(was[o:o+f.Bytes], &w)
		for c := range v {
			if t.mask>>c&1 != 0 && v[c] != w[c] {
				return fmt.Sprintf("%s at %s (component %d is %#x or %#x)", t.name, t.placeOf(o), c, w[c], v[c])
			}
		}
	}
	return ""
}

// placeOf says which texel of the view's level stands at an offset.
func (t *drawnTo) placeOf(offset int) string {
	m := t.view.Image
	if t.view.BaseMip > 0 {
		offset -= m.levelOffset(t.view.BaseMip)
	}
	w, h, _ := m.LevelSize(t.view.BaseMip)
	n, samples := offset/m.Format.Bytes, max(1, m.Samples)
	pixel := n / samples
	return fmt.Sprintf("(%d, %d), layer %d, sample %d", pixel%w, pixel/w%h, pixel/w/h, n%samples)
}

// origin finds the garbage that makes the difference: the wave of so many, then its draw.
func (r *drawnAgain) origin(waves int) string {
	differs := func(first, end, from, to int) bool {
		diff, _ := r.run(first, end, from, to)
		return diff != ""
	}
	first, end := halve(0, waves, func(lo, hi int) bool { return differs(lo, hi, 0, math.MaxInt) })
	if end-first > 1 {
		return "garbage of several waves"
	}
	_, s := r.run(first, end, 0, math.MaxInt)
	x := s.made[first]
	if x == nil {
		return "garbage of another wave"
	}
	lo, hi := halve(0, x.drawn, func(lo, hi int) bool { return differs(first, end, lo, hi) })
	name := x.name(lo)
	if hi-lo > 1 {
		name += " to " + x.name(hi-1)
	}
	return fmt.Sprintf("%s of wave %d, of the %s stage", name, first, s.stages[first])
}

// halve narrows a range down while one half of it alone does.
func halve(lo, hi int, does func(lo, hi int) bool) (int, int) {
	for hi-lo > 1 {
		mid := (lo + hi) / 2
		switch {
		case does(lo, mid):
			hi = mid
		case does(mid, hi):
			lo = mid
		default:
			return lo, hi
		}
	}
	return lo, hi
}
