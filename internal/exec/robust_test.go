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

// beyondBuffers reads and writes at offsets from push constants and at constant ones. Its buffers have room
// for 4 words each; those of w are results.
const beyondBuffers = `#version 450
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x=1) in;
layout(push_constant) uniform Push { uint i, j; };
layout(std430, set=0, binding=0) buffer A { uint a[]; };
layout(std430, set=0, binding=1) buffer W { uint w[]; };
layout(std140, set=0, binding=2) uniform U { uvec4 u[64]; };
layout(std140, set=0, binding=2) uniform P { uvec4 p[2]; };
layout(std430, set=0, binding=3) buffer V { uvec4 v[]; };
struct Part { uint x, c[2]; };
layout(std430, set=0, binding=4) buffer D { uint head; Part d[]; };
layout(std430, row_major, set=0, binding=5) buffer M { mat2 m[]; };
struct Two { uint x, y; };
layout(std430, set=0, binding=6) buffer E { uint before[3]; Two e[]; };
layout(scalar, set=0, binding=6) buffer F { uint lead[3]; uvec2 pairs[]; };
`

// robustCases are shaders, what leaves its bounds in them, and the words that w has after a robust run.
var robustCases = []struct {
	name, body string
	i, j       uint32
	// uniform: the access is of the uniform buffer; inside: none leaves its bounds.
	uniform, inside bool
	want            [4]uint32
}{
	{"load", "w[0] = a[i];", 4, 0, false, false, [4]uint32{}},
	{"load far", "w[0] = a[i]; w[1] = a[j];", 0xffffffff, 3, false, false, [4]uint32{0, 13}},
	{"load constant", "w[0] = a[1088]; w[1] = a[2];", 0, 0, false, false, [4]uint32{0, 12}},
	{"store", "a[i] = 99u; w[0] = a[0]; w[3] = a[3];", 4, 0, false, false, [4]uint32{10, 0, 0, 13}},
	{"store far", "v[i] = uvec4(9u); w[2] = v[0].y;", 0xffffffff, 0, false, false, [4]uint32{0, 0, 21, 0}},
	{"store constant", "a[1088] = 77u; a[1] = 5u; w[1] = a[1];", 0, 0, false, false, [4]uint32{0, 5, 0, 0}},
	{"atomic", "w[0] = atomicAdd(a[i], 3u); w[1] = atomicAdd(a[j], 3u); w[2] = a[j];", 1 << 28, 2, false, false, [4]uint32{0, 12, 15}},
	{"atomic constant", "w[0] = atomicMax(a[700], 3u); w[1] = a[0];", 0, 0, false, false, [4]uint32{0, 10}},
	{"uniform", "w[0] = u[i + a[0] - 10u].x; w[1] = u[j].x;", 5, 0, true, false, [4]uint32{0, 30}},
	// Of few elements, which could all be copied to where nothing bounds an index.
	{"uniform array", "w[0] = p[i + a[0] - 10u].x + a[1]; w[1] = p[j + a[0] - 10u].x + a[2];", 5, 0, true, false, [4]uint32{11, 42}},
	{"inside", "w[0] = a[i] + u[j].y; w[1] = a[3] + v[0].w;", 3, 0, true, true, [4]uint32{44, 36}},
	// Neighbours: one in bounds, the next beyond them.
	{"edge", "w[0] = a[i]; w[1] = a[i + 1u];", 3, 0, false, false, [4]uint32{13, 0}},
	// Offsets beyond 32 bits that would be in bounds without what lies above them: of elements of 4, 16 and 12 bytes,
	// in sums of which no part is so far, and of components that lie apart.
	{"wrap", "w[0] = a[i]; w[1] = a[j];", 0x40000001, 2, false, false, [4]uint32{0, 12}},
	{"wrap signed", "w[0] = a[int(i)]; w[1] = a[int(j) - 1];", 0xc0000001, 2, false, false, [4]uint32{0, 11}},
	{"wrap constant", "w[0] = a[0x40000001u]; w[1] = a[0x7fffffffu]; w[2] = v[0x10000000u].z;", 0, 0, false, false, [4]uint32{}},
	{"wrap store", "v[i].y = 9u; d[j].x = 8u; w[1] = v[1].y; w[0] = d[0].x;", 0x10000000, 0x15555555, false, false, [4]uint32{41}},
	{"wrap struct", "w[0] = d[i].x + d[i].c[1]; w[1] = d[j].c[0];", 0x15555556, 0, false, false, [4]uint32{0, 42}},
	{"wrap sum", "w[0] = d[i].c[j]; w[1] = d[i - i].c[0]; w[2] = d[0].c[j];", 0x0aaaaaab, 0x1fffffff, false, false, [4]uint32{0, 42}},
	{"wrap sum inside", "w[0] = d[i].c[j]; w[1] = d[i].c[i];", 0, 1, false, true, [4]uint32{43, 42}},
	{"wrap atomic", "atomicAdd(a[i], 3u); w[2] = a[1];", 0x40000001, 0, false, false, [4]uint32{0, 0, 11}},
	{"wrap matrix", "mat2 n = m[i]; w[0] = floatBitsToUint(n[1][1]); w[1] = floatBitsToUint(m[j][0][1]);", 0x10000000, 0, false, false, [4]uint32{0, 52}},
	{"wrap uniform", "w[0] = u[i].x; w[1] = u[j].x;", 0x10000000, 0, true, false, [4]uint32{0, 30}},
	// What was stored out of bounds is not there.
	{"forward", "a[i] = 99u; w[0] = a[i]; a[j] = 7u; w[1] = a[j];", 4, 1, false, false, [4]uint32{0, 7}},
	{"forward constant", "a[1088] = 99u; w[0] = a[1088];", 0, 0, false, false, [4]uint32{}},
	{"edge members", "w[0] = e[i].x; w[1] = e[i].y;", 0, 0, false, false, [4]uint32{63, 0}},
	{"edge stored members", "e[i].x = 1u; e[i].y = 2u; w[0] = before[j] * 100u + before[j + 1u] * 10u + e[j - 1u].x;", 0, 1, false, false, [4]uint32{61*100 + 62*10 + 1}},
	// A vector that is partly inside is out of bounds as a whole; Vulkan lets 32 bits be tested by themselves instead.
	{"edge stored vector", "pairs[i] = uvec2(1u, 2u); w[0] = before[j] + 1u;", 0, 2, false, false, [4]uint32{63}},
	{"edge vector", "uvec2 p = pairs[i]; w[0] = p.x + p.y; w[1] = a[j + p.y];", 0, 3, false, false, [4]uint32{0, 13}},
	{"edge store", "a[i] = 1u; a[i + 1u] = 2u; w[0] = a[3];", 3, 0, false, false, [4]uint32{1}},
}

