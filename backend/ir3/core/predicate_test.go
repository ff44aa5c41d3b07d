package core

import (
	"strings"
	"testing"
)

const predicated = `
	cmps.u.lt p0.x, r0.x, 4
	(rpt5)nop
	predt
	mov.u32u32 r1.x, 1
	predf
	(rpt4)nop
	mov.u32u32 r1.x, 2
	prede
	(rpt6)nop` + store

// TestPredicationHazards: what may not be between predt and prede is refused,
// and so are devices' idle slots that are missing.
func TestPredicationHazards(t *testing.T) {
	edit := func(old, new string) string {
		s := strings.Replace(predicated, old, new, 1)
		if s == predicated && old != "" {
			t.Fatalf("%q is not in the text", old)
		}
		return s
	}
	for _, c := range []struct{ name, text, err string }{
		{"as it should be", edit("", ""), ""},
		{"no part takes part", edit("r0.x, 4", "r0.x, 0"), ""},
		{"other predicate", edit("predf", "cmps.u.lt p0.y, r0.x, 2\npredf"), ""},
		{"predicate too young", edit("(rpt5)nop", "(rpt4)nop"), "are needed"},
		{"p0.x written", edit("predf", "cmps.u.lt p0.x, r0.x, 2\n(rpt5)nop\npredf"), "p0.x is written between"},
		{"branch", edit("predf", "jump #l\nl: predf"), "control flow stands between"},
		{"kill", edit("predf", "kill p0.y\npredf"), "control flow stands between"},
		{"barrier", edit("predf", "bar.g\npredf"), "a barrier stands between"},
		{"end", edit("prede\n\t(rpt6)nop", "end"), "control flow stands between"},
		{"no nops after predf", edit("(rpt4)nop\n", "(rpt3)nop\n"), "a (rpt4)nop after this predf"},
		{"no nops after prede", edit("(rpt6)nop", "(rpt5)nop"), "a (rpt6)nop after this prede"},
	} {
		m := newMachine()
		m.check = true
		m.gpu = "a660"
		err := m.run(t, c.text)
		switch {
		case c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%s: error %v, want %q", c.name, err, c.err)
		}
		// Devices without the quirks take the shorter form.
		m.gpu = ""
		if err := m.run(t, c.text); strings.Contains(c.name, "no nops") && err != nil {
			t.Errorf("%s, other device: %v", c.name, err)
		}
	}
}
