package ir_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"nirc/ir"
	"nirc/ir/irtest"
)

// checkRoundTrip prints and reads s until it must be stable.
func checkRoundTrip(t *testing.T, name string, s *ir.Shader) {
	t.Helper()
	text := allText(s)
	back, err := ir.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, text)
	}
	if again := allText(back); again != text {
		t.Fatalf("%s: %s", name, firstDiff(text, again))
	}
}

func TestSampleFiles(t *testing.T) {
	for _, x := range irtest.Texts(t, "testdata") {
		name, s := x.Name, x.Shader(t)
		if err := ir.Validate(s); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		checkRoundTrip(t, name, s)
		checkRoundTrip(t, name, ir.Clone(s))
		back, err := ir.Deserialize(ir.Serialize(s, ir.SerializeOptions{}))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if allText(back) != allText(s) {
			t.Errorf("%s: %s", name, firstDiff(allText(s), allText(back)))
		}
	}
}

func TestTextRandom(t *testing.T) {
	for seed := range uint64(40) {
		s := irtest.Config{Seed: seed, Size: 400, Everything: true}.Shader()
		checkRoundTrip(t, "random", s)
		if c := ir.Clone(s); allText(c) != allText(s) {
			t.Fatalf("seed %d: clone: %s", seed, firstDiff(allText(s), allText(c)))
		}
		// Without locations the text is that of the shader without.
		p, err := ir.Parse(ir.Print(s))
		if err != nil {
			t.Fatal(err)
		}
		if err := ir.Validate(p); err != nil {
			t.Fatal(err)
		}
	}
}

