package core

import (
	"encoding/binary"
	"math/rand"
	"testing"

	"nirc/backend/gputest"
	"nirc/backend/ir3/abi"
	"nirc/backend/ir3/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

// TestRandomCode runs code made of random valid words: it may do anything but
// panic or run on beyond its fuel.
func TestRandomCode(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	var pool []uint64
	for op := isa.OpRaw + 1; op < isa.NumOps; op++ {
		if !op.OnGen(isa.A6xx) || op == isa.OpEnd || execOf[op] == nil && aluOps.Get()[op].nsrc == 0 {
			continue
		}
		n := 0
		for try := 0; try < 4000 && n < 24; try++ {
			w := op.Word(r.Uint64())
			if op.HasTarget() { // short branches
				w = op.Word(w&^(1<<32-1) | uint64(uint32(r.Intn(12)-4)))
			}
			if in, err := isa.Unpack(isa.A6xx, w); err == nil && in.Op == op {
				pool = append(pool, w)
				n++
			}
		}
		if n == 0 {
			t.Errorf("no word of %s decodes", op)
		}
	}
	ended, failed, running := 0, 0, 0
	for n := 0; n < 3000; n++ {
		var code []byte
		for i := 0; i < 16; i++ {
			w := pool[r.Intn(len(pool))]
			if r.Intn(3) > 0 { // keep registers low, so that more is reached
				w &^= 0xc0 | 0xc0<<32 | 0xc000
			}
			code = binary.LittleEndian.AppendUint64(code, w)
		}
		code = binary.LittleEndian.AppendUint64(code, 0x0300000000000000)
		m := newMachine()
		m.check, m.regs, m.private = n%8 == 0, 48, 64
		p := m.loadCode(t, code)
		for _, w := range m.start(p) {
			st, err := w.Run(200)
			switch {
			case err != nil:
				failed++
			case st == emu.StatusDone:
				ended++
			default:
				running++
			}
		}
	}
	t.Logf("%d ended, %d refused, %d still run", ended, failed, running)
}

var stages = []ir.Stage{ir.StageCompute, ir.StageFragment, ir.StageVertex, ir.StageTessCtrl, ir.StageTessEval, ir.StageGeometry}

// anyMeta describes a program of a stage that has a place for all that it can ask for.
func anyMeta(gen isa.Gen, stage ir.Stage) *abi.Meta {
	m := &abi.Meta{Gen: gen, Stage: stage, MaxRegs: 48, BranchStack: 8, ConstLen: 64, PrivateSize: 64, SharedSize: 1024, WorkgroupSize: [3]uint32{29, 1, 1},
		UsesBarrier: true, UsesDiscard: true, ConstData: []byte{1, 2, 3, 4, 5},
		Consts: abi.Consts{Push: abi.Area{Size: 4}, Driver: abi.Area{Offset: 4, Size: 12}, Primitive: abi.Area{Offset: 16, Size: 12}, Map: abi.Area{Offset: 28, Size: 20},
			ImmediateOffset: 56, Immediates: []uint32{1, 0x3f800000}},
		Descriptors: []abi.Descriptor{{Count: 1, Views: []uint8{2}}, {Binding: 1, Slot: 2, Count: 1}, {Binding: 2, Slot: 4, Kind: abi.Combined, Count: 1, View: abi.View{Dim: ir.Dim2D}},
			{Set: 1, Base: 1, Count: 0}}}
	reg := 0
	kinds := map[ir.Stage][]abi.SysvalKind{
		ir.StageCompute: {abi.LocalInvocationID}, ir.StageFragment: {abi.IJPerspPixel, abi.FragCoord, abi.SampleMaskIn, abi.SampleID},
		ir.StageVertex: {abi.VertexID, abi.InstanceID}, ir.StageTessCtrl: {abi.TCSHeader, abi.PrimitiveID, abi.RelPatchID},
		ir.StageTessEval: {abi.TessCoord, abi.RelPatchID, abi.PrimitiveID}, ir.StageGeometry: {abi.GSHeader, abi.PrimitiveID}}
	for _, k := range kinds[stage] {
		m.Sysvals = append(m.Sysvals, abi.Sysval{Kind: k, Reg: reg})
		reg += k.Count()
	}
	out := abi.Output{Slot: ir.SlotPos, Mask: 15, Reg: 4}
	switch stage {
	case ir.StageCompute:
		return m
	case ir.StageFragment:
		m.Inputs, m.TotalIn = []abi.Input{{Slot: ir.SlotVar0, Mask: 3, Reg: abi.NoReg, Interp: ir.InterpSmooth}}, 2
		m.NeedsQuads = true
		m.Prefetches = []abi.Prefetch{{Reg: 20, Mask: 15, Texture: 4, Sampler: 5}}
		out.Slot = ir.SlotData0
	case ir.StageVertex:
		m.Inputs = []abi.Input{{Slot: ir.SlotAttrib0, Mask: 15, Reg: 8}}
		m.Feedback = &abi.Feedback{Captures: []ir.Capture{{Slot: ir.SlotPos, Count: 4, Bits: 32}}, Strides: [ir.NumXfbBuffers]uint32{16}}
	case ir.StageTessCtrl:
		m.Chain.Locations = []abi.Location{{Slot: ir.SlotPos, Mask: 15}, {Slot: ir.SlotPatch0, Mask: 3, Offset: 64, Patch: true}}
		m.Chain.PatchStride = 80
	}
	m.Chain.Tess, m.Chain.Geom = ir.TessInfo{Domain: 1, OutputVertices: 3}, ir.GeomInfo{InPrimitive: 3, OutPrimitive: 2, MaxVertices: 5, Invocations: 2}
	m.Outputs = []abi.Output{out, {Slot: ir.SlotVar0 + 1, Mask: 3, Reg: 24, Half: true, As: isa.F32}}
	if stage == ir.StageGeometry {
		m.Outputs = append(m.Outputs, abi.Output{VertexFlags: true, Mask: 1, Reg: 32})
	}
	return m
}

// runBytes executes bytes as a program of a stage, whatever they are. It reports whether they were loaded.
func runBytes(code []byte, gen isa.Gen, stage ir.Stage, check bool) bool {
	p, err := Load(code, anyMeta(gen, stage))
	if err != nil {
		return false
	}
	mem, b := emu.NewMemory(), &emu.Bindings{}
	buf := mem.Alloc(256)
	b.Set(0, 0, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: buf.Addr, Size: 256}})
	b.Set(0, 1, []emu.Descriptor{{Type: emu.DescUniformBuffer, Addr: buf.Addr, Size: 64}})
	b.Set(0, 2, []emu.Descriptor{gputest.Picture()})
	l := quads(8)
	gputest.AnyStage(l, 1024)
	l.Check = check
	l.Env = &emu.Env{Mem: mem, Bindings: b, Push: []byte{1, 2, 3}}
	w := p.NewWave(l)
	for range 4 {
		if st, err := w.Run(200); err != nil || st == emu.StatusDone {
			break
		}
	}
	return true
}

