package core

import (
	"nirc/backend/ir3/isa"
	"nirc/internal/emu"
)

// In checking mode stores land as late, and loads read memory as late, as the program allows: a
// store is seen by other waves when a fence orders it or the wave ends, a load reads when its result is
// waited for (ir3.md §4.3 and 7.8), and until then its register holds garbage. A wave sees what it
// stored itself. Some fibers of a load read at once and the others late, by chance, so that a load from one address gives what
// was there before and what another wave put there. On a7xx a wave keeps seeing what it has read of the device's memory until
// a fence of reads, or ccinv.

// space is a kind of memory.
type space uint8

const (
	spaceDevice space = iota
	spaceLocal        // of the workgroup, or between stages
)

// lateStore is a store that has not landed.
type lateStore struct {
	at    uint64
	v     uint64
	n     uint8
	space space
	image func() // a store of a texel; then the other fields say nothing
}

// lateRead is a load that has not read.
type lateRead struct {
	at    uint64
	reg   int16
	lane  uint8
	n     uint8
	space space
	half  bool
	early bool // read already
	v     uint64
}

// cachedWord is what a wave has read of the device's memory, and how often since.
type cachedWord struct {
	v    uint64
	uses uint8
}

// wordSet says of which words there may be something, by their number.
type wordSet [16]uint64

func (s *wordSet) add(at uint64, n uint8) {
	for k := at >> 2; k <= (at+uint64(n)-1)>>2; k++ {
		s[k>>6&15] |= 1 << (k & 63)
	}
}

func (s *wordSet) has(at uint64, n uint8) bool {
	for k := at >> 2; k <= (at+uint64(n)-1)>>2; k++ {
		if s[k>>6&15]>>(k&63)&1 != 0 {
			return true
		}
	}
	return false
}

// Bounds of what may be late: stores in number and in turns of the wave, reuses of what was read. A
// wave that waits for another must see its stores in the end.
const (
	maxLateStores = 512
	maxLateTurns  = 48
	maxReuses     = 8
)

// lateness is what of a wave's accesses is still to happen.
type lateness struct {
	stores   []lateStore
	loads    [2][]lateRead // those that (ss) waits for, and (sy)
	turns    int
	cache    map[uint64]cachedWord // by number of the word
	stored   [2]wordSet            // by space
	loading  [2]wordSet
	texels   int // stores of texels among the stores
	localMem []byte
	tears    emu.Garbage // which fibers of a load read at once
}

// overlaps reports whether n bytes at a and m bytes at b share one.
func overlaps(a uint64, n uint8, b uint64, m uint8) bool {
	return a < b+uint64(m) && b < a+uint64(n)
}

// store stores n bytes, now or later. mem is local memory, or nil.
func (w *wave) lateStore(sp space, at uint64, n int, v uint64, mem []byte) {
	s := lateStore{at: at, v: v, n: uint8(n), space: sp}
	if sp == spaceLocal {
		w.late.localMem = mem
	}
	if w.check == nil {
		w.land(&s)
		return
	}
	w.orderLoads(sp, at, uint8(n))
	w.queue(s)
}

// lateTexel stores a texel, now or later.
func (w *wave) lateTexel(f func()) {
	if w.check == nil {
		f()
		return
	}
	w.arrive(isa.SS | isa.SY)
	w.queue(lateStore{image: f})
}

func (w *wave) queue(s lateStore) {
	if len(w.late.stores) >= maxLateStores {
		w.landAll()
	}
	if w.late.stores = append(w.late.stores, s); s.image != nil {
		w.late.texels++
	} else {
		w.late.stored[s.space].add(s.at, s.n)
	}
}

// land does a store.
func (w *wave) land(s *lateStore) {
	switch {
	case s.image != nil:
		s.image()
	case s.space == spaceLocal:
		emu.StoreBytes(within(w.late.localMem, uint32(s.at), int(s.n)), int(s.n), s.v)
	default:
		w.l.Env.Mem.Store(s.at, int(s.n), s.v)
	}
}

// landAll does the stores that have not landed: accesses to texels, which texel buffers have in the device's memory, see them all.
func (w *wave) landAll() {
	l := w.late.stores
	if len(l) == 0 {
		return
	}
	w.late.stores, w.late.turns, w.late.texels = l[:0], 0, 0
	w.late.stored = [2]wordSet{}
	for i := range l {
		w.land(&l[i])
		l[i].image = nil
	}
}

// landLocal does those to local memory.
func (w *wave) landLocal() {
	kept := w.late.stores[:0]
	for i := range w.late.stores {
		if s := &w.late.stores[i]; s.image == nil && s.space == spaceLocal {
			w.land(s)
		} else {
			kept = append(kept, *s)
		}
	}
	w.late.stores, w.late.stored[spaceLocal] = kept, wordSet{}
}

// orderLoads lets loads read that an access which follows must not overtake.
func (w *wave) orderLoads(sp space, at uint64, n uint8) {
	if sp == spaceDevice {
		for k := at >> 2; len(w.late.cache) > 0 && k <= (at+uint64(n)-1)>>2; k++ {
			delete(w.late.cache, k)
		}
	}
	if !w.late.loading[sp].has(at, n) {
		return
	}
	for _, l := range w.late.loads {
		for i := range l {
			if l[i].space == sp && overlaps(l[i].at, l[i].n, at, n) {
				w.arrive(isa.SS | isa.SY)
				return
			}
		}
	}
}

