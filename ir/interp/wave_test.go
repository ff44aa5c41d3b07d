package interp

import (
	"errors"
	"math"
	"strings"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
)

// TestSharedBarrier exchanges values between two waves through workgroup memory.
func TestSharedBarrier(t *testing.T) {
	k := newBench(t, 2)
	b := k.b
	arr := ir.ArrayType(ir.ScalarType(ir.BaseUint, 32), 8, 0)
	v := k.s.NewVariable(ir.ModeShared, arr, "sh")
	cnt := k.s.NewVariable(ir.ModeShared, ir.ScalarType(ir.BaseUint, 32), "cnt")
	b.StoreDeref(b.DerefArray(b.DerefVar(v), k.lane), b.Imul(k.lane, k.lane), 0, 0)
	b.Intrinsic(ir.IntrDerefAtomic, 1, 32, b.DerefVar(cnt), b.Imm32(3)).Set(ir.IdxAtomicOp, uint64(ir.AtomicIAdd))
	b.Intrinsic(ir.IntrBarrier, 0, 0).Set(ir.IdxExecutionScope, uint64(ir.ScopeWorkgroup)).Set(ir.IdxMemoryScope, uint64(ir.ScopeWorkgroup)).
		Set(ir.IdxMemorySemantics, uint64(ir.SemAcquire|ir.SemRelease)).Set(ir.IdxMemoryModes, uint64(ir.ModeShared))
	k.out(b.LoadDeref(b.DerefArray(b.DerefVar(v), b.Isub(b.Imm32(7), k.lane)), 0))
	k.out(b.LoadVar(cnt))
	r := k.run(4)
	k.want(r, 0, func(l int) uint32 { return uint32((7 - l) * (7 - l)) })
	k.want(r, 1, func(int) uint32 { return 24 })
}

func TestSubgroup(t *testing.T) {
	k := newBench(t, 16)
	b := k.b
	intr := func(i ir.Intrinsic, src ...*ir.Def) *ir.Instr { return b.Intrinsic(i, 1, 32, src...) }
	bool1 := func(i ir.Intrinsic, src ...*ir.Def) *ir.Def { return b.B2i32(&b.Intrinsic(i, 1, 1, src...).Def) }
	one := b.Iadd(k.lane, b.Imm32(1))
	k.out(&intr(ir.IntrReduce, one).Set(ir.IdxReductionOp, uint64(ir.OpIadd)).Def)
	k.out(&intr(ir.IntrReduce, one).Set(ir.IdxReductionOp, uint64(ir.OpImul)).Set(ir.IdxClusterSize, 4).Def)
	k.out(&intr(ir.IntrInclusiveScan, one).Set(ir.IdxReductionOp, uint64(ir.OpIadd)).Def)
	k.out(&intr(ir.IntrShuffleXor, k.lane, b.Imm32(5)).Def)
	k.out(&intr(ir.IntrQuadBroadcast, k.lane, b.Imm32(2)).Def)
	k.out(&intr(ir.IntrRotate, k.lane, b.Imm32(1)).Set(ir.IdxClusterSize, 4).Def) // 5
	i := b.PushIf(b.Ine(b.Iand(k.lane, b.Imm32(1)), b.Imm32(0)))                  // odd lanes
	ballot := b.Intrinsic(ir.IntrBallot, 4, 32, b.Ult(b.Imm32(2), k.lane))
	k.outAt(b.Channel(&ballot.Def, 0), 6)
	k.outAt(&intr(ir.IntrExclusiveScan, one).Set(ir.IdxReductionOp, uint64(ir.OpUmin)).Def, 7)
	k.outAt(bool1(ir.IntrElect), 8)
	k.outAt(&intr(ir.IntrReadFirstInvocation, k.lane).Def, 9)
	k.outAt(bool1(ir.IntrVoteAll, b.Ult(b.Imm32(0), k.lane)), 10)
	k.outAt(bool1(ir.IntrVoteIeq, k.lane), 11)
	k.outAt(&b.Intrinsic(ir.IntrBallotBitCountExclusive, 1, 32, &ballot.Def).Def, 12)
	k.outAt(&intr(ir.IntrShuffle, k.lane, b.Imm32(2)).Def, 13) // an inactive lane
	b.PopIf(i)
	r := k.run(8)
	k.want(r, 0, func(int) uint32 { return 36 })
	k.want(r, 1, func(l int) uint32 {
		if l < 4 {
			return 24
		}
		return 5 * 6 * 7 * 8
	})
	k.want(r, 2, func(l int) uint32 { return uint32((l + 1) * (l + 2) / 2) })
	k.want(r, 3, func(l int) uint32 { return uint32(l ^ 5) })
	k.want(r, 4, func(l int) uint32 { return uint32(l&^3 | 2) })
	k.want(r, 5, func(l int) uint32 { return uint32(l&^3 | (l+1)&3) })
	odd := func(f func(l int) uint32) func(int) uint32 {
		return func(l int) uint32 {
			if l&1 == 0 {
				return 0
			}
			return f(l)
		}
	}
	k.want(r, 6, odd(func(int) uint32 { return 0b10101000 }))
	k.want(r, 7, odd(func(l int) uint32 {
		if l == 1 {
			return 0xffffffff
		}
		return 2
	}))
	k.want(r, 8, odd(func(l int) uint32 { return uint32(truth(l == 1)) }))
	k.want(r, 9, odd(func(int) uint32 { return 1 }))
	k.want(r, 10, odd(func(int) uint32 { return 1 }))
	k.want(r, 11, odd(func(int) uint32 { return 0 }))
	k.want(r, 12, odd(func(l int) uint32 { return uint32(max(0, l/2-1)) }))
	k.want(r, 13, odd(func(int) uint32 { return 0 }))
}

