package core

import (
	"errors"
	"fmt"
	"math/bits"

	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/backend/layout"
	"nirc/internal/emu"
	"nirc/ir"
)

// bufferWidth is the width of the 2D shape that texel buffers have.
const bufferWidth = 16384

// texOperands are the places of a texture operation's operands.
type texOperands struct{ heap, tex, smp, coord *isa.Operand }

// descriptor finds the descriptor of a texture operand in a lane; write wants
// the descriptor for writing.
func (w *wave) descriptor(heap, tex *isa.Operand, lane int, write bool) (d *emu.Descriptor, e layout.Entry, err error) {
	var n int
	switch {
	case tex.Kind == isa.TS:
		n = int(tex.Val)
	case tex.Size == 16:
		n = int(w.value(tex, lane))
	default:
		return w.heapDescriptor(w.get64(heap, lane)+uint64(w.value(tex, lane)), write)
	}
	if n > 255 || w.p.states[0][n].State == nil {
		return nil, e, fmt.Errorf("texture state ts%d is given by nothing", n)
	}
	s := w.p.states[0][n].State
	if s.Write != write {
		return nil, e, fmt.Errorf("texture state ts%d holds the other kind of descriptor", n)
	}
	e.Set, e.Binding, e.Element = s.Set, s.Binding, s.Element
	return w.l.Env.Bindings.Lookup(s.Set, s.Binding, s.Element), e, nil
}

func (w *wave) heapDescriptor(addr uint64, write bool) (d *emu.Descriptor, e layout.Entry, err error) {
	off := addr - abi.HeapAddr
	if addr < abi.HeapAddr || off%abi.HeapEntrySize != 0 || off/abi.HeapEntrySize > 1<<32-1 {
		return nil, e, fmt.Errorf("address %#x is no descriptor of the heap", addr)
	}
	d, e, _ = w.heapEntry(uint32(off / abi.HeapEntrySize))
	if d == nil {
		return nil, e, fmt.Errorf("descriptor %d of the heap belongs to no binding", off/abi.HeapEntrySize)
	}
	if (e.Part != 0) != write {
		return nil, e, fmt.Errorf("descriptor %d of the heap is of the other kind", off/abi.HeapEntrySize)
	}
	return d, e, nil
}

// heapEntry finds what an entry of the heap, which is filled by the pipeline's layout, stands for (part 1 is for writes), and
// whether its depth counts cubes.
func (w *wave) heapEntry(n uint32) (d *emu.Descriptor, e layout.Entry, cubes bool) {
	e, ok := abi.Images.Lookup(w.l.Env.Layout, 0, n)
	if !ok {
		return nil, e, false
	}
	d = w.l.Env.Bindings.Lookup(e.Set, e.Binding, e.Element)
	layers := false
	for i := range w.p.meta.Heap {
		if h := &w.p.meta.Heap[i]; h.Set == e.Set && h.Binding == e.Binding {
			cubes, layers = cubes || h.Cubes, layers || !h.Cubes
		}
	}
	if cubes && layers { // images of other shapes too
		cubes = d.Suits(ir.DimCube, true) > d.Suits(ir.DimCube, false)
	}
	return d, e, cubes
}

// sampler finds the sampler of an operand: a state register, or an index into the sampler heap.
func (w *wave) sampler(o *isa.Operand, lane int) (*emu.Sampler, error) {
	n := int(w.value(o, lane))
	if o.Kind == isa.Reg {
		if e, ok := abi.SamplerHeap.Lookup(w.l.Env.Layout, 0, uint32(n)); ok {
			return w.l.Env.Bindings.Lookup(e.Set, e.Binding, e.Element).Sampler, nil
		}
		return nil, fmt.Errorf("entry %d of the sampler heap belongs to no binding", n)
	}
	if n > 255 || w.p.states[1][n].State == nil {
		return nil, fmt.Errorf("sampler state ss%d is given by nothing", n)
	}
	s := w.p.states[1][n].State
	return w.l.Env.Bindings.Lookup(s.Set, s.Binding, s.Element).Sampler, nil
}

