package ir3

import (
	"fmt"
	"math"
	"testing"

	"nirc/backend/gputest"
	"nirc/backend/ir3/isa"
	"nirc/internal/emu"
	"nirc/ir"
	"nirc/ir/interp"
)

const stageLanes = 64

// stageEnv, if not nil, fills the environment of launches.
var stageEnv func(env *emu.Env)

// stageApprox is the launches' seed of approximate results, 0 where they are exact.
var stageApprox uint64

// stageLaunch makes 64 vertices or fragments with varied data.
func stageLaunch(stage ir.Stage) *emu.Launch {
	l := &emu.Launch{NumLanes: stageLanes, Check: true, Approx: stageApprox, Out: make([]emu.Slots, stageLanes), Env: &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}}}
	if stageEnv != nil {
		stageEnv(l.Env)
	}
	for i := range stageLanes {
		switch stage {
		case ir.StageVertex:
			l.Vertex = append(l.Vertex, emu.VertexLane{VertexIndex: uint32(100 + i), InstanceIndex: uint32(7 + i/8), BaseVertex: 100, BaseInstance: 7, DrawIndex: 3, IsIndexed: true})
			in := make([]emu.Vec4, ir.NumAttribSlots)
			for s := range in {
				for c := range 4 {
					in[s][c] = math.Float32bits(float32(i)*0.25 + float32(s*4+c))
				}
			}
			l.Inputs = append(l.Inputs, in)
		case ir.StageFragment:
			l.Fragment = append(l.Fragment, fragmentLane(i))
		}
	}
	return l
}

var stagePrim = func() *emu.Primitive {
	v := [3]*emu.Slots{{}, {}, {}}
	for i := range v {
		for s := range v[i] {
			for c := range 4 {
				v[i][s][c] = math.Float32bits(float32(i*i*3+s)*0.5 - float32(c))
			}
		}
	}
	return &emu.Primitive{V: v, Provoking: 1, PrimitiveID: 5, Layer: 3, FrontFacing: false}
}()

func fragmentLane(i int) emu.FragmentLane {
	x, y := i>>2&7*2+i&1, i>>5*2+i>>1&1
	f := emu.FragmentLane{Prim: stagePrim, X: int32(x), Y: int32(y), Helper: i%11 == 3, SampleID: -1, Coord: [4]float32{float32(x) + 0.5, float32(y) + 0.5, float32(i) / 64, 0.5}, Coverage: 1,
		ShadingRate: uint32(i>>2%3<<2 | i>>3%3)}
	for k := range f.Persp {
		f.Persp[k] = [2]float32{float32(x)/16 + float32(k)/64, float32(y) / 16}
		f.Linear[k] = [2]float32{float32(x) / 32, float32(y)/8 + float32(k)/64}
	}
	return f
}

func runStage(p emu.Program, stage ir.Stage) (*emu.Launch, error) {
	l := stageLaunch(stage)
	w := p.NewWave(l)
	for {
		st, err := w.Run(1 << 20)
		if err != nil || st == emu.StatusDone {
			return l, err
		}
	}
}

// stageBinary compares a stage with the interpreter's, and returns what it was compiled to.
func stageBinary(t *testing.T, s *ir.Shader, gpu string) *Binary {
	t.Helper()
	if err := stageDiffer(s, gpu); err != nil {
		t.Errorf("%s: %v", gpu, err)
	}
	bin, err := compile(s, CompileOptions{GPU: gpu})
	if err != nil {
		t.Fatal(err)
	}
	return bin
}

func stageDiffer(s *ir.Shader, gpu string) error { return stageDiffersFrom(s, s, gpu) }