// computeModule makes a module of GLSL.
func computeModule(t *testing.T, text string) *nirc.Module {
	t.Helper()
	m, err := nirc.LoadFile(context.Background(), "-", nirc.FileOptions{Stdin: strings.NewReader(text), Stage: ir.StageCompute})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// runBeyond runs a case's shader and returns w.
func runBeyond(m *nirc.Module, o nirc.Options, i, j uint32) ([4]uint32, error) {
	words := func(from uint32) (b []byte) {
		for k := range uint32(4) {
			b = binary.LittleEndian.AppendUint32(b, from+k)
		}
		return b
	}
	w := make([]byte, 16)
	x := &Execution{Modules: []*nirc.Module{m}, Options: o, Groups: [3]uint32{1, 1, 1}, Limits: emu.Limits{Check: true},
		Push: binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, i), j),
		Bindings: []Binding{{Binding: 0, Data: words(10)}, {Binding: 1, Data: w}, {Binding: 2, Data: words(30)}, {Binding: 3, Data: words(20)},
			{Binding: 4, Data: words(40)}, {Binding: 5, Data: words(50)}, {Binding: 6, Data: words(60)}}}
	err := Execute(context.Background(), x)
	var got [4]uint32
	for k := range got {
		got[k] = binary.LittleEndian.Uint32(w[4*k:])
	}
	return got, err
}

