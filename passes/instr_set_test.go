package passes

import (
	"testing"

	"nirc/ir"
)

// TestInstrSet: a set that was used before is empty whatever it grew to, and finds all that it holds.
func TestInstrSet(t *testing.T) {
	s := ir.NewShader(ir.StageCompute, nil)
	b := ir.NewBuilder(ir.AtStart(s.NewFunction("main").Impl.Start()))
	set := new(instrSet)
	for _, n := range []int{40, 500, 3, 3000, 90, 700} {
		set.begin(n % 100)
		var all []*ir.Instr
		for k := range n {
			in := b.ImmInt(int64(k), 32).Instr
			p := set.find(in)
			if *p != nil {
				t.Fatalf("of %d constants the set has number %d before it was put in", n, k)
			}
			*p = in
			set.n++
			all = append(all, in)
		}
		for _, in := range all {
			if *set.find(in) != in {
				t.Fatalf("of %d constants the set does not find %#x", n, in.Imm[0])
			}
		}
		set.empty()
	}
}
