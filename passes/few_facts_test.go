package passes

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"nirc/ir"
)

// TestConvertType: which operation converts each class and size to each.
func TestConvertType(t *testing.T) {
	letter := map[ir.TypeClass]string{ir.ClassInt: "i", ir.ClassUint: "u", ir.ClassFloat: "f", ir.ClassBool: "b"}
	types := []ir.ALUType{{Class: ir.ClassBool, Bits: 1}}
	for _, bits := range []uint8{1, 8, 16, 32, 64} {
		types = append(types, ir.ALUType{Class: ir.ClassInt, Bits: bits}, ir.ALUType{Class: ir.ClassUint, Bits: bits})
		if bits >= 16 {
			types = append(types, ir.ALUType{Class: ir.ClassFloat, Bits: bits})
		}
	}
	integer := func(c ir.TypeClass) bool { return c == ir.ClassInt || c == ir.ClassUint }
	for _, from := range types {
		for _, to := range types {
			b := ir.NewBuilder(ir.AtEnd(ir.NewShader(ir.StageCompute, nil).NewFunction("main").Impl.Start()))
			x := b.Undef(1, from.Bits)
			d := ConvertType(b, x, from.Class, to)
			want := ""
			switch {
			case from == to, from.Bits == to.Bits && integer(from.Class) && integer(to.Class):
			case to.Class == ir.ClassBool && from.Class == ir.ClassFloat:
				want = "fneu"
			case to.Class == ir.ClassBool:
				want = "ine"
			case to.Class == ir.ClassFloat, from.Class == ir.ClassFloat:
				want = fmt.Sprintf("%s2%s%d", letter[from.Class], letter[to.Class], to.Bits)
			case from.Class == ir.ClassBool:
				want = fmt.Sprintf("b2i%d", to.Bits)
			default:
				want = fmt.Sprintf("%s2%s%d", letter[from.Class], letter[from.Class], to.Bits)
			}
			got := ""
			if d != x {
				got = d.Instr.Op.String()
			}
			if got != want || d.BitSize != to.Bits {
				t.Errorf("%s%d to %s%d: %q of %d bits, want %q", letter[from.Class], from.Bits, letter[to.Class], to.Bits, got, d.BitSize, want)
			}
		}
	}
}

// TestUnpackEnds: the slots of upper halves end with the last one of the author's.
func TestUnpackEnds(t *testing.T) {
	for _, c := range []struct {
		slots, distance int
		ok              bool
	}{{1, -1, false}, {1, 0, false}, {1, 1, true}, {1, 30, true}, {1, 31, false}, {2, 29, true}, {2, 30, false}, {0, 30, true}, {0, 31, false}} {
		s := parseShader(t, fmt.Sprintf(`shader fragment "m" { fn f0 "main" entry() { b0:
      %%0:32 = load_const 0x0
      %%1:16 = load_input %%0 dest_type=f16 io_semantics={VAR1 %d high16}
  } }`, c.slots))
		p, err := ParsePassList(fmt.Sprintf("unpack_16bit_slots(distance=%d)", c.distance))
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Run(s, RunOptions{}); (err == nil) != c.ok {
			t.Errorf("%d slots, distance %d: %v", c.slots, c.distance, err)
		}
	}
}

// TestRefusedFBRead: a colour has four components, and an attachment is chosen by a constant.
func TestRefusedFBRead(t *testing.T) {
	const beyond, dynamic = "components of a colour that has four", "attachment chosen by a dynamic index"
	for _, c := range []struct {
		index, want    string
		component, num int
	}{{"%1", "", 0, 4}, {"%1", beyond, 1, 4}, {"%1", "", 2, 2}, {"%1", beyond, 3, 2}, {"%1", "", 3, 1}, {"%2", dynamic, 0, 1}} {
		s := parseShader(t, fmt.Sprintf(`shader fragment "m" { fn f0 "main" entry() { b0:
      %%1:32 = load_const 0x0
      %%2:32 = load_layer_id
      %%3:32x%d = load_output %s base=4 range=1 component=%d dest_type=f32 io_semantics={DATA0 1 fb_fetch}
  } }`, c.num, c.index, c.component))
		p, err := ParsePassList("lower_fb_read")
		if err != nil {
			t.Fatal(err)
		}
		err = p.Run(s, RunOptions{})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d components from %d at %s: %v, want %q", c.num, c.component, c.index, err, c.want)
		}
	}
}

