package pak

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// Bytes makes an archive of shaders, in any order; their Code is found in their objects. The same
// shaders give the same bytes, and objects that are equal are in it once.
func Bytes(list []Shader) ([]byte, error) {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(x, y Shader) int { return compare(x.Name, x.Target, x.GPU, &y) })
	w := writer{at: headerSize + len(list)*recordSize, strings: map[string]uint32{}, objects: map[string]uint64{}}
	for i := range list {
		s := &list[i]
		if i > 0 && compare(s.Name, s.Target, s.GPU, &list[i-1]) == 0 {
			return nil, fmt.Errorf("two shaders are called %s for %s %s", s.Name, s.Target, s.GPU)
		}
		for _, text := range []string{s.Name, s.Target, s.GPU, s.Stage} {
			if err := w.string(text); err != nil {
				return nil, err
			}
		}
	}
	records, err := w.records(list)
	if err != nil {
		return nil, err
	}
	out := make([]byte, headerSize, w.end())
	copy(out, magic)
	binary.LittleEndian.PutUint32(out[8:], uint32(len(list)))
	binary.LittleEndian.PutUint32(out[12:], recordSize)
	out = append(append(append(out, records...), w.text...), w.body...)
	binary.LittleEndian.PutUint64(out[16:], uint64(len(out)))
	s := sum(out)
	copy(out[24:], s[:])
	return out, nil
}

// writer collects what stands after the records.
type writer struct {
	at      int    // where text begins
	text    []byte // strings
	body    []byte // objects
	strings map[string]uint32
	objects map[string]uint64 // where equal objects are
}

func (w *writer) end() int { return w.at + len(w.text) + len(w.body) }

// string puts a text among the strings, once.
func (w *writer) string(s string) error {
	if strings.IndexByte(s, 0) >= 0 {
		return fmt.Errorf("the name %q has a zero in it", s)
	}
	if _, there := w.strings[s]; there {
		return nil
	}
	if w.end()+len(s) > maxStrings {
		return fmt.Errorf("the names have more than %d bytes", maxStrings)
	}
	w.strings[s] = uint32(w.end())
	w.text = append(append(w.text, s...), 0)
	return nil
}

// records makes the records, and puts the objects in their places.
func (w *writer) records(list []Shader) ([]byte, error) {
	var out []byte
	le := binary.LittleEndian
	for i := range list {
		s := &list[i]
		from, size, err := codeOf(s.Object)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		at, there := w.objects[string(s.Object)]
		if !there {
			w.body = append(w.body, make([]byte, -w.end()&(align-1))...)
			at = uint64(w.end())
			w.objects[string(s.Object)] = at
			w.body = append(w.body, s.Object...)
		}
		for _, text := range []string{s.Name, s.Target, s.GPU, s.Stage} {
			out = le.AppendUint32(out, w.strings[text])
		}
		for _, v := range []uint64{at, uint64(len(s.Object)), at + from, size} {
			out = le.AppendUint64(out, v)
		}
		out = append(append(out, s.Key[:]...), make([]byte, 8)...)
	}
	return out, nil
}

// codeOf finds the machine code in an object.
func codeOf(object []byte) (at, size uint64, err error) {
	f, err := elf.NewFile(bytes.NewReader(object))
	if err != nil {
		return 0, 0, err
	}
	s := f.Section(".text")
	if s == nil || s.Offset > uint64(len(object)) || s.Size > uint64(len(object))-s.Offset {
		return 0, 0, fmt.Errorf("the object has no code")
	}
	return s.Offset, s.Size, nil
}
