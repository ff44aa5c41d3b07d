package core

import (
	"math"
	"testing"

	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

// varyingLoad loads varying n to a register.
func varyingLoad(op isa.LdOp, n int, reg, mask uint8, param int) isa.LoadStore {
	l := isa.LoadStore{Op: op, Reg: reg, Mask: mask, Swizzle: isa.XYZW, Arg: zero, Format: isa.AttrSecondary, Index: zero}
	l.SetSlot(n, param)
	return l
}

func move(dst, src uint8, s isa.Swizzle) isa.ALU {
	return isa.Vector(isa.OpImov, isa.Mode32, dst, 0xff).From(1, isa.VReg(src, s))
}

// writeout makes a writeout of register src to a render target, taken to the
// bundle at an offset when it has to wait; depth gets r3.x.
func writeout(src uint8, target uint32, offset int32, depth bool) isa.Bundle {
	b := alu(func(b *isa.Bundle) {
		b.Add(isa.UnitVMUL, move(0, src, isa.XYZW))
		if target != 0 {
			b.Add(isa.UnitSADD, isa.Scalar(isa.OpImov, 1, 2).Inline(uint16(target<<abi.TargetShift)))
		}
		if depth {
			b.Add(isa.UnitSMUL, isa.Scalar(isa.OpImov, 1, 0).From(1, isa.SReg(4, 0)))
		}
		b.Add(isa.UnitVADD, isa.Vector(isa.OpIadd, isa.Mode32, 1, 0xc0).From(0, isa.VReg(isa.RegCond, 0)).Inline(0))
		b.SetBranch(isa.Branch{Op: isa.BranchWriteout, Cond: isa.CondAlways, Offset: offset})
	})
	b.Extended.Target = b.Tag
	return b
}

func fragMeta() *abi.Meta {
	return &abi.Meta{Stage: ir.StageFragment, WorkRegs: 8, UsesDiscard: true, NeedsQuads: true, FetchSampler: true,
		Varyings: []abi.Varying{{Kind: abi.VaryingSlot, Slot: ir.SlotVar0}, {Kind: abi.VaryingSlot, Slot: ir.SlotVar0 + 1},
			{Kind: abi.VaryingFragCoord}, {Kind: abi.VaryingFrontFace}},
		Inputs:  []abi.Input{{Slot: ir.SlotVar0, Mask: 15, Interp: ir.InterpSmooth}, {Slot: ir.SlotVar0 + 1, Mask: 15, Interp: ir.InterpFlat}},
		Outputs: []abi.Output{{Slot: ir.SlotData0, Mask: 15}, {Slot: ir.SlotData0 + 2, Mask: 15}}}
}

// quad makes a quad of fragments; lane l is at pixel (l&1, l>>1).
func quad() *emu.Launch {
	v := [3]*emu.Slots{{}, {}, {}}
	for i := range v {
		v[i][ir.SlotVar0] = emu.Vec4{f(float32(10 * i)), f(float32(i * i)), f(0.5), f(2)}
		v[i][ir.SlotVar0+1] = emu.Vec4{uint32(70 + i)}
	}
	prim := &emu.Primitive{V: v, Provoking: 2}
	l := &emu.Launch{NumLanes: 4, Check: true, Out: make([]emu.Slots, 4), Env: &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}}}
	for i := range 4 {
		x := emu.FragmentLane{Prim: prim, SampleID: -1, Coverage: 1, Coord: [4]float32{float32(i&1) + 0.5, float32(i>>1) + 0.5, 0.25, 1}}
		x.Persp[emu.BaryPixel] = [2]float32{0.25 * float32(i&1), 0.5 * float32(i>>1)}
		l.Fragment = append(l.Fragment, x)
	}
	return l
}

func finish(t *testing.T, p emu.Program, l *emu.Launch) {
	t.Helper()
	if st, err := p.NewWave(l).Run(10000); err != nil || st != emu.StatusDone {
		t.Fatalf("status %d, %v", st, err)
	}
}

