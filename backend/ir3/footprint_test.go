package ir3

import (
	"testing"

	"nirc/backend/ir3/abi"
)

// TestFootprint: registers that hardware fills or takes count, whether an instruction names them or not.
func TestFootprint(t *testing.T) {
	for _, c := range []struct {
		name string
		meta abi.Meta
		want int
	}{
		{"nothing", abi.Meta{}, 0},
		{"three components of an id", abi.Meta{Sysvals: []abi.Sysval{{Kind: abi.LocalInvocationID, Reg: 18}}}, 6},
		{"two that end a register", abi.Meta{Sysvals: []abi.Sysval{{Kind: abi.IJPerspPixel, Reg: 18}}}, 5},
		{"a half", abi.Meta{Sysvals: []abi.Sysval{{Kind: abi.FrontFace, Reg: 24}}}, 4},
		{"one that is not asked for", abi.Meta{Sysvals: []abi.Sysval{{Kind: abi.LocalInvocationID, Reg: abi.NoReg}}}, 0},
		{"an input with a gap", abi.Meta{Inputs: []abi.Input{{Mask: 5, Reg: 10}}}, 4},
		{"an input that is fetched", abi.Meta{Inputs: []abi.Input{{Mask: 15, Reg: abi.NoReg}}}, 0},
		{"an output", abi.Meta{Outputs: []abi.Output{{Mask: 3, Reg: 11}}}, 4},
		{"an output of halves", abi.Meta{Outputs: []abi.Output{{Mask: 3, Reg: 15, Half: true}}}, 3},
		{"the largest of them", abi.Meta{Outputs: []abi.Output{{Mask: 1, Reg: 3}}, Inputs: []abi.Input{{Mask: 1, Reg: 4}}}, 2},
	} {
		if got := (&compiler{meta: c.meta, mem: new(memory)}).footprint(nil); got != c.want {
			t.Errorf("%s: %d registers, want %d", c.name, got, c.want)
		}
	}
}
