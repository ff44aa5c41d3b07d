package nirc

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"nirc/backend/object"
	"nirc/frontend/spirv"
	"nirc/frontend/spirv/spv"
	"nirc/ir"
	"nirc/passes"
)

// fragment has an input, an output, a uniform and a push constant block and
// specialization constants of three types.
//
//go:embed testdata/asm/fragment.spvasm
var fragment string

func words(t *testing.T, order binary.AppendByteOrder) []byte {
	t.Helper()
	w, err := spv.Assemble(fragment, spv.AssembleOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var b []byte
	for _, v := range w {
		b = order.AppendUint32(b, v)
	}
	return b
}

// The same module in every form gives the same shader.
func TestLoadForms(t *testing.T) {
	ctx := context.Background()
	want := ""
	for name, data := range map[string][]byte{
		"little": words(t, binary.LittleEndian), "big": words(t, binary.BigEndian), "text": []byte(fragment),
	} {
		m, err := Load(data, name)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		s, err := Translate(ctx, m, Options{Target: IRTarget})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		text := ir.Print(s)
		if want == "" {
			want = text
		}
		if text != want {
			t.Errorf("%s: another shader:\n%s\nwant\n%s", name, text, want)
		}
	}
	m, err := Load([]byte("// a comment\n"+want), "ir")
	if err != nil {
		t.Fatal(err)
	}
	if got := m.EntryPoints(); len(got) != 1 || got[0] != (EntryPoint{"main", ir.StageFragment}) {
		t.Errorf("entry points %v", got)
	}
	s, err := Translate(ctx, m, Options{Target: IRTarget})
	if err != nil || ir.Print(s) != want {
		t.Errorf("the IR text reads back as another shader (%v)", err)
	}
}

func TestLoadErrors(t *testing.T) {
	for _, c := range []struct{ data, want string }{
		{"", "a.x: error: the file is empty"},
		{"\x7fELF\x02", "see nirc disasm"},
		{"\x81FOSSILIZEDB\x00", "Fossilize"},
		{"#version 450\n", "must say the stage"},
		{"ab\x00cd", "neither SPIR-V nor text: byte 2"},
		{"OpCapability Shader\nOpNothing\n", "a.x:2:1: error: "},
		{"shader compute \"m\" {\n  what\n}\n", "a.x:2:"},
		{"\x03\x02\x23\x07\x00", "a.x: error: "},
	} {
		_, err := Load([]byte(c.data), "a.x")
		var list Diagnostics
		if !errors.As(err, &list) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want Diagnostics with %q", c.data, err, c.want)
		}
	}
}

func TestReflect(t *testing.T) {
	m, err := Load([]byte(fragment), "a")
	if err != nil {
		t.Fatal(err)
	}
	s, err := Translate(context.Background(), m, Options{Target: IRTarget})
	if err != nil {
		t.Fatal(err)
	}
	r := Reflect(s)
	want := object.Reflection{
		Stage:         "fragment",
		Inputs:        []object.Slot{{Name: "uv", Location: "location 2", Type: "vec2f32", Interp: "smooth"}},
		Outputs:       []object.Slot{{Name: "color", Location: "color 0", Type: "vec4f32"}},
		Resources:     []object.Resource{{Name: r.Resources[0].Name, Set: 1, Binding: 4, Kind: "uniform_buffer", Count: 1, Type: r.Resources[0].Type}},
		PushConstants: []object.Member{{Name: r.PushConstants[0].Name, Offset: 0, Size: 16, Type: "vec4f32"}, {Name: "second", Offset: 16, Size: 4, Type: "f32"}},
	}
	if !reflect.DeepEqual(r, want) {
		t.Errorf("got\n%+v\nwant\n%+v", r, want)
	}
}

func TestSpec(t *testing.T) {
	m, err := Load([]byte(fragment), "a")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]spirv.SpecValue{
		"1=1.5": {ID: 1, Bits: 0x3fc00000}, "scale=-2": {ID: 1, Bits: 0xc0000000}, "2=-1": {ID: 2, Bits: 1<<64 - 1},
		"2=0xffffffff": {ID: 2, Bits: 0xffffffff}, "3=false": {ID: 3}, "3=1": {ID: 3, Bits: 1},
	} {
		if got, err := m.Spec(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v, want %+v", text, got, err, want)
		}
	}
	var usage *UsageError
	for _, text := range []string{"1", "1=abc", "2=1.5", "2=0x100000000", "3=2", "1=1e99"} {
		if _, err := m.Spec(text); !errors.As(err, &usage) {
			t.Errorf("%s: %v, want a usage error", text, err)
		}
	}
	var list Diagnostics
	if _, err := m.Spec("9=1"); !errors.As(err, &list) || !strings.Contains(err.Error(), "(it has 1, 2, 3)") {
		t.Errorf("an unknown constant: %v", err)
	}
}

