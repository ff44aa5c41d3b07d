package emu

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

// sliceFuel is how many instructions a wave runs before others get a turn.
const sliceFuel = 1 << 14

// minCost is how many instructions every lane is charged for at least.
const minCost = 16

// maxResident bounds the workgroups that run side by side when one of them
// does not end in its first slices.
const maxResident = 64

// maxShared bounds the workgroup memory in bytes.
const maxShared = 1 << 20

// meter counts the instructions of a draw or dispatch down. Several goroutines
// may use it.
type meter struct {
	ctx  context.Context
	left atomic.Int64
	tick atomic.Uint32
}

func newMeter(ctx context.Context, l *Limits) *meter {
	m := &meter{ctx: ctx}
	budget := l.Budget
	if budget == 0 {
		budget = DefaultBudget
	}
	m.left.Store(int64(min(budget, 1<<62)))
	return m
}

// yielded takes a used-up slice of a wave off the budget.
func (m *meter) yielded(lanes, fuel int) error {
	if err := m.ran(lanes, max(minCost, fuel)); err != nil {
		return err
	}
	return m.alive()
}

// ran takes instructions of lanes off the budget.
func (m *meter) ran(lanes, fuel int) error {
	if m.left.Add(-int64(lanes)*int64(fuel)) < 0 {
		return ErrTimeout
	}
	return nil
}

// ended charges a wave that has ended, or stands at a barrier, for what it ran. A draw or dispatch
// of very many waves that run next to nothing has to end too.
func (m *meter) ended(l *Launch) error {
	return m.ran(l.NumLanes, max(minCost, l.Ran))
}

// alive reports a deadline that has passed as ErrTimeout.
func (m *meter) alive() error {
	err := m.ctx.Err()
	if errors.Is(err, context.DeadlineExceeded) {
		return ErrTimeout
	}
	return err
}

// poll is alive, looked at now and then.
func (m *meter) poll() error {
	if m.tick.Add(1)&63 != 0 {
		return nil
	}
	return m.alive()
}

// fuel is what a wave may run next: a slice, or what is left of a small budget.
func (m *meter) fuel(lanes int) int {
	return int(max(1, min(sliceFuel, m.left.Load()/int64(lanes)+1)))
}

// slice is fuel; by a seed it is often little, so that waves stop at other places.
func (m *meter) slice(lanes int, seed uint64) int {
	n := m.fuel(lanes)
	if seed != 0 {
		n = max(1, n>>(scatter(seed^uint64(lanes))%13))
	}
	return n
}

// maxGroups is how many workgroups a dispatch has at most in a dimension, bases included; code is made for it
// (docs/abi.md).
const maxGroups = 65535

// Dispatch runs a compute program over the workgroups of params. Lanes are
// numbered in the order of LocalInvocationIndex and cut into waves of
// p.WaveSize(). The waves of a workgroup take turns; a workgroup that does not
// end soon lets later ones run beside it. It returns what a wave returned as
// an error, with its workgroup, or ErrTimeout.
func Dispatch(ctx context.Context, p Program, env *Env, params DispatchParams) error {
	d := &dispatcher{prog: p, env: env, params: &params, meter: newMeter(ctx, &params.Limits)}
	if err := d.check(); err != nil {
		return err
	}
	if d.total == 0 {
		return d.empty()
	}
	d.fillLocalIDs()
	if d.params.Check && ctx.Value(onceKey{}) == nil && d.small() {
		return d.twice(ctx)
	}
	return d.once()
}

// once runs the dispatch.
func (d *dispatcher) once() error {
	params := d.params
	d.order = newShuffle(params.seed(), d.total)
	if params.Check {
		if d.races == nil {
			d.races = newRaceLog(d.env)
		}
		if s, ok := d.prog.(StaleReader); ok && s.ReadsStale() {
			d.env.Mem.remember()
			defer d.env.Mem.forget()
		}
	}
	workers := int(min(uint64(max(params.Parallel, 1)), d.total, 256))
	if workers == 1 {
		if err := d.run(); err != nil {
			return err
		}
	} else if err := d.runParallel(workers); err != nil {
		return err
	}
	if s := params.Stats; s != nil {
		s.Workgroups += d.total
		s.Waves += d.total * uint64(d.waves)
		s.Invocations += d.total * uint64(d.invocations)
	}
	return nil
}

