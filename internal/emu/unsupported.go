package emu

import "fmt"

// Unsupported is the error of a draw, a dispatch or an image that asks for what
// the software GPU does not have. It comes before any invocation has run.
type Unsupported struct {
	What string // what is not supported, for people
}

// Error says what is not supported.
func (u *Unsupported) Error() string { return "emu: " + u.What }

func unsupported(format string, args ...any) error {
	return &Unsupported{fmt.Sprintf(format, args...)}
}
