package object

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"nirc/internal/jsonout"
	"nirc/ir"
)

// machines are the numbers that stand in e_machine. No registry has numbers for these instruction sets;
// these lie far above those given out, and say nothing outside of nirc.
var machines = []struct {
	target string
	number uint16
}{
	{"ir3", 0xe613},
	{"agx", 0xe0a9},
	{"midgard", 0xe0a1},
}

// Machine returns the e_machine number of a target's files, 0 of an unknown target.
func Machine(target string) uint16 {
	for _, m := range machines {
		if m.target == target {
			return m.number
		}
	}
	return 0
}

// Sizes and constants of the ELF format (System V ABI, chapter 4).
const (
	headerSize  = 64
	sectionSize = 64
	symbolSize  = 24

	typeRelocatable = 1

	secProgbits = 1
	secSymtab   = 2
	secStrtab   = 3
	secNote     = 7

	flagAlloc = 2
	flagExec  = 4

	noteName = "nirc\x00"
	noteType = 1 // the description is the JSON form of a note
)

var elfIdent = [16]byte{0x7f, 'E', 'L', 'F', 2 /* 64 bits */, 1 /* little endian */, 1 /* version */}

// noteVersion is the form of the note; a reader refuses others.
const noteVersion = 1

// note is what .note.nirc says: all of an Object but its bytes.
type note struct {
	Version int    `json:"version"`
	Stage   string `json:"stage"`
	Object
}

type section struct {
	name            string
	kind, link      uint32
	flags           uint64
	info            uint32
	align, entsize  uint64
	data            []byte
	nameAt, dataAt  int
	size            uint64
	offset, nameRef uint64
}

// Write writes the object as a relocatable ELF file: .text (code), .rodata
// (constant data), .note.nirc (everything else as JSON) and a symbol for the
// entry point. Equal objects give equal bytes.
func (o *Object) Write(w io.Writer) error {
	b, err := o.Bytes()
	if err != nil {
		return err
	}
	_, err = w.Write(b)
	return err
}

// Bytes returns the file that Write writes.
func (o *Object) Bytes() ([]byte, error) {
	machine := Machine(o.Target)
	if machine == 0 {
		return nil, fmt.Errorf("object: no machine number for target %q", o.Target)
	}
	room := notes.Get().(*[]byte)
	defer notes.Put(room)
	desc, err := o.note((*room)[:0])
	if err != nil {
		return nil, err
	}
	*room = desc
	strtab := []byte("\x00" + strings.ReplaceAll(o.Entry, "\x00", "?") + "\x00")
	sections := []*section{
		{},
		{name: ".text", kind: secProgbits, flags: flagAlloc | flagExec, align: 16, data: o.Code},
		{name: ".rodata", kind: secProgbits, flags: flagAlloc, align: 16, data: o.Data},
		{name: ".note.nirc", kind: secNote, align: 4, data: desc},
		{name: ".symtab", kind: secSymtab, link: 5, info: 1, align: 8, entsize: symbolSize, data: symbols(len(o.Code))},
		{name: ".strtab", kind: secStrtab, align: 1, data: strtab},
		{name: ".shstrtab", kind: secStrtab, align: 1},
	}
	return layout(sections, machine), nil
}

// notes keeps the memory of notes, whose size nobody knows before they are there. With files that are made in one piece
// that took three quarters of the memory that writing an object touched, the dearest part of it: fresh memory comes from
// the system.
var notes = sync.Pool{New: func() any { return new([]byte) }}

// note appends the contents of .note.nirc to out, which is empty.
func (o *Object) note(out []byte) ([]byte, error) {
	n := note{Version: noteVersion, Stage: o.Stage.String(), Object: *o}
	if !compact(o.ABI) {
		var b bytes.Buffer
		if err := json.Compact(&b, o.ABI); err != nil {
			return nil, fmt.Errorf("object: %w", err)
		}
		n.ABI = b.Bytes()
	}
	out = binary.LittleEndian.AppendUint32(out, uint32(len(noteName)))
	out = binary.LittleEndian.AppendUint32(out, 0) // the size, below
	out = binary.LittleEndian.AppendUint32(out, noteType)
	out = append(out, noteName...)
	out = pad(out, 4)
	start := len(out)
	out, err := jsonout.Append(out, &n, false)
	if err != nil {
		return nil, fmt.Errorf("object: %w", err)
	}
	binary.LittleEndian.PutUint32(out[4:], uint32(len(out)-start))
	return pad(out, 4), nil
}

