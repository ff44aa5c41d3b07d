package isa

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"nirc/backend/listing"
)

// Line is one disassembled instruction, or two bytes that are none.
type Line struct {
	PC    int // byte offset in the code
	Bytes []byte
	Instr Instr
	Err   error // the bytes are no instruction; Instr.Op is OpInvalid
	// Target is the byte offset that a branch names, else -1; it may lie outside
	// the code.
	Target int
	// Label says that a branch of the listing targets this line.
	Label bool
}

// Disassemble decodes code from its start. Where bytes are no instruction it
// goes on two bytes later.
func Disassemble(code []byte) []Line {
	lines := make([]Line, 0, len(code)/6)
	index := make([]int32, len(code)+1) // line + 1 by offset
	for pc := 0; pc < len(code); {
		l := Line{PC: pc, Target: -1}
		var n int
		if l.Instr, n, l.Err = Unpack(code[pc:]); l.Err != nil {
			n = min(2, len(code)-pc)
		} else if l.Instr.Op.HasTarget() {
			l.Target = pc + int(l.Instr.Target)
		}
		l.Bytes = code[pc : pc+n]
		lines = append(lines, l)
		index[pc] = int32(len(lines))
		pc += n
	}
	for i := range lines {
		if t := lines[i].Target; t >= 0 && t < len(code) && index[t] > 0 {
			lines[index[t]-1].Label = true
		}
	}
	return lines
}

// DisasmHex is Disassemble of bytes given as hex digits in memory order; blanks
// between them do not matter.
func DisasmHex(text string) ([]Line, error) {
	code, err := hex.DecodeString(strings.Join(strings.Fields(text), ""))
	if err != nil {
		return nil, fmt.Errorf("agx: %w", err)
	}
	return Disassemble(code), nil
}

// Listing prints lines so that Assemble reads them. With labels, branches name
// the lines they go to (l<offset>); without, they keep their offsets.
func Listing(lines []Line, labels bool) string {
	marked := map[int]bool{}
	for i := range lines {
		if lines[i].Label {
			marked[lines[i].PC] = true
		}
	}
	var b []byte
	for i := range lines {
		l := &lines[i]
		if labels && l.Label {
			b = append(strconv.AppendInt(append(b, 'l'), int64(l.PC), 10), ":\n"...)
		}
		b = append(b, '\t')
		at := len(b)
		switch {
		case l.Err != nil && len(l.Bytes) == 2:
			b = fmt.Appendf(b, ".half %#04x", binary.LittleEndian.Uint16(l.Bytes))
		case l.Err != nil:
			b = fmt.Appendf(b, ".byte %#02x", l.Bytes)
		default:
			b = l.Instr.AppendText(b)
		}
		if labels && marked[l.Target] {
			if k := strings.LastIndex(string(b[at:]), "pc"); k >= 0 {
				b = strconv.AppendInt(append(b[:at+k], 'l'), int64(l.Target), 10)
			}
		}
		b = append(b, '\n')
	}
	return string(b)
}

// Assemble turns a listing into code. A line holds labels ("name:"), an
// instruction, or both; ";" and "//" start comments; branches name labels or
// offsets (pc-4); ".half 0x1234" gives two bytes. All wrong lines are
// reported, joined in one error.
func Assemble(text string) ([]byte, error) {
	lines, labels, errs := listing.Split(text, " \t(,")
	at := offsets(lines)
	var code []byte
	for i, l := range lines {
		if h, ok := strings.CutPrefix(l.Text, ".half "); ok {
			v, err := strconv.ParseUint(strings.TrimSpace(h), 0, 16)
			if err != nil {
				errs = append(errs, fmt.Errorf("line %d: %q is no 16-bit number", l.No, h))
			}
			code = binary.LittleEndian.AppendUint16(code, uint16(v))
			continue
		}
		in, err := parseText(l.Text, func(name string) (int32, bool) {
			t, ok := labels[name]
			return int32(at[t] - at[i]), ok
		})
		if err == nil {
			code, err = AppendPack(code, &in)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("line %d: %w", l.No, err))
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return code, nil
}

// offsets are the bytes at which lines begin, and the one at which the last ends: lengths do not
// depend on branch targets. Lines that do not parse, which Assemble reports, have no length.
func offsets(lines []listing.Line) []int {
	at := make([]int, len(lines)+1)
	for i, l := range lines {
		n := 0
		if strings.HasPrefix(l.Text, ".half ") {
			n = 2
		} else if in, err := parseText(l.Text, func(string) (int32, bool) { return 0, true }); err == nil {
			n, _ = in.Length()
		}
		at[i+1] = at[i] + n
	}
	return at
}
