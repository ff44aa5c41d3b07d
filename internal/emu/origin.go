package emu

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
)

// What hangs on garbage shows where the garbage is another one: a small dispatch of the
// checking mode runs a second time, in the same order, and the two have to go the same
// way, to the same addresses, and to leave the same memory. Where they do not, runs with
// less and less of the other garbage find the one piece that matters.

// Bounds of dispatches that run twice.
const (
	maxTwiceLanes  = 1 << 12
	maxTwiceBytes  = 1 << 22
	maxTwiceBudget = 1 << 22 // instructions of all lanes
	maxTraceNotes  = 1 << 18
)

// swap puts other garbage in place of draws from one number on, to another.
type swap struct {
	other    Garbage
	from, to int
	drawn    int
	marks    []mark
}

// mark says what is filled from a draw on.
type mark struct {
	at    int
	what  string
	first int
	words int
}

// draw is the next 64 bits, v if they are not swapped.
func (s *swap) draw(v uint64) uint64 {
	o, n := s.other.Long(), s.drawn
	if s.drawn++; n >= s.from && n < s.to {
		return o
	}
	return v
}

// name is what draw n fills, of 8 bytes.
func (s *swap) name(n int) string {
	for i := len(s.marks) - 1; i >= 0; i-- {
		if m := &s.marks[i]; m.at <= n {
			k := 8 * (n - m.at)
			if m.words > 0 {
				k = 2 * (n - m.at) / m.words
			}
			return fmt.Sprintf("%s %d", m.what, m.first+k)
		}
	}
	return fmt.Sprintf("its garbage, byte %d", 8*n)
}

// swapKey names a wave, or with wave -1 the memory of a workgroup.
type swapKey struct {
	group uint64
	wave  int
}

// swaps are those of a run: of everything, or of one wave.
type swaps struct {
	only     *swapKey // nil: of everything
	from, to int
	made     map[swapKey]*swap
}

// of is the swap of a wave's garbage, nil if it stays.
func (s *swaps) of(k swapKey) *swap {
	if s == nil || s.only != nil && *s.only != k {
		return nil
	}
	x := &swap{other: Poison(fork(k.group<<20+uint64(k.wave+2), 0x6f74686572)), from: s.from, to: s.to}
	s.made[k] = x
	return x
}

// event is an access.
type event struct {
	at    uint64
	lane  uint32
	place uint32
	n     int32
	kind  AccessKind
}

// trace keeps the accesses of a run by wave, or compares them with those of another.
type trace struct {
	waves  map[swapKey][]event
	with   *trace // nil: keep
	notes  int
	at     map[swapKey]int // how many of the other's are seen
	differ *difference
}

// difference is where two runs part.
type difference struct {
	key   swapKey
	what  string
	other string // what the other run does
}

// note keeps or compares an access.
func (t *trace) note(w *WaveRaces, lane int, at uint64, n int, kind AccessKind, place uint32) {
	if t == nil || t.differ != nil {
		return
	}
	if t.notes++; t.notes > maxTraceNotes {
		return
	}
	k, e := swapKey{w.g.group, int(w.number)}, event{at, uint32(lane), place, int32(n), kind}
	if t.with == nil {
		t.waves[k] = append(t.waves[k], e)
		return
	}
	i, list := t.at[k], t.with.waves[k]
	t.at[k]++
	if i < len(list) && list[i] == e {
		return
	}
	who := fmt.Sprintf("invocation %d of workgroup %d", w.first+uint32(lane), w.g.group)
	switch {
	case i >= len(list):
		t.differ = &difference{k, fmt.Sprintf("whether %s comes to the %s (%s)", who, accessNames[kind], w.o.Where(place)), ""}
	case list[i].place == place && list[i].lane == uint32(lane):
		t.differ = &difference{k, fmt.Sprintf("the address of the %s of %s (%s)", accessNames[kind], who, w.o.Where(place)), fmt.Sprintf("%#x or %#x", list[i].at, at)}
	default:
		t.differ = &difference{k, fmt.Sprintf("the way of %s to the %s (%s)", who, accessNames[list[i].kind], w.o.Where(list[i].place)),
			"else it comes to the " + accessNames[kind] + " (" + w.o.Where(place) + ")"}
	}
}

type onceKey struct{}

// Once makes dispatches and draws under the context run once also in the checking mode: for those who count
// what runs, and for grids of many draws.
func Once(ctx context.Context) context.Context { return context.WithValue(ctx, onceKey{}, true) }

// small reports whether a second run costs little.
func (d *dispatcher) small() bool {
	return d.total*uint64(d.invocations) <= maxTwiceLanes && d.params.Parallel <= 1 && d.env.Mem != nil && d.env.bytes() <= maxTwiceBytes
}

// bytes is how many there are in memory and images.
func (e *Env) bytes() (n int) {
	e.each(func(b []byte) { n += len(b) })
	return n
}