// TestAbsentLanes asks for the values of lanes that are not active, or not there.
func TestAbsentLanes(t *testing.T) {
	const undef = 0x12345678_9abcdef0
	k := newBench(t, 3)
	b := k.b
	k.undef = undef
	k.out(&b.Intrinsic(ir.IntrShuffleXor, 1, 32, k.lane, b.Imm32(4)).Def)
	k.out(b.U2u32(&b.Intrinsic(ir.IntrShuffleUp, 1, 16, b.U2u16(k.lane), b.Imm32(1)).Def))
	i := b.PushIf(b.Ult(b.Imm32(0), k.lane))
	k.outAt(&b.Intrinsic(ir.IntrQuadBroadcast, 1, 32, k.lane, b.Imm32(0)).Def, 2)
	b.PopIf(i)
	r := k.run(4)
	first := uint32(undef & 0xffffffff)
	third := r.at(1, 2)
	if third == first || third&0xffff != first&0xffff {
		t.Errorf("absent lanes read as %#x, and later as %#x", first, third)
	}
	k.want(r, 0, func(int) uint32 { return first })
	k.want(r, 1, func(l int) uint32 {
		if l&3 == 0 {
			return undef & 0xffff
		}
		return uint32(l - 1)
	})
	k.want(r, 2, func(l int) uint32 {
		switch {
		case l == 0:
			return 0
		case l < 4:
			return third
		}
		return 4
	})
}

// TestLongLoop yields and goes on, and counts to a number by lane.
func TestLongLoop(t *testing.T) {
	k := newBench(t, 1)
	b := k.b
	v := b.Impl.NewLocal(ir.ScalarType(ir.BaseUint, 32), "n")
	b.StoreVar(v, b.Imm32(0), 0)
	l := b.PushLoop()
	i := b.PushIf(b.Uge(b.LoadVar(v), b.Imul(k.lane, b.Imm32(1000))))
	b.Jump(ir.JumpBreak)
	b.PopIf(i)
	b.StoreVar(v, b.Iadd(b.LoadVar(v), b.Imm32(1)), 0)
	b.PopLoop(l)
	k.out(b.LoadVar(v))
	r := k.run(32)
	k.want(r, 0, func(l int) uint32 { return uint32(1000 * l) })
}

// TestUnsupportedTexture: what has no meaning is refused before it runs.
func TestUnsupportedTexture(t *testing.T) {
	k := newBench(t, 1)
	tex := k.s.NewTex(ir.TexOpTxfMsFb, 4, 32)
	tex.TexInfo().Dim, tex.TexInfo().DestType = ir.DimMS, ir.ALUType{Class: ir.ClassFloat, Bits: 32}
	tex.TexInfo().CoordComponents = 2
	k.s.AddTexSrc(tex, ir.TexSrcCoord, k.b.Vec(k.lane, k.lane))
	k.b.Insert(tex)
	_, err := New(k.s, Options{})
	if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "txf_ms_fb") {
		t.Errorf("error %v", err)
	}
}

// fragment runs a fragment shader on one quad of a triangle whose varying 0
// is (x, y, 1, x*y+1) at the pixel's centre.
func fragment(t *testing.T, s *ir.Shader) *emu.Launch {
	t.Helper()
	return fragmentWith(t, s, Options{}, func(*emu.Bindings) {})
}

