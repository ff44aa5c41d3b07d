package core

import (
	"math"
	"strings"
	"testing"

	"nirc/backend/ir3/abi"
	"nirc/backend/ir3/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

func build(t *testing.T, m *abi.Meta, text string) emu.Program {
	t.Helper()
	code, err := isa.Assemble(m.Gen, text)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Load(code, m)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func finish(t *testing.T, p emu.Program, l *emu.Launch) error {
	t.Helper()
	l.Env = &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}, Push: l.Env.Push}
	l.Check = true
	l.Out = make([]emu.Slots, l.NumLanes)
	w := p.NewWave(l)
	st, err := w.Run(100000)
	if err == nil && st != emu.StatusDone {
		t.Errorf("status %d", st)
	}
	return err
}

func fragMeta() *abi.Meta {
	return &abi.Meta{Gen: isa.A6xx, Stage: ir.StageFragment, MaxRegs: 8, ConstLen: 4, BranchStack: 4, UsesDiscard: true,
		TotalIn: 5, Inputs: []abi.Input{{Slot: ir.SlotVar0, Mask: 3, Reg: abi.NoReg, InLoc: 0, Interp: ir.InterpSmooth},
			{Slot: ir.SlotVar0 + 1, Mask: 1, Reg: abi.NoReg, InLoc: 4, Interp: ir.InterpFlat}},
		Sysvals: []abi.Sysval{{Kind: abi.IJPerspPixel, Reg: 0}, {Kind: abi.FragCoord, Reg: 8, Mask: 3},
			{Kind: abi.FrontFace, Reg: 24}},
		Outputs: []abi.Output{{Slot: ir.SlotData0, Mask: 15, Reg: 16}, {Slot: ir.SlotDepth, Mask: 1, Reg: 20}},
		Consts:  abi.Consts{Push: abi.Area{Offset: 0, Size: 4}}}
}

// quads makes n quads of fragments; lane l is at pixel (l, l/2).
func quads(n int) *emu.Launch {
	v := [3]*emu.Slots{{}, {}, {}}
	for i := range v {
		v[i][ir.SlotVar0] = emu.Vec4{math.Float32bits(float32(10 * i)), math.Float32bits(float32(i * i))}
		v[i][ir.SlotVar0+1] = emu.Vec4{uint32(70 + i)}
	}
	prim := &emu.Primitive{V: v, Provoking: 2, FrontFacing: false}
	l := &emu.Launch{NumLanes: 4 * n, Env: &emu.Env{Push: []byte{1, 0, 0, 0, 2, 0}}}
	for i := 0; i < 4*n; i++ {
		f := emu.FragmentLane{Prim: prim, SampleID: -1, Coord: [4]float32{float32(i) + 0.5, float32(i/2) + 0.5, 0.25, 1}}
		f.Persp[emu.BaryPixel] = [2]float32{0.25 * float32(i&1), 0.5 * float32(i>>1&1)}
		l.Fragment = append(l.Fragment, f)
	}
	return l
}

func TestFragment(t *testing.T) {
	p := build(t, fragMeta(), `
	(rpt1)bary.f r1.x, (r)0, r0.x
	flat.b (ei)r4.x, 4, r0.x
	(rpt5)nop
	dsx (f32)(x)r4.y, r1.x
	dsy (f32)(x)r4.z, r1.x
	cov.u32f32 r4.w, r2.x
	add.u r5.x, c0.x, c0.x
	(sy)nop
	cmps.s.eq p0.x, hr6.x, h(0)
	(eq)nop
	(rpt5)nop
	kill p0.x
	end`)
	l := quads(2)
	l.Fragment[5].Helper = true
	if err := finish(t, p, l); err != nil {
		t.Fatal(err)
	}
	for i := range l.Out {
		if i == 5 {
			continue
		}
		out := l.Out[i][ir.SlotData0]
		// d/dx is coarse: 0.25 * 10, d/dy: 0.5 * 20; x = (i + 0.5) * 16.
		want := emu.Vec4{72, math.Float32bits(2.5), math.Float32bits(10), math.Float32bits(float32(16*i + 8))}
		if out != want {
			t.Errorf("lane %d: %x, want %x", i, out, want)
		}
		if l.Out[i][ir.SlotDepth][0] != 2 {
			t.Errorf("lane %d: push constant sum %d", i, l.Out[i][ir.SlotDepth][0])
		}
	}
	if l.Live[0] != 0xdf {
		t.Errorf("live lanes %#x, want all but the helper", l.Live[0])
	}
	io := p.IO()
	if !io.WritesDepth || !io.UsesDiscard || len(io.Inputs) != 2 || len(io.Outputs) != 2 {
		t.Errorf("IO %+v", io)
	}
}

