package isa

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"nirc/backend/listing"
)

// WordBytes is the size of an instruction in bytes.
const WordBytes = 8

// isInterp reports whether an instruction keeps its nop count in (r) marks.
func isInterp(o Op) bool { return o == OpBaryF || o == OpFlatB }

// Nops returns the number of idle slots that follow the instruction ((nopN)).
func (in *Instr) Nops() int {
	if in.Repeat != 0 || !isInterp(in.Op) {
		return int(in.Nop)
	}
	n := 0
	for i := 0; i < 2; i++ {
		if in.Srcs[i].Flags&Rpt != 0 {
			n |= 1 << i
		}
	}
	return n
}

// SetNops sets the number of idle slots after a category 2 or 3 instruction
// whose Repeat is 0; n is 0 to 3.
func (in *Instr) SetNops(n int) {
	if !isInterp(in.Op) {
		in.Nop = uint8(n)
		return
	}
	for i := 0; i < 2; i++ {
		in.Srcs[i].Flags &^= Rpt
		if n>>i&1 != 0 {
			in.Srcs[i].Flags |= Rpt
		}
	}
}

// Line is one disassembled word.
type Line struct {
	PC    int
	Word  uint64
	Instr Instr
	Err   error // the word is no instruction; Instr is OpRaw
	// Target is the address that a branch names, else -1; it may lie outside the
	// code.
	Target int
	// Label says that a branch of the listing targets this line.
	Label bool
}

// Disassemble decodes code, eight bytes a word; bytes left over at the end
// are ignored.
func Disassemble(gen Gen, code []byte) []Line {
	lines := make([]Line, len(code)/WordBytes)
	for pc := range lines {
		lines[pc].decode(gen, pc, binary.LittleEndian.Uint64(code[pc*WordBytes:]))
	}
	return link(lines)
}

// DisasmHex decodes words given as hex digits (most significant first, 0x
// optional), one a string; blank strings are skipped.
func DisasmHex(gen Gen, words []string) ([]Line, error) {
	var lines []Line
	for i, s := range words {
		s = strings.TrimPrefix(strings.TrimSpace(s), "0x")
		if s == "" {
			continue
		}
		w, err := strconv.ParseUint(s, 16, 64)
		if err != nil {
			return nil, fmt.Errorf("ir3: line %d: %q is no 64-bit hex word", i+1, s)
		}
		lines = append(lines, Line{})
		lines[len(lines)-1].decode(gen, len(lines)-1, w)
	}
	return link(lines), nil
}

func (l *Line) decode(gen Gen, pc int, w uint64) {
	l.PC, l.Word, l.Target = pc, w, -1
	l.Instr, l.Err = Unpack(gen, w)
	if l.Instr.Op.HasTarget() {
		l.Target = pc + int(l.Instr.Target)
	}
}

func link(lines []Line) []Line {
	for i := range lines {
		if t := lines[i].Target; t >= 0 && t < len(lines) {
			lines[t].Label = true
		}
	}
	return lines
}

// Listing prints lines so that Assemble reads them. With labels, branches
// name the lines they go to (l<address>); without, they keep their offsets.
func Listing(gen Gen, lines []Line, labels bool) string {
	var b []byte
	for i := range lines {
		l := &lines[i]
		if labels && l.Label {
			b = append(append(append(b, 'l'), strconv.Itoa(l.PC)...), ":\n"...)
		}
		b = append(b, '\t')
		at := len(b)
		b = l.Instr.AppendText(b, gen)
		if labels && l.Target >= 0 && l.Target < len(lines) {
			if k := strings.LastIndexByte(string(b[at:]), '#'); k >= 0 {
				b = append(append(b[:at+k], "#l"...), strconv.Itoa(l.Target)...)
			}
		}
		b = append(b, '\n')
	}
	return string(b)
}

// Assemble turns a listing into code. A line holds labels ("name:"), an
// instruction, or both; ";" and "//" start comments; branches name labels
// (#name) or offsets (#-4). All wrong lines are reported, joined in one error.
func Assemble(gen Gen, text string) ([]byte, error) {
	lines, labels, errs := listing.Split(text, " \t(#.")
	code := make([]byte, 0, len(lines)*WordBytes)
	for pc, l := range lines {
		in, err := parseInstr(gen, l.Text, func(name string) (int32, bool) {
			t, ok := labels[name]
			return int32(t - pc), ok
		})
		w := uint64(0)
		if err == nil {
			w, err = Pack(gen, &in)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("line %d: %w", l.No, err))
		}
		code = binary.LittleEndian.AppendUint64(code, w)
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return code, nil
}
