package interp

import (
	"errors"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
)

// imageBench has storage images at bindings 1 and on: 2D array, 3D, 1D array,
// multisampled, buffer, 64 bits.
func imageBench(t *testing.T, per int) (*bench, []*emu.ImageView) {
	k := newBench(t, per)
	views := []*emu.ImageView{
		picture(t, emu.ImageDesc{Width: 8, Height: 4, Layers: 3}, "R32_UINT"),
		picture(t, emu.ImageDesc{Width: 8, Height: 4, Depth: 2}, "R32_SFLOAT"),
		picture(t, emu.ImageDesc{Width: 8, Height: 1, Layers: 3}, "R16_SINT"),
		picture(t, emu.ImageDesc{Width: 4, Height: 4, Samples: 4}, "R32_SINT"),
	}
	wide, err := emu.NewImage(emu.ImageDesc{Width: 8, Height: 1, Format: emu.FormatByName("R64_UINT")})
	if err != nil {
		t.Fatal(err)
	}
	views = append(views, &emu.ImageView{Image: wide})
	k.bind = func(bind *emu.Bindings, mem *emu.Memory) {
		for i, v := range views {
			bind.Set(0, uint32(i+1), []emu.Descriptor{{Type: emu.DescStorageImage, Image: v}})
		}
		buf := mem.Alloc(32)
		bind.Set(0, 9, []emu.Descriptor{{Type: emu.DescStorageTexelBuffer, Addr: buf.Addr, Size: 28, Format: emu.FormatByName("R32_UINT")}})
	}
	return k, views
}

func setDim(in *ir.Instr, dim ir.Dim, array bool) *ir.Instr {
	return in.Set(ir.IdxImageDim, uint64(dim)).Set(ir.IdxImageArray, truth(array))
}