func TestKill(t *testing.T) {
	m := fragMeta()
	// Lanes 0 and 1 of the first quad are killed; the derivative still sees them.
	p := build(t, m, `
	(rpt1)bary.f r1.x, (r)0, r0.x
	flat.b (ei)r4.x, 4, r0.x
	cmps.u.lt p0.x, r2.x, 32
	(rpt5)nop
	kill p0.x
	dsy (f32)(x)r4.y, r1.x
	(sy)nop
	end`)
	l := quads(1)
	if err := finish(t, p, l); err != nil {
		t.Fatal(err)
	}
	if l.Live[0] != 0xc {
		t.Errorf("live lanes %#x, want 0xc", l.Live[0])
	}
	if got := l.Out[3][ir.SlotData0][1]; got != math.Float32bits(10) {
		t.Errorf("derivative %v", math.Float32frombits(got))
	}
	early := build(t, m, `
	cmps.u.lt p0.x, r2.x, 32
	(rpt5)nop
	kill p0.x
	bary.f (ei)r1.x, 0, r0.x
	end`)
	if err := finish(t, early, quads(1)); err == nil || !strings.Contains(err.Error(), "(ei)") {
		t.Errorf("kill before (ei): %v", err)
	}
}

// TestKillLoop: killed fibers stay in a loop that they do not leave.
func TestKillLoop(t *testing.T) {
	for _, c := range []struct {
		after string
		ends  bool
	}{{"", false}, {"br p0.x, #out", true}} {
		p := build(t, fragMeta(), `
	cmps.u.lt p0.x, r2.x, 1000
	(rpt5)nop
	kill p0.x
	`+c.after+`
loop:	jump #loop
out:	(jp)end`)
		l := quads(1)
		l.Check, l.Out = true, make([]emu.Slots, l.NumLanes)
		l.Env = &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}, Push: l.Env.Push}
		if st, err := p.NewWave(l).Run(1 << 16); err != nil || (st == emu.StatusDone) != c.ends || c.ends && l.Live[0] != 0 {
			t.Errorf("%q: live %#x, status %v, %v", c.after, l.Live[0], st, err)
		}
	}
}

func TestVertex(t *testing.T) {
	m := &abi.Meta{Gen: isa.A7xx, Stage: ir.StageVertex, MaxRegs: 4, ConstLen: 12,
		Inputs:  []abi.Input{{Slot: ir.SlotAttrib0 + 1, Mask: 7, Reg: 4}},
		Sysvals: []abi.Sysval{{Kind: abi.VertexID, Reg: 0}, {Kind: abi.InstanceID, Reg: 1}},
		Outputs: []abi.Output{{Slot: ir.SlotPos, Mask: 15, Reg: 4}, {Slot: ir.SlotVar0, Mask: 1, Reg: 24, Half: true, As: isa.F32}},
		Consts:  abi.Consts{Driver: abi.Area{Offset: 4, Size: 5}}}
	p := build(t, m, `
	sub.u r1.w, r0.x, c1.y
	add.u r1.x, r1.x, r0.y
	mov.f16f16 hr6.x, h(0.500000)
	end`)
	l := &emu.Launch{NumLanes: 3, Env: &emu.Env{}}
	for i := 0; i < 3; i++ {
		l.Vertex = append(l.Vertex, emu.VertexLane{VertexIndex: uint32(100 + i), InstanceIndex: 9, BaseVertex: 100})
		l.Inputs = append(l.Inputs, []emu.Vec4{{}, {uint32(i), 2, 3, 4}})
	}
	if err := finish(t, p, l); err != nil {
		t.Fatal(err)
	}
	for i := range l.Out {
		if got, want := l.Out[i][ir.SlotPos], (emu.Vec4{uint32(i) + 9, 2, 3, uint32(i)}); got != want {
			t.Errorf("vertex %d: %v, want %v", i, got, want)
		}
		if l.Out[i][ir.SlotVar0][0] != math.Float32bits(0.5) {
			t.Errorf("half output %#x", l.Out[i][ir.SlotVar0][0])
		}
	}
	if l.Live[0] != 7 {
		t.Errorf("live %#x", l.Live[0])
	}
}

