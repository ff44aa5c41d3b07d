package exec

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"

	"nirc"
	"nirc/internal/emu"
	"nirc/internal/refs"
	"nirc/ir"
	"nirc/passes"
)

// TestRobustWidths loads and stores elements of 1 to 32 bytes, the last one of a storage or uniform buffer and those beyond it, also
// where the number of their bytes overflows: what is beyond is zeros, and is not written.
func TestRobustWidths(t *testing.T) {
	refs.Tool(t, "glslangValidator")
	r, err := ir.ParseRobust("buffer2")
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		typ    string
		stride int
	}{{"uint8_t", 1}, {"u8vec2", 2}, {"u8vec3", 3}, {"u8vec4", 4}, {"uint16_t", 2}, {"u16vec3", 6}, {"u16vec4", 8}, {"uvec3", 12}, {"uvec4", 16}, {"uint64_t", 8}, {"u64vec2", 16}, {"u64vec3", 24}, {"u64vec4", 32}} {
		m := computeModule(t, strings.ReplaceAll(`#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x=1) in;
layout(push_constant) uniform Push { uint i; };
layout(scalar, set=0, binding=0) readonly buffer A { TYPE a[]; };
layout(scalar, set=0, binding=1) buffer B { TYPE b[]; };
layout(scalar, set=0, binding=2) buffer W { uint w[4]; };
layout(scalar, set=0, binding=3) uniform U { TYPE u[64]; };
void main() {
  w[0] = uint(a[i] != TYPE(0));
  w[1] = uint(b[i] != TYPE(0));
  b[i] = TYPE(9);
  w[2] = uint(u[i] != TYPE(0));
  w[3] = uint(u[i & 1u] != TYPE(0));
}`, "TYPE", x.typ))
		n := uint32(12 / x.stride * 4)
		if n == 0 {
			n = 4
		}
		for _, at := range []uint32{0, n - 1, n, n + 1, 1 << 20, math.MaxUint32 / uint32(x.stride), math.MaxUint32/uint32(x.stride) + 1, math.MaxInt32, math.MaxUint32} {
			for _, target := range []string{"ir", "ir3", "agx", "midgard"} {
				data := bytes.Repeat([]byte{5}, int(n)*x.stride)
				w, stored := make([]byte, 16), bytes.Clone(data)
				err := Execute(context.Background(), &Execution{Modules: []*nirc.Module{m}, Options: nirc.Options{Target: target, Level: passes.O2, Robust: r},
					Groups: [3]uint32{1, 1, 1}, Limits: emu.Limits{Check: true}, Push: binary.LittleEndian.AppendUint32(nil, at),
					Bindings: []Binding{{Binding: 0, Data: data}, {Binding: 1, Data: stored}, {Binding: 2, Data: w}, {Binding: 3, Data: data}}})
				if errors.Is(err, errors.ErrUnsupported) {
					t.Logf("%s/%s: %v", x.typ, target, err)
					break
				}
				var got, want [4]uint32
				for k := range got {
					got[k] = binary.LittleEndian.Uint32(w[4*k:])
				}
				want[3] = 1
				inside := at < n
				if inside {
					want = [4]uint32{1, 1, 1, 1}
				}
				if err != nil || got != want || bytes.Equal(data, stored) == inside {
					t.Errorf("%s/%d of %d/%s: %v, want %v; stored %t; %v", x.typ, at, n, target, got, want, !bytes.Equal(data, stored), err)
				}
			}
		}
	}
}
