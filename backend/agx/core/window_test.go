package core

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/internal/emu"
)

// TestWindow: what stands in the driver's memory, and what a read that sticks out of it finds.
func TestWindow(t *testing.T) {
	env := &emu.Env{Bindings: &emu.Bindings{}, Layout: layoutOf(4, 1), Push: []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}}
	env.Bindings.Set(0, 0, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: 0x12345678, Size: 5 << 32}})
	env.Bindings.Set(0, 1, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: 0x1_0000_0010, Size: 48}})
	env.Bindings.Set(0, 2, []emu.Descriptor{{Type: emu.DescCombinedImageSampler, Sampler: &emu.Sampler{LodBias: -2}}})
	w := &wave{l: &emu.Launch{Env: env}, p: &program{meta: &abi.Meta{ConstData: []byte{20, 21, 22}}}}
	entry := func(set, binding uint32) uint64 {
		e, err := abi.Buffers.Place(env.Layout, set, binding, 1)
		if err != nil {
			t.Fatal(err)
		}
		return abi.TableAddr + uint64(e.First)*abi.TableEntrySize
	}
	sampler, err := abi.SamplerHeap.Place(env.Layout, 0, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	bias := abi.BiasAddr + uint64(sampler.First)*abi.SamplerBiasSize
	for _, c := range []struct {
		name string
		addr uint64
		want []byte
	}{
		{"constant data", abi.ConstDataAddr + 1, []byte{21, 22}},
		{"its last byte", abi.ConstDataAddr + 2, []byte{22}},
		{"beyond constant data", abi.ConstDataAddr + 3, nil},
		{"push constants", abi.PushAddr, env.Push},
		{"a push constant's last word", abi.PushAddr + 2, env.Push[2:]},
		{"a push constant that sticks out", abi.PushAddr + 3, []byte{4, 5, 6, 7, 8, 9, 10, 0}},
		{"the last push constant", abi.PushAddr + 9, []byte{10, 0, 0, 0, 0, 0, 0, 0}},
		{"beyond push constants", abi.PushAddr + 10, make([]byte, 8)},
		{"a buffer of more than 4 GiB", entry(0, 0), []byte{0x78, 0x56, 0x34, 0x12, 0, 0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 0}},
		{"a buffer", entry(0, 1), []byte{16, 0, 0, 0, 1, 0, 0, 0, 48, 0, 0, 0, 0, 0, 0, 0}},
		{"a buffer's size", entry(0, 1) + 8, []byte{48, 0, 0, 0, 0, 0, 0, 0}},
		{"nothing bound", entry(0, 0) + 3*abi.TableEntrySize, make([]byte, 16)},
		{"a sampler's bias", bias, []byte{0, 0xc0, 0, 0, 0, 0, 0x80, 0x3e}},
		{"a sampler's factor", bias + 4, []byte{0, 0, 0x80, 0x3e}},
	} {
		if got := w.window(c.addr); !bytes.Equal(got, c.want) {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

// TestCombine: reductions of two values at the ends of their ranges.
func TestCombine(t *testing.T) {
	nan := uint32(0x7fc00000)
	fl := func(v float32) uint32 { return math.Float32bits(v) }
	for _, c := range []struct {
		op         isa.ReduceOp
		n          uint8
		a, b, want uint32
	}{
		{isa.ReduceAnd, 32, 0xf0f0, 0xff00, 0xf000}, {isa.ReduceOr, 32, 0xf0f0, 0xff00, 0xfff0}, {isa.ReduceXor, 32, 0xf0f0, 0xff00, 0x0ff0},
		{isa.ReduceIAdd, 32, 0xffffffff, 0x80000001, 0x80000000}, {isa.ReduceIAdd, 32, 0x40000000, 0x40000000, 0x80000000}, {isa.ReduceIAdd, 16, 0xffff, 0x8001, 0x8000},
		{isa.ReduceUMin, 32, 0x80000000, 1, 1}, {isa.ReduceUMax, 32, 0x80000000, 1, 0x80000000}, {isa.ReduceUMin, 16, 0x8000, 1, 1}, {isa.ReduceUMax, 16, 0x8000, 1, 0x8000},
		{isa.ReduceSMin, 32, 0x80000000, 1, 0x80000000}, {isa.ReduceSMax, 32, 0x80000000, 1, 1}, {isa.ReduceSMin, 16, 0x8000, 1, 0x8000}, {isa.ReduceSMax, 16, 0x8000, 1, 1},
		{isa.ReduceSMin, 16, 5, 0x7fff, 5}, {isa.ReduceSMax, 16, 5, 0x7fff, 0x7fff}, {isa.ReduceSMin, 32, 0x8000, 1, 1},
		{isa.ReduceFAdd, 32, fl(1.5), fl(-3), fl(-1.5)}, {isa.ReduceFAdd, 16, 0x3c00, 0x4000, 0x4200}, {isa.ReduceFMul, 32, fl(1.5), fl(-3), fl(-4.5)}, {isa.ReduceFMul, 16, 0x4000, 0x4200, 0x4600},
		{isa.ReduceFAdd, 32, 0x3f800000, 0x33c00000, 0x3f800001}, {isa.ReduceFAdd, 16, 0x3c00, 0x1200, 0x3c01}, // to the nearest
		{isa.ReduceFMul, 32, 0x3f800801, 0x3f800801, 0x3f801003}, {isa.ReduceFMul, 16, 0x3c17, 0x3c17, 0x3c2f},
		{isa.ReduceFMin, 32, fl(2), fl(-3), fl(-3)}, {isa.ReduceFMax, 32, fl(2), fl(-3), fl(2)}, {isa.ReduceFMin, 16, 0x4000, 0xc200, 0xc200}, {isa.ReduceFMax, 16, 0x4000, 0xc200, 0x4000},
		{isa.ReduceFMin, 32, nan, fl(-3), fl(-3)}, {isa.ReduceFMin, 32, fl(2), nan, fl(2)}, {isa.ReduceFMax, 32, nan, fl(-3), fl(-3)}, {isa.ReduceFMax, 32, fl(2), nan, fl(2)},
	} {
		if got := combine(c.op, c.n, c.a, c.b); got != c.want {
			t.Errorf("%d of %#x and %#x, %d bits: %#x, want %#x", c.op, c.a, c.b, c.n, got, c.want)
		}
	}
	values := map[uint8][]uint32{16: {0, 1, 0x7fff, 0x8000, 0xffff, 0x3c00, 0xc000, 0x7bff, 0xfbff}, 32: {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, fl(1), fl(-2)}}
	for op, float := range map[isa.ReduceOp]bool{isa.ReduceAnd: false, isa.ReduceOr: false, isa.ReduceXor: false, isa.ReduceIAdd: false, isa.ReduceUMin: false, isa.ReduceUMax: false,
		isa.ReduceSMin: false, isa.ReduceSMax: false, isa.ReduceFAdd: true, isa.ReduceFMul: true, isa.ReduceFMin: true, isa.ReduceFMax: true} {
		for n, list := range values {
			for _, v := range list {
				x := toF(v)
				if n == 16 {
					x = toF(halfToSingle(v))
				}
				if float && !(math.Abs(float64(x)) > 1e-4) {
					continue // no number, a denormal or a zero, which may lose its sign
				}
				if got := combine(op, n, identity(op, n), v); got != v {
					t.Errorf("%d, %d bits: the identity with %#x gives %#x", op, n, v, got)
				}
			}
		}
	}
}

// TestDriverLoads: a load of the driver's memory has the bytes that are there, one that ends beyond gives 0. Where faults are looked for, the first of those is one.
func TestDriverLoads(t *testing.T) {
	data := []byte{0xa1, 0xb2, 0xc3, 0xd4, 0xe5, 0xf6, 0x17}
	for _, check := range []*checker{nil, {}} {
		for off := range len(data) + 2 {
			for _, n := range []int{1, 2, 4} {
				w := &wave{l: &emu.Launch{Env: &emu.Env{}}, p: &program{meta: &abi.Meta{ConstData: data}}, check: check}
				want := uint32(0)
				for i := range n {
					if off+n <= len(data) {
						want |= uint32(data[off+i]) << (8 * i)
					}
				}
				if got := w.load(abi.ConstDataAddr+uint64(off), n); got != want {
					t.Errorf("%d bytes at %d: %#x, want %#x", n, off, got, want)
				}
				if beyond := check != nil && off+n > len(data); (w.fault != nil) != beyond {
					t.Errorf("%d bytes at %d, checked %v: %v", n, off, check != nil, w.fault)
				}
			}
		}
	}
	w := &wave{l: &emu.Launch{Env: &emu.Env{}}, p: &program{meta: &abi.Meta{ConstData: data}}, check: &checker{}}
	for _, off := range []uint64{100, 50} {
		w.load(abi.ConstDataAddr+off, 4)
	}
	wantError(t, w.fault, fmt.Sprintf("a load at %#x", abi.ConstDataAddr+uint64(100)))
	for slot := range uint32(32) {
		wantError(t, beyond(attribAddr(slot)+12345), fmt.Sprintf("attribute slot %d beyond the end", slot))
	}
}