// TestRandomStages runs random code as every stage.
func TestRandomStages(t *testing.T) {
	r, loaded := rand.New(rand.NewSource(4)), 0
	for n := range 1200 {
		var code []byte
		for range 8 {
			w := r.Uint64()
			for in, err := isa.Unpack(isa.A6xx, w); err != nil || in.Op == isa.OpEnd; in, err = isa.Unpack(isa.A6xx, w) {
				w = r.Uint64()
			}
			if r.Intn(3) > 0 {
				w &^= 0xc0 | 0xc0<<32 | 0xc000
			}
			code = binary.LittleEndian.AppendUint64(code, w)
		}
		if runBytes(binary.LittleEndian.AppendUint64(code, 0x0300000000000000), isa.A6xx, stages[n%len(stages)], n%16 < 8) {
			loaded++
		}
	}
	if loaded < 600 {
		t.Errorf("only %d programs were loaded", loaded)
	}
}

// FuzzRun: no bytes make the core panic.
func FuzzRun(f *testing.F) {
	for i, text := range []string{
		"add.u r1.x, r0.x, 1\n(rpt5)nop\nstib.b.untyped.1d.u32.1.imm.base0 r1.x, r0.x, 0\nend",
		"(rpt1)bary.f (ei)r4.x, (r)0, r0.x\nkill p0.x\nend",
		"cmps.u.lt p0.x, r0.x, 3\n(rpt5)nop\nbr !p0.x, #l\nmov.u32u32 r1.x, 10\nl: (jp)nop\nend",
		"isam.v.base0 (u32)(x)r1.x, r4.x+2, s#5, t#4\n(sy)nop\nend",
		"ldl.u32 r1.x, l[r3.x], 1\n(ss)nop\nstl.u32 l[r2.x], r1.x, 1\nend",
	} {
		code, err := isa.Assemble(isa.A6xx, text)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(code, byte(i))
	}
	f.Fuzz(func(_ *testing.T, code []byte, how byte) {
		gen := isa.A6xx
		if how&32 != 0 {
			gen = isa.A7xx
		}
		runBytes(code, gen, stages[int(how&15)%len(stages)], how&16 != 0)
	})
}
