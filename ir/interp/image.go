package interp

import (
	"nirc/internal/emu"
	"nirc/internal/lazy"
	"nirc/ir"
	"nirc/ir/optab"
)

// imageOp is what an image intrinsic does, whatever names its image.
type imageOp uint8

const (
	imageNone imageOp = iota
	imageLoad
	imageStore
	imageAtomic
	imageSwap
	imageSize
	imageLevels
	imageSamples
	imageIdentical
)

// image is an image intrinsic, taken apart.
type image struct {
	op            imageOp
	dim           emu.TexDim
	array, buffer bool
	writes        bool
	img           resource
	coord         []int32
	sample, lod   int32 // slots, -1 for none
	data          [][]int32
	bits          uint8 // of the data
	class         ir.TypeClass
	atomic        ir.AtomicOp
	comps         int // of the result, without residency
}

// imageOps gives what each image intrinsic does. The forms with a deref, an
// index and a handle stand for the same.
var imageOps = lazy.Value[*[ir.NumIntrinsics]imageOp]{Make: func() *[ir.NumIntrinsics]imageOp {
	t := new([ir.NumIntrinsics]imageOp)
	for i := range t {
		if m := ir.Intrinsic(i).Info().Mem; m.Space == ir.SpaceImage && m.Data != -1 == (m.Op != ir.MemLoad) {
			t[i] = map[optab.MemOp]imageOp{ir.MemLoad: imageLoad, ir.MemStore: imageStore, ir.MemAtomic: imageAtomic, ir.MemSwap: imageSwap}[m.Op]
		}
	}
	put := func(op imageOp, list ...ir.Intrinsic) {
		for _, i := range list {
			t[i] = op
		}
	}
	put(imageSize, ir.IntrImageDerefSize, ir.IntrImageSize, ir.IntrBindlessImageSize)
	put(imageLevels, ir.IntrImageDerefLevels, ir.IntrImageLevels, ir.IntrBindlessImageLevels)
	put(imageSamples, ir.IntrImageDerefSamples, ir.IntrImageSamples, ir.IntrBindlessImageSamples)
	put(imageIdentical, ir.IntrImageDerefSamplesIdentical, ir.IntrImageSamplesIdentical, ir.IntrBindlessImageSamplesIdentical)
	return t
}}

// imageAccess translates the image intrinsics; false: in is none of those that
// are supported.
func (c *compiler) imageAccess(in *ir.Instr) bool {
	op := imageOps.Get()[in.Intr]
	if op == imageNone {
		return false
	}
	dim := ir.Dim(in.Get(ir.IdxImageDim))
	if int(dim) >= len(texDims) || dim == ir.DimSubpass || dim == ir.DimSubpassMS {
		c.refuse(in, "storage images of dimension %s are not supported", dim)
		return true
	}
	m := &image{op: op, dim: texDims[dim], array: in.Get(ir.IdxImageArray) != 0, buffer: dim == ir.DimBuf, sample: -1, lod: -1}
	h := c.src(in, 0)
	m.img = resource{at: h[len(h)-1], add: uint32(in.Get(ir.IdxRangeBase))}
	one := func(i int) int32 { return c.src(in, i)[0] }
	switch op {
	case imageLoad:
		m.coord, m.sample, m.lod = c.src(in, 1), one(2), one(3)
		m.class = ir.UnpackALUType(in.Get(ir.IdxDestType)).Class
	case imageStore:
		m.coord, m.sample, m.lod, m.writes = c.src(in, 1), one(2), one(4), true
		m.data, m.bits = [][]int32{c.src(in, 3)}, in.Srcs[3].Def.BitSize
		m.class = ir.UnpackALUType(in.Get(ir.IdxSrcType)).Class
	case imageAtomic, imageSwap:
		m.coord, m.sample, m.writes = c.src(in, 1), one(2), true
		m.atomic, m.bits = ir.AtomicOp(in.Get(ir.IdxAtomicOp)), in.Def.BitSize
		m.data = [][]int32{c.src(in, 3)}
		if op == imageSwap {
			m.data = append(m.data, c.src(in, 4))
		}
		c.checkAtomic(in)
	case imageSize:
		m.lod = one(1)
	case imageIdentical:
		m.coord = c.src(in, 1)
	}
	i := inst{op: opImage, x: &extra{in: in, image: m}}
	if in.HasDef() {
		i.n, i.bits, i.dst = in.Def.NumComponents, in.Def.BitSize, c.dst(in)
		m.comps = int(i.n)
		switch in.Intr {
		case ir.IntrImageDerefSparseLoad, ir.IntrImageSparseLoad, ir.IntrBindlessImageSparseLoad:
			m.comps--
		}
	}
	if c.err == nil {
		c.emit(i)
	}
	return true
}

// at is the place of a texel: x, y, and slice or layer as emu.ImageView takes
// them.
func (w *Wave) imageAt(m *image, l int) (x, y, z int) {
	var c [4]int
	for k := range min(4, len(m.coord)) {
		c[k] = int(int32(w.regs[m.coord[k]+int32(l)]))
	}
	switch {
	case m.dim == emu.Tex1D && m.array:
		return c[0], 0, c[1]
	case m.dim == emu.Tex1D:
		return c[0], 0, 0
	case m.dim == emu.Tex2D && !m.array:
		return c[0], c[1], 0
	}
	return c[0], c[1], c[2]
}

