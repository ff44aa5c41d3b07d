package interp

import (
	"math"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
)

// TestDistinctFragments: what each intrinsic of fragments gives, of lanes whose values all differ: weights by place and perspective, coordinates, the
// sample mask, deltas of a varying. Lane 3 is a helper.
func TestDistinctFragments(t *testing.T) {
	f32 := func(x float32) uint32 { return math.Float32bits(x) }
	for _, c := range []struct {
		text string // gives %9, of four components
		want func(f *emu.FragmentLane) [4]uint32
	}{
		{"%1:32x2 = load_barycentric_pixel interp_mode=smooth\n%9:32x4 = vec4 %1.x, %1.y, %0, %0", func(f *emu.FragmentLane) [4]uint32 { return [4]uint32{f32(f.Persp[0][0]), f32(f.Persp[0][1])} }},
		{"%1:32x2 = load_barycentric_centroid interp_mode=smooth\n%9:32x4 = vec4 %1.x, %1.y, %0, %0", func(f *emu.FragmentLane) [4]uint32 { return [4]uint32{f32(f.Persp[1][0]), f32(f.Persp[1][1])} }},
		{"%1:32x2 = load_barycentric_sample interp_mode=smooth\n%9:32x4 = vec4 %1.x, %1.y, %0, %0", func(f *emu.FragmentLane) [4]uint32 { return [4]uint32{f32(f.Persp[2][0]), f32(f.Persp[2][1])} }},
		{"%1:32x2 = load_barycentric_pixel interp_mode=noperspective\n%9:32x4 = vec4 %1.x, %1.y, %0, %0", func(f *emu.FragmentLane) [4]uint32 { return [4]uint32{f32(f.Linear[0][0]), f32(f.Linear[0][1])} }},
		{"%1:32x2 = load_barycentric_centroid interp_mode=noperspective\n%9:32x4 = vec4 %1.x, %1.y, %0, %0", func(f *emu.FragmentLane) [4]uint32 { return [4]uint32{f32(f.Linear[1][0]), f32(f.Linear[1][1])} }},
		{"%1:32x2 = load_barycentric_sample interp_mode=noperspective\n%9:32x4 = vec4 %1.x, %1.y, %0, %0", func(f *emu.FragmentLane) [4]uint32 { return [4]uint32{f32(f.Linear[2][0]), f32(f.Linear[2][1])} }},
		{"%1:32x3 = load_barycentric_model interp_mode=smooth\n%9:32x4 = vec4 %1.x, %1.y, %1.z, %0", func(f *emu.FragmentLane) [4]uint32 {
			return [4]uint32{f32(f.Coord[3]), f32(f.Persp[0][0]), f32(f.Persp[0][1])}
		}},
		{"%1:32x3 = load_barycentric_coord_pixel interp_mode=smooth\n%9:32x4 = vec4 %1.x, %1.y, %1.z, %0", func(f *emu.FragmentLane) [4]uint32 {
			return [4]uint32{f32(1 - f.Persp[0][0] - f.Persp[0][1]), f32(f.Persp[0][0]), f32(f.Persp[0][1])}
		}},
		{"%1:32 = load_frag_coord_zw component=2\n%2:32 = load_frag_coord_zw component=3\n%9:32x4 = vec4 %1, %2, %0, %0", func(f *emu.FragmentLane) [4]uint32 { return [4]uint32{f32(f.Coord[2]), f32(f.Coord[3])} }},
		{"%9:32x4 = load_frag_coord", func(f *emu.FragmentLane) [4]uint32 {
			return [4]uint32{f32(f.Coord[0]), f32(f.Coord[1]), f32(f.Coord[2]), f32(f.Coord[3])}
		}},
		{"%1:32 = load_sample_mask\n%2:32 = load_sample_mask_in\n%3:32 = load_sample_id\n%9:32x4 = vec4 %1, %2, %3, %0", func(f *emu.FragmentLane) [4]uint32 {
			own := f.Coverage
			if f.Helper {
				own = 0
			}
			return [4]uint32{own, f.Coverage, uint32(f.SampleID)}
		}},
		{"%1:32x3 = load_fs_input_interp_deltas %0 base=32 component=1 io_semantics={VAR0 1}\n%9:32x4 = vec4 %1.x, %1.y, %1.z, %0", func(f *emu.FragmentLane) [4]uint32 { return [4]uint32{f32(20), f32(60), f32(30)} }},
		{"%1:32x3 = load_fs_input_interp_deltas %8 base=32 io_semantics={VAR0 1}\n%9:32x4 = vec4 %1.x, %1.y, %1.z, %0", func(f *emu.FragmentLane) [4]uint32 { return [4]uint32{} }},
		{"%1:32x2 = load_sample_pos_from_id %7\n%2:32x2 = load_sample_pos_from_id %8\n%9:32x4 = vec4 %1.x, %1.y, %2.x, %2.y", func(f *emu.FragmentLane) [4]uint32 { return [4]uint32{f32(0.25), f32(0.125), f32(0.5), f32(0.5)} }},
	} {
		s, err := ir.Parse("shader fragment \"main\" {\n  fn f0 \"main\" entry() {\n    b0:\n%0:32 = load_const 0x0\n%7:32 = load_const 0x1\n%8:32 = load_const 0x7f\n" + c.text + "\nstore_output %9, %0 base=4 range=1 write_mask=xyzw src_type=u32 io_semantics={DATA0 1}\n  }\n}\n")
		if err == nil {
			err = ir.Validate(s)
		}
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		p, err := New(s, Options{WaveSize: 4})
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		l := distinctFragments()
		if _, err := p.NewWave(l).Run(1000); err != nil {
			t.Errorf("%s: %v", c.text, err)
		}
		for i := range l.Fragment {
			if got, want := l.Out[i][ir.SlotData0], c.want(&l.Fragment[i]); got != want {
				t.Errorf("%s, lane %d: %x, want %x", c.text, i, got, want)
			}
		}
	}
}

