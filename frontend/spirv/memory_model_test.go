package spirv

import (
	_ "embed"
	"regexp"
	"strings"
	"testing"

	"nirc/ir"
)

// memoryModelText loads a word and a texel and stores them; LOAD, STORE, READ, WRITE and COPY are the
// operands, DECORATE what the variables are decorated with.
//
//go:embed testdata/asm/memory_model.spvasm
var memoryModelText string

// memoryText fills in operands by the names of their places.
func memoryText(operands map[string]string) string {
	text := memoryModelText
	for _, place := range []string{"LOAD", "STORE", "READ", "WRITE", "COPY", "DECORATE"} {
		text = strings.ReplaceAll(text, place, operands[place])
	}
	return text
}

// TestMemoryOperands: what memory and image operands and decorations ask for is the access of the instruction in the IR.
func TestMemoryOperands(t *testing.T) {
	for _, c := range []struct {
		place, operands, in, access string
	}{
		{"LOAD", "", "load_deref", ""},
		{"LOAD", "NonPrivatePointer", "load_deref", "coherent"},
		{"LOAD", "MakePointerVisible|NonPrivatePointer %device", "load_deref", "coherent"},
		{"LOAD", "Aligned|MakePointerVisible|NonPrivatePointer 4 %group", "load_deref", "coherent"},
		{"LOAD", "Volatile", "load_deref", "volatile"},
		{"LOAD", "Nontemporal", "load_deref", "non_temporal"},
		{"STORE", "Aligned 4", "store_deref", ""},
		{"STORE", "MakePointerAvailable|NonPrivatePointer %device", "store_deref", "coherent"},
		{"STORE", "Volatile|NonPrivatePointer", "store_deref", "coherent|volatile"},
		{"READ", "", "image_deref_load", ""},
		{"READ", "MakeTexelVisible|NonPrivateTexel %device", "image_deref_load", "coherent"},
		{"READ", "VolatileTexel", "image_deref_load", "volatile"},
		{"WRITE", "MakeTexelAvailable|NonPrivateTexel %device", "image_deref_store", "coherent"},
		{"COPY", "MakePointerAvailable|MakePointerVisible|NonPrivatePointer %device %device", "copy_deref", "coherent"},
		{"COPY", "MakePointerAvailable|NonPrivatePointer %device Volatile", "copy_deref", "coherent"},
		{"DECORATE", "Coherent", "load_deref", "coherent"},
		{"DECORATE", "Coherent", "store_deref", "coherent"},
		{"DECORATE", "Volatile", "load_deref", "volatile"},
		{"DECORATE", "Coherent", "image_deref_load", "coherent"},
		{"DECORATE", "Coherent", "image_deref_store", "coherent"},
	} {
		operands := map[string]string{c.place: c.operands}
		if c.place == "DECORATE" {
			operands[c.place] = "OpMemberDecorate %b 0 " + c.operands + "\nOpDecorate %image " + c.operands
		}
		s, err := Translate(assemble(t, memoryText(operands)), Options{panics: true})
		if err != nil {
			t.Fatalf("%s %s: %v", c.place, c.operands, err)
		}
		line := regexp.MustCompile(`(?m)^.*\b` + c.in + `\b.*$`).FindString(ir.Print(s))
		access := ""
		if m := regexp.MustCompile(`(?:dst_)?access=([a-z_|]+)`).FindStringSubmatch(line); m != nil {
			access = m[1]
		}
		if line == "" || access != c.access {
			t.Errorf("%s %s: %q, want access %q", c.place, c.operands, line, c.access)
		}
	}
}

// TestMemoryOperandsRefused: an access is made available or visible by what stores or loads, and is not private then.
func TestMemoryOperandsRefused(t *testing.T) {
	for place, c := range map[string][2]string{
		"LOAD":  {"MakePointerAvailable|NonPrivatePointer %device", "OpLoad stores nothing"},
		"STORE": {"MakePointerVisible|NonPrivatePointer %device", "OpStore loads nothing"},
		"COPY":  {"MakePointerAvailable %device", "a private access"},
		"READ":  {"MakeTexelVisible %device", "a private access"},
		"WRITE": {"MakeTexelAvailable|NonPrivateTexel %c77", "the scope"},
	} {
		_, err := Translate(assemble(t, memoryText(map[string]string{place: c[0]})), Options{panics: true})
		if err == nil || !strings.Contains(err.Error(), c[1]) {
			t.Errorf("%s %s: %v, want %q", place, c[0], err, c[1])
		}
	}
}
