package spv

import (
	"errors"
	"fmt"
)

// Error is what this package returns for input that is not SPIR-V: Parse sets Word, the assembler sets Line and Column.
type Error struct {
	// Word is the offset in 32-bit words from the start of the module (0 to 4 are the header); it has no meaning when Line is set.
	Word int
	// Line and Column count from one, Column in bytes. Line is 0 for errors of binary modules.
	Line, Column int
	// Msg says what is wrong.
	Msg string
	// Unsupported: the module is of a version that the package does not know.
	Unsupported bool
}

// Is makes a refusal an errors.ErrUnsupported.
func (e *Error) Is(target error) bool { return e.Unsupported && target == errors.ErrUnsupported }

// Error gives the place and the message.
func (e *Error) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Msg)
	}
	return fmt.Sprintf("word %d: %s", e.Word, e.Msg)
}

func wordErr(word int, format string, args ...any) *Error {
	return &Error{Word: word, Msg: fmt.Sprintf(format, args...)}
}
