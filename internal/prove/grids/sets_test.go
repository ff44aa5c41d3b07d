package grids

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"nirc"
	"nirc/internal/emu"
	"nirc/internal/exec"
	"nirc/internal/prove"
	"nirc/ir"
)

// setsShader reads ranges of a uniform buffer of each of n sets, at offsets that are known and by an index, and adds them up in a storage
// buffer of each.
func setsShader(n int) string {
	var decl, body strings.Builder
	for k := range n {
		fmt.Fprintf(&decl, "layout(set=%d, binding=0) uniform U%d { uvec4 u%d[16]; };\nlayout(set=%d, binding=1) buffer B%d { uint o%d[]; };\n", k, k, k, k, k, k)
		fmt.Fprintf(&body, "  sum = sum * 3 + u%d[1].x + u%d[%d].w + u%d[id & 7u].y;\n  o%d[id] = sum;\n", k, k, k+2, k, k)
	}
	return "#version 460\nlayout(local_size_x = 16) in;\n" + decl.String() + "void main() {\n  uint id = gl_LocalInvocationIndex, sum = 0;\n" + body.String() + "}\n"
}

// setsRound binds buffers of the round's own and gives what the shader leaves in them.
func setsRound(t *testing.T, p emu.Program, n, round int) []byte {
	mem := emu.NewMemory()
	var bind emu.Bindings
	var outs []*emu.Buffer
	for k := range n {
		in, out := mem.Alloc(256), mem.Alloc(64)
		for i := range in.Data {
			in.Data[i] = byte(i*31 + k*7 + round*101)
		}
		bind.Set(uint32(k), 0, []emu.Descriptor{{Type: emu.DescUniformBuffer, Addr: in.Addr, Size: 256}})
		bind.Set(uint32(k), 1, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: out.Addr, Size: 64}})
		outs = append(outs, out)
	}
	err := emu.Dispatch(context.Background(), p, &emu.Env{Mem: mem, Bindings: &bind}, emu.DispatchParams{Groups: [3]uint32{1, 1, 1}, Limits: emu.Limits{Check: true, Seed: uint64(round)}})
	if err != nil {
		t.Fatal(err)
	}
	var all []byte
	for _, out := range outs {
		all = append(all, out.Data...)
	}
	return all
}

// TestFiveSets: a shader reaches all descriptor sets that a device has, and one more is refused; and what it copies of uniform buffers ahead of its
// threads it copies in each dispatch: buffers that are bound after the binary was loaded count (update after bind).
func TestFiveSets(t *testing.T) {
	for target, most := range map[string]int{"ir3 a630": 5, "ir3 a660": 5, "ir3 a740": 8, "ir3 a750": 8, "agx": 8, "midgard": 4} {
		name, gpu, _ := strings.Cut(target, " ")
		m := prove.FromGLSL(t, ir.StageCompute, setsShader(most))
		load := func(name, gpu string) emu.Program {
			p, _, err := exec.Executable(context.Background(), m, nirc.Options{Target: name, GPU: gpu})
			if err != nil {
				t.Fatalf("%s %s: %v", name, gpu, err)
			}
			return p
		}
		want, got := load(nirc.IRTarget, ""), load(name, gpu)
		for round := range 3 {
			w, g := setsRound(t, want, most, round), setsRound(t, got, most, round)
			if !bytes.Equal(w, g) || binary.LittleEndian.Uint32(w) == 0 {
				t.Errorf("%s, buffers of round %d: %x, want %x", target, round, g, w)
			}
		}
		if name == "agx" { // one table for all
			continue
		}
		more := prove.FromGLSL(t, ir.StageCompute, setsShader(most+1))
		if _, _, err := exec.Executable(context.Background(), more, nirc.Options{Target: name, GPU: gpu}); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("descriptor set %d is not supported, there are %d sets", most, most)) {
			t.Errorf("%s, %d sets: %v", target, most+1, err)
		}
	}
}
