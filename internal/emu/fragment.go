package emu

import (
	"fmt"
	"math"
	"math/bits"

	"nirc/ir"
)

// fragmentStage collects quads into waves, runs them, and retires their lanes
// in order, so that primitives take effect in order.
type fragmentStage struct {
	d         *drawer
	prog      Program // nil: nothing is shaded, only tests are made
	early     bool    // tests before shading
	perSample bool
	fixed     uint32 // samples that the pipeline's mask leaves
	// single runs lanes by themselves instead of in quads, without helpers.
	single bool
	// What the program writes besides colours and the tests have to take.
	sampleMask, depth, stencil bool
	offsets                    [][2]float64 // sample positions

	size     int           // lanes of a wave
	at       *fragmentWave // collects quads
	overlaps bool          // waves run at once
	underWay overlap
}

func (f *fragmentStage) init(d *drawer) error {
	f.d = d
	f.fixed = uint32(1)<<d.samples - 1
	if m := d.p.Multisample.Mask; m != nil {
		f.fixed &= *m
	}
	for s := range d.samples {
		x, y := SamplePosition(d.samples, s)
		f.offsets = append(f.offsets, [2]float64{float64(x), float64(y)})
	}
	f.prog = d.p.Fragment
	if f.prog == nil {
		return nil
	}
	io := f.prog.IO()
	f.perSample = io.PerSample || d.p.Multisample.SampleShading && !io.TileStores
	f.sampleMask, f.depth, f.stencil = io.WritesSampleMask, io.WritesDepth, io.WritesStencil
	changes := io.UsesDiscard || io.ReadsDepth || io.WritesMemory || f.sampleMask || f.depth || f.stencil || d.p.Multisample.AlphaToCoverage
	f.early = io.EarlyFragmentTests || !changes
	wave := f.prog.WaveSize()
	if wave < 4 {
		if io.NeedsQuads {
			return fmt.Errorf("emu: the fragment stage needs quads, its waves have %d lanes", wave)
		}
		f.single = true
	} else {
		wave &^= 3
	}
	f.size = wave
	f.at = newFragmentWave(wave)
	// What order they run in makes a difference for memory, and for what they read of the attachments.
	f.overlaps = d.params.Check && (io.WritesMemory || io.TileLoads)
	f.underWay.init(f)
	return nil
}

// quad takes a covered quad from the rasteriser.
func (f *fragmentStage) quad(pr *prim, x, y int, cov *[4]uint32) error {
	if int64(pr.Layer) >= int64(f.d.out.layers) {
		return nil
	}
	var mask [4]uint32
	any := uint32(0)
	for k := range cov {
		cov[k] &= f.fixed
		mask[k] = cov[k]
		if mask[k] != 0 && (f.early || f.prog == nil) {
			mask[k] = f.d.out.depth.test(f.d, pr, x+k&1, y+k>>1, mask[k], nil, nil)
		}
		any |= mask[k]
	}
	if any == 0 {
		return nil
	}
	if f.prog == nil {
		for _, m := range mask {
			f.d.stats.SamplesPassed += uint64(bits.OnesCount32(m))
		}
		return nil
	}
	if !f.perSample {
		return f.push(pr, x, y, -1, cov, &mask)
	}
	for any != 0 {
		s := bits.TrailingZeros32(any)
		any &^= 1 << s
		var c, m [4]uint32
		for k := range cov {
			c[k], m[k] = cov[k]&(1<<s), mask[k]&(1<<s)
		}
		if err := f.push(pr, x, y, s, &c, &m); err != nil {
			return err
		}
	}
	return nil
}

// push adds a quad to the wave, and runs the wave when it is full.
func (f *fragmentStage) push(pr *prim, x, y, sample int, cov, mask *[4]uint32) error {
	if io := f.prog.IO(); (io.TileLoads || io.Waits && f.overlaps) && f.at.holds(pr, x, y) {
		if err := f.flush(); err != nil {
			return err
		}
	}
	w := f.at
	for k := range cov {
		helper := mask[k] == 0
		if helper && f.single {
			continue
		}
		if !helper {
			f.d.stats.FragmentInvocations++
		}
		l := &w.lanes[w.n]
		f.fill(l, pr, x+k&1, y+k>>1, sample, cov[k])
		if f.prog.IO().PostDepthCoverage {
			l.Coverage = mask[k] // of late tests, all
		}
		l.Helper = helper
		w.mask[w.n] = mask[k]
		w.prim[w.n] = pr
		w.n++
		pr.users++
		if w.n == len(w.lanes) {
			if err := f.flush(); err != nil {
				return err
			}
			w = f.at
		}
	}
	return nil
}

