package core

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

func build(t *testing.T, m *abi.Meta, text string) emu.Program {
	t.Helper()
	p, err := Load(assemble(t, text), m)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func finish(t *testing.T, p emu.Program, l *emu.Launch) error {
	t.Helper()
	if l.Env == nil {
		l.Env = &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}}
	}
	l.Check = true
	l.Out = make([]emu.Slots, l.NumLanes)
	st, err := p.NewWave(l).Run(100000)
	if err == nil && st != emu.StatusDone {
		t.Errorf("status %d", st)
	}
	return err
}

func mustFinish(t *testing.T, p emu.Program, l *emu.Launch) {
	t.Helper()
	if err := finish(t, p, l); err != nil {
		t.Fatal(err)
	}
}

func wantError(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
}

func vertexMeta() *abi.Meta {
	return &abi.Meta{Stage: ir.StageVertex, Halves: 40, UniformHalves: 4,
		Uniforms:          []abi.Uniform{{Kind: abi.UniformBaseVertex, Half: 0}, {Kind: abi.UniformDrawID, Half: 2}},
		Attribs:           []abi.Attrib{{Slot: 2, Mask: 3, Reg: abi.AttribReg}},
		Varyings:          []abi.Varying{{Slot: ir.SlotPos, Count: 4}, {Slot: ir.SlotVar0 + 3, First: 1, Count: 2, Word: 4}},
		LayerViewportWord: 6}
}

func vertices(n int) *emu.Launch {
	l := &emu.Launch{NumLanes: n}
	for i := range n {
		l.Vertex = append(l.Vertex, emu.VertexLane{VertexIndex: uint32(10 + i), InstanceIndex: 3, BaseVertex: 10, DrawIndex: 7})
		l.Inputs = append(l.Inputs, []emu.Vec4{{}, {}, {uint32(100 + i), 200}})
	}
	return l
}

func TestVertex(t *testing.T) {
	p := build(t, vertexMeta(), `
	st_var 1, r5, 0
	st_var 1, r8, 1
	st_var 1, r9, 2
	iadd r4, r6, u0
	st_var 1, r4, 3
	iadd r4, r6, u1
	mov_imm r3l, 4
	st_var 1, r4, r3l
	st_var 1, r5, 5
	mov_imm r4, 327682, 0b0
	st_var_final 1, r4, 6
	stop`)
	l := vertices(5)
	mustFinish(t, p, l)
	for i := range l.Out {
		o := &l.Out[i]
		v := uint32(10 + i)
		if w := o[ir.SlotVar0+3]; o[ir.SlotPos] != (emu.Vec4{v, uint32(100 + i), 200, 13}) || w[1] != 10 || w[2] != v {
			t.Errorf("lane %d: %v %v", i, o[ir.SlotPos], w)
		}
		if o[ir.SlotLayer][0] != 2 || o[ir.SlotViewport][0] != 5 {
			t.Errorf("lane %d: layer %d, viewport %d", i, o[ir.SlotLayer][0], o[ir.SlotViewport][0])
		}
	}
	if l.Live[0] != 31 {
		t.Errorf("live %#x", l.Live[0])
	}
	if io := p.IO(); len(io.Inputs) != 1 || len(io.Outputs) != 4 || io.Outputs[1].Mask != 6 {
		t.Errorf("IO %+v", io)
	}
	wantError(t, finish(t, build(t, vertexMeta(), "\tst_var 1, r5, 0\n\tstop"), vertices(1)), "without st_var_final")
	wantError(t, finish(t, build(t, vertexMeta(), "\tst_var_final 1, r5, 0\n\tst_var 1, r5, 1\n\tstop"), vertices(1)), "after the final")
	wantError(t, finish(t, build(t, vertexMeta(), "\tst_var_final 1, r5, 9\n\tstop"), vertices(1)), "word 9")
	mustFinish(t, build(t, vertexMeta(), "\tno_var 1, r0, r0l\n\tstop"), vertices(1))
}

