package exec

import (
	"encoding/binary"
	"testing"

	"nirc"
	"nirc/backend/layout"
	"nirc/internal/emu"
	"nirc/internal/refs"
	"nirc/passes"
)

// TestInlineUniformBlock reads a block whose bytes the set holds, between other buffers, at constant places and at one that is
// known when the shader runs, up to its last word.
func TestInlineUniformBlock(t *testing.T) {
	refs.Tool(t, "glslangValidator")
	m := computeModule(t, `#version 450
layout(local_size_x=1) in;
layout(set=0, binding=0) uniform Before { uvec4 v; } before;
layout(set=0, binding=3) uniform Block { uvec4 a[2]; uint last; } block;
layout(std430, set=0, binding=5) buffer W { uint w[4]; };
void main() {
  w[0] = block.a[0].y + before.v.x;
  w[1] = block.a[before.v.y].w;
  w[2] = block.last;
}`)
	l := &layout.Layout{Sets: []layout.Set{{Bindings: []layout.Binding{
		{Binding: 0, Type: layout.UniformBuffer, Count: 1, Stages: layout.AllStages},
		{Binding: 2, Type: layout.InlineUniformBlock, Count: 64, Stages: layout.AllStages},
		{Binding: 3, Type: layout.InlineUniformBlock, Count: 36, Stages: layout.AllStages},
		{Binding: 5, Type: layout.StorageBuffer, Count: 1, Stages: layout.AllStages},
	}}}}
	words := func(list ...uint32) (b []byte) {
		for _, v := range list {
			b = binary.LittleEndian.AppendUint32(b, v)
		}
		return b
	}
	for _, target := range []string{"ir", "ir3", "agx", "midgard"} {
		w := make([]byte, 16)
		err := Execute(t.Context(), &Execution{Modules: []*nirc.Module{m}, Options: nirc.Options{Target: target, Level: passes.O2, Layout: l}, Groups: [3]uint32{1, 1, 1},
			Limits: emu.Limits{Check: true}, Bindings: []Binding{{Data: words(100, 1, 0, 0)}, {Binding: 3, Data: words(1, 2, 3, 4, 5, 6, 7, 8, 9)}, {Binding: 5, Data: w}}})
		if got, want := string(w), string(words(102, 8, 9, 0)); err != nil || got != want {
			t.Errorf("%s: %x, want %x; %v", target, got, want, err)
		}
	}
}