func TestOptionErrors(t *testing.T) {
	var usage *UsageError
	for _, o := range []Options{
		{Target: "vax"}, {GPU: "voodoo"}, {Run: passes.RunOptions{StopAfter: "no_pass"}},
		{Run: passes.RunOptions{StartBefore: "no_pass:2"}}, {Run: passes.RunOptions{Disable: []string{"lower_returns"}}},
	} {
		if _, err := New(o); !errors.As(err, &usage) {
			t.Errorf("%+v: %v, want a usage error", o, err)
		}
	}
	if _, err := Compile(context.Background(), []byte(fragment), Options{Target: IRTarget}); !errors.As(err, &usage) {
		t.Errorf("code of the IR: %v", err)
	}
}

// A panic inside a pass becomes an error that names the pass.
func TestInternalError(t *testing.T) {
	m, err := Load([]byte(fragment), "f")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"opt_cse", "lower_io", "lower_returns"} {
		list, err := passes.ParsePassList("opt_dce," + name)
		if err != nil {
			t.Fatal(err)
		}
		o := Options{Target: IRTarget, Passes: list}
		o.Run.DumpBefore, o.Run.Dump = []string{name}, func(string, string) { panic("boom") }
		u, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		if err := u.Translate(context.Background(), m); err != nil {
			t.Fatal(err)
		}
		var internal *InternalError
		if err := u.Optimize(context.Background()); !errors.As(err, &internal) || internal.Pass != name || len(internal.Stack) == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	err = Guard(context.Background(), "generate", "f", "", func() error { panic("boom") })
	if want := "internal error in generate: boom"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	err = Guard(context.Background(), "translate", "f", "", func() error { return &spirv.Error{Msg: "internal error of the frontend: x", Internal: true} })
	if _, ok := err.(*InternalError); !ok {
		t.Errorf("a panic of the frontend: %v", err)
	}
}

// The end of the context ends the compile at the next pass.
func TestCancel(t *testing.T) {
	m, err := Load([]byte(fragment), "a")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	calls := 0
	o := Options{Target: IRTarget, Level: passes.O2}
	o.Run.BisectLog = func(int, string, bool) { calls++; cancel() }
	u, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := u.Translate(ctx, m); err != nil {
		t.Fatal(err)
	}
	if err := u.Optimize(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
	if calls != 1 {
		t.Errorf("%d optional passes were reached after the context's end, want 1", calls)
	}
}

func TestDiagnose(t *testing.T) {
	err := errors.Join(&spirv.Error{Word: 12, ID: 34, Msg: "m1"}, errors.Join(&spirv.Error{File: "a.frag", Line: 3, Col: 4, Word: 9, Msg: "m2"}, errors.New("m3")))
	got := Diagnose(err, "f.spv", "ir3")
	want := "f.spv: error: word 12: %34: m1 [ir3]\na.frag:3:4: error: word 9: m2 [ir3]\nf.spv: error: m3 [ir3]"
	if got.Error() != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	var b bytes.Buffer
	if err := got.(Diagnostics)[:1].WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	if want := `{"file":"f.spv","word":12,"id":34,"severity":"error","message":"m1","target":"ir3","schema":1}` + "\n"; b.String() != want {
		t.Errorf("got %s want %s", b.String(), want)
	}
	pass := &passes.Diagnostic{Msg: "no", Loc: ir.Loc{Line: 7, Col: 1}, File: "b.frag"}
	if got := Diagnose(errors.Join(pass), "f", "").Error(); got != "b.frag:7:1: error: no" {
		t.Errorf("got %s", got)
	}
	io := &IOError{&fs.PathError{Op: "open", Path: "x", Err: fs.ErrNotExist}}
	if Diagnose(io, "f", "") != error(io) {
		t.Error("an error of input became a diagnostic")
	}
}

// Objects are the same bytes every time and can be read back and loaded.
func TestObjects(t *testing.T) {
	ctx := context.Background()
	for _, target := range Targets() {
		var first []byte
		for range 3 {
			o, err := Compile(ctx, []byte(fragment), Options{File: "f", Target: target.Name, Level: passes.O2, Debug: true})
			if err != nil {
				t.Fatalf("%s: %v", target.Name, err)
			}
			file, err := o.Bytes()
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = file
			}
			if !bytes.Equal(file, first) {
				t.Fatalf("%s: two compiles differ", target.Name)
			}
			b, err := Backend(o.Target)
			if err != nil {
				t.Fatal(err)
			}
			p, err := b.Load(o)
			if err != nil {
				t.Fatalf("%s: %v", target.Name, err)
			}
			if p.Stage() != ir.StageFragment {
				t.Errorf("%s: stage %v", target.Name, p.Stage())
			}
		}
		o, err := object.Read(first)
		if err != nil {
			t.Fatal(err)
		}
		if len(o.Code) == 0 || len(o.Lines) == 0 || len(o.Reflect.Inputs) != 1 || o.Stat("code_bytes") == 0 {
			t.Errorf("%s: the object lacks code, lines, reflection or figures: %+v", target.Name, o)
		}
	}
}