func fragMeta() *abi.Meta {
	return &abi.Meta{Stage: ir.StageFragment, Halves: 64, UsesDiscard: true, NeedsQuads: true,
		Pass: abi.Pass{Translucent: true, WritesSampleMask: true, WritesDepth: true, WritesStencil: true, WritesTile: true, SeparateTriangles: true},
		Coefs: []abi.Coef{{Source: abi.CoefW, CF: 0, Count: 1}, {Source: abi.CoefZ, CF: 1, Count: 1},
			{CF: 2, Slot: ir.SlotVar0, Count: 2, Interp: ir.InterpSmooth},
			{CF: 4, Slot: ir.SlotVar0 + 1, Count: 1, Interp: ir.InterpFlat},
			{CF: 5, Slot: ir.SlotVar0 + 2, First: 1, Count: 1, Interp: ir.InterpNoPerspective},
			{Source: abi.CoefPrimitiveID, CF: 6, Count: 1}},
		Results: []abi.Result{{Slot: ir.SlotData0, Mask: 15, Reg: abi.ColorReg, Bits: 32}}}
}

// quads makes n quads of one primitive with w = 1, 2, 4 at its vertices; the
// weights are linear in x and y.
func quads(n int) *emu.Launch {
	v := [3]*emu.Slots{{}, {}, {}}
	ws := [3]float64{1, 2, 4}
	for i := range v {
		v[i][ir.SlotPos] = emu.Vec4{0, 0, 0, fbits(float32(ws[i]))}
		v[i][ir.SlotVar0] = emu.Vec4{fbits(float32(10 * i)), fbits(float32(i * i))}
		v[i][ir.SlotVar0+1] = emu.Vec4{uint32(70 + i)}
		v[i][ir.SlotVar0+2] = emu.Vec4{0, fbits(float32(5 - i))}
	}
	prim := &emu.Primitive{V: v, Provoking: 2, PrimitiveID: 9, Layer: 4, Samples: 1}
	rw := func(i, j float64) float64 { return (1-i-j)/ws[0] + i/ws[1] + j/ws[2] }
	prim.Bary = func(x, y float32, persp bool) (float32, float32) {
		i, j := float64(x-32)/64, float64(y)/64
		if persp {
			r := rw(i, j)
			return float32(i / ws[1] / r), float32(j / ws[2] / r)
		}
		return float32(i), float32(j)
	}
	l := &emu.Launch{NumLanes: 4 * n}
	for i := 0; i < 4*n; i++ {
		f := emu.FragmentLane{Prim: prim, SampleID: -1, X: int32(40 + i/4*2 + i&1), Y: int32(20 + i>>1&1), Coverage: 1}
		x, y := float32(f.X)+0.5, float32(f.Y)+0.5
		f.Persp[0][0], f.Persp[0][1] = prim.Bary(x, y, true)
		f.Linear[0][0], f.Linear[0][1] = prim.Bary(x, y, false)
		f.Persp[1], f.Persp[2], f.Linear[1], f.Linear[2] = f.Persp[0], f.Persp[0], f.Linear[0], f.Linear[0]
		f.Coord = [4]float32{x, y, 0.25, float32(rw(float64(f.Linear[0][0]), float64(f.Linear[0][1])))}
		l.Fragment = append(l.Fragment, f)
	}
	return l
}

func closeTo(a, b float32) bool {
	return math.Abs(float64(a-b)) <= 2e-5*math.Max(1, math.Abs(float64(b)))
}

