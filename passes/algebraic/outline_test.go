package algebraic

import (
	"math/rand/v2"
	"slices"
	"testing"

	"nirc/ir"
)

// What is remembered of outlines begins small, grows with them up to its bound, and never says something else than what is found out afresh.
func TestOutlines(t *testing.T) {
	all := make([]int, len(rules))
	for i := range all {
		all[i] = i
	}
	c, fresh := only(all...), only(all...)
	if len(c.outlined) != 1<<firstBits {
		t.Errorf("room for %d outlines at first", len(c.outlined))
	}
	rnd := rand.New(rand.NewPCG(1, 1))
	keys := []uint64{uint64(keyConst), uint64(keyOther), uint64(keyOp) + uint64(ir.OpFmul), uint64(keyOp) + uint64(ir.OpFadd), uint64(keyOp) + uint64(ir.OpIadd), uint64(keyOp) + uint64(ir.OpFneg)}
	key := func() uint64 { return keys[rnd.IntN(len(keys))] }
	var asked []outline
	found, grown := 0, 0
	for range 20_000 {
		if len(asked) == 0 || rnd.IntN(4) > 0 {
			op := ir.Op(rnd.IntN(int(ir.NumOps)))
			asked = append(asked, outline{uint64(op)<<48 | key() | key()<<16 | key()<<32, uint64(8<<rnd.IntN(4))<<48 | key() | key()<<16 | key()<<32})
		}
		sh := asked[rnd.IntN(len(asked))]
		op := ir.Op(sh[0] >> 48)
		before := len(c.outlined)
		got := slices.Clone(c.candidates(op, sh))
		if len(c.outlined) != before {
			grown++
		}
		fresh.forget()
		if want := fresh.candidates(op, sh); !slices.Equal(got, want) {
			t.Fatalf("outline %x: %d candidates, want %d", sh, len(got), len(want))
		}
		found += len(got)
	}
	if len(c.outlined) != 1<<outlinedBits || grown != (outlinedBits-firstBits)/growth || found == 0 {
		t.Errorf("room for %d outlines after %d times of growth, %d candidates", len(c.outlined), grown, found)
	}
	// Those that are remembered move along.
	few := only(all...)
	few.candidates(ir.OpFadd, outline{uint64(ir.OpFadd)<<48 | keys[0], uint64(32) << 48})
	few.resize(firstBits + growth)
	kept := 0
	for i := range few.outlined {
		if few.outlined[i].outline != (outline{}) {
			kept++
		}
	}
	if kept != 1 {
		t.Errorf("%d outlines are remembered after growth", kept)
	}
}
