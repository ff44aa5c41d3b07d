package main

import (
	"runtime"
	"runtime/debug"
	"syscall"
	"unsafe"
)

const (
	// heapRoom is what a run of some hundred shaders takes of the heap before it is collected for the first time.
	heapRoom = 32 << 20
	// heapRoomShaders is from how many shaders on the room pays for the collection that it costs, heapRoomBytes from how
	// many bytes of modules on, however few these are.
	heapRoomShaders = 32
	heapRoomBytes   = 16 << 10
	// heapPiece is what Go maps of its heap at least at once, where it begins as well as in size, on 64-bit systems.
	heapPiece = 4 << 20
	hugePage  = 2 << 20
	// madvCollapse, of Linux 6.1 and later, makes huge pages of what is in small ones (madvise(2)).
	madvCollapse = 25
)

// useHugePages lets the heap of a run of that many shaders, or of modules of so many bytes, grow into huge pages. The first touch of a page of 4 KiB costs
// a system from .3 µs (on a machine) to 13 µs (on a virtual one), and 250 shaders touch some 4,000. Go maps its heap in
// pieces that are too small for such advice: so room is allocated in one piece, advised, and given to the collector.
// 240 shaders for Midgard take 1,650 faults in place of 5,200, for ir3 1,700 in place of 8,300: .7 to .85 of the
// processor's time on a virtual machine. One module of 446 KB for AGX takes 10,200 in place of 18,400 and .76 of the time, one of
// 43 KB 1,200 in place of 3,800 and .65; one of 30 KB gains nothing, and one of 5 KB would lose a tenth.
func useHugePages(shaders int, bytes int64) {
	if shaders < heapRoomShaders && bytes < heapRoomBytes {
		return
	}
	// The room alone would set off the collector, which runs once more when it is asked: each run of it touches new pages.
	percent := debug.SetGCPercent(-1)
	advise(make([]byte, heapRoom))
	runtime.GC()
	debug.SetGCPercent(percent)
}

// advise asks for huge pages: for the room, and for what the heap holds before it, where the next allocations go. A system
// that has none says no, and that is no matter.
//
//go:noinline
func advise(room []byte) {
	first := uintptr(unsafe.Pointer(&room[0]))
	start := first &^ (heapPiece - 1)
	madvise(start, first+heapRoom, syscall.MADV_HUGEPAGE)
	madvise(start, (first+hugePage-1)&^(hugePage-1), madvCollapse)
}

func madvise(start, end uintptr, advice int) {
	_, _, _ = syscall.RawSyscall(syscall.SYS_MADVISE, start, end-start, uintptr(advice))
}