// compact reports whether JSON begins as an object or a list and has no spaces outside of strings: so code generators make it, and
// to look for that takes a tenth of what reading it takes.
func compact(text []byte) bool {
	if len(text) > 0 && text[0] != '{' && text[0] != '[' {
		return false
	}
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\' && quoted:
			i++
		case c <= ' ' && !quoted:
			return false
		}
	}
	return !quoted
}

// symbols returns the symbol table: the empty symbol and the entry point, a
// global function at the start of the first section.
func symbols(codeSize int) []byte {
	b := make([]byte, symbolSize, 2*symbolSize)
	b = binary.LittleEndian.AppendUint32(b, 1) // name
	b = append(b, 1<<4|2, 0)                   // global function
	b = binary.LittleEndian.AppendUint16(b, 1) // section
	b = binary.LittleEndian.AppendUint64(b, 0)
	return binary.LittleEndian.AppendUint64(b, uint64(codeSize))
}

func pad(b []byte, align int) []byte {
	for len(b)%align != 0 {
		b = append(b, 0)
	}
	return b
}

// layout puts header, sections and section table together. The last section
// receives the section names.
func layout(list []*section, machine uint16) []byte {
	names := []byte{0}
	for _, s := range list[1:] {
		s.nameAt = len(names)
		names = append(append(names, s.name...), 0)
	}
	list[len(list)-1].data = names
	size := headerSize
	for _, s := range list[1:] {
		size += len(s.data) + int(s.align)
	}
	b := make([]byte, headerSize, size+8+len(list)*sectionSize)
	for _, s := range list[1:] {
		b = pad(b, int(s.align))
		s.dataAt = len(b)
		b = append(b, s.data...)
	}
	b = pad(b, 8)
	table := len(b)
	le := binary.LittleEndian
	for _, s := range list {
		b = le.AppendUint32(b, uint32(s.nameAt))
		b = le.AppendUint32(b, s.kind)
		b = le.AppendUint64(b, s.flags)
		b = le.AppendUint64(b, 0)
		b = le.AppendUint64(b, uint64(s.dataAt))
		b = le.AppendUint64(b, uint64(len(s.data)))
		b = le.AppendUint32(b, s.link)
		b = le.AppendUint32(b, s.info)
		b = le.AppendUint64(b, s.align)
		b = le.AppendUint64(b, s.entsize)
	}
	copy(b, elfIdent[:])
	le.PutUint16(b[16:], typeRelocatable)
	le.PutUint16(b[18:], machine)
	le.PutUint32(b[20:], 1)
	le.PutUint64(b[40:], uint64(table))
	le.PutUint16(b[52:], headerSize)
	le.PutUint16(b[58:], sectionSize)
	le.PutUint16(b[60:], uint16(len(list)))
	le.PutUint16(b[62:], uint16(len(list)-1))
	return b
}

// IsObject reports whether data begins like a file of Write.
func IsObject(data []byte) bool { return bytes.HasPrefix(data, elfIdent[:7]) }

// Read reads what Write wrote. It is safe on any bytes; what it returns may
// share memory with data.
func Read(data []byte) (*Object, error) {
	o, err := read(data)
	if err != nil {
		return nil, fmt.Errorf("object: %w", err)
	}
	return o, nil
}

func read(data []byte) (*Object, error) {
	if !IsObject(data) {
		return nil, errors.New("this is no 64-bit little-endian ELF file")
	}
	if len(data) < headerSize {
		return nil, errors.New("the ELF header is cut off")
	}
	list, err := readSections(data)
	if err != nil {
		return nil, err
	}
	var text, rodata, desc *section
	for _, s := range list {
		switch s.name {
		case ".text":
			text = s
		case ".rodata":
			rodata = s
		case ".note.nirc":
			desc = s
		}
	}
	if text == nil || desc == nil {
		return nil, errors.New("the ELF file has no .text and .note.nirc: nirc did not write it")
	}
	o, err := readNote(desc.data)
	if err != nil {
		return nil, err
	}
	if number := binary.LittleEndian.Uint16(data[18:]); Machine(o.Target) == 0 || Machine(o.Target) != number {
		return nil, fmt.Errorf("machine number %#x is not that of target %q", number, o.Target)
	}
	o.Code = text.data
	if rodata != nil && len(rodata.data) > 0 {
		o.Data = rodata.data
	}
	return o, o.check()
}