// fragmentWith is fragment with descriptors, and with options for all but the wave size.
func fragmentWith(t *testing.T, s *ir.Shader, opts Options, bind func(*emu.Bindings)) *emu.Launch {
	t.Helper()
	if err := ir.Validate(s); err != nil {
		t.Fatalf("invalid: %v\n%s", err, ir.Print(s))
	}
	opts.WaveSize = 8
	p, err := New(s, opts)
	if err != nil {
		t.Fatal(err)
	}
	var v [3]emu.Slots
	at := [3][2]float32{{0, 0}, {4, 0}, {0, 4}}
	for i := range v {
		for c, x := range []float32{at[i][0], at[i][1], float32(i + 1), 1} {
			v[i][ir.SlotVar0][c] = math.Float32bits(x)
		}
	}
	bary := func(x, y float32, _ bool) (float32, float32) { return x / 4, y / 4 }
	prim := &emu.Primitive{V: [3]*emu.Slots{&v[0], &v[1], &v[2]}, Provoking: 2, FrontFacing: true, Bary: bary, Samples: 1}
	l := &emu.Launch{Env: &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}}, NumLanes: 4, Out: make([]emu.Slots, 4)}
	for i := range 4 {
		f := emu.FragmentLane{Prim: prim, X: int32(i & 1), Y: int32(i >> 1), SampleID: -1, Helper: i == 3}
		f.Coord = [4]float32{float32(f.X) + 0.5, float32(f.Y) + 0.5, 0.25, 1}
		for k := range 3 {
			x, y := bary(f.Coord[0], f.Coord[1], true)
			f.Persp[k], f.Linear[k] = [2]float32{x, y}, [2]float32{x, y}
		}
		l.Fragment = append(l.Fragment, f)
	}
	bind(l.Env.Bindings)
	if _, err := p.NewWave(l).Run(100000); err != nil {
		t.Fatal(err)
	}
	return l
}

func newFragment() (*ir.Shader, *ir.Builder, *ir.Variable, *ir.Variable) {
	s := ir.NewShader(ir.StageFragment, nil)
	f := s.NewFunction("main")
	f.IsEntry = true
	vec4 := ir.VectorType(ir.BaseFloat, 32, 4)
	in := s.NewVariable(ir.ModeShaderIn, vec4, "in")
	in.Location, in.Interp = int32(ir.SlotVar0), ir.InterpSmooth
	out := s.NewVariable(ir.ModeShaderOut, vec4, "out")
	out.Location = int32(ir.SlotData0)
	return s, ir.NewBuilder(ir.AtEnd(f.Impl.Start())), in, out
}

func TestFragmentVariables(t *testing.T) {
	s, b, in, out := newFragment()
	v := b.LoadVar(in)
	x := b.Channel(v, 0)
	sq := b.Fmul(x, x)
	fc := s.NewVariable(ir.ModeSystemValue, ir.VectorType(ir.BaseFloat, 32, 4), "fragcoord")
	fc.BuiltIn = 15
	off := b.Intrinsic(ir.IntrInterpDerefAtOffset, 4, 32, b.DerefVar(in), b.Const(32, uint64(math.Float32bits(0.25)), 0))
	i := b.PushIf(b.Flt(b.Channel(b.LoadVar(fc), 1), b.ImmFloat(1, 32))) // the upper row
	b.PopIf(i)
	b.StoreVar(out, b.Vec(x, &b.Intrinsic(ir.IntrDdxFine, 1, 32, sq).Def, b.Channel(&off.Def, 0), b.Channel(b.LoadVar(fc), 2)), 0)
	d := b.PushIf(b.Fge(x, b.ImmFloat(1, 32)))
	b.Intrinsic(ir.IntrDemote, 0, 0)
	b.PopIf(d)
	l := fragment(t, s)
	for i := range 4 {
		px := float32(i&1) + 0.5
		want := [4]float32{px, 2, px + 0.25, 0.25}
		for c, w := range want {
			if got := math.Float32frombits(l.Out[i][ir.SlotData0][c]); got != w {
				t.Errorf("lane %d component %d: %g, want %g", i, c, got, w)
			}
		}
		if l.Live.Get(i) != (px < 1) {
			t.Errorf("lane %d live %v", i, l.Live.Get(i))
		}
	}
}

