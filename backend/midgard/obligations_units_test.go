package midgard

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/bits"

	"nirc/backend/gputest"
	"nirc/internal/emu"
	"nirc/ir"
)

// randomBundles runs shaders whose bundles have values that live in them alone, and selects.
func randomBundles() error {
	for seed := range int64(12) {
		s := gputest.Random{Seed: 2000 + seed, Size: 50, Comps: 4}.Shader()
		if _, err := execute(s, CompileOptions{}, &gputest.Run{Groups: 1, In: gputest.RandomInput(seed, 64), OutSize: 64 * gputest.OutBytes}, nil); err != nil {
			return err
		}
	}
	return nil
}

// halfDots computes dot products of 16 bits, and of 32 bits of what has 16, in which no sum is rounded.
func halfDots() error {
	s, b := gputest.NewShader(ir.StageCompute, 1)
	v := b.F2f16(b.U2f32(b.Iand(gputest.LoadWords(b, gputest.StorageBuffer(b, 0, 0), b.Imm32(0), 4), b.Vec4(b.Imm32(15), b.Imm32(15), b.Imm32(15), b.Imm32(15)))))
	wide := b.F2f32(v)
	short := b.F2f16(b.Fdot4(wide, wide))
	out := gputest.StorageBuffer(b, 0, 1)
	gputest.StoreWords(b, out, b.Imm32(0), b.F2f32(b.Fdot4(v, v)))
	gputest.StoreWords(b, out, b.Imm32(4), b.F2f32(short))
	_, err := execute(s, CompileOptions{}, &gputest.Run{Groups: 1, In: gputest.RandomInput(1, 64), OutSize: 16}, nil)
	return err
}

// storedAgain stores a pair of words, and the second of it once more: it is in the input of load/store then, where another access put it.
func storedAgain() error {
	s, b := gputest.NewShader(ir.StageCompute, 1)
	v := gputest.LoadWords(b, gputest.StorageBuffer(b, 0, 0), b.Imm32(0), 2)
	out := gputest.StorageBuffer(b, 0, 1)
	gputest.StoreWords(b, out, b.Imm32(0), v)
	b.Intrinsic(ir.IntrStoreSsbo, 0, 0, v, out, b.Imm32(8)).Set(ir.IdxWriteMask, 2).Set(ir.IdxAlignMul, 8)
	_, err := execute(s, CompileOptions{}, &gputest.Run{Groups: 1, In: gputest.RandomInput(1, 64), OutSize: 16}, nil)
	return err
}

// bitCounts counts bits on hardware of either reading.
func bitCounts() error {
	s, b := gputest.NewShader(ir.StageCompute, 1)
	buf := gputest.StorageBuffer(b, 0, 0)
	gputest.StoreWords(b, buf, b.Imm32(16), b.BitCount(gputest.LoadWords(b, buf, b.Imm32(0), 4)))
	p, err := load(s, CompileOptions{})
	if err != nil {
		return err
	}
	words := [4]uint32{0xffffffff, 0x80000001, 0, 0x12345678}
	for seed := range uint64(8) {
		env := &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}}
		mem := env.Mem.Alloc(32)
		for i, w := range words {
			binary.LittleEndian.PutUint32(mem.Data[4*i:], w)
		}
		env.Bindings.Set(0, 0, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: mem.Addr, Size: 32}})
		params := emu.DispatchParams{Groups: [3]uint32{1, 1, 1}, Limits: emu.Limits{Check: true, Seed: seed}}
		if err := emu.Dispatch(context.Background(), p, env, params); err != nil {
			return err
		}
		for i, w := range words {
			if n := binary.LittleEndian.Uint32(mem.Data[16+4*i:]); n != uint32(bits.OnesCount32(w)) {
				return fmt.Errorf("seed %d: %#x has %d bits", seed, w, n)
			}
		}
	}
	return nil
}
