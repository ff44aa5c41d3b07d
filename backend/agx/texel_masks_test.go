package agx_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"nirc"
	"nirc/backend"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/internal/prove"
	"nirc/ir"
	"nirc/passes"
)

// texelMasks reads each set of a texel's components, by fetches, samples and loads of images, while the texels before it
// are still needed, and looks at what is read.
func texelMasks(t *testing.T, _ string) error {
	t.Helper()
	for mask := 1; mask < 16; mask++ {
		if err := readTexels(t, mask); err != nil {
			return fmt.Errorf("components %s: %w", componentsOf(mask), err)
		}
	}
	return nil
}

func componentsOf(mask int) (names string) {
	for k, c := range "xyzw" {
		if mask>>k&1 != 0 {
			names += string(c)
		}
	}
	return names
}

// texelReads are the ways to read texel I.
var texelReads = []string{"texelFetch(s, ivec2(I, 0), 0)", "textureLod(s, vec2((I + 0.5) / 8.0, 0.5), 0.0)", "imageLoad(m, ivec2(I, 0))"}

func texelSource(mask int) string {
	var b strings.Builder
	b.WriteString(`#version 450
layout(local_size_x=1) in;
layout(set=0, binding=0) uniform sampler2D s;
layout(set=0, binding=1, rgba8) readonly uniform image2D m;
layout(std430, set=0, binding=2) buffer W { uint w[]; };
void main() {
  int p = int(gl_WorkGroupID.x); // 0, and no matter for the preamble
`)
	for i := range 6 {
		fmt.Fprintf(&b, "  vec4 t%d = %s;\n", i, strings.ReplaceAll(texelReads[i%len(texelReads)], "I", fmt.Sprintf("(p + %d)", i)))
	}
	for i := range 6 {
		for _, c := range componentsOf(mask) {
			fmt.Fprintf(&b, "  w[%d] = uint(t%d.%c * 255.0 + 0.5);\n", 4*i+strings.IndexRune("xyzw", c), i, c)
		}
	}
	b.WriteString("}\n")
	return b.String()
}

func readTexels(t *testing.T, mask int) error {
	img, err := emu.NewImage(emu.ImageDesc{Width: 8, Height: 1, Format: emu.FormatByName("R8G8B8A8_UNORM")})
	if err != nil {
		t.Fatal(err)
	}
	for i := range img.LevelBytes(0) {
		img.LevelBytes(0)[i] = byte(7*i + 3)
	}
	w := make([]byte, 4*24)
	x := &exec.Execution{Modules: []*nirc.Module{prove.FromGLSL(t, ir.StageCompute, texelSource(mask))}, Options: nirc.Options{Target: "agx", Level: passes.O2},
		Groups: [3]uint32{1, 1, 1}, Limits: emu.Limits{Check: true},
		Bindings: []exec.Binding{{Binding: 0, Image: img}, {Binding: 1, Image: img}, {Binding: 2, Data: w}}}
	if err := exec.Execute(t.Context(), x); err != nil {
		return err
	}
	for i := range 24 {
		want := uint32(0)
		if mask>>(i%4)&1 != 0 {
			want = uint32(img.LevelBytes(0)[i])
		}
		if got := binary.LittleEndian.Uint32(w[4*i:]); got != want {
			return fmt.Errorf("component %c of texel %d is %d, want %d", "xyzw"[i%4], i/4, got, want)
		}
	}
	return nil
}

// TestTexelMasks: a texture operation is asked for what is read of its texel, and gives just that.
func TestTexelMasks(t *testing.T) {
	if err := texelMasks(t, backend.MonolithicABI); err != nil {
		t.Error(err)
	}
	for mask := 1; mask < 16; mask++ {
		text := mainPart(t, ir.StageCompute, texelSource(mask))
		if n := strings.Count(text, ", "+componentsOf(mask)+", 0b00, "); n != 6 {
			t.Errorf("components %s: %d of 6 texture operations ask for them:\n%s", componentsOf(mask), n, text)
		}
	}
}
