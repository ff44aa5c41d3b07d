package core

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

// fragState is what only fragment waves have.
type fragState struct {
	shaded [lanes]uint32 // samples that the lane shades
	cover  [lanes]uint32 // of those, the covered ones; none of a helper
	killed [lanes]uint32
	tested [lanes]uint32
	stored [lanes]uint32 // samples with colours in the tile
	z      [lanes][maxSamples]zsValue
	tile   []tileByte // of each lane and sample, size bytes
	size   int
	words  *abi.Words // places of varyings in the records of vertices; nil if another core made them
	// garbage is what words of coefficient registers hold that mean nothing.
	garbage poison
	// samples is the largest number of samples of a lane's pixel.
	samples int
}

// maxSamples is the most samples that a pixel has.
const maxSamples = 4

// zsValue is the depth and stencil that zs_emit gave.
type zsValue struct {
	depth, stencil       uint32
	hasDepth, hasStencil bool
}

// tileByte is a byte of a pixel's tile storage; ok: the shader stored it.
type tileByte struct {
	v  byte
	ok bool
}

func (w *wave) startFragment() error {
	f := &fragState{garbage: w.newPoison()}
	w.frag = f
	if last := lastStage(w.l.Draw); last != nil {
		read := w.p.meta.Interps()
		words := last.meta.Place(&read)
		f.words = &words
	}
	for lane := 0; lane < w.n; lane++ {
		l := &w.l.Fragment[lane]
		samples := 1
		if l.Prim != nil {
			samples = max(1, l.Prim.Samples)
		}
		f.samples = max(f.samples, samples)
		f.shaded[lane] = 1<<samples - 1
		if l.SampleID >= 0 {
			f.shaded[lane] = 1 << l.SampleID
		}
		if !l.Helper {
			if f.cover[lane] = l.Coverage & f.shaded[lane]; f.cover[lane] == 0 {
				f.cover[lane] = f.shaded[lane]
			}
		}
	}
	for _, list := range w.p.tileTargets() {
		for i := range list {
			f.size = max(f.size, int(list[i].Offset)+16)
		}
	}
	f.tile = make([]tileByte, f.size*f.samples*w.n)
	if d := w.l.Draw; w.check != nil && d != nil && d.Multisample.SampleShading && f.samples > 1 && !w.p.meta.PerSample && !w.p.meta.SampleLoop {
		return errors.New("the pipeline shades each sample, and the program does not")
	}
	if w.check != nil {
		return w.p.checkOpaque(w.l.Draw)
	}
	return nil
}

// dropsStores reports whether hardware itself drops what helpers store: where pixels are shaded as a whole.
// Atomics it never drops (agx.md §11.3).
func (w *wave) dropsStores() bool {
	return w.frag != nil && !w.preamble && !w.p.meta.PerSample && !w.p.meta.SampleLoop
}

// storing is the mask of the active lanes whose stores have an effect.
func (w *wave) storing() uint32 {
	m := w.exec
	if !w.dropsStores() {
		return m
	}
	for lane := range w.n {
		if w.frag.cover[lane]&^w.frag.killed[lane] == 0 {
			m &^= 1 << lane
		}
	}
	return m
}

// shaded is the mask of samples that a lane shades.
func (w *wave) shaded(lane int) uint32 { return w.frag.shaded[lane] }

func (w *wave) fragmentSR(sr, lane int) (uint32, bool) {
	l, f := &w.l.Fragment[lane], w.frag
	switch sr {
	case srThirdWorkgroup:
		if l.Prim != nil {
			return l.Prim.Layer, true
		}
		return 0, true
	case srSamplesLog2:
		if l.Prim != nil {
			return uint32(bits.Len(uint(max(1, l.Prim.Samples))) - 1), true
		}
		return 0, true
	case srCoverage:
		return f.cover[lane] &^ f.killed[lane], true
	case srReal:
		return uint32(min(f.cover[lane]&^f.killed[lane], 1)), true
	case srBackFacing:
		if l.Prim != nil && !l.Prim.FrontFacing {
			return 1, true
		}
		return 0, true
	case srGlobalID:
		return uint32(l.X), true
	case srGlobalID + 1:
		return uint32(l.Y), true
	case srInputCoverage: // whatever the pipeline's mask leaves of it
		v := l.Coverage
		if d := w.l.Draw; d != nil && d.Multisample.Mask != nil && l.Prim != nil {
			v |= (1<<max(1, l.Prim.Samples) - 1) &^ *d.Multisample.Mask
		}
		return v, true
	}
	return 0, false
}

// sampleOperand is a sample mask operand: immediates and registers have eight
// bits that count, 255 meaning all samples.
func (w *wave) sampleOperand(o *isa.Operand, lane int) uint32 {
	v := w.value(o, lane) & 0xff
	if v == 0xff {
		return math.MaxUint32
	}
	return v
}

// execWaitPix waits until the older fragments of the wave's pixels have ended or signalled the fences.
func execWaitPix(w *wave, x *inst) error {
	if w.frag != nil && !w.l.Pixels.Passed(x.Imm) {
		w.next, w.yields = w.at, true
	}
	return nil
}

func execSignalPix(w *wave, x *inst) error {
	if w.frag != nil {
		w.l.Pixels.Signal(x.Imm)
	}
	return nil
}

