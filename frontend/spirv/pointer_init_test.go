package spirv_test

import (
	"context"
	_ "embed"
	"encoding/binary"
	"strings"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
	"nirc/ir/interp"
)

// pointerModule stores through pointers that a variable of the module and one of the function start with, and adds
// what is in the variables they lead to.
//
//go:embed testdata/asm/pointer_module.spvasm
var pointerModule string

func TestPointerInitialisers(t *testing.T) {
	s, err := translate(t, pointerModule)
	if err != nil {
		t.Fatal(err)
	}
	if err := ir.Validate(s); err != nil {
		t.Fatal(err)
	}
	p, err := interp.New(s, interp.Options{WaveSize: 4})
	if err != nil {
		t.Fatal(err)
	}
	mem := emu.NewMemory()
	out := mem.Alloc(16)
	var b emu.Bindings
	b.Set(0, 0, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: out.Addr, Size: 16}})
	if err := emu.Dispatch(context.Background(), p, &emu.Env{Mem: mem, Bindings: &b}, emu.DispatchParams{Groups: [3]uint32{1, 1, 1}}); err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		if got := binary.LittleEndian.Uint32(out.Data[4*i:]); got != uint32(2*i+40) {
			t.Errorf("invocation %d: %d, want %d", i, got, 2*i+40)
		}
	}
}

func TestPointerInitialiserType(t *testing.T) {
	_, err := translate(t, strings.Replace(pointerModule, "Private %a", "Private %index", 1))
	if err == nil || !strings.Contains(err.Error(), "the initialiser's type") {
		t.Errorf("a pointer of another type: %v", err)
	}
}
