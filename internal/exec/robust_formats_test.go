package exec

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"nirc"
	"nirc/internal/emu"
	"nirc/internal/refs"
	"nirc/ir"
	"nirc/passes"
)

// TestRobustFormats fetches, loads and stores in texel buffers of texels of 1 to 16 bytes, in numbers that fill a row of AGX's shape
// of them, and that do not: beyond the last one all is zeros, and nothing is written.
func TestRobustFormats(t *testing.T) {
	refs.Tool(t, "glslangValidator")
	r, err := ir.ParseRobust("buffer2")
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range []struct{ glsl, vulkan string }{{"r8ui", "R8_UINT"}, {"rg16ui", "R16G16_UINT"}, {"rg32ui", "R32G32_UINT"}, {"rgba32ui", "R32G32B32A32_UINT"}} {
		m := computeModule(t, strings.ReplaceAll(`#version 450
layout(local_size_x=1) in;
layout(push_constant) uniform Push { int x; };
layout(set=0, binding=0) uniform usamplerBuffer s;
layout(set=0, binding=1, FORMAT) uniform uimageBuffer g;
layout(std430, set=0, binding=2) buffer W { uint w[4]; };
void main() {
  w[0] = texelFetch(s, x).x;
  w[1] = imageLoad(g, x).x;
  imageStore(g, x, uvec4(9u));
  w[2] = uint(textureSize(s));
}`, "FORMAT", format.glsl))
		f := emu.FormatByName(format.vulkan)
		for _, texels := range []int{1, 21, 1 << 14, 1<<14 + 3} {
			n := int32(texels)
			for _, at := range []int32{0, n - 1, n, n + 1, 2 * n, n + 1<<14, 1 << 28, 1 << 30, math.MaxInt32, math.MinInt32, -1} {
				for _, target := range []string{"ir", "ir3", "agx", "midgard"} {
					name := fmt.Sprintf("%s/%d/%d/%s", format.glsl, texels, at, target)
					data := bytes.Repeat([]byte{5}, texels*f.Bytes)
					w, stored := make([]byte, 16), bytes.Clone(data)
					err := Execute(context.Background(), &Execution{Modules: []*nirc.Module{m}, Options: nirc.Options{Target: target, Level: passes.O2, Robust: r},
						Groups: [3]uint32{1, 1, 1}, Limits: emu.Limits{Check: true}, Push: binary.LittleEndian.AppendUint32(nil, uint32(at)),
						Bindings: []Binding{{Binding: 0, Data: data, Format: f}, {Binding: 1, Data: stored, Format: f}, {Binding: 2, Data: w}}})
					inside := at >= 0 && at < n
					read := binary.LittleEndian.Uint64(w) != 0
					if size := binary.LittleEndian.Uint32(w[8:]); err != nil || size != uint32(n) || read != inside || bytes.Equal(data, stored) == inside {
						t.Errorf("%s: %d texels, read %t, stored %t; %v", name, size, read, !bytes.Equal(data, stored), err)
					}
				}
			}
		}
	}
}
