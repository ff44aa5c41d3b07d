package isa

import (
	"bufio"
	_ "embed"
	"encoding/hex"
	"strings"
	"testing"
)

type vector struct {
	line int
	opt  TextOptions
	code []byte
	text string
}

// vectorFile is what foreign tools made of encodings (docs/isa).
//
//go:embed testdata/vectors.tsv
var vectorFile string

// readVectors reads the reference disassembler's output.
func readVectors(t *testing.T) (list []vector) {
	file := strings.NewReader(vectorFile)
	var opt TextOptions
	s := bufio.NewScanner(file)
	s.Buffer(nil, 1<<20)
	for n := 1; s.Scan(); n++ {
		l := s.Text()
		if strings.HasPrefix(l, "#@") {
			opt = TextOptions{Verbose: strings.Contains(l, "verbose=1"), Alias: strings.Contains(l, "gpu=720") ||
				strings.Contains(l, "gpu=82") || strings.Contains(l, "gpu=83")}
		}
		c := strings.SplitN(l, "\t", 2)
		if strings.HasPrefix(l, "#") || len(c) != 2 {
			continue
		}
		code, err := hex.DecodeString(c[0])
		if err != nil {
			t.Fatalf("line %d: %v", n, err)
		}
		text := strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\\`, `\`).Replace(c[1])
		list = append(list, vector{n, opt, code, text})
	}
	if len(list) < 2000 {
		t.Fatalf("only %d vectors", len(list))
	}
	return list
}

func TestVectorsText(t *testing.T) {
	bad := 0
	for _, v := range readVectors(t) {
		if got := Disassemble(v.code, v.opt); got != v.text {
			if bad++; bad <= 40 {
				t.Errorf("line %d %x\n got %q\nwant %q", v.line, v.code, got, v.text)
			}
		}
	}
	if bad != 0 {
		t.Errorf("%d lines differ", bad)
	}
}

// TestVectorsBytes: decoded and encoded again, all code comes back, except for
// bundles that Decode refuses.
func TestVectorsBytes(t *testing.T) {
	bundles, refused := 0, 0
	for _, v := range readVectors(t) {
		for at := 0; at < len(v.code); {
			b, size, err := Decode(v.code[at:])
			if size == 0 {
				t.Errorf("line %d: %v", v.line, err)
				break
			}
			want := v.code[at : at+size]
			at += size
			bundles++
			if err != nil {
				refused++
			}
			back, err2 := AppendEncode(nil, &b)
			if err2 != nil || string(back) != string(want) {
				t.Errorf("line %d: %x encodes to %x, %v (decoding: %v)", v.line, want, back, err2, err)
			}
		}
	}
	t.Logf("%d bundles, %d not known to Decode", bundles, refused)
}

// TestVectorsParse: the text assembles to bytes with the same text; full text to
// the same bytes.
func TestVectorsParse(t *testing.T) {
	bad, same, full := 0, 0, 0
	complain := func(format string, args ...any) {
		if bad++; bad <= 30 {
			t.Errorf(format, args...)
		}
	}
	for _, v := range readVectors(t) {
		code, err := Assemble(v.text, v.opt)
		if err != nil {
			complain("line %d: %v\n%q", v.line, err, v.text)
			continue
		}
		// Behind the end of the text there may be the padding.
		if n := len(v.code) - len(code); n > 0 && strings.Trim(string(v.code[len(code):]), "\x00") == "" {
			code = append(code, make([]byte, n)...)
		}
		if got := Disassemble(code, v.opt); got != v.text {
			complain("line %d: assembled %x, for %x\n got %q\nwant %q", v.line, code, v.code, got, v.text)
			continue
		}
		if string(code) == string(v.code) {
			same++
		}
		opt := TextOptions{Full: true, Alias: v.opt.Alias}
		text := Disassemble(v.code, opt)
		if !decodable(v.code) {
			continue
		}
		full++
		if code, err = Assemble(text, opt); err != nil || string(code) != string(v.code) {
			complain("line %d: %x as full text %q gives %x, %v", v.line, v.code, text, code, err)
		}
	}
	t.Logf("%d of the texts give the same bytes at once; %d full texts", same, full)
	if bad > 0 {
		t.Errorf("%d lines", bad)
	}
}

// decodable reports whether Decode accepts all bundles of known tags.
func decodable(code []byte) bool {
	for at := 0; at < len(code); {
		b, size, err := Decode(code[at:])
		if size == 0 || err != nil && b.Tag.Known() {
			return false
		}
		at += size
	}
	return true
}
