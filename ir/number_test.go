package ir_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"nirc/ir"
	"nirc/ir/irtest"

	"github.com/rogpeppe/go-internal/txtar"
)

var numberAfter = regexp.MustCompile(`([a-z_]+(?:=| = | )(?:[0-9a-z_]+,)*)(\d+)\b`)

// numberBounds are the last numbers that fields of usual sizes hold, and the first that they do not.
var numberBounds = []uint64{1<<3 - 1, 1 << 3, 1<<4 - 1, 1 << 4, 1<<5 - 1, 1 << 5, 1<<7 - 1, 1 << 7, 1<<8 - 1, 1 << 8, 1<<8 + 1, 1<<15 - 1, 1 << 15, 1<<16 - 1, 1 << 16, 1<<31 - 1, 1 << 31,
	1<<32 - 1, 1 << 32, 1<<63 - 1, 1 << 63}

// countNumber counts how often a number stands in a text, in any of the forms that it may have.
func countNumber(text string, n uint64) (count int) {
	forms := []string{strconv.FormatUint(n, 10), "0x" + strconv.FormatUint(n, 16), strconv.FormatInt(int64(int32(n)), 10)}
	for word := range strings.FieldsFuncSeq(text, func(c rune) bool { return c != '-' && c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) }) {
		if slices.Contains(forms, word) {
			count++
		}
	}
	return count
}

// TestNumbersAreKept: each number of the text form either is refused or stands in what is printed, whatever its size: nothing is
// cut off in silence.
func TestNumbersAreKept(t *testing.T) {
	texts := []string{ir.PrintWith(irtest.Config{Seed: 3, Size: 60, Everything: true}.Shader(), ir.PrintOptions{Locs: true})}
	for _, x := range irtest.Texts(t, "testdata") {
		texts = append(texts, x.Source)
	}
	// The shaders of the passes' tests have what those have not.
	archives, err := filepath.Glob("../passes/testdata/*/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no tests of passes: %v", err)
	}
	for _, f := range archives {
		ar, err := txtar.ParseFile(f)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(ar.Files[slices.IndexFunc(ar.Files, func(f txtar.File) bool { return f.Name == "in" })].Data))
	}
	seen := map[string]bool{}
	kept, refused := 0, 0
	for _, text := range texts {
		before := ""
		if s, err := ir.Parse(text); err == nil {
			before = ir.PrintWith(s, ir.PrintOptions{Locs: true})
		} else {
			t.Error(err)
		}
		for _, m := range numberAfter.FindAllStringSubmatchIndex(text, -1) {
			what := regexp.MustCompile(`\d+`).ReplaceAllString(text[m[2]:m[3]], "N")
			if seen[what] || strings.HasPrefix(what, "load_const") || what == "location=" { // which are printed as what they may be, or by name
				continue
			}
			seen[what] = true
			for _, n := range numberBounds {
				number := strconv.FormatUint(n, 10)
				s, err := ir.Parse(text[:m[4]] + number + text[m[5]:])
				if err != nil {
					refused++
					continue
				}
				kept++
				if out := ir.PrintWith(s, ir.PrintOptions{Locs: true}); number != text[m[4]:m[5]] && countNumber(out, n) <= countNumber(before, n) {
					t.Errorf("%q: %s is taken and not printed", text[m[2]:m[3]], number)
				}
			}
		}
	}
	if kept < 50 || refused < 50 {
		t.Errorf("%d numbers kept, %d refused: the texts have too few", kept, refused)
	}
}

// TestCloneIsEqual: a copy has all that a shader has, and shares nothing with it.
func TestCloneIsEqual(t *testing.T) {
	for _, x := range irtest.Texts(t, "testdata") {
		s := x.Shader(t)
		s.Captures = append(s.Captures, ir.Capture{Slot: ir.SlotVar0, Count: 2, Bits: 32, Buffer: 1, Offset: 8})
		s.ConstantData = append(s.ConstantData, 1, 2, 3, 4)
		s.ScratchSize, s.SharedSize = 16, 32
		s.Locs = append(s.Locs[:len(s.Locs):len(s.Locs)], ir.Loc{Line: 7})
		s.Names = append(s.Names[:len(s.Names):len(s.Names)], "a name")
		s.Files = append(s.Files[:len(s.Files):len(s.Files)], "a file")
		s.Funcs = append(s.Funcs[:len(s.Funcs):len(s.Funcs)], "a function")
		all := func(s *ir.Shader) string { return string(ir.Serialize(s, ir.SerializeOptions{})) }
		before := all(s)
		c := ir.Clone(s)
		if all(c) != before {
			t.Errorf("%s: the copy is another shader", x.Name)
		}
		c.Captures[0].Count, c.ConstantData[0], c.Locs[len(c.Locs)-1].Line = 1, 9, 9
		c.Names[len(c.Names)-1], c.Files[len(c.Files)-1], c.Funcs[len(c.Funcs)-1] = "", "", ""
		for _, v := range c.Variables {
			v.Name, v.Location = "x", 99
		}
		for _, f := range c.Functions {
			f.Name += "x"
		}
		if all(s) != before {
			t.Errorf("%s: a change of the copy changes the shader", x.Name)
		}
	}
}
