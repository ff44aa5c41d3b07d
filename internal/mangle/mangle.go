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
	// byKind holds the distinct tokens of each kind, in order of their first use.
	byKind [numTkinds][]string
	// defs holds the definitions of ids, in their order, under each of what
	// defs of lines alike have in common; heads gives these of each id, the
	// one that most have in common last.
	defs  map[string][]definition
	heads map[string][]string
	words *Words
	open  bool
	// byShape holds the words and numbers by shape.
	byShape map[string][]string
}

// Words are lists of words, of which each may stand where a text has another
// of its list, and now and then where it has any word: the names of ops with
// as many operands, say.
type Words struct {
	lists [][]string
	of    map[string][]int // the lists that a word is in
}

// NewWords returns the words of lists.
func NewWords(lists ...[]string) *Words {
	x := &Words{of: map[string][]int{}}
	for _, l := range lists {
		if len(l) == 0 {
			continue
		}
		for _, w := range l {
			x.of[w] = append(x.of[w], len(x.lists))
		}
		x.lists = append(x.lists, l)
	}
	return x
}

type definition struct {
	line int
	id   string
}

type token struct {
	kind  tkind
	text  string
	shape string // of a number or word by what is around it, or ""
	dull  bool   // a change of it hardly leaves the text nearly right
}

// New takes a text apart, in which words may stand.
func New(text string, words *Words) *Text { return newText(text, words, false) }

// NewOpen is New for texts in which more can be wrong: what stands in strings
// changes too, as in JSON, and so do the numbers in words, as those of registers.
func NewOpen(text string, words []string) *Text { return newText(text, NewWords(words), true) }

func newText(text string, words *Words, open bool) *Text {
	t := &Text{defs: map[string][]definition{}, heads: map[string][]string{}, words: words, open: open, byShape: map[string][]string{}}
	seen := map[string]bool{}
	for line := range strings.Lines(text) {
		l := split(strings.TrimSuffix(line, "\n"), open)
		for _, k := range l {
			if k.kind != tOther && !seen[k.text] {
				seen[k.text] = true
				t.byKind[k.kind] = append(t.byKind[k.kind], k.text)
			}
		}
		t.addDef(l)
		if open {
			t.addWords(l)
		} else {
			t.addShapes(l)
		}
		t.addDull(l)
		t.lines = append(t.lines, l)
	}
	return t
}

// addDull marks what is hardly worth a change: marks and space, the id that a
// line defines, and words that no list has, which are the language's own.
func (t *Text) addDull(l []token) {
	id, _ := defined(l)
	for i := range l {
		k := &l[i]
		k.dull = k.kind == tOther || k.kind == tWord && k.shape == "" && len(t.words.of[k.text]) == 0
		if k.kind == tID && k.text == id {
			k.dull, id = true, ""
		}
	}
}

// defined returns the id that a line defines, with which it begins and which a
// = follows, and the place of the =; "" if it defines none.
func defined(l []token) (id string, eq int) {
	for i, k := range l {
		switch {
		case id == "" && k.kind == tID:
			id = k.text
		case id == "" && strings.TrimSpace(k.text) != "", k.kind == tWord:
			return "", 0
		case k.text == "=":
			return id, i
		}
	}
	return "", 0
}

// addDef files the id that a line defines under op and type, and under the
// type alone: what stands between it and the =, as IR has it, or after the
// op, as SPIR-V has it.
func (t *Text) addDef(l []token) {
	id, eq := defined(l)
	if id == "" {
		return
	}
	size, op := "", ""
	for i, k := range l {
		switch {
		case k.kind == tOther || k.text == id:
		case i < eq:
			size = k.text
		case op == "":
			op = k.text
		case size == "":
			size = k.text
		}
	}
	heads := []string{size + " " + op, size}
	t.heads[id] = heads
	for _, h := range heads {
		t.defs[h] = append(t.defs[h], definition{len(t.lines), id})
	}
}