func TestStorageImages(t *testing.T) {
	k, views := imageBench(t, 24)
	b := k.b
	u32 := ir.ALUType{Class: ir.ClassUint, Bits: 32}.Pack()
	i32 := ir.ALUType{Class: ir.ClassInt, Bits: 32}.Pack()
	f32 := ir.ALUType{Class: ir.ClassFloat, Bits: 32}.Pack()
	zero := b.Imm32(0)
	img := k.s.NewVariable(ir.ModeImage, &ir.Type{Base: ir.BaseImage, Dim: ir.Dim2D, Arrayed: true, Texel: ir.BaseUint, TexelBits: 32}, "img")
	img.Binding = 1
	d := b.DerefVar(img)
	at := b.Vec(k.lane, b.Imm32(1), b.Imm32(2), zero)
	load := setDim(b.Intrinsic(ir.IntrImageDerefLoad, 4, 32, d, at, zero, zero), ir.Dim2D, true).Set(ir.IdxDestType, u32)
	k.out(b.Channel(&load.Def, 0))                               // 0
	k.out(b.Channel(&load.Def, 3))                               // 1
	one := b.Vec(b.Iadd(k.lane, b.Imm32(500)), zero, zero, zero) // store, then read through an index
	setDim(b.Intrinsic(ir.IntrImageDerefStore, 0, 0, d, at, zero, one, zero), ir.Dim2D, true).Set(ir.IdxSrcType, u32)
	again := setDim(b.Intrinsic(ir.IntrImageLoad, 4, 32, zero, at, zero, zero), ir.Dim2D, true).Set(ir.IdxRangeBase, 1).Set(ir.IdxDestType, u32)
	k.out(b.Channel(&again.Def, 0)) // 2
	solid := setDim(b.Intrinsic(ir.IntrBindlessImageLoad, 4, 32, b.Imm32(2), b.Vec(k.lane, b.Imm32(3), b.Imm32(1), zero), zero, zero), ir.Dim3D, false).Set(ir.IdxDestType, f32)
	k.out(b.Channel(&solid.Def, 0)) // 3
	neg := b.Vec(b.Ineg(k.lane), zero, zero, zero)
	setDim(b.Intrinsic(ir.IntrBindlessImageStore, 0, 0, b.Imm32(3), b.Vec(k.lane, b.Imm32(2), zero, zero), zero, neg, zero), ir.Dim1D, true).Set(ir.IdxSrcType, i32)
	line := setDim(b.Intrinsic(ir.IntrBindlessImageLoad, 4, 32, b.Imm32(3), b.Vec(k.lane, b.Imm32(2), zero, zero), zero, zero), ir.Dim1D, true).Set(ir.IdxDestType, i32)
	k.out(b.Channel(&line.Def, 0)) // 4
	ms := setDim(b.Intrinsic(ir.IntrBindlessImageSparseLoad, 5, 32, b.Imm32(4), b.Vec(b.Iand(k.lane, b.Imm32(3)), zero, zero, zero), b.Imm32(3), zero), ir.DimMS, false).Set(ir.IdxDestType, i32)
	k.out(b.Channel(&ms.Def, 0)) // 5
	k.out(b.B2i32(&b.Intrinsic(ir.IntrIsSparseTexelsResident, 1, 1, b.Channel(&ms.Def, 4)).Def))
	outside := setDim(b.Intrinsic(ir.IntrBindlessImageLoad, 4, 32, b.Imm32(1), b.Vec(b.Imm32(8), zero, zero, zero), zero, zero), ir.Dim2D, true).Set(ir.IdxDestType, u32)
	k.out(b.Channel(&outside.Def, 0)) // 7
	size := setDim(b.Intrinsic(ir.IntrImageDerefSize, 3, 32, d, zero), ir.Dim2D, true)
	k.out(&size.Def) // 8, 9, 10
	k.out(&setDim(b.Intrinsic(ir.IntrBindlessImageSamples, 1, 32, b.Imm32(4)), ir.DimMS, false).Def)
	k.out(&setDim(b.Intrinsic(ir.IntrBindlessImageLevels, 1, 32, b.Imm32(4)), ir.DimMS, false).Def)
	same := setDim(b.Intrinsic(ir.IntrBindlessImageSamplesIdentical, 1, 32, b.Imm32(4), b.Vec(zero, zero, zero, zero)), ir.DimMS, false)
	k.out(&same.Def) // 13
	r := k.run(4)
	konst := func(x uint32) func(int) uint32 { return func(int) uint32 { return x } }
	for w, want := range []func(int) uint32{
		func(l int) uint32 { return uint32(210 + l) }, konst(1), func(l int) uint32 { return uint32(500 + l) },
		func(l int) uint32 { return fl(float64(130 + l)) }, func(l int) uint32 { return uint32(-l) },
		func(l int) uint32 { return uint32(30000 + l&3) }, konst(1), konst(0), konst(8), konst(4), konst(3), konst(4), konst(1), konst(0)} {
		k.want(r, w, want)
	}
	if got := views[0].Load(5, 1, 2, 0, 0); got[0] != 505 {
		t.Errorf("stored %v", got)
	}
}