// stageDiffersFrom compares a shader's code with what the interpreter makes of one that it is to be equal to.
func stageDiffersFrom(equal, s *ir.Shader, gpu string) error {
	ref, err := interp.New(equal, interp.Options{WaveSize: 64})
	if err != nil {
		return fmt.Errorf("interpreter: %w", err)
	}
	want, err := runStage(ref, s.Stage)
	if err != nil {
		return fmt.Errorf("interpreter: %w", err)
	}
	p, bin, err := loaded(s, CompileOptions{GPU: gpu})
	if err != nil {
		return fmt.Errorf("load: %w", err)
	}
	got, err := runStage(p, s.Stage)
	if err != nil {
		return fmt.Errorf("core: %w\n%s", err, disasm(bin))
	}
	for l := range min(stageLanes, p.WaveSize()) {
		if s.Stage == ir.StageFragment && want.Fragment[l].Helper {
			continue
		}
		if want.Live.Get(l) != got.Live.Get(l) {
			return fmt.Errorf("lane %d: live %v, want %v\n%s", l, got.Live.Get(l), want.Live.Get(l), disasm(bin))
		}
		if !want.Live.Get(l) {
			continue
		}
		for _, o := range bin.Meta.Outputs {
			for c := range 4 {
				w, g := want.Out[l][o.Slot][c], got.Out[l][o.Slot][c]
				if o.Mask>>c&1 != 0 && w != g && !gputest.Close32(w, g) {
					return fmt.Errorf("lane %d: slot %d component %d is %#x, want %#x\n%s", l, o.Slot, c, g, w, disasm(bin))
				}
			}
		}
	}
	return nil
}

func newStage(stage ir.Stage) (*ir.Shader, *ir.Builder) {
	s := ir.NewShader(stage, nil)
	f := s.NewFunction("main")
	f.IsEntry = true
	return s, ir.NewBuilder(ir.AtEnd(f.Impl.Start()))
}

func sem(slot ir.Slot) uint64 { return ir.IOSemantics{Location: slot, NumSlots: 1}.Pack() }

func outputTo(b *ir.Builder, v *ir.Def, slot ir.Slot) {
	b.Intrinsic(ir.IntrStoreOutput, 0, 0, v, b.Imm32(0)).Set(ir.IdxWriteMask, 1<<v.NumComponents-1).Set(ir.IdxIoSemantics, sem(slot)).
		Set(ir.IdxSrcType, ir.ALUType{Class: ir.ClassFloat, Bits: v.BitSize}.Pack())
}

func inputFrom(b *ir.Builder, slot ir.Slot, comp, n uint8) *ir.Def {
	return &b.Intrinsic(ir.IntrLoadInput, n, 32, b.Imm32(0)).Set(ir.IdxIoSemantics, sem(slot)).Set(ir.IdxComponent, uint64(comp)).
		Set(ir.IdxDestType, ir.ALUType{Class: ir.ClassFloat, Bits: 32}.Pack()).Def
}

func interpolated(b *ir.Builder, bary ir.Intrinsic, mode ir.Interp, slot ir.Slot, comp, n uint8) *ir.Def {
	ij := b.Intrinsic(bary, 2, 32).Set(ir.IdxInterpMode, uint64(mode))
	return &b.Intrinsic(ir.IntrLoadInterpolatedInput, n, 32, &ij.Def, b.Imm32(0)).Set(ir.IdxIoSemantics, sem(slot)).Set(ir.IdxComponent, uint64(comp)).
		Set(ir.IdxDestType, ir.ALUType{Class: ir.ClassFloat, Bits: 32}.Pack()).Def
}

// scaleVec multiplies each component by a constant.
func scaleVec(b *ir.Builder, v *ir.Def, f float64) *ir.Def {
	var l []*ir.Def
	for c := range int(v.NumComponents) {
		l = append(l, b.Fmul(b.Channel(v, c), b.ImmFloat(f, 32)))
	}
	return b.Vec(l...)
}

