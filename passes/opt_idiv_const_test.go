package passes

import (
	"math/rand"
	"testing"

	"nirc/ir"
)

// TestIdivConst compares divisions of constants by constants with what they
// fold to when the division is written out: all divisors of 8 bits, edges and
// random ones of 16, 32 and 64.
func TestIdivConst(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	all := newDivisionTest(t, "opt_idiv_const", r)
	for _, op := range []ir.Op{ir.OpUdiv, ir.OpUmod, ir.OpIdiv, ir.OpIrem, ir.OpImod} {
		for _, w := range []uint8{8, 16, 32, 64} {
			for round := range 256 {
				d := uint64(round)
				if w > 8 {
					d = randomBits(r, w)
				}
				if w == 64 {
					d = uint64(1) << (round % 64)
					if round&1 != 0 {
						d = -d
					}
				}
				if w == 64 && op != ir.OpIdiv && op != ir.OpIrem && op != ir.OpImod && d&(d-1) != 0 {
					continue
				}
				all.divide(t, op, w, d)
			}
		}
	}
}

// divisionTest writes divisions out by a pass and folds what that gives.
type divisionTest struct {
	write, fold *Pipeline
	r           *rand.Rand
}

func newDivisionTest(t *testing.T, pass string, r *rand.Rand) *divisionTest {
	write, err := ParsePassList(pass)
	if err != nil {
		t.Fatal(err)
	}
	fold, err := ParsePassList("opt_constant_folding,opt_copy_prop,opt_constant_folding,opt_dce")
	if err != nil {
		t.Fatal(err)
	}
	return &divisionTest{write, fold, r}
}

// divide compares the quotients or remainders of some numbers and a divisor with what evaluation of the operation gives.
func (a *divisionTest) divide(t *testing.T, op ir.Op, w uint8, d uint64) {
	s := ir.NewShader(ir.StageCompute, &ir.Options{})
	f := s.NewFunction("main")
	f.IsEntry = true
	b := ir.NewBuilder(ir.AtEnd(f.Impl.Start()))
	var ns [16]uint64
	for i := range ns {
		// Multiples of the divisor and their neighbours are the hard ones.
		if ns[i] = randomBits(a.r, w); d != 0 && i&1 == 0 {
			ns[i] = ns[i]/d*d + uint64(i%3) - 1
		}
		ns[i] &= 1<<(w-1)<<1 - 1
	}
	var ds [16]uint64
	for i := range ds {
		ds[i] = d
	}
	in := b.ALUInstr(op, b.Const(w, ns[:]...), b.Const(w, ds[:]...))
	want, _ := ir.EvalConstALU(in, ir.ModeOf(0))
	use := b.Intrinsic(ir.IntrUse, 0, 0, &in.Def)
	if err := a.write.Run(s, RunOptions{}); err != nil {
		t.Fatal(err)
	}
	if in.Block != nil {
		t.Fatalf("%s by %#x of %d bits stays", op, d, w)
	}
	if err := a.fold.Run(s, RunOptions{}); err != nil {
		t.Fatal(err)
	}
	got := use.Srcs[0].Def
	for i := range ns {
		if v, ok := got.Const(i); !ok || v != want[i] {
			t.Fatalf("%s %#x by %#x of %d bits = %#x (constant %v), want %#x", op, ns[i], d, w, v, ok, want[i])
		}
	}
}