// TestRefusedQueries: a target that has no queries of given LODs answers those of fragments alone.
func TestRefusedQueries(t *testing.T) {
	const group = "derivative_group=2"
	for _, c := range []struct{ info, list, want string }{
		{group, "lower_tex(group_lod=true)", "a query of the implicit LOD in a compute shader is not supported"},
		{group, "lower_tex(group_lod=true,lod_query=true)", ""},
		{group, "lower_tex(implicit_lod=true)", ""},
		{"", "lower_tex(implicit_lod=true)", "a query of the implicit LOD in a compute shader is not supported"},
		{"", "lower_tex(implicit_lod=true,lod_query=true)", ""},
		{"", "lower_tex(group_lod=true)", ""},
		{group, "lower_tex", ""},
	} {
		s := parseShader(t, `shader compute "m" { info { workgroup_size=4,1,1 `+c.info+` } var @2 uniform sampled2D<f32> "t" { set=0 binding=0 } fn f0 "main" entry() { b0:
      %1:32 = load_local_invocation_index
      %2:32 = deref_var @2
      %3:32 = u2f32 %1
      %4:32x2 = vec2 %3, %3
      %5:32x2 = lod texture_deref=%2 sampler_deref=%2 coord=%4 dim=2D dest=f32 coord_components=2
  } }`)
		p, err := ParsePassList(c.list)
		if err != nil {
			t.Fatal(err)
		}
		if err = p.Run(s, RunOptions{}); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestLinkKeep: the varyings that meet a kept location, and no others, are always active until that is undone.
func TestLinkKeep(t *testing.T) {
	s := parseShader(t, `shader vertex "main" {
  var @1 shader_in vec4f32 "attribute" { location=VAR2 }
  var @2 shader_out vec4f32 "before" { location=VAR1 }
  var @3 shader_out f32 "low" { location=VAR2 }
  var @4 shader_out f32 "high" { location=VAR2 component=3 }
  var @5 shader_out vec4f32 "after" { location=VAR3 }
  var @6 shader_out vec4f32[3] "over" { location=VAR4 }
  var @7 shader_out vec4f32 "own" { location=VAR5 always_active }
  var @8 shader_out vec4f32 "far" { location=VAR31 }
  var @9 shader_out vec4f32 "position" { location=POS }
  fn f0 "main" entry() {
    b0:
  }
}`)
	s.Variables[0].Location = 2 // an attribute, not a varying
	active := func() (names []string) {
		for _, v := range s.Variables {
			if v.AlwaysActive {
				names = append(names, v.Name)
			}
		}
		return names
	}
	for _, c := range []struct {
		kept []int
		want []string
	}{{nil, []string{"own"}}, {[]int{0}, []string{"own"}}, {[]int{1}, []string{"before", "own"}}, {[]int{2}, []string{"low", "high", "own"}},
		{[]int{6, 3}, []string{"after", "over", "own"}}, {[]int{5}, []string{"over", "own"}}, {[]int{31}, []string{"own", "far"}}} {
		undo := (&Linking{Stages: []*ir.Shader{s}, Kept: c.kept}).keep()
		if got := active(); !slices.Equal(got, c.want) {
			t.Errorf("kept %v: %v, want %v", c.kept, got, c.want)
		}
		undo()
		if got := active(); !slices.Equal(got, []string{"own"}) {
			t.Errorf("kept %v, and undone: %v", c.kept, got)
		}
	}
}

// TestLinkKept: what stands at a kept location stays there through all of linking, and nothing moves there.
func TestLinkKept(t *testing.T) {
	for _, kept := range [][]int{nil, {0}} {
		vs, fs := parseShader(t, linkVS), parseShader(t, linkFS)
		l := Linking{Stages: []*ir.Shader{vs, fs}, Kept: kept, Lists: func(*ir.Shader, string) error { return nil }}
		if _, err := l.Run(); err != nil {
			t.Fatal(err)
		}
		unread, _ := location(vs, "unread")
		b, _ := location(vs, "b")
		if keeps := kept != nil; (unread == 0) != keeps || (b == 0) == keeps {
			t.Errorf("kept %v: unread at %d, b at %d", kept, unread, b)
		}
		for _, v := range slices.Concat(vs.Variables, fs.Variables) {
			if v.AlwaysActive {
				t.Errorf("kept %v: %q is still always active", kept, v.Name)
			}
		}
	}
}

// TestMatchInterface: inputs against outputs by location, component, base type and width.
func TestMatchInterface(t *testing.T) {
	const miss = "which the vertex shader does not write: it is undefined"
	for _, c := range []struct {
		out, in string // types and places of variables, "; " between them
		want    string // of the mismatch; none: they fit
	}{
		{"vec4f32 VAR0", "vec2f32 VAR0", ""},
		{"f32 VAR0", "vec2f32 VAR0", `"i0" (location 0 component 1), ` + miss},
		{"f32 VAR0; f32 VAR0 component=1", "vec2f32 VAR0", ""},
		{"f32 VAR3 component=2", "f32 VAR3 component=2", ""},
		{"f32 VAR3 component=2", "f32 VAR3 component=1", `"i0" (location 3 component 1), ` + miss},
		{"f32 VAR3 stream=1", "f32 VAR3", `"i0" (location 3 component 0), ` + miss},
		{"u32 VAR1", "f32 VAR1", `reads "i0" (location 1 component 0) as f32, the vertex shader writes "o0" as u32`},
		{"f16 VAR1", "f32 VAR1", `as f32, the vertex shader writes "o0" as f16`},
		{"u32 VAR1 component=1", "vec2f32 VAR1", `reads "i0" (location 1 component 1) as f32`}, // before what is missing
		{"vec2u32 VAR1", "vec2f32 VAR1", "component 0) as f32"},                                // the first
		{"vec4f32[2] VAR1", "vec4f32[2] VAR1", ""},
		{"vec4f32[2] VAR1", "vec4f32[3] VAR1", `"i0" (location 3 component 0), ` + miss},
		{"vec4f32 VAR1; vec4f32 VAR2", "vec4f32[2] VAR1", ""},
		{"f32[2] VAR1 component=3", "f32 VAR2 component=3", ""},
		{"mat2x3f32 VAR1", "vec3f32 VAR2", ""},
		{"mat2x3f32 VAR1", "vec4f32 VAR2", `"i0" (location 2 component 3), ` + miss},
		{"mat2x3f32 VAR1", "vec3f32 VAR3", `"i0" (location 3 component 0), ` + miss},
		{"vec3f64[2] VAR1", "vec3f64 VAR3", ""},
		{"vec2f64[2] VAR1", "vec2f64 VAR2", ""},
		{"vec4f16[2] VAR1", "vec4f16 VAR2", ""},
		{"vec4f32 VAR31", "vec4f32 VAR31", ""},
	} {
		vs, fs := parseShader(t, varyingsText("vertex", "out", "o", c.out)), parseShader(t, varyingsText("fragment", "in", "i", c.in))
		if list := MatchInterface(vs, fs); len(list) != 0 {
			t.Errorf("%s to %s, which nobody uses: %v", c.out, c.in, list)
		}
		b := ir.NewBuilder(ir.AtEnd(fs.Entry().Impl.Start()))
		for _, v := range fs.Variables {
			d := b.DerefVar(v)
			for ty := v.Type; !ty.IsVectorOrScalar(); ty = ty.Child() {
				d = b.DerefArrayImm(d, 0)
			}
			load := b.LoadDeref(d, 0)
			fs.Locs = []ir.Loc{{}, {Line: 7}}
			load.Instr.Loc = 1
		}
		list := MatchInterface(vs, fs)
		if len(list) == 0 && c.want == "" {
			continue
		}
		if len(list) != 1 || c.want == "" || !strings.Contains(list[0].Msg, c.want) || list[0].Missing != strings.Contains(c.want, miss) || fs.Variables[0].Type.IsVectorOrScalar() && list[0].Loc.Line != 7 {
			t.Errorf("%s to %s: %+v, want %q", c.out, c.in, list, c.want)
		}
	}
}

// varyingsText is a shader that declares variables and does nothing.
func varyingsText(stage, mode, name, list string) string {
	b := &strings.Builder{}
	fmt.Fprintf(b, "shader %s \"main\" {\n", stage)
	for i, v := range strings.Split(list, "; ") {
		typ, at, _ := strings.Cut(v, " ")
		fmt.Fprintf(b, "  var @%d shader_%s %s \"%s%d\" { location=%s }\n", i+1, mode, typ, name, i, at)
	}
	b.WriteString("  fn f0 \"main\" entry() {\n    b0:\n  }\n}\n")
	return b.String()
}

// TestCountVertices: what all exits of a stream say alike is known, vertices and strips each; others are not.
func TestCountVertices(t *testing.T) {
	type exit struct{ vertices, strips, stream int } // below 0: not constant
	for _, c := range []struct {
		exits []exit
		want  [4]StreamCount
	}{
		{nil, [4]StreamCount{}},
		{[]exit{{5, 2, 0}}, [4]StreamCount{{Exits: 1, Constant: true, Vertices: 5, Strips: 2}}},
		{[]exit{{5, 2, 0}, {5, 2, 0}, {7, 3, 2}}, [4]StreamCount{{Exits: 2, Constant: true, Vertices: 5, Strips: 2}, {}, {Exits: 1, Constant: true, Vertices: 7, Strips: 3}}},
		{[]exit{{5, 2, 0}, {5, 3, 0}}, [4]StreamCount{{Exits: 2}}},
		{[]exit{{5, 2, 0}, {4, 2, 0}}, [4]StreamCount{{Exits: 2}}},
		{[]exit{{5, 2, 0}, {4, 2, 0}, {4, 2, 0}}, [4]StreamCount{{Exits: 3}}},
		{[]exit{{-1, 2, 1}}, [4]StreamCount{{}, {Exits: 1}}},
		{[]exit{{5, -1, 1}}, [4]StreamCount{{}, {Exits: 1}}},
	} {
		s := ir.NewShader(ir.StageGeometry, nil)
		f := s.NewFunction("main")
		f.IsEntry = true
		b := ir.NewBuilder(ir.AtEnd(f.Impl.Start()))
		number := func(n int) *ir.Def {
			if n < 0 {
				return &b.Intrinsic(ir.IntrLoadPrimitiveId, 1, 32).Def
			}
			return b.Imm32(uint32(n))
		}
		for _, e := range c.exits {
			b.Intrinsic(ir.IntrSetVertexAndPrimitiveCount, 0, 0, number(e.vertices), number(e.strips), b.Imm32(99)).Set(ir.IdxStreamId, uint64(e.stream))
		}
		if got := CountVertices(s); got != c.want {
			t.Errorf("%v: %+v, want %+v", c.exits, got, c.want)
		}
	}
}
