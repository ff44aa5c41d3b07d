package emu

import (
	"encoding/binary"
	"sync"
)

// Buffer is a range of device memory. Its bytes may be read and written
// directly while no wave runs.
type Buffer struct {
	Addr uint64 // device address of Data[0], 256-byte aligned
	Data []byte
}

// Memory is the device's 64-bit address space. Accesses outside every buffer
// read zero and write nothing (robust access), and are counted.
type Memory struct {
	mu    sync.Mutex // serialises atomics between waves run in parallel
	bufs  []*Buffer  // by address
	next  uint64
	where Garbage // says when a buffer gets another range of addresses
	// OutOfBounds counts accesses that hit no buffer.
	OutOfBounds int
	old         *oldMemory // nil unless remembered
	accels      []accel    // acceleration structures
	oobMu       sync.Mutex // guards OutOfBounds
}

// firstAddress is beyond the 64 GiB where the drivers of some GPUs map nothing, and has a high
// bit in each word: truncating an address to 32 bits or clearing a word of it never works by
// accident.
const firstAddress = 1<<36 + 3<<30

// NewMemory returns an empty address space.
func NewMemory() *Memory { return NewMemoryAt(firstAddress) }

// NewMemory returns an empty address space for runs within the limits: in the
// checking mode its buffers lie in several ranges of 4 GiB, as the seed will have it, so
// that no half of an address may be left out.
func (l *Limits) NewMemory() *Memory {
	m := NewMemory()
	m.where = Poison(fork(l.seed(), 1))
	return m
}

// maxAddress bounds the ranges: GPUs have addresses of 39 bits and more.
const maxAddress = 1 << 39

// place returns where the next buffer lies, room bytes of which are its own.
func (m *Memory) place(room uint64) uint64 {
	if m.where.On() && m.where.Below(3) == 0 {
		if at := (m.next>>32+1)<<32 + uint64(m.where.Below(1<<16))<<8; at+room < maxAddress {
			m.next = at
		}
	}
	at := m.next
	m.next += room
	return at
}

// NewMemoryAt returns a memory whose buffers lie from an address on, a multiple of 256
// other than 0: some hardware has them below 4 GiB, some far above.
func NewMemoryAt(base uint64) *Memory { return &Memory{next: base} }

// Bytes after each buffer that are nobody's; in the checking mode there are more of them, so that
// what leaves a buffer does not soon find another.
const (
	guardGap = 4 << 10
	wideGap  = 1 << 20
)

// Alloc adds a zeroed buffer of size bytes with a guard gap after it. Memory
// comes in words of 4 bytes: an address in the last word is in bounds even
// where the buffer ends within it.
func (m *Memory) Alloc(size int) *Buffer {
	gap := uint64(guardGap)
	if m.where.On() {
		gap = wideGap
	}
	b := &Buffer{Addr: m.place((uint64(size)+255)&^255 + gap), Data: make([]byte, size, (size+3)&^3)}
	m.bufs = append(m.bufs, b)
	return b
}

// find returns the bytes [addr, addr+n) or nil.
func (m *Memory) find(addr uint64, n int) []byte {
	lo, hi := 0, len(m.bufs)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if m.bufs[mid].Addr > addr {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	if lo > 0 {
		b := m.bufs[lo-1]
		size := uint64(cap(b.Data))
		if off := addr - b.Addr; off <= size && uint64(n) <= size-off {
			return b.Data[:size][off : off+uint64(n)]
		}
	}
	m.oobMu.Lock()
	m.OutOfBounds++
	m.oobMu.Unlock()
	return nil
}

// Bytes returns the memory [addr, addr+n) itself, or nil unless one buffer
// holds all of it.
func (m *Memory) Bytes(addr uint64, n int) []byte {
	if n < 0 {
		return nil
	}
	return m.find(addr, n)
}

// Load reads n bytes (1, 2, 4 or 8), little endian, zero-extended.
func (m *Memory) Load(addr uint64, n int) uint64 { return LoadBytes(m.find(addr, n), n) }

// LoadWithin reads n bytes (1, 2 or 4) at an offset of a buffer of size bytes, little endian; those beyond its end are of rest.
func (m *Memory) LoadWithin(addr, size, off uint64, n int, rest uint32) uint32 {
	var b [4]byte
	binary.LittleEndian.PutUint32(b[:], rest)
	if off < size {
		copy(b[:n], m.find(addr+off, int(min(uint64(n), size-off))))
	}
	return uint32(LoadBytes(b[:], n))
}

// Store writes the low n bytes (1, 2, 4 or 8) of v, little endian.
func (m *Memory) Store(addr uint64, n int, v uint64) {
	b := m.find(addr, n)
	m.old.keep(addr, b)
	StoreBytes(b, n, v)
}

// Atomic replaces the n-byte (4 or 8) value at addr by f(old) and returns
// old; nothing else runs between. Out of bounds it returns 0 and calls nothing.
func (m *Memory) Atomic(addr uint64, n int, f func(old uint64) uint64) uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	b := m.find(addr, n)
	if b == nil {
		return 0
	}
	old := LoadBytes(b, n)
	m.old.keep(addr, b)
	StoreBytes(b, n, f(old))
	return old
}

// LoadBytes reads n bytes (1, 2, 4 or 8) of b, or 0 if b is shorter.
func LoadBytes(b []byte, n int) uint64 {
	if len(b) < n {
		return 0
	}
	switch n {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

// StoreBytes writes the low n bytes (1, 2, 4 or 8) of v to b, or nothing if b
// is shorter.
func StoreBytes(b []byte, n int, v uint64) {
	if len(b) < n {
		return
	}
	switch n {
	case 1:
		b[0] = byte(v)
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(v))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(v))
	default:
		binary.LittleEndian.PutUint64(b, v)
	}
}
