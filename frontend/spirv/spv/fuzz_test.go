package spv

import (
	"errors"
	"slices"
	"testing"
)

// roundTrip checks that a module's text gives its words again.
func roundTrip(t *testing.T, m *Module) {
	t.Helper()
	if len(m.Insts) == 0 {
		return
	}
	text := Disassemble(m, DisassembleOptions{Indent: true})
	words, err := Assemble(text, AssembleOptions{PreserveNumericIDs: true, Version: m.Version, Generator: m.Generator})
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if !slices.Equal(words[headerWords:], m.Words[headerWords:]) {
		t.Fatalf("%s in\n%s", firstDifference(words[headerWords:], m.Words[headerWords:]), text)
	}
}

func checkError(t *testing.T, err error) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("the error is a %T", err)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range samples {
		f.Add(toBytes(readWords(f, s+".words")))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Parse(data)
		if err != nil {
			checkError(t, err)
			return
		}
		roundTrip(t, m)
	})
}

func FuzzAssemble(f *testing.F) {
	for _, s := range samples {
		f.Add(readText(f, s+".spvasm"))
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, keep := range []bool{true, false} {
			words, err := Assemble(text, AssembleOptions{PreserveNumericIDs: keep})
			if err != nil {
				checkError(t, err)
				continue
			}
			m, err := ParseWords(words)
			if err != nil {
				checkError(t, err)
				continue
			}
			roundTrip(t, m)
		}
	})
}
