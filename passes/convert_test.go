package passes

import (
	"fmt"
	"math"
	"math/rand"
	"testing"

	"nirc/ir"
)

// convertTypes are all types that are converted.
func convertTypes() (list []ir.ALUType) {
	for _, bits := range []uint8{8, 16, 32, 64} {
		list = append(list, ir.ALUType{Class: ir.ClassInt, Bits: bits}, ir.ALUType{Class: ir.ClassUint, Bits: bits})
		if bits > 8 {
			list = append(list, ir.ALUType{Class: ir.ClassFloat, Bits: bits})
		}
	}
	return append(list, ir.ALUType{Class: ir.ClassBool, Bits: 1})
}

// convertEdges are bits around the limits of a type, and random ones.
func convertEdges(r *rand.Rand, t ir.ALUType) (list []uint64) {
	if t.Bits == 1 {
		return []uint64{0, 1}
	}
	low := uint64(1)<<(t.Bits-1)<<1 - 1
	add := func(v uint64) { list = append(list, (v-1)&low, v&low, (v+1)&low) }
	if t.Class == ir.ClassFloat {
		for _, f := range []float64{0, 0.5, 1, 1.5, 2.5, 127.5, 128, 200.5, 255.5, 32767.5, 65504, 65519.9, 65520, 65535.5, 8388607.5, 16777217, 1 << 31, 1 << 32, 1 << 53, 1 << 62, 1 << 63,
			0x1p64, 1 + 0x1p-12, 0x1p-14, 0x1p-24, 0x1p-25, 0x1.8p-25, 0x1p-126, 0x1p-149, 0x1p-150, math.MaxFloat32, 0x1p128, math.MaxFloat64, math.Inf(1), 1e-300} {
			add(ir.FloatBits(f, t.Bits))
			add(ir.FloatBits(-f, t.Bits))
		}
		list = append(list, ir.FloatBits(math.NaN(), t.Bits))
	} else {
		for k := range t.Bits {
			add(1 << k)
			add(-(uint64(1) << k))
		}
		add(65504)
		add(65520)
	}
	for range 60 {
		list = append(list, r.Uint64()>>r.Intn(64)&low)
	}
	return list
}

// TestConvert compares what lower_convert_alu_types writes, and the intrinsic
// itself, with the exact evaluation, for all pairs of types.
func TestConvert(t *testing.T) {
	for _, from := range convertTypes() {
		in := [][]uint32{}
		edges := convertEdges(rand.New(rand.NewSource(int64(from.Bits))), from)
		for _, v := range edges {
			in = append(in, []uint32{uint32(v), uint32(v >> 32)})
		}
		for _, to := range convertTypes() {
			for mode := ir.RoundUndef; mode <= ir.RoundTowardZero; mode++ {
				for sat := range 2 {
					testConvert(t, from, to, mode, sat == 1, edges, in)
				}
			}
		}
	}
}

func testConvert(t *testing.T, from, to ir.ALUType, mode ir.RoundingMode, sat bool, edges []uint64, in [][]uint32) {
	if mode != ir.RoundUndef && from.Class != ir.ClassFloat && to.Class != ir.ClassFloat || sat && mode > ir.RoundNearestEven && to.Class == ir.ClassFloat {
		return // nothing is rounded, or limited
	}
	s := wordsShader(2, func(b *ir.Builder, w []*ir.Def) []*ir.Def {
		x := b.Pack64_2x32(b.Vec2(w[0], w[1]))
		if from.Bits < 64 {
			x = b.ALU(uintToUintOps[ir.SizeIndex(from.Bits)], x)
		}
		c := b.Intrinsic(ir.IntrConvertAluTypes, 1, to.Bits, x).Set(ir.IdxSrcType, from.Pack()).Set(ir.IdxDestType, to.Pack())
		c.Set(ir.IdxRoundingMode, uint64(mode)).Set(ir.IdxSaturate, uint64(b2i(sat)))
		v := &c.Def
		if to.Bits == 1 {
			v = b.B2i64(v)
		} else if to.Bits < 64 {
			v = b.U2u64(v)
		}
		two := b.Unpack64_2x32(v)
		return []*ir.Def{b.Channel(two, 0), b.Channel(two, 1)}
	})
	name := fmt.Sprintf("%s to %s, rounding %d, saturate %v", from, to, mode, sat)
	whole := runWords(t, s, in)
	runPasses(t, s, "lower_convert_alu_types")
	for i, got := range runWords(t, s, in) {
		want := ir.ConvertBits(edges[i], from, to, mode, sat)
		v := uint64(got[0]) | uint64(got[1])<<32
		if to.Class == ir.ClassFloat && math.IsNaN(ir.FloatValue(want, to.Bits)) && math.IsNaN(ir.FloatValue(v, to.Bits)) {
			continue
		}
		if v != want {
			t.Errorf("%s: %#x gives %#x, want %#x", name, edges[i], v, want)
		}
		if direct := uint64(whole[i][0]) | uint64(whole[i][1])<<32; direct != want {
			t.Errorf("%s: %#x executes to %#x, want %#x", name, edges[i], direct, want)
		}
		if t.Failed() {
			return
		}
	}
}

// TestConvertBits names results that the definition gives.
func TestConvertBits(t *testing.T) {
	f32, f16, i8, u8 := ir.ALUType{Class: ir.ClassFloat, Bits: 32}, ir.ALUType{Class: ir.ClassFloat, Bits: 16}, ir.ALUType{Class: ir.ClassInt, Bits: 8}, ir.ALUType{Class: ir.ClassUint, Bits: 8}
	u32 := ir.ALUType{Class: ir.ClassUint, Bits: 32}
	for _, c := range []struct {
		v        uint64
		from, to ir.ALUType
		mode     ir.RoundingMode
		sat      bool
		want     uint64
	}{
		{ir.FloatBits(200.5, 32), f32, i8, ir.RoundUndef, true, 127},
		{ir.FloatBits(1+0x1p-12, 32), f32, f16, ir.RoundUp, false, 0x3c01},
		{ir.FloatBits(1+0x1p-12, 32), f32, f16, ir.RoundDown, false, 0x3c00},
		{ir.FloatBits(1e6, 32), f32, f16, ir.RoundTowardZero, false, 0x7bff},
		{ir.FloatBits(1e6, 32), f32, f16, ir.RoundNearestEven, false, 0x7c00},
		{ir.FloatBits(-1e-9, 32), f32, f16, ir.RoundDown, false, 0x8001},
		{ir.FloatBits(-1e-9, 32), f32, f16, ir.RoundUp, false, 0x8000},
		{ir.FloatBits(2.5, 32), f32, u8, ir.RoundNearestEven, false, 2},
		{ir.FloatBits(2.5, 32), f32, u8, ir.RoundUp, false, 3},
		{ir.FloatBits(-2.5, 32), f32, u8, ir.RoundUp, true, 0},
		{300, u32, u8, ir.RoundUndef, true, 255},
		{300, u32, u8, ir.RoundUndef, false, 44},
		{0xffffffff, u32, f32, ir.RoundUndef, false, ir.FloatBits(0x1p32, 32)},
		{0xffffffff, u32, f32, ir.RoundTowardZero, false, ir.FloatBits(0xffffff00, 32)},
	} {
		if got := ir.ConvertBits(c.v, c.from, c.to, c.mode, c.sat); got != c.want {
			t.Errorf("%#x %s to %s, rounding %d, saturate %v: %#x, want %#x", c.v, c.from, c.to, c.mode, c.sat, got, c.want)
		}
	}
}
