package emu

import (
	"fmt"
	"sync"
)

// A race is two accesses to the same bytes by different invocations, one of
// which writes and not both of which are atomic, that nothing orders; stores by one
// instruction, of which any may stay, are left out in dispatches. Looked for
// in compute dispatches of the checking mode, in workgroup memory and in the
// device's, and between the fragments of a draw (race_fragment.go). What orders: a barrier of the workgroup, for workgroup memory and,
// if the waves have fenced it, for the device's; a barrier of the subgroup; and
// an atomic after another on the same word, which is taken to order all that
// came before that one. So what is reported is a race by Vulkan's memory model;
// not every race is found.

// AccessKind is what an access does. A store that leaves the bytes as they are
// need not be told.
type AccessKind uint8

// Kinds of accesses.
const (
	AccessRead AccessKind = iota
	AccessWrite
	AccessAtomic
	// AccessOrder is an atomic that may stand for a store of a part of its word: it orders as
	// one, and conflicts with nothing.
	AccessOrder
)

var accessNames = [...]string{"load", "store", "atomic", "atomic"}

// maxRaceNotes bounds how many accesses a dispatch looks at.
const maxRaceNotes = 1 << 22

// RaceOptions say how a core tells its accesses apart.
type RaceOptions struct {
	// Where names the instruction at a place, which the core numbers as it likes.
	Where func(place uint32) string
	// Words: a load of a word, or of what is less of one, sees an atomic of that word whole or not at all, as
	// machines do: it is no race with it. By Vulkan it is.
	Words bool
	// Lanes: lanes of one wave may race, as barriers of the subgroup are told with
	// SubgroupBarrier. Else a wave is one after the other.
	Lanes bool
	// Fences: fences of the device's memory are told with Fence. Else each barrier of the
	// workgroup counts as one.
	Fences bool
	// OrderShared: nobody says which accesses to workgroup memory are atomic. Any may be what another invocation waits for.
	OrderShared bool
	// Late: stores are told before those under way have landed, so that some that change nothing are told too.
	Late bool
}

// racy is one access that others may race with; seq 0 is none.
type racy struct {
	seq          uint64
	group        uint64
	invocation   uint32
	wave         uint32
	epoch, waves uint32 // barriers of the workgroup for the memory, and of the subgroup, so far
	memory       raceMemory
	place        uint32
	verts        uint32 // invocations a patch, 0 of workgroups
	mask         uint8  // bytes of the word
	kind         AccessKind
	whole        bool // a load that no atomic of its word tears
	fragment     racyFragment
	where        func(uint32) string
}

// raceCell is what is known of a word.
type raceCell struct {
	write, read, other racy   // other: a read by another invocation
	parts              []racy // stores before that of bytes that those after them left
	sync               uint64
}

// stored keeps a store, and what came before it of bytes that it leaves.
func (c *raceCell) stored(a racy) {
	parts := c.parts[:0]
	for _, b := range append(c.parts, c.write) {
		if b.mask &^= a.mask; b.mask != 0 {
			parts = append(parts, b)
		}
	}
	c.write, c.parts = a, parts
	for _, b := range []*racy{&c.read, &c.other} {
		if b.mask &^= a.mask; b.mask == 0 {
			*b = racy{}
		}
	}
}

// raceLog watches a dispatch.
type raceLog struct {
	mu    sync.Mutex
	seq   uint64
	cells map[uint64]*raceCell // of the device's memory, by address/4, and of images
	// images numbers images in the order in which they are met.
	images map[*Image]uint64
	stored map[*Image]bool // those that shaders may store to
	trace  *trace          // nil: nobody compares two runs
	err    error
}

func newRaceLog(env *Env) *raceLog {
	return &raceLog{cells: map[uint64]*raceCell{}, images: map[*Image]uint64{}, stored: storedImages(env)}
}

// failed returns the race that was found, or nil.
func (l *raceLog) failed() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// groupRaces watches a workgroup.
type groupRaces struct {
	log    *raceLog
	group  uint64
	epochs [numRaceMemories]uint32
	shared []raceCell
	waves  []WaveRaces
	// outputs are those that invocations share, by patch and place; verts is how many invocations a patch has, 0 of workgroups.
	outputs map[uint64]*raceCell
	verts   uint32
}

