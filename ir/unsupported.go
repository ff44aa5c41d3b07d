package ir

import (
	"errors"
	"fmt"
)

// unsupportedError is a refusal without a place in the source.
type unsupportedError struct{ msg string }

func (e *unsupportedError) Error() string { return e.msg }

// Is makes the error an errors.ErrUnsupported.
func (e *unsupportedError) Is(target error) bool { return target == errors.ErrUnsupported }

// Unsupportedf makes the error of what asks for something that the compiler, a target or the
// interpreter does not do. errors.Is finds errors.ErrUnsupported in it, as in all refusals;
// the message is for people only.
func Unsupportedf(format string, args ...any) error {
	return &unsupportedError{fmt.Sprintf(format, args...)}
}
