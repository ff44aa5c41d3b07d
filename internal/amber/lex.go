package amber

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// tokKind is the kind of a token.
type tokKind uint8

const (
	tokEOF tokKind = iota
	tokEOL
	tokWord
	tokInt // decimal; u holds two's complement
	tokHex
	tokFloat
	tokString
)

// token is one word of a script.
type token struct {
	kind tokKind
	line int
	text string
	u    uint64
	f    float64
}

// String is the token as diagnostics show it.
func (t token) String() string {
	switch t.kind {
	case tokEOF:
		return "end of file"
	case tokEOL:
		return "end of line"
	}
	return strconv.Quote(clip(t.text, 60))
}

// clip shortens text taken from the input for a message.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return s[:n] + "…"
}

func (t token) isWord(s string) bool { return t.kind == tokWord && t.text == s }

// isNumber reports whether the token is a literal number of any form.
func (t token) isNumber() bool { return t.kind == tokInt || t.kind == tokHex || t.kind == tokFloat }

// lexer splits a script into tokens. Comments start with # at the start of a
// token; a backslash before the end of a line joins it with the next.
type lexer struct {
	src    string
	pos    int
	line   int
	peeked bool
	tok    token
}

func isDelim(c byte) bool {
	switch c {
	case 0, ' ', '\t', '\r', '\n', '\f', '\v', '(', ')', ',':
		return true
	}
	return false
}

// skipSpace skips blanks, comments and joined line ends.
func (l *lexer) skipSpace() {
	for l.pos < len(l.src) {
		switch c := l.src[l.pos]; c {
		case 0, ' ', '\t', '\r', '\f', '\v':
			l.pos++
		case '#':
			if i := strings.IndexByte(l.src[l.pos:], '\n'); i >= 0 {
				l.pos += i
			} else {
				l.pos = len(l.src)
			}
			return
		case '\\':
			rest := l.src[l.pos+1:]
			rest = strings.TrimPrefix(rest, "\r")
			if !strings.HasPrefix(rest, "\n") {
				return
			}
			l.pos = len(l.src) - len(rest) + 1
			l.line++
		default:
			return
		}
	}
}

// next returns the next token and moves after it.
func (l *lexer) next() token {
	if l.peeked {
		l.peeked = false
		return l.tok
	}
	return l.scan()
}

// peek returns the next token and stays before it.
func (l *lexer) peek() token {
	if !l.peeked {
		l.tok = l.scan()
		l.peeked = true
	}
	return l.tok
}

func (l *lexer) scan() token {
	l.skipSpace()
	t := token{line: l.line}
	if l.pos >= len(l.src) {
		return t
	}
	switch c := l.src[l.pos]; c {
	case '\n':
		l.pos++
		l.line++
		t.kind = tokEOL
		return t
	case '"':
		return l.scanString(t)
	case '(', ')', ',':
		l.pos++
		t.kind, t.text = tokWord, string(c)
		return t
	}
	end := l.pos
	for end < len(l.src) && !isDelim(l.src[end]) {
		end++
	}
	text := l.src[l.pos:end]
	n := t.number(text)
	if n == 0 {
		n = len(text)
		t.kind = tokWord
	}
	t.text = text[:n]
	l.pos += n
	return t
}

// scanString reads a quoted string; escapes are C's single letters.
func (l *lexer) scanString(t token) token {
	var b strings.Builder
	t.kind = tokString
	for l.pos++; l.pos < len(l.src); l.pos++ {
		c := l.src[l.pos]
		if c == '"' {
			l.pos++
			break
		}
		if c == '\\' && l.pos+1 < len(l.src) {
			l.pos++
			c = l.src[l.pos]
			if i := strings.IndexByte("abtnvfr", c); i >= 0 {
				c = "\a\b\t\n\v\f\r"[i]
			}
		}
		if l.src[l.pos] == '\n' {
			l.line++
		}
		b.WriteByte(c)
	}
	t.text = b.String()
	return t
}

// number makes t the number that text starts with and returns its length, or
// 0 if text is none. What follows a number, as in 5%, is the next token.
func (t *token) number(text string) int {
	if strings.EqualFold(text, "nan") {
		t.kind, t.f = tokFloat, math.NaN()
		return len(text)
	}
	i, neg := 0, false
	if text[0] == '-' {
		i, neg = 1, true
	}
	if !neg && strings.HasPrefix(text, "0x") {
		n := 2
		for n < len(text) && isHex(text[n]) {
			n++
		}
		u, err := strconv.ParseUint(text[2:n], 16, 64)
		if err == nil {
			t.kind, t.u, t.f = tokHex, u, float64(u)
			return n
		}
		return 0
	}
	start := i
	for i < len(text) && isDigit(text[i]) {
		i++
	}
	digits, float := i-start, false
	if i < len(text) && text[i] == '.' {
		float = true
		for i++; i < len(text) && isDigit(text[i]); i++ {
			digits++
		}
	}
	if digits == 0 {
		return 0
	}
	if n := exponent(text[i:]); n > 0 {
		float = true
		i += n
	}
	// Out of range is infinity for a float and an error for an integer.
	t.f, _ = strconv.ParseFloat(text[:i], 64)
	if float {
		t.kind = tokFloat
		return i
	}
	u, err := strconv.ParseUint(text[start:i], 10, 64)
	if err != nil {
		return 0
	}
	t.kind, t.u = tokInt, u
	if neg {
		t.u = -u
	}
	return i
}

// exponent returns the length of the exponent that s starts with, or 0.
func exponent(s string) int {
	if s == "" || s[0] != 'e' && s[0] != 'E' {
		return 0
	}
	i := 1
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		i++
	}
	n := i
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	if n == i {
		return 0
	}
	return n
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isHex(c byte) bool { return isDigit(c) || c|32 >= 'a' && c|32 <= 'f' }

// rawUntilEnd returns the text from the line after the current one up to the
// line that has END as its first word, which it skips, and the line that the
// text starts on. ok is false when there is no such line.
func (l *lexer) rawUntilEnd() (text string, line int, ok bool) {
	l.peeked = false
	line = l.line
	start := l.pos
	for pos := start; pos < len(l.src); {
		eol := strings.IndexByte(l.src[pos:], '\n')
		next := len(l.src)
		if eol >= 0 {
			next = pos + eol + 1
		}
		if isEndLine(l.src[pos:next]) {
			l.pos = pos + strings.Index(l.src[pos:next], "END") + 3
			return l.src[start:pos], line, true
		}
		if eol >= 0 {
			l.line++
		}
		pos = next
	}
	return "", line, false
}

// isEndLine reports whether the line's first word is END.
func isEndLine(s string) bool {
	s = strings.TrimLeft(s, " \t\r\f\v")
	return strings.HasPrefix(s, "END") && (len(s) == 3 || isDelim(s[3]) || s[3] == '#')
}

// ParseError is what Parse returns for a script that is not AmberScript.
type ParseError struct {
	Name string // the script's, as given to Parse
	Line int    // counted from 1
	Msg  string
}

// Error gives name:line: message.
func (e *ParseError) Error() string { return fmt.Sprintf("%s:%d: %s", e.Name, e.Line, e.Msg) }
