package main

import (
	"syscall"
	"time"
	"unsafe"
)

// Clocks of clock_gettime(2).
const (
	processClock = 2 // CLOCK_PROCESS_CPUTIME_ID
	threadClock  = 3 // CLOCK_THREAD_CPUTIME_ID
)

func clock(id uintptr) time.Duration {
	var t syscall.Timespec
	if _, _, err := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, id, uintptr(unsafe.Pointer(&t)), 0); err != 0 {
		return time.Since(started)
	}
	return time.Duration(t.Nano())
}

// threadTime is the CPU time of this thread, so that what else the machine
// does, and the collector's own threads, are not counted.
func threadTime() time.Duration { return clock(threadClock) }

// processTime is the CPU time of the process, the collector's included.
func processTime() time.Duration { return clock(processClock) }