// coords are the coordinates of a lane: raw numbers, layer and sample.
type coords struct {
	c             [3]uint32
	layer, sample uint32
}

// coords reads a coordinate run (agx.md §8.2). 16-bit ones are
// widened: as floats, or as integers.
func (w *wave) coords(o *isa.Operand, d isa.Dim, lane int, float bool) (c coords) {
	n, extra := d.Coords()
	short := o.Size == 16 && (!extra || int(o.Count) != 2*n+1)
	at, step, size := int(o.Val), 2, uint8(32)
	if short {
		step, size = 1, 16
	}
	for k := 0; k < n; k++ {
		v := w.get(at, size, lane)
		if short && float {
			v = halfToSingle(v)
		}
		c.c[k] = v
		at += step
	}
	if !extra {
		return c
	}
	v := w.get(at, 16, lane)
	switch d {
	case isa.Dim2DMS:
		c.sample = v
	case isa.Dim2DMSArray:
		c.sample, c.layer = v, w.get(at+1, 16, lane)
	default:
		c.layer = v
	}
	return c
}

func texDim(d isa.Dim) (dim emu.TexDim, array bool) {
	switch d {
	case isa.Dim1D:
		return emu.Tex1D, false
	case isa.Dim1DArray:
		return emu.Tex1D, true
	case isa.Dim3D:
		return emu.Tex3D, false
	case isa.DimCube:
		return emu.TexCube, false
	case isa.DimCubeArray:
		return emu.TexCube, true
	case isa.Dim2DArray, isa.Dim2DMSArray:
		return emu.Tex2D, true
	}
	return emu.Tex2D, false
}

// execTexture runs texture_sample and texture_load.
func execTexture(w *wave, x *inst) error {
	mode, _ := x.Field(isa.TexResidency)
	if mode&1 != 0 {
		return errKill
	}
	sparse := mode == 2
	var codes [lanes]uint32
	o := texOperands{&x.Srcs[0], &x.Srcs[1], &x.Srcs[2], &x.Srcs[3]}
	var out [lanes][4]uint32
	var integer [lanes]bool
	var d *emu.Descriptor
	var e layout.Entry
	var err error
	for lane := 0; lane < w.n; lane++ {
		if w.exec>>lane&1 == 0 {
			continue
		}
		if d == nil || o.tex.Kind != isa.TS {
			if d, e, err = w.descriptor(o.heap, o.tex, lane, false); err != nil {
				return err
			}
		}
		if d.Format == nil && d.Image == nil {
			if x.Op == isa.OpTextureLoad || x.Mode != isa.TexQueryLod {
				w.reachesTexture(d, &e, lane)
			}
			continue // nothing is bound: zeros
		}
		if d.Image != nil && d.Image.TexelFormat().IsWide() || d.Format != nil && d.Format.IsWide() {
			return errors.New("textures of 64-bit texels are not supported")
		}
		if d.Image != nil {
			if err := w.readsImage(x, d.Image.Image, lane); err != nil {
				return err
			}
			if err := w.check.dimension(d, x.Dim); err != nil {
				return err
			}
		}
		w.residency = emu.Resident
		if x.Op == isa.OpTextureLoad {
			out[lane], integer[lane] = w.fetch(x, d, &o, lane)
		} else if out[lane], err = w.sample(x, d, &o, lane); err != nil {
			return err
		} else {
			integer[lane] = d.Image.IsInteger() && x.Mode != isa.TexQueryLod
		}
		codes[lane] = w.residency
	}
	w.putTexels(x, &out, &integer)
	if sparse {
		w.putCodes(x, &codes)
	}
	return nil
}

// putCodes writes the residency codes after the texels: of each bit 0 counts, what the others are is not known.
func (w *wave) putCodes(x *inst, codes *[lanes]uint32) {
	at := int(x.Dst.Val) + 4*int(x.Dst.Size)/16
	if at+int(x.Dst.Size)/16 > 2*numRegs {
		return
	}
	var other poison
	if w.check != nil {
		other = w.newPoison()
		other.Mark("residency code's bits from 1 on of lane", 0, 1)
	}
	for lane := 0; lane < w.n; lane++ {
		if w.exec>>lane&1 != 0 {
			w.set(at, x.Dst.Size, lane, codes[lane]|other.next()&^1)
		}
	}
}

