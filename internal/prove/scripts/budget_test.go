package scripts

import (
	"context"
	"encoding/binary"
	"strings"
	"testing"

	"nirc"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/internal/prove"
	"nirc/passes"
)

// TestBudget: on each core very many waves that each end soon are charged for what they run, not
// only those that never end.
func TestBudget(t *testing.T) {
	m, err := nirc.LoadFile(context.Background(), prove.Data("mandel.comp.spv"), nirc.FileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{nirc.IRTarget, "ir3", "agx", "midgard"} {
		for turns, ends := range map[uint32]bool{4: true, 500: false} {
			push := make([]byte, 20) // every point is 0 and stays there
			binary.LittleEndian.PutUint32(push[12:], 128)
			binary.LittleEndian.PutUint32(push[16:], turns)
			x := &exec.Execution{Modules: []*nirc.Module{m}, Options: nirc.Options{Target: target, Level: passes.O2}, Groups: [3]uint32{16, 16, 1}, Push: push,
				Bindings: []exec.Binding{{Data: make([]byte, 4*128*128)}}, Limits: emu.Limits{Budget: 16 * 16 * 64 * 1000}}
			if err := exec.Execute(context.Background(), x); ends != (err == nil) || err != nil && !strings.Contains(err.Error(), emu.ErrTimeout.Error()) {
				t.Errorf("%s, %d turns: error %v", target, turns, err)
			}
		}
	}
}
