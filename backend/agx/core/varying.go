package core

import (
	"errors"
	"fmt"

	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

// place is where a varying is evaluated: a window position with the weights
// of the vertices there.
type place struct {
	x, y   float32
	center bool
	persp  [2]float32
	linear [2]float32
}

// place resolves an interpolation of a lane.
func (w *wave) place(x *inst, lane int, sample *isa.Operand) (p place, err error) {
	f := &w.l.Fragment[lane]
	if f.Prim == nil {
		return p, errors.New("the fragment has no primitive")
	}
	kind := emu.BaryPixel
	p = place{x: float32(f.X) + 0.5, y: float32(f.Y) + 0.5, center: true}
	switch x.Interp {
	case isa.InterpCentroid:
		kind, p.center = emu.BaryCentroid, f.Prim.Samples <= 1
	case isa.InterpSample, isa.InterpSampleRegister:
		number := w.value(sample, lane)
		if uint64(number) >= uint64(max(1, f.Prim.Samples)) {
			// The place of a sample that does not exist is anywhere in the pixel but the centre.
			at := w.frag.garbage.next()
			p.center, p.x, p.y = false, float32(f.X)+float32(at&7*2+1)/16, float32(f.Y)+float32(at>>3&7*2+1)/16
			err = p.weigh(f.Prim)
			return p, err
		}
		n := int(number)
		p.center = false
		if f.Prim.SamplePos != nil {
			sx, sy := f.Prim.SamplePos(n)
			p.x, p.y = float32(f.X)+sx, float32(f.Y)+sy
		}
		if int(f.SampleID) != n {
			err = p.weigh(f.Prim)
			return p, err
		}
		kind = emu.BarySample
	}
	p.persp, p.linear = f.Persp[kind], f.Linear[kind]
	return p, nil
}

// weigh gives the vertices their weights at the place.
func (p *place) weigh(prim *emu.Primitive) error {
	if prim.Bary == nil {
		return errors.New("the primitive has no barycentrics")
	}
	p.persp[0], p.persp[1] = prim.Bary(p.x, p.y, true)
	p.linear[0], p.linear[1] = prim.Bary(p.x, p.y, false)
	return nil
}

// corner is component comp of a slot at vertex k as a number.
func (w *wave) corner(f *emu.FragmentLane, slot ir.Slot, comp uint8, k int) float64 {
	return wideF(w.varying(f, slot, comp, k))
}

// cornerOf is the value of a coefficient register at vertex k: of weights, whether they are
// the vertex's.
func (w *wave) cornerOf(f *emu.FragmentLane, c coef, k int) float64 {
	if c.Source != abi.CoefBary {
		return w.corner(f, c.Slot, c.comp, k)
	}
	if k == w.vertexOf(int(c.comp)+1) {
		return 1
	}
	return 0
}

// flat is the raw value of a flat input: that of its vertex, or of the provoking one.
func (w *wave) flat(f *emu.FragmentLane, c coef) uint32 {
	if c.Vertex == 0 {
		return w.varying(f, c.Slot, c.comp, f.Prim.Provoking)
	}
	return w.varying(f, c.Slot, c.comp, w.vertexOf(int(c.Vertex-1)))
}

func blend(ij [2]float32, v0, v1, v2 float64) float64 {
	return v0 + float64(ij[0])*(v1-v0) + float64(ij[1])*(v2-v0)
}

// recipW is 1/w at a place.
func (w *wave) recipW(f *emu.FragmentLane, p *place) float64 {
	if p.center && f.SampleID < 0 {
		return float64(f.Coord[3])
	}
	return blend(p.linear, 1/w.corner(f, ir.SlotPos, 3, 0), 1/w.corner(f, ir.SlotPos, 3, 1), 1/w.corner(f, ir.SlotPos, 3, 2))
}

// iterate evaluates a coefficient register at a place. proj is iterproj: the
// value is divided by the one of W.
func (w *wave) iterate(c coef, lane int, p *place, proj bool) (float64, error) {
	f := &w.l.Fragment[lane]
	var v float64
	switch c.Source {
	case abi.CoefW:
		v = w.recipW(f, p)
	case abi.CoefZ:
		if !p.center && int(f.SampleID) < 0 && f.Prim.Depth == nil {
			return 0, errors.New("depth at another place than the pixel centre is not supported")
		}
		if v = float64(f.Coord[2]); f.Prim.Depth != nil {
			v = float64(f.Prim.Depth(p.x, p.y))
		}
	case abi.CoefPointCoord:
		if f.Prim.PointCoord == nil {
			return 0, nil
		}
		s, t := f.Prim.PointCoord(p.x, p.y)
		v = float64([4]float32{s, t}[c.comp&3])
	case abi.CoefPrimitiveID:
		return wideF(f.Prim.PrimitiveID), nil
	default:
		v0, v1, v2 := w.cornerOf(f, c, 0), w.cornerOf(f, c, 1), w.cornerOf(f, c, 2)
		switch {
		case c.Interp == ir.InterpFlat:
			v = wideF(w.flat(f, c))
		case c.Interp == ir.InterpSmooth && proj:
			return blend(p.persp, v0, v1, v2), nil
		case c.Interp == ir.InterpSmooth:
			return blend(p.persp, v0, v1, v2) * w.recipW(f, p), nil
		default:
			v = blend(p.linear, v0, v1, v2)
		}
	}
	if proj {
		v /= w.recipW(f, p)
	}
	return v, nil
}

// coefficient finds a coefficient register.
func (w *wave) coefficient(n int) (coef, error) {
	if n < 0 || n > 255 || w.p.coefs[n].Coef == nil {
		return coef{}, fmt.Errorf("coefficient register cf%d is given by nothing", n)
	}
	return w.p.coefs[n], nil
}

// execIter runs iter and iterproj.
func execIter(w *wave, x *inst) error {
	if w.frag == nil {
		return errNoFragment
	}
	if x.Flags&isa.Kill != 0 {
		return errKill
	}
	sample := &x.Srcs[1]
	proj := x.Op == isa.OpIterProj
	if proj {
		sample = &x.Srcs[2]
		if c, err := w.coefficient(int(x.Srcs[1].Val)); err != nil || c.Source != abi.CoefW {
			return errors.New("division by another coefficient than W is not supported")
		}
	}
	step := int(x.Dst.Size) / 16
	for lane := 0; lane < w.n; lane++ {
		if w.exec>>lane&1 == 0 {
			continue
		}
		p, err := w.place(x, lane, sample)
		if err != nil {
			return err
		}
		first := int(w.value(&x.Srcs[0], lane))
		for k := 0; k < int(x.Dst.Count); k++ {
			c, err := w.coefficient(first + k)
			if err != nil {
				return err
			}
			v, err := w.iterate(c, lane, &p, proj)
			if err != nil {
				return err
			}
			w.set(int(x.Dst.Val)+k*step, x.Dst.Size, lane, floatOf(float64(float32(v)), x.Dst.Size))
		}
	}
	return nil
}

// execLdcf loads the words a, b and c of coefficient registers.
func execLdcf(w *wave, x *inst) error {
	if w.frag == nil {
		return errNoFragment
	}
	step := int(x.Dst.Size) / 16
	for lane := 0; lane < w.n; lane++ {
		if w.exec>>lane&1 == 0 {
			continue
		}
		first := int(w.value(&x.Srcs[0], lane))
		for k := 0; k < int(x.Dst.Count)/3; k++ {
			c, err := w.coefficient(first + k)
			if err != nil {
				return err
			}
			words, err := w.planeOf(c, lane)
			if err != nil {
				return err
			}
			for i, v := range words {
				if x.Dst.Size == 16 {
					v = round16(wideF(v))
				}
				w.set(int(x.Dst.Val)+(3*k+i)*step, x.Dst.Size, lane, v)
			}
		}
	}
	return nil
}

// planeOf returns a, b, c of a*x + b*y + c, x and y counted from the corner of
// the 32x32 region that holds the pixel.
func (w *wave) planeOf(c coef, lane int) (abc [3]uint32, err error) {
	f := &w.l.Fragment[lane]
	if f.Prim == nil {
		return abc, errors.New("the fragment has no primitive")
	}
	switch {
	case c.Source == abi.CoefPrimitiveID:
		if _, given := w.frag.word(ir.SlotPrimitiveID, 0); given {
			return w.flatPlane(w.varying(f, ir.SlotPrimitiveID, 0, f.Prim.Provoking)), nil
		}
		return [3]uint32{f.Prim.PrimitiveID, f.Prim.PrimitiveID, f.Prim.PrimitiveID}, nil
	case c.Source == abi.CoefVarying && c.Interp == ir.InterpFlat && c.Vertex != 0:
		return w.cornerPlane(c, w.flat(f, c)), nil
	case c.Source == abi.CoefVarying && c.Interp == ir.InterpFlat:
		return w.flatPlane(w.flat(f, c)), nil
	case c.Source == abi.CoefZ:
		return abc, errors.New("the coefficients of depth are not supported")
	case f.Prim.Bary == nil:
		return abc, errors.New("the primitive has no barycentrics")
	}
	if w.check != nil && f.Prim.V[0] == f.Prim.V[1] && f.Prim.V[0] != nil { // a point has no planes
		p := place{x: float32(f.X) + 0.5, y: float32(f.Y) + 0.5, center: true}
		v, _ := w.iterate(c, lane, &p, false) // depth alone may fail; the weights are 0
		if c.Source == abi.CoefVarying && c.Interp == ir.InterpSmooth {
			v = w.cornerOf(f, c, 0)
		}
		return [3]uint32{invalidPlane, invalidPlane << 1, fbits(float32(v))}, nil
	}
	x0, y0 := float32(f.X&^31), float32(f.Y&^31)
	at := func(x, y float32) float64 {
		p := place{x: x, y: y}
		p.persp[0], p.persp[1] = f.Prim.Bary(x, y, true)
		p.linear[0], p.linear[1] = f.Prim.Bary(x, y, false)
		if (c.Source == abi.CoefVarying || c.Source == abi.CoefBary) && c.Interp == ir.InterpSmooth {
			return blend(p.linear, w.overW(f, c, 0), w.overW(f, c, 1), w.overW(f, c, 2))
		}
		v, _ := w.iterate(c, lane, &p, false)
		return v
	}
	v := at(x0, y0)
	a, b := (at(x0+32, y0)-v)/32, (at(x0, y0+32)-v)/32
	return [3]uint32{fbits(float32(a)), fbits(float32(b)), fbits(float32(v))}, nil
}

// overW is v/w at a vertex.
func (w *wave) overW(f *emu.FragmentLane, c coef, k int) float64 {
	return w.cornerOf(f, c, k) / w.corner(f, ir.SlotPos, 3, k)
}

var errNoVertex = errors.New("it only exists in vertex shaders")

// execNoVar ends a vertex shader without outputs.
func execNoVar(w *wave, _ *inst) error {
	if w.p.meta.Stage != ir.StageVertex {
		return errNoVertex
	}
	return nil
}
