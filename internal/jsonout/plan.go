package jsonout

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync/atomic"
	"unsafe"
)

// node says how values of a type are written.
type node struct {
	kind   reflect.Kind
	form   form
	typ    reflect.Type
	size   uintptr
	elem   atomic.Pointer[node] // of slices, arrays and pointers: element has it
	fields []field              // of structs
}

// element is the node of the elements of a slice or an array, or of what a pointer points to. It is made when the first one is
// written: most of what an object may say of its code it does not, and a process that compiles one shader took 3 % of its time for those.
func (n *node) element() *node {
	if e := n.elem.Load(); e != nil {
		return e
	}
	t := n.typ.Elem()
	e := planOf(t)
	if e == nil {
		e = &node{form: standard, typ: t, size: t.Size()}
	}
	n.elem.Store(e)
	return e
}

// known reports whether none of what a value may hold goes to encoding/json.
func (n *node) known(seen map[*node]bool) bool {
	if seen[n] {
		return true
	}
	seen[n] = true
	switch {
	case n.form != plain:
		return n.form != standard
	case n.kind == reflect.Slice || n.kind == reflect.Array || n.kind == reflect.Pointer:
		return n.element().known(seen)
	}
	for i := range n.fields {
		if !n.fields[i].node.known(seen) {
			return false
		}
	}
	return true
}

// form tells types apart that have a kind in common.
type form uint8

const (
	plain    form = iota
	text          // it has MarshalText
	bytes         // base64
	raw           // json.RawMessage
	standard      // encoding/json writes it
)

// field is a member of a struct.
type field struct {
	head   string // "name":
	offset uintptr
	omit   omission
	// word is how many bytes from at on, in words of that size, are zero where a member with omitempty is absent: the value, or
	// a slice's or string's length. 0: absent looks at the kind.
	word uint8
	at   uintptr
	node *node
}

// findWord says where absent looks for a member of omitempty: half of the time of an object was to find its kind out each time.
func (f *field) findWord() {
	f.at = f.offset
	switch n := f.node; {
	case f.omit != empty:
	case n.kind == reflect.Slice || n.kind == reflect.String:
		f.word, f.at = uint8(unsafe.Sizeof(uintptr(0))), f.offset+unsafe.Sizeof(uintptr(0))
	case n.kind != reflect.Struct && n.kind != reflect.Array:
		f.word = uint8(n.size)
	}
}

// omission is when a member is left out.
type omission uint8

const (
	never omission = iota
	empty          // omitempty
	zero           // omitzero
)

var (
	textType  = reflect.TypeFor[encoding.TextMarshaler]()
	jsonType  = reflect.TypeFor[json.Marshaler]()
	zeroType  = reflect.TypeFor[interface{ IsZero() bool }]()
	rawType   = reflect.TypeFor[json.RawMessage]()
	scalarSet = 1<<reflect.Bool | 1<<reflect.Int | 1<<reflect.Int8 | 1<<reflect.Int16 | 1<<reflect.Int32 | 1<<reflect.Int64 |
		1<<reflect.Uint | 1<<reflect.Uint8 | 1<<reflect.Uint16 | 1<<reflect.Uint32 | 1<<reflect.Uint64 | 1<<reflect.String
)

// planner makes the node of a type, and those of the members of structs; it has one of each type that it meets.
type planner map[reflect.Type]*node

// plan returns how values of a type are written; an error names what only encoding/json can write.
func (p planner) plan(t reflect.Type) (*node, error) {
	if n := p[t]; n != nil {
		return n, nil
	}
	n := &node{kind: t.Kind(), typ: t, size: t.Size()}
	p[t] = n
	has := func(i reflect.Type) bool { return t.Implements(i) || reflect.PointerTo(t).Implements(i) }
	switch {
	case t == rawType:
		n.form = raw
		return n, nil
	case has(jsonType) || t.Kind() == reflect.Pointer && (has(textType) || t.Elem().Implements(textType)):
		return nil, fmt.Errorf("%s writes itself", t)
	case has(textType):
		n.form = text
		return n, nil
	}
	var err error
	switch k := t.Kind(); {
	case scalarSet>>k&1 != 0:
	case k == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		n.form = bytes
		if e := reflect.PointerTo(t.Elem()); e.Implements(textType) || e.Implements(jsonType) {
			return nil, fmt.Errorf("%s has bytes that write themselves", t)
		}
	case k == reflect.Slice || k == reflect.Array || k == reflect.Pointer:
	case k == reflect.Struct:
		err = p.members(n, t, 0, map[string]bool{})
	default:
		err = fmt.Errorf("%s is a %s", t, k)
	}
	return n, err
}

// members adds the members of a struct that stands at an offset in that of the node.
func (p planner) members(n *node, t reflect.Type, offset uintptr, seen map[string]bool) error {
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("json")
		name, options, _ := strings.Cut(tag, ",")
		switch {
		case tag == "-" || !f.IsExported() && !f.Anonymous:
			continue
		case f.Anonymous && name == "" && f.IsExported() && f.Type.Kind() == reflect.Struct:
			if err := p.members(n, f.Type, offset+f.Offset, seen); err != nil {
				return err
			}
			continue
		case f.Anonymous:
			return fmt.Errorf("%s has %s embedded", t, f.Name)
		case name == "":
			name = f.Name
		}
		if seen[name] {
			return fmt.Errorf("%s has several members %s", t, name)
		}
		seen[name] = true
		m := field{head: `"` + name + `":`, offset: offset + f.Offset}
		switch options {
		case "":
		case "omitempty":
			m.omit = empty
		case "omitzero":
			m.omit = zero
			if f.Type.Implements(zeroType) || reflect.PointerTo(f.Type).Implements(zeroType) {
				return fmt.Errorf("%s says itself what is zero", f.Type)
			}
		default:
			return fmt.Errorf("%s.%s has the options %s", t, f.Name, options)
		}
		var err error
		if m.node, err = p.plan(f.Type); err != nil {
			return err
		}
		m.findWord()
		n.fields = append(n.fields, m)
	}
	return nil
}
