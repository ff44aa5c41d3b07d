package core

import (
	"errors"
	"fmt"

	"nirc/backend/ir3/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

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
		for lane := range w.n {
			a, b := derivLanes(lane, vertical, fine)
			va, vb := uint32(0), uint32(0)
			if b < w.n {
				va, vb = w.texGet(x, int(s.Val)+k, a, s.IsHalf()), w.texGet(x, int(s.Val)+k, b, s.IsHalf())
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

// execQuad moves data inside quads. A fiber whose source is not active keeps what it has.
func execQuad(w *wave, x *inst) error {
	s := x.Srcs[0]
	for k := 0; k < 4; k++ {
		if x.WrMask>>k&1 == 0 {
			continue
		}
		var given emu.Mask
		for lane := range w.n {
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
			if from < w.n && w.exec.Get(lane) && w.exec.Get(from) {
				w.res[lane] = w.laneGet(int(s.Val)+k, from, s.IsHalf())
				given.Set(lane)
			}
		}
		if err := w.storeOnly(given, x, k); err != nil {
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

// execRgetpos gives the position of a sample of the render target, counted
// from the pixel's centre; the centre itself where there is no such sample.
func execRgetpos(w *wave, x *inst) error {
	if w.p.meta.Stage != ir.StageFragment {
		return errors.New("rgetpos has sample positions in fragment shaders only")
	}
	if x.Type != isa.F32 && x.Type != isa.F16 {
		return fmt.Errorf("rgetpos of type %s is not supported by this core", x.Type)
	}
	s := x.Srcs[0]
	for lane := range w.exec.Lanes() {
		n := int(int32(w.texGet(x, int(s.Val), lane, s.IsHalf())))
		px, py := float32(0.5), float32(0.5)
		if p := w.l.Fragment[lane].Prim; p != nil && p.SamplePos != nil && n >= 0 && n < max(1, p.Samples) {
			px, py = p.SamplePos(n)
		}
		w.putTexel(x, lane, [4]uint32{floatBits(px - 0.5), floatBits(py - 0.5)})
	}
	return nil
}
