package emu

import (
	"errors"
	"fmt"
)

// Unsupported is the error of a draw, a dispatch or an image that asks for what
// the software GPU does not have. It comes before any invocation has run.
type Unsupported struct {
	What string // what is not supported, for people
}

// Error says what is not supported.
func (u *Unsupported) Error() string { return "emu: " + u.What }

// Is makes the error an errors.ErrUnsupported.
func (u *Unsupported) Is(target error) bool { return target == errors.ErrUnsupported }

func unsupported(format string, args ...any) error {
	return &Unsupported{fmt.Sprintf(format, args...)}
}
