package spv

import (
	"fmt"
	"strings"
)

// lexer cuts assembly text into words. Lines mean nothing but the end of a comment.
type lexer struct {
	text string
	pos  int // after the last word
	at   int // of the last word
}

// next gives the next word, "" at the end of the text. A quote in a word makes spaces and semicolons part of it, and a backslash takes the
// character after it as it is.
func (l *lexer) next() string {
	l.skip()
	l.at = l.pos
	quoted := false
	for ; l.pos < len(l.text); l.pos++ {
		switch l.text[l.pos] {
		case '"':
			quoted = !quoted
		case '\\':
			if l.pos+1 < len(l.text) {
				l.pos++
			}
		case ' ', '\t', '\n', '\r', ';':
			if !quoted {
				return l.text[l.at:l.pos]
			}
		}
	}
	return l.text[l.at:l.pos]
}

// skip goes over space and comments.
func (l *lexer) skip() {
	for l.pos < len(l.text) {
		switch l.text[l.pos] {
		case ' ', '\t', '\n', '\r':
			l.pos++
		case ';':
			n := strings.IndexByte(l.text[l.pos:], '\n')
			if n < 0 {
				l.pos = len(l.text)
				return
			}
			l.pos += n
		default:
			return
		}
	}
}

// atEnd reports whether the operands of an instruction end here: at the end of the text or before a new instruction, which is an opcode's
// name or a result id with its equals sign.
func (l *lexer) atEnd() bool {
	peek := *l
	w := peek.next()
	switch {
	case w == "":
		return true
	case isOpcode(w):
		return true
	case w[0] == '%':
		return peek.next() == "="
	}
	return false
}

func isOpcode(w string) bool {
	return len(w) > 2 && w[0] == 'O' && w[1] == 'p' && w[2] >= 'A' && w[2] <= 'Z'
}

// errAt makes an error at a byte of the text.
func (l *lexer) errAt(at int, format string, args ...any) *Error {
	before := l.text[:at]
	return &Error{
		Line:   1 + strings.Count(before, "\n"),
		Column: at - strings.LastIndexByte(before, '\n'),
		Msg:    fmt.Sprintf(format, args...),
	}
}

// err makes an error at the last word.
func (l *lexer) err(format string, args ...any) *Error { return l.errAt(l.at, format, args...) }

// SplitModules cuts text that holds several modules, each under its own line "; SPIR-V". Text without such lines is one module; what
// stands before the first is left out when it is only comments.
func SplitModules(text string) []string {
	const mark = "; SPIR-V"
	var starts []int
	for at := 0; at < len(text); {
		end := len(text)
		if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
			end = at + n + 1
		}
		if strings.TrimSpace(text[at:end]) == mark {
			starts = append(starts, at)
		}
		at = end
	}
	if len(starts) == 0 {
		return []string{text}
	}
	var mods []string
	if head := (lexer{text: text[:starts[0]]}); head.next() != "" {
		mods = append(mods, text[:starts[0]])
	}
	for i, s := range starts {
		end := len(text)
		if i+1 < len(starts) {
			end = starts[i+1]
		}
		mods = append(mods, text[s:end])
	}
	return mods
}
