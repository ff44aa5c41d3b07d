package abi

import (
	"testing"

	"nirc/backend/ir3/isa"
)

// TestBindlessOf: an instruction with a set needs the table of its kind, one without needs none.
func TestBindlessOf(t *testing.T) {
	for op, want := range map[isa.Op]Bindless{
		isa.OpSam: {Textures: true, Samplers: true}, isa.OpGetlod: {Textures: true, Samplers: true}, isa.OpIsam: {Textures: true}, isa.OpGetsize: {Textures: true},
		isa.OpLdc: {Uniforms: true}, isa.OpLdcK: {Uniforms: true}, isa.OpResinfo: {Storage: true}, isa.OpStib: {Storage: true}, isa.OpLdib: {Storage: true},
	} {
		if got := BindlessOf(&isa.Instr{Op: op, Set: 2}); got != want {
			t.Errorf("%s of set 1: %+v, want %+v", op, got, want)
		}
		if got := BindlessOf(&isa.Instr{Op: op}); got != (Bindless{}) {
			t.Errorf("%s of a classic table: %+v", op, got)
		}
		if got := (Bindless{}).Or(want).Or(Bindless{}); got != want {
			t.Errorf("%+v or nothing is %+v", want, got)
		}
	}
}