func TestVaryings(t *testing.T) {
	m := fragMeta()
	m.Results = append(m.Results, abi.Result{Slot: ir.SlotData0 + 1, Mask: 15, Reg: 2 * 12, Bits: 32},
		abi.Result{Slot: ir.SlotData0 + 2, Mask: 15, Reg: 2 * 20, Bits: 32}, abi.Result{Slot: ir.SlotData0 + 3, Mask: 3, Reg: 56, Bits: 16})
	p := build(t, m, `
	iterproj r4_r5, cf2, cf0, center, 0b0, 0, 0, 0, 0, 0
	ldcf r8_r9_r10, cf4
	mov r6, r10
	iter r7, cf1, center, 0b0, 0, 0, 0, 0, 0
	iter r12, cf5, center, 0b0, 0, 0, 0, 0, 0
	iter r13, cf0, center, 0b0, 0, 0, 0, 0, 0
	iter r14, cf2, center, 0b0, 0, 0, 0, 0, 0
	ldcf r8_r9_r10, cf6
	mov r15, r10
	ldcf r20_r21_r22, cf2
	dfdx r23, r4
	iterproj r28l_r28h, cf2, cf0, center, 0b0, 0, 0, 0, 0, 0
	stop`)
	l := quads(2)
	l.Fragment[7].Helper = true
	mustFinish(t, p, l)
	for i := range l.Out {
		f := &l.Fragment[i]
		if i == 7 {
			continue
		}
		ij := f.Persp[0]
		x, y := 10*ij[0]+20*ij[1], ij[0]+4*ij[1]
		a, b, c := l.Out[i][ir.SlotData0], l.Out[i][ir.SlotData0+1], l.Out[i][ir.SlotData0+2]
		if !closeTo(toF(a[0]), x) || !closeTo(toF(a[1]), y) || a[2] != 72 || toF(a[3]) != 0.25 {
			t.Errorf("lane %d: %v %v %d %v, want %v %v", i, toF(a[0]), toF(a[1]), a[2], toF(a[3]), x, y)
		}
		lin := 5 - f.Linear[0][0] - 2*f.Linear[0][1]
		if !closeTo(toF(b[0]), lin) || toF(b[1]) != f.Coord[3] || !closeTo(toF(b[2]), x*f.Coord[3]) || b[3] != 9 {
			t.Errorf("lane %d: %v %v %v %d", i, toF(b[0]), toF(b[1]), toF(b[2]), b[3])
		}
		// The plane of v/w, evaluated in the 32x32 region.
		px, py := float32(f.X&31)+0.5, float32(f.Y&31)+0.5
		if v := (toF(c[0])*px + toF(c[1])*py + toF(c[2])) / f.Coord[3]; !closeTo(v, x) {
			t.Errorf("lane %d: by coefficients %v, want %v", i, v, x)
		}
		q := i &^ 3
		d := toF(l.Out[q|1][ir.SlotData0][0]) - toF(l.Out[q][ir.SlotData0][0])
		if i < 4 && i < 2 && toF(c[3]) != d {
			t.Errorf("lane %d: derivative %v, want %v", i, toF(c[3]), d)
		}
		if h := l.Out[i][ir.SlotData0+3]; h[0] != round16(wideF(a[0])) || h[1] != round16(wideF(a[1])) {
			t.Errorf("lane %d: halves %#x %#x", i, h[0], h[1])
		}
	}
	if l.Live[0] != 0x7f {
		t.Errorf("live %#x", l.Live[0])
	}
	if io := p.IO(); len(io.Inputs) != 3 || io.Outputs[3].Bits != 16 || io.WritesSampleMask {
		t.Errorf("IO %+v", io)
	}
}

func TestDiscard(t *testing.T) {
	p := build(t, fragMeta(), `
	mov_imm r0l, 0
	get_sr r4, sr80
	get_sr r5, sr62
	get_sr r6, sr2
	wait_pix 1, 0
	if_icmp r0l, ult, r4, 41, 1
	sample_mask 255, 0
	pop_exec r0l, 1
	sample_mask 255, 255
	get_sr r7, sr63
	stop`)
	l := quads(1)
	mustFinish(t, p, l)
	if l.Live[0] != 0xa {
		t.Errorf("live %#x, want lanes 1 and 3", l.Live[0])
	}
	if o := l.Out[1]; o[ir.SlotData0] != (emu.Vec4{41, 1, 4, 1}) || o[ir.SlotSampleMask][0]&1 == 0 {
		t.Errorf("output %v, samples %v", o[ir.SlotData0], o[ir.SlotSampleMask])
	}
	for _, c := range []struct{ body, want string }{
		{"\tsample_mask 255, 255\n\tstop", "wait_pix 1"},
		{"\twait_pix 1, 0\n\tsample_mask 255, 255\n\tsample_mask 255, 0\n\tstop", "again"},
		{"\tget_sr r4, sr80\n\tand r4l, r4, 1\n\tsample_mask r4l, 0\n\tstop", "neither tested nor killed"},
		{"\twait_pix 12, 0\n\tst_tile r4, i32, 0, x, 0, 255, 0\n\tstop", "no target"},
	} {
		wantError(t, finish(t, build(t, fragMeta(), c.body), quads(1)), c.want)
	}
}