// putTexels writes the components that the mask names. It comes after all
// lanes have read their coordinates, which neighbours may need.
func (w *wave) putTexels(x *inst, out *[lanes][4]uint32, integer *[lanes]bool) {
	lost := w.lostTexels(x)
	for lane := 0; lane < w.n; lane++ {
		if w.exec>>lane&1 == 0 {
			continue
		}
		r := int(x.Dst.Val)
		for k := 0; k < 4; k++ {
			if x.Mask>>k&1 == 0 {
				continue
			}
			v := out[lane][k]
			if x.Dst.Size == 16 && !integer[lane] {
				v = round16(wideF(v))
			}
			w.set(r, x.Dst.Size, lane, v)
			r += int(x.Dst.Size) / 16
		}
		lost.fill(w, x, r, lane)
	}
}

// lostTexels is what stands in those of a texel's four registers that the mask of the instruction leaves over (agx.md §8.3).
type lostTexels struct{ poison }

func (w *wave) lostTexels(x *inst) (l lostTexels) {
	if w.check != nil && x.Mask != 15 {
		l.poison = w.newPoison()
		l.Mark("registers after a texel's components, of lane", 0, 2*(4-bits.OnesCount8(x.Mask)))
	}
	return l
}

// fill loses what was in a lane's registers from half r on.
func (l *lostTexels) fill(w *wave, x *inst, r, lane int) {
	if w.check == nil {
		return
	}
	for end := min(int(x.Dst.Val)+4*int(x.Dst.Size)/16, 2*numRegs); r < end; r += int(x.Dst.Size) / 16 {
		w.set(r, x.Dst.Size, lane, l.next())
	}
}

// bufferTexel numbers the texel of a texel buffer at a place of its 2D shape. One outside of that shape, to which
// hardware looks, has no number; stray reports that it lies there, after the end of the buffer.
func bufferTexel(x *inst, d *emu.Descriptor, px, py int) (i uint64, stray bool) {
	n := d.NumTexels()
	if x.Dim != isa.Dim2D {
		return uint64(int64(px)), false
	}
	if px < 0 || px >= bufferWidth || py < 0 || uint64(py) >= (n+bufferWidth-1)/bufferWidth {
		return n, false
	}
	i = uint64(py)*bufferWidth + uint64(px)
	return i, i >= n
}

// fetch reads a texel by integer coordinates.
func (w *wave) fetch(x *inst, d *emu.Descriptor, o *texOperands, lane int) ([4]uint32, bool) {
	c := w.coords(o.coord, x.Dim, lane, false)
	var off [3]int32
	if p := &x.Srcs[5]; p.Kind == isa.Reg && p.Size == 16 {
		off = texOffset(w.value(p, lane))
	}
	at := [3]int{}
	for k := range at {
		at[k] = int(int32(c.c[k])) + int(off[k])
	}
	if d.Format != nil {
		i, stray := bufferTexel(x, d, at[0], at[1])
		if stray && w.check != nil {
			g := w.newPoison()
			return [4]uint32{g.next(), g.next(), g.next(), g.next()}, true
		}
		w.tellTexel(x, lane, emu.Texel{D: d, X: int(i), InBuffer: true}, emu.AccessRead, nil)
		return d.LoadTexel(w.l.Env.Mem, i), d.Format.IsInteger()
	}
	lod := 0
	if x.Lod == isa.LodMin || x.Lod == isa.LodMinUniform {
		lod = int(int16(w.value(&x.Srcs[4], lane)))
	}
	dim, array := texDim(x.Dim)
	if w.check != nil && (uint(lod) >= uint(d.Image.NumMips()) || array && int(c.layer) >= d.Image.NumLayers()) {
		// Hardware checks the coordinates of the level alone.
		if width, height, _ := d.Image.Size(0); uint(at[0]) < uint(width) && uint(at[1]) < uint(height) {
			g := w.newPoison()
			return [4]uint32{g.next(), g.next(), g.next(), g.next()}, true
		}
	}
	t := emu.Texel{D: d, X: at[0], Y: at[1], Z: at[2], Mip: lod, Sample: int(c.sample)}
	if dim == emu.Tex1D {
		t.Y, t.Z = 0, 0
	}
	if dim != emu.Tex3D {
		t.Z = int(c.layer)
	}
	w.tellTexel(x, lane, t, emu.AccessRead, nil)
	w.residency = d.Image.Residency(dim, at[0], at[1], at[2], int(c.layer), lod, int(c.sample))
	return d.Image.Fetch(dim, at[0], at[1], at[2], int(c.layer), lod, int(c.sample)), d.Image.IsInteger()
}