// each gives all bytes that a program may change.
func (e *Env) each(f func([]byte)) {
	for _, b := range e.Mem.bufs {
		f(b.Data[:cap(b.Data)])
	}
	if e.Bindings == nil {
		return
	}
	for i := range e.Bindings.descs {
		if v := e.Bindings.descs[i].Image; v != nil && v.Image != nil {
			f(v.Image.Data)
		}
	}
}

// save copies them, restore puts them back.
func (e *Env) save() (list [][]byte) {
	e.each(func(b []byte) { list = append(list, bytes.Clone(b)) })
	return list
}

func (e *Env) restore(list [][]byte) {
	e.each(func(b []byte) {
		copy(b, list[0])
		list = list[1:]
	})
}

// twice runs the dispatch, and again with other garbage.
func (d *dispatcher) twice(ctx context.Context) error {
	before, left, oob := d.env.save(), d.meter.left.Load(), d.env.Mem.OutOfBounds
	first := &trace{waves: map[swapKey][]event{}}
	d.races = newRaceLog(d.env)
	d.races.trace = first
	if err := d.once(); err != nil || left-d.meter.left.Load() > maxTwiceBudget {
		return err
	}
	second := again{d: d, ctx: ctx, first: first, before: before, after: d.env.save(), cells: d.races.cells}
	defer func() {
		d.env.restore(second.after)
		d.env.Mem.OutOfBounds = oob
	}()
	oob = d.env.Mem.OutOfBounds
	diff, _ := second.run(nil, 0, math.MaxInt)
	if diff == nil {
		return nil
	}
	from := second.origin(diff)
	text := fmt.Sprintf("emu: %s hangs on what nothing wrote, %s", diff.what, from)
	if diff.other != "" {
		text += ": " + diff.other
	}
	return errors.New(text)
}

// again makes runs of a dispatch with other garbage.
type again struct {
	d             *dispatcher
	ctx           context.Context
	first         *trace
	before, after [][]byte
	cells         map[uint64]*raceCell
}

// run swaps the garbage of one wave, or of all, and returns where the run parts from the first one.
func (r *again) run(only *swapKey, from, to int) (*difference, *swaps) {
	r.d.env.restore(r.before)
	params := *r.d.params
	params.Stats = nil
	sw := &swaps{only: only, from: from, to: to, made: map[swapKey]*swap{}}
	d := &dispatcher{prog: r.d.prog, env: r.d.env, params: &params, meter: newMeter(r.ctx, &params.Limits), waveSize: r.d.waveSize, invocations: r.d.invocations,
		waves: r.d.waves, total: r.d.total, localIDs: r.d.localIDs, races: newRaceLog(r.d.env), swaps: sw}
	d.meter.left.Store(min(d.meter.left.Load(), 8*maxTwiceBudget))
	t := &trace{with: r.first, at: map[swapKey]int{}}
	d.races.trace = t
	err := d.once()
	switch {
	case t.differ != nil:
		return t.differ, sw
	case err != nil:
		return &difference{what: "an error", other: err.Error()}, sw
	}
	return r.memory(d), sw
}

// memory is the first word that two runs leave different.
func (r *again) memory(d *dispatcher) (diff *difference) {
	k := 0
	r.d.env.each(func(b []byte) {
		was := r.after[k]
		k++
		if diff != nil || bytes.Equal(b, was) {
			return
		}
		at := 0
		for b[at] == was[at] {
			at++
		}
		diff = &difference{what: "a texel that is stored", other: fmt.Sprintf("byte %d is %#x or %#x", at, was[at], b[at])}
		if k > len(d.env.Mem.bufs) {
			return
		}
		addr := d.env.Mem.bufs[k-1].Addr + uint64(at)
		diff.what = fmt.Sprintf("what is stored at address %#x", addr)
		if c := d.races.cells[addr>>2]; c != nil && c.write.seq != 0 {
			w := &c.write
			diff.key = swapKey{w.group, int(w.wave)}
			diff.what = fmt.Sprintf("the result of the %s of invocation %d of workgroup %d at address %#x (%s)", accessNames[w.kind], w.invocation, w.group, addr, w.where(w.place))
		}
	})
	return diff
}

// origin finds the garbage that makes the difference: of the wave itself or of its workgroup's memory, the draw.
func (r *again) origin(diff *difference) string {
	for _, k := range []swapKey{diff.key, {diff.key.group, -1}} {
		d, sw := r.run(&k, 0, math.MaxInt)
		if d == nil || sw.made[k] == nil {
			continue
		}
		lo, hi := 0, sw.made[k].drawn
		for hi-lo > 1 {
			mid := (lo + hi) / 2
			if d, _ := r.run(&k, lo, mid); d != nil {
				hi = mid
			} else if d, _ := r.run(&k, mid, hi); d != nil {
				lo = mid
			} else {
				break // on pieces of both halves
			}
		}
		s := sw.made[k]
		name := s.name(lo)
		if hi-lo > 1 {
			name += " to " + s.name(hi-1)
		}
		if k.wave < 0 {
			return name
		}
		return fmt.Sprintf("%s of wave %d", name, k.wave)
	}
	return "garbage of another wave"
}
