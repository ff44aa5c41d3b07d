package agx

import (
	"testing"

	"nirc/backend/agx/abi"
	"nirc/backend/gputest"
	"nirc/ir"
)

// What the uniform registers have no room for is loaded from the descriptor table or made where
// it is used: constants, addresses and sizes; what there is no other way to finds room.
func TestUniformsFull(t *testing.T) {
	const steps = 600
	s, b := gputest.NewShader(ir.StageCompute, 32)
	in, out := gputest.StorageBuffer(b, 0, 0), gputest.StorageBuffer(b, 0, 1)
	id := b.Channel(&b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def, 0)
	x := gputest.LoadWords(b, in, b.Ishl(id, b.Imm32(2)), 1)
	for k := range steps {
		x = b.Imul(b.Ixor(x, b.Imm32(0x12345679+uint32(k)*0x01010101)), b.Imm32(0x80003001+uint32(k)*2))
	}
	// Another handle at each access, some of them chosen by a value.
	groups := &b.Intrinsic(ir.IntrLoadNumWorkgroups, 3, 32).Def
	x = b.Iadd(x, b.Channel(groups, 0))
	buf := b.Bcsel(b.Ult(id, b.Imm32(16)), in, gputest.StorageBuffer(b, 0, 1))
	x = b.Iadd(x, gputest.LoadWords(b, buf, b.Iadd(b.Ishl(id, b.Imm32(2)), b.Imm32(256)), 1))
	gputest.StoreWords(b, out, b.Ishl(id, b.Imm32(2)), x)
	r := &gputest.Run{Groups: 1, In: gputest.RandomInput(1, 1024), OutSize: 1024}
	if err := execute(t, s, CompileOptions{}, r, nil); err != nil {
		t.Error(err)
	}
}

// The optional pieces leave what the others need, in every order of asking.
func TestUniformRoom(t *testing.T) {
	need := []abi.UniformKind{abi.UniformTable, abi.UniformHeap, abi.UniformPushAddr, abi.UniformConstData, abi.UniformNumWorkgroups, abi.UniformSamplerBiases}
	for _, reserved := range []int{0, 5, 16} {
		u := uniforms{reserved: reserved}
		for _, k := range need {
			u.keep.add(uniformRank(k), (&abi.Uniform{Kind: k}).Halves())
		}
		buffers, words := 0, 0
		for i := uint32(0); ; i++ {
			_, ok := u.take(abi.Uniform{Kind: abi.UniformBufferAddr, Binding: i}, baseHalves)
			_, bias := u.take(abi.Uniform{Kind: abi.UniformSamplerBias, Binding: i}, baseHalves)
			if !ok && !bias {
				break
			}
			buffers++
		}
		for i := uint32(0); ; i++ {
			if _, ok := u.constant(i); !ok {
				break
			}
			words++
		}
		if buffers < 25 || words < 100 {
			t.Errorf("room for %d addresses and %d constants", buffers, words)
		}
		for _, k := range need {
			budget := uniformHalves
			if uniformRank(k) < 2 {
				budget = baseHalves
			}
			if k == abi.UniformHeap {
				budget = heapHalves
			}
			if _, ok := u.take(abi.Uniform{Kind: k}, budget); !ok {
				t.Errorf("no room for kind %d after %d reserved halves", k, reserved)
			}
		}
		if _, n, err := u.layOut(); err != nil || n > uniformHalves {
			t.Errorf("%d halves: %v", n, err)
		}
	}
}
