package exec

import (
	"context"
	_ "embed"
	"testing"

	"nirc"
	"nirc/internal/emu"
	"nirc/passes"
)

// strided stores 10 to 13 to an array of workgroup memory, whose layout is the
// compiler's, and reads them by steps of a chosen pointer whose type says a stride of 8.
//
//go:embed testdata/asm/strided.spvasm
var strided string

// TestWorkgroupStride: ArrayStride does not count for pointers to workgroup memory
// without an explicit layout.
func TestWorkgroupStride(t *testing.T) {
	for _, target := range []string{"ir3", "agx", "midgard"} {
		obj, err := nirc.Compile(context.Background(), []byte(strided), nirc.Options{Target: target, File: "stride.spvasm", Level: passes.O2})
		if err != nil {
			t.Fatal(target, err)
		}
		p, err := Reload(context.Background(), obj)
		if err != nil {
			t.Fatal(target, err)
		}
		got := dispatchWords(t, p, 4, emu.DispatchParams{Groups: [3]uint32{1, 1, 1}, Limits: emu.Limits{Check: true}})
		for i, w := range got {
			if w != uint32(10+i) {
				t.Errorf("%s: word %d is %d, want %d", target, i, w, 10+i)
			}
		}
	}
}
