//go:build !linux

package main

// useHugePages does nothing: other systems are not told.
func useHugePages(int, int64) {}