// TestAliasRT: components that the preamble gives are not read from registers.
func TestAliasRT(t *testing.T) {
	m := &abi.Meta{Gen: isa.A7xx, Stage: ir.StageFragment, MaxRegs: 1, ConstLen: 4, BranchStack: 1,
		Outputs: []abi.Output{{Slot: ir.SlotData0 + 1, Mask: 15, Reg: 0, AliasRT: 6}},
		Consts:  abi.Consts{Immediates: []uint32{5}}}
	p := build(t, m, `
	shps #main
	getone #main
	alias.rt.f32.0 rt1.y, (2.000000)
	alias.rt.b32.0 rt1.z, c0.x
	(ss)(sy)shpe
main:	(jp)mov.u32u32 r0.x, 1
	mov.u32u32 r0.y, 2
	mov.u32u32 r0.w, 4
	end`)
	l := quads(1)
	if err := finish(t, p, l); err != nil {
		t.Fatal(err)
	}
	if got, want := l.Out[3][ir.SlotData0+1], (emu.Vec4{1, math.Float32bits(2), 5, 4}); got != want {
		t.Errorf("%x, want %x", got, want)
	}
}

func TestLoadErrors(t *testing.T) {
	if _, err := Load(make([]byte, 7), &abi.Meta{Gen: isa.A6xx, Stage: ir.StageCompute}); err == nil {
		t.Error("7 bytes are accepted")
	}
	if _, err := Load(nil, &abi.Meta{Gen: isa.A6xx, Stage: ir.StageKernel}); err == nil || !strings.Contains(err.Error(), "kernel") {
		t.Errorf("kernel stage: %v", err)
	}
	if _, err := Load(nil, &abi.Meta{}); err == nil {
		t.Error("no generation is accepted")
	}
}

