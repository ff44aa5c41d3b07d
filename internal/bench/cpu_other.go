//go:build !linux

package main

import "time"

// threadTime is the time since the start: there is no clock of a thread here.
func threadTime() time.Duration { return time.Since(started) }

// processTime is the time since the start.
func processTime() time.Duration { return time.Since(started) }
