package emu

import "sync"

// A cache that nobody tells of stores goes on with what memory held before: that is what a dispatch
// remembers for programs with loads that go through one.

// StaleReader is a Program with loads that may not see what its dispatch stores (Memory.LoadOld).
type StaleReader interface {
	Program
	// ReadsStale reports whether the program has such loads.
	ReadsStale() bool
}

// oldMemory has the bytes that were stored over.
type oldMemory struct {
	mu    sync.Mutex
	bytes map[uint64]byte
}

// keep notes the bytes b at an address, which are about to be stored to.
func (o *oldMemory) keep(addr uint64, b []byte) {
	if o == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for i, x := range b {
		if _, ok := o.bytes[addr+uint64(i)]; !ok {
			o.bytes[addr+uint64(i)] = x
		}
	}
}

// remember makes the memory keep what Store and Atomic replace from now on, for
// LoadOld; forget ends that.
func (m *Memory) remember() { m.old = &oldMemory{bytes: map[uint64]byte{}} }

func (m *Memory) forget() { m.old = nil }

// LoadOld reads n bytes as they were before the dispatch, if it is checked and its program is a
// StaleReader; else as Load does.
func (m *Memory) LoadOld(addr uint64, n int) uint64 {
	v := m.Load(addr, n)
	if m.old == nil {
		return v
	}
	m.old.mu.Lock()
	defer m.old.mu.Unlock()
	for i := range n {
		if x, ok := m.old.bytes[addr+uint64(i)]; ok {
			v = v&^(0xff<<(8*i)) | uint64(x)<<(8*i)
		}
	}
	return v
}