// TestSysvals: each system value arrives in its form.
func TestSysvals(t *testing.T) {
	one := &emu.Primitive{PrimitiveID: 11, Layer: 12, Viewport: 13, ViewIndex: 14, FrontFacing: false,
		PointCoord: func(x, y float32) (float32, float32) { return x, y }}
	x := emu.FragmentLane{Prim: one, SampleID: 3, Coord: [4]float32{1.25, 2.5, 0.75, 4}, Coverage: 6}
	for i := range x.Persp {
		x.Persp[i] = [2]float32{float32(i), float32(i) + 0.5}
		x.Linear[i] = [2]float32{float32(i) + 10, float32(i) + 10.5}
	}
	f := math.Float32bits
	for k, want := range map[abi.SysvalKind][4]uint32{
		abi.FragCoord: {20, 40, f(0.75), f(4)}, abi.IJPerspPixel: {f(0), f(0.5)}, abi.IJPerspCentroid: {f(1), f(1.5)},
		abi.IJPerspSample: {f(2), f(2.5)}, abi.IJPerspCenterRHW: {f(4)}, abi.IJLinearPixel: {f(10), f(10.5)},
		abi.IJLinearCentroid: {f(11), f(11.5)}, abi.IJLinearSample: {f(12), f(12.5)}, abi.FrontFace: {0xffff},
		abi.SampleID: {3}, abi.SampleMaskIn: {6}, abi.ViewIndex: {},
	} {
		if got := fragmentSysval(&x, k); got != want {
			t.Errorf("%s: %x, want %x", k, got, want)
		}
	}
	p := &program{meta: &abi.Meta{Stage: ir.StageFragment}, inputs: []varying{{int(ir.SlotPrimitiveID), 0}, {int(ir.SlotLayer), 0},
		{int(ir.SlotViewport), 0}, {int(ir.SlotViewIndex), 0}, {int(ir.SlotPointCoord), 1}, {-1, 0}}}
	w := &wave{p: p, l: &emu.Launch{Fragment: []emu.FragmentLane{x}}}
	for loc, want := range []uint32{11, 12, 13, 14, f(2.5), 0, 0} {
		if v, prov := w.corner(loc, 0); v[prov] != want {
			t.Errorf("inloc %d: %x, want %x", loc, v[prov], want)
		}
	}
	one.OfView = true
	if v, prov := w.corner(1, 0); v[prov] != 0 {
		t.Errorf("the layer of a view is %d, which no stage writes", v[prov])
	}
}

func TestComputeParams(t *testing.T) {
	m := newMachine()
	m.consts = make([]uint32, 32)
	m.lanes = 12
	m.edit = func(meta *abi.Meta) { meta.Consts.Driver = abi.Area{Offset: 4, Size: 12} }
	m.mustRun(t, `
	cov.u32s16 hr20.x, r0.x
	(rpt5)nop
	mova a0.x, hr20.x
	(rpt5)nop
	mov.u32u32 r1.x, c<a0.x + 4>`+store)
	want := [12]uint32{8, 8, 8, 3, 0, 0, 0, 64, 12, 1, 1, 6}
	m.expect(t, "driver parameter", func(i int) uint32 { return want[i] })
}

// TestFineDerivatives: the pair gives one value a row (x) or column (y).
func TestFineDerivatives(t *testing.T) {
	m := newMachine()
	m.check, m.lanes = true, 4
	m.mustRun(t, `
	mul.u24 r2.x, r0.x, r0.x
	(rpt5)nop
	cov.u32f32 r2.x, r2.x
	(rpt5)nop
	dsxpp.1 (x)r3.y, r2.x
	dsxpp.1.p (x)r3.y, r2.x
	dsypp.1 (x)r3.z, r2.x
	dsypp.1.p (x)r3.z, r2.x
	(sy)add.f r4.x, r3.y, r3.y
	(rpt5)nop
	add.f r4.x, r4.x, r3.z
	(rpt5)nop
	cov.f32s32 r1.x, r4.x`+store)
	// Values 0 1 4 9: d/dx 1 1 5 5, d/dy 4 8 4 8.
	m.expect(t, "2 dx + dy", func(i int) uint32 { return [...]uint32{6, 10, 14, 18}[i] })
}

// TestHalfResults: half results that are not converted are of 16 bits to the fixed functions.
func TestHalfResults(t *testing.T) {
	for _, c := range []struct {
		out  abi.Output
		want uint8
	}{
		{abi.Output{Slot: ir.SlotData0, Mask: 15}, 0},
		{abi.Output{Slot: ir.SlotData0, Mask: 15, Half: true}, 16},
		{abi.Output{Slot: ir.SlotData0, Mask: 1, Index: 1, Half: true}, 16},
		{abi.Output{Slot: ir.SlotData0, Mask: 15, Half: true, As: isa.F32}, 0},
	} {
		m := fragMeta()
		m.Outputs = []abi.Output{c.out}
		p := build(t, m, "end")
		if got := p.IO().Outputs; len(got) != 1 || got[0].Bits != c.want {
			t.Errorf("output %+v is %+v, want %d bits", c.out, got, c.want)
		}
	}
}
