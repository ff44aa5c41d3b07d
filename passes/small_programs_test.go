package passes

import (
	"testing"

	"nirc/ir"
)

// TestVariableSources: what an operation reads twice counts once, and constants do not.
func TestVariableSources(t *testing.T) {
	s := ir.NewShader(ir.StageCompute, nil)
	f := s.NewFunction("main")
	f.IsEntry = true
	b := ir.NewBuilder(ir.AtEnd(f.Impl.Start()))
	id := &b.Intrinsic(ir.IntrLoadLocalInvocationId, 3, 32).Def
	x, y, one := b.Channel(id, 0), b.Channel(id, 1), b.ImmFloat(1, 32)
	for _, c := range []struct {
		d    *ir.Def
		want int
	}{
		{b.Fadd(x, y), 2}, {b.Fadd(x, x), 1}, {b.Fadd(x, one), 1}, {b.Fadd(one, x), 1}, {b.Fadd(one, one), 0}, {b.Ffma(x, y, x), 2}, {b.Ffma(y, x, x), 2},
		{b.Ffma(x, one, x), 1}, {b.Ffma(x, y, b.Channel(id, 2)), 3},
	} {
		if got := variableSources(c.d.Instr); got != c.want {
			t.Errorf("%s: %d, want %d", c.d.Instr.Op, got, c.want)
		}
	}
}

// TestPointSizeBounds: a shader's point size is clamped by each bound that there is, be it less than a pixel.
func TestPointSizeBounds(t *testing.T) {
	const text = `
shader vertex "main" {
  info { io_lowered }
  fn f0 "main" entry() {
    b0:
      %0:32 = load_const 0x0
      %1:32 = load_vertex_id
      %2:32 = u2f32 %1
      store_output %2, %0 base=0 range=1 write_mask=x src_type=f32 io_semantics={PSIZ 1}
  }
}
`
	for _, c := range []struct {
		list     string
		min, max bool
	}{
		{"lower_point_size(min=0,max=0)", false, false}, {"lower_point_size(min=1,max=0)", true, false}, {"lower_point_size(min=0,max=1)", false, true},
		{"lower_point_size(min=8,max=16)", true, true}, {"lower_point_size", true, false},
	} {
		s, err := ir.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		p, err := ParsePassList(c.list)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Run(s, RunOptions{VerifyEach: true}); err != nil {
			t.Fatal(err)
		}
		n := func(op ir.Op) bool { return counts(s, func(in *ir.Instr) bool { return in.IsALU(op) }) > 0 }
		if n(ir.OpFmax) != c.min || n(ir.OpFmin) != c.max {
			t.Errorf("%s\n%s", c.list, ir.Print(s))
		}
	}
}

// TestCentreOfSamples: coordinates of pixels get a half, those of samples their place.
func TestCentreOfSamples(t *testing.T) {
	for _, samples := range []bool{false, true} {
		s := ir.NewShader(ir.StageFragment, nil)
		f := s.NewFunction("main")
		f.IsEntry = true
		b := ir.NewBuilder(ir.AtEnd(f.Impl.Start()))
		pos := &b.Intrinsic(ir.IntrLoadFragCoord, 4, 32).Def
		b.Intrinsic(ir.IntrStoreOutput, 0, 0, pos, b.Imm32(0)).Set(ir.IdxWriteMask, 15).Set(ir.IdxIoSemantics, ir.IOSemantics{Location: ir.SlotData0, NumSlots: 1}.Pack()).
			Set(ir.IdxSrcType, ir.ALUType{Class: ir.ClassFloat, Bits: 32}.Pack())
		s.Info.UsesSampleShading = samples
		if _, err := RunPass(s, "lower_wpos_center"); err != nil {
			t.Fatal(err)
		}
		if err := ir.Validate(s); err != nil {
			t.Fatal(err)
		}
		if got := counts(s, func(in *ir.Instr) bool { return in.IsIntrinsic(ir.IntrLoadSamplePosOrCenter) }) == 1; got != samples {
			t.Errorf("by samples %v\n%s", samples, ir.Print(s))
		}
	}
}