// texOffset unpacks three signed offsets of 4 bits.
func texOffset(v uint32) (o [3]int32) {
	for k := range o {
		o[k] = int32(v>>(4*k)<<28) >> 28
	}
	return o
}

// sample filters, gathers or asks for the LOD.
func (w *wave) sample(x *inst, d *emu.Descriptor, o *texOperands, lane int) (t [4]uint32, err error) {
	if d.Image == nil {
		return t, errors.New("sampling a texel buffer is not supported")
	}
	s, err := w.sampler(o.smp, lane)
	if err != nil {
		return t, err
	}
	if s != nil && s.LodBias != 0 { // hardware samplers have none
		plain := *s
		plain.LodBias = 0
		s = &plain
	}
	op := emu.SampleOp{}
	if w.check != nil && !w.preamble {
		op.Lookup = emu.Lookup{Races: w.l.Races, Lane: lane, Place: uint32(w.at)}
	}
	op.Dim, op.Array = texDim(x.Dim)
	c := w.coords(o.coord, x.Dim, lane, true)
	op.Layer = float32(c.layer)
	if layers := d.Image.NumLayers(); w.check != nil && op.Array && x.Mode == isa.TexNormal {
		if op.Dim == emu.TexCube {
			layers /= 6
		}
		if int(c.layer) >= layers { // hardware clamps none
			g := w.newPoison()
			return [4]uint32{g.next(), g.next(), g.next(), g.next()}, nil
		}
	}
	for k := range op.Coord {
		op.Coord[k] = toF(c.c[k])
	}
	if x.Gather>>1 == 0 {
		w.sampleLod(x, o, lane, &op)
	}
	if p := &x.Srcs[5]; p.Kind == isa.Reg {
		at := int(p.Val)
		if op.Compare = x.Flags&isa.Compare != 0; op.Compare {
			op.Ref = toF(w.get(at, 32, lane))
			at += 2
		}
		if p.Size == 16 {
			op.Offset = texOffset(w.get(at, 16, lane))
		}
	}
	switch {
	case x.Mode == isa.TexQueryLod:
		level, lod := d.Image.QueryLod(s, &op)
		return [4]uint32{fbits(level), fbits(lod)}, nil
	case x.Mode != isa.TexNormal:
		return t, fmt.Errorf("texture mode %d is not supported", x.Mode)
	case x.Gather>>1 != 0:
		t = d.Image.Gather(s, &op, int(x.Gather>>2), nil)
	default:
		t = d.Image.Sample(s, &op)
	}
	w.residency = op.Residency
	return t, nil
}

// takesDerivatives reports whether an instruction of a fragment program looks at the other pixels of the quad for differences:
// derivatives, and lookups that choose their level by them.
func (x *inst) takesDerivatives() bool {
	switch x.Op {
	case isa.OpDfdx, isa.OpDfdy:
		return true
	case isa.OpTextureSample:
		switch x.Lod {
		case isa.LodMin, isa.LodMinUniform, isa.LodGrad, isa.LodGradMin:
			return false
		}
		return x.Gather>>1 == 0
	}
	return false
}

