package core

import (
	"math"
	"strings"
	"testing"

	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

// texels is a 4x2 image of 32-bit integers.
func texels(t *testing.T) (*emu.ImageView, emu.Descriptor) {
	t.Helper()
	img, err := emu.NewImage(emu.ImageDesc{Format: emu.FormatByName("R32_UINT"), Width: 4, Height: 2})
	if err != nil {
		t.Fatal(err)
	}
	v := &emu.ImageView{Image: img}
	for i := range 8 {
		v.Store(i&3, i>>2, 0, 0, 0, [4]uint32{uint32(100 + i)})
	}
	return v, emu.Descriptor{Type: emu.DescStorageImage, Image: v, Sampler: &emu.Sampler{}}
}

// TestImageAtomic: the address of a texel in either half of a register, an atomic on it, a load.
func TestImageAtomic(t *testing.T) {
	for _, c := range []struct {
		mask    uint8
		swizzle isa.Swizzle
		at      uint8
	}{{3, isa.XYZW, 0}, {12, isa.Swz(0, 1, 0, 1), 2}} {
		m := newMachine(64)
		v, d := texels(t)
		m.env.Bindings.Set(0, 1, []emu.Descriptor{d})
		meta := computeMeta()
		meta.Images = []abi.Texture{{Range: abi.Range{Binding: 1, First: 35, Stride: 1, Count: 1}, Dim: ir.Dim2D}}
		lea := isa.LoadStore{Op: isa.LdLeaImage, Reg: isa.RegConst, Mask: c.mask, Swizzle: c.swizzle, Arg: isa.AddrReg{Reg: 1}, Index: zero}
		add := isa.LoadStore{Op: isa.LdAtomicAdd, Reg: 2, Mask: 1, Toggle: true, Format: isa.IndexU32, Arg: isa.AddrReg{Comp: c.at}, Index: zero}
		add.SetAtomicSrc(isa.AddrReg{Reg: 1, Comp: 1})
		ld := isa.LoadStore{Op: isa.LdImageU32, Reg: 2, Mask: 2, Swizzle: 0, Arg: isa.AddrReg{Reg: 1}, Index: zero}
		lea.SetSlot(35, 0)
		ld.SetSlot(35, 0)
		prog := append(inputsBundle(0, 0, [4]uint32{h2(3, 1), 1000, 0, 0}), constants(2, [4]uint32{}), ldst(lea), ldst(add), ldst(ld))
		if err := m.compute(load(t, meta, append(prog, output(2, 0)...)...)); err != nil {
			t.Fatal(err)
		}
		if got := words4(m.buf.Data); got != ([4]uint32{107, 1107}) || v.Load(3, 1, 0, 0, 0)[0] != 1107 {
			t.Errorf("mask %d: old and new %v, in the image %v", c.mask, got, v.Load(3, 1, 0, 0, 0))
		}
	}
}

// fetchProgram fetches texel (2, 1) and moves the result from register src to
// the output register r4, one bundle after it if early.
func fetchProgram(t *testing.T, m *abi.Meta, in, src, ooo uint8) emu.Program {
	fetch := isa.Bundle{Tag: isa.TagTexVtx, Tex: isa.Texture{Op: isa.TexFetch, Mode: isa.TexNormal, Helpers: isa.HelpersNormal, Dim: isa.Tex2D,
		Texture: 1, CoordFull: true, CoordSwizzle: isa.XYZW, Full: true, Type: isa.TexTypeUint, Mask: 15, Swizzle: isa.XYZW, OutOfOrder: ooo}}
	m.Textures, m.FetchSampler = []abi.Texture{{Range: abi.Range{Binding: 1, First: 1, Stride: 1, Count: 1}, Dim: ir.Dim2D}}, true
	prog := []isa.Bundle{constants(in, [4]uint32{2, 1, 0, 0}), fetch,
		alu(func(b *isa.Bundle) { b.Add(isa.UnitVMUL, move(4, src, isa.XYZW)) })}
	return load(t, m, append(prog, output(4, 0)...)...)
}

// TestAlias: texture registers of GPUs whose pipes share them, and a result
// read while the operation may still run.
func TestAlias(t *testing.T) {
	m := newMachine(64)
	_, d := texels(t)
	m.env.Bindings.Set(0, 1, []emu.Descriptor{d})
	meta := computeMeta()
	meta.Alias = true
	if err := m.compute(fetchProgram(t, meta, isa.RegConst, 0, 0)); err != nil || words4(m.buf.Data)[0] != 106 {
		t.Errorf("aliased: %v, %v", words4(m.buf.Data), err)
	}
	m = newMachine(64)
	m.env.Bindings.Set(0, 1, []emu.Descriptor{d})
	if err := m.compute(fetchProgram(t, computeMeta(), isa.RegTex0, isa.RegTex0, 0)); err != nil || words4(m.buf.Data)[0] != 106 {
		t.Errorf("%v, %v", words4(m.buf.Data), err)
	}
	if err := m.compute(fetchProgram(t, computeMeta(), isa.RegTex0, isa.RegTex0, 1)); err == nil || !strings.Contains(err.Error(), "too early") {
		t.Errorf("out of order: %v", err)
	}
}

// TestSysvals reads the system values that describe resources.
func TestSysvals(t *testing.T) {
	m := newMachine(64)
	_, d := texels(t)
	m.env.Bindings.Set(0, 1, []emu.Descriptor{d})
	lod := d
	lod.Sampler = &emu.Sampler{MinLod: 1.5, MaxLod: 4, LodBias: -0.5, Mip: emu.MipLinear}
	m.env.Bindings.Set(0, 2, []emu.Descriptor{lod})
	for _, c := range []struct {
		s    abi.Sysval
		want [4]uint32
	}{
		{abi.Sysval{Kind: abi.SysvalTextureSize, Binding: 1, Dim: ir.Dim2D}, [4]uint32{4, 2, 0, 1}},
		{abi.Sysval{Kind: abi.SysvalTextureSamples, Binding: 1}, [4]uint32{1}},
		{abi.Sysval{Kind: abi.SysvalNumWorkgroups}, [4]uint32{9, 9, 9}},
		{abi.Sysval{Kind: abi.SysvalWorkgroupSize}, [4]uint32{8, 4, 4}},
		{abi.Sysval{Kind: abi.SysvalSampler, Binding: 1}, [4]uint32{}},
		{abi.Sysval{Kind: abi.SysvalSampler, Binding: 2}, [4]uint32{math.Float32bits(1.5), math.Float32bits(4), math.Float32bits(-0.5), math.Float32bits(1)}},
		{abi.Sysval{Kind: abi.SysvalUBOSize}, [4]uint32{64}},
	} {
		meta := computeMeta()
		meta.Sysvals = append(meta.Sysvals, c.s)
		meta.Uniforms = append(meta.Uniforms, abi.Uniform{Offset: 16})
		if err := m.compute(load(t, meta, output(22, 0)...)); err != nil || words4(m.buf.Data) != c.want {
			t.Errorf("%s: %v, %v, want %v", c.s.Kind, words4(m.buf.Data), err, c.want)
		}
	}
	// What no driver has a value for in a dispatch is garbage.
	for _, k := range []abi.SysvalKind{abi.SysvalDrawID, abi.SysvalVertexOffsets, abi.SysvalLayer} {
		meta := computeMeta()
		meta.Sysvals = append(meta.Sysvals, abi.Sysval{Kind: k})
		meta.Uniforms = append(meta.Uniforms, abi.Uniform{Offset: 16})
		if err := m.compute(load(t, meta, output(22, 0)...)); err != nil || words4(m.buf.Data) == ([4]uint32{}) {
			t.Errorf("%s in a dispatch: %v, %v", k, words4(m.buf.Data), err)
		}
	}
}

// TestSamplePositions reads the table of sample positions in a fragment.
func TestSamplePositions(t *testing.T) {
	m := fragMeta()
	m.UBOs, m.Uniforms = []abi.UBO{{Kind: abi.UBOSysvals}}, []abi.Uniform{{}}
	m.Sysvals = []abi.Sysval{{Kind: abi.SysvalSamplePositions}}
	ld := isa.LoadStore{Op: isa.Ld32, Reg: 4, Mask: 1, Swizzle: isa.XYZW, Toggle: true, Format: isa.IndexU32, Index: zero, Offset: 8}
	special := isa.LoadStore{Op: isa.LdSpecialU32, Reg: 4, Mask: 6, Swizzle: isa.Swz(0, 0, 0, 0), Arg: zero, Index: zero}
	special.SetSlot(abi.SpecialCoverage, 0)
	out := writeout(4, 0, 0, false)
	out.Next = isa.TagBreak
	p := load(t, m, constants(4, [4]uint32{}), alu(func(b *isa.Bundle) {
		b.Add(isa.UnitVMUL, isa.Vector(isa.OpImov, isa.Mode64, isa.RegConst, 0x0f).From(1, isa.VReg(23, isa.XYZW)))
	}), ldst(ld, special), out, writeout(4, 0, -int32(out.Quads()), false))
	for samples, want := range map[int]uint32{4: h2(128, 32), 1: 0} { // the third sample, which one of these has
		l := quad()
		for i := range l.Fragment {
			l.Fragment[i].Coverage = 5
			l.Fragment[i].Prim = &emu.Primitive{Samples: samples, SamplePos: func(n int) (x, y float32) { return 0.25 * float32(n), 0.125 }}
		}
		finish(t, p, l)
		if got := l.Out[2][ir.SlotData0]; got != (emu.Vec4{want, 5, 5, 0}) {
			t.Errorf("%d samples: %#x", samples, got)
		}
	}
}

// TestCounts: each bundle counts each thread that runs it, those of plain arithmetic, of memory and of textures alike.
func TestCounts(t *testing.T) {
	m := newMachine(64)
	_, d := texels(t)
	m.env.Bindings.Set(0, 1, []emu.Descriptor{d})
	for name, p := range map[string]emu.Program{
		"arithmetic and a store": load(t, computeMeta(), append([]isa.Bundle{constants(4, [4]uint32{1, 2, 3, 4})}, output(4, 0)...)...),
		"a texture":              fetchProgram(t, computeMeta(), isa.RegTex0, isa.RegTex0, 0),
	} {
		counters := p.(emu.Counting).StartCounting()
		for range 3 {
			if err := m.compute(p); err != nil {
				t.Fatal(err)
			}
		}
		last := int64(-1)
		for i := range counters {
			c, want := &counters[i], uint64(3)
			if i == len(counters)-1 {
				want = 0 // that after the end
			}
			if c.Runs() != want || c.Lanes() != want || int64(c.Offset) <= last {
				t.Errorf("%s: the bundle at byte %#x ran %d times for %d threads, want %d", name, c.Offset, c.Runs(), c.Lanes(), want)
			}
			last = int64(c.Offset)
		}
	}
}