// WaveRaces is a wave's way to tell its accesses; nil takes them and does nothing.
type WaveRaces struct {
	g      *groupRaces
	o      RaceOptions
	number uint32
	first  uint32        // invocation of lane 0
	seen   uint64        // accesses up to here came before by atomics
	atomic uint64        // the wave's last one
	epoch  uint32        // barriers of the subgroup
	wave   *fragmentWave // nil: of a dispatch
	fenced [numRaceMemories]bool
}

// raceMemory is a kind of memory, which fences order apart from others.
type raceMemory uint8

const (
	raceDevice raceMemory = iota
	raceShared
	raceImages  // texels, of images and of texel buffers
	raceOutputs // of a patch, or a mesh
	numRaceMemories
)

var raceMemoryNames = [...]string{"the device's memory at address", "workgroup memory at byte", "the texel at byte", "the output at"}

// start begins a workgroup of waves.
func (g *groupRaces) start(log *raceLog, group uint64, waves, size int) {
	*g = groupRaces{log: log, group: group, waves: g.waves[:0], shared: g.shared, outputs: g.outputs}
	clear(g.shared)
	clear(g.outputs)
	for i := range waves {
		g.waves = append(g.waves, WaveRaces{g: g, number: uint32(i), first: uint32(i * size)})
	}
}

// barrier says that all waves have come to a barrier of the workgroup.
func (g *groupRaces) barrier() {
	if g.log == nil {
		return
	}
	seen := uint64(0)
	for i := range g.waves {
		seen = max(seen, g.waves[i].seen)
	}
	for m := range g.epochs {
		fenced := true
		for i := range g.waves {
			w := &g.waves[i]
			fenced = fenced && (w.fenced[m] || !w.o.Fences || raceMemory(m) == raceShared || raceMemory(m) == raceOutputs)
		}
		if fenced {
			g.epochs[m]++
		}
	}
	for i := range g.waves {
		g.waves[i].seen, g.waves[i].fenced = seen, [numRaceMemories]bool{}
	}
}

// Watch says how the core tells accesses. It is called before the first.
func (w *WaveRaces) Watch(o RaceOptions) {
	if w != nil {
		w.o = o
	}
}

// On reports whether accesses to memory are looked at, so that a core may save itself the trouble.
func (w *WaveRaces) On() bool { return w != nil && w.o.Where != nil && w.g.verts == 0 }

// full reports whether nothing more is looked at: a race is enough.
func (l *raceLog) full() bool { return l.seq >= maxRaceNotes || l.err != nil }

// Fence says that the wave makes its accesses to the device's memory available
// and visible: it counts from the next barrier of the workgroup on.
func (w *WaveRaces) Fence() {
	if w != nil {
		w.fenced[raceDevice] = true
	}
}

// FenceImages is Fence of texels.
func (w *WaveRaces) FenceImages() {
	if w != nil {
		w.fenced[raceImages] = true
	}
}

// SubgroupBarrier says that lanes of the wave wait for each other, memory included.
func (w *WaveRaces) SubgroupBarrier() {
	if w != nil {
		w.epoch++
	}
}

// Shared tells an access of a lane to n bytes of workgroup memory.
func (w *WaveRaces) Shared(lane int, at uint64, n int, kind AccessKind, place uint32) {
	if !w.On() {
		return
	}
	log := w.g.log
	log.mu.Lock()
	defer log.mu.Unlock()
	if kind != AccessWrite { // stores that change nothing are not told, and what was there is garbage
		log.trace.note(w, lane, at, n, kind, place)
	}
	if w.o.OrderShared {
		kind = AccessOrder
	}
	for i := range words(at, n) {
		k := at>>2 + i
		if k >= maxShared/4 || log.full() {
			return
		}
		for uint64(len(w.g.shared)) <= k {
			w.g.shared = append(w.g.shared, raceCell{})
		}
		w.note(&w.g.shared[k], raceShared, k<<2, lane, byteMask(k, at, n), kind, place)
	}
}

// Global tells an access of a lane to n bytes of the device's memory.
func (w *WaveRaces) Global(lane int, at uint64, n int, kind AccessKind, place uint32) {
	if !w.On() {
		return
	}
	w.global(raceDevice, lane, at, n, kind, place)
}

func (w *WaveRaces) global(memory raceMemory, lane int, at uint64, n int, kind AccessKind, place uint32) {
	log := w.g.log
	log.mu.Lock()
	defer log.mu.Unlock()
	log.trace.note(w, lane, at, n, kind, place)
	for i := range words(at, n) {
		if log.full() {
			return
		}
		k := at>>2 + i
		c := log.cells[k]
		if c == nil {
			c = new(raceCell)
			log.cells[k] = c
		}
		w.note(c, memory, k<<2, lane, byteMask(k, at, n), kind, place)
	}
}

