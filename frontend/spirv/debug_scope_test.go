package spirv_test

import (
	_ "embed"
	"fmt"
	"strings"
	"testing"

	"nirc/frontend/spirv"
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// inlinedAt is a module whose optimizer has inlined fog into shade, and that into main.
//
//go:embed testdata/asm/inlined_at.spvasm
var inlinedAt string

// TestInlinedAt: DebugInlinedAt gives places their functions and calls.
func TestInlinedAt(t *testing.T) {
	words, err := spv.Assemble(inlinedAt, spv.AssembleOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		debug      bool
		load, iadd string
	}{{true, "fog a.hlsl:3 shade a.hlsl:7 main a.hlsl:9", "main a.hlsl:3"}, {false, " a.hlsl:3", " a.hlsl:3"}} {
		m, err := spv.ParseWords(words)
		if err != nil {
			t.Fatal(err)
		}
		s, err := spirv.Translate(m, spirv.Options{Debug: c.debug})
		if err != nil {
			t.Fatal(err)
		}
		for b := range s.Entry().Impl.Blocks() {
			for in := range b.Instrs() {
				if in.IsIntrinsic(ir.IntrLoadDeref) && chain(s, in.Loc) != c.load || in.IsALU(ir.OpIadd) && chain(s, in.Loc) != c.iadd {
					t.Errorf("debug %v: %s is at %q", c.debug, ir.PrintInstr(in), chain(s, in.Loc))
				}
			}
		}
	}
	// Scopes and calls that lead in a circle, or to what is none, are not followed.
	for old, wrong := range map[string]string{"%at1 = OpExtInst %void %debug DebugInlinedAt %c9 %dmain": "%at1 = OpExtInst %void %debug DebugInlinedAt %c9 %c9",
		"DebugInlinedAt %c7 %dshade %at1": "DebugInlinedAt %c7 %dshade %dmain", "%source %c3 %c1 %dfog": "%source %c3 %c1 %unit"} {
		words, err := spv.Assemble(strings.Replace(inlinedAt, old, wrong, 1), spv.AssembleOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if m, err := spv.ParseWords(words); err != nil {
			t.Fatal(err)
		} else if _, err := spirv.Translate(m, spirv.Options{Debug: true}); err != nil {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}

// chain writes a place and its calls.
func chain(s *ir.Shader, loc uint32) string {
	var list []string
	for ; loc != 0; loc = s.Locs[loc].Call {
		l := &s.Locs[loc]
		list = append(list, fmt.Sprintf("%s %s:%d", s.Funcs[l.Func], s.Files[l.File], l.Line))
	}
	return strings.Join(list, " ")
}