// distinctFragments is a quad of lanes whose values all differ.
func distinctFragments() *emu.Launch {
	var v [3]emu.Slots
	for i := range v {
		for c := range 4 {
			v[i][ir.SlotVar0][c] = math.Float32bits(float32([3]int{0, 3, 6}[i]*10*c) + 20)
		}
	}
	prim := &emu.Primitive{V: [3]*emu.Slots{&v[0], &v[1], &v[2]}, Samples: 2, SamplePos: func(n int) (x, y float32) { return 0.25 * float32(n), 0.125 * float32(n) }}
	l := &emu.Launch{Env: &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}}, NumLanes: 4, Out: make([]emu.Slots, 4)}
	n := float32(0)
	next := func() float32 { n += 1.0 / 128; return n }
	for i := range 4 {
		f := emu.FragmentLane{Prim: prim, X: int32(i & 1), Y: int32(i >> 1), SampleID: int32(i & 1), Helper: i == 3, Coverage: uint32(i + 1)}
		for k := range f.Coord {
			f.Coord[k] = next()
		}
		for k := range f.Persp {
			f.Persp[k], f.Linear[k] = [2]float32{next(), next()}, [2]float32{next(), next()}
		}
		l.Fragment = append(l.Fragment, f)
	}
	return l
}

// TestGlobalPairs: accesses by addresses in two words.
func TestGlobalPairs(t *testing.T) {
	k := newBench(t, 8)
	b := k.b
	h := b.Intrinsic(ir.IntrVulkanResourceIndex, 2, 32, b.Imm32(0)).Set(ir.IdxBinding, 0).Set(ir.IdxDescType, 2)
	base := &b.Intrinsic(ir.IntrLoadSsboAddress, 1, 64, b.Channel(&h.Def, 0), b.IMulImm(k.lane, 32)).Def
	at := func(bytes int64) *ir.Def { return b.Unpack64_2x32(b.IAddImm(base, bytes)) }
	v := b.Vec(b.Imm32(1), b.Imm32(2), k.lane, b.Imm32(4))
	b.Intrinsic(ir.IntrStoreGlobal2x32, 0, 0, v, at(0)).Set(ir.IdxWriteMask, 0b1101).Set(ir.IdxAlignMul, 4)
	b.Intrinsic(ir.IntrStoreGlobal2x32, 0, 0, b.U2u16(b.Imm32(0x12345)), at(18)).Set(ir.IdxWriteMask, 1).Set(ir.IdxAlignMul, 2)
	got := &b.Intrinsic(ir.IntrLoadGlobal2x32, 2, 32, at(8)).Set(ir.IdxAlignMul, 4).Def
	k.outAt(got, 5)
	old := &b.Intrinsic(ir.IntrGlobalAtomic2x32, 1, 32, at(12), b.Imm32(10)).Set(ir.IdxAtomicOp, uint64(ir.AtomicIAdd)).Def
	k.outAt(old, 7)
	r := k.run(8)
	if r.err != nil {
		t.Fatal(r.err)
	}
	for l := range 8 {
		for w, want := range []uint32{1, 0, uint32(l), 14, 0x2345 << 16, uint32(l), 4, 4} {
			if r.at(l, w) != want {
				t.Errorf("lane %d, word %d: %#x, want %#x", l, w, r.at(l, w), want)
			}
		}
	}
}

// TestWordPairs: masks of the subgroup as 64-bit components are pairs of words; there are two.
func TestWordPairs(t *testing.T) {
	v := [4]uint32{1, 2, 3, 4}
	for k, want := range []uint64{2<<32 | 1, 4<<32 | 3, 0, 0} {
		if got := wordPair(&v, k); got != want {
			t.Errorf("component %d: %#x, want %#x", k, got, want)
		}
	}
}

// TestWideMasks64: masks of a subgroup of 128 as variables of two 64-bit components.
func TestWideMasks64(t *testing.T) {
	for builtin, set := range map[int32]func(lane, other int) bool{
		4416: func(lane, other int) bool { return other == lane }, 4419: func(lane, other int) bool { return other <= lane }, 4420: func(lane, other int) bool { return other < lane },
	} {
		k := newBench(t, 4)
		k.s.Info.WorkgroupSize = [3]uint32{128, 1, 1}
		v := k.s.NewVariable(ir.ModeSystemValue, ir.VectorType(ir.BaseUint, 64, 2), "mask")
		v.BuiltIn = builtin
		m := k.b.LoadVar(v)
		k.out(k.b.Unpack64_2x32(k.b.Channel(m, 0)))
		k.out(k.b.Unpack64_2x32(k.b.Channel(m, 1)))
		r := k.run(128)
		if r.err != nil {
			t.Fatal(r.err)
		}
		for l := range 128 {
			for o := range 128 {
				if got := r.at(l, o/32)>>(o%32)&1 != 0; got != set(l, o) {
					t.Errorf("built-in %d, lane %d, bit %d is %t", builtin, l, o, got)
				}
			}
		}
	}
}
