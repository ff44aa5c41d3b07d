package ir_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"nirc/ir"
	"nirc/ir/irtest"
)

// TestSourcesAgainstModel lets sources read other values of their function: the validator refuses it, by rule V4, if and only if that
// value is not made on all ways to where it is read, by the definition of dominance; an instruction's own value is not made before it.
func TestSourcesAgainstModel(t *testing.T) {
	refused, accepted := 0, 0
	for seed := range uint64(40) {
		s := irtest.RandomShader(seed, 80)
		impl := s.Entry().Impl
		r := rand.New(rand.NewPCG(seed, 0))
		var all []*ir.Instr
		for b := range impl.Blocks() {
			for in := range b.Instrs() {
				all = append(all, in)
			}
		}
		impl.Require(ir.MetaBlockIndex | ir.MetaInstrIndex)
		seen := map[*ir.Block][]bool{} // what is reached without a block
		before := func(d, in *ir.Instr) bool {
			if d.Block == in.Block {
				return d.Index < in.Index
			}
			if seen[d.Block] == nil {
				seen[d.Block] = reach(impl, d.Block)
			}
			return !seen[d.Block][in.Block.Index]
		}
		for range 200 {
			in, d := all[r.IntN(len(all))], all[r.IntN(len(all))]
			if r.IntN(10) == 0 {
				d = in
			}
			if in.Kind != ir.KindALU || len(in.Srcs) == 0 || !d.HasDef() {
				continue
			}
			u := &in.Srcs[r.IntN(len(in.Srcs))]
			if was := u.Def; was.BitSize == d.Def.BitSize && was.NumComponents == d.Def.NumComponents {
				u.Set(&d.Def)
				err := ir.Validate(s)
				u.Set(was)
				var rule *ir.ValidationError
				if want := before(d, in); want != (err == nil) || err != nil && (!errors.As(err, &rule) || rule.Rule != "V4") {
					t.Fatalf("seed %d: %s reads %s: %v, want it to be valid: %v", seed, ir.PrintInstr(in), ir.PrintInstr(d), err, want)
				} else if want {
					accepted++
				} else {
					refused++
				}
			}
		}
	}
	if refused < 100 || accepted < 100 {
		t.Errorf("%d refused, %d accepted", refused, accepted)
	}
}
