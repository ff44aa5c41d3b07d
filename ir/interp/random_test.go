package interp

import (
	"bytes"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
	"nirc/ir/irtest"
)

// runRandom runs a random shader and returns what it stored.
func runRandom(t *testing.T, s *ir.Shader, wave int) []byte {
	t.Helper()
	p, err := New(s, Options{WaveSize: wave})
	if err != nil {
		t.Fatal(err)
	}
	mem := emu.NewMemory()
	in, out := mem.Alloc(irtest.InputBytes), mem.Alloc(irtest.OutputBytes)
	for i := range in.Data {
		in.Data[i] = byte(i * 37)
	}
	var bind emu.Bindings
	for i, b := range []*emu.Buffer{in, out} {
		bind.Set(0, uint32(i), []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: b.Addr, Size: uint64(len(b.Data))}})
	}
	if err := runGroup(p, &emu.Env{Mem: mem, Bindings: &bind}, irtest.Invocations); err != nil {
		t.Fatalf("%v\n%s", err, ir.Print(s))
	}
	return out.Data
}

// TestRandomShaders: results do not depend on how invocations are put into
// waves, that is on which lanes are active around them.
func TestRandomShaders(t *testing.T) {
	stored := 0
	for seed := range uint64(150) {
		s := irtest.RandomShader(seed, 150)
		one := append([]byte(nil), runRandom(t, s, 1)...)
		for _, w := range []int{4, 8} {
			if got := runRandom(t, s, w); !bytes.Equal(got, one) {
				t.Fatalf("seed %d: waves of %d and of 1 differ\n%s", seed, w, ir.Print(s))
			}
		}
		if !bytes.Equal(one, make([]byte, len(one))) {
			stored++
		}
	}
	if stored < 75 {
		t.Errorf("only %d of 150 shaders stored anything", stored)
	}
}

// TestEverything runs shaders with calls, registers and all else that the
// generator knows.
func TestEverything(t *testing.T) {
	for seed := range uint64(40) {
		s := irtest.Config{Seed: seed, Size: 120, Everything: true}.Shader()
		p, err := New(s, Options{WaveSize: 8})
		if err != nil {
			t.Logf("seed %d: %v", seed, err)
			continue
		}
		err = runGroup(p, &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}}, irtest.Invocations)
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
}