// TestRobustBuffers runs accesses out of bounds with each robustness on each target. Off, the run is an
// error in checking mode; else loads give zeros, stores and atomics reach nothing.
func TestRobustBuffers(t *testing.T) {
	refs.Tool(t, "glslangValidator")
	modes := []string{"off", "buffer", "buffer2", "storage=buffer2,uniform=off", "uniform=buffer,images=image2"}
	for i := range robustCases {
		c := &robustCases[i]
		// A buffer that nobody writes is read in ir3's preamble, which reads ahead and may leave its bounds.
		m := computeModule(t, beyondBuffers+"void main() { "+c.body+" if (i == 0x7777u && j == 0x7777u) a[2] = before[2] = 0u; }")
		for _, mode := range modes {
			r, err := ir.ParseRobust(mode)
			if err != nil {
				t.Fatal(err)
			}
			wrap := strings.HasPrefix(c.name, "wrap") || strings.HasPrefix(c.name, "forward")
			if wrap && (mode == "off" && !c.inside || strings.Contains(mode, "=")) {
				continue // what is off promises nothing of them; lists of kinds are shown by the others
			}
			if strings.HasPrefix(c.name, "edge") && r.Storage == ir.Robust1 {
				continue // neighbours may count as out of bounds too
			}
			for _, target := range []string{"ir", "ir3", "agx", "midgard"} {
				for _, level := range []passes.Level{passes.O0, passes.O2} {
					name := fmt.Sprintf("%s/%s/%s/%s", c.name, mode, target, level)
					kind := r.Storage
					if c.uniform {
						kind = r.Uniform
					}
					got, err := runBeyond(m, nirc.Options{Target: target, Level: level, Robust: r}, c.i, c.j)
					if strings.HasPrefix(c.name, "atomic") {
						got[0] = 0 // what an atomic out of bounds returns is undefined
					}
					if c.name == "edge vector" && (target == "ir" || target == "ir3") && got[0] == 63 {
						got[0] = 0 // words are tested by themselves
					}
					if kind == ir.RobustOff && !c.inside {
						if err == nil {
							t.Errorf("%s: nobody notices: %v", name, got)
						}
					} else if err != nil || got != c.want {
						t.Errorf("%s: %v, want %v; %v", name, got, c.want, err)
					}
				}
			}
		}
	}
}

// TestRobustImages fetches and loads texels beyond the edges, the layers and the levels of images: they are
// zeros, except for the alpha of formats with one, which image leaves open.
func TestRobustImages(t *testing.T) {
	refs.Tool(t, "glslangValidator")
	m := computeModule(t, `#version 450
layout(local_size_x=1) in;
layout(push_constant) uniform Push { int x, layer, lod; };
layout(set=0, binding=0) uniform sampler2DArray s;
layout(set=0, binding=1, rgba32f) uniform image2DArray g;
layout(std430, set=0, binding=2) buffer W { vec4 w[4]; };
void main() {
	w[0] = texelFetch(s, ivec3(x, 1, layer), lod);
	w[1] = imageLoad(g, ivec3(x, 1, layer));
	imageStore(g, ivec3(x, 0, layer), vec4(9.0));
	w[2] = imageLoad(g, ivec3(1, 0, 1));
}`)
	for _, mode := range []string{"image", "image2"} {
		r, err := ir.ParseRobust(mode)
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range [][3]int32{{4, 0, 0}, {-1, 1, 0}, {1, 2, 0}, {1, -1, 0}, {0, 1 << 20, 0}, {1, 1, 1}} {
			if at[2] != 0 && r.Images != ir.Robust2 {
				continue // robustImageAccess says nothing of levels
			}
			for _, target := range []string{"ir", "ir3", "agx", "midgard"} {
				got, err := fetchBeyond(m, nirc.Options{Target: target, Level: passes.O2, Robust: r}, at)
				want := [3][4]float32{{}, {}, {3, 3, 3, 3}}
				if at[2] != 0 { // the image itself is inside
					want[1], want[2] = [4]float32{3, 3, 3, 3}, [4]float32{9, 9, 9, 9}
				}
				if r.Images != ir.Robust2 {
					got[0][3], got[1][3] = 0, want[1][3]
				}
				if err != nil || got != want {
					t.Errorf("%s/%s/%v: %v, want %v; %v", mode, target, at, got, want, err)
				}
			}
		}
	}
}