// TestFragment: interpolation, derivatives, discard, two render targets, depth.
func TestFragment(t *testing.T) {
	der := func(mode isa.TexMode, dst uint8) isa.Bundle {
		return isa.Bundle{Tag: isa.TagTex, Tex: isa.Texture{Op: isa.TexDerivative, Mode: mode, Helpers: isa.HelpersNormal, Dim: isa.Tex2D,
			CoordFull: true, CoordSwizzle: isa.XYZW, Full: true, Type: isa.TexTypeFloat, Dst: dst, Mask: 3, Swizzle: isa.XYZW}}
	}
	main := []isa.Bundle{
		ldst(varyingLoad(isa.LdVaryF32, 0, isa.RegTex0, 15, isa.VarySmooth), varyingLoad(isa.LdVaryU32, 1, 4, 1, isa.VaryFlatParams)),
		der(isa.TexDdx, 0), der(isa.TexDdy, 1),
		ldst(varyingLoad(isa.LdVaryF32, 2, 5, 15, isa.VarySmooth)),
		alu(func(b *isa.Bundle) {
			b.Add(isa.UnitVMUL, isa.Vector(isa.OpImov, isa.Mode32, 6, 0x0f).From(1, isa.VReg(isa.RegTex0, isa.XYZW)))
			b.Add(isa.UnitVADD, isa.Vector(isa.OpImov, isa.Mode32, 6, 0xf0).From(1, isa.VReg(isa.RegTex1, isa.Swz(0, 0, 0, 1))))
		}),
		// Lane 3 is discarded: x + y of the pixel is at least 2.5.
		alu(func(b *isa.Bundle) {
			b.Add(isa.UnitVMUL, isa.Vector(isa.OpFmov, isa.Mode32, isa.RegPipe0, 0xff).From(1, isa.VReg(5, isa.XYZW)))
			b.Add(isa.UnitVADD, isa.Vector(isa.OpFadd, isa.Mode32, 7, 0x03).From(0, isa.VReg(isa.RegPipe0, 0)).From(1, isa.VReg(isa.RegPipe0, isa.Rep(1))))
		}),
		alu(func(b *isa.Bundle) {
			b.Add(isa.UnitSMUL, isa.Scalar(isa.OpFlt, isa.RegCond, 3).From(0, isa.SReg(7, 0)).Inline(0x4100))
			b.SetBranch(isa.Branch{Op: isa.BranchDiscard, Cond: isa.CondFalse, Offset: 2})
		}),
	}
	w0 := writeout(6, 0, 0, true)
	w1 := writeout(5, 2, 0, false)
	back := alu(func(b *isa.Bundle) {
		b.SetBranch(isa.Branch{Op: isa.BranchCond, Cond: isa.CondAlways, Target: w1.Tag})
	})
	prog := append(main, w0, w1, w0, back, w1)
	at := make([]int32, len(prog)+1)
	for i := range prog {
		at[i+1] = at[i] + int32(prog[i].Quads())
	}
	n := len(main)
	for _, x := range [][2]int{{n, n + 2}, {n + 1, n + 4}, {n + 2, n + 2}, {n + 3, n + 1}, {n + 4, n + 4}} {
		prog[x[0]].Extended.Offset = at[x[1]] - at[x[0]+1]
		prog[x[0]].Extended.Target = prog[x[1]].Tag
	}
	// The first writeout's colour stays in r6; nothing lives in r0 to r3.
	prog[n+1].Next = isa.TagBreak
	m := fragMeta()
	m.WritesDepth = true
	p := load(t, m, prog...)
	l := quad()
	l.Fragment[1].Helper = true
	finish(t, p, l)
	// Fuel is for each thread, as on cores that run them together.
	again := quad()
	again.Fragment[1].Helper = true
	if st, err := p.NewWave(again).Run(l.Ran + 2); err != nil || st != emu.StatusDone || l.Ran < 4 || l.Ran > len(prog) {
		t.Errorf("%d bundles ran; with two more: status %d, %v", l.Ran, st, err)
	}
	if l.Live[0] != 5 {
		t.Errorf("live lanes %#x, want 0 and 2", l.Live[0])
	}
	for _, i := range []int{0, 2} {
		// d/dx: 10 * 0.25 and 1 * 0.25; d/dy: 20 * 0.5 and 4 * 0.5.
		want := emu.Vec4{f(2.5), f(0.25), f(10), f(2)}
		if got := l.Out[i][ir.SlotData0]; got != want {
			t.Errorf("lane %d: %x, want %x", i, got, want)
		}
		if got := l.Out[i][ir.SlotData0+2]; got != (emu.Vec4{f(0.5), f(float32(i>>1) + 0.5), f(0.25), f(1)}) {
			t.Errorf("lane %d: coordinates %x", i, got)
		}
		if got := l.Out[i][ir.SlotDepth][0]; got != 72 {
			t.Errorf("lane %d: depth %d", i, got)
		}
	}
	if l.Out[1][ir.SlotData0] != (emu.Vec4{}) || l.Out[3][ir.SlotData0] != (emu.Vec4{}) {
		t.Error("a helper or a discarded fragment has written")
	}
}

