package object

import "fmt"

// Frame is a place of the source in a function.
type Frame struct {
	Func string // "" if it is not known
	File string
	Line uint32 // 0 unknown
	Word uint32 // offset in the module in words, 0 unknown
}

// Frames lists the place that an entry names and the calls through which it got there, the innermost
// first; nil of an entry without a place.
func (o *Object) Frames(e *LineEntry) []Frame {
	if !e.Known() {
		return nil
	}
	list := []Frame{o.frame(e.Func, e.File, e.Line, e.Word)}
	for k := e.Call; k != 0; k = o.Calls[k-1].Call {
		c := &o.Calls[k-1]
		list = append(list, o.frame(c.Func, c.File, c.Line, c.Word))
	}
	return list
}

func (o *Object) frame(fn, file, line, word uint32) Frame {
	f := Frame{Line: line, Word: word}
	if int(fn) < len(o.Funcs) {
		f.Func = o.Funcs[fn]
	}
	if line > 0 && int(file) < len(o.Files) {
		f.File = o.Files[file]
	}
	return f
}

// checkCalls finds calls that lead nowhere, or in a circle.
func (o *Object) checkCalls() error {
	for i := range o.Lines {
		if l := &o.Lines[i]; int64(l.Func) >= int64(max(1, len(o.Funcs))) || int64(l.Call) > int64(len(o.Calls)) {
			return fmt.Errorf("line entry %d names function %d of %d, call %d of %d", i, l.Func, len(o.Funcs), l.Call, len(o.Calls))
		}
	}
	for i := range o.Calls {
		if c := &o.Calls[i]; int64(c.Func) >= int64(max(1, len(o.Funcs))) || int64(c.Call) > int64(i) {
			return fmt.Errorf("call %d names function %d of %d, call %d", i, c.Func, len(o.Funcs), c.Call)
		}
	}
	return nil
}
