package mach

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"
)

// testCSE shares constants and what an operation with few operands computes; Ext is a number.
type testCSE struct{}

func (testCSE) Pure(in *Instr) bool {
	return in.Op < FirstTargetOp || in.Op == opALU || in.Op == opConst
}
func (testCSE) Hash(in *Instr) uint64       { return uint64(in.Ext % 2) } // so that different ones meet
func (testCSE) Same(a, b *Instr) bool       { return a.Ext == b.Ext }
func removableTest(_ *Func, in *Instr) bool { return in.Op == opALU || in.Op == opConst }

// alike makes a third of what a random function computes twice, of which others read one or the other; few numbers stand beside
// the operands.
func alike(f *Func, r *rand.Rand) {
	twin := make([]Value, f.NumValues())
	for b := range f.Blocks {
		var list []*Instr
		for _, in := range f.Blocks[b].Instrs {
			for i := range in.Defs() {
				in.Ops[i].Flags &^= Tied
			}
			uses := in.Uses()
			in.Ext %= 3
			for k := range uses {
				if v := uses[k].Val; int(v) < len(twin) && twin[v] != 0 && r.Intn(2) == 0 {
					uses[k].Val = twin[v]
				}
			}
			if list = append(list, in); !(testCSE{}).Pure(in) || in.Op == OpPhi || in.NDefs != 1 || r.Intn(3) > 0 {
				continue
			}
			again := f.NewInstr(in.Op, 1, len(uses))
			again.Ext, again.Flags = in.Ext, in.Flags
			copy(again.Ops, in.Ops)
			again.Ops[0].Val = f.Clone(in.Ops[0].Val)
			twin[in.Ops[0].Val] = again.Ops[0].Val
			list = append(list, again)
		}
		f.Blocks[b].Instrs = list
	}
}

// what says what an instruction computes: the same of what one may stand for another.
func what(f *Func, in *Instr) string {
	text := fmt.Sprint(in.Op, in.Flags, in.Ext)
	for _, d := range in.Defs() {
		text += fmt.Sprint(" ", d.Val != 0, f.vals[d.Val])
	}
	for _, u := range in.Uses() {
		text += fmt.Sprint(" v", u.Val)
	}
	return text
}

// TestRandomEliminations: programs store the same without what is computed twice in a block and without what nobody reads, none of
// which is left; numbered again and with their collects joined they store the same too.
func TestRandomEliminations(t *testing.T) {
	shared, dead := 0, 0
	for seed := range int64(300) {
		f := randomFunc(seed, &testISA{units: 96}, 20+int(seed)%80, seed%2 == 0)
		alike(f, rand.New(rand.NewSource(seed)))
		want, err := run(f, seed)
		if err != nil {
			t.Fatal(err)
		}
		same := func(step string) {
			t.Helper()
			if got, err := run(f, seed); err != nil || !slices.Equal(got, want) {
				t.Fatalf("seed %d, %s: stored %x, %v, want %x\n%s", seed, step, got, err, want, f)
			}
		}
		n := count(f)
		RemoveCommon(f, testCSE{})
		same("common")
		shared += n - count(f)
		for b := range f.Blocks {
			seen := map[string]bool{}
			for _, in := range f.Blocks[b].Instrs {
				if in.Op == OpPhi || !(testCSE{}).Pure(in) {
					continue
				}
				if w := what(f, in); seen[w] {
					t.Fatalf("seed %d: %s is computed twice in block %d\n%s", seed, w, b, f)
				} else {
					seen[w] = true
				}
			}
		}
		JoinCollects(f)
		same("collects")
		n = count(f)
		RemoveDead(f, removableTest)
		same("dead")
		dead += n - count(f)
		demandRead(t, f)
		Reindex(f)
		same("numbered")
	}
	t.Logf("%d shared, %d dead", shared, dead)
	if shared < 1000 || dead < 1000 {
		t.Errorf("only %d were shared and %d dead", shared, dead)
	}
}

func count(f *Func) (n int) {
	for b := range f.Blocks {
		n += len(f.Blocks[b].Instrs)
	}
	return n
}

// demandRead demands that somebody reads a result of each instruction that does nothing else.
func demandRead(t *testing.T, f *Func) {
	read := make([]bool, f.NumValues())
	for b := range f.Blocks {
		for _, in := range f.Blocks[b].Instrs {
			for _, u := range in.Uses() {
				read[u.Val] = u.Val != 0
			}
		}
	}
	for b := range f.Blocks {
		for _, in := range f.Blocks[b].Instrs {
			if in.NDefs > 0 && (in.Op < FirstTargetOp || removableTest(f, in)) && !slices.ContainsFunc(in.Defs(), func(d Operand) bool { return read[d.Val] }) {
				t.Fatalf("nobody reads what block %d makes by %s\n%s", b, what(f, in), f)
			}
		}
	}
}