// vertexStore is a varying store of r26.
func vertexStore(n int) isa.LoadStore {
	l := isa.LoadStore{Op: isa.StVaryF32, Mask: 15, Swizzle: isa.XYZW, Arg: zero, Format: isa.AttrSecondary | isa.AttrAuto32, Index: zero}
	l.SetSlot(n, 0)
	return l
}

func TestVertex(t *testing.T) {
	m := &abi.Meta{Stage: ir.StageVertex, Attributes: make([]abi.Record, 18), UBOs: []abi.UBO{{Kind: abi.UBOSysvals}},
		Sysvals: []abi.Sysval{{Kind: abi.SysvalVertexOffsets}}, Uniforms: []abi.Uniform{{}},
		Varyings: []abi.Varying{{Kind: abi.VaryingSlot, Slot: ir.SlotPos}, {Kind: abi.VaryingSlot, Slot: ir.SlotVar0, Half: true}}}
	m.Attributes[1] = abi.Record{Kind: abi.RecordAttribute, Slot: ir.SlotAttrib0 + 3}
	m.Attributes[abi.AttrVertexID] = abi.Record{Kind: abi.RecordVertexID}
	attr := func(n int, reg, mask uint8) isa.LoadStore {
		l := isa.LoadStore{Op: isa.LdAttrF32, Reg: reg, Mask: mask, Swizzle: isa.XYZW, Arg: zero, Index: zero}
		if n == abi.AttrVertexID {
			l.Op = isa.LdAttrS32
		}
		l.SetSlot(n, 0)
		return l
	}
	p := load(t, m, ldst(attr(1, isa.RegConst, 15), attr(abi.AttrVertexID, 0, 1)), ldst(vertexStore(0)),
		alu(func(b *isa.Bundle) {
			b.Add(isa.UnitVMUL, isa.Vector(isa.OpIadd, isa.Mode32, isa.RegPipe0, 0x03).From(0, isa.VReg(0, isa.XYZW)).From(1, isa.VReg(23, isa.XYZW)))
			u2f := isa.Vector(isa.OpU2f, isa.Mode32, isa.RegConst, 0x03).From(0, isa.VReg(isa.RegPipe0, 0))
			b.Add(isa.UnitVADD, u2f)
		}), ldst(vertexStore(1)))
	l := &emu.Launch{NumLanes: 1, Check: true, Out: make([]emu.Slots, 1), Env: &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}},
		Vertex: []emu.VertexLane{{VertexIndex: 105, BaseVertex: 100}}, Inputs: [][]emu.Vec4{make([]emu.Vec4, 4)}}
	l.Inputs[0][3] = emu.Vec4{f(1), f(2), f(3), f(4)}
	finish(t, p, l)
	if l.Out[0][ir.SlotPos] != (emu.Vec4{f(1), f(2), f(3), f(4)}) || l.Live[0] != 1 {
		t.Errorf("position %x, live %x", l.Out[0][ir.SlotPos], l.Live[0])
	}
	if got := l.Out[0][ir.SlotVar0]; got != (emu.Vec4{0x5690, 0x4000, 0x4200, 0x4400}) { // 105, 2, 3, 4
		t.Errorf("varying %#x", got)
	}
	if p.WaveSize() != 1 {
		t.Error("wave size")
	}
}

