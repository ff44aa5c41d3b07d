package ir

import (
	"fmt"
	"strings"
	"testing"
)

// TestDerefContents: what derefs of each mode and each kind are, and nothing else.
func TestDerefContents(t *testing.T) {
	const plain = HasDeref
	for _, c := range []struct {
		mode Mode
		want Contents
	}{
		{ModeFunctionTemp, plain | HasTemp}, {ModeShaderTemp, plain | HasTemp | HasPrivate}, {ModeFunctionTemp | ModeShaderTemp, plain | HasTemp | HasPrivate},
		{ModeShaderIn, plain}, {ModeShaderOut, plain}, {ModeUniform, plain}, {ModeImage, plain}, {ModeSystemValue, plain | HasSystemValue},
		{ModeSSBO, plain | HasObject}, {ModeUBO, plain | HasObject}, {ModeShared, plain | HasObject}, {ModeGlobal, plain | HasObject},
		{ModePushConst, plain | HasObject}, {ModeConstant, plain | HasObject}, {ModeSSBO | ModeFunctionTemp, plain | HasObject | HasTemp},
	} {
		s := NewShader(StageCompute, nil)
		b := NewBuilder(AtStart(s.NewFunction("main").Impl.Start()))
		pair := &Type{Base: BaseStruct, Fields: []Field{{Type: ArrayType(VectorType(BaseUint, 32, 4), 3, 16)}}}
		zero := b.Imm32(0)
		steps := []struct {
			name  string
			build func(d *Def) *Def
			more  Contents
		}{
			{"variable", func(*Def) *Def { return b.DerefVar(s.NewVariable(c.mode, pair, "v")) }, 0},
			{"member", func(d *Def) *Def { return b.DerefStruct(d, 0) }, 0},
			{"element", func(d *Def) *Def { return b.DerefArray(d, zero) }, HasElement},
			{"cast", func(d *Def) *Def { return b.DerefCast(d, c.mode, ScalarType(BaseUint, 32), 4) }, HasCast},
			{"step", func(d *Def) *Def { return b.DerefPtrAsArray(d, zero) }, HasCast},
		}
		var d *Def
		for _, step := range steps {
			d = step.build(d)
			if got := d.Instr.contents() &^ (HasNarrow | Has64); got != c.want|step.more {
				t.Errorf("%s, %s: %#x, want %#x", c.mode, step.name, got, c.want|step.more)
			}
			// So it is where an instruction comes to be one of that mode.
			s.contents = 0
			if d.Instr.SetModes(c.mode); s.contents&(HasTemp|HasPrivate|HasSystemValue|HasObject|HasCast|HasElement) != (c.want|step.more)&^plain {
				t.Errorf("%s, %s: by its modes %#x, want %#x", c.mode, step.name, s.contents, c.want|step.more)
			}
		}
		many := b.DerefWildcard(b.DerefStruct(b.DerefVar(s.NewVariable(c.mode, pair, "w")), 0))
		if got := many.Instr.contents(); got != c.want|HasElement {
			t.Errorf("%s, all elements: %#x, want %#x", c.mode, got, c.want|HasElement)
		}
	}
}

// TestParseDepth: control flow and types nest as deep as the reader allows, and one more is refused.
func TestParseDepth(t *testing.T) {
	flow := func(n int) string {
		var w strings.Builder
		w.WriteString("shader compute \"main\" {\n  info { workgroup_size=1,1,1 }\n  fn f0 \"main\" entry() {\n    b0:\n      %0:1 = load_const 0x1\n")
		block := 0
		for range n {
			fmt.Fprintf(&w, "if %%0 {\n b%d:\n", block+1)
			block++
		}
		for range n {
			fmt.Fprintf(&w, "} else {\n b%d:\n}\nb%d:\n", block+1, block+2)
			block += 2
		}
		w.WriteString("  }\n}\n")
		return w.String()
	}
	array := func(n int) string {
		return "shader compute \"main\" {\n  info { workgroup_size=1,1,1 }\n  var @1 shader_temp u32" + strings.Repeat("[1]", n) + " \"a\"\n  fn f0 \"main\" entry() {\n    b0:\n  }\n}\n"
	}
	for _, c := range []struct {
		name, text, want string
	}{
		{"ifs", flow(maxParseDepth - 1), ""}, {"one if more", flow(maxParseDepth), "control flow nests too deep"},
		{"arrays", array(maxParseDepth), ""}, {"one array more", array(maxParseDepth + 1), "types nest too deep"},
	} {
		s, err := Parse(c.text)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
			continue
		}
		if err == nil && s.Entry() == nil {
			t.Errorf("%s: no entry point", c.name)
		}
	}
}