// TestEarlyFacts: what the metadata of a linked program says of its tests and of the tile is what its code does.
func TestEarlyFacts(t *testing.T) {
	const test, kill, depth, store = "\twait_pix 1, 0\n\tsample_mask 255, 255\n", "\twait_pix 1, 0\n\tsample_mask 255, 0\n",
		"\twait_pix 1, 0\n\tmov_imm r4, 0, 0b0\n\tzs_emit 255, r4l_r4h, 0\n", "\tmov_imm r6, 0, 0b0\n\tmov_imm r7, 0, 0b0\n\tdevice_store 0, i32, x, r6, r6_r7, 0, signed, 0\n"
	for _, c := range []struct {
		body string
		edit func(m *abi.Meta)
		want string
	}{
		{"", func(*abi.Meta) {}, ""},
		{test, func(m *abi.Meta) { m.Pass.WritesSampleMask = true }, ""},
		{test, func(*abi.Meta) {}, "kills or tests samples and its meta does not say so"},
		{"", func(m *abi.Meta) { m.Pass.WritesSampleMask = true }, "kills or tests samples, and it does not"},
		{test + kill, func(m *abi.Meta) { m.Pass.WritesSampleMask, m.EarlyFragmentTests = true, true }, ""},
		{kill + test, func(m *abi.Meta) { m.Pass.WritesSampleMask, m.EarlyFragmentTests = true, true }, "its first sample_mask is no test"},
		{depth, func(m *abi.Meta) { m.Pass.WritesDepth = true }, ""},
		{depth, func(*abi.Meta) {}, "writes depth and its meta does not say so"},
		{"", func(m *abi.Meta) { m.Pass.WritesDepth = true }, "writes depth, and it does not"},
		{"", func(m *abi.Meta) { m.Pass.WritesStencil = true }, "writes stencil, and it does not"},
		{depth, func(m *abi.Meta) { m.Pass.WritesDepth, m.EarlyFragmentTests = true, true }, "zs_emit tests again"},
		{store, func(m *abi.Meta) { m.EarlyFragmentTests = true }, "writes memory and its meta does not say so"},
		{store, func(m *abi.Meta) { m.WritesMemory, m.Pass.SeparateTriangles = true, true }, "writes memory without early tests"},
		{store, func(m *abi.Meta) { m.WritesMemory, m.EarlyFragmentTests = true, true }, ""},
		{"", func(m *abi.Meta) { m.Pass.WritesTile = true }, "writes the tile, and it does not"},
	} {
		m := fragMeta()
		m.Results, m.Pass, m.Part, m.Samples, m.TileLayout = nil, abi.Pass{}, abi.PartLinked, 1, &abi.TileLayout{Width: 32, Height: 32, Stride: 4}
		c.edit(m)
		_, err := Load(assemble(t, c.body+"\tstop"), m)
		if c.want == "" {
			if err != nil {
				t.Errorf("%q: %v", c.body, err)
			}
			continue
		}
		wantError(t, err, c.want)
	}
}

// Hardware drops what helpers store where pixels are shaded as a whole, but not their atomics.
func TestHelperStore(t *testing.T) {
	for _, c := range []struct {
		name, body string
		perSample  bool
		want       string
	}{
		{name: "store", body: "device_store 0, i32, x, r5, u0_u1, r6, unsigned, 0"},
		{"store of a sample", "device_store 0, i32, x, r5, u0_u1, r6, unsigned, 0", true, "lane 2, a helper invocation, writes memory"},
		{"atomic", "atomic add, 0, r2, u0_u1, r6, unsigned, r5, 1, 0, 1, 4, 2\n\twait 0", false, "lane 2, a helper invocation, writes memory"},
	} {
		m := fragMeta()
		m.EarlyFragmentTests, m.WritesMemory, m.PerSample = true, true, c.perSample
		m.UniformHalves, m.Uniforms = 4, []abi.Uniform{{Kind: abi.UniformBufferAddr}}
		p := build(t, m, "get_sr r6, sr52\n\tmov_imm r5, 7, 0b0\n\t"+c.body+"\n\tstop")
		l := quads(1)
		l.Env = &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}}
		buf := l.Env.Mem.Alloc(16)
		l.Env.Bindings.Set(0, 0, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: buf.Addr, Size: 16}})
		mustFinish(t, p, l)
		clear(buf.Data)
		l.Fragment[2].Helper = true
		if c.want != "" {
			wantError(t, finish(t, p, l), c.want)
			continue
		}
		mustFinish(t, p, l)
		if want := []byte{7, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0}; !bytes.Equal(buf.Data, want) {
			t.Errorf("%s: it leaves % x, want % x", c.name, buf.Data, want)
		}
	}
}

