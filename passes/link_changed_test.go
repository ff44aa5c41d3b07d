package passes

import (
	"fmt"
	"slices"
	"testing"

	"nirc/ir"
)

// TestLinkChanged: what removing unused varyings says of the stages: both sides by what went there, beside what had changed before, and
// which lists ran.
func TestLinkChanged(t *testing.T) {
	vertex := func(location string) *ir.Shader {
		return parseShader(t, `shader vertex "main" {
  var @1 shader_out f32 "o" { location=`+location+` }
  fn f0 "main" entry() {
    b0:
      %0:32 = load_const 0x0
      %1:32 = deref_var @1
      store_deref %1, %0 write_mask=x
  }
}`)
	}
	fragment := func(location string) *ir.Shader {
		return parseShader(t, `shader fragment "main" {
  var @1 shader_in f32 "i" { location=`+location+` interp=smooth }
  var @2 shader_out f32 "c" { location=DATA0 }
  fn f0 "main" entry() {
    b0:
      %0:32 = deref_var @1
      %1:32 = load_deref %0
      %2:32 = deref_var @2
      store_deref %2, %1 write_mask=x
  }
}`)
	}
	for _, c := range []struct {
		name    string
		stages  []*ir.Shader
		changed []bool // before and after
		want    []bool
		ran     string
	}{
		{"what is read", []*ir.Shader{vertex("VAR0"), fragment("VAR0")}, []bool{false, false}, []bool{false, false}, "[]"},
		{"what is read, after a change", []*ir.Shader{vertex("VAR0"), fragment("VAR0")}, []bool{true, false}, []bool{true, false}, "[]"},
		{"after a change of the other", []*ir.Shader{vertex("VAR0"), fragment("VAR0")}, []bool{false, true}, []bool{false, true}, "[]"},
		{"what is not read, and what is not written", []*ir.Shader{vertex("VAR0"), fragment("VAR1")}, []bool{false, false}, []bool{true, true}, "[vertex fragment]"},
		{"the outputs of a last stage", []*ir.Shader{vertex("VAR0")}, []bool{false}, []bool{true}, "[vertex]"},
		{"none of a last stage", []*ir.Shader{parseShader(t, "shader vertex \"main\" {\n  fn f0 \"main\" entry() {\n    b0:\n  }\n}")}, []bool{false}, []bool{false}, "[]"},
	} {
		ran := []string{}
		l := Linking{Stages: c.stages, Lists: func(s *ir.Shader, _ string) error {
			ran = append(ran, s.Stage.String())
			return nil
		}}
		if err := l.unused(make([]LinkCounts, len(c.stages)-1), c.changed); err != nil || !slices.Equal(c.changed, c.want) || fmt.Sprint(ran) != c.ran {
			t.Errorf("%s: changed %v, ran %v, %v; want %v, %v", c.name, c.changed, ran, err, c.want, c.ran)
		}
	}
}