func TestImageAtomics(t *testing.T) {
	k, views := imageBench(t, 8)
	b := k.b
	zero := b.Imm32(0)
	at := func(x uint32) *ir.Def { return b.Vec(b.Imm32(x), zero, zero, zero) }
	add := setDim(b.Intrinsic(ir.IntrBindlessImageAtomic, 1, 32, b.Imm32(1), at(7), zero, b.Imm32(3)), ir.Dim2D, true).Set(ir.IdxAtomicOp, uint64(ir.AtomicIAdd))
	k.out(&add.Def) // 0: 7, 10, …
	swap := setDim(b.Intrinsic(ir.IntrBindlessImageAtomicSwap, 1, 32, b.Imm32(1), at(6), zero, b.Imm32(6), k.lane), ir.Dim2D, true).Set(ir.IdxAtomicOp, uint64(ir.AtomicCmpXchg))
	k.out(&swap.Def) // 1: 6 until lane 0 has swapped it
	// 64 bits, and a buffer with a texel outside.
	big := b.Const(64, 1<<40)
	wide := setDim(b.Intrinsic(ir.IntrBindlessImageAtomic, 1, 64, b.Imm32(5), at(2), zero, big), ir.Dim1D, false).Set(ir.IdxAtomicOp, uint64(ir.AtomicIAdd))
	k.out(b.U2u32(b.Ushr(&wide.Def, b.Imm32(40)))) // 2
	buf := b.Vec(k.lane, zero, zero, zero)
	fmax := setDim(b.Intrinsic(ir.IntrBindlessImageAtomic, 1, 32, b.Imm32(6), buf, zero, k.lane), ir.DimBuf, false).Set(ir.IdxAtomicOp, uint64(ir.AtomicUMax))
	k.out(&fmax.Def) // 3
	u32 := ir.ALUType{Class: ir.ClassUint, Bits: 32}.Pack()
	back := setDim(b.Intrinsic(ir.IntrBindlessImageLoad, 4, 32, b.Imm32(6), buf, zero, zero), ir.DimBuf, false).Set(ir.IdxDestType, u32)
	k.out(b.Channel(&back.Def, 0)) // 4
	k.out(&setDim(b.Intrinsic(ir.IntrBindlessImageSize, 1, 32, b.Imm32(6), zero), ir.DimBuf, false).Def)
	r := k.run(8)
	k.want(r, 0, func(l int) uint32 { return uint32(7 + 3*l) })
	k.want(r, 1, func(l int) uint32 {
		if l == 0 {
			return 6
		}
		return 0
	})
	k.want(r, 2, func(l int) uint32 { return uint32(l) })
	k.want(r, 3, func(int) uint32 { return 0 })
	k.want(r, 4, func(l int) uint32 {
		if l == 7 {
			return 0
		}
		return uint32(l)
	})
	k.want(r, 5, func(int) uint32 { return 7 })
	if got := views[4].Load(2, 0, 0, 0, 0); got[1] != 8<<8 {
		t.Errorf("64 bits: %v", got)
	}
	if views[0].Load(7, 0, 0, 0, 0)[0] != 7+8*3 {
		t.Error("atomics do not add up")
	}
}

// TestHelpersStoreNoTexels: lane 3 of the quad is a helper.
func TestHelpersStoreNoTexels(t *testing.T) {
	s, b, in, out := newFragment()
	v := b.LoadVar(in)
	zero := b.Imm32(0)
	xy := b.F2i32(b.Channels(v, 0, 2))
	at := b.Vec(b.Channel(xy, 0), b.Channel(xy, 1), zero, zero)
	val := b.Vec(b.Imm32(9), zero, zero, zero)
	u32 := ir.ALUType{Class: ir.ClassUint, Bits: 32}.Pack()
	setDim(b.Intrinsic(ir.IntrBindlessImageStore, 0, 0, zero, at, zero, val, zero), ir.Dim2D, false).Set(ir.IdxSrcType, u32)
	setDim(b.Intrinsic(ir.IntrBindlessImageAtomic, 1, 32, zero, b.Vec(zero, b.Imm32(2), zero, zero), zero, b.Imm32(1)), ir.Dim2D, false)
	b.StoreVar(out, v, 0)
	img := picture(t, emu.ImageDesc{Width: 2, Height: 3}, "R32_UINT")
	fragmentWith(t, s, Options{}, func(bind *emu.Bindings) { bind.Set(0, 0, []emu.Descriptor{{Image: img}}) })
	for i, want := range []uint32{9, 9, 9, 11, 20 + 3, 21} {
		if got := img.Load(i%2, i/2, 0, 0, 0)[0]; got != want {
			t.Errorf("texel %d: %d, want %d", i, got, want)
		}
	}
	if p, err := New(s, Options{}); err != nil || !p.IO().WritesMemory {
		t.Errorf("image stores write memory: %v", err)
	}
}