func TestVertex(t *testing.T) {
	programs.Hold(t)
	for _, gpu := range gpus {
		s, b := newStage(ir.StageVertex)
		outputTo(b, scaleVec(b, inputFrom(b, ir.SlotAttrib0, 0, 4), 2), ir.SlotPos)
		in := inputFrom(b, ir.SlotAttrib0+3, 1, 2)
		id := b.U2f32(&b.Intrinsic(ir.IntrLoadVertexId, 1, 32).Def)
		inst := b.U2f32(b.Iadd(b.Imul(&b.Intrinsic(ir.IntrLoadInstanceId, 1, 32).Def, b.Imm32(100)), &b.Intrinsic(ir.IntrLoadBaseInstance, 1, 32).Def))
		outputTo(b, b.Vec(b.Channel(in, 0), id, inst), ir.SlotVar0)
		draw := b.U2f32(b.Iadd(&b.Intrinsic(ir.IntrLoadDrawId, 1, 32).Def, &b.Intrinsic(ir.IntrLoadFirstVertex, 1, 32).Def))
		i := b.PushIf(b.Flt(b.Channel(in, 1), b.ImmFloat(20, 32)))
		outputTo(b, b.Vec(draw, b.Fneg(draw)), ir.SlotVar0+2)
		b.PushElse(i)
		outputTo(b, b.Vec(b.ImmFloat(3, 32), b.Fabs(b.Fneg(id))), ir.SlotVar0+2)
		b.PopIf(i)
		if err := stageDiffer(s, gpu); err != nil {
			t.Errorf("%s: %v", gpu, err)
		}
	}
}

func TestFragment(t *testing.T) {
	programs.Hold(t)
	for _, gpu := range gpus {
		s, b := newStage(ir.StageFragment)
		v := interpolated(b, ir.IntrLoadBarycentricPixel, ir.InterpSmooth, ir.SlotVar0+1, 0, 4)
		w := interpolated(b, ir.IntrLoadBarycentricPixel, ir.InterpNoPerspective, ir.SlotVar0+2, 1, 2)
		c := interpolated(b, ir.IntrLoadBarycentricCentroid, ir.InterpSmooth, ir.SlotVar0+3, 0, 1)
		flat := inputFrom(b, ir.SlotVar0+5, 2, 1)
		pos := &b.Intrinsic(ir.IntrLoadFragCoord, 4, 32).Def
		face := b.Bcsel(&b.Intrinsic(ir.IntrLoadFrontFace, 1, 1).Def, b.ImmFloat(1, 32), b.ImmFloat(-4, 32))
		dx := &b.Intrinsic(ir.IntrDdxCoarse, 1, 32, b.Fmul(b.Channel(v, 0), b.Channel(v, 0))).Def
		dy := &b.Intrinsic(ir.IntrDdyCoarse, 1, 32, b.Fmul(b.Channel(v, 1), b.Channel(w, 1))).Def
		sat := b.Fsat(b.Fadd(b.Channel(w, 0), flat))
		outputTo(b, b.Vec(b.Fadd(b.Channel(v, 0), dx), b.Fadd(dy, c), b.Fmul(sat, face), b.Fadd(b.Channel(pos, 0), b.Channel(pos, 1))), ir.SlotData0)
		outputTo(b, b.Fadd(b.Channel(pos, 2), b.Channel(pos, 3)), ir.SlotDepth)
		outputTo(b, b.Vec(b.F2f16(flat), b.F2f16(c)), ir.SlotData0+1)
		if err := stageDiffer(s, gpu); err != nil {
			t.Errorf("%s: %v", gpu, err)
		}
	}
}

