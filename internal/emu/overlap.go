package emu

import "fmt"

// In the checking mode fragments of a draw run beside each other where that can make a difference, as
// hardware has them: some waves are under way at a time and take turns that go by the seed, younger ones before
// older ones too. What orders those of a pixel is what the program waits for (PixelOrder) and, as on hardware,
// the order in which waves retire: tests, blending and the stores of colours.

// fragmentWave is the fragments of a wave: those that are collected, or a wave under way.
type fragmentWave struct {
	lanes  []FragmentLane
	mask   []uint32 // samples to write, by lane
	prim   []*prim  // by lane
	out    []Slots
	n      int
	launch Launch
	wave   Wave
	ended  bool
	order  PixelOrder
	group  groupRaces
	races  WaveRaces
}

func newFragmentWave(lanes int) *fragmentWave {
	return &fragmentWave{lanes: make([]FragmentLane, lanes), mask: make([]uint32, lanes), prim: make([]*prim, lanes), out: make([]Slots, lanes)}
}

// holds reports whether the wave has a quad of that place already.
func (w *fragmentWave) holds(pr *prim, x, y int) bool {
	for i := 0; i < w.n; i += 4 {
		if l := &w.lanes[i]; int(l.X) == x && int(l.Y) == y && l.Prim.Layer == pr.Layer {
			return true
		}
	}
	return false
}

// meets reports whether two waves have a pixel in common that both may write.
func (w *fragmentWave) meets(o *fragmentWave) bool {
	for i := range w.n {
		if w.mask[i] == 0 {
			continue
		}
		a := &w.lanes[i]
		for k := range o.n {
			if b := &o.lanes[k]; o.mask[k] != 0 && a.X == b.X && a.Y == b.Y && a.Prim.Layer == b.Prim.Layer {
				return true
			}
		}
	}
	return false
}

// PixelOrder is the place of a fragment wave among those of its draw.
type PixelOrder struct {
	o         *overlap
	wave      *fragmentWave
	signalled uint32
	passed    uint32
}

// Passed reports whether the wave may pass fences, a bit each: all older fragments of its pixels have retired,
// or have signalled these. One that may not has to return StatusYield and ask again.
func (p *PixelOrder) Passed(fences uint32) bool {
	if p == nil {
		return true
	}
	for _, older := range p.o.waves {
		if older == p.wave {
			break
		}
		if older.order.signalled&fences != fences && older.meets(p.wave) {
			return false
		}
	}
	p.passed |= fences
	return true
}

// Signal lets younger fragments of the wave's pixels pass fences.
func (p *PixelOrder) Signal(fences uint32) {
	if p != nil {
		p.signalled |= fences
	}
}

// Bounds of what is under way at a time.
const (
	overlapWaves = 4
	overlapLanes = 256
	overlapSlice = 5 // a turn takes up to 1<<(overlapSlice-1) instructions
)

// overlap is the waves under way, the oldest first.
type overlap struct {
	f     *fragmentStage
	waves []*fragmentWave
	free  []*fragmentWave
	seed  uint64
	turns uint64

	races     *raceLog
	started   uint64 // waves
	fragments uint32 // of them
}

func (o *overlap) init(f *fragmentStage) {
	*o = overlap{f: f, races: newRaceLog(f.d.p.Env), seed: fork(f.d.params.seed(), 0x667261676d656e74)}
}

// room is how many waves may go on after another one has started: mostly many, now and then few.
func (o *overlap) room() int {
	n := max(overlapWaves, overlapLanes/o.f.size)
	return n - int(o.random()%uint64(n))/2
}

// meets reports whether a wave has a pixel in common with one under way.
func (o *overlap) meets(w *fragmentWave) bool {
	for _, older := range o.waves {
		if older.meets(w) {
			return true
		}
	}
	return false
}

// random is the next number of the seed.
func (o *overlap) random() uint64 {
	o.turns++
	return fork(o.seed, o.turns) >> 1
}

// start puts a wave under way and returns an empty one.
func (o *overlap) start(w *fragmentWave) *fragmentWave {
	w.ended, w.order = false, PixelOrder{o: o, wave: w}
	w.launch.Pixels = &w.order
	o.watch(w)
	w.wave = o.f.prog.NewWave(&w.launch)
	o.f.d.stats.Waves++
	o.waves = append(o.waves, w)
	if k := len(o.free) - 1; k >= 0 {
		w, o.free = o.free[k], o.free[:k]
		return w
	}
	return newFragmentWave(o.f.size)
}

// run gives waves turns until no more than some are under way, and retires those that have ended and all of
// whose elders have retired.
func (o *overlap) run(left int) error {
	for len(o.waves) > left {
		if err := o.round(); err != nil {
			return fmt.Errorf("fragment stage: %w", err)
		}
		for len(o.waves) > 0 && o.waves[0].ended {
			first := o.waves[0]
			o.waves = append(o.waves[:0], o.waves[1:]...)
			o.f.retireWave(first)
			o.free = append(o.free, first)
		}
	}
	return nil
}

// round gives most of the waves a turn, all of the same length: they stay near each other.
func (o *overlap) round() error {
	n, r := uint64(len(o.waves)), o.random()
	fuel := 1 << (r % overlapSlice)
	first, back := o.random()%n, r>>32&1 != 0
	for k := range n {
		if back {
			k = n - 1 - k
		}
		w := o.waves[(first+k)%n]
		if w.ended || o.random()%4 == 0 {
			continue
		}
		if err := o.turn(w, fuel); err != nil {
			return err
		}
	}
	return nil
}

// turn runs a wave for a while.
func (o *overlap) turn(w *fragmentWave, fuel int) error {
	m, l := o.f.d.meter, &w.launch
	if err := m.poll(); err != nil {
		return err
	}
	fuel = min(m.fuel(l.NumLanes), fuel)
	st, err := w.wave.Run(fuel)
	switch {
	case err != nil:
		return err
	case o.races.failed() != nil:
		return o.races.failed()
	case st == StatusBarrier:
		return errGraphicsBarrier
	case st == StatusDone:
		w.ended, w.wave = true, nil
		return m.ended(l)
	}
	return m.ran(l.NumLanes, fuel)
}
