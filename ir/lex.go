package ir

import (
	"fmt"
	"strconv"
	"strings"
)

// ParseError is a mistake in the text form.
type ParseError struct {
	Line, Col int // from 1
	Msg       string
}

// Error returns line:col: message.
func (e *ParseError) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Col, e.Msg) }

// tokKind tells tokens apart.
type tokKind uint8

const (
	tokEOF tokKind = iota
	tokWord
	tokString
	tokPunct
)

type token struct {
	kind tokKind
	text string // a string token's text is unquoted
	pos  int
	// space reports whether white space stood before the token.
	space bool
}

// lexer cuts the text form into words (names, numbers, %1, @2, $3), strings
// and single punctuation characters. Comments run from // to the line's end.
type lexer struct {
	src  string
	pos  int
	tok  token
	last int // where the token before tok stands
}

func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '%' || c == '@' || c == '$' || c == '?'
}

func (l *lexer) next() {
	l.last = l.tok.pos
	start := l.pos
	for l.pos < len(l.src) {
		c := l.src[l.pos]
		if c == ' ' || c == '\t' || c == '\n' || c == '\r' {
			l.pos++
			continue
		}
		if c == '/' && strings.HasPrefix(l.src[l.pos:], "//") {
			nl := strings.IndexByte(l.src[l.pos:], '\n')
			if nl < 0 {
				l.pos = len(l.src)
			} else {
				l.pos += nl
			}
			continue
		}
		break
	}
	l.tok = token{pos: l.pos, space: l.pos > start}
	if l.pos == len(l.src) {
		return
	}
	p := l.pos
	c := l.src[p]
	switch {
	case c == '"':
		q, err := strconv.QuotedPrefix(l.src[p:])
		if err == nil {
			l.tok.text, err = strconv.Unquote(q)
		}
		if err != nil {
			l.fail("unfinished or ill-formed string")
		}
		l.tok.kind = tokString
		l.pos += len(q)
	case isWordByte(c) || c == '-' && p+1 < len(l.src) && isWordByte(l.src[p+1]):
		e := p + 1
		for e < len(l.src) && isWordByte(l.src[e]) {
			e++
		}
		l.tok.kind, l.tok.text, l.pos = tokWord, l.src[p:e], e
	default:
		l.tok.kind, l.tok.text, l.pos = tokPunct, l.src[p:p+1], p+1
	}
}

// fail ends parsing with an error at the current token.
func (l *lexer) fail(format string, a ...any) {
	panic(l.errorAt(l.tok.pos, fmt.Sprintf(format, a...)))
}

// failLast is fail at the token before the current one.
func (l *lexer) failLast(format string, a ...any) {
	panic(l.errorAt(l.last, fmt.Sprintf(format, a...)))
}

func (l *lexer) errorAt(pos int, msg string) *ParseError {
	pos = min(pos, len(l.src))
	line := 1 + strings.Count(l.src[:pos], "\n")
	col := pos - strings.LastIndexByte(l.src[:pos], '\n')
	return &ParseError{Line: line, Col: col, Msg: msg}
}

func (l *lexer) is(text string) bool { return l.tok.kind != tokString && l.tok.text == text }

// accept skips the token if it is text.
func (l *lexer) accept(text string) bool {
	if l.tok.kind != tokEOF && l.is(text) {
		l.next()
		return true
	}
	return false
}

func (l *lexer) expect(text string) {
	if !l.accept(text) {
		l.fail("want %q, have %q", text, l.tok.text)
	}
}

func (l *lexer) word() string {
	if l.tok.kind != tokWord {
		l.fail("want a word, have %q", l.tok.text)
	}
	t := l.tok.text
	l.next()
	return t
}

func (l *lexer) str() string {
	if l.tok.kind != tokString {
		l.fail("want a string, have %q", l.tok.text)
	}
	t := l.tok.text
	l.next()
	return t
}

// uint reads an unsigned number (decimal or 0x) of at most bits bits.
func (l *lexer) uint(bits int) uint64 {
	v, err := strconv.ParseUint(l.tok.text, 0, bits)
	if l.tok.kind != tokWord || err != nil {
		l.fail("want a number of at most %d bits, have %q", bits, l.tok.text)
	}
	l.next()
	return v
}

func (l *lexer) int(bits int) int64 {
	v, err := strconv.ParseInt(l.tok.text, 0, bits)
	if l.tok.kind != tokWord || err != nil {
		l.fail("want a number of at most %d bits, have %q", bits, l.tok.text)
	}
	l.next()
	return v
}

// number reads a number after a one-letter prefix: %12, @3, f0.
func (l *lexer) prefixed(prefix string) int {
	t := l.tok.text
	n, err := strconv.ParseUint(strings.TrimPrefix(t, prefix), 10, 31)
	if l.tok.kind != tokWord || !strings.HasPrefix(t, prefix) || err != nil {
		l.fail("want %s and a number, have %q", prefix, t)
	}
	l.next()
	return int(n)
}