// sampleLod reads the level of detail operand, or takes the derivatives of the
// coordinates in the quad. Outside of fragment shaders, where checking mode has no such lookups, they are 0.
func (w *wave) sampleLod(x *inst, o *texOperands, lane int, op *emu.SampleOp) {
	l := &x.Srcs[4]
	half := func(i int) float32 {
		h := *l
		h.Val, h.Size = l.Val+int32(i), 16
		return toF(halfToSingle(w.value(&h, lane)))
	}
	implicit := w.p.meta.Stage == ir.StageFragment
	switch x.Lod {
	case isa.LodMin, isa.LodMinUniform:
		op.Lod = half(0)
		return
	case isa.LodGrad, isa.LodGradMin:
		n, _ := x.Dim.Coords()
		op.Gradient = true
		for k := 0; k < n; k++ {
			op.Ddx[k] = toF(w.get(int(l.Val)+4*k, 32, lane))
			op.Ddy[k] = toF(w.get(int(l.Val)+4*k+2, 32, lane))
		}
		if x.Lod == isa.LodGradMin {
			op.MinLod = half(4 * n)
		}
		return
	case isa.LodBias, isa.LodBiasUniform:
		op.Bias = half(0)
	case isa.LodBiasMin, isa.LodBiasMinUniform:
		op.Bias, op.MinLod = half(0), half(1)
	}
	if !implicit {
		return
	}
	op.Gradient = true
	base := lane &^ 3
	c0 := w.coords(o.coord, x.Dim, base, true)
	cx := w.coords(o.coord, x.Dim, base|1, true)
	cy := w.coords(o.coord, x.Dim, base|2, true)
	for k := range op.Ddx {
		op.Ddx[k] = toF(cx.c[k]) - toF(c0.c[k])
		op.Ddy[k] = toF(cy.c[k]) - toF(c0.c[k])
	}
}

// execImageWrite stores one texel a lane.
func execImageWrite(w *wave, x *inst) error {
	if x.Round != isa.RoundEven {
		return errors.New("image writes that round toward zero are not supported")
	}
	data, exec := &x.Srcs[0], w.storing()
	for lane := 0; lane < w.n; lane++ {
		if exec>>lane&1 == 0 {
			continue
		}
		d, e, err := w.descriptor(&x.Srcs[3], &x.Srcs[4], lane, true)
		if err != nil {
			return err
		}
		w.reachesTexture(d, &e, lane)
		f := d.Format
		if f == nil {
			if d.Image == nil {
				continue
			}
			f = d.Image.TexelFormat()
		}
		if f.IsWide() {
			return errors.New("images of 64-bit texels are not supported")
		}
		var t [4]uint32
		for k := range t {
			t[k] = w.get(int(data.Val)+k*int(data.Size)/16, data.Size, lane)
			switch {
			case data.Size != 16:
			case !f.IsInteger():
				t[k] = halfToSingle(t[k])
			case f.IsSigned():
				t[k] = uint32(int32(int16(t[k])))
			}
		}
		if err := w.storeTexel(x, d, lane, t); err != nil {
			return err
		}
	}
	return nil
}

// texelHalves is how many register halves of its texels an image_write takes: the format's components.
func (w *wave) texelHalves(x *inst) (n int) {
	for lane := range w.n {
		if w.exec>>lane&1 == 0 {
			continue
		}
		d, _, err := w.descriptor(&x.Srcs[3], &x.Srcs[4], lane, true)
		if err != nil {
			return x.Srcs[0].Halves() // it will be told
		}
		switch {
		case d.Format != nil:
			n = max(n, len(d.Format.Channels))
		case d.Image != nil:
			n = max(n, len(d.Image.TexelFormat().Channels))
		}
	}
	return n * int(x.Srcs[0].Size) / 16
}