func TestSamples(t *testing.T) {
	m := fragMeta()
	m.PerSample = true
	p := build(t, m, `
	mov r4, r1l
	iter r5, cf5, r1l, sample, 0b0, 0, 0, 0, 0, 0
	get_sr r6, sr14
	get_sr r7, sr60
	stop`)
	l := quads(1)
	for i := range l.Fragment {
		f := &l.Fragment[i]
		f.Prim.Samples, f.SampleID, f.Coverage = 4, 1, 2
		f.Prim.SamplePos = func(n int) (x, y float32) { return float32(n) / 4, 0.25 }
		f.Linear[emu.BarySample] = [2]float32{0.5, 0.25}
	}
	// r1l is 2, the mask, and here serves as a sample number too.
	mustFinish(t, p, l)
	for i := range l.Out {
		f := &l.Fragment[i]
		li, lj := f.Prim.Bary(float32(f.X)+0.5, float32(f.Y)+0.25, false)
		o := l.Out[i][ir.SlotData0]
		if o[0] != 2 || !closeTo(toF(o[1]), 5-li-2*lj) || o[2] != 2 || o[3] != 2 {
			t.Errorf("lane %d: %d %v %d %d", i, o[0], toF(o[1]), o[2], o[3])
		}
	}
}

// TestNoSample interpolates at a sample that a pixel does not have, whose place may be any in the pixel.
func TestNoSample(t *testing.T) {
	p := build(t, fragMeta(), `
	mov_imm r8l, 1
	iter r4, cf5, r8l, sample, 0b0, 0, 0, 0, 0, 0
	iterproj r5, cf2, cf0, r8l, sample, 0b0, 0, 0, 0, 0, 0
	iter r6, cf5, center, 0b0, 0, 0, 0, 0, 0
	iterproj r7, cf2, cf0, center, 0b0, 0, 0, 0, 0, 0
	stop`)
	l := quads(1)
	mustFinish(t, p, l)
	for i := range l.Out {
		o := l.Out[i][ir.SlotData0]
		if away := math.Abs(float64(toF(o[0]) - toF(o[2]))); away == 0 || away > 0.1 || o[1] == o[3] {
			t.Errorf("lane %d: %v, want what is in the pixel and not at its centre", i, o)
		}
	}
}

