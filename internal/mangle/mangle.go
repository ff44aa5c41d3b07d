// Package mangle changes texts of one statement a line (SPIR-V assembly, IR,
// assembly of a GPU) in ways that leave most of them nearly right, so that a
// test gets past the readers and the first checks, where bytes that change at
// random rarely do. It knows lines and tokens, no language. Nothing outside of
// tests uses it.
package mangle

import (
	"math/rand/v2"
	"strconv"
	"strings"
)

// tkind is what a token looks like.
type tkind uint8

const (
	tID     tkind = iota // %name
	tNumber              // digits, perhaps with a sign, a fraction or 0x
	tWord                // letters, digits, _ and .
	tOther               // punctuation, strings, space
	numTkinds
)

// Text is a text taken apart, from which any number of others can be made.
type Text struct {
	lines [][]token
	// byKind holds the distinct tokens of each kind, in order of their first
	// use; byHead those ids that are defined by lines alike.
	byKind [numTkinds][]string
	byHead map[string][]string
	head   map[string]string // of an id: what the line that defines it starts with
	more   []string          // words that the text may not have
	open   bool
	// byShape holds the words of an open text by shape.
	byShape map[string][]string
}

type token struct {
	kind  tkind
	text  string
	shape string // of a word in an open text, else ""
}

// New takes a text apart. words may stand where the text has words: the names
// of ops, say.
func New(text string, words []string) *Text { return newText(text, words, false) }

// NewOpen is New for texts in which more can be wrong: what stands in strings
// changes too, as in JSON, and so do the numbers in words, as those of registers.
func NewOpen(text string, words []string) *Text { return newText(text, words, true) }

func newText(text string, words []string, open bool) *Text {
	t := &Text{byHead: map[string][]string{}, head: map[string]string{}, more: words, open: open, byShape: map[string][]string{}}
	seen := map[string]bool{}
	for line := range strings.Lines(text) {
		l := split(strings.TrimSuffix(line, "\n"), open)
		for _, k := range l {
			if k.kind != tOther && !seen[k.text] {
				seen[k.text] = true
				t.byKind[k.kind] = append(t.byKind[k.kind], k.text)
			}
		}
		t.addHead(l)
		t.addShapes(l)
		t.lines = append(t.lines, l)
	}
	return t
}

// addHead files the id that a line defines under the two tokens before or
// behind its =: type and op.
func (t *Text) addHead(l []token) {
	eq, id, after := -1, "", []string{}
	for i, k := range l {
		switch {
		case eq < 0 && k.text == "=":
			eq = i
		case eq < 0 && k.kind == tID && id == "":
			id = k.text
		case eq >= 0 && k.kind != tOther && len(after) < 2:
			after = append(after, k.text)
		}
	}
	if eq < 0 || id == "" {
		return
	}
	// The result's type decides: SPIR-V has it behind the op, IR in front of the =.
	key := strings.Join(after[min(1, len(after)):], " ")
	if first := l[0]; first.text != id {
		key = first.text
	}
	t.head[id] = key
	t.byHead[key] = append(t.byHead[key], id)
}

// addShapes gives the words of a line in an open text their shapes: the first
// word's, which is mostly what the line is about, or what stands before a number.
func (t *Text) addShapes(l []token) {
	first := true
	for i := range l {
		k := &l[i]
		if !t.open || k.kind != tWord {
			continue
		}
		switch n := strings.IndexAny(k.text, "0123456789"); {
		case first:
			k.shape = "first"
		case n > 0:
			k.shape = "number " + k.text[:n]
		default:
			k.shape = "word"
		}
		first = false
		t.byShape[k.shape] = append(t.byShape[k.shape], k.text)
	}
}

func split(line string, open bool) []token {
	var l []token
	for i := 0; i < len(line); {
		n, kind := 1, tOther
		switch c := line[i]; {
		case c == '%':
			kind = tID
			n = 1 + run(line[i+1:])
		case c >= '0' && c <= '9', c == '-' && i+1 < len(line) && line[i+1] >= '0' && line[i+1] <= '9':
			kind = tNumber
			n = 1 + run(line[i+1:])
		case wordByte(c):
			kind = tWord
			n = run(line[i:])
		case c == '"' && !open:
			if e := strings.IndexByte(line[i+1:], '"'); e >= 0 {
				n = e + 2
			}
		}
		l = append(l, token{kind: kind, text: line[i : i+n]})
		i += n
	}
	return l
}