func (w *wave) storeTexel(x *inst, d *emu.Descriptor, lane int, t [4]uint32) error {
	c := w.coords(&x.Srcs[1], x.Dim, lane, false)
	px, py, pz := int(int32(c.c[0])), int(int32(c.c[1])), int(int32(c.c[2]))
	if d.Format != nil {
		i, stray := bufferTexel(x, d, px, py)
		if stray && w.check != nil {
			return fmt.Errorf("texel %d is stored, of a texel buffer of %d", i, d.NumTexels())
		}
		w.tellTexel(x, lane, emu.Texel{D: d, X: int(i), InBuffer: true}, emu.AccessWrite, &t)
		d.StoreTexel(w.l.Env.Mem, i, t)
		return nil
	}
	w.wroteImage(d.Image.Image, lane, sawWrite)
	lod := int(w.value(&x.Srcs[2], lane))
	if n := d.Image.Image.Samples; n > 1 {
		// The descriptor for writing sees the memory of the image, a sample a texel.
		if n > 4 {
			return &emu.Unsupported{What: fmt.Sprintf("agx core: image_write to %d samples is not supported", n)}
		}
		if px < 0 || px >= abi.SamplesWidth || py < 0 {
			return nil
		}
		m := memoryOf(d.Image)
		if mx, my, mz, sample, ok := m.texel(py*abi.SamplesWidth + px); ok {
			w.tellTexel(x, lane, emu.Texel{D: d, X: mx, Y: my, Z: mz, Sample: sample}, emu.AccessWrite, &t)
			d.Image.Store(mx, my, mz, 0, sample, t)
		}
		return nil
	}
	switch x.Dim { // coordinates that it has not are 0
	case isa.Dim1D, isa.Dim2D, isa.Dim3D:
	case isa.Dim1DArray, isa.Dim2DArray:
		pz = int(c.layer)
	default:
		return fmt.Errorf("image_write of dimension %s is not supported", x.Dim)
	}
	w.tellTexel(x, lane, emu.Texel{D: d, X: px, Y: py, Z: pz, Mip: lod}, emu.AccessWrite, &t)
	d.Image.Store(px, py, pz, lod, 0, t)
	return nil
}

// heapBytes makes the rest of a descriptor in the heap, for code that reads
// sizes from it (agx.md §8.6). Sizes are those of the image's level
// 0, of texel buffers their number of elements; only write descriptors have addresses.
func (w *wave) heapBytes(off uint64) []byte {
	n := off / abi.HeapEntrySize
	if n > 1<<32-1 {
		return nil
	}
	if _, ok := abi.Images.Lookup(w.l.Env.Layout, 0, uint32(n)); !ok && w.check != nil {
		return nil
	}
	var b [abi.HeapEntrySize]byte
	bits := descBits{&b}
	d, e, cubes := w.heapEntry(uint32(n))
	write := e.Part != 0
	switch {
	case d == nil || d.Format == nil && d.Image == nil:
		if !write {
			bits.put(105, 1, 1)
		}
	case d.Format != nil && !write: // a write descriptor has abi.PlaceWord there
		bits.put(128, 32, uint32(min(d.NumTexels(), 1<<32-1)))
	case d.Image != nil:
		bits.image(d.Image, write, cubes)
	}
	if write && d != nil {
		w.describeMemory(bits, d, &e)
	}
	return b[off%abi.HeapEntrySize:]
}

// layoutTwiddled is the layout of images in tiles (agx.md §8.6); that of texel buffers, in rows, is 0.
const layoutTwiddled = 2

// descBits writes fields of a descriptor.
type descBits struct{ b *[abi.HeapEntrySize]byte }

func (d descBits) put(at, n int, v uint32) {
	for i := 0; i < n; i++ {
		d.b[(at+i)/8] |= byte(v>>i&1) << ((at + i) % 8)
	}
}

func (d descBits) image(v *emu.ImageView, write, cubes bool) {
	m := v.Image
	samples := max(1, m.Samples)
	layers := v.NumLayers()
	if m.Depth > 1 {
		layers = m.Depth
	}
	if cubes {
		layers /= 6
	}
	d.put(4, 2, layoutTwiddled)
	if write {
		d.put(24, 14, uint32(m.Width-1))
		d.put(38, 14, uint32(m.Height-1))
		d.put(100, 4, uint32(v.BaseMip))
		d.put(104, 4, uint32(max(1, m.Mips)-1))
		d.put(108, 14, uint32(layers-1))
		return
	}
	d.put(28, 14, uint32(m.Width-1))
	d.put(42, 14, uint32(m.Height-1))
	d.put(56, 4, uint32(v.BaseMip))
	d.put(60, 4, uint32(v.BaseMip+v.NumMips()-1))
	d.put(64, 1, uint32(samples>>2&1))
	d.put(110, 14, uint32(layers-1))
}