// The two instructions of a fine derivative write one register with no
// synchronisation between them, as they must.
func TestFineDerivatives(t *testing.T) {
	programs.Hold(t)
	for _, gpu := range gpus {
		s, b := newStage(ir.StageFragment)
		v := interpolated(b, ir.IntrLoadBarycentricPixel, ir.InterpSmooth, ir.SlotVar0+1, 0, 2)
		x, y := b.Fmul(b.Channel(v, 0), b.Channel(v, 1)), b.Fmul(b.Channel(v, 1), b.Channel(v, 1))
		outputTo(b, b.Vec(&b.Intrinsic(ir.IntrDdxFine, 1, 32, x).Def, &b.Intrinsic(ir.IntrDdyFine, 1, 32, b.Fadd(x, y)).Def), ir.SlotData0)
		if err := stageDiffer(s, gpu); err != nil {
			t.Errorf("%s: %v", gpu, err)
		}
	}
}

// TestHalfDerivatives takes derivatives of halves, coarse and fine.
func TestHalfDerivatives(t *testing.T) {
	programs.Hold(t)
	for _, gpu := range gpus {
		s, b := newStage(ir.StageFragment)
		v := interpolated(b, ir.IntrLoadBarycentricPixel, ir.InterpSmooth, ir.SlotVar0+1, 0, 2)
		half := b.F2f16(b.Fadd(b.Fmul(b.Channel(v, 0), b.ImmFloat(3, 32)), b.Channel(v, 1)))
		var list []*ir.Def
		for _, op := range []ir.Intrinsic{ir.IntrDdx, ir.IntrDdy, ir.IntrDdxFine, ir.IntrDdyFine} {
			list = append(list, b.F2f32(&b.Intrinsic(op, 1, 16, half).Def))
		}
		outputTo(b, b.Vec(list...), ir.SlotData0)
		if err := stageDiffer(s, gpu); err != nil {
			t.Errorf("%s: %v", gpu, err)
		}
	}
}

// What a fine derivative waits for stands on its first instruction.
func TestFineDerivativeWaits(t *testing.T) {
	gpu, err := FindGPU("a630")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		before string
		want   [3]isa.Flags // of the pair and a read of its result
	}{
		{"nop", [3]isa.Flags{0, 0, isa.SY}},
		{"ldib.b.untyped.1d.u32.1.imm.base0 r1.x, r5.x, 0", [3]isa.Flags{isa.SY, 0, isa.SY}},
		{"ldib.b.untyped.1d.u32.1.imm.base0 r2.x, r5.x, 0", [3]isa.Flags{isa.SY, 0, isa.SY}},
		{"ldib.b.untyped.1d.u32.1.imm.base0 r5.x, r1.x, 0", [3]isa.Flags{0, 0, isa.SY}},
	} {
		p := &phys{gpu: gpu}
		p.cur = p.newBlock()
		for _, text := range []string{c.before, "dsxpp.1 (x)r1.x, r2.x", "dsxpp.1.p (x)r1.x, r2.x", "mov.u32u32 r3.x, r1.x"} {
			in, err := isa.ParseText(gpu.Gen, text)
			if err != nil {
				t.Fatal(err)
			}
			p.emit(in, 0)
		}
		p.sync(nil, nil)
		last := p.blocks[0].ins[len(p.blocks[0].ins)-len(c.want):]
		for i, want := range c.want {
			if x := &last[i]; x.Flags&(isa.SS|isa.SY) != want {
				t.Errorf("after %s: %s, want the flags %#x", c.before, x.Text(gpu.Gen), want)
			}
		}
	}
}

// TestVoteBehindTerminate: fibers that are gone have no vote.
func TestVoteBehindTerminate(t *testing.T) {
	programs.Hold(t)
	for _, gpu := range gpus {
		s, b := newStage(ir.StageFragment)
		x := b.Channel(&b.Intrinsic(ir.IntrLoadFragCoord, 4, 32).Def, 0)
		gone := b.Feq(x, b.ImmFloat(1.5, 32))
		b.Intrinsic(ir.IntrTerminateIf, 0, 0, gone)
		vote := &b.Intrinsic(ir.IntrVoteAny, 1, 1, gone).Def
		outputTo(b, b.Vec(x, b.Bcsel(vote, b.ImmFloat(1, 32), b.ImmFloat(2, 32))), ir.SlotData0)
		if err := ir.Validate(s); err != nil {
			t.Fatal(err)
		}
		if err := stageDiffer(s, gpu); err != nil {
			t.Errorf("%s: %v", gpu, err)
		}
	}
}

