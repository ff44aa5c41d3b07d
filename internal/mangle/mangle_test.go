package mangle

import (
	"math/rand/v2"
	"strings"
	"testing"
)

const text = `%1 = OpTypeInt 32 0
%2 = OpTypeFloat 32
%3 = OpConstant %1 7
%4 = OpConstant %1 8
%5 = OpConstant %2 1.5
OpName %3 "a %9 b"
%6 = OpIAdd %1 %3 %4
`

// TestMangled: the same seed gives the same text, others give others; ids
// come from the text and mostly from definitions of the same type.
func TestMangled(t *testing.T) {
	x := New(text, NewWords([]string{"OpISub"}))
	seen, sub, alike := map[string]bool{}, 0, 0
	for seed := range uint64(2000) {
		a := x.Mangled(rand.New(rand.NewPCG(seed, 1)))
		if b := x.Mangled(rand.New(rand.NewPCG(seed, 1))); a != b {
			t.Fatalf("seed %d gives\n%s\nand\n%s", seed, a, b)
		}
		seen[a] = true
		if strings.Contains(a, "OpISub") {
			sub++
		}
		if strings.Contains(a, "OpIAdd %1 %4 %4") {
			alike++
		}
	}
	if len(seen) < 700 || sub == 0 || alike == 0 {
		t.Errorf("%d texts, %d with another op, %d with another operand of the type", len(seen), sub, alike)
	}
	if got := x.Mangled(rand.New(rand.NewPCG(1, 1))); got == "" || strings.Contains(got, "\n\n\n") {
		t.Errorf("%q", got)
	}
	if joined := untouched(x); joined != text {
		t.Errorf("taken apart and joined:\n%s", joined)
	}
}

// TestMangledIR: sizes change together with those of what is calculated from
// them, an op becomes one of its list, what a line that is gone has defined is
// another's, and a line that is there twice defines a value of its own.
func TestMangledIR(t *testing.T) {
	x := New("b0:\n%0:32 = load_const 0x1 // 1\n%1:32 = load_const 0x2 // 2\n%2:32 = iadd %0, %1\n%3:32 = ineg %2\nstore_ssbo %3, %0, %2 align_mul=4\n",
		NewWords([]string{"iadd", "imul"}, []string{"ineg", "inot"}, []string{"16", "32"}))
	var all strings.Builder
	for seed := range uint64(6000) {
		all.WriteString(x.Mangled(rand.New(rand.NewPCG(seed, 1))))
	}
	for _, want := range []string{"%2:16 = iadd %0, %1\n%3:16 = ineg %2\n", "%0:32 = load_const 0x1 // 1\n%1:32 = load_const 0x2 // 2\n%2:32 = imul %0, %1\n%3:32 = ineg %2\nstore",
		"%2:32 = iadd %0, %1\nstore_ssbo %2, %0, %2", "%77777:32 = ", "%77777\n", "%2:32 = iadd %1, %0\n"} {
		if !strings.Contains(all.String(), want) {
			t.Errorf("%q never comes", want)
		}
	}
	if strings.Contains(all.String(), "// 77") || strings.Contains(all.String(), "// imul") {
		t.Error("comments change")
	}
}

func untouched(x *Text) string {
	var b strings.Builder
	for _, l := range x.lines {
		for _, k := range l {
			b.WriteString(k.text)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
