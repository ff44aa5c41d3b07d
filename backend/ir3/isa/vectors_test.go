package isa

import (
	"bufio"
	_ "embed"
	"math/rand"
	"strconv"
	"strings"
	"testing"
)

type vector struct {
	gen  Gen
	word uint64
	text string
}

// vectorFile is what foreign tools made of encodings (docs/isa).
//
//go:embed testdata/vectors.tsv
var vectorFile string

func vectors(t *testing.T) (list []vector) {
	file := strings.NewReader(vectorFile)
	refused := 0
	for s := bufio.NewScanner(file); s.Scan(); {
		c := strings.Split(s.Text(), "\t")
		if len(c) != 3 || strings.HasPrefix(c[0], "#") {
			continue
		}
		g, err := ParseGen(c[0])
		if err != nil {
			refused++
			continue
		}
		w, err := strconv.ParseUint(c[1], 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, vector{g, w, c[2]})
	}
	if len(list) < 3000 {
		t.Fatalf("only %d vectors", len(list))
	}
	t.Logf("%d vectors of a6xx and a7xx, %d of older generations refused", len(list), refused)
	return list
}

func TestVectors(t *testing.T) {
	list := vectors(t)
	type key struct {
		g Gen
		s string
	}
	words := map[key][]uint64{}
	for _, v := range list {
		k := key{v.gen, v.text}
		words[k] = append(words[k], v.word)
	}
	for _, v := range list {
		in, err := Unpack(v.gen, v.word)
		if got := in.Text(v.gen); got != v.text {
			t.Errorf("%s %016x: text %q, want %q", v.gen, v.word, got, v.text)
			continue
		}
		if (err != nil) != strings.HasPrefix(v.text, "raw ") {
			t.Errorf("%s %016x: error %v", v.gen, v.word, err)
		}
		parsed, err := ParseText(v.gen, v.text)
		if err != nil {
			t.Errorf("%s %016x: %v", v.gen, v.word, err)
			continue
		}
		w, err := Pack(v.gen, &parsed)
		if err != nil {
			t.Errorf("%s %016x %q: %v", v.gen, v.word, v.text, err)
			continue
		}
		ok := false
		for _, x := range words[key{v.gen, v.text}] {
			ok = ok || x == w
		}
		if !ok {
			t.Errorf("%s %q: packed %016x, want %016x", v.gen, v.text, w, v.word)
		}
		checkInverse(t, v.gen, v.word, true)
	}
}

// checkInverse: what unpacks packs to a word with the same text, and to the
// same word if that is exact.
func checkInverse(t *testing.T, g Gen, w uint64, exact bool) bool {
	t.Helper()
	in, err := Unpack(g, w)
	if err != nil {
		if back, err := Pack(g, &in); err != nil || back != w {
			t.Errorf("%s %016x: a raw word packs to %016x, %v", g, w, back, err)
		}
		return false
	}
	back, err := Pack(g, &in)
	if err != nil {
		t.Errorf("%s %016x %q: %v", g, w, in.Text(g), err)
		return false
	}
	again, err := Unpack(g, back)
	if err != nil || again != in || again.Text(g) != in.Text(g) {
		t.Errorf("%s %016x %q packs to %016x %q", g, w, in.Text(g), back, again.Text(g))
	}
	if exact && back != w {
		t.Errorf("%s %016x %q packs to %016x", g, w, in.Text(g), back)
	}
	return true
}

// TestRandomWords takes vectors with a few bits flipped, and random words.
func TestRandomWords(t *testing.T) {
	list := vectors(t)
	r := rand.New(rand.NewSource(1))
	valid, parsed, n := 0, 0, 60000
	for i := 0; i < n; i++ {
		v := list[r.Intn(len(list))]
		w := v.word
		for k := r.Intn(4); k >= 0; k-- {
			w ^= 1 << r.Intn(64)
		}
		if i%4 == 0 {
			w = r.Uint64()
		}
		if !checkInverse(t, v.gen, w, false) {
			continue
		}
		valid++
		in, _ := Unpack(v.gen, w)
		text := in.Text(v.gen)
		p, err := ParseText(v.gen, text)
		if err != nil {
			t.Errorf("%s %016x: %v", v.gen, w, err)
			continue
		}
		if p.Text(v.gen) != text {
			t.Errorf("%s %016x: %q parses to %q", v.gen, w, text, p.Text(v.gen))
		}
		if _, err = Pack(v.gen, &p); err == nil {
			parsed++
		}
	}
	t.Logf("%d of %d words are instructions, %d pack from their text", valid, n, parsed)
	if valid < n/4 || parsed < valid*9/10 {
		t.Errorf("too few words survive: %d valid, %d packed from text", valid, parsed)
	}
}
