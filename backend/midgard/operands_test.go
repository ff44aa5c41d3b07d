package midgard

import (
	"testing"

	"nirc/backend/midgard/isa"
)

// TestStoredComponents: a store keeps alive the components of its register that its swizzle takes for the lanes of its mask, of
// which a store to memory has one for each quarter of what it stores.
func TestStoredComponents(t *testing.T) {
	for _, c := range []struct {
		op   isa.LdOp
		mask uint8
		swz  isa.Swizzle
		want uint8
	}{
		{isa.St128, 15, isa.XYZW, 15},
		{isa.St128, 6, isa.XYZW, 6},
		{isa.St128, 6, isa.Swz(3, 2, 0, 1), 5},
		{isa.St128, 1, isa.Rep(2), 4},
		{isa.St64, 15, isa.XYZW, 3},
		{isa.St64, 12, isa.XYZW, 2},
		{isa.St64, 3, isa.Swz(2, 0, 0, 0), 4},
		{isa.St32, 15, isa.XYZW, 1},
		{isa.St32, 1, isa.Rep(3), 8},
		{isa.St32, 0, isa.XYZW, 0},
		{isa.StVaryF32, 15, isa.XYZW, 15},
		{isa.StVaryF32, 5, isa.Swz(1, 1, 3, 3), 10},
	} {
		l := &isa.LoadStore{Op: c.op, Mask: c.mask, Swizzle: c.swz}
		if got := storedComps(l, l.Op.Info()); got != c.want {
			t.Errorf("%s of lanes %#x, swizzle %v: components %#x are read, want %#x", c.op, c.mask, c.swz, got, c.want)
		}
	}
}

// TestCoordinateInputs: coordinates go where they are already, or beside other components of their register, else to the two
// inputs in turn.
func TestCoordinateInputs(t *testing.T) {
	at := func(r reg, c uint8) source { return source{reg: r, swz: replicate(c)} }
	none := source{reg: regNone}
	held := [4]source{at(80, 0), at(80, 1), none, none}
	for _, c := range []struct {
		name  string
		parts [4]source
		joins bool
	}{
		{"the upper half of what is held", [4]source{none, none, at(80, 2), at(80, 3)}, true},
		{"the upper half of another register", [4]source{none, none, at(81, 2), at(81, 3)}, false},
		{"the same lower half", [4]source{at(80, 0), at(80, 1), none, none}, false},
		{"a half that would take the place of what is held", [4]source{at(80, 2), none, none, none}, false},
		{"one that is in no work register", [4]source{none, none, at(regLd0, 2), at(80, 3)}, false},
		{"all four", [4]source{at(80, 0), at(80, 1), at(80, 2), at(80, 3)}, false},
	} {
		if got := new(isel).joinsHeld(&c.parts, &held); got != c.joins {
			t.Errorf("%s: joins %v", c.name, got)
		}
	}
	s := &isel{coords: [2][4]source{unknownCoords, unknownCoords}}
	first, second := [4]source{at(80, 0), at(80, 1), none, none}, [4]source{at(81, 0), at(81, 1), none, none}
	for i, want := range []uint8{0, 1, 0} {
		if got := s.coordInput(&first); got != want {
			t.Errorf("turn %d: input %d, want %d", i, got, want)
		}
	}
	s.coords[1] = second
	for range 2 {
		if got := s.coordInput(&second); got != 1 {
			t.Errorf("coordinates of input 1 go to input %d", got)
		}
	}
}