// dispatcher is one dispatch under way.
type dispatcher struct {
	prog   Program
	env    *Env
	params *DispatchParams
	meter  *meter

	waveSize, invocations, waves int
	total                        uint64  // workgroups
	order                        shuffle // of workgroups
	next                         atomic.Uint64
	stop                         atomic.Bool
	localIDs                     [][3]uint32
	races                        *raceLog     // nil unless checked
	swaps                        *swaps       // nil: the garbage is that of the seed
	mesh                         []*MeshGroup // by workgroup, of task and mesh shaders
}

func (d *dispatcher) check() error {
	if d.prog == nil || d.env == nil {
		return errors.New("emu: dispatch without a program or environment")
	}
	d.waveSize = d.prog.WaveSize()
	if d.waveSize < 1 || d.waveSize > MaxLanes {
		return fmt.Errorf("emu: wave size %d is outside 1..%d", d.waveSize, MaxLanes)
	}
	n := uint64(1)
	for _, s := range d.prog.WorkgroupSize() {
		if s == 0 || s > 1<<16 {
			return unsupported("workgroup size %v is not supported", d.prog.WorkgroupSize())
		}
		n *= uint64(s)
	}
	if n > 1<<16 {
		return unsupported("workgroup of %d invocations is not supported, the most is %d", n, 1<<16)
	}
	if s := d.prog.SharedSize(); s > maxShared {
		return unsupported("%d bytes of workgroup memory are not supported, the most is %d", s, maxShared)
	}
	d.invocations = int(n)
	d.waves = (d.invocations + d.waveSize - 1) / d.waveSize
	g := d.params.Groups
	for i, n := range g {
		if base := d.params.Base[i]; uint64(n)+uint64(base) > maxGroups {
			return unsupported("%d workgroups from %d on in dimension %d are not supported, a device takes %d", n, base, i, maxGroups)
		}
	}
	d.total = uint64(g[0]) * uint64(g[1]) * uint64(g[2])
	return nil
}

func (d *dispatcher) fillLocalIDs() {
	s := d.prog.WorkgroupSize()
	d.localIDs = make([][3]uint32, 0, d.invocations)
	for z := range s[2] {
		for y := range s[1] {
			for x := range s[0] {
				d.localIDs = append(d.localIDs, [3]uint32{x, y, z})
			}
		}
	}
}