// TestImageSizes stores and loads components of 16 and 64 bits, and reads and
// writes where no image is.
func TestImageSizes(t *testing.T) {
	k, views := imageBench(t, 16)
	b := k.b
	zero := b.Imm32(0)
	typ := func(c ir.TypeClass, bits uint8) uint64 { return ir.ALUType{Class: c, Bits: bits}.Pack() }
	at := b.Vec(k.lane, zero, zero, zero)
	load := func(img uint32, dim ir.Dim, array bool, class ir.TypeClass, bits uint8) *ir.Def {
		x := setDim(b.Intrinsic(ir.IntrBindlessImageLoad, 4, bits, b.Imm32(img), at, zero, zero), dim, array)
		return b.Channel(&x.Set(ir.IdxDestType, typ(class, bits)).Def, 0)
	}
	store := func(img uint32, dim ir.Dim, array bool, class ir.TypeClass, d *ir.Def) {
		x := setDim(b.Intrinsic(ir.IntrBindlessImageStore, 0, 0, b.Imm32(img), at, zero, b.Vec(d, d, d, d), zero), dim, array)
		x.Set(ir.IdxSrcType, typ(class, d.BitSize))
	}
	store(2, ir.Dim3D, false, ir.ClassFloat, b.ImmFloat(1.5, 16))
	k.out(load(2, ir.Dim3D, false, ir.ClassFloat, 32))                            // 0
	k.out(b.U2u32(load(2, ir.Dim3D, false, ir.ClassFloat, 16)))                   // 1
	store(3, ir.Dim1D, true, ir.ClassInt, b.ImmInt(-3, 16))                       // sign-extended on its way
	k.out(load(3, ir.Dim1D, true, ir.ClassInt, 32))                               // 2
	k.out(b.U2u32(b.Ushr(load(3, ir.Dim1D, true, ir.ClassInt, 64), b.Imm32(32)))) // 3
	store(5, ir.Dim1D, false, ir.ClassUint, b.Const(64, 5<<40|7))
	wide := load(5, ir.Dim1D, false, ir.ClassUint, 64)
	k.out(b.Vec(b.U2u32(wide), b.U2u32(b.Ushr(wide, b.Imm32(40))))) // 4, 5
	store(77, ir.Dim2D, false, ir.ClassUint, zero)                  // nothing there
	k.out(load(77, ir.Dim2D, false, ir.ClassUint, 32))              // 6
	store(77, ir.DimBuf, false, ir.ClassUint, zero)
	k.out(load(77, ir.DimBuf, false, ir.ClassUint, 32)) // 7
	for _, dim := range []ir.Dim{ir.Dim2D, ir.DimBuf} { // 8, 9
		x := setDim(b.Intrinsic(ir.IntrBindlessImageAtomic, 1, 32, b.Imm32(77), at, zero, k.lane), dim, false)
		k.out(&x.Set(ir.IdxAtomicOp, uint64(ir.AtomicXchg)).Def)
	}
	same := func(img uint32) *ir.Def {
		return &setDim(b.Intrinsic(ir.IntrBindlessImageSamplesIdentical, 1, 32, b.Imm32(img), at), ir.DimMS, false).Def
	}
	k.out(same(77)) // 10
	k.out(same(4))  // 11: where lane 3 finds four equal samples
	equal := b.Vec(b.Imm32(5), zero, zero, zero)
	for s := range uint32(4) {
		x := setDim(b.Intrinsic(ir.IntrBindlessImageStore, 0, 0, b.Imm32(4), b.Vec(b.Imm32(3), zero, zero, zero), b.Imm32(s), equal, zero), ir.DimMS, false)
		x.Set(ir.IdxSrcType, typ(ir.ClassInt, 32))
	}
	k.out(same(4)) // 12
	r := k.run(8)
	konst := func(x uint32) func(int) uint32 { return func(int) uint32 { return x } }
	for w, want := range []uint32{fl(1.5), 0x3e00, ^uint32(2), ^uint32(0), 7, 5, 0, 0, 0, 0, 1} {
		k.want(r, w, konst(want))
	}
	k.want(r, 11, func(l int) uint32 { return uint32(truth(l > 3)) }) // outside all are 0
	k.want(r, 12, func(l int) uint32 { return uint32(truth(l >= 3)) })
	if got := views[1].Load(7, 0, 0, 0, 0); got[0] != fl(1.5) {
		t.Errorf("stored %v", got)
	}
}

// TestTexelAddressRefused: images have no addresses here.
func TestTexelAddressRefused(t *testing.T) {
	k, _ := imageBench(t, 2)
	b := k.b
	zero := b.Imm32(0)
	b.Intrinsic(ir.IntrBindlessImageTexelAddress, 1, 64, zero, b.Vec(zero, zero, zero, zero), zero)
	if _, err := New(k.s, Options{}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("error %v", err)
	}
}