func run(s string) int {
	n := 0
	for n < len(s) && wordByte(s[n]) {
		n++
	}
	return n
}

func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '.'
}

// numbers are those at which limits are.
var numbers = []uint64{0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 24, 31, 32, 33, 48, 63, 64, 65, 100, 127, 128, 255, 256, 257,
	1023, 1024, 4095, 4096, 32767, 32768, 65535, 65536, 1 << 20, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32, 1<<63 - 1, 1 << 63, 1<<64 - 1}

// Mangled returns the text with a few changes, which r decides alone.
func (t *Text) Mangled(r *rand.Rand) string {
	lines := append([][]token(nil), t.lines...)
	for range 1 + r.IntN(1+r.IntN(4)) {
		if len(lines) == 0 {
			break
		}
		lines = t.change(r, lines)
	}
	var b strings.Builder
	for _, l := range lines {
		for _, k := range l {
			b.WriteString(k.text)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// change makes one change. Lines that it changes are new ones.
func (t *Text) change(r *rand.Rand, lines [][]token) [][]token {
	i, j := r.IntN(len(lines)), r.IntN(len(lines))
	switch n := r.IntN(20); {
	case n == 0: // a line less
		return append(lines[:i:i], lines[i+1:]...)
	case n == 1: // one more
		l := lines[j]
		return append(append(lines[:i:i], l), lines[i:]...)
	case n == 2:
		lines[i], lines[j] = lines[j], lines[i]
		return lines
	case n == 3: // what follows the first tokens, from elsewhere
		if a, b := len(lines[i])/2, len(lines[j])/2; a > 0 && b > 0 {
			lines[i] = append(lines[i][:a:a], lines[j][b:]...)
		}
		return lines
	}
	l := append([]token(nil), lines[i]...)
	if len(l) == 0 {
		return lines
	}
	k := r.IntN(len(l))
	for tries := 0; l[k].kind == tOther && tries < 8; tries++ {
		k = r.IntN(len(l))
	}
	switch n := r.IntN(16); n {
	case 0:
		l = append(l[:k], l[k+1:]...)
	case 1:
		l = append(l[:k+1], append([]token{{kind: tOther, text: " "}, l[k]}, l[k+1:]...)...)
	default:
		l[k].text = t.other(r, l[k])
	}
	lines[i] = l
	return lines
}

// other returns what may stand in a token's place.
func (t *Text) other(r *rand.Rand, k token) string {
	pick := func(list []string) string {
		if len(list) == 0 {
			return k.text
		}
		return list[r.IntN(len(list))]
	}
	switch k.kind {
	case tID:
		if alike := t.byHead[t.head[k.text]]; len(alike) > 1 && r.IntN(3) != 0 {
			return pick(alike)
		}
	case tNumber:
		switch r.IntN(4) {
		case 0:
			return strconv.FormatUint(numbers[r.IntN(len(numbers))], 10)
		case 1:
			return "-" + strconv.FormatUint(numbers[r.IntN(len(numbers))], 10)
		case 2:
			if v, err := strconv.ParseInt(k.text, 0, 64); err == nil {
				return strconv.FormatInt(v+int64(r.IntN(5))-2, 10)
			}
		}
	case tWord:
		if t.open && r.IntN(2) == 0 {
			if w := renumbered(r, k.text); w != k.text {
				return w
			}
		}
		if list := t.byShape[k.shape]; len(list) > 1 && r.IntN(3) != 0 {
			return pick(list)
		}
		if len(t.more) > 0 && r.IntN(2) == 0 {
			return pick(t.more)
		}
	}
	return pick(t.byKind[k.kind])
}

// renumbered returns a word with another number in it, if it has one.
func renumbered(r *rand.Rand, word string) string {
	digit := func(c byte) bool { return c >= '0' && c <= '9' }
	i := 0
	for i < len(word) && !digit(word[i]) {
		i++
	}
	e := i
	for e < len(word) && digit(word[e]) {
		e++
	}
	v, err := strconv.ParseInt(word[i:e], 10, 64)
	if err != nil {
		return word
	}
	if r.IntN(2) == 0 {
		return word[:i] + strconv.FormatUint(numbers[r.IntN(len(numbers))], 10) + word[e:]
	}
	return word[:i] + strconv.FormatInt(max(0, v+int64(r.IntN(5))-2), 10) + word[e:]
}
