package spv

import (
	"encoding/binary"
	"math/bits"

	"nirc/internal/slab"
)

// IsModule reports whether data begins like a binary module of either byte order.
func IsModule(data []byte) bool {
	return len(data) >= 4 && (binary.LittleEndian.Uint32(data) == Magic || binary.BigEndian.Uint32(data) == Magic)
}

// Parse reads a binary module of either byte order. Errors are of type *Error. The memory it takes is proportional to len(data).
func Parse(data []byte) (*Module, error) {
	if len(data) < headerWords*4 {
		return nil, wordErr(len(data)/4, "a module has at least %d bytes, this has %d", headerWords*4, len(data))
	}
	if !IsModule(data) {
		return nil, wordErr(0, "no SPIR-V: the magic number is %#08x", binary.LittleEndian.Uint32(data))
	}
	if len(data)%4 != 0 {
		return nil, wordErr(len(data)/4, "the length of %d bytes is not a multiple of 4", len(data))
	}
	n := len(data) / 4
	bound := binary.LittleEndian.Uint32(data[4*boundWord:])
	if binary.BigEndian.Uint32(data) == Magic {
		bound = bits.ReverseBytes32(bound)
	}
	if bound > maxDense(n) {
		bound = 0
	}
	r := rooms.Get().(*room)
	r.words = slab.Resized(r.words, n+int(bound))
	words, table := r.words[:n:n], r.words[n:]
	clear(table)
	bytesToWords(words, data)
	if words[0] != Magic {
		for i, w := range words {
			words[i] = bits.ReverseBytes32(w)
		}
	}
	m, err := parse(words, table, r)
	if err != nil {
		rooms.Put(r)
	}
	return m, err
}

// bytesToWords reads words from as many times four bytes, two at a time: that took half as long.
func bytesToWords(words []uint32, data []byte) {
	for ; len(words) > 1 && len(data) >= 8; words, data = words[2:], data[8:] {
		v := binary.LittleEndian.Uint64(data)
		words[0], words[1] = uint32(v), uint32(v>>32)
	}
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
}

// boundWord is the word of the header that bounds the ids.
const boundWord = 3

// maxDense is the most ids of a module of n words for which there is a table by id.
func maxDense(n int) uint32 { return uint32(4*n + 4096) }

// ParseWords reads a module of words in the machine's byte order, which become the module's. Errors are of type *Error.
func ParseWords(words []uint32) (*Module, error) {
	return parse(words, nil, &room{})
}

// parse is ParseWords with zeroed memory for a table by id, which need not suffice, in a room.
func parse(words, table []uint32, r *room) (*Module, error) {
	m := &Module{Words: words, room: r}
	if err := m.header(); err != nil {
		return nil, err
	}
	n := 0
	for at := headerWords; at < len(words); n++ {
		count := int(words[at] >> 16)
		if count == 0 {
			return nil, wordErr(at, "an instruction has length 0")
		}
		if count > len(words)-at {
			return nil, wordErr(at, "an instruction has %d words, %d are left", count, len(words)-at)
		}
		at += count
	}
	r.insts = slab.Resized(r.insts, n) // all of each is written below
	m.Insts = r.insts
	switch {
	case m.Bound == uint32(len(table)):
		m.defs = table
	case m.Bound <= maxDense(len(words)):
		m.defs = make([]uint32, m.Bound)
	default:
		m.sparse = make(map[ID]uint32)
	}
	d := decoder{m: m}
	at := headerWords
	for i := range m.Insts {
		count := int(words[at] >> 16)
		in := &m.Insts[i]
		in.Op = Op(words[at] & 0xffff)
		in.Offset = uint32(at)
		in.Words = words[at : at+count : at+count]
		if err := m.check(&d, in, uint32(i+1)); err != nil {
			return nil, err
		}
		at += count
	}
	return m, nil
}

func (m *Module) header() error {
	w := m.Words
	if len(w) < headerWords {
		return wordErr(len(w), "a module has at least %d words", headerWords)
	}
	if w[0] != Magic {
		return wordErr(0, "no SPIR-V: the magic number is %#08x", w[0])
	}
	if w[1]&0xff0000ff != 0 || w[1]>>16 != 1 || w[1]>>8&0xff > 6 {
		err := wordErr(1, "SPIR-V version %#08x is not supported (1.0 to 1.6 are)", w[1])
		err.Unsupported = true
		return err
	}
	m.Version, m.Generator, m.Bound, m.Schema = uint16(w[1]>>8), w[2], w[3], w[4]
	if m.Bound == 0 || m.Bound > MaxBound {
		return wordErr(3, "the id bound is %d, it must be between 1 and %d", m.Bound, MaxBound)
	}
	return nil
}

// check validates one instruction against the grammar and enters its result.
func (m *Module) check(d *decoder, in *Instruction, index uint32) error {
	info := in.Op.info()
	if info == nil {
		return wordErr(int(in.Offset), "opcode %d is not known", uint16(in.Op))
	}
	in.flags = info.flags
	if in.flags&flagPlain != 0 {
		if err := d.checkPlain(in, info); err != nil {
			return err
		}
	} else if err := d.decode(in, info); err != nil {
		return err
	}
	id := in.Result()
	if id == 0 {
		return nil
	}
	if m.DefIndex(id) >= 0 {
		return wordErr(int(in.Offset), "id %%%d is defined more than once", id)
	}
	if m.sparse != nil {
		m.sparse[id] = index
	} else {
		m.defs[id] = index
	}
	return nil
}
