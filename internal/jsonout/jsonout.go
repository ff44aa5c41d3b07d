// Package jsonout writes structs as JSON, the same bytes as encoding/json, for objects: each compile describes its code by a
// struct of some fifty members, most of which are left out, and to look at each by reflection took 5 % of a small shader's
// compile. How a type is written is found out once; from then on members are read where they lie.
//
// It knows booleans, integers, strings, slices, arrays, pointers, structs and what has MarshalText. A type with anything else goes
// to encoding/json. It reads nothing, and knows no object.
package jsonout

import (
	stdbytes "bytes"
	"encoding"
	"encoding/base64"
	"encoding/json"
	"reflect"
	"strconv"
	"sync"
	"unsafe"
)

// plans are the nodes of the types that were written, nil of those that encoding/json writes, by type.
var plans sync.Map

// Append appends what v, a pointer, points to. Without html, the characters <, > and & in strings stand for themselves, as with
// json.Encoder.SetEscapeHTML(false); a json.RawMessage is taken to be compact, and stands as it is.
func Append(b []byte, v any, html bool) ([]byte, error) {
	at := reflect.ValueOf(v)
	if at.Kind() != reflect.Pointer || at.IsNil() {
		return appendStd(b, v, html)
	}
	plan := planOf(at.Type().Elem())
	if plan == nil {
		return appendStd(b, v, html)
	}
	w := writer{b, html, nil}
	w.value(plan, at.UnsafePointer())
	return w.b, w.err
}

// Knows reports whether what v points to is written here, and not by encoding/json, for tests of types that are to be.
func Knows(v any) bool {
	plan := planOf(reflect.TypeOf(v).Elem())
	return plan != nil && plan.known(map[*node]bool{})
}

// planOf returns how values of a type are written, nil of what encoding/json writes.
func planOf(t reflect.Type) *node {
	if n, ok := plans.Load(t); ok {
		return n.(*node)
	}
	made, err := planner{}.plan(t)
	if err != nil {
		made = nil
	}
	n, _ := plans.LoadOrStore(t, made)
	return n.(*node)
}

// appendStd appends a value by encoding/json.
func appendStd(b []byte, v any, html bool) ([]byte, error) {
	var buf stdbytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(html)
	err := e.Encode(v)
	return append(b, stdbytes.TrimSuffix(buf.Bytes(), []byte("\n"))...), err
}

// writer is one value being written; err is the first that MarshalText gave.
type writer struct {
	b    []byte
	html bool
	err  error
}

func (w *writer) value(n *node, p unsafe.Pointer) {
	switch {
	case n.form != plain:
		w.special(n, p)
	case n.kind == reflect.String:
		w.string(*(*string)(p))
	case n.kind == reflect.Bool:
		w.b = strconv.AppendBool(w.b, *(*bool)(p))
	case n.kind == reflect.Slice:
		s := (*[]byte)(p) // of any element: pointer, length
		if *s == nil {
			w.b = append(w.b, "null"...)
			return
		}
		w.list(n.element(), unsafe.Pointer(unsafe.SliceData(*s)), len(*s))
	case n.kind == reflect.Array:
		w.list(n.element(), p, n.typ.Len())
	case n.kind == reflect.Pointer:
		if q := *(*unsafe.Pointer)(p); q != nil {
			w.value(n.element(), q)
		} else {
			w.b = append(w.b, "null"...)
		}
	case n.kind == reflect.Struct:
		w.object(n, p)
	case n.kind >= reflect.Int && n.kind <= reflect.Int64:
		w.b = strconv.AppendInt(w.b, signed(n.size, p), 10)
	default:
		w.b = strconv.AppendUint(w.b, unsigned(n.size, p), 10)
	}
}

// special writes what is not written by its kind.
func (w *writer) special(n *node, p unsafe.Pointer) {
	switch n.form {
	case bytes, raw:
		s := *(*[]byte)(p)
		switch {
		case s == nil:
			w.b = append(w.b, "null"...)
		case n.form == raw:
			w.b = append(w.b, s...)
		default:
			w.b = append(w.b, '"')
			w.b = base64.StdEncoding.AppendEncode(w.b, s)
			w.b = append(w.b, '"')
		}
	case standard:
		var err error
		if w.b, err = appendStd(w.b, reflect.NewAt(n.typ, p).Interface(), w.html); w.err == nil {
			w.err = err
		}
	case text:
		s, err := reflect.NewAt(n.typ, p).Interface().(encoding.TextMarshaler).MarshalText()
		if w.string(string(s)); w.err == nil {
			w.err = err
		}
	}
}

func (w *writer) list(elem *node, p unsafe.Pointer, length int) {
	w.b = append(w.b, '[')
	for i := range length {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		w.value(elem, unsafe.Add(p, uintptr(i)*elem.size))
	}
	w.b = append(w.b, ']')
}

func (w *writer) object(n *node, p unsafe.Pointer) {
	next := byte('{')
	for i := range n.fields {
		f := &n.fields[i]
		at := unsafe.Add(p, f.offset)
		if f.omit != never && (f.word != 0 && unsigned(uintptr(f.word), unsafe.Add(p, f.at)) == 0 || f.word == 0 && f.absent(at)) {
			continue
		}
		w.b = append(append(w.b, next), f.head...)
		w.value(f.node, at)
		next = ','
	}
	if next == '{' {
		w.b = append(w.b, '{')
	}
	w.b = append(w.b, '}')
}

// absent reports whether a member that may be left out is, where no word says so.
func (f *field) absent(p unsafe.Pointer) bool {
	n := f.node
	if f.omit == zero {
		return reflect.NewAt(n.typ, p).Elem().IsZero()
	}
	return n.kind == reflect.Array && n.typ.Len() == 0
}

// signed and unsigned read an integer of some bytes.
func signed(size uintptr, p unsafe.Pointer) int64 {
	switch size {
	case 1:
		return int64(*(*int8)(p))
	case 2:
		return int64(*(*int16)(p))
	case 4:
		return int64(*(*int32)(p))
	}
	return *(*int64)(p)
}

func unsigned(size uintptr, p unsafe.Pointer) uint64 {
	switch size {
	case 1:
		return uint64(*(*uint8)(p))
	case 2:
		return uint64(*(*uint16)(p))
	case 4:
		return uint64(*(*uint32)(p))
	}
	return *(*uint64)(p)
}

// string writes a string; one of anything but the usual characters of ASCII goes to encoding/json.
func (w *writer) string(s string) {
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ' || c >= 0x7f || c == '"' || c == '\\', w.html && (c == '<' || c == '>' || c == '&'):
			var err error
			if w.b, err = appendStd(w.b, s, w.html); w.err == nil {
				w.err = err
			}
			return
		}
	}
	w.b = append(w.b, '"')
	w.b = append(w.b, s...)
	w.b = append(w.b, '"')
}
