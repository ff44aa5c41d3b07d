package interp

import (
	"testing"

	"nirc/ir"
)

// TestStrictTexels: where texels have to exist, an image intrinsic that names one beyond an end is an error, and the last ones are none;
// without that demand nothing is.
func TestStrictTexels(t *testing.T) {
	type place [4]int32
	for _, c := range []struct {
		img     uint32
		dim     ir.Dim
		array   bool
		last    place // the last texel
		samples int32
		levels  int32
	}{
		{1, ir.Dim2D, true, place{7, 3, 2}, 1, 1},
		{2, ir.Dim3D, false, place{7, 3, 1}, 1, 1},
		{3, ir.Dim1D, true, place{7, 2}, 1, 1},
		{4, ir.DimMS, false, place{3, 3}, 4, 1},
		{5, ir.Dim1D, false, place{7}, 1, 1},
		{6, ir.DimBuf, false, place{6}, 1, 1},
	} {
		type try struct {
			at          place
			sample, lod int32
			exists      bool
		}
		tries := []try{{c.last, c.samples - 1, 0, true}, {place{}, 0, 0, true}}
		for k := range 4 {
			if c.last[k] > 0 {
				beyond, before := c.last, place{}
				beyond[k]++
				before[k]--
				tries = append(tries, try{beyond, 0, 0, false}, try{before, 0, 0, false})
			}
		}
		if c.samples > 1 {
			tries = append(tries, try{c.last, c.samples, 0, false})
		}
		if c.dim != ir.DimMS && c.dim != ir.DimBuf {
			tries = append(tries, try{place{}, 0, 1, false})
		}
		for _, y := range tries {
			for _, op := range []ir.Intrinsic{ir.IntrBindlessImageLoad, ir.IntrBindlessImageStore, ir.IntrBindlessImageSize} {
				for _, strict := range []bool{false, true} {
					exists := y.exists
					k, _ := imageBench(t, 1)
					k.texels = strict
					b := k.b
					word := func(n int32) *ir.Def { return b.Imm32(uint32(n)) }
					img, at := b.Imm32(c.img), b.Vec(word(y.at[0]), word(y.at[1]), word(y.at[2]), word(y.at[3]))
					zero := b.Imm32(0)
					switch op {
					case ir.IntrBindlessImageLoad:
						in := setDim(b.Intrinsic(op, 4, 32, img, at, word(y.sample), word(y.lod)), c.dim, c.array)
						in.Set(ir.IdxDestType, ir.ALUType{Class: ir.ClassUint, Bits: 32}.Pack())
					case ir.IntrBindlessImageStore:
						in := setDim(b.Intrinsic(op, 0, 0, img, at, word(y.sample), b.Vec(zero, zero, zero, zero), word(y.lod)), c.dim, c.array)
						in.Set(ir.IdxSrcType, ir.ALUType{Class: ir.ClassUint, Bits: 32}.Pack())
					case ir.IntrBindlessImageSize:
						setDim(b.Intrinsic(op, 1, 32, img, word(y.lod)), c.dim, c.array)
						exists = y.lod < c.levels // that of a level is asked for
					}
					if r := k.run(8); (r.err == nil) != (exists || !strict) {
						t.Errorf("%s of image %d at %+v, strict %t: %v", op, c.img, y, strict, r.err)
					}
				}
			}
		}
	}
}