// see lets own stores land that an access to n bytes must see.
func (w *wave) see(sp space, at uint64, n int) {
	if sp == spaceDevice && w.late.texels > 0 {
		w.landAll()
		return
	}
	if !w.late.stored[sp].has(at, uint8(n)) {
		return
	}
	for i := range w.late.stores {
		if s := &w.late.stores[i]; s.image == nil && s.space == sp && overlaps(s.at, s.n, at, uint8(n)) {
			w.landAll()
			return
		}
	}
}

// beforeAtomic orders the wave's own accesses before an atomic.
func (w *wave) beforeAtomic(sp space, at uint64, n int) {
	if w.check != nil {
		w.see(sp, at, n)
		w.orderLoads(sp, at, uint8(n))
	}
}

// lateLoad loads into a register of a lane, now or when it is waited for by flag. mem is local
// memory, or nil.
func (w *wave) lateLoad(r lateRead, mem []byte, flag isa.Flags) {
	if r.space == spaceLocal {
		w.late.localMem = mem
	}
	if w.check == nil {
		w.read(&r)
		return
	}
	w.laneSet(int(r.reg), int(r.lane), r.half, w.garbage.Word())
	if r.early = w.late.tears.Long()&1 != 0; r.early {
		r.v = w.find(&r)
	}
	k := 0
	if flag == isa.SY {
		k = 1
	}
	w.late.loads[k] = append(w.late.loads[k], r)
	w.late.loading[r.space].add(r.at, r.n)
}

// own is what a load reads of a store of the wave that has not landed, the last of its bytes; stores of
// some of them only land.
func (w *wave) own(r *lateRead) (v uint64, ok bool) {
	if r.space == spaceDevice && w.late.texels == 0 && !w.late.stored[spaceDevice].has(r.at, r.n) || r.space == spaceLocal && !w.late.stored[spaceLocal].has(r.at, r.n) {
		return 0, false
	}
	for i := len(w.late.stores) - 1; i >= 0; i-- {
		s := &w.late.stores[i]
		switch {
		case s.image != nil && r.space == spaceDevice:
		case s.image != nil || s.space != r.space || !overlaps(s.at, s.n, r.at, r.n):
			continue
		case s.at == r.at && s.n == r.n:
			return s.v, true
		}
		w.landAll()
		return 0, false
	}
	return 0, false
}

// read ends a load.
func (w *wave) read(r *lateRead) {
	if !r.early {
		r.v = w.find(r)
	}
	w.laneSet(int(r.reg), int(r.lane), r.half, uint32(r.v))
}

// find returns what a load finds now.
func (w *wave) find(r *lateRead) uint64 {
	if v, ok := w.own(r); ok {
		return v
	}
	if r.space == spaceLocal {
		return emu.LoadBytes(within(w.late.localMem, uint32(r.at), int(r.n)), int(r.n))
	}
	return w.loadDevice(r.at, r.n)
}

// arrive lets the loads read that the flags wait for.
func (w *wave) arrive(flags isa.Flags) {
	for k, f := range [...]isa.Flags{isa.SS, isa.SY} {
		if l := w.late.loads[k]; flags&f != 0 && len(l) > 0 {
			w.late.loads[k] = l[:0]
			for i := range l {
				w.read(&l[i])
			}
		}
	}
	if len(w.late.loads[0])+len(w.late.loads[1]) == 0 {
		w.late.loading = [2]wordSet{}
	}
}

// loadDevice reads the device's memory: on a7xx what the wave read there before, for a while.
func (w *wave) loadDevice(at uint64, n uint8) uint64 {
	if w.check == nil || w.l.Compute == nil || w.p.meta.Gen != isa.A7xx || n != 4 || at&3 != 0 {
		return w.l.Env.Mem.Load(at, int(n))
	}
	if w.late.cache == nil {
		w.late.cache = map[uint64]cachedWord{}
	}
	k := at >> 2
	c, ok := w.late.cache[k]
	if !ok || c.uses >= maxReuses {
		c = cachedWord{v: w.l.Env.Mem.Load(at, int(n))}
	}
	c.uses++
	w.late.cache[k] = c
	return c.v
}

// turn counts the turns of the wave, after some of which stores land.
func (w *wave) turn() {
	if len(w.late.stores) > 0 {
		if w.late.turns++; w.late.turns > maxLateTurns {
			w.landAll()
		}
	}
}

// execFence lets stores land, those of the device's memory with .g, and forgets what was read.
func execFence(w *wave, x *inst) error {
	if x.Flags&isa.BarW != 0 {
		if x.Flags&isa.BarG != 0 {
			w.landAll()
		} else {
			w.landLocal()
		}
	}
	if x.Flags&isa.BarR != 0 {
		clear(w.late.cache)
	}
	w.noteFence(x)
	return nil
}

func execCcinv(w *wave, _ *inst) error {
	clear(w.late.cache)
	return nil
}