func (d *dispatcher) runParallel(workers int) error {
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for i := range workers {
		wg.Go(func() {
			if errs[i] = d.run(); errs[i] != nil {
				d.stop.Store(true)
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// run takes workgroups until none is left.
func (d *dispatcher) run() error {
	var active, free []*workgroup
	for {
		if len(active) == 0 || len(active) < maxResident {
			if i := d.next.Add(1) - 1; i < d.total && !d.stop.Load() {
				i = d.order.at(i)
				var g *workgroup
				if n := len(free); n > 0 {
					g, free = free[n-1], free[:n-1]
				} else {
					g = d.newWorkgroup()
				}
				d.start(g, i)
				active = append(active, g)
			} else if len(active) == 0 {
				return nil
			}
		}
		// Go on until a workgroup has ended or all have had a slice.
		keep := active[:0]
		for _, g := range active {
			done, err := d.step(g)
			if err != nil {
				return fmt.Errorf("workgroup %v: %w", g.compute.WorkgroupID, err)
			}
			if done {
				free = append(free, g)
			} else {
				keep = append(keep, g)
			}
		}
		active = keep
	}
}

// ErrPartialBarrier: invocations of a workgroup have ended, or are elsewhere, while others are at a barrier of the
// workgroup. What becomes of them SPIR-V leaves undefined; the checking mode reports it.
var ErrPartialBarrier = errors.New("emu: not all invocations of the workgroup come to a barrier that waits for all of them, which is undefined")

// workgroup is a workgroup in flight; its storage is used for many.
type workgroup struct {
	compute  ComputeLaunch // what the waves' parts are copied from
	launches []Launch
	parts    []ComputeLaunch
	waves    []Wave // nil when ended
	waiting  []bool // at the barrier
	live     int
	order    shuffle // of the waves' turns
	races    groupRaces
}

func (d *dispatcher) newWorkgroup() *workgroup {
	return &workgroup{
		compute:  ComputeLaunch{NumWorkgroups: d.params.Groups, BaseWorkgroupID: d.params.Base, Shared: make([]byte, d.prog.SharedSize()), NumSubgroups: uint32(d.waves)},
		launches: make([]Launch, d.waves),
		parts:    make([]ComputeLaunch, d.waves),
		waves:    make([]Wave, d.waves),
		waiting:  make([]bool, d.waves),
	}
}

// groupID is the id of workgroup i, x running fastest.
func (d *dispatcher) groupID(i uint64) [3]uint32 {
	n := d.params.Groups
	return [3]uint32{uint32(i % uint64(n[0])), uint32(i / uint64(n[0]) % uint64(n[1])), uint32(i / uint64(n[0]) / uint64(n[1]))}
}

// start makes the waves of workgroup i.
func (d *dispatcher) start(g *workgroup, i uint64) {
	g.compute.WorkgroupID = d.groupID(i)
	if d.mesh != nil {
		g.compute.Mesh = d.mesh[i]
	}
	seed := fork(d.params.seed(), i)
	garbage := Garbage{seed, d.swaps.of(swapKey{i, -1})}
	garbage.Mark("workgroup memory, byte", 0, 0)
	garbage.Fill(g.compute.Shared)
	g.live = d.waves
	g.order.seed = seed
	if d.races != nil {
		g.races.start(d.races, i, d.waves, d.waveSize)
	}
	for w := range g.waves {
		first := w * d.waveSize
		last := min(first+d.waveSize, d.invocations)
		part := &g.parts[w]
		*part = g.compute
		part.LocalID = d.localIDs[first:last]
		part.SubgroupID = uint32(w)
		part.FirstLocalInvocationIndex = uint32(first)
		g.launches[w] = Launch{Env: d.env, NumLanes: last - first, Check: d.params.Check, Approx: d.params.ApproxSeed(), Seed: fork(seed, uint64(w)+1), swap: d.swaps.of(swapKey{i, w}), Compute: part}
		if d.races != nil {
			g.launches[w].Races = &g.races.waves[w]
		}
		g.waves[w] = d.prog.NewWave(&g.launches[w])
		g.waiting[w] = false
	}
}

// step runs the workgroup until it ends, or a wave has used up its slice and
// every other has had its turn.
func (d *dispatcher) step(g *workgroup) (done bool, err error) {
	for g.live > 0 {
		yielded, waiting := false, 0
		g.order = newShuffle(fork(g.order.seed, 1), uint64(len(g.waves)))
		for k := range g.waves {
			w := int(g.order.at(uint64(k)))
			wave := g.waves[w]
			if wave == nil {
				continue
			}
			if g.waiting[w] {
				waiting++
				continue
			}
			lanes := g.launches[w].NumLanes
			fuel := d.meter.slice(lanes, g.order.seed)
			st, err := wave.Run(fuel)
			if err == nil && d.races != nil {
				err = d.races.failed()
			}
			if err != nil {
				return false, err
			}
			switch st {
			case StatusDone:
				g.waves[w] = nil
				g.live--
				if err := d.meter.ended(&g.launches[w]); err != nil {
					return false, err
				}
			case StatusBarrier:
				g.waiting[w] = true
				waiting++
				if err := d.meter.ended(&g.launches[w]); err != nil {
					return false, err
				}
			default:
				yielded = true
				if err := d.meter.yielded(lanes, fuel); err != nil {
					return false, err
				}
			}
		}
		if g.live > 0 && waiting == g.live {
			if d.params.Check && g.live != len(g.waves) {
				return false, ErrPartialBarrier
			}
			clear(g.waiting)
			g.races.barrier()
		}
		if err := d.meter.poll(); err != nil {
			return false, err
		}
		if yielded {
			return false, nil
		}
	}
	return true, nil
}