// maxSections bounds the section table; nirc writes 7.
const maxSections = 64

func readSections(data []byte) ([]*section, error) {
	le := binary.LittleEndian
	table, size := le.Uint64(data[40:]), int(le.Uint16(data[58:]))
	count, nameIndex := int(le.Uint16(data[60:])), int(le.Uint16(data[62:]))
	if size != sectionSize || count == 0 || count > maxSections || nameIndex >= count {
		return nil, fmt.Errorf("a section table of %d entries of %d bytes is not what nirc writes", count, size)
	}
	rows, ok := within(data, table, uint64(count*sectionSize))
	if !ok {
		return nil, errors.New("the section table lies outside the file")
	}
	list := make([]*section, count)
	for i := range list {
		r := rows[i*sectionSize:]
		s := &section{nameRef: uint64(le.Uint32(r)), offset: le.Uint64(r[24:]), size: le.Uint64(r[32:])}
		if i > 0 {
			if s.data, ok = within(data, s.offset, s.size); !ok {
				return nil, fmt.Errorf("section %d lies outside the file", i)
			}
		}
		list[i] = s
	}
	names := list[nameIndex].data
	for i, s := range list {
		_, ok := within(names, s.nameRef, 0)
		if !ok || i == 0 {
			continue
		}
		rest := names[s.nameRef:]
		if end := bytes.IndexByte(rest, 0); end >= 0 {
			s.name = string(rest[:end])
		}
	}
	return list, nil
}

// within returns size bytes at offset, if they exist.
func within(data []byte, offset, size uint64) ([]byte, bool) {
	n := uint64(len(data))
	if offset > n || size > n-offset {
		return nil, false
	}
	return data[offset : offset+size : offset+size], true
}

func readNote(b []byte) (*Object, error) {
	le := binary.LittleEndian
	const head = 12 + 8 // three words, the name padded
	if len(b) < head || le.Uint32(b) != uint32(len(noteName)) || le.Uint32(b[8:]) != noteType || string(b[12:12+len(noteName)]) != noteName {
		return nil, errors.New("the note is not nirc's")
	}
	desc, ok := within(b, head, uint64(le.Uint32(b[4:])))
	if !ok {
		return nil, errors.New("the note is cut off")
	}
	var n note
	if err := json.Unmarshal(desc, &n); err != nil {
		return nil, fmt.Errorf("the note: %w", err)
	}
	if n.Version != noteVersion {
		return nil, fmt.Errorf("the note has version %d, this is a reader of version %d", n.Version, noteVersion)
	}
	n.Object.Stage = ir.ParseStage(n.Stage)
	if n.Object.Stage == ir.StageNone {
		return nil, fmt.Errorf("the note names a stage %q", n.Stage)
	}
	return &n.Object, nil
}

// check finds contradictions that users of an object need not look for.
func (o *Object) check() error {
	last := uint32(0)
	for i := range o.Lines {
		l := &o.Lines[i]
		if l.Offset < last || uint64(l.Offset) > uint64(len(o.Code)) {
			return fmt.Errorf("line entry %d: offset %d is out of order or outside the code", i, l.Offset)
		}
		if int64(l.File) >= int64(max(1, len(o.Files))) {
			return fmt.Errorf("line entry %d names file %d of %d", i, l.File, len(o.Files))
		}
		last = l.Offset
	}
	return o.checkCalls()
}

// Known reports whether the entry names a place: code without one has none, or one that is all zero.
func (l *LineEntry) Known() bool { return l != nil && (l.Line != 0 || l.Word != 0 || l.ID != 0) }

// LineAt returns the entry that the code at offset belongs to, or nil.
func (o *Object) LineAt(offset uint32) *LineEntry {
	lo, hi := 0, len(o.Lines)
	for lo < hi {
		if mid := (lo + hi) / 2; o.Lines[mid].Offset <= offset {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == 0 {
		return nil
	}
	return &o.Lines[lo-1]
}
