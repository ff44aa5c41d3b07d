package isa

import (
	"fmt"
	"strconv"
	"strings"
)

// scan reads a line from left to right; the first thing amiss stays as err.
type scan struct {
	s   string
	err error
}

func (s *scan) fail(format string, args ...any) {
	if s.err == nil {
		s.err = fmt.Errorf(format, args...)
	}
}

// lit takes a prefix if it is there.
func (s *scan) lit(p string) bool {
	if s.err == nil && strings.HasPrefix(s.s, p) {
		s.s = s.s[len(p):]
		return true
	}
	return false
}

// want takes a prefix that has to be there.
func (s *scan) want(p string) {
	if !s.lit(p) {
		s.fail("expected %q at %q", p, s.s)
	}
}

// any takes the first of the prefixes that is there and returns its index, or
// -1. Empty prefixes do not count.
func (s *scan) any(list []string) int {
	best := -1
	for i, p := range list {
		if p != "" && strings.HasPrefix(s.s, p) && (best < 0 || len(p) > len(list[best])) {
			best = i
		}
	}
	if best >= 0 {
		s.s = s.s[len(list[best]):]
	}
	return best
}

// one is any, with an error if there is none.
func (s *scan) one(what string, list []string) int {
	i := s.any(list)
	if i < 0 {
		s.fail("expected %s at %q", what, s.s)
		return 0
	}
	return i
}

// while takes the longest prefix of the given characters.
func (s *scan) while(chars string) string {
	n := 0
	for n < len(s.s) && strings.IndexByte(chars, s.s[n]) >= 0 {
		n++
	}
	t := s.s[:n]
	s.s = s.s[n:]
	return t
}

const digits = "0123456789"

// num takes an unsigned number, decimal or with 0x, of at most bits bits.
func (s *scan) num(bits int) uint64 {
	t := ""
	if s.lit("0x") {
		t = "0x" + s.while(digits+"abcdefABCDEF")
	} else {
		t = s.while(digits)
	}
	v, err := strconv.ParseUint(t, 0, bits)
	if len(t) > 1 && t[0] == '0' && t[1] != 'x' {
		v, err = strconv.ParseUint(t, 10, bits)
	}
	if err != nil {
		s.fail("%q is no number of %d bits", t, bits)
	}
	return v
}

// letter takes one of the first n lane letters.
func (s *scan) letter(n int) int {
	if len(s.s) > 0 {
		if i := strings.IndexByte(letters[:n], s.s[0]); i >= 0 {
			s.s = s.s[1:]
			return i
		}
	}
	s.fail("expected a component at %q", s.s)
	return 0
}

// end demands that nothing is left.
func (s *scan) end() error {
	if s.err == nil && s.s != "" {
		s.fail("%q is left over", s.s)
	}
	return s.err
}

// splitTop splits at ", " outside of <...>.
func splitTop(s string) (parts []string) {
	depth, from := 0, 0
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '<':
			depth++
		case s[i] == '>':
			depth--
		case s[i] == ',' && depth == 0 && i+1 < len(s) && s[i+1] == ' ':
			parts = append(parts, s[from:i])
			from = i + 2
			i++
		}
	}
	return append(parts, s[from:])
}

// comments takes the comments out of a line.
func comments(s string) (rest string, list []string) {
	for {
		i := strings.Index(s, "/*")
		if i < 0 {
			return s, list
		}
		j := strings.Index(s[i+2:], "*/")
		if j < 0 {
			return s, list
		}
		list = append(list, strings.TrimSpace(s[i+2:i+2+j]))
		s = strings.TrimSuffix(s[:i], " ") + strings.TrimPrefix(s[i+j+4:], " ")
	}
}

// cutNotes splits a line from the notes after it.
func cutNotes(line string) (text, notes string) {
	if i := strings.Index(line, " ; "); i >= 0 {
		return line[:i], line[i+3:]
	}
	if strings.HasPrefix(line, "; ") {
		return "", line[2:]
	}
	return line, ""
}

// applyNotes sets fields by name: "src1.swizzle=0x1b op=0x61".
func applyNotes[T any](t *T, notes string, lists ...[]field[T]) error {
next:
	for _, n := range strings.Fields(notes) {
		name, value, _ := strings.Cut(n, "=")
		v, err := strconv.ParseUint(value, 0, 64)
		if err != nil {
			return fmt.Errorf("note %q: no value", n)
		}
		for _, fields := range lists {
			for i := range fields {
				f := &fields[i]
				if f.name != name {
					continue
				}
				if v>>f.n != 0 {
					return fmt.Errorf("note %q: the field has %d bits", n, f.n)
				}
				f.set(t, v)
				continue next
			}
		}
		return fmt.Errorf("note %q: no such field", n)
	}
	return nil
}

// appendNotes appends what of want the parsed got does not say.
func appendNotes[T any](buf []byte, want, got *T, lists ...[]field[T]) []byte {
	first := true
	for _, fields := range lists {
		for i := range fields {
			f := &fields[i]
			if v := f.get(want); v != f.get(got) {
				if first {
					buf = append(buf, " ;"...)
					first = false
				}
				buf = fmt.Appendf(buf, " %s=%#x", f.name, v)
			}
		}
	}
	return buf
}