// TestTexture samples a 2D texture and a cube map, and fetches from the first.
func TestTexture(t *testing.T) {
	format := emu.FormatByName("R32_SFLOAT")
	flat, err := emu.NewImage(emu.ImageDesc{Format: format, Width: 2, Height: 2, Depth: 1, Layers: 1, Mips: 1, Samples: 1})
	if err != nil {
		t.Fatal(err)
	}
	cube, err := emu.NewImage(emu.ImageDesc{Format: format, Width: 1, Height: 1, Depth: 1, Layers: 6, Mips: 1, Samples: 1})
	if err != nil {
		t.Fatal(err)
	}
	fv, cv := &emu.ImageView{Image: flat}, &emu.ImageView{Image: cube}
	for i := range 4 {
		fv.Store(i&1, i>>1, 0, 0, 0, [4]uint32{f(float32(i))})
	}
	for i := range 6 {
		cv.Store(0, 0, i, 0, 0, [4]uint32{f(float32(10 + i))})
	}
	m := fragMeta()
	m.Textures = []abi.Texture{{Range: abi.Range{Count: 1}, Dim: ir.Dim2D}, {Range: abi.Range{Binding: 1, First: 1, Count: 1}, Dim: ir.DimCube}}
	m.Samplers = []abi.Range{{Count: 1}}
	tex := func(tag isa.Tag, op isa.TexOp, dim isa.TexDim, n uint16, dst uint8) isa.Bundle {
		return isa.Bundle{Tag: tag, Tex: isa.Texture{Op: op, Mode: isa.TexNormal, Helpers: isa.HelpersNormal, Dim: dim, CoordFull: true,
			CoordSwizzle: isa.XYZW, Full: true, Type: isa.TexTypeFloat, Dst: dst, Mask: 15, Swizzle: isa.XYZW, Texture: n}}
	}
	pair := isa.LoadStore{Op: isa.LdCubemap, Reg: isa.RegTex0, Mask: 3, Swizzle: isa.XYZW, Toggle: true}
	prog := []isa.Bundle{
		constants(isa.RegTex0, [4]uint32{f(0.75), f(0.25), 0, 0}), tex(isa.TagTex, isa.TexSample, isa.Tex2D, 0, 0),
		alu(func(b *isa.Bundle) {
			b.Add(isa.UnitVMUL, isa.Vector(isa.OpImov, isa.Mode32, 4, 0x03).From(1, isa.VReg(isa.RegTex0, 0)))
		}),
		constants(isa.RegConst, [4]uint32{f(0.1), f(-3), f(0.2), 0}), ldst(pair), tex(isa.TagTex, isa.TexSample, isa.TexCube, 1, 1),
		alu(func(b *isa.Bundle) {
			b.Add(isa.UnitVMUL, isa.Vector(isa.OpImov, isa.Mode32, 4, 0x0c).From(1, isa.VReg(isa.RegTex1, 0)))
		}),
		constants(isa.RegTex0, [4]uint32{1, 1, 0, 0}), tex(isa.TagTexVtx, isa.TexFetch, isa.Tex2D, 0, 0),
		alu(func(b *isa.Bundle) {
			b.Add(isa.UnitVMUL, isa.Vector(isa.OpImov, isa.Mode32, 4, 0xf0).From(1, isa.VReg(isa.RegTex0, 0)))
		}),
	}
	out := writeout(4, 0, 0, false)
	out.Next = isa.TagBreak
	wait := writeout(4, 0, -int32(out.Quads()), false)
	p := load(t, m, append(prog, out, wait)...)
	l := quad()
	img := func(v *emu.ImageView) []emu.Descriptor {
		return []emu.Descriptor{{Type: emu.DescCombinedImageSampler, Image: v, Sampler: &emu.Sampler{}}}
	}
	l.Env.Bindings.Set(0, 0, img(fv))
	l.Env.Bindings.Set(0, 1, img(cv))
	finish(t, p, l)
	for i := range 4 {
		if got := l.Out[i][ir.SlotData0]; got != (emu.Vec4{f(1), f(13), f(3), f(3)}) {
			t.Errorf("lane %d: %v %v %v", i, math.Float32frombits(got[0]), math.Float32frombits(got[1]), math.Float32frombits(got[2]))
		}
	}
}

