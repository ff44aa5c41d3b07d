package mach

import (
	"errors"
	"slices"
	"testing"
)

type testSpiller struct{ stores, loads int }

func (t *testSpiller) Spill(f *Func, v Value, slot int) *Instr {
	t.stores++
	in := f.NewInstr(OpSpill, 0, 1)
	in.Ops[0].Val, in.Aux = v, int32(slot)
	return in
}

func (t *testSpiller) Reload(f *Func, v Value, slot int) *Instr {
	t.loads++
	in := f.NewInstr(OpReload, 1, 0)
	in.Ops[0].Val, in.Aux = v, int32(slot)
	return in
}

// Random programs that need more registers than there are still compute the
// same after spilling, and then fit.
func TestRandomSpilling(t *testing.T) {
	sp := &testSpiller{}
	spilled, tight, few := 0, 0, 0
	for seed := int64(0); seed < 1200; seed++ {
		isa := &testISA{units: 96}
		if seed%3 == 0 {
			isa.fewer = 24 // halves have fewer units than there are registers for all
		}
		f := randomFunc(seed, isa, 20+int(seed)%100, true)
		want, err := run(f, seed)
		if err != nil {
			t.Fatal(err)
		}
		before := f.String()
		f.SetFileLimit(0, 48)
		LowerTied(f)
		did, err := Spill(f, 0, 48, 10, sp)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, before)
		}
		if did {
			spilled++
		}
		if all, halves := pressure(f, ComputeLiveness(f), 0); all > 38 || halves > 38-isa.fewer {
			t.Fatalf("seed %d: %d units are live at once, %d of halves\n%s", seed, all, halves, f)
		}
		after := f.String()
		got, err := run(f, seed)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: stored %x, want %x\n%s\n%s", seed, got, want, before, after)
		}
		err = allocate(f, AllocOptions{RoundRobin: seed%2 == 0, MergeSets: seed%4 < 2})
		var pe *PressureError
		if errors.As(err, &pe) {
			if tight++; isa.fewer > 0 {
				few++ // which may happen, for the others stand anywhere: back ends spill again
			}
			t.Logf("seed %d: %v", seed, err)
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v\n%s\n%s", seed, err, after, f)
		}
		if got, err = run(f, seed); err != nil || !slices.Equal(got, want) {
			t.Fatalf("seed %d: allocated: stored %x, want %x\n%s\n%s", seed, got, want, after, f)
		}
	}
	t.Logf("%d of 1200 programs spilled, %d stores, %d loads", spilled, sp.stores, sp.loads)
	if spilled < 500 || tight > few || few > 8 {
		t.Errorf("%d spilled, %d did not fit afterwards", spilled, tight)
	}
}

// TestPressure: results lie beside what lives on, early ones beside their sources too.
func TestPressure(t *testing.T) {
	f, err := Parse(`func f target test
block 0
  v1:full = const {1}
  v2:full*2 = const {2}
  v3:full = const {3}
  v4:full*3 = alu v2 {4}
  v5:full*4 = const {5}
  store v4
  store v1
  store v3
  end
`, &testISA{units: 64})
	if err != nil {
		t.Fatal(err)
	}
	// While v5, which nobody reads, is made, v1, v3 and v4 live: 1+1+3+4 values of two units.
	if n := Pressure(f, 0); n != 18 {
		t.Errorf("pressure %d, want 18", n)
	}
	list := f.Blocks[0].Instrs
	f.Blocks[0].Instrs = append(list[:4:4], list[5:]...)
	if n := Pressure(f, 0); n != 10 {
		t.Errorf("pressure %d without v5, want 10", n)
	}
	list[3].Ops[0].Flags |= Early // v1, v2, v3 and v4
	if n := Pressure(f, 0); n != 14 {
		t.Errorf("pressure %d where v4 is early, want 14", n)
	}
}