// fill sets the inputs of one lane.
func (f *fragmentStage) fill(l *FragmentLane, pr *prim, x, y, sample int, cov uint32) {
	px, py := float64(x), float64(y)
	l.Prim = &pr.Primitive
	l.X, l.Y = int32(x), int32(y)
	l.SampleID = int32(sample)
	l.Coverage = cov
	cx, cy := px+0.5, py+0.5
	i, j, rw := pr.persp(cx, cy)
	l.Persp[BaryPixel] = [2]float32{i, j}
	i, j = pr.linear(cx, cy)
	l.Linear[BaryPixel] = [2]float32{i, j}
	l.Persp[BaryCentroid], l.Persp[BarySample] = l.Persp[BaryPixel], l.Persp[BaryPixel]
	l.Linear[BaryCentroid], l.Linear[BarySample] = l.Linear[BaryPixel], l.Linear[BaryPixel]
	if len(f.offsets) > 1 {
		if sample >= 0 {
			o := f.offsets[sample]
			cx, cy = px+o[0], py+o[1]
			i, j, rw = pr.persp(cx, cy)
			l.Persp[BarySample] = [2]float32{i, j}
			i, j = pr.linear(cx, cy)
			l.Linear[BarySample] = [2]float32{i, j}
			l.Persp[BaryCentroid], l.Linear[BaryCentroid] = l.Persp[BarySample], l.Linear[BarySample]
		} else if cov != 0 && cov != uint32(1)<<len(f.offsets)-1 {
			// The first covered sample lies inside the primitive.
			o := f.offsets[bits.TrailingZeros32(cov)]
			i, j, _ = pr.persp(px+o[0], py+o[1])
			l.Persp[BaryCentroid] = [2]float32{i, j}
			i, j = pr.linear(px+o[0], py+o[1])
			l.Linear[BaryCentroid] = [2]float32{i, j}
		}
	}
	l.Coord = [4]float32{float32(cx), float32(cy), float32(pr.depth(cx, cy)), rw}
}

// flush starts a wave of the lanes collected so far, which runs to its end unless waves overlap.
func (f *fragmentStage) flush() error {
	w, d := f.at, f.d
	if w == nil || w.n == 0 {
		return nil
	}
	d.garbage.fillSlots(w.out[:w.n], ir.NumResultSlots)
	w.launch = Launch{Env: d.p.Env, NumLanes: w.n, Check: d.params.Check, Approx: d.params.ApproxSeed(), Seed: d.garbage.Long(), swap: d.swaps.of(ir.StageFragment), Fragment: w.lanes[:w.n], Out: w.out[:w.n], Draw: d.p, Tile: w.launch.Tile[:0]}
	if f.overlaps {
		if f.prog.IO().InOrder && f.underWay.meets(w) {
			if err := f.underWay.run(0); err != nil {
				return err
			}
		}
		f.at = f.underWay.start(w)
		return f.underWay.run(f.underWay.room())
	}
	if err := d.runWave(f.prog.NewWave(&w.launch), &w.launch); err != nil {
		return fmt.Errorf("fragment stage: %w", err)
	}
	f.retireWave(w)
	return nil
}

// drain runs all fragments there are to their end.
func (f *fragmentStage) drain() error {
	if err := f.flush(); err != nil {
		return err
	}
	return f.underWay.run(0)
}

// retireWave retires the lanes of a wave that has ended, which is free then.
func (f *fragmentStage) retireWave(w *fragmentWave) {
	for i := range w.n {
		pr := w.prim[i]
		if w.mask[i] != 0 && w.launch.Live.Get(i) {
			f.retire(w, i)
		}
		f.d.setup.release(pr)
	}
	w.n = 0
}

// retire makes what tests are left on a lane and writes its outputs.
func (f *fragmentStage) retire(w *fragmentWave, i int) {
	d, pr, l, out := f.d, w.prim[i], &w.lanes[i], &w.out[i]
	mask := w.mask[i]
	if f.sampleMask {
		mask &= out[ir.SlotSampleMask][0]
	}
	d.out.load(out)
	if d.p.Multisample.AlphaToCoverage {
		mask &= alphaMask(d.out.alpha(out), d.samples)
	}
	if mask != 0 && !f.early {
		var z *Vec4
		var ref *uint32
		if f.depth {
			if z = &out[ir.SlotDepth]; !f.prog.IO().SampleDepths {
				*z = Vec4{z[0], z[0], z[0], z[0]}
			}
		}
		if f.stencil {
			ref = &out[ir.SlotStencil][0]
		}
		mask = d.out.depth.test(d, pr, int(l.X), int(l.Y), mask, z, ref)
	}
	if mask == 0 {
		return
	}
	d.stats.SamplesPassed += uint64(bits.OnesCount32(mask))
	if f.prog.IO().TileStores {
		f.storeTile(w, i, mask)
		return
	}
	d.out.write(int(l.X), int(l.Y), int(pr.Layer), mask)
}

// alphaMask is the coverage that alpha stands for: that share of the samples.
func alphaMask(alpha float32, samples int) uint32 {
	n := int(math.Floor(clampNum(float64(alpha), 0, 1)*float64(samples) + 0.5))
	return uint32(1)<<n - 1
}
