package exec

import (
	"context"
	_ "embed"
	"fmt"
	"testing"

	"nirc"
	"nirc/internal/emu"
	"nirc/passes"
)

// workgroupIDs stores WorkgroupId and GlobalInvocationId of each workgroup's first
// invocation, 8 words a group of 2x1x1, at the place that NumWorkgroups gives a group of
// the whole grid of 4x4x4.
//
//go:embed testdata/asm/workgroup_ids.spvasm
var workgroupIDs string

// TestDispatchBase starts workgroups from a base: their ids count from it where the shader
// was compiled for that, and from 0 as the hardware's do where it was not.
func TestDispatchBase(t *testing.T) {
	base, groups := [3]uint32{1, 2, 3}, [3]uint32{3, 2, 1}
	for _, target := range []string{"ir3", "agx", "midgard"} {
		for _, o := range []nirc.Options{{Level: passes.O0, DispatchBase: true}, {Level: passes.O2, DispatchBase: true}, {Level: passes.O2}} {
			t.Run(fmt.Sprintf("%s/%s/%t", target, o.Level, o.DispatchBase), func(t *testing.T) {
				o.Target, o.File = target, "base.spvasm"
				obj, err := nirc.Compile(context.Background(), []byte(workgroupIDs), o)
				if err != nil {
					t.Fatal(err)
				}
				p, err := Reload(context.Background(), obj)
				if err != nil {
					t.Fatal(err)
				}
				from := [3]uint32{}
				if o.DispatchBase {
					from = base
				}
				got := dispatchWords(t, p, 128, emu.DispatchParams{Groups: groups, Base: base, Limits: emu.Limits{Check: true}})
				want := make([]uint32, 128)
				for k := range 6 {
					x, y, z := from[0]+uint32(k%3), from[1]+uint32(k/3), from[2]
					for i := range uint32(2) {
						want[2*(x+4*(y+4*z))+i] = 2*x + i | y<<4 | z<<8
					}
				}
				for i := range want {
					if got[i] != want[i] {
						t.Errorf("word %d is %#x, want %#x", i, got[i], want[i])
					}
				}
			})
		}
	}
}

// dispatchWords runs a program on a storage buffer of n words at set 0, binding 0.
func dispatchWords(t *testing.T, p emu.Program, n int, params emu.DispatchParams) []uint32 {
	t.Helper()
	mem := emu.NewMemory()
	out := mem.Alloc(4 * n)
	var bind emu.Bindings
	bind.Set(0, 0, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: out.Addr, Size: uint64(4 * n)}})
	if err := emu.Dispatch(context.Background(), p, &emu.Env{Mem: mem, Bindings: &bind}, params); err != nil {
		t.Fatal(err)
	}
	words := make([]uint32, n)
	for i := range words {
		words[i] = uint32(emu.LoadBytes(out.Data[4*i:], 4))
	}
	return words
}
