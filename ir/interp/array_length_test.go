package interp

import (
	"context"
	"encoding/binary"
	"fmt"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
)

// TestArrayLength asks for the length of the array at the end of blocks that have members before it or none, in buffers of several sizes: as
// many elements as fit after what is before them.
func TestArrayLength(t *testing.T) {
	u32 := ir.ScalarType(ir.BaseUint, 32)
	for _, members := range []int{0, 1, 3} {
		for _, stride := range []uint32{4, 16} {
			block := &ir.Type{Base: ir.BaseStruct, Name: "block", Block: true}
			for k := range members {
				block.Fields = append(block.Fields, ir.Field{Name: fmt.Sprint("m", k), Type: u32, Offset: int32(8 * k)})
			}
			start := 8 * members
			block.Fields = append(block.Fields, ir.Field{Name: "a", Type: ir.ArrayType(u32, 0, stride), Offset: int32(start)})
			for size := start + 4; size <= start+64; size += 12 {
				if got, want := lengthOf(t, block, size), uint32(size-start)/stride; got != want {
					t.Errorf("%d members, stride %d, %d bytes: %d elements, want %d", members, stride, size, got, want)
				}
			}
		}
	}
}

// lengthOf is what a shader finds that asks for the length of a block's array in a buffer of so many bytes.
func lengthOf(t *testing.T, block *ir.Type, size int) uint32 {
	t.Helper()
	s := ir.NewShader(ir.StageCompute, nil)
	s.Info.WorkgroupSize = [3]uint32{1, 1, 1}
	f := s.NewFunction("main")
	f.IsEntry = true
	b := ir.NewBuilder(ir.AtEnd(f.Impl.Start()))
	pointer := func(binding uint64, of *ir.Type) *ir.Def {
		h := b.Intrinsic(ir.IntrVulkanResourceIndex, 2, 32, b.Imm32(0)).Set(ir.IdxBinding, binding).Set(ir.IdxDescType, 2)
		return b.DerefCast(&h.Def, ir.ModeSSBO, of, 0)
	}
	n := &b.Intrinsic(ir.IntrDerefBufferArrayLength, 1, 32, pointer(0, block)).Def
	b.StoreDeref(pointer(1, ir.ScalarType(ir.BaseUint, 32)), n, 1, 0)
	if err := ir.Validate(s); err != nil {
		t.Fatal(err)
	}
	p, err := New(s, Options{WaveSize: 1})
	if err != nil {
		t.Fatal(err)
	}
	mem := emu.NewMemory()
	var bind emu.Bindings
	buf := [2]*emu.Buffer{mem.Alloc(size), mem.Alloc(4)}
	for k, x := range buf {
		bind.Set(0, uint32(k), []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: x.Addr, Size: uint64(len(x.Data))}})
	}
	if err := emu.Dispatch(context.Background(), p, &emu.Env{Mem: mem, Bindings: &bind}, emu.DispatchParams{Groups: [3]uint32{1, 1, 1}}); err != nil {
		t.Fatal(err)
	}
	return binary.LittleEndian.Uint32(buf[1].Data)
}