func TestTile(t *testing.T) {
	m := fragMeta()
	m.Results = nil
	m.Tile = []abi.TileTarget{{Slot: ir.SlotData0, Mask: 15, Format: isa.FormatU8Norm},
		{Slot: ir.SlotData0 + 1, Mask: 3, Offset: 4, Format: isa.FormatI16, Signed: true},
		{Slot: ir.SlotData0 + 2, Mask: 7, Offset: 8, Format: isa.FormatRG11B10F}}
	p := build(t, m, `
	mov_imm r4, 1065353216, 0b0
	mov_imm r5, 1056964608, 0b0
	mov_imm r6, 0, 0b0
	mov_imm r7, 1073741824, 0b0
	mov_imm r8l, 65535
	mov_imm r8h, 5
	wait_pix 12, 0
	st_tile r4_r5_r6_r7, u8norm, 0, xyzw, 0, 255, 0
	st_tile r8l_r8h, i16, 0, xy, 4, 255, 0
	st_tile r4_r5_r6, rg11b10f, 0, xyz, 8, 255, 0
	ld_tile r9l, i16, 1, x, 6, 1, 0
	zs_emit 1, r5l_r5h_r6l, 0
	stop`)
	l := quads(1)
	wantError(t, finish(t, p, l), "wait_pix 1")
	p = build(t, m, "\tmov_imm r8l, 0\n\tmov_imm r8h, 0\n\twait_pix 13, 0\n\tst_tile r8l_r8h, i16, 0, xy, 4, 255, 0\n\tsample_mask 255, 255\n\tstop")
	wantError(t, finish(t, p, quads(1)), "after their tile stores")
	p = build(t, m, "\tmov_imm r4, 0, 0b0\n\twait_pix 12, 0\n\tst_tile r4, u8norm, 0, x, 0, 255, 0\n\tstop")
	wantError(t, finish(t, p, quads(1)), "components 0x1 of a target that has 0xf")
	p = build(t, m, `
	mov_imm r4, 1065353216, 0b0
	mov_imm r5, 1056964608, 0b0
	mov_imm r6, 3, 0b0
	mov_imm r7, 1073741824, 0b0
	mov_imm r8l, 65535
	mov_imm r8h, 5
	wait_pix 13, 0
	zs_emit 255, r5l_r5h_r6l, 0
	st_tile r4_r5_r6_r7, u8norm, 0, xyzw, 0, 255, 0
	st_tile r8l_r8h, i16, 0, xy, 4, 255, 0
	st_tile r4_r5_r6, rg11b10f, 0, xyz, 8, 255, 0
	ld_tile r9l, i16, 1, x, 4, 1, 0
	st_tile r9l, i16, 0, x, 6, 255, 0
	stop`)
	mustFinish(t, p, l)
	for i := range l.Out {
		o := &l.Out[i]
		if o[ir.SlotData0] != (emu.Vec4{fbits(1), fbits(float32(128) / 255), 0, fbits(1)}) {
			t.Errorf("colour 0: %#x", o[ir.SlotData0])
		}
		if o[ir.SlotData0+1] != (emu.Vec4{math.MaxUint32, math.MaxUint32}) || o[ir.SlotData0+2] != (emu.Vec4{fbits(1), fbits(0.5), 0}) {
			t.Errorf("colours %#x %#x", o[ir.SlotData0+1], o[ir.SlotData0+2])
		}
		if o[ir.SlotDepth][0] != fbits(0.5) || o[ir.SlotStencil][0] != 3 {
			t.Errorf("depth %#x, stencil %d", o[ir.SlotDepth][0], o[ir.SlotStencil][0])
		}
	}
	if l.Live[0] != 15 || !p.IO().WritesSampleMask || len(p.IO().Outputs) != 4 {
		t.Errorf("live %#x, IO %+v", l.Live[0], p.IO())
	}
	wantError(t, finish(t, build(t, m, "\twait_pix 12, 0\n\tld_tile r4l, i16, 1, x, 4, 1, 0\n\tstop"), quads(1)), "before the shader")
}

// TestPassSays: a driver is told each of the things that a fragment program does which keep its fragments from passing as others.
func TestPassSays(t *testing.T) {
	for _, c := range []struct {
		name string
		does func(p *program)
		says func(m *abi.Meta)
	}{
		{"reads the tile", func(p *program) { p.uses.tileLoads = true }, func(m *abi.Meta) { m.Pass.Translucent = true }},
		{"writes the tile", func(p *program) { p.uses.tileStores = true }, func(m *abi.Meta) { m.Pass.WritesTile = true }},
		{"kills or tests samples", func(p *program) { p.uses.kills = true }, func(m *abi.Meta) { m.Pass.WritesSampleMask = true }},
		{"writes depth", func(p *program) { p.uses.depth = true }, func(m *abi.Meta) { m.Pass.WritesDepth = true }},
		{"writes stencil", func(p *program) { p.uses.stencil = true }, func(m *abi.Meta) { m.Pass.WritesStencil = true }},
		{"looks at other lanes", func(p *program) { p.uses.lanes = true }, func(m *abi.Meta) { m.Pass.SeparateTriangles = true }},
		{"takes derivatives", func(p *program) { p.uses.quads, p.meta.Pass.SeparateTriangles = true, true }, func(m *abi.Meta) { m.NeedsQuads = true }},
		{"writes memory without early tests", func(p *program) { p.uses.stores = true }, func(m *abi.Meta) { m.KeepDepth, m.WritesMemory = true, true }},
		{"writes memory", func(p *program) { p.uses.stores = true }, func(m *abi.Meta) { m.EarlyFragmentTests, m.WritesMemory = true, true }},
	} {
		for _, says := range []bool{false, true} {
			p := &program{meta: &abi.Meta{Stage: ir.StageFragment}}
			c.does(p)
			if says {
				c.says(p.meta)
			} else if c.name == "writes memory" {
				p.meta.EarlyFragmentTests = true
			}
			err := p.checkPass()
			if says && err != nil {
				t.Errorf("%s, and says so: %v", c.name, err)
			} else if !says {
				wantError(t, err, "the program "+c.name)
			}
			p.meta.Stage = ir.StageVertex
			if err := p.checkPass(); err != nil {
				t.Errorf("%s in a vertex program: %v", c.name, err)
			}
		}
	}
}
