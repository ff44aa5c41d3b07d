package mach

import (
	"errors"
	"testing"
)

// allocatePlaced is allocate with the values of a file placed ahead.
func allocatePlaced(f *Func, file uint8) error {
	LowerTied(f)
	lv := ComputeLiveness(f)
	placed, err := PlaceFile(f, lv, file, nil)
	if err != nil {
		return err
	}
	return allocateUntied(f, AllocOptions{MergeSets: true, Placed: placed, Live: lv})
}

// TestRandomPlaced: with all values in one place each programs do the same.
func TestRandomPlaced(t *testing.T) {
	done := 0
	for seed := int64(0); seed < 600; seed++ {
		f := randomFunc(seed, &testISA{units: 384}, 10+int(seed)%80, false)
		untie(f)
		if storesTheSame(t, f, seed, func() error { return allocatePlaced(f, 0) }) {
			done++
		}
	}
	t.Logf("%d placed", done)
	if done < 400 {
		t.Errorf("only %d of 600 programs were placed", done)
	}
}

// untie lets tied results have any register.
func untie(f *Func) {
	for b := range f.Blocks {
		for _, in := range f.Blocks[b].Instrs {
			for i := range in.Defs() {
				in.Ops[i].Flags &^= Tied
			}
		}
	}
}

// physical is a program whose threads part at block 0: those of block 2 wait
// while block 1 runs, and read what was shared before.
const physical = `func f target test
block 0 -> 1 2
  v1:shared = const {1}
  v2:pred = alu v1 {2}
  br v2
block 1 <- 0 -> 3 ~> 2
  v3:shared = alu v1 {3}
  v4:shared = alu v3 {4}
  store v4
  jump
block 2 <- 0 -> 3
  v5:full = alu v1 {5}
  store v5
  jump
block 3 <- 1 2
  end
`

// TestPhysicalEdges: what shared registers hold lives along physical edges, and
// the checker sees where it does not.
func TestPhysicalEdges(t *testing.T) {
	isa := &testISA{units: 16}
	f, err := Parse(physical, isa)
	if err != nil {
		t.Fatal(err)
	}
	if err := allocatePlaced(f, 2); err != nil {
		t.Fatalf("%v\n%s", err, f)
	}
	if f, err = Parse(physical, isa); err != nil {
		t.Fatal(err)
	}
	if lv := ComputeLiveness(f); !lv.Out[1].Has(1) || lv.Out[1].Has(3) {
		t.Errorf("live at the end of block 1: %v, want v1 alone", lv.Out[1])
	}
	// Without the edges the register is free on the one side; with them that is wrong.
	c := NewChecker(f)
	f.Blocks[1].PhysSuccs, f.Blocks[2].PhysPreds = nil, nil
	if _, err := Allocate(f, AllocOptions{}); err != nil {
		t.Fatal(err)
	}
	if f.Blocks[0].Instrs[0].Ops[0].Reg != f.Blocks[1].Instrs[0].Ops[0].Reg {
		t.Fatalf("the register of v1 is not used again\n%s", f)
	}
	if err := c.Check(); err != nil {
		t.Fatal(err)
	}
	f.AddPhysEdge(1, 2)
	if err := c.Check(); err == nil {
		t.Errorf("the checker sees nothing wrong\n%s", f)
	}
}

// TestPlaceFilePressure: what does not fit is said, as are given registers.
func TestPlaceFilePressure(t *testing.T) {
	isa := &testISA{units: 16}
	f, err := Parse(`func f target test
block 0
  v1:shared*3 = const {1}
  v2:shared*2 = const {2}
  store v1
  store v2
  end
`, isa)
	if err != nil {
		t.Fatal(err)
	}
	var pe *PressureError
	if _, err := PlaceFile(f, ComputeLiveness(f), 2, nil); !errors.As(err, &pe) || pe.File != "s" {
		t.Errorf("error %v, want one of pressure", err)
	}
	f.Blocks[0].Instrs[1].Ops[0].Flags = Fixed
	if _, err := PlaceFile(f, ComputeLiveness(f), 2, nil); err == nil || errors.As(err, &pe) {
		t.Errorf("error %v, want one of given registers", err)
	}
}