func TestLoadFile(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	path := filepath.Join(dir, "a.spvasm")
	if err := os.WriteFile(path, []byte(fragment), 0o600); err != nil {
		t.Fatal(err)
	}
	if m, err := LoadFile(ctx, path, FileOptions{}); err != nil || m.Name != path {
		t.Errorf("%v, %v", m, err)
	}
	if m, err := LoadFile(ctx, "-", FileOptions{Stdin: strings.NewReader(fragment)}); err != nil || m.Name != "-" {
		t.Errorf("%v, %v", m, err)
	}
	var inout *IOError
	for _, p := range []string{"missing.spv", "missing.frag"} {
		if _, err := LoadFile(ctx, filepath.Join(dir, p), FileOptions{}); !errors.As(err, &inout) {
			t.Errorf("%s: %v", p, err)
		}
	}
}

func TestDefaultPipelines(t *testing.T) {
	p, err := DefaultPipelines()
	if err != nil {
		t.Fatal(err)
	}
	have := strings.Join(p.Targets(), " ") + " "
	for _, target := range append(Targets(), Target{Name: commonPipeline}) {
		if !strings.Contains(have, target.Name+" ") {
			t.Errorf("pipeline.yaml has no pipeline for %s", target.Name)
		}
	}
	lists, _, _ := strings.Cut(string(PipelineFile()), "\ncodegen:")
	for _, m := range regexp.MustCompile(`(?m)^  (\w+):$`).FindAllStringSubmatch(lists, -1) {
		if !regexp.MustCompile(`use: ` + m[1] + `\b`).Match(PipelineFile()) {
			t.Errorf("pipeline.yaml uses the list %s nowhere", m[1])
		}
	}
}

// TestTargetEnv: an environment takes modules up to its SPIR-V version, and assembly, whose version nothing says.
func TestTargetEnv(t *testing.T) {
	dir := t.TempDir()
	words, err := spv.Assemble(fragment, spv.AssembleOptions{Version: 0x0103})
	if err != nil {
		t.Fatal(err)
	}
	var code []byte
	for _, w := range words {
		code = binary.LittleEndian.AppendUint32(code, w)
	}
	module, text := filepath.Join(dir, "m.spv"), filepath.Join(dir, "m.spvasm")
	for path, data := range map[string][]byte{module: code, text: []byte(fragment)} {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ path, env, want string }{
		{module, "", ""}, {module, "vulkan1.3", ""}, {module, "vulkan1.1", ""}, {module, "spv1.3", ""}, {text, "vulkan1.0", ""},
		{module, "vulkan", "SPIR-V 1.3, vulkan takes 1.0 at most"},
		{module, "vulkan1.0", "SPIR-V 1.3, vulkan1.0 takes 1.0 at most"},
		{module, "spv1.2", "SPIR-V 1.3, spv1.2 takes 1.2 at most"},
		{module, "opengl", "the target environment opengl is not supported"},
	} {
		_, err := LoadFile(context.Background(), c.path, FileOptions{Env: c.env})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s for %q: the error is %v, it should speak of %q", filepath.Base(c.path), c.env, err, c.want)
		}
	}
}