func TestDiscard(t *testing.T) {
	programs.Hold(t)
	for _, gpu := range gpus {
		for _, kind := range []ir.Intrinsic{ir.IntrTerminateIf, ir.IntrDemoteIf} {
			s, b := newStage(ir.StageFragment)
			pos := &b.Intrinsic(ir.IntrLoadFragCoord, 4, 32).Def
			x := b.Channel(pos, 0)
			pre := b.Cursor.Block
			l := b.PushLoop()
			phi := s.NewPhi(1, 32)
			b.Insert(phi)
			zero := ir.NewBuilder(ir.AtEnd(pre)).ImmFloat(0, 32)
			s.AddPhiSrc(phi, pre, zero)
			b.Intrinsic(kind, 0, 0, b.Feq(b.Fadd(&phi.Def, x), b.ImmFloat(6.5, 32)))
			i := b.PushIf(b.Flt(b.ImmFloat(4, 32), &phi.Def))
			b.Jump(ir.JumpBreak)
			b.PopIf(i)
			s.AddPhiSrc(phi, b.Cursor.Block, b.Fadd(&phi.Def, b.ImmFloat(1, 32)))
			b.PopLoop(l)
			d := x
			if kind == ir.IntrDemoteIf { // derivatives after a terminate have no meaning
				d = &b.Intrinsic(ir.IntrDdx, 1, 32, b.Fmul(x, x)).Def
			}
			outputTo(b, b.Vec(x, d, &phi.Def), ir.SlotData0)
			if err := ir.Validate(s); err != nil {
				t.Fatal(err)
			}
			if err := stageDiffer(s, gpu); err != nil {
				t.Errorf("%s, %s: %v", gpu, kind, err)
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	s, b := newStage(ir.StageFragment)
	tex := s.NewTex(ir.TexOp(0), 4, 32)
	b.Insert(tex)
	if _, err := held(Compile(s, CompileOptions{})); err == nil || err.Error() != "ir3: tex without a texture deref is not supported by the ir3 backend" {
		t.Errorf("texture: %v", err)
	}
	if _, err := held(Compile(ir.NewShader(ir.StageKernel, nil), CompileOptions{})); err == nil || err.Error() != "ir3: kernel shaders are not supported" {
		t.Errorf("kernel: %v", err)
	}
	if _, err := held(Compile(ir.NewShader(ir.StageCompute, nil), CompileOptions{GPU: "a999"})); err == nil {
		t.Error("no error for an unknown GPU")
	}
	if _, err := held(Compile(ir.NewShader(ir.StageCompute, nil), CompileOptions{})); err == nil {
		t.Error("no error for a shader without entry point")
	}
}

// TestAttributeRegisters: an attribute takes as many registers as the shader reads components of it, up to the last, and no more.
func TestAttributeRegisters(t *testing.T) {
	programs.Hold(t)
	for _, gpu := range gpus {
		for n := uint8(1); n <= 4; n++ {
			s, b := newStage(ir.StageVertex)
			const attributes = 4
			for k := range ir.Slot(attributes) {
				for c := range n {
					v := inputFrom(b, ir.SlotAttrib0+k, c, 1)
					outputTo(b, b.Fadd(v, b.ImmFloat(1, 32)), ir.SlotVar0+k*4+ir.Slot(c))
				}
			}
			bin := stageBinary(t, s, gpu)
			if got, want := bin.Meta.MaxRegs, int(n)*attributes/4; int(got) != want {
				t.Errorf("%s: %d attributes of %d components take %d vec4s of registers, want %d\n%s", gpu, attributes, n, got, want, disasm(bin))
			}
		}
	}
}
