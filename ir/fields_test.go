package ir

import (
	"reflect"
	"strings"
	"testing"
)

// setAll sets every field of *p that is a number, a flag or an array of them
// to something that is not its default, and the structs inside likewise.
func setAll(p reflect.Value, skip string) {
	for i := range p.NumField() {
		f := p.Field(i)
		if !f.CanSet() || strings.Contains(skip, " "+p.Type().Field(i).Name+" ") {
			continue
		}
		switch f.Kind() {
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Int, reflect.Int8, reflect.Int32, reflect.Int64:
			f.SetInt(3)
		case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
			f.SetUint(2)
		case reflect.Array:
			for k := range f.Len() {
				if f.Index(k).CanUint() {
					f.Index(k).SetUint(uint64(k + 4))
				} else if f.Index(k).Kind() == reflect.Array {
					for j := range f.Index(k).Len() {
						f.Index(k).Index(j).SetInt(int64(k*2 + j - 3))
					}
				}
			}
		case reflect.Struct:
			setAll(f, skip)
		}
	}
}

// TestEveryFieldIsKept: the text and the binary form keep every field of what
// a shader is made of. A field added to a struct and forgotten there fails here.
func TestEveryFieldIsKept(t *testing.T) {
	s := NewShader(StageFragment, nil)
	s.Name, s.ConstantData, s.ScratchSize, s.SharedSize = "main", []byte{1, 2}, 7, 9
	s.Files, s.Funcs, s.Names = []string{"", "f"}, []string{"", "g"}, []string{"", "n"}
	s.Locs = []Loc{{}, {1, 2, 3, 4, 5, 0, 0}, {1, 3, 3, 4, 5, 1, 1}}
	setAll(reflect.ValueOf(&s.Info).Elem(), " ")
	field := Field{Name: "m", Type: VectorType(BaseFloat, 32, 2)}
	setAll(reflect.ValueOf(&field).Elem(), " Type ")
	st := &Type{Base: BaseStruct, Name: "T", Block: true, Fields: []Field{field}}
	v := s.NewVariable(ModeShaderIn, st, "v")
	setAll(reflect.ValueOf(v).Elem(), " Type Mode ID Init PointerInit InterfaceType ")
	w := s.NewVariable(ModeShaderIn, VectorType(BaseFloat, 32, 4), "w")
	w.Init = &Constant{Values: [4]uint64{1, 2, 3, 4}}
	v.PointerInit, v.InterfaceType = w, st
	v.Init = &Constant{Elems: []*Constant{{Zero: true}}}
	img := &Type{Base: BaseImage, Dim: DimMS, Arrayed: true, Shadow: true, MS: true, Texel: BaseUint, TexelBits: 32}
	s.NewVariable(ModeImage, ArrayType(img, 3, 0), "i")
	s.NewVariable(ModeSSBO, &Type{Base: BaseFloat, Bits: 32, Rows: 3, Cols: 2, Stride: 16, RowMajor: true}, "m")
	s.NewVariable(ModeSSBO, &Type{Base: BaseUint, Bits: 16, Rows: 2, Cols: 1, Stride: 8}, "row")
	f := s.NewFunction("main")
	f.IsEntry, f.IsPreamble, f.ShouldInline, f.DontInline = true, true, true, true
	f.Params = []Param{{NumComponents: 2, BitSize: 16, IsReturn: true, IsUniform: true, Type: st, Modes: ModeSSBO | ModeUBO, Name: "p"}}
	b := NewBuilder(AtEnd(f.Impl.Start()))
	tex := s.NewTex(TexOpTg4, 4, 32)
	setAll(reflect.ValueOf(tex.TexInfo()).Elem(), " SrcKinds ")
	s.AddTexSrc(tex, TexSrcCoord, b.Undef(2, 32))
	tex.Loc, tex.Def.Name = 1, 1
	b.Insert(tex)
	cast := b.DerefCast(b.Undef(1, 64), ModeSSBO, st, 4)
	d := cast.Instr.DerefInfo()
	d.InBounds, d.AlignMul, d.AlignOffset = true, 16, 4
	add := b.ALUInstr(OpFadd, &tex.Def, b.Const(32, 1, 2, 3, 4))
	add.Exact, add.NoSignedWrap, add.NoUnsignedWrap, add.FastMath, add.Relaxed = true, true, true, 0x1ff, true
	add.Srcs[1].Swizzle = Swz(3, 2, 1, 0)
	i := b.PushIf(b.ImmBool(true))
	i.Control = IfDivergentAlwaysTaken
	b.PopIf(i)
	l := b.PushLoop()
	l.Control, l.PartiallyUnrolled = LoopDontUnroll, true
	l.AddContinue()
	s.NewFunction("decl").Impl = nil

	fromText, err := Parse(PrintWith(s, PrintOptions{Locs: true}))
	if err != nil {
		t.Fatalf("%v\n%s", err, PrintWith(s, PrintOptions{Locs: true}))
	}
	fromBytes, err := Deserialize(Serialize(s, SerializeOptions{}))
	if err != nil {
		t.Fatal(err)
	}
	for name, g := range map[string]*Shader{"text": fromText, "binary": fromBytes, "clone": Clone(s)} {
		for _, c := range []struct {
			what string
			a, b any
		}{
			{"info", s.Info, g.Info},
			{"data", []any{s.Name, s.ConstantData, s.ScratchSize, s.SharedSize, s.Files, s.Funcs, s.Names, s.Locs, s.nextVar}, []any{g.Name, g.ConstantData, g.ScratchSize, g.SharedSize, g.Files, g.Funcs, g.Names, g.Locs, g.nextVar}},
			{"variables", s.Variables, g.Variables},
			{"params", s.Functions[0].Params, g.Functions[0].Params},
			{"tex", tex.TexInfo(), nthInstr(g, KindTex).TexInfo()},
			{"cast", d, nthInstr(g, KindDeref).DerefInfo()},
		} {
			if !reflect.DeepEqual(c.a, c.b) {
				t.Errorf("%s: %s: %+v, was %+v", name, c.what, c.b, c.a)
			}
		}
		h := nthInstr(g, KindALU)
		if h.Exact != add.Exact || h.NoSignedWrap != add.NoSignedWrap || h.NoUnsignedWrap != add.NoUnsignedWrap || h.FastMath != add.FastMath || h.Relaxed != add.Relaxed {
			t.Errorf("%s: ALU flags differ", name)
		}
		if !h.Srcs[1].Swizzle.Same(add.Srcs[1].Swizzle, 4) {
			t.Errorf("%s: swizzle differs", name)
		}
		x := nthInstr(g, KindTex)
		if x.Loc != tex.Loc || g.Names[x.Def.Name] != "n" {
			t.Errorf("%s: location or name of a value lost", name)
		}
		if PrintWith(g, PrintOptions{Locs: true}) != PrintWith(s, PrintOptions{Locs: true}) {
			t.Errorf("%s: text differs", name)
		}
	}
}

func nthInstr(s *Shader, k Kind) *Instr { return nth(s, k, 0) }

// TestSizes bounds the structs that there are most of.
func TestSizes(t *testing.T) {
	for _, c := range []struct {
		name      string
		size, max uintptr
	}{
		{"Instr", reflect.TypeFor[Instr]().Size(), 176}, {"Src", reflect.TypeFor[Src]().Size(), 48}, {"Def", reflect.TypeFor[Def]().Size(), 32},
		{"Block", reflect.TypeFor[Block]().Size(), 256}, {"DerefInfo", reflect.TypeFor[DerefInfo]().Size(), 56},
	} {
		t.Logf("%s: %d bytes", c.name, c.size)
		if c.size > c.max {
			t.Errorf("%s has %d bytes, more than %d", c.name, c.size, c.max)
		}
	}
}
