package passes

import (
	"bytes"
	"context"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
	"nirc/ir/interp"

	"github.com/rogpeppe/go-internal/txtar"
)

// fill writes a constant as a driver does that reads a uniform's initialiser.
func fill(to []byte, t *ir.Type, c *ir.Constant) {
	for i, e := range c.Elems {
		fill(to[i*int(t.Stride):], t.Child(), e)
	}
	if len(c.Elems) == 0 {
		size := int(t.MemBits() / 8)
		for i := range int(t.Rows) {
			emu.StoreBytes(to[i*size:], size, c.Values[i])
		}
	}
}

// TestConstArraysToUniforms runs a shader whose tables are uniforms, filled in by their initialisers, in buffer 7.
func TestConstArraysToUniforms(t *testing.T) {
	ar, err := txtar.ParseFile("testdata/lower_const_arrays_to_uniforms/tables.txtar")
	if err != nil {
		t.Fatal(err)
	}
	before := parseShader(t, string(ar.Files[0].Data))
	want, err := execute(before)
	if err != nil {
		t.Fatal(err)
	}
	s := ir.Clone(before)
	runPasses(t, s, "lower_const_arrays_to_uniforms(base=20),lower_uniforms_to_ubo(binding=7)")
	mem := emu.NewMemory()
	out, block := mem.Alloc(testGroups*256), mem.Alloc(1024)
	moved := 0
	for _, v := range s.Variables {
		if v.Mode == ir.ModeUniform {
			fill(block.Data[v.DriverLocation:], v.Type, v.Init)
			moved++
		}
	}
	var bind emu.Bindings
	bind.Set(0, 0, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: out.Addr, Size: uint64(len(out.Data))}})
	bind.Set(0, 7, []emu.Descriptor{{Type: emu.DescUniformBuffer, Addr: block.Addr, Size: uint64(len(block.Data))}})
	p, err := interp.New(s, interp.Options{WaveSize: 4})
	if err != nil {
		t.Fatal(err)
	}
	if err := emu.Dispatch(context.Background(), p, &emu.Env{Mem: mem, Bindings: &bind}, emu.DispatchParams{Groups: [3]uint32{testGroups, 1, 1}}); err != nil {
		t.Fatalf("%v\n%s", err, ir.Print(s))
	}
	if moved != 2 || !bytes.Equal(out.Data, want) || bytes.Count(want, []byte{0}) > len(want)-8 {
		t.Errorf("%d tables move\n%x\n%x", moved, out.Data, want)
	}
	if _, err := RunPass(ir.Clone(before), "lower_const_arrays_to_uniforms", "base", "-1"); err == nil {
		t.Error("a negative place is taken")
	}
	small := ir.Clone(before)
	if _, err := RunPass(small, "lower_const_arrays_to_uniforms", "room", "32"); err != nil || len(small.Variables) != 1 {
		t.Errorf("with room for one table: %v\n%s", err, ir.Print(small))
	}
}