// TestRefusalPlaces: what a pass refuses for a target is said with the place in
// the module, debug information asked for or not.
func TestRefusalPlaces(t *testing.T) {
	const text = `OpCapability Shader
OpCapability FragmentBarycentricKHR
OpExtension "SPV_KHR_fragment_shader_barycentric"
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %bary %o
OpExecutionMode %main OriginUpperLeft
%file = OpString "bary.frag"
OpDecorate %bary BuiltIn BaryCoordKHR
OpDecorate %o Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%f = OpTypeFloat 32
%v3 = OpTypeVector %f 3
%pi = OpTypePointer Input %v3
%po = OpTypePointer Output %v3
%bary = OpVariable %pi Input
%o = OpVariable %po Output
%main = OpFunction %void None %fn
%l = OpLabel
OpLine %file 12 5
%x = OpLoad %v3 %bary
OpStore %o %x
OpReturn
OpFunctionEnd
`
	for _, c := range []struct{ text, want string }{
		{text, "bary.frag:12:5: error: "},
		{strings.Replace(text, "OpLine %file 12 5\n", "", 1), "word "},
	} {
		for _, debug := range []bool{false, true} {
			m, err := Load([]byte(c.text), "bary.spvasm")
			if err != nil {
				t.Fatal(err)
			}
			_, err = m.Compile(context.Background(), Options{Target: "midgard", Debug: debug})
			var list Diagnostics
			if !errors.As(err, &list) || !strings.Contains(err.Error(), c.want) || list[0].Target != "midgard" || list[0].Word == 0 {
				t.Errorf("debug %v: %v, want the place %q", debug, err, c.want)
			}
		}
	}
}

