package mangle

import (
	"math/rand/v2"
	"slices"
	"strings"
)

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
	i, j := pickLine(r, lines), pickLine(r, lines)
	switch n := r.IntN(24); {
	case n == 0: // a line less
		return t.drop(r, lines, i)
	case n == 1: // one more
		return t.repeat(r, lines, i, j)
	case n == 2:
		if r.IntN(2) == 0 {
			j = min(i+1, len(lines)-1)
		}
		lines[i], lines[j] = lines[j], lines[i]
		return lines
	case n == 3: // what follows the first tokens, from elsewhere
		if a, b := len(lines[i])/2, len(lines[j])/2; a > 0 && b > 0 {
			lines[i] = append(lines[i][:a:a], lines[j][b:]...)
		}
		return lines
	case n < 6:
		swapTokens(r, lines, i, j)
		return lines
	case n < 9 && !t.open:
		t.spread(r, lines, i)
		return lines
	}
	l := append([]token(nil), lines[i]...)
	k := pick(r, l)
	if k < 0 {
		return lines
	}
	switch n := r.IntN(16); n {
	case 0:
		l = append(l[:k], l[k+1:]...)
	case 1:
		l = append(l[:k+1], append([]token{{kind: tOther, text: " "}, l[k]}, l[k+1:]...)...)
	default:
		l[k].text = t.other(r, l[k], i)
	}
	lines[i] = l
	return lines
}

// pickLine returns the number of a line, mostly not of the first, on which all
// others depend, nor of one with little in it.
func pickLine(r *rand.Rand, lines [][]token) int {
	i := r.IntN(len(lines))
	for tries := 0; (i == 0 || len(lines[i]) < 6) && tries < 4; tries++ {
		i = r.IntN(len(lines))
	}
	return i
}

// pick returns the place of a token of a line, mostly of one that is not dull,
// -1 in an empty line.
func pick(r *rand.Rand, l []token) int {
	if len(l) == 0 {
		return -1
	}
	k := r.IntN(len(l))
	for tries := 0; l[k].dull && tries < 12; tries++ {
		k = r.IntN(len(l))
	}
	return k
}

// drop takes a line away; mostly what uses its id uses another from then on.
func (t *Text) drop(r *rand.Rand, lines [][]token, i int) [][]token {
	id, _ := defined(lines[i])
	lines = append(lines[:i:i], lines[i+1:]...)
	if with := t.alike(r, id, i); id != "" && with != "" {
		rename(lines[i:], id, with)
	}
	return lines
}

// repeat puts a line in once more. What it defines gets a name of its own,
// which stands for another id in some line after it.
func (t *Text) repeat(r *rand.Rand, lines [][]token, at, from int) [][]token {
	l := append([]token(nil), lines[from]...)
	id, _ := defined(l)
	lines = append(append(lines[:at:at], l), lines[at:]...)
	if id == "" || t.open || r.IntN(4) == 0 {
		return lines
	}
	const name = "%77777"
	for k := range l {
		if l[k].kind == tID { // the first is what the line defines
			l[k].text = name
			break
		}
	}
	for range 4 {
		u := at + 1 + r.IntN(min(24, len(lines)-at-1)+1)
		if u >= len(lines) {
			continue
		}
		use := append([]token(nil), lines[u]...)
		if k := pick(r, use); k >= 0 && use[k].kind == tID {
			use[k].text = name
			lines[u] = use
		}
	}
	return lines
}

// rename writes an id as another, up to the line that defines it again.
func rename(lines [][]token, id, with string) {
	for i, l := range lines {
		if d, _ := defined(l); d == id {
			return
		}
		is := func(t token) bool { return t.kind == tID && t.text == id }
		if !slices.ContainsFunc(l, is) {
			continue
		}
		l = slices.Clone(l)
		for k := range l {
			if is(l[k]) {
				l[k].text = with
			}
		}
		lines[i] = l
	}
}

// swapTokens swaps two tokens alike, of one line or of two lines.
func swapTokens(r *rand.Rand, lines [][]token, i, j int) {
	if r.IntN(2) == 0 {
		j = i
	}
	a, b := append([]token(nil), lines[i]...), append([]token(nil), lines[j]...)
	if i == j {
		b = a
	}
	x := pick(r, a)
	if x < 0 {
		return
	}
	for range 8 {
		if y := pick(r, b); y >= 0 && b[y].kind == a[x].kind && b[y].shape == a[x].shape && b[y].text != a[x].text {
			a[x].text, b[y].text = b[y].text, a[x].text
			lines[i], lines[j] = a, b
			return
		}
	}
}

// spread changes a token of a line, and with it those like it in lines that
// use what the line defines, and so on: the size of a value and of what is
// calculated with it, say.
func (t *Text) spread(r *rand.Rand, lines [][]token, i int) {
	k := pick(r, lines[i])
	if k < 0 || lines[i][k].kind == tOther || lines[i][k].kind == tID {
		return
	}
	old, with := lines[i][k], t.other(r, lines[i][k], i)
	ids := map[string]bool{}
	back := r.IntN(2) == 0
	for range 1 + r.IntN(6) {
		for n, l := range lines {
			id, _ := defined(l)
			if n != i && !back && !uses(l, ids) || n != i && back && !ids[id] {
				continue
			}
			if id != "" {
				ids[id] = true
			}
			for _, k := range l {
				if back && k.kind == tID {
					ids[k.text] = true
				}
			}
		}
		back = !back
	}
	for n, l := range lines {
		if n != i && !uses(l, ids) {
			continue
		}
		l = append([]token(nil), l...)
		for m := range l {
			if l[m].text == old.text && l[m].shape == old.shape {
				l[m].text = with
			}
		}
		lines[n] = l
	}
}

// uses reports whether a line has one of the ids.
func uses(l []token, ids map[string]bool) bool {
	for _, k := range l {
		if k.kind == tID && ids[k.text] {
			return true
		}
	}
	return false
}
