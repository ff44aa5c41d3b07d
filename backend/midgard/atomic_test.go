package midgard

import (
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// Atomics of 32 and 64 bits change memory and give back what was there, at constant offsets and at others.
func TestAtomics(t *testing.T) {
	programs.Hold(t)
	for _, bits := range []uint8{32, 64} {
		s, b := gputest.NewShader(ir.StageCompute, 1)
		in, out := gputest.StorageBuffer(b, 0, 0), gputest.StorageBuffer(b, 0, 1)
		v := gputest.LoadWords(b, in, b.Imm32(0), 4)
		value := func(x, y int) *ir.Def {
			if bits == 32 {
				return b.Channel(v, x)
			}
			return b.Pack64_2x32(b.Swizzle(v, x, y))
		}
		at := uint32(0)
		store := func(d *ir.Def) {
			if bits == 64 {
				d = b.Unpack64_2x32(d)
			}
			gputest.StoreWords(b, out, b.Imm32(at), d)
			at += 8
		}
		for _, op := range []ir.AtomicOp{ir.AtomicIAdd, ir.AtomicIMin, ir.AtomicUMin, ir.AtomicIMax, ir.AtomicUMax, ir.AtomicIAnd, ir.AtomicIOr, ir.AtomicIXor,
			ir.AtomicXchg, ir.AtomicCmpXchg} {
			for round := range 2 {
				cell := b.Iadd(b.Imm32(at), b.Ishl(b.Iand(b.Channel(v, round), b.Imm32(1)), b.Imm32(3)))
				if round == 0 {
					cell = b.Imm32(at)
				}
				store(value(round, 1))
				name, srcs := ir.IntrSsboAtomic, []*ir.Def{out, cell, value(2, 3)}
				if op == ir.AtomicCmpXchg {
					name, srcs = ir.IntrSsboAtomicSwap, []*ir.Def{out, cell, value(0, 1), value(2, 3)}
				}
				x := b.Intrinsic(name, 1, bits, srcs...)
				x.Set(ir.IdxAtomicOp, uint64(op))
				store(&x.Def)
			}
		}
		for i := range int64(6) {
			run := &gputest.Run{Groups: 1, In: gputest.RandomInput(i, 1), OutSize: int(at) + 8}
			if _, err := execute(s, CompileOptions{GPU: gpus[i%int64(len(gpus))].Name}, run, nil); err != nil {
				t.Fatalf("%d bits: %v\n%s", bits, err, ir.Print(s))
			}
		}
	}
}