func TestFragmentIntrinsics(t *testing.T) {
	s, b, _, _ := newFragment()
	s.Variables = nil
	sem := ir.IOSemantics{Location: ir.SlotVar0, NumSlots: 1}.Pack()
	f32 := ir.ALUType{Class: ir.ClassFloat, Bits: 32}.Pack()
	bary := b.Intrinsic(ir.IntrLoadBarycentricPixel, 2, 32).Set(ir.IdxInterpMode, uint64(ir.InterpSmooth))
	sm := b.Intrinsic(ir.IntrLoadInterpolatedInput, 2, 32, &bary.Def, b.Imm32(0)).Set(ir.IdxIoSemantics, sem).Set(ir.IdxDestType, f32)
	fl := b.Intrinsic(ir.IntrLoadInput, 1, 32, b.Imm32(0)).Set(ir.IdxIoSemantics, sem).Set(ir.IdxComponent, 2).Set(ir.IdxDestType, f32)
	osem := ir.IOSemantics{Location: ir.SlotData0, NumSlots: 1}.Pack()
	b.Intrinsic(ir.IntrStoreOutput, 0, 0, b.Vec(b.Channel(&sm.Def, 1), &fl.Def), b.Imm32(0)).Set(ir.IdxIoSemantics, osem).
		Set(ir.IdxWriteMask, 3).Set(ir.IdxComponent, 1).Set(ir.IdxSrcType, f32)
	b.Intrinsic(ir.IntrTerminateIf, 0, 0, b.Flt(b.Channel(&sm.Def, 0), b.ImmFloat(1, 32)))
	b.Intrinsic(ir.IntrStoreOutput, 0, 0, b.ImmFloat(9, 32), b.Imm32(0)).Set(ir.IdxIoSemantics, osem).Set(ir.IdxWriteMask, 1).Set(ir.IdxSrcType, f32)
	l := fragment(t, s)
	for i := range 4 {
		first := float32(0)
		if i&1 == 1 {
			first = 9
		}
		for c, w := range []float32{first, float32(i>>1) + 0.5, 3} {
			if got := math.Float32frombits(l.Out[i][ir.SlotData0][c]); got != w {
				t.Errorf("lane %d component %d: %g, want %g", i, c, got, w)
			}
		}
		if l.Live.Get(i) != (i&1 == 1) {
			t.Errorf("lane %d live %v", i, l.Live.Get(i))
		}
	}
	p, _ := New(s, Options{})
	io := p.IO()
	if len(io.Inputs) != 1 || io.Inputs[0].Mask != 7 || len(io.Outputs) != 1 || io.Outputs[0].Mask != 7 || !io.UsesDiscard {
		t.Errorf("interface %+v", io)
	}
}

// BenchmarkLoop measures lane-operations: 32 lanes, 300 turns of a Mandelbrot loop.
func BenchmarkLoop(b *testing.B) {
	s, bb, in, out := newFragment()
	v := bb.LoadVar(in)
	pre := bb.Cursor.Block
	zero, n0 := bb.ImmFloat(0, 32), bb.Imm32(0)
	l := bb.PushLoop()
	head := bb.Cursor.Block
	x, y, n := s.NewPhi(1, 32), s.NewPhi(1, 32), s.NewPhi(1, 32)
	for _, p := range []*ir.Instr{n, y, x} {
		ir.AtStart(head).Insert(p)
	}
	bb.Cursor = ir.AtEnd(head)
	i := bb.PushIf(bb.Uge(&n.Def, bb.Imm32(300)))
	bb.Jump(ir.JumpBreak)
	bb.PopIf(i)
	x2 := bb.Fadd(bb.Fsub(bb.Fmul(&x.Def, &x.Def), bb.Fmul(&y.Def, &y.Def)), bb.Fmul(bb.Channel(v, 0), bb.ImmFloat(0.1, 32)))
	y2 := bb.Fadd(bb.Fmul(bb.Fmul(&x.Def, &y.Def), bb.ImmFloat(2, 32)), bb.Fmul(bb.Channel(v, 1), bb.ImmFloat(0.1, 32)))
	n2 := bb.Iadd(&n.Def, bb.Imm32(1))
	end := bb.Cursor.Block
	for _, p := range [][3]*ir.Def{{&x.Def, zero, x2}, {&y.Def, zero, y2}, {&n.Def, n0, n2}} {
		setPhi(s, p[0].Instr, pre, p[1])
		setPhi(s, p[0].Instr, end, p[2])
	}
	bb.PopLoop(l)
	bb.StoreVar(out, bb.Vec(&x.Def, &y.Def, &x.Def, &y.Def), 0)
	p, err := New(s, Options{})
	if err != nil {
		b.Fatal(err)
	}
	var slots emu.Slots
	prim := &emu.Primitive{V: [3]*emu.Slots{&slots, &slots, &slots}}
	launch := &emu.Launch{Env: &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}}, NumLanes: 32, Out: make([]emu.Slots, 32), Fragment: make([]emu.FragmentLane, 32)}
	for i := range launch.Fragment {
		launch.Fragment[i].Prim = prim
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.NewWave(launch).Run(1 << 30); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(32*300*13), "ns/lane-op")
}
