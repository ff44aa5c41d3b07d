// Package listing takes the texts that assemblers read apart into lines and labels, the same way for all
// instruction sets that have such. What a line says is the assembler's affair: no instruction is known here.
package listing

import (
	"fmt"
	"strings"
)

// Line is a line of a listing that says something.
type Line struct {
	No   int    // from 1 on
	Text string // without labels, comments and blanks around it
}

// Split returns the lines of a listing that hold more than labels ("name:") and comments, which start
// with ";" or "//". A label is the index of the line that it stands before, which is len(lines) at the end;
// its name has none of the characters in not. The errors are labels that are defined twice.
func Split(text, not string) (lines []Line, labels map[string]int, errs []error) {
	labels = map[string]int{}
	for i, s := range strings.Split(text, "\n") {
		s, _, _ = strings.Cut(s, ";")
		s, _, _ = strings.Cut(s, "//")
		s = strings.TrimSpace(s)
		for {
			name, rest, ok := strings.Cut(s, ":")
			if !ok || name == "" || strings.ContainsAny(name, not) {
				break
			}
			if _, twice := labels[name]; twice {
				errs = append(errs, fmt.Errorf("line %d: label %q is defined twice", i+1, name))
			}
			labels[name] = len(lines)
			s = strings.TrimSpace(rest)
		}
		if s != "" {
			lines = append(lines, Line{i + 1, s})
		}
	}
	return lines, labels, errs
}
