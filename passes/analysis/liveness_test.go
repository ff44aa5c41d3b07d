package analysis

import (
	_ "embed"
	"testing"

	"nirc/ir"
)

//go:embed testdata/ir/loop_text.nir
var loopText string

// TestLiveness tests the sets of a loop whose phi lives after it.
func TestLiveness(t *testing.T) {
	s, err := ir.Parse(loopText)
	if err != nil {
		t.Fatal(err)
	}
	impl := s.Entry().Impl
	l := RequireLiveness(impl)
	var blocks []*ir.Block
	for b := range impl.Blocks() {
		blocks = append(blocks, b)
	}
	defs := map[string]*ir.Def{}
	name := []string{"zero", "one", "five", "phi", "next", "cond"}
	i := 0
	for _, b := range blocks {
		for in := range b.Instrs() {
			if in.HasDef() {
				defs[name[i]] = &in.Def
				i++
			}
		}
	}
	for _, c := range []struct {
		def     string
		block   int
		in, out bool
	}{
		{"zero", 0, false, true}, {"zero", 1, true, true}, {"zero", 5, true, false},
		{"phi", 1, false, true}, {"phi", 2, true, true}, {"phi", 4, false, false}, {"phi", 5, true, false},
		{"next", 1, false, true}, {"next", 2, false, false}, {"next", 4, true, true},
		{"cond", 1, false, false},
	} {
		b := blocks[c.block]
		if in, out := l.LiveIn(b, defs[c.def]), l.LiveOut(b, defs[c.def]); in != c.in || out != c.out {
			t.Errorf("%s at b%d: in %v out %v, want %v %v", c.def, c.block, in, out, c.in, c.out)
		}
	}
	impl.Require(ir.MetaDominance | ir.MetaInstrIndex)
	if !l.Interfere(defs["phi"], defs["next"]) {
		t.Error("phi and next do not interfere, but both are live after the add")
	}
	if l.Interfere(defs["cond"], defs["zero"]) != true {
		t.Error("zero is live where cond is made")
	}
	if _, ok := l.Number(defs["cond"]); ok {
		t.Error("cond has a number although it stays in its block")
	}
	if !CheckLiveness(impl) {
		t.Error("a second computation gives other sets")
	}
}
