package mach

import (
	"strings"
	"testing"
)

// TestText reads everything that the text form has, and prints it again.
func TestText(t *testing.T) {
	const text = `func f target test
block 0 -> 1 ~> 1
  v1:full = const {7}
  v2:half*2!nospill@4 = alu v1!kill
  v3:full@8!tied0, v4:pred!dead = alu v2@4!fixed, full*2@10 #-3 flags 255 {12}
  _ = alu v3!early #5
  store v3, _ flags 1
  jump
block 1 <- 0 loop 1
  end
`
	f, err := Parse("; a comment\n\n"+text, &testISA{units: 48})
	if err != nil {
		t.Fatal(err)
	}
	if got := f.String(); got != text {
		t.Errorf("%s\nwant\n%s", got, text)
	}
	in := f.Blocks[0].Instrs[2]
	if in.Aux != -3 || in.Flags != 255 || in.Ext != 12 || in.NDefs != 2 || in.Ops[0].Flags != Tied || in.Ops[0].Tie != 0 || in.Ops[0].Reg != 8 || in.Uses()[0].Reg != 4 || in.Uses()[1].Size != 2 {
		t.Errorf("%+v", in)
	}
	if f.Elems(2) != 2 || f.vals[1].noSpill || !f.vals[2].noSpill {
		t.Errorf("values %+v", f.vals)
	}
}

// TestTextErrors: each thing that is wrong is named, with its line.
func TestTextErrors(t *testing.T) {
	for line, want := range map[string]string{
		"v0:full = const":           `value "v0"`,
		"v1048576:full = const":     `value "v1048576"`,
		"x1:full = const":           `value "x1"`,
		"store v0":                  `unknown operand "v0"`,
		"store v1048576":            `unknown operand "v1048576"`,
		"v1:full*0 = const":         `size "0"`,
		"v1:full*64 = const":        `size "64"`,
		"v1:full@x = const":         `register "x"`,
		"v1:full@32768 = const":     `register "32768"`,
		"v1:full!kill@x = const":    `register "x"`,
		"v1:full!tiedx = const":     `flag "tiedx"`,
		"v1:full!lost = const":      `unknown flag "lost"`,
		"v1:full!tied0 = alu":       "there is no source 0",
		"v1:full = const #x":        `number "x"`,
		"v1:full = const flags x":   `flags "x"`,
		"v1:full = const flags 256": `flags "256"`,
		"v1:full = const {7":        "missing }",
		"v1:full = const {x}":       "invalid syntax",
		"v1:full = nothing":         `unknown operation "nothing"`,
	} {
		_, err := Parse("func f target test\nblock 0\n  "+line, &testISA{units: 16})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "mach: line 3: ") {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
	for line, want := range map[string]string{
		"block 0 -> 2147483648": `unexpected "2147483648"`, // block numbers have 31 bits
		"block 0 <- 2147483648": `unexpected "2147483648"`,
		"block 0 1":             `unexpected "1"`,
		"block 0 -> x":          `unexpected "x"`,
		"block 0 loop x":        `loop depth "x"`,
	} {
		if _, err := Parse("func f target test\n"+line, &testISA{units: 16}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
	if f, err := Parse("func f target test\nblock 0\n  v1048575:full = const flags 0\n  end", &testISA{units: 16}); err != nil || f.NumValues() != 1<<20 {
		t.Errorf("the last value: %v", err)
	}
}