// WGSL is refused by its name, with what to do; as another language, or with another name, it is what that says.
func TestWGSL(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.wgsl")
	if err := os.WriteFile(path, []byte("@compute @workgroup_size(1) fn main() {}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := LoadFile(t.Context(), path, FileOptions{})
	if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "naga or tint") {
		t.Error(err)
	}
}

// TestSlotComponents: a variable takes the components that its numbers have in a location, and all where locations differ.
func TestSlotComponents(t *testing.T) {
	f := func(bits, n uint8) *ir.Type { return ir.VectorType(ir.BaseFloat, bits, n) }
	for _, c := range []struct {
		t         *ir.Type
		component uint8
		want      uint8
	}{
		{ir.ScalarType(ir.BaseFloat, 32), 0, 1}, {ir.ScalarType(ir.BaseUint, 32), 3, 8}, {f(32, 2), 0, 3}, {f(32, 2), 2, 12}, {f(32, 3), 1, 14}, {f(32, 4), 0, 15}, {f(16, 2), 1, 6},
		{ir.ScalarType(ir.BaseFloat, 64), 0, 15}, {ir.ScalarType(ir.BaseInt, 64), 2, 15}, {f(64, 3), 0, 15}, {ir.ArrayType(f(32, 2), 3, 0), 1, 6}, {ir.ArrayType(ir.ArrayType(f(32, 1), 2, 0), 3, 0), 2, 4},
		{&ir.Type{Base: ir.BaseStruct, Fields: []ir.Field{{Name: "a", Type: f(32, 2)}}}, 0, 15},
	} {
		if got := slotComponents(&ir.Variable{Type: c.t, Component: c.component}); got != c.want {
			t.Errorf("%s from component %d on: %#x, want %#x", c.t, c.component, got, c.want)
		}
	}
}

// TestAboutInput: errors of use, of files, of the compiler and of the end of a context stay what they are, joined or wrapped; any other is about the input.
func TestAboutInput(t *testing.T) {
	other := map[string]error{"usage": Usagef("u"), "files": &IOError{errors.New("i")}, "a path": &fs.PathError{Op: "open", Path: "p", Err: fs.ErrNotExist}, "the compiler": &InternalError{Pass: "p", Value: "v"},
		"a stop": ErrStopped, "an end": context.Canceled, "a deadline": context.DeadlineExceeded}
	about := map[string]error{"text": errors.New("t"), "the frontend": &spirv.Error{Word: 3, Msg: "m"}, "diagnostics": Diagnostics{{Msg: "d", Target: "x"}}, "what is not supported": ir.Unsupportedf("n"),
		"assembly": &spv.Error{Line: 4, Msg: "a"}, "IR": &ir.ParseError{Line: 5, Msg: "i"}, "a pass": &passes.Diagnostic{Msg: "p", Loc: ir.Loc{Line: 7, Col: 1}, File: "f.frag"}}
	forms := map[string]func(err error) error{"": func(err error) error { return err }, "wrapped": func(err error) error { return fmt.Errorf("in it: %w", err) },
		"joined": func(err error) error { return errors.Join(err) }, "first": func(err error) error { return errors.Join(err, about["text"]) }, "last": func(err error) error { return errors.Join(about["text"], err) }}
	for how, form := range forms {
		for name, err := range other {
			if err = form(err); Diagnose(err, "file", "target") != err {
				t.Errorf("%s %s becomes %v", name, how, Diagnose(err, "file", "target"))
			}
		}
		for name, err := range about {
			var list Diagnostics
			err = form(err)
			if got := Diagnose(err, "file", "target"); !errors.As(got, &list) || len(list) != 1+strings.Count(how, "st") || list[0].Target == "" || list[0].File == "" && name != "diagnostics" ||
				errors.Is(got, errors.ErrUnsupported) != (name == "what is not supported" && len(list) == 1) {
				t.Errorf("%s %s becomes %#v", name, how, got)
			}
		}
	}
	if Diagnose(nil, "file", "target") != nil {
		t.Error("no error becomes one")
	}
}

// TestRelocate: only diagnostics of a target of which none has a place are looked for again, and what is found counts if it is the same list.
func TestRelocate(t *testing.T) {
	bare, other := Diagnostic{Msg: "a", Target: "x"}, Diagnostic{Msg: "b", Target: "x"}
	at := func(d Diagnostic, line uint32, word int) Diagnostic {
		d.Line, d.Word = line, word
		return d
	}
	untargeted := Diagnostic{Msg: "a"}
	for i, c := range []struct {
		err, again error
		asks, new  bool
	}{
		{Diagnostics{bare}, Diagnostics{at(bare, 3, 9)}, true, true}, {Diagnostics{bare, other}, Diagnostics{at(bare, 3, 0), at(other, 4, 0)}, true, true},
		{Diagnostics{bare}, Diagnostics{at(other, 3, 9)}, true, false}, {Diagnostics{bare}, Diagnostics{at(bare, 3, 9), other}, true, false}, {Diagnostics{bare}, nil, true, false},
		{Diagnostics{bare}, errors.New("z"), true, false}, {Diagnostics{at(bare, 1, 0)}, Diagnostics{at(bare, 3, 9)}, false, false}, {Diagnostics{at(bare, 0, 7)}, Diagnostics{at(bare, 3, 9)}, false, false},
		{Diagnostics{bare, at(other, 0, 7)}, Diagnostics{at(bare, 3, 9), other}, false, false}, {Diagnostics{untargeted}, Diagnostics{at(bare, 3, 9)}, false, false},
		{Usagef("u"), Diagnostics{at(bare, 3, 9)}, false, false}, {errors.New("z"), nil, false, false},
	} {
		asked := false
		got := relocate(c.err, func() error { asked = true; return c.again })
		want := c.err
		if c.new {
			want = c.again
		}
		if asked != c.asks || !reflect.DeepEqual(got, want) {
			t.Errorf("%d: %v, asked %v; want %v, %v", i, got, asked, want, c.asks)
		}
	}
}

// TestRunning: between its stages a unit runs no step, and after one that failed that one.
func TestRunning(t *testing.T) {
	m, err := Load([]byte(fragment), "f")
	if err != nil {
		t.Fatal(err)
	}
	for _, run := range []passes.RunOptions{{}, {VerifyEach: true}, {Times: new(passes.Times)}} {
		u, err := New(Options{Target: "ir3", Level: passes.O1, Run: run})
		if err != nil {
			t.Fatal(err)
		}
		for i, stage := range []func() error{func() error { return u.Translate(t.Context(), m) }, func() error { return u.Optimize(t.Context()) }, func() error { _, err := u.Generate(t.Context()); return err }} {
			if err := stage(); err != nil || u.ins.Running() != "" {
				t.Errorf("after stage %d runs %q, %v", i, u.ins.Running(), err)
			}
		}
	}
}

// TestFloatModesOfText: IR text that demands a mode of floats is taken by the targets that honour it, and by the IR itself.
func TestFloatModesOfText(t *testing.T) {
	for bit := range 21 {
		mode := ir.FloatControls(1) << bit
		if f := mode >> (bit % 3); f == ir.FCDenormFlush || f == ir.FCRoundRTZ || f == ir.FCRoundRTE {
			continue // targets may do so unasked
		}
		text := fmt.Sprintf("shader compute \"main\" {\n  info { workgroup_size=1,1,1 float_controls=%d }\n  fn f0 \"main\" entry() {\n    b0:\n  }\n}\n", mode)
		m, err := Load([]byte(text), "a.nir")
		if err != nil {
			t.Fatal(err)
		}
		for _, target := range []string{IRTarget, "ir3", "agx", "midgard"} {
			have, err := FloatControls(target, DefaultGPU(target))
			if err != nil {
				t.Fatal(err)
			}
			_, err = Translate(t.Context(), m, Options{Target: target, File: "f"})
			if ok := have == nil || *have&mode != 0; (err == nil) != ok || err != nil && (!strings.HasPrefix(err.Error(), "f: error: the float mode ") || !errors.Is(err, errors.ErrUnsupported)) {
				t.Errorf("%s, mode %#x: %v; it has %v", target, mode, err, have)
			}
		}
	}
}

// TestPipelinePasses: the passes of each level and stage are those of the options, with what these ask for; what is wrong in them is refused.
func TestPipelinePasses(t *testing.T) {
	list, err := passes.ParsePassList("opt_dce,opt_cse")
	if err != nil {
		t.Fatal(err)
	}
	another, err := passes.Load([]byte("pipelines:\n  other: [opt_dce]\n"), "another.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := PipelinePasses(Options{Passes: list}, ir.StageVertex); err != nil || !reflect.DeepEqual(got, []string{"opt_dce", "opt_cse"}) {
		t.Errorf("%v, %v", got, err)
	}
	plain, err := PipelinePasses(Options{Target: "ir3", Level: passes.O1}, ir.StageVertex)
	if err != nil || len(plain) < 20 {
		t.Errorf("%v, %v", plain, err)
	}
	asked, err := PipelinePasses(Options{Target: "ir3", Level: passes.O1, Printf: &passes.PrintfBuffer{Binding: 3}}, ir.StageVertex)
	if err != nil || len(asked) <= len(plain) {
		t.Errorf("%v, %v", asked, err)
	}
	fragment := Options{Target: "ir3", Level: passes.O1}
	plain, err = PipelinePasses(fragment, ir.StageFragment)
	fragment.State = &State{Shader: &passes.ShaderState{AlphaToOne: true}}
	if asked, err2 := PipelinePasses(fragment, ir.StageFragment); err != nil || err2 != nil || len(asked) <= len(plain) {
		t.Errorf("a state of the shader: %d passes, %d without, %v, %v", len(asked), len(plain), err, err2)
	}
	var usage *UsageError
	for _, o := range []Options{{Target: "vax"}, {Target: "ir3", State: &State{Shader: &passes.ShaderState{PatchVertices: 99}}}, {Target: "ir3", Pipelines: another}} {
		if _, err := PipelinePasses(o, ir.StageVertex); !errors.As(err, &usage) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// TestRunPass: a pass of the caller's own says whether it made progress, or why it refuses the shader; one that leaves no valid shader is named where each is verified.
func TestRunPass(t *testing.T) {
	m, err := Load([]byte(fragment), "f")
	if err != nil {
		t.Fatal(err)
	}
	breaks := func(_ *passes.Context, s *ir.Shader) (bool, error) {
		b := ir.NewBuilder(ir.AtStart(s.Entry().Impl.Start()))
		in := b.Iadd(b.Imm32(1), b.Imm32(2)).Instr
		in.Srcs[0].Def.BitSize = 16
		return true, nil
	}
	for _, c := range []struct {
		name                     string
		run                      func(*passes.Context, *ir.Shader) (bool, error)
		verify, progress, broken bool
		want                     string
	}{
		{"does nothing", func(*passes.Context, *ir.Shader) (bool, error) { return false, nil }, true, false, false, ""}, {"does something", func(*passes.Context, *ir.Shader) (bool, error) { return true, nil }, true, true, false, ""},
		{"refuses", func(*passes.Context, *ir.Shader) (bool, error) { return false, errors.New("not this one") }, true, false, false, "not this one"},
		{"refuses unchecked", func(*passes.Context, *ir.Shader) (bool, error) { return false, errors.New("not this one") }, false, false, false, "not this one"},
		{"breaks", breaks, true, true, true, "internal error in breaks"}, {"breaks unchecked", breaks, false, true, false, ""},
	} {
		u, err := New(Options{Target: IRTarget, Run: passes.RunOptions{VerifyEach: c.verify}})
		if err == nil {
			err = u.Translate(t.Context(), m)
		}
		if err != nil {
			t.Fatal(err)
		}
		progress, err := u.RunPass(t.Context(), &passes.Pass{Name: c.name, Run: c.run})
		var internal *InternalError
		if progress != c.progress || (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) || errors.As(err, &internal) != c.broken {
			t.Errorf("%s: %v, %v", c.name, progress, err)
		}
	}
}
