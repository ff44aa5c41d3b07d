package core

import (
	"nirc/backend/ir3/isa"
)

// texIndex is the (set, texture index) of a category 5 instruction in a lane.
func (w *wave) texIndex(x *inst, lane int) (base int, index uint32) {
	base = int(x.Set) - 1
	switch x.Mode {
	case isa.TexBindlessImm:
		return base, uint32(x.Tex)
	case isa.TexBindlessA1Imm:
		if w.p.meta.Gen == isa.A6xx {
			return base, w.a1 >> 3
		}
		return base, uint32(x.Tex)
	case isa.TexDirect, isa.TexUniform, isa.TexNonuniform:
		return -1, 0
	}
	return base, w.laneGet(int(x.Srcs[2].Val), lane, false)
}

// execIsam loads from a storage buffer through the texture path: with .v the
// components are consecutive elements, else they are (value, 0, 0, 1).
func execIsam(w *wave, x *inst) error {
	for lane := 0; lane < w.n; lane++ {
		if !w.exec.Get(lane) {
			continue
		}
		b, err := w.resolve(w.texIndex(x, lane))
		if err != nil {
			return err
		}
		s := x.Srcs[0]
		at := uint64(w.laneGet(int(s.Val), lane, s.IsHalf()) + uint32(x.Off))
		for k := 0; k < 4; k++ {
			if x.WrMask>>k&1 == 0 {
				continue
			}
			v := uint32(0)
			switch {
			case k == 0 || x.Flags&isa.TexS != 0:
				v = w.load(b, (at+uint64(k))*uint64(b.elem), int(b.elem))
			case k == 3:
				v = 1
			}
			w.laneSet(int(x.Dst.Val)+k, lane, x.dst.half, v)
		}
	}
	return nil
}

// execGetbuf gives the number of elements of a buffer.
func execGetbuf(w *wave, x *inst) error {
	for lane := 0; lane < w.n; lane++ {
		if !w.exec.Get(lane) {
			continue
		}
		b, err := w.resolve(w.texIndex(x, lane))
		if err != nil {
			return err
		}
		for k := 0; k < 4; k++ {
			if x.WrMask>>k&1 != 0 {
				w.laneSet(int(x.Dst.Val)+k, lane, x.dst.half, uint32(b.size/uint64(max(b.elem, 1))))
			}
		}
	}
	return nil
}

// execDeriv takes differences inside quads: dsx and dsy are coarse (one value
// a quad), the dsxpp.1 pair is fine (one a row or column). Both halves of the
// pair give the whole result.
func execDeriv(w *wave, x *inst) error {
	vertical := x.Op == isa.OpDsy || x.Op == isa.OpDsypp1
	fine := x.Op == isa.OpDsxpp1 || x.Op == isa.OpDsypp1
	s := x.Srcs[0]
	for k := 0; k < 4; k++ {
		if x.WrMask>>k&1 == 0 {
			continue
		}
		for lane := 0; lane < w.n; lane++ {
			a, b := derivLanes(lane, vertical, fine)
			va, vb := uint32(0), uint32(0)
			if b < w.n {
				va, vb = w.laneGet(int(s.Val)+k, a, s.IsHalf()), w.laneGet(int(s.Val)+k, b, s.IsHalf())
			}
			if s.IsHalf() {
				va, vb = floatBits(h2f(va)), floatBits(h2f(vb))
			}
			v := fromF(toF(vb) - toF(va))
			if x.dst.half {
				v = toH(float64(toF(v)))
			}
			w.res[lane] = v
		}
		if err := w.store(&x.dst, k, 0, w.n, w.res[:]); err != nil {
			return err
		}
	}
	return nil
}

// derivLanes returns the two lanes whose difference is a derivative.
func derivLanes(lane int, vertical, fine bool) (a, b int) {
	q, keep, step := lane&^3, 0, 1
	if vertical {
		step = 2
	}
	if fine {
		keep = lane & 3 &^ step
	}
	return q + keep, q + keep + step
}

// execQuad moves data inside quads, whether or not the other lane is active.
func execQuad(w *wave, x *inst) error {
	s := x.Srcs[0]
	for k := 0; k < 4; k++ {
		if x.WrMask>>k&1 == 0 {
			continue
		}
		for lane := 0; lane < w.n; lane++ {
			from := lane
			switch x.Op {
			case isa.OpQuadBrcst:
				from = lane&^3 | int(w.laneGet(int(x.Srcs[1].Val), lane, x.Srcs[1].IsHalf()))&3
			case isa.OpQuadHoriz:
				from ^= 1
			case isa.OpQuadVert:
				from ^= 2
			case isa.OpQuadDiag:
				from ^= 3
			}
			w.res[lane] = 0
			if from < w.n {
				w.res[lane] = w.laneGet(int(s.Val)+k, from, s.IsHalf())
			}
		}
		if err := w.store(&x.dst, k, 0, w.n, w.res[:]); err != nil {
			return err
		}
	}
	return nil
}

// execBrcst: in clusters of 2<<Index fibers the upper half takes the value of
// the highest active fiber of the lower half; where there is none, d stays.
func execBrcst(w *wave, x *inst) error {
	size := 2 << x.Index
	s := x.Srcs[0]
	for base := 0; base < w.n; base += size {
		from := -1
		for lane := base; lane < base+size/2 && lane < w.n; lane++ {
			if w.exec.Get(lane) {
				from = lane
			}
		}
		if from < 0 {
			continue
		}
		v := w.laneGet(int(s.Val), from, s.IsHalf())
		for lane := base + size/2; lane < base+size && lane < w.n; lane++ {
			if w.exec.Get(lane) {
				w.laneSet(int(x.Dst.Val), lane, x.dst.half, v)
			}
		}
	}
	return nil
}