func TestParseErrors(t *testing.T) {
	fn := func(body string) string {
		return "shader compute \"m\" {\nfn f0 \"main\" entry() {\n" + body + "\n}\n}"
	}
	for _, c := range []struct{ text, want string }{
		{"", `1:1: want "shader"`},
		{"shader rabbit \"m\" {}", "1:8: no such stage"},
		{"shader compute \"m {}", "1:16: unfinished or ill-formed string"},
		{"shader compute \"m\" {", "1:21: want a word"},
		{"shader compute \"m\" {} x", "1:23: text after"},
		{"shader compute \"m\" {\n  info { colour=1 } }", "2:10: no info \"colour\""},
		{"shader compute \"m\" {\n var @1 shared f32 \"x\" }", "no such variable mode"},
		{"shader compute \"m\" {\n var @1 mem_shared f33 \"x\" }", "no type \"f33\""},
		{"shader compute \"m\" {\n var @1 mem_shared f8 \"x\" }", "no type \"f8\""},
		{"shader compute \"m\" {\n var @1 mem_shared vec2u1 \"x\" }", "no type \"vec2u1\""},
		{"shader compute \"m\" {\n var @1 mem_shared $0 \"x\" }", "no type $0 before this"},
		{"shader compute \"m\" {\n var @1 mem_shared f32 \"x\" var @1 mem_shared f32 \"y\" }", "stands twice"},
		{"shader compute \"m\" {\n var @1 mem_shared f32 \"x\" { colour=3 } }", "no variable attribute"},
		{"shader compute \"m\" {\n var @1 uniform sampler \"x\" { init={(0x1)} } }", "more parts than the type has"},
		{"shader compute \"m\" {\n var @1 shader_temp f32[2] \"x\" { init={(0x1), {(0x2)}} } }", `2:47: want "("`},
		{"shader compute \"m\" {\n type $0 = struct \"S\" { \"a\": f32 }\n var @1 shader_temp $0 \"x\" { init={(0x1), (0x2)} } }", "more parts than the type has"},
		{fn("%0:32 = undef"), "3:1: want b and a number"},
		{fn("b0:\n  %0:32 = fadd %1, %2"), "4:16: no value %1"},
		{fn("b0:\n  %0:32 = frob %1"), "no operation \"frob\""},
		{fn("b0:\n %0:32 = undef\n %0:32 = undef"), "stands twice"},
		{fn("b0:\n %0:0 = undef"), "want a size"},
		{fn("b0:\n %0:32x99 = undef"), "want a size"},
		{fn("b0:\n return\n return"), "5:2: instruction after a jump"},
		{fn("b0:\n %0:32 = undef\n %1:32x16 = mov %0.xxxxxxxxxxxxxxxxx"), "ill-formed swizzle"},
		{fn("b0:\n demote %3"), "want"},
		{fn("b0:\n %0:32 = undef\n %1:32 = phi"), "5:10: a phi stands after"},
		{fn("b0:\n undef"), "4:2: undef: result missing"},
		{fn("b0:\n %0:32 = undef #3"), "no such loc"},
		{fn("b0:\n %0:32 = deref_var @9"), "no variable @9"},
		{fn("b0:\n %0:32 = undef %1:32 = deref_struct %0.0"), "is not a deref"},
		{fn("b0:\n call f7()"), "4:7: no function f7"},
		{fn("b0:\n loop {\n b0:\n }\n b1:"), "stands twice"},
		{fn("b0:\n %0:32 = iadd {fast} %0, %0"), "no ALU flag \"fast\""},
		{fn("b0:\n %0:32 = undef %1:32 = mov %0.q9"), "ill-formed swizzle"},
		{fn("b0:\n %0:32 = undef %1:32 = load_ssbo %0, %0 binding=1"), "load_ssbo has no index \"binding\""},
		{fn("b0:\n %0:32 = undef %1:32x4 = tex coord=%0 dim=12"), "want one of 1D 2D"},
		{"shader fragment \"m\" {\n var @1 shader_in f32 \"x\" { interp=9 } }", "want one of none smooth"},
		{"shader compute \"m\" {\n var @1 mem_ssbo f32 \"x\" { access=65536 } }", "no such flags"},
		{fn("b0:\n %0:64 = undef %1:64 = deref_cast %0 (2000000 f32)"), "no such flags"},
		{fn("b0:\n %0:32 = load_const 99999999999999999999999"), "ill-formed constant"},
		{"shader vertex \"m\" {\n capture DATA { } }", "no output slot"},
		{"shader vertex \"m\" {\n capture VAR0 { colour=1 } }", "no attribute \"colour\" of a capture"},
		{"shader vertex \"m\" {\n capture VAR0 { count=0 bits=32 } }", "a capture of components that do not exist"},
		{"shader vertex \"m\" {\n capture VAR0 { first=1 count=4 bits=32 } }", "a capture of components that do not exist"},
		{"shader vertex \"m\" {\n capture VAR0 { count=1 bits=8 } }", "a capture of components that do not exist"},
		{"shader vertex \"m\" {\n capture VAR0 { count=1 bits=32 buffer=4 } }", "a capture of components that do not exist"},
		{"shader vertex \"m\" {\n capture VAR0 { count=1 bits=32 stream=4 } }", "a capture of components that do not exist"},
		{"shader vertex \"m\" {\n capture VAR0 { count=1 bits=32 offset=2 } }", "a capture of components that do not exist"},
		{"shader vertex \"m\" {\n capture VAR0 { count=1 bits=16 offset=1 } }", "a capture of components that do not exist"},
		{"shader kernel \"m\" {\n argument \"a\" part { } }", "no kind of argument \"part\""},
		{"shader kernel \"m\" {\n argument \"a\" value { colour=1 } }", "no attribute \"colour\" of an argument"},
		{"shader compute \"m\" {\n type $0 = struct \"S\" { \"a\": nil } }", "a member has a type"},
		{"shader compute \"m\" {\n var @1 mem_shared nil \"x\" }", "a variable has a type"},
		{"shader compute \"m\" {\n var @1 uniform tex2D<voidx> \"x\" }", "no texel type \"voidx\""},
		{"shader compute \"m\" {\n var @1 uniform tex2D<g32> \"x\" }", "no type \"g32\""},
		{fn("b0:\n %0:32 = undef\n %1:32 = deref_cast %0 (mem_global nil)"), "a cast has a type"},
		{"shader compute \"m\" {" + strings.Repeat("type $0 = struct \"s\" {", 2) + "}", "want"},
	} {
		_, err := ir.Parse(c.text)
		var pe *ir.ParseError
		if !errors.As(err, &pe) || !strings.Contains(err.Error(), c.want) || pe.Line < 1 || pe.Col < 1 {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
}

// TestParseBounds: small texts that ask for much get an error, quickly.
func TestParseBounds(t *testing.T) {
	var structs strings.Builder
	structs.WriteString("shader compute \"m\" {\ntype $0 = struct \"s\" { \"a\": f32 }\n")
	for i := 1; i < 60; i++ {
		n := string(rune('0'+i/10)) + string(rune('0'+i%10))
		m := string(rune('0'+(i-1)/10)) + string(rune('0'+(i-1)%10))
		structs.WriteString("type $" + strings.TrimLeft(n, "0") + " = struct \"s\" { \"a\": $" + m + " \"b\": $" + m + " }\n")
	}
	structs.WriteString("}")
	head, tail := "shader compute \"m\" {\nfn f0 \"main\" entry() {\nb0:\n %0:1 = undef\n", "}\n}"
	for name, text := range map[string]string{
		"structs": structs.String(),
		"nesting": head + strings.Repeat("if %0 { b1:\n", 100000) + tail,
		"arrays":  "shader compute \"m\" { var @1 mem_shared f32" + strings.Repeat("[2]", 100000) + " \"x\" }",
		"numbers": head + "%4000000000:32 = undef" + tail,
		"blocks":  head + "loop { b4000000: }" + tail,
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := ir.Parse(text)
		runtime.ReadMemStats(&after)
		if err == nil {
			t.Errorf("%s: no error", name)
		}
		if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 100 {
			t.Errorf("%s: took %d MB", name, mb)
		}
	}
}

// TestManyArrays: the bound on nesting is not one on the number of types.
func TestManyArrays(t *testing.T) {
	var b strings.Builder
	b.WriteString("shader compute \"m\" {\n")
	for i := range 3000 {
		b.WriteString("var @" + strings.Repeat("1", 1) + pad(i) + " mem_shared f32[4] \"x\"\n")
	}
	b.WriteString("}")
	if _, err := ir.Parse(b.String()); err != nil {
		t.Error(err)
	}
}

func pad(i int) string {
	s := ""
	for d := 1000; d > 0; d /= 10 {
		s += string(rune('0' + i/d%10))
	}
	return s
}

// FuzzParse: no text panics; what parses prints, and reads back to the same
// text; what is valid stays valid.
func FuzzParse(f *testing.F) {
	for _, x := range irtest.Texts(f, "testdata") {
		f.Add(x.Source)
	}
	for seed := range uint64(3) {
		f.Add(allText(irtest.Config{Seed: seed, Size: 40, Everything: true}.Shader()))
	}
	for _, s := range []string{"shader compute \"\" { fn f0 \"\" (1) }", "shader vertex \"x\" { info { workgroup_size=1,2,3 } }"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<15 {
			return
		}
		s, err := ir.Parse(text)
		if err != nil {
			return
		}
		valid := ir.Validate(s) == nil
		once := allText(s)
		back, err := ir.Parse(once)
		if err != nil {
			t.Fatalf("%v\n%s", err, once)
		}
		if again := allText(back); again != once {
			t.Fatal(firstDiff(once, again))
		}
		if valid {
			if err := ir.Validate(back); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// Vectors have 2 to 4 components, matrices 1 to 4 columns and rows.
func TestVectorTypes(t *testing.T) {
	for cols := range 6 {
		for rows := range 6 {
			name := fmt.Sprintf("mat%dx%df32", cols, rows)
			s, err := ir.Parse("shader compute \"m\" {\n  var @1 mem_shared " + name + " \"x\"\n}")
			if good := cols >= 1 && cols <= 4 && rows >= 1 && rows <= 4; (err == nil) != good {
				t.Errorf("%s: %v", name, err)
			} else if good && cols > 1 {
				if text := ir.Print(s); !strings.Contains(text, name) {
					t.Errorf("%s is printed in %s", name, text)
				}
			}
		}
	}
	for rows, good := range []bool{false, true, true, true, true, false} {
		for base := ir.BaseBool; good && base <= ir.BaseFloat; base++ {
			if one, other := ir.VectorType(base, 32, uint8(rows)), ir.VectorType(base, 32, uint8(rows)); one != other {
				t.Errorf("there are two types of %d of base %d", rows, base)
			}
		}
		if _, err := ir.Parse(fmt.Sprintf("shader compute \"m\" {\n  var @1 mem_shared vec%du16 \"x\"\n}", rows)); (err == nil) != good {
			t.Errorf("vec%du16: %v", rows, err)
		}
	}
}

// TestTypeNames: types of all bases print as they read.
func TestTypeNames(t *testing.T) {
	for _, name := range []string{"sampler", "sampler_shadow", "tex2D<f32>", "tex2D_array<u32>ms", "image3D<i64>", "tex1D<void0>", "image2D<void32>", "accel_struct", "ray_query", "b1", "b32",
		"mat3x2f16", "vec3u8[4:16][2]", "f64[]"} {
		text := "shader compute \"m\" {\n  var @1 uniform " + name + " \"x\"\n  fn f0 \"main\" entry() {\n    b0: // preds:\n  }\n}\n"
		s, err := ir.Parse(text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := ir.Print(s); got != text {
			t.Errorf("%s prints as\n%s", name, got)
		}
		if got := s.Variables[0].Type.String(); got != strings.TrimSuffix(name, "ms") && !s.Variables[0].Type.IsArray() {
			t.Errorf("%s is called %s", name, got)
		}
		again, err := ir.Deserialize(ir.Serialize(s, ir.SerializeOptions{}))
		if err != nil || ir.Print(again) != text {
			t.Errorf("%s in bytes: %v", name, err)
		}
	}
}

// TestStoppedWalks: a walk that its body leaves goes no further, backwards too.
func TestStoppedWalks(t *testing.T) {
	s, err := ir.Parse("shader compute \"m\" {\n fn f0 \"main\" entry() {\n b0:\n %0:1 = undef\n %1:32 = undef\n if %0 {\n b1:\n } else {\n b2:\n }\n b3:\n }\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	impl := s.Entry().Impl
	var blocks []uint32
	for b := range impl.BlocksReverse() {
		blocks = append(blocks, uint32(b.Index))
		if len(blocks) == 2 {
			break
		}
	}
	if len(blocks) != 2 {
		t.Errorf("%d blocks", len(blocks))
	}
	n := 0
	for in := range impl.Start().InstrsReverse() {
		if n++; in.Def.BitSize != 32 {
			t.Error("the first instruction comes first")
		}
		break
	}
	if n != 1 {
		t.Errorf("%d instructions", n)
	}
	if b := impl.End; b.NextBlock() != nil || b.PrevBlock() != nil {
		t.Error("the end block has neighbours")
	}
	impl.Require(ir.MetaDominance)
	a := impl.Start()
	if ir.CommonDominator(nil, a) != a || ir.CommonDominator(a, nil) != a || ir.CommonDominator(nil, nil) != nil {
		t.Error("no block has no part in a common dominator")
	}
}
