package core

import (
	"errors"
	"fmt"
	"math"

	"nirc/backend/ir3/abi"
	"nirc/backend/ir3/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

func floatOf(v uint32) float32 { return math.Float32frombits(v) }

// quadFiber is the fiber of each quad that a samgp is for, -1 of other instructions.
func (x *inst) quadFiber() int {
	if x.Op >= isa.OpSamgp0 && x.Op <= isa.OpSamgp3 {
		return int(x.Op - isa.OpSamgp0)
	}
	return -1
}

// execSample filters, gathers or asks for the LOD: instructions with a sampler.
// All fibers read before one writes: derivatives come from the neighbours'
// coordinates, and the result may take their registers.
func execSample(w *wave, x *inst) error {
	only := x.quadFiber()
	takes := func(lane int) bool { return w.exec.Get(lane) && (only < 0 || lane&3 == only) }
	var texels [128][4]uint32
	for lane := range w.n {
		if !takes(lane) {
			continue
		}
		d, res, err := w.texture(x, lane)
		if err != nil {
			return err
		}
		s, err := w.sampler(x, lane)
		if err != nil {
			return err
		}
		if x.Op != isa.OpGetlod {
			w.reachesTexture(x, lane, res)
		}
		op := w.sampleOp(x, lane, d)
		op.Lookup = w.looker(lane)
		switch x.Op {
		case isa.OpGetlod:
			level, lod := res.Image.QueryLod(s, &op)
			texels[lane] = [4]uint32{fixed8(level), fixed8(lod)}
		case isa.OpGather4r, isa.OpGather4g, isa.OpGather4b, isa.OpGather4a:
			texels[lane] = res.Image.Gather(s, &op, int(x.Op-isa.OpGather4r), nil)
		default:
			texels[lane] = res.Image.Sample(s, &op)
		}
		if x.Type == isa.TexResidency {
			texels[lane] = [4]uint32{op.Residency}
		}
	}
	for lane := range w.n {
		if takes(lane) {
			w.putTexel(x, lane, texels[lane])
		}
	}
	return nil
}

// fixed8 is signed fixed point with 8 fraction bits.
func fixed8(f float32) uint32 {
	return uint32(int32(max(-32768, min(32767, math.RoundToEven(float64(f)*256)))))
}

// doubtLeastLod is a doubt (emu.Launch.Doubt): what the LOD is where coordinates do not change. The field of a sampler's
// bias goes to -16 (otherLeastLod); the interpreter's number is the other reading.
const doubtLeastLod uint64 = 1

const otherLeastLod = -16

// sampleOp reads the source vectors of a lane (ir3.md §3.7).
func (w *wave) sampleOp(x *inst, lane int, d *abi.Descriptor) (op emu.SampleOp) {
	three := x.Flags&isa.Tex3D != 0
	dims := 2
	if three {
		dims = 3
	}
	op.Dim = texDim(d.View, three)
	if w.l.Doubt(doubtLeastLod) {
		op.LeastLod = otherLeastLod
	}
	src := x.Srcs[0]
	half := src.IsHalf()
	get := func(k, lane int) float32 {
		v := w.texGet(x, int(src.Val)+k, lane, half)
		if half {
			return h2f(v)
		}
		return floatOf(v)
	}
	at := 0
	for ; at < dims; at++ {
		op.Coord[at] = get(at, lane)
	}
	if x.Flags&isa.TexS != 0 {
		op.Compare, op.Ref = true, get(at, lane)
		at++
	}
	if x.Flags&isa.TexA != 0 {
		op.Array, op.Layer = true, float32(math.Floor(float64(get(at, lane))))
		at++
	}
	proj := -1
	if x.Flags&isa.TexP != 0 {
		proj = at
	}
	w.projected(&op, get, proj, lane, dims)
	second := x.Srcs[1]
	next := 0
	if x.Flags&isa.TexO != 0 {
		for ; next < dims; next++ {
			v := w.texGet(x, int(second.Val)+next, lane, second.IsHalf())
			if second.IsHalf() {
				v = uint32(int32(int16(v)))
			}
			op.Offset[next] = int32(v)
		}
	}
	w.lodOf(x, &op, get, lane, dims, max(at, 4), next, proj)
	if x.Flags&isa.TexClp != 0 {
		if x.Op == isa.OpSaml || x.Op == isa.OpSamb {
			next++
		}
		op.MinLod = w.second(x, next, lane)
	}
	return op
}

// second is a float of the second vector.
func (w *wave) second(x *inst, k, lane int) float32 {
	v := w.texGet(x, int(x.Srcs[1].Val)+k, lane, x.Srcs[1].IsHalf())
	if x.Srcs[1].IsHalf() {
		return h2f(v)
	}
	return floatOf(v)
}

// lodOf reads what the LOD comes from: component next of the second vector, derivatives from
// component base of the first on, or the quad.
func (w *wave) lodOf(x *inst, op *emu.SampleOp, get func(k, lane int) float32, lane, dims, base, next, proj int) {
	switch x.Op {
	case isa.OpSaml:
		op.Lod = w.second(x, next, lane)
	case isa.OpSamgq, isa.OpSamgp0, isa.OpSamgp1, isa.OpSamgp2, isa.OpSamgp3:
		op.Gradient = true
		for k := 0; k < dims; k++ {
			op.Ddx[k], op.Ddy[k] = get(base+k, lane), get(base+dims+k, lane)
		}
	case isa.OpSam, isa.OpSamb, isa.OpGetlod:
		if x.Op == isa.OpSamb {
			op.Bias = w.second(x, next, lane)
		}
		w.implicitGradient(op, get, proj, lane, dims)
	}
}

// projected divides the coordinates by the projector in component proj, if there is one.
func (w *wave) projected(op *emu.SampleOp, get func(k, lane int) float32, proj, lane, dims int) {
	if proj < 0 {
		return
	}
	q := get(proj, lane)
	for k := 0; k < dims; k++ {
		op.Coord[k] /= q
	}
	op.Ref /= q
}

// implicitGradient takes the derivatives from the lane's quad. Outside of
// fragment shaders, where checking mode has none of these lookups, the LOD is 0.
func (w *wave) implicitGradient(op *emu.SampleOp, get func(k, lane int) float32, proj, lane, dims int) {
	q := lane &^ 3
	if w.p.meta.Stage != ir.StageFragment || q+3 >= w.n {
		return
	}
	coord := func(k, lane int) float32 {
		c := get(k, lane)
		if proj >= 0 {
			c /= get(proj, lane)
		}
		return c
	}
	op.Gradient = true
	for k := 0; k < dims; k++ {
		op.Ddx[k] = coord(k, lane|1) - coord(k, lane&^1)
		op.Ddy[k] = coord(k, lane|2) - coord(k, lane&^2)
	}
}

// execIsam fetches a texel without a sampler, or loads from a buffer through
// the texture path: with .v consecutive elements, else (value, 0, 0, 1).
func execIsam(w *wave, x *inst) error {
	return w.eachTexel(x, func(lane int) (t [4]uint32, err error) {
		d, res, err := w.texture(x, lane)
		if err != nil {
			return t, err
		}
		if w.check != nil && x.Op != isa.OpIsam && (d.Kind == abi.Buffer || d.View.Dim == ir.DimBuf) {
			return t, errors.New("no code is known that fetches from a buffer by a level or a sample")
		}
		if d.Kind == abi.Buffer {
			return w.isamBuffer(x, lane)
		}
		w.reachesTexture(x, lane, res)
		return w.typed(x, w.fetchTexel(x, lane, d, res)), nil
	})
}

func (w *wave) isamBuffer(x *inst, lane int) (t [4]uint32, err error) {
	base, tex, _, _ := w.texNumbers(x, lane)
	b, err := w.resolve(base, tex)
	if err != nil {
		return t, err
	}
	s := x.Srcs[0]
	at := uint64(w.texGet(x, int(s.Val), lane, s.IsHalf()) + uint32(x.Off))
	n := int(b.elem)
	if x.Flags&isa.TexS != 0 {
		n = memBytes(x.Type)
	}
	if w.check != nil && n != memBytes(x.Type) {
		return t, fmt.Errorf("isam of %d bytes from a view of elements of %d, isam.v is missing", memBytes(x.Type), n)
	}
	for k := range t {
		switch {
		case x.WrMask>>k&1 == 0:
		case k == 0 || x.Flags&isa.TexS != 0:
			t[k] = w.loadOld(b, lane, (at+uint64(k))*uint64(n), n)
		case k == 3:
			t[k] = 1
		}
	}
	return t, nil
}

// fetchTexel reads a texel at integer coordinates; what follows the layer is
// the sample (isamm), and the second vector has offsets (.o) and the level (isaml).
func (w *wave) fetchTexel(x *inst, lane int, d *abi.Descriptor, res *emu.Descriptor) [4]uint32 {
	n1, n2, _ := x.TexSources()
	s := x.Srcs[0]
	var c [6]int
	for k := range min(n1, len(c)) {
		v := w.texGet(x, int(s.Val)+k, lane, s.IsHalf())
		if s.IsHalf() {
			v = uint32(int32(int16(v)))
		}
		c[k] = int(int32(v))
	}
	if d.View.Dim == ir.DimBuf && x.Type == isa.TexResidency {
		return [4]uint32{emu.Resident}
	}
	if d.View.Dim == ir.DimBuf {
		w.noteTexel(lane, d, res, [4]int{c[0]}, emu.AccessRead, nil)
		return res.LoadTexel(w.l.Env.Mem, uint64(uint32(c[0])))
	}
	three := x.Flags&isa.Tex3D != 0
	at := 2
	z := 0
	if three {
		z, at = c[2], 3
	}
	layer, sample, lod := 0, 0, 0
	if x.Flags&isa.TexA != 0 {
		layer, at = c[at], at+1
	}
	switch {
	case x.Op == isa.OpIsamm:
		sample = c[at]
	case d.View.MS && x.Flags&isa.TexA != 0: // a storage image
		layer, sample = sampleAt(d, res, layer)
	}
	second := func(k int) int {
		v := w.texGet(x, int(x.Srcs[1].Val)+k, lane, x.Srcs[1].IsHalf())
		if x.Srcs[1].IsHalf() {
			v = uint32(int32(int16(v)))
		}
		return int(int32(v))
	}
	if x.Op == isa.OpIsaml {
		lod = second(n2 - 1)
	}
	if x.Flags&isa.TexO != 0 {
		c[0], c[1] = c[0]+second(0), c[1]+second(1)
		if three {
			z += second(2)
		}
	}
	dim := texDim(d.View, three)
	if x.Type == isa.TexResidency {
		return [4]uint32{res.Image.Residency(dim, c[0], c[1], z, layer, lod, sample)}
	}
	w.looker(lane).Fetch(res.Image, dim, c[0], c[1], z, layer, lod, sample)
	return res.Image.Fetch(dim, c[0], c[1], z, layer, lod, sample)
}

// execGetbuf gives the number of elements of a buffer.
func execGetbuf(w *wave, x *inst) error {
	return w.eachTexel(x, func(lane int) (t [4]uint32, err error) {
		d, res, err := w.texture(x, lane)
		if err != nil {
			return t, err
		}
		n := uint32(res.NumTexels())
		if d.Kind == abi.Buffer {
			base, tex, _, _ := w.texNumbers(x, lane)
			b, err := w.resolve(base, tex)
			if err != nil {
				return t, err
			}
			n = uint32(b.size / uint64(max(b.elem, 1)))
		}
		return w.typed(x, [4]uint32{n, n, n, n}), nil
	})
}

// execGetsize gives the size of a level: x, y, z, and the layers in w.
func execGetsize(w *wave, x *inst) error {
	return w.eachTexel(x, func(lane int) (t [4]uint32, err error) {
		d, res, err := w.texture(x, lane)
		if err != nil {
			return t, err
		}
		if three := d.View.Dim == ir.Dim3D || d.View.Dim == ir.DimCube; w.p.gpu != nil && (three != (x.Flags&isa.Tex3D != 0) || d.View.Array != (x.Flags&isa.TexA != 0)) {
			return t, errors.New(".3d or .a is not what the texture is")
		}
		lod := int(int32(w.texGet(x, int(x.Srcs[0].Val), lane, x.Srcs[0].IsHalf())))
		dim := texDim(d.View, d.View.Dim == ir.Dim3D || d.View.Dim == ir.DimCube)
		size := res.Image.QuerySize(dim, d.View.Array, lod)
		if d.View.Array {
			n := 2
			if dim == emu.Tex1D {
				n = 1
			}
			size[3], size[n] = size[n], 0
		}
		return w.typed(x, size), nil
	})
}

// execGetinfo gives levels and samples; the codes of format and channel order
// are not known here.
func execGetinfo(w *wave, x *inst) error {
	if x.WrMask&3 != 0 {
		return fmt.Errorf("the format codes of getinfo are not supported by this core")
	}
	return w.eachTexel(x, func(lane int) (t [4]uint32, err error) {
		_, res, err := w.texture(x, lane)
		if err != nil {
			return t, err
		}
		return w.typed(x, [4]uint32{2: res.Image.QueryLevels(), 3: res.Image.QuerySamples()}), nil
	})
}

// prefetch does a texture lookup before the program starts.
func (w *wave) prefetch(p *abi.Prefetch) error {
	_, tex, err := w.descriptor(int(p.Set), uint32(p.Texture), false)
	if err != nil {
		return err
	}
	_, smp, err := w.descriptor(int(p.SamplerSet), uint32(p.Sampler), true)
	if err != nil {
		return err
	}
	coord := func(k, lane int) float32 {
		v, _ := w.corner(p.InLoc+k, lane)
		ij := w.l.Fragment[lane].Persp[emu.BaryPixel]
		return floatOf(interpolate(v, floatBits(ij[0]), floatBits(ij[1])))
	}
	for lane := range w.n {
		op := emu.SampleOp{Dim: emu.Tex2D, Coord: [3]float32{coord(0, lane), coord(1, lane)}}
		w.implicitGradient(&op, coord, -1, lane, 2)
		t := tex.Image.Sample(smp.Sampler, &op)
		for k := 0; k < 4; k++ {
			if p.Mask>>k&1 != 0 {
				w.laneSet(p.Reg+k, lane, false, t[k])
			}
		}
	}
	if w.check != nil {
		for k := 0; k < 4; k++ {
			if p.Mask>>k&1 != 0 {
				u := 2 * (p.Reg + k)
				w.check.pendSY[u].add(w.check.sy, w.all)
				w.check.pendSY[u+1].add(w.check.sy, w.all)
			}
		}
	}
	return nil
}