func words(at uint64, n int) uint64 { return (at+uint64(n)+3)>>2 - at>>2 }

// byteMask are the bytes of word k that n bytes at an address touch.
func byteMask(k, at uint64, n int) (m uint8) {
	for b := range uint64(4) {
		if x := k<<2 + b; x >= at && x < at+uint64(n) {
			m |= 1 << b
		}
	}
	return m
}

// note looks whether an access races with those before, and keeps it.
func (w *WaveRaces) note(c *raceCell, memory raceMemory, at uint64, lane int, mask uint8, kind AccessKind, place uint32) {
	log := w.g.log
	log.seq++
	a := racy{seq: log.seq, group: w.g.group, invocation: w.first + uint32(lane), wave: w.number, memory: memory, epoch: w.g.epochs[memory], waves: w.epoch,
		place: place, verts: w.g.verts, mask: mask, kind: kind, whole: w.o.Words && kind == AccessRead, where: w.o.Where}
	if w.wave != nil {
		a.fragment = w.wave.racy(lane)
		a.fragment.differs = !w.o.Late
	}
	a.fragment.differs = a.fragment.differs || memory == raceOutputs
	if kind == AccessAtomic || kind == AccessOrder {
		w.seen = max(w.seen, c.sync)
		c.sync, w.atomic = a.seq, a.seq
	}
	if kind == AccessOrder {
		return
	}
	if b := c.before(w, &a); b != nil {
		if log.err == nil {
			log.err = fmt.Errorf("emu: race on %s %#x: %s and %s, which nothing orders", raceMemoryNames[memory], imageByte(memory, at), b, &a)
		}
		return
	}
	if kind != AccessRead {
		c.stored(a)
		return
	}
	r := &c.read
	if r.seq != 0 && !r.by(&a) {
		r = &c.other
	}
	if r.by(&a) && r.seq > w.atomic && r.epoch == a.epoch && r.waves == a.waves && r.fragment == a.fragment {
		a.mask |= r.mask // nothing came between that could have ordered the one load and not the other
	}
	*r = a
}

// by reports whether an access is by the invocation of another.
func (b *racy) by(a *racy) bool {
	return b.seq != 0 && b.invocation == a.invocation && b.group == a.group
}

// before is an access to the word that a races with, nil if there is none.
func (c *raceCell) before(w *WaveRaces, a *racy) *racy {
	races := func(b *racy) bool { return b.mask&a.mask != 0 && b.conflicts(a) && !w.after(b, a) }
	for _, b := range []*racy{&c.write, &c.read, &c.other} {
		if races(b) {
			return b
		}
	}
	for k := range c.parts {
		if b := &c.parts[k]; races(b) {
			return b
		}
	}
	return nil
}

// String says what the access is, whose and by which instruction.
func (a *racy) String() string {
	who := fmt.Sprintf("invocation %d of workgroup %d", a.invocation, a.group)
	if a.verts > 0 {
		who = fmt.Sprintf("invocation %d of patch %d", a.invocation%a.verts, a.group+uint64(a.invocation/a.verts))
	}
	if f := &a.fragment; f.of {
		who = fmt.Sprintf("fragment %d in pixel (%d, %d) of layer %d", f.number, f.x, f.y, f.layer)
	}
	return fmt.Sprintf("%s of %s (%s)", accessNames[a.kind], who, a.where(a.place))
}

// conflicts reports whether two accesses to the same bytes need an order. Of
// stores by one instruction any is meant to do, except for those of fragments that tell what they change.
func (b *racy) conflicts(a *racy) bool {
	switch {
	case a.whole && b.kind == AccessAtomic || b.whole && a.kind == AccessAtomic:
		return false
	case b.kind != a.kind:
		return b.kind != AccessRead || a.kind != AccessRead
	case a.kind == AccessWrite:
		return b.place != a.place || a.fragment.differs
	}
	return false
}

// after reports whether an access of the wave comes after b by what orders.
func (w *WaveRaces) after(b, a *racy) bool {
	switch {
	case b.seq <= w.seen || a.fragment.after(&b.fragment):
		return true
	case b.group != a.group:
		return false
	case b.invocation == a.invocation || b.epoch < w.g.epochs[b.memory]:
		return true
	case b.wave == a.wave:
		// Which fragments share a wave nobody says.
		return !w.o.Lanes && !a.fragment.of || b.waves < a.waves
	}
	return false
}