// execSampleMask tests the target samples that live and kills the others.
func execSampleMask(w *wave, x *inst) error {
	f := w.frag
	if f == nil {
		return errNoFragment
	}
	for lane := 0; lane < w.n; lane++ {
		if w.exec>>lane&1 == 0 {
			continue
		}
		target := w.sampleOperand(&x.Srcs[0], lane) & f.shaded[lane]
		live := w.sampleOperand(&x.Srcs[1], lane) & target
		if err := w.testSamples(lane, target, live); err != nil {
			return err
		}
	}
	return nil
}

var errNoFragment = errors.New("it only exists in fragment shaders")

// testSamples tests live and kills the rest of target. What was killed stays
// so; a tested sample must not come again.
func (w *wave) testSamples(lane int, target, live uint32) error {
	f := w.frag
	if w.check != nil {
		if again := target & f.tested[lane] &^ f.killed[lane]; again != 0 {
			return fmt.Errorf("samples %#x of lane %d are tested or killed again", again, lane)
		}
		if live&^f.killed[lane] != 0 && w.check.fences&1 == 0 {
			return errors.New("samples are tested before wait_pix 1")
		}
		if late := target & f.stored[lane] &^ f.killed[lane]; late != 0 {
			return fmt.Errorf("samples %#x of lane %d are tested or killed after their tile stores", late, lane)
		}
	}
	f.killed[lane] |= target &^ live &^ f.tested[lane]
	f.tested[lane] |= live &^ f.killed[lane]
	return nil
}

// execZsEmit tests all target samples with a depth, a stencil or both.
func execZsEmit(w *wave, x *inst) error {
	f := w.frag
	if f == nil {
		return errNoFragment
	}
	r := &x.Srcs[1]
	for lane := 0; lane < w.n; lane++ {
		if w.exec>>lane&1 == 0 {
			continue
		}
		target := w.sampleOperand(&x.Srcs[0], lane) & f.shaded[lane]
		z, at := zsValue{}, int(r.Val)
		if r.Count >= 2 {
			z.depth, z.hasDepth = w.get(at, 32, lane), true
			at += 2
		}
		if r.Count&1 != 0 {
			z.stencil, z.hasStencil = w.get(at, 16, lane), true
		}
		if d := w.l.Draw; w.check != nil && z.hasDepth && w.p.uses.stores && d != nil && d.Depth.Test && d.Depth.Compare == emu.CompareNever && wideF(z.depth) == wideF(z.depth) {
			return errors.New("hardware skips a program whose depth cannot pass the test, and what it does to memory")
		}
		for s := range f.z[lane] {
			if target>>s&1 != 0 {
				f.z[lane][s] = z
			}
		}
		if err := w.testSamples(lane, target, target); err != nil {
			return err
		}
	}
	return nil
}

// finishFragment hands results and live lanes to emu.
func (w *wave) finishFragment() error {
	f := w.frag
	for lane := 0; lane < w.n; lane++ {
		if f.cover[lane]&^f.killed[lane] == 0 {
			continue
		}
		if w.check != nil && w.p.meta.TestsInEpilog() {
			if twice := f.tested[lane]; twice != 0 {
				return fmt.Errorf("lane %d ends with samples %#x tested, which its depth or stencil has to test", lane, twice)
			}
		} else if w.check != nil && w.p.uses.samples {
			if left := f.cover[lane] &^ f.killed[lane] &^ f.tested[lane]; left != 0 {
				return fmt.Errorf("lane %d ends with samples %#x neither tested nor killed", lane, left)
			}
		}
		if err := w.checkShowsThrough(lane); err != nil {
			return err
		}
		w.l.Live.Set(lane)
		w.fragmentOutputs(lane)
	}
	return nil
}

// fragmentOutputs plays the epilog.
func (w *wave) fragmentOutputs(lane int) {
	f, out := w.frag, &w.l.Out[lane]
	mask := uint32(math.MaxUint32)
	for i := range w.p.meta.Results {
		r := &w.p.meta.Results[i]
		switch r.Slot {
		case ir.SlotDepth:
			z := w.get(r.Reg, 32, lane)
			out[r.Slot] = emu.Vec4{z, z, z, z}
		case ir.SlotStencil:
			out[r.Slot][0] = w.get(r.Reg, r.Bits, lane)
		case ir.SlotSampleMask:
			mask = w.get(r.Reg, r.Bits, lane)
		default:
			slot := r.Slot
			if r.Index == 1 {
				slot = ir.SlotData0 + 7
			}
			for k := 0; k < 4; k++ {
				if r.Mask>>k&1 != 0 {
					out[slot][k] = w.get(r.Reg+k*int(r.Bits)/16, r.Bits, lane)
				}
			}
		}
	}
	for s, z := range f.z[lane] {
		if z.hasDepth {
			out[ir.SlotDepth][s] = z.depth
		}
		if z.hasStencil {
			out[ir.SlotStencil][0] = z.stencil
		}
	}
	if w.exec>>lane&1 == 0 {
		mask = 0 // the lane has halted: no epilog runs in it
	}
	out[ir.SlotSampleMask][0] = mask &^ f.killed[lane]
	if w.p.io.TileStores {
		w.tileStores(lane)
		return
	}
	for i := range w.p.meta.Tile {
		w.tileOutput(&w.p.meta.Tile[i], lane, out)
	}
}
