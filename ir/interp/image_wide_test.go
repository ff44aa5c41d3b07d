package interp

import (
	"fmt"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
)

// wideAtomics are the atomics on 64-bit texels, and what they leave of an old
// value and a datum.
var wideAtomics = []struct {
	op ir.AtomicOp
	f  func(old, x uint64) uint64
}{
	{ir.AtomicIAdd, func(o, x uint64) uint64 { return o + x }},
	{ir.AtomicUMin, func(o, x uint64) uint64 { return min(o, x) }},
	{ir.AtomicUMax, func(o, x uint64) uint64 { return max(o, x) }},
	{ir.AtomicIMin, func(o, x uint64) uint64 { return uint64(min(int64(o), int64(x))) }},
	{ir.AtomicIMax, func(o, x uint64) uint64 { return uint64(max(int64(o), int64(x))) }},
	{ir.AtomicIAnd, func(o, x uint64) uint64 { return o & x }},
	{ir.AtomicIOr, func(o, x uint64) uint64 { return o | x }},
	{ir.AtomicIXor, func(o, x uint64) uint64 { return o ^ x }},
	{ir.AtomicXchg, func(o, x uint64) uint64 { return x }},
}

// TestWideTexelAtomics is a grid: every atomic on texels of 64 bits, of one and of
// several samples, with and without layers. Each lane has a texel, and of its samples
// the one before the last; the others must stay.
func TestWideTexelAtomics(t *testing.T) {
	for _, samples := range []int{1, 2, 4, 8} {
		for _, layers := range []int{1, 3} {
			for _, c := range wideAtomics {
				t.Run(fmt.Sprintf("%dx%d/%d", samples, layers, c.op), func(t *testing.T) { wideTexelAtomic(t, samples, layers, c.op, c.f) })
			}
		}
	}
}

func wideTexelAtomic(t *testing.T, samples, layers int, op ir.AtomicOp, f func(old, x uint64) uint64) {
	img, err := emu.NewImage(emu.ImageDesc{Width: 8, Height: 2, Layers: layers, Samples: samples, Format: emu.FormatByName("R64_UINT")})
	if err != nil {
		t.Fatal(err)
	}
	// At is the place of lane l's texel among 64-bit words, value and datum what stands there and comes.
	at := func(l int) int { return (((layers-1)*2+1)*8+l)*samples + max(0, samples-2) }
	value := func(i int) uint64 { return 0x9123456789abcdef * uint64(2*i+1) }
	datum := func(l int) uint64 { return 0xfedcba9876543211 * uint64(3*l+1) }
	want := make([]uint64, len(img.Data)/8)
	for i := range want {
		want[i] = value(i)
		emu.StoreBytes(img.Data[8*i:], 8, want[i])
	}
	dim := ir.Dim2D
	if samples > 1 {
		dim = ir.DimMS
	}
	k := newBench(t, 4)
	k.bind = func(bind *emu.Bindings, _ *emu.Memory) {
		bind.Set(0, 1, []emu.Descriptor{{Type: emu.DescStorageImage, Image: &emu.ImageView{Image: img}}})
	}
	b := k.b
	zero := b.Imm32(0)
	coord := b.Vec(k.lane, b.Imm32(1), b.Imm32(uint32(layers-1)), zero)
	sample := b.Imm32(uint32(max(0, samples-2)))
	x := b.Imul(b.U2u64(b.IAddImm(b.IMulImm(k.lane, 3), 1)), b.Const(64, datum(0)))
	old := setDim(b.Intrinsic(ir.IntrBindlessImageAtomic, 1, 64, b.Imm32(1), coord, sample, x), dim, layers > 1).Set(ir.IdxAtomicOp, uint64(op))
	k.out(b.Unpack64_2x32(&old.Def))
	load := setDim(b.Intrinsic(ir.IntrBindlessImageLoad, 4, 64, b.Imm32(1), coord, sample, zero), dim, layers > 1).
		Set(ir.IdxDestType, ir.ALUType{Class: ir.ClassUint, Bits: 64}.Pack())
	k.out(b.Unpack64_2x32(b.Channel(&load.Def, 0)))
	r := k.run(8)
	if r.err != nil {
		t.Fatal(r.err)
	}
	for l := range 8 {
		i := at(l)
		want[i] = f(value(i), datum(l))
		if got := uint64(r.at(l, 0)) | uint64(r.at(l, 1))<<32; got != value(i) {
			t.Errorf("lane %d gets %#x, not %#x", l, got, value(i))
		}
		if got := uint64(r.at(l, 2)) | uint64(r.at(l, 3))<<32; got != want[i] {
			t.Errorf("lane %d reads %#x, not %#x", l, got, want[i])
		}
	}
	for i := range want {
		if got := emu.LoadBytes(img.Data[8*i:], 8); got != want[i] {
			t.Errorf("word %d is %#x, not %#x", i, got, want[i])
		}
	}
}