// TestRobustTexels fetches, loads, stores and adds in texel buffers of 20 texels, inside and out of bounds.
func TestRobustTexels(t *testing.T) {
	refs.Tool(t, "glslangValidator")
	m := computeModule(t, `#version 450
layout(local_size_x=1) in;
layout(push_constant) uniform Push { int x; };
layout(set=0, binding=0) uniform usamplerBuffer s;
layout(set=0, binding=1, r32ui) uniform uimageBuffer g;
layout(std430, set=0, binding=2) buffer W { uint w[4]; };
void main() {
  w[0] = texelFetch(s, x).x;
  imageAtomicAdd(g, x, 4u);
  w[1] = imageLoad(g, x).x;
  imageStore(g, x, uvec4(9u));
  w[2] = imageLoad(g, x).x;
  w[3] = imageLoad(g, 19).x;
}`)
	for _, mode := range []string{"buffer", "buffer2"} {
		r, err := ir.ParseRobust(mode)
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range []int32{0, 19, 20, 16383, 16384, 1 << 20, math.MaxInt32, -1} {
			want := [4]uint32{0, 0, 0, 5}
			if at < 20 && at >= 0 {
				want = [4]uint32{5, 9, 9, 5}
			}
			if at == 19 {
				want[3] = 9
			}
			for _, target := range []string{"ir", "ir3", "agx", "midgard"} {
				texels := func() []byte { return bytes.Repeat([]byte{5, 0, 0, 0}, 20) }
				w, f := make([]byte, 16), emu.FormatByName("R32_UINT")
				err := Execute(context.Background(), &Execution{Modules: []*nirc.Module{m}, Options: nirc.Options{Target: target, Level: passes.O2, Robust: r},
					Groups: [3]uint32{1, 1, 1}, Limits: emu.Limits{Check: true}, Push: binary.LittleEndian.AppendUint32(nil, uint32(at)),
					Bindings: []Binding{{Binding: 0, Data: texels(), Format: f}, {Binding: 1, Data: texels(), Format: f}, {Binding: 2, Data: w}}})
				var got [4]uint32
				for i := range got {
					got[i] = binary.LittleEndian.Uint32(w[4*i:])
				}
				if err != nil || got != want {
					t.Errorf("%s/%s/%d: %v, want %v; %v", mode, target, at, got, want, err)
				}
			}
		}
	}
}

// fetchBeyond runs the shader of TestRobustImages on images of 4x4 texels and two layers, all of them 3.
func fetchBeyond(m *nirc.Module, o nirc.Options, at [3]int32) (got [3][4]float32, err error) {
	f := emu.FormatByName("R32G32B32A32_SFLOAT")
	images := make([]*emu.Image, 2)
	for i := range images {
		if images[i], err = emu.NewImage(emu.ImageDesc{Width: 4, Height: 4, Layers: 2, Format: f}); err != nil {
			return got, err
		}
		for k := 0; k < len(images[i].Data); k += 4 {
			binary.LittleEndian.PutUint32(images[i].Data[k:], math.Float32bits(3))
		}
	}
	var push []byte
	for _, v := range at {
		push = binary.LittleEndian.AppendUint32(push, uint32(v))
	}
	w := make([]byte, 64)
	x := &Execution{Modules: []*nirc.Module{m}, Options: o, Groups: [3]uint32{1, 1, 1}, Limits: emu.Limits{Check: true}, Push: push,
		Bindings: []Binding{{Binding: 0, Image: images[0]}, {Binding: 1, Image: images[1]}, {Binding: 2, Data: w}}}
	err = Execute(context.Background(), x)
	for i := range got {
		for c := range got[i] {
			got[i][c] = math.Float32frombits(binary.LittleEndian.Uint32(w[16*i+4*c:]))
		}
	}
	return got, err
}
