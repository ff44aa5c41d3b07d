package passes

import (
	"bytes"
	"context"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
	"nirc/ir/interp"
)

// testGroups is how many workgroups of one invocation a test shader runs in;
// each has 256 bytes of the buffer.
const testGroups = 4

// execute runs a compute shader with one storage buffer (set 0, binding 0,
// handle 0) and returns what the buffer holds then.
func execute(s *ir.Shader) ([]byte, error) {
	p, err := interp.New(s, interp.Options{WaveSize: 4})
	if err != nil {
		return nil, err
	}
	mem := emu.NewMemory()
	buf := mem.Alloc(testGroups * 256)
	var bind emu.Bindings
	bind.Set(0, 0, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: buf.Addr, Size: uint64(len(buf.Data))}})
	env := &emu.Env{Mem: mem, Bindings: &bind}
	err = emu.Dispatch(context.Background(), p, env, emu.DispatchParams{Limits: emu.Limits{Budget: 1 << 22}, Groups: [3]uint32{testGroups, 1, 1}})
	return buf.Data, err
}

// compareRuns tests that two shaders leave the same in memory.
func compareRuns(t *testing.T, before, after *ir.Shader) {
	t.Helper()
	if before.Stage != ir.StageCompute {
		return
	}
	a, err := execute(before)
	if err != nil {
		t.Fatalf("before: %v", err)
	}
	b, err := execute(after)
	if err != nil {
		t.Fatalf("after: %v\n%s", err, ir.Print(after))
	}
	if !bytes.Equal(a, b) {
		t.Errorf("the results differ:\n%x\n%x\n%s\n---\n%s", a, b, ir.Print(before), ir.Print(after))
	}
}
