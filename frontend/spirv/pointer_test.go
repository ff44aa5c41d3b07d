package spirv

import (
	_ "embed"
	"strings"
	"testing"

	"nirc/ir"
)

// sharedText has a variable of workgroup memory and a null pointer to a storage
// buffer; DECORATE is where the type may become a Block.
//
//go:embed testdata/asm/shared_text.spvasm
var sharedText string

// TestSharedBlocks: workgroup variables alias when they are Blocks, not already
// when the module declares the capability.
func TestSharedBlocks(t *testing.T) {
	for decoration, want := range map[string]bool{"": false, "OpDecorate %s Block": true} {
		s, err := Translate(assemble(t, strings.Replace(sharedText, "DECORATE", decoration, 1)), Options{panics: true})
		if err != nil {
			t.Fatal(err)
		}
		if s.Info.SharedExplicitLayout != want {
			t.Errorf("with %q the layout of shared memory is explicit: %v", decoration, s.Info.SharedExplicitLayout)
		}
	}
}

// TestNullPointer: a null pointer is no place in any buffer: all its bits are set.
func TestNullPointer(t *testing.T) {
	s, err := Translate(assemble(t, strings.Replace(sharedText, "DECORATE", "", 1)), Options{panics: true})
	if err != nil {
		t.Fatal(err)
	}
	for b := range s.Entry().Impl.Blocks() {
		for in := range b.Instrs() {
			if !in.IsALU(ir.OpIeq) {
				continue
			}
			for c := range 2 {
				if v, ok := in.Srcs[1].Def.Const(c); in.Srcs[1].Def.NumComponents != 2 || !ok || v != 0xffffffff {
					t.Errorf("component %d of the null pointer is %#x", c, v)
				}
			}
			return
		}
	}
	t.Error("the pointers are not compared")
}
