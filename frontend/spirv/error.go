package spirv

import (
	"errors"
	"fmt"
	"runtime/debug"

	"nirc/frontend/spirv/spv"
)

// Error says why a module cannot be translated, and where.
type Error struct {
	// Word is the offset in 32-bit words from the start of the module.
	Word int
	// ID is the id that the message is about, 0 if none.
	ID uint32
	// File, Line and Col are the place in the source that the module names, if any.
	File      string
	Line, Col uint32
	Msg       string
	// Target is the target that does not support what the module asks for, "" if no target does.
	Target string
	// Unsupported: the module asks for what this frontend does not translate.
	Unsupported bool
	// Internal: the mistake is this package's own, and not the module's.
	Internal bool
	// Stack is the stack trace of a mistake of this package, nil if the module
	// is what is wrong.
	Stack []byte
}

// Is makes a refusal an errors.ErrUnsupported.
func (e *Error) Is(target error) bool { return e.Unsupported && target == errors.ErrUnsupported }

// Error gives the source place, if known, the word offset and the message.
func (e *Error) Error() string {
	s := ""
	if e.Line != 0 {
		s = fmt.Sprintf("%s:%d:%d: ", e.File, e.Line, e.Col)
	}
	if e.ID != 0 {
		return fmt.Sprintf("%sword %d: %%%d: %s", s, e.Word, e.ID, e.Msg)
	}
	return fmt.Sprintf("%sword %d: %s", s, e.Word, e.Msg)
}

// bail is what fail panics with: it unwinds to the function (or global
// declaration) under translation, where guard turns it back into an error.
type bail struct{ err *Error }

// fail ends the translation of the current function or declaration.
func (t *translator) fail(id uint32, format string, args ...any) {
	panic(bail{t.errorf(id, format, args...)})
}

// refuse is fail for what the frontend does not support.
func (t *translator) refuse(id uint32, format string, args ...any) {
	err := t.errorf(id, format, args...)
	err.Unsupported = true
	panic(bail{err})
}

func (t *translator) errorf(id uint32, format string, args ...any) *Error {
	e := &Error{Word: t.word, ID: id, Msg: fmt.Sprintf(format, args...)}
	if t.line.line != 0 {
		e.File, e.Line, e.Col = t.fileName(t.line.file), t.line.line, t.line.col
	}
	return e
}

// unsupported fails for an opcode, naming the capabilities that bring it in.
func (t *translator) unsupported(in *inst) {
	t.checkLacks(in.id, in.op.Capabilities())
	caps := ""
	for i, c := range in.op.Capabilities() {
		if i > 0 {
			caps += " or "
		}
		caps += c.String()
	}
	if caps != "" {
		caps = " (capability " + caps + ")"
	}
	t.refuse(in.id, "%s%s is not supported by this frontend%s", in.op, caps, t.reason(in.op.Capabilities()))
}

// reason is why the frontend does not know what one of some capabilities brings in, after a colon, "" if nobody has said it.
func (t *translator) reason(caps []spv.Capability) string {
	for _, c := range caps {
		if t.opts.Why == nil {
			break
		}
		if why := t.opts.Why(c); why != "" {
			return ": " + why
		}
	}
	return ""
}

// guard runs f and returns the error that it failed with. A run-time panic is
// a bug of this package; it becomes an error too, so that a compiler which
// translates many modules survives it.
func (t *translator) guard(f func()) (err *Error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case bail:
			err = r.err
		default:
			err = t.errorf(0, "internal error of the frontend: %v", r)
			err.Internal, err.Stack = true, debug.Stack()
			if t.opts.panics {
				panic(r)
			}
		}
	}()
	f()
	return nil
}

// note keeps the error of a function unless another one failed with the same: for a type that both use, say.
func (t *translator) note(err *Error) {
	for _, e := range t.errs {
		if e.Error() == err.Error() {
			return
		}
	}
	t.errs = append(t.errs, err)
}

// giveUp leaves the memory of a shader that cannot be translated to the next one, unless a mistake of this package has left
// it in nobody knows what state.
func (t *translator) giveUp() {
	for _, e := range t.errs {
		if e.Internal {
			return
		}
	}
	if t.s != nil {
		t.s.Release()
	}
}

// joinErrors makes one error of those collected; a single one stays as it is.
func joinErrors(list []*Error) error {
	switch len(list) {
	case 0:
		return nil
	case 1:
		return list[0]
	}
	all := make([]error, len(list))
	for i, e := range list {
		all[i] = e
	}
	return errors.Join(all...)
}

// inst is an instruction as the translation sees it: one of the module, or
// the one inside an OpSpecConstantOp.
type inst struct {
	op   spv.Op
	typ  uint32 // result type id, 0 if none
	id   uint32 // result id, 0 if none
	args []uint32
	word int
}

func makeInst(in *spv.Instruction) inst {
	return inst{op: in.Op, typ: uint32(in.ResultType()), id: uint32(in.Result()), args: in.Args(), word: int(in.Offset)}
}

// arg returns word i of the operands, failing if it is missing.
func (t *translator) arg(in *inst, i int) uint32 {
	if i >= len(in.args) {
		t.fail(in.id, "%s: operand %d is missing", in.op, i)
	}
	return in.args[i]
}