// addWords gives the words of a line in an open text their shapes: the first
// word's, which is mostly what the line is about, or what stands before a number.
func (t *Text) addWords(l []token) {
	first := true
	for i := range l {
		k := &l[i]
		if k.kind != tWord {
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

// sizeShape is the shape of what follows an id and a colon, as sizes do in IR.
const sizeShape = "%:"

// addShapes gives numbers and words the shape of their place: after a name
// and =, after an id and a colon, or after another mark that is no space.
func (t *Text) addShapes(l []token) {
	name := ""
	for i := range l {
		k := &l[i]
		if k.kind == tWord || k.kind == tNumber {
			if i > 0 && l[i-1].kind == tOther && strings.TrimSpace(l[i-1].text) != "" {
				k.shape = l[i-1].text
				switch {
				case k.shape == "=":
					k.shape = name + "="
				case k.shape == ":" && i > 1 && l[i-2].kind == tID:
					k.shape = sizeShape
				}
				t.byShape[k.shape] = append(t.byShape[k.shape], k.text)
			}
			name = k.text
		}
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
		case c == '/' && !open && strings.HasPrefix(line[i:], "//"): // a comment of IR
			n = len(line) - i
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

// other returns what may stand in a token's place in a line.
func (t *Text) other(r *rand.Rand, k token, line int) string {
	if in := t.words.of[k.text]; len(in) > 0 && !t.open && (k.kind == tWord || k.shape == sizeShape || strings.HasSuffix(k.shape, "=")) && r.IntN(6) != 0 {
		list := t.words.lists[in[r.IntN(len(in))]]
		return list[r.IntN(len(list))]
	}
	switch k.kind {
	case tID:
		if id := t.alike(r, k.text, line); id != "" {
			return id
		}
	case tNumber:
		if list := t.byShape[k.shape]; len(list) > 1 && r.IntN(3) == 0 {
			return list[r.IntN(len(list))]
		}
		switch r.IntN(8) {
		case 0, 1:
			return strconv.FormatUint(numbers[r.IntN(1+r.IntN(len(numbers)))], 10)
		case 2:
			return "-" + strconv.FormatUint(numbers[r.IntN(len(numbers))], 10)
		case 3, 4, 5:
			if v, err := strconv.ParseInt(k.text, 0, 64); err == nil {
				return strconv.FormatInt(v+int64(r.IntN(5))-2, 10)
			}
		}
	case tWord:
		return t.word(r, k)
	}
	list := t.byKind[k.kind]
	if len(list) == 0 {
		return k.text
	}
	return list[r.IntN(len(list))]
}

// word returns what may stand in a word's place.
func (t *Text) word(r *rand.Rand, k token) string {
	if t.open && r.IntN(2) == 0 {
		if w := renumbered(r, k.text); w != k.text {
			return w
		}
	}
	if list := t.byShape[k.shape]; len(list) > 1 && r.IntN(3) != 0 {
		return list[r.IntN(len(list))]
	}
	if n := len(t.words.lists); n > 0 && r.IntN(2) == 0 {
		list := t.words.lists[r.IntN(n)]
		return list[r.IntN(len(list))]
	}
	list := t.byKind[tWord]
	return list[r.IntN(len(list))]
}

// alike returns an id that is defined as this one is, mostly before the line and not far from
// it, "" if there is none or chance has it so.
func (t *Text) alike(r *rand.Rand, id string, line int) string {
	heads := t.heads[id]
	if n := r.IntN(4); n < 3 && len(heads) > 0 {
		list := t.defs[heads[n*len(heads)/3]]
		if r.IntN(4) != 0 {
			before := len(list)
			for before > 0 && list[before-1].line >= line {
				before--
			}
			list = list[max(0, before-16):before]
		}
		if len(list) > 0 {
			return list[r.IntN(len(list))].id
		}
	}
	return ""
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