// imageHas reports whether an image has the texel, or the level, that an intrinsic names.
func (w *Wave) imageHas(m *image, d *emu.Descriptor, l int) bool {
	x, y, z := w.imageAt(m, l)
	switch {
	case m.op == imageSize && !m.buffer:
		return uint(w.imageScalar(m.lod, l)) < uint(d.Image.QueryLevels())
	case m.op == imageSize || m.op == imageLevels || m.op == imageSamples:
		return true
	case m.buffer:
		return x >= 0 && uint64(x) < d.NumTexels()
	}
	return d.Image != nil && d.Image.Texel(x, y, z, w.imageScalar(m.lod, l), w.imageScalar(m.sample, l)) != nil
}

func (w *Wave) imageScalar(at int32, l int) int {
	if at < 0 {
		return 0
	}
	return int(int32(w.regs[at+int32(l)]))
}

// execImage runs an image intrinsic. Helper lanes write nothing.
func (w *Wave) execImage(i *inst) {
	m := i.x.image
	for _, lane := range w.on {
		l := int(lane)
		if m.writes && w.helper.Get(l) {
			continue
		}
		d := w.descriptor(m.img, l)
		if d.Type == emu.DescNone && m.op != imageSize && m.op != imageLevels && m.op != imageSamples {
			w.unboundAt(i.x.in, w.handle(m.img, l), l)
		}
		if w.p.texels && !w.imageHas(m, d, l) {
			w.strayTexel(i.x.in, l)
		}
		var v [4]uint64
		w.residency = emu.Resident
		switch m.op {
		case imageLoad:
			v = w.loadImage(i, m, d, l)
		case imageStore:
			w.storeImage(m, d, l)
			continue
		case imageAtomic, imageSwap:
			v[0] = w.atomicImage(m, d, l)
		case imageSize:
			if m.buffer {
				v[0] = d.NumTexels()
			} else {
				v = words4(d.Image.QuerySize(m.dim, m.array, w.imageScalar(m.lod, l)))
			}
		case imageLevels:
			v[0] = uint64(d.Image.QueryLevels())
		case imageSamples:
			v[0] = uint64(d.Image.QuerySamples())
		case imageIdentical:
			v[0] = truth(w.identicalImage(m, d, l))
		}
		for k := range m.comps {
			w.regs[i.dst+int32(k)*w.w+int32(l)] = v[k&3] & lowBits(i.bits)
		}
		if m.comps < int(i.n) {
			w.regs[i.dst+int32(m.comps)*w.w+int32(l)] = uint64(w.residency)
		}
	}
}

func (w *Wave) loadImage(i *inst, m *image, d *emu.Descriptor, l int) [4]uint64 {
	x, y, z := w.imageAt(m, l)
	w.noteTexel(m, d, l, emu.AccessRead, nil)
	if m.buffer {
		return convertTexel(d.LoadTexel(w.l.Env.Mem, uint64(x)), d.Format != nil && d.Format.IsWide(), m.class, i.bits)
	}
	if d.Image == nil || d.Image.Image == nil {
		return [4]uint64{}
	}
	lod, sample := w.imageScalar(m.lod, l), w.imageScalar(m.sample, l)
	w.residency = d.Image.LoadResidency(x, y, z, lod, sample)
	t := d.Image.Load(x, y, z, lod, sample)
	return convertTexel(t, wideView(d.Image), m.class, i.bits)
}

func (w *Wave) storeImage(m *image, d *emu.Descriptor, l int) {
	var t [4]uint32
	f := d.Format
	if !m.buffer {
		if d.Image == nil || d.Image.Image == nil {
			return
		}
		f = d.Image.TexelFormat()
	}
	wide := f != nil && f.IsWide()
	for k, s := range m.data[0] {
		v := w.regs[s+int32(l)]
		switch {
		case m.class == ir.ClassFloat && m.bits != 32:
			v = ir.FloatBits(ir.FloatValue(v, m.bits), 32)
		case m.class == ir.ClassInt && m.bits < 64:
			sh := 64 - m.bits
			v = uint64(int64(v<<sh) >> sh)
		}
		switch {
		case !wide:
			t[k&3] = uint32(v)
		case k < 2:
			t[2*k], t[2*k+1] = uint32(v), uint32(v>>32)
		}
	}
	x, y, z := w.imageAt(m, l)
	w.noteTexel(m, d, l, emu.AccessWrite, &t)
	if m.buffer {
		d.StoreTexel(w.l.Env.Mem, uint64(x), t)
		return
	}
	d.Image.Store(x, y, z, w.imageScalar(m.lod, l), w.imageScalar(m.sample, l), t)
}

func (w *Wave) atomicImage(m *image, d *emu.Descriptor, l int) uint64 {
	a := w.regs[m.data[0][0]+int32(l)]
	var b uint64
	if len(m.data) > 1 {
		b = w.regs[m.data[1][0]+int32(l)]
	}
	f := func(old uint64) uint64 { return w.atomicValue(m.atomic, m.bits, old, a, b) }
	x, y, z := w.imageAt(m, l)
	w.noteTexel(m, d, l, emu.AccessAtomic, nil)
	if m.buffer {
		if d.Format == nil || d.Format.Bytes != int(m.bits/8) {
			return 0
		}
		return d.AtomicTexel(w.l.Env.Mem, uint64(x), f)
	}
	if d.Image == nil || d.Image.Image == nil || d.Image.TexelFormat().Bytes != int(m.bits/8) {
		return 0
	}
	return d.Image.Atomic(x, y, z, w.imageScalar(m.sample, l), f)
}

func (w *Wave) identicalImage(m *image, d *emu.Descriptor, l int) bool {
	if d.Image == nil || d.Image.Image == nil {
		return true
	}
	x, y, z := w.imageAt(m, l)
	first := d.Image.Load(x, y, z, 0, 0)
	for s := 1; s < int(d.Image.QuerySamples()); s++ {
		if d.Image.Load(x, y, z, 0, s) != first {
			return false
		}
	}
	return true
}
