package ir

import "testing"

// sampleShader uses every kind of instruction and node.
func sampleShader() *Shader {
	s := NewShader(StageFragment, nil)
	s.Name = "main"
	s.Info.WorkgroupSize = [3]uint32{1, 2, 3}
	st := &Type{Base: BaseStruct, Name: "S", Block: true, Fields: []Field{
		{Name: "m", Type: &Type{Base: BaseFloat, Bits: 32, Rows: 4, Cols: 3, Stride: 16, RowMajor: true}, Offset: 0, Location: -1, BuiltIn: -1, XfbBuffer: -1, XfbOffset: -1},
		{Name: "a", Type: ArrayType(VectorType(BaseFloat, 32, 4), 0, 16), Offset: 64, Location: -1, BuiltIn: -1, XfbBuffer: -1, XfbOffset: -1}}}
	v := s.NewVariable(ModeSSBO, st, "buf")
	v.HasBinding, v.Binding = true, 3
	in := s.NewVariable(ModeShaderIn, VectorType(BaseFloat, 32, 4), "in")
	in.Location = int32(SlotVar0) + 2
	callee := s.NewFunction("f")
	callee.Params = []Param{{NumComponents: 1, BitSize: 32, IsReturn: true, Type: VectorType(BaseFloat, 32, 1), Modes: ModeFunctionTemp}}
	callee.Impl.Start().InsertJump(JumpReturn)
	f := s.NewFunction("main")
	f.IsEntry = true
	tmp := f.Impl.NewLocal(ArrayType(VectorType(BaseFloat, 32, 1), 4, 0), "tmp")
	b := NewBuilder(AtEnd(f.Impl.Start()))
	x := b.LoadVar(in)
	y := b.Fmul(x, b.ImmFloat(1.5, 32))
	c := b.Flt(b.Channel(y, 0), b.ImmFloat(0, 32))
	i := b.PushIf(c)
	t := b.Fadd(x, y)
	b.PushElse(i)
	e := b.Fneg(x)
	b.PopIf(i)
	ph := b.IfPhi(i, t, e)
	b.PopIf(i)
	l := b.PushLoop()
	br := b.PushIf(b.Feq(b.Channel(ph, 1), b.ImmFloat(2, 32)))
	b.Jump(JumpBreak)
	b.PopIf(br)
	l.AddContinue()
	b.PopLoop(l)
	d := b.DerefVar(tmp)
	b.StoreDeref(b.DerefArrayImm(d, 2), b.Channel(ph, 3), 0, AccessVolatile)
	cast := b.DerefCast(b.Vec(b.Imm32(1), b.Imm32(2)), ModeSSBO, st, 4)
	b.StoreDeref(b.DerefArrayImm(b.DerefStruct(cast, 1), 1), ph, 0b1010, 0)
	b.Insert(s.NewCall(callee, b.DerefArrayImm(d, 1)))
	tex := s.NewTex(TexOpTxl, 4, 32)
	tex.TexInfo().Dim, tex.TexInfo().DestType, tex.TexInfo().IsArray = Dim2D, ALUType{ClassFloat, 32}, true
	s.AddTexSrc(tex, TexSrcCoord, b.Channels(ph, 0, 3))
	s.AddTexSrc(tex, TexSrcLod, b.ImmFloat(0, 32))
	b.Insert(tex)
	b.Intrinsic(IntrStoreOutput, 0, 0, &tex.Def, b.Imm32(0)).Set(IdxWriteMask, 15).
		Set(IdxIoSemantics, IOSemantics{Location: SlotData0, NumSlots: 1}.Pack()).Set(IdxSrcType, ALUType{ClassFloat, 32}.Pack())
	_ = v
	return s
}

func TestTextRoundTrip(t *testing.T) {
	s := sampleShader()
	text := PrintWith(s, PrintOptions{Locs: true})
	s2, err := Parse(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if again := PrintWith(s2, PrintOptions{Locs: true}); again != text {
		t.Errorf("second print differs:\n%s\n---\n%s", text, again)
	}
	if testing.Verbose() {
		t.Log(text)
	}
}

func TestSampleIsValid(t *testing.T) {
	if err := Validate(sampleShader()); err != nil {
		t.Fatal(err)
	}
}

func TestCloneEqual(t *testing.T) {
	s := sampleShader()
	c := Clone(s)
	if err := Validate(c); err != nil {
		t.Fatal(err)
	}
	a, b := PrintWith(s, PrintOptions{Locs: true}), PrintWith(c, PrintOptions{Locs: true})
	if a != b {
		t.Errorf("clone differs:\n%s\n---\n%s", a, b)
	}
}

// TestConstComment reads constants as what they more likely are.
func TestConstComment(t *testing.T) {
	for _, c := range []struct {
		v    uint64
		bits uint8
		want string
	}{
		{1, 32, "1"}, {0x3fc00000, 32, "1.5"}, {0xffffffff, 32, "-1"}, {0x7f800000, 32, "+Inf"}, {0x80000000, 32, "-0"}, {0x800000, 32, "1.1754944e-38"},
		{0xffff, 16, "-1"}, {0x3c00, 16, "1"}, {7, 16, "7"}, {3, 64, "3"}, {1<<64 - 2, 64, "-2"}, {0x3ff0000000000000, 64, "1"}, {200, 8, ""},
	} {
		if got := constComment(c.v, c.bits); got != c.want {
			t.Errorf("%#x:%d: %q, want %q", c.v, c.bits, got, c.want)
		}
	}
}
