package core

import (
	"errors"
	"fmt"
	"math"

	"nirc/backend/layout"
	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

// needsQuad reports whether a texture bundle takes derivatives from the quad.
func (w *wave) needsQuad(b *bundle) bool {
	return w.p.meta.Stage == ir.StageFragment && b.decode == nil &&
		(b.Tex.Op == isa.TexSample || b.Tex.Op == isa.TexDerivative)
}

// texIn is the file index of a texture input register.
func (w *wave) texIn(sel uint8) uint8 {
	if w.p.meta.Alias {
		return isa.RegConst + sel&1
	}
	return fileTexIn + sel&1
}

// component reads one component of an input register.
func (w *wave) component(t *thread, r isa.TexReg) uint32 {
	reg := &t.file[w.texIn(r.Select)]
	if r.Full {
		return uint32(element(reg, r.Comp*4, 32))
	}
	c := r.Comp
	if r.Upper {
		c += 4
	}
	return uint32(element(reg, c*2, 16))
}

// coords reads the coordinate operand; 16-bit floats are widened, 16-bit
// integers (fetch) sign-extended.
func (w *wave) coords(t *thread, x *isa.Texture) (v [4]uint32) {
	for i := range v {
		r := isa.TexReg{Full: x.CoordFull, Select: x.CoordSel, Upper: x.CoordUpper, Comp: uint8(x.CoordSwizzle.Lane(i))}
		v[i] = w.component(t, r)
		switch {
		case x.CoordFull:
		case x.Op == isa.TexFetch:
			v[i] = uint32(int32(int16(v[i])))
		default:
			v[i] = halfToSingle(v[i])
		}
	}
	return v
}

// texture performs a texture instruction for the threads of a quad that stand
// at it; nil are those elsewhere.
func (w *wave) texture(b *bundle, group *[4]*thread) error {
	x := &b.Tex
	var at [4][4]uint32
	whole := true
	for i, t := range group {
		if t == nil {
			whole = false
			continue
		}
		if w.check && w.needsQuad(b) {
			if err := w.before(t, b); err != nil {
				return err
			}
		}
		at[i] = w.coords(t, x)
	}
	for i, t := range group {
		if t == nil {
			continue
		}
		var v [4]uint32
		var err error
		switch x.Op {
		case isa.TexDerivative:
			v, err = w.derivative(x, &at, whole)
		case isa.TexSample, isa.TexSampleLod:
			v, err = w.sample(t, b, &at, i, whole)
		case isa.TexFetch:
			if m := w.p.meta; w.check && !m.FetchSampler && len(m.Samplers) == 0 {
				return errors.New("a texel is fetched without a valid sampler 0")
			}
			v, err = w.fetch(t, b, at[i])
		default:
			err = fmt.Errorf("the texture operation %s is not supported", x.Op)
		}
		if err != nil {
			return err
		}
		if x.Helpers == isa.HelpersSkip && t.helper {
			v = w.anything()
		}
		w.texResult(t, b, v)
		if x.Helpers == isa.HelpersKill && t.helper {
			w.end(t)
		}
	}
	for i, t := range group {
		if t != nil && t.state == ended {
			group[i] = nil
		}
	}
	return nil
}

// neighbour is the lane whose difference to lane 0 is the derivative of a quad,
// one value a quad.
func neighbour(vertical bool) int {
	if vertical {
		return 2
	}
	return 1
}

// derivative is that of a quad; where threads of it have ended or gone elsewhere it is
// anything.
func (w *wave) derivative(x *isa.Texture, at *[4][4]uint32, whole bool) (v [4]uint32, err error) {
	if x.Mode > isa.TexDdy {
		return v, fmt.Errorf("the derivative mode %d is not supported", x.Mode)
	}
	if !whole {
		return w.anything(), nil
	}
	n := neighbour(x.Mode == isa.TexDdy)
	for k := range v {
		v[k] = fbits(f32(at[n][k]) - f32(at[0][k]))
	}
	return v, nil
}

// texResult writes the result: swizzle, modifier, mask.
func (w *wave) texResult(t *thread, b *bundle, v [4]uint32) {
	x := &b.Tex
	reg := w.p.texResultReg(x)
	r, d := &t.file[reg], &t.def[reg]
	for i := range 4 {
		if x.Mask>>i&1 == 0 {
			continue
		}
		c := uint64(v[x.Swizzle.Lane(i)])
		if x.Type == isa.TexTypeFloat && x.Out != isa.OutNone {
			o := inst{bits: 32, out: x.Out}
			c = o.clamp(c)
		}
		off, m := uint(i)*32, mask(32)
		if !x.Full {
			off, m = uint(i)*16, mask(16)
			if x.Upper {
				off += 64
			}
			if x.Type == isa.TexTypeFloat {
				c = fromF(16, isa.RoundE, toF(32, c), 0)
			}
		}
		r[off>>6] = r[off>>6]&^(m<<(off&63)) | c&m<<(off&63)
		d[off>>6] |= m << (off & 63)
	}
}

// handle resolves a texture or sampler field.
func (w *wave) handle(t *thread, reg bool, v uint16) int {
	if reg {
		return int(int32(w.component(t, isa.TexSelector(v))))
	}
	return int(v)
}

func (w *wave) view(t *thread, x *isa.Texture) (*abi.Texture, *emu.Descriptor, error) {
	i := w.handle(t, x.TextureReg, x.Texture)
	at, d := w.bound(&abi.TextureTable, i)
	if d == nil {
		return nil, nil, fmt.Errorf("texture %d: the pipeline's layout has none there", i)
	}
	e, err := w.textureOf(i, at, d)
	if err != nil {
		return nil, nil, err
	}
	want := [4]isa.TexDim{emu.Tex1D: isa.Tex1D, emu.Tex2D: isa.Tex2D, emu.Tex3D: isa.Tex3D, emu.TexCube: isa.TexCube}
	if shape := shapeOf(e.Dim); want[shape] != x.Dim && w.check {
		return nil, nil, fmt.Errorf("texture %d has the dimension code %d in its table entry, %d in the instruction", i, want[shape], x.Dim)
	}
	return e, d, nil
}

// textureOf is what the metadata says of an entry of the texture table, which holds at, and d there: of several shapes that which
// suits d.
func (w *wave) textureOf(n int, at layout.Entry, d *emu.Descriptor) (found *abi.Texture, err error) {
	best := -1
	for i := range w.p.meta.Textures {
		x := &w.p.meta.Textures[i]
		if !x.Has(uint32(n)) {
			continue
		}
		if x.Set != at.Set || x.Binding != at.Binding {
			return nil, fmt.Errorf("texture %d is binding %d of set %d by the pipeline's layout, binding %d of set %d by the metadata", n, at.Binding, at.Set, x.Binding, x.Set)
		}
		if k := d.Suits(x.Dim, x.Array); k > best {
			found, best = x, k
		}
	}
	if found == nil {
		return nil, fmt.Errorf("texture %d is none of the metadata's", n)
	}
	return found, nil
}

func (w *wave) offsets(t *thread, x *isa.Texture) (o [3]int32) {
	if !x.OffsetReg {
		for i := range o {
			o[i] = int32(x.ImmOffset(i))
		}
		return o
	}
	r, s := x.OffsetRegister()
	for i := range o {
		r.Comp = uint8(s.Lane(i))
		v := w.component(t, r)
		if !r.Full {
			v = uint32(int32(int16(v)))
		}
		o[i] = int32(v)
	}
	return o
}

// lod is the level or bias operand of a sampling operation.
func (w *wave) lod(t *thread, x *isa.Texture) float32 {
	if !x.LodReg {
		return float32(x.LodValue())
	}
	r := isa.TexSelector(x.Lod & 0xff)
	v := w.component(t, r)
	if !r.Full {
		v = halfToSingle(v)
	}
	return f32(v)
}

func (w *wave) fetch(t *thread, b *bundle, at [4]uint32) (v [4]uint32, err error) {
	x := &b.Tex
	e, d, err := w.view(t, x)
	if err != nil {
		return v, err
	}
	if err := w.reaches(t, &abi.TextureTable, w.handle(t, x.TextureReg, x.Texture), d); err != nil {
		return v, err
	}
	if e.Dim == ir.DimBuf {
		if at[0] >= maxTexels {
			return [4]uint32{}, nil
		}
		return d.LoadTexel(w.l.Env.Mem, uint64(at[0])), nil
	}
	off := w.offsets(t, x)
	var c [4]int
	for i := range c {
		c[i] = int(int32(at[i]))
		if i < 3 {
			c[i] += int(off[i])
		}
	}
	lod := int(x.Lod & 0xff)
	if x.LodReg {
		lod = int(int32(w.component(t, isa.TexSelector(x.Lod&0xff))))
	}
	layer, sample := 0, 0
	if e.Array {
		layer = int(int32(at[3]))
	}
	if e.Dim == ir.DimMS || e.Dim == ir.DimSubpassMS {
		sample = int(int32(at[2]))
	}
	w.lookup(t, b).Fetch(d.Image, shapeOf(e.Dim), c[0], c[1], c[2], layer, lod, sample)
	return d.Image.Fetch(shapeOf(e.Dim), c[0], c[1], c[2], layer, lod, sample), nil
}

func (w *wave) sample(t *thread, b *bundle, at *[4][4]uint32, lane int, whole bool) (v [4]uint32, err error) {
	x := &b.Tex
	e, d, err := w.view(t, x)
	if err != nil {
		return v, err
	}
	if err := w.reaches(t, &abi.TextureTable, w.handle(t, x.TextureReg, x.Texture), d); err != nil {
		return v, err
	}
	si := w.handle(t, x.SamplerReg, x.Sampler)
	_, sd := w.bound(&abi.SamplerTable, si)
	if sd == nil {
		return v, fmt.Errorf("sampler %d: the pipeline's layout has none there", si)
	}
	sampler := sd.Sampler
	op := emu.SampleOp{Dim: shapeOf(e.Dim), Array: e.Array, Offset: w.offsets(t, x), MinLod: float32(math.Inf(-1)), Lookup: w.lookup(t, b)}
	op.Coord = coordOf(op.Dim, &at[lane])
	op.Layer = f32(at[lane][3])
	op.Ref = f32(at[lane][2])
	if x.Op == isa.TexSample {
		op.Bias = w.lod(t, x)
		if op.Gradient = whole; whole {
			dx, dy, o := coordOf(op.Dim, &at[1]), coordOf(op.Dim, &at[2]), coordOf(op.Dim, &at[0])
			for k := range o {
				op.Ddx[k], op.Ddy[k] = dx[k]-o[k], dy[k]-o[k]
			}
		}
	} else {
		op.Lod = w.lod(t, x)
		if w.p.meta.BrokenLOD && sampler != nil {
			free := *sampler
			free.LodBias, free.MinLod, free.MaxLod = 0, 0, emu.LodNone
			sampler = &free
		}
	}
	switch {
	case x.Mode == isa.TexNormal:
		return d.Image.Sample(sampler, &op), nil
	case x.Mode == isa.TexShadow:
		op.Compare = true
		v = d.Image.Sample(sampler, &op)
		return [4]uint32{v[0], v[0], v[0], v[0]}, nil
	case x.Mode == isa.TexGatherShadow:
		op.Compare = true
		return rows(d.Image.Gather(sampler, &op, 0, nil)), nil
	case x.Mode >= isa.TexGatherX && x.Mode < isa.TexGatherX+4:
		return rows(d.Image.Gather(sampler, &op, int(x.Mode-isa.TexGatherX), nil)), nil
	}
	return v, errors.New("the texture mode is not supported")
}

// rows orders the texels of a gather, which the API names (0, 1), (1, 1), (1, 0), (0, 0), row by row.
func rows(v [4]uint32) [4]uint32 { return [4]uint32{v[3], v[2], v[0], v[1]} }

// coordOf reads the coordinates, of a cube the direction that its pair means.
func coordOf(d emu.TexDim, at *[4]uint32) (c [3]float32) {
	if d == emu.TexCube {
		return cubeDirection(at[0], at[1])
	}
	return [3]float32{f32(at[0]), f32(at[1]), f32(at[2])}
}
