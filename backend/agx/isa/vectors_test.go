package isa

import (
	"bufio"
	_ "embed"
	"encoding/hex"
	"math/rand"
	"strings"
	"testing"
)

type vector struct {
	code       []byte
	text       string
	decodeOnly bool
}

// vectorFile is what foreign tools made of encodings (docs/isa).
//
//go:embed testdata/vectors.tsv
var vectorFile string

func vectors(t *testing.T) (list []vector) {
	file := strings.NewReader(vectorFile)
	only := false
	for s := bufio.NewScanner(file); s.Scan(); {
		line := s.Text()
		if strings.HasPrefix(line, "#") {
			only = only || strings.HasPrefix(line, "# section: decode only")
			continue
		}
		h, text, ok := strings.Cut(line, "\t")
		// The reference disassembler has another word for unusual accesses.
		text = strings.Replace(text, "_load.TO"+"DO ", "_load.odd ", 1)
		text = strings.Replace(text, "_store.TO"+"DO ", "_store.odd ", 1)
		code, err := hex.DecodeString(h)
		if !ok || err != nil {
			t.Fatalf("bad line %q", line)
		}
		list = append(list, vector{code, text, only})
	}
	if len(list) < 2800 {
		t.Fatalf("only %d vectors", len(list))
	}
	return list
}

// TestVectors: every line unpacks to its text; outside the decode-only section
// its text packs to bytes that the vectors give for that text.
func TestVectors(t *testing.T) {
	list := vectors(t)
	sameText := map[string]map[string]bool{}
	for _, v := range list {
		if sameText[v.text] == nil {
			sameText[v.text] = map[string]bool{}
		}
		sameText[v.text][string(v.code)] = true
	}
	packed := 0
	for _, v := range list {
		in, n, err := Unpack(v.code)
		if err != nil || n != len(v.code) {
			t.Errorf("%x %q: length %d, error %v", v.code, v.text, n, err)
			continue
		}
		if got := string(in.appendText(nil, true)); got != v.text {
			t.Errorf("%x: text %q, want %q", v.code, got, v.text)
			continue
		}
		checkInverse(t, v.code)
		if v.decodeOnly {
			continue
		}
		p, err := ParseText(v.text)
		if err != nil {
			t.Errorf("%q: %v", v.text, err)
			continue
		}
		code, err := Pack(&p)
		if err != nil {
			t.Errorf("%q: %v", v.text, err)
			continue
		}
		if !sameText[v.text][string(code)] {
			t.Errorf("%q: packed %x, want %x", v.text, code, v.code)
			continue
		}
		packed++
	}
	t.Logf("%d vectors, %d packed from their text", len(list), packed)
}

// checkInverse: what unpacks packs to the same bytes.
func checkInverse(t *testing.T, code []byte) (Instr, bool) {
	t.Helper()
	in, n, err := Unpack(code)
	if err != nil {
		return in, false
	}
	back, err := Pack(&in)
	if err != nil || string(back) != string(code[:n]) {
		t.Errorf("%x %q packs to %x, %v", code[:n], in.Text(), back, err)
	}
	return in, true
}

// TestRandomWords takes vectors with a few bits flipped, and random bytes.
func TestRandomWords(t *testing.T) {
	list := vectors(t)
	r := rand.New(rand.NewSource(1))
	valid, same, n := 0, 0, 60000
	var code [MaxBytes]byte
	for i := 0; i < n; i++ {
		r.Read(code[:])
		if i%4 != 0 {
			v := list[r.Intn(len(list))].code
			copy(code[:], v)
			for k := r.Intn(4); k >= 0; k-- {
				code[r.Intn(len(v))] ^= 1 << r.Intn(8)
			}
		}
		in, ok := checkInverse(t, code[:])
		if !ok {
			continue
		}
		valid++
		text := in.Text()
		p, err := ParseText(text)
		if err != nil {
			t.Errorf("%x: %v", code, err)
			continue
		}
		if p.Text() != text {
			t.Errorf("%x: %q parses to %q", code, text, p.Text())
		}
		if _, err = Pack(&p); err != nil {
			t.Errorf("%x: %q does not pack: %v", code, text, err)
		}
		if p == in {
			same++
		}
	}
	t.Logf("%d of %d are instructions, %d the same through their text", valid, n, same)
	if valid < n/4 || same < valid*8/10 {
		t.Errorf("too few survive: %d valid, %d through text", valid, same)
	}
}