// TestDiscardEndsThread: a discard ends the thread, also one that would loop for ever,
// and derivatives of what is left of its quad are anything.
func TestDiscardEndsThread(t *testing.T) {
	der := isa.Bundle{Tag: isa.TagTex, Tex: isa.Texture{Op: isa.TexDerivative, Helpers: isa.HelpersNormal, Dim: isa.Tex2D, CoordFull: true,
		CoordSwizzle: isa.XYZW, Full: true, Type: isa.TexTypeFloat, Mask: 3, Swizzle: isa.XYZW}}
	above := func(op isa.BranchOp, target isa.Tag, offset int32) isa.Bundle {
		return alu(func(b *isa.Bundle) {
			b.Add(isa.UnitSMUL, isa.Scalar(isa.OpFle, isa.RegCond, 3).From(0, isa.SReg(4, 0)).Inline(0x3c00)) // not in lanes 1 and 3
			b.SetBranch(isa.Branch{Op: op, Cond: isa.CondFalse, Target: target, Offset: offset})
		})
	}
	prog := []isa.Bundle{
		ldst(varyingLoad(isa.LdVaryF32, 0, isa.RegTex0, 15, isa.VarySmooth), varyingLoad(isa.LdVaryF32, 2, 4, 15, isa.VarySmooth)),
		above(isa.BranchDiscard, isa.TagInvalid, 2), der,
		above(isa.BranchCond, isa.TagALU4+1, 0),
		alu(func(b *isa.Bundle) {
			b.Add(isa.UnitVMUL, isa.Vector(isa.OpImov, isa.Mode32, 5, 0xff).From(1, isa.VReg(isa.RegTex0, 0)))
		}),
	}
	prog[3].Extended.Offset, prog[3].Extended.Target = -int32(prog[3].Quads()), prog[3].Tag
	out := writeout(5, 0, 0, false)
	out.Next = isa.TagBreak
	p := load(t, fragMeta(), append(prog, out, writeout(5, 0, -int32(out.Quads()), false))...)
	l := quad()
	if st, err := p.NewWave(l).Run(1 << 20); err != nil || st != emu.StatusDone {
		t.Fatalf("status %d, %v", st, err)
	}
	if l.Live[0] != 5 {
		t.Errorf("live lanes %#x", l.Live[0])
	}
	if a, b := l.Out[0][ir.SlotData0][0], l.Out[2][ir.SlotData0][0]; a == f(2.5) && b == f(2.5) {
		t.Error("derivatives are those of the whole quad")
	}
}

// TestHelperField: a later derivative needs what an earlier one gives helpers: not if these end there or are said to need no result.
func TestHelperField(t *testing.T) {
	der := func(h isa.Helpers) isa.Bundle {
		return isa.Bundle{Tag: isa.TagTex, Tex: isa.Texture{Op: isa.TexDerivative, Helpers: h, Dim: isa.Tex2D, CoordFull: true,
			CoordSwizzle: isa.XYZW, Full: true, Type: isa.TexTypeFloat, Mask: 3, Swizzle: isa.XYZW}}
	}
	move := func(to uint8) isa.Bundle {
		return alu(func(b *isa.Bundle) {
			b.Add(isa.UnitVMUL, isa.Vector(isa.OpImov, isa.Mode32, to, 0xff).From(1, isa.VReg(isa.RegTex0, isa.Swz(0, 1, 0, 0))))
		})
	}
	for h, want := range map[isa.Helpers]bool{isa.HelpersNormal: true, isa.HelpersSkip: false, isa.HelpersKill: false} {
		out := writeout(5, 0, 0, false)
		out.Next = isa.TagBreak
		p := load(t, fragMeta(), ldst(varyingLoad(isa.LdVaryF32, 0, isa.RegTex0, 15, isa.VarySmooth)), der(h), move(isa.RegTex0), der(isa.HelpersNormal), move(5),
			out, writeout(5, 0, -int32(out.Quads()), false))
		l := quad()
		l.Fragment[1].Helper = true
		finish(t, p, l)
		if alike := l.Out[0][ir.SlotData0][0] == 0; alike != want {
			t.Errorf("helper field %d: the derivative of what is the same for all is %#x", h, l.Out[0][ir.SlotData0][0])
		}
	}
}
