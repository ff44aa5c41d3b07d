package amber

import (
	"math"
	"strings"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
)

// probe is a compute program that shows f what it sees, once.
func probe(f func(l *emu.Launch)) *fakeProgram {
	return &fakeProgram{stage: ir.StageCompute, size: [3]uint32{1, 1, 1}, lane: func(l *emu.Launch, _ int) error {
		f(l)
		return nil
	}}
}

func TestDescriptors(t *testing.T) {
	var env *emu.Env
	target := &fakeTarget{programs: map[string]*fakeProgram{"c": probe(func(l *emu.Launch) {
		env = &emu.Env{Mem: l.Env.Mem, Bindings: l.Env.Bindings, Push: l.Env.Push}
		l.Env.Mem.Store(l.Env.Bindings.Lookup(1, 2, 1).Addr, 1, 99)
		l.Env.Bindings.Lookup(0, 3, 0).Image.Store(1, 1, 0, 0, 0, [4]uint32{77})
	})}}
	r := runText(t, target, `#!amber
SHADER compute c SPIRV-HEX
`+someModule+`
BUFFER a DATA_TYPE uint8 SIZE 64 SERIES_FROM 0 INC_BY 1
BUFFER b DATA_TYPE uint8 SIZE 64 SERIES_FROM 100 INC_BY 1
BUFFER push DATA_TYPE uint32 DATA 1 2 END
BUFFER texels DATA_TYPE vec4<uint8> DATA 1 2 3 4 5 6 7 8 END
IMAGE img DATA_TYPE uint32 DIM_2D WIDTH 2 HEIGHT 2 SERIES_FROM 5 INC_BY 1
IMAGE mips FORMAT R8_UNORM MIP_LEVELS 3 DIM_2D WIDTH 8 HEIGHT 4
PIPELINE compute p
  ATTACH c
  BIND BUFFER a AS uniform DESCRIPTOR_SET 0 BINDING 0 DESCRIPTOR_OFFSET 8 DESCRIPTOR_RANGE 16
  BIND BUFFER_ARRAY a b AS storage_dynamic DESCRIPTOR_SET 1 BINDING 2 OFFSET 4 16 DESCRIPTOR_OFFSET 0 1
  BIND BUFFER texels AS uniform_texel_buffer DESCRIPTOR_SET 0 BINDING 1
  BIND BUFFER img AS storage_image DESCRIPTOR_SET 0 BINDING 3
  BIND BUFFER mips AS sampled_image DESCRIPTOR_SET 0 BINDING 4 BASE_MIP_LEVEL 1
  BIND BUFFER push AS push_constant
END
RUN p 1 1 1
EXPECT b IDX 16 EQ 116 99 118
EXPECT img IDX 0 EQ 5 6 7 77
`)
	if r.Verdict != Pass {
		t.Fatalf("%+v", r)
	}
	d := env.Bindings.Lookup(0, 0, 0)
	if d.Type != emu.DescUniformBuffer || d.Size != 16 || env.Mem.Load(d.Addr, 1) != 8 {
		t.Errorf("%+v", d)
	}
	if d := env.Bindings.Lookup(1, 2, 0); d.Type != emu.DescStorageBuffer || d.Size != 60 || env.Mem.Load(d.Addr, 1) != 4 {
		t.Errorf("%+v", d)
	}
	if d := env.Bindings.Lookup(0, 1, 0); d.Type != emu.DescUniformTexelBuffer || d.Format.Name != "R8G8B8A8_UINT" || d.Size != 8 {
		t.Errorf("%+v", d)
	}
	if d := env.Bindings.Lookup(0, 4, 0); d.Image.NumMips() != 2 || d.Image.Image.Width != 8 {
		t.Errorf("%+v", d.Image)
	}
	if len(env.Push) != 8 || env.Push[4] != 2 {
		t.Errorf("push %v", env.Push)
	}
}

// TestPipelineState draws with depth, stencil, blend and clear values, which
// emu's own tests prove one by one; here they must arrive.
func TestPipelineState(t *testing.T) {
	const state = `#!amber
SHADER vertex v PASSTHROUGH
SHADER fragment f SPIRV-HEX
` + someModule + `
BUFFER fb FORMAT R8G8B8A8_UNORM
BUFFER ds FORMAT D24_UNORM_S8_UINT
PIPELINE graphics p
  ATTACH v
  ATTACH f
  FRAMEBUFFER_SIZE 4 4
  BIND BUFFER fb AS color LOCATION 0
  BIND BUFFER ds AS depth_stencil
  STATE
END
CLEAR_COLOR p 0 0 0 0
CLEAR_DEPTH p 0.5
CLEAR_STENCIL p 3
CLEAR p
EXPECT ds IDX 0 TOLERANCE 1 EQ 8388608 3
RUN p DRAW_RECT POS 0 0 SIZE 4 2
EXPECT fb IDX 0 0 SIZE 4 2 EQ_RGBA WANT
EXPECT fb IDX 0 2 SIZE 4 2 EQ_RGBA 0 0 0 0
`
	for _, c := range []struct{ state, want, extra string }{
		{"", "255 128 0 255", ""},
		{"DEPTH\nTEST on\nCOMPARE_OP less\nWRITE on\nEND", "255 128 0 255", "EXPECT ds IDX 0 EQ 0 3\n"},
		{"DEPTH\nTEST on\nCOMPARE_OP greater\nEND", "0 0 0 0", ""},
		{"STENCIL front_and_back\nTEST on\nCOMPARE_OP equal\nREFERENCE 3\nPASS_OP increment_and_clamp\nEND", "255 128 0 255", "EXPECT ds IDX 0 TOLERANCE 1 EQ 8388608 4\nEXPECT ds IDX 32 TOLERANCE 1 EQ 8388608 3\n"},
		{"STENCIL front_and_back\nTEST on\nCOMPARE_OP equal\nREFERENCE 4\nFAIL_OP zero\nEND", "0 0 0 0", "EXPECT ds IDX 0 TOLERANCE 1 EQ 8388608 0\n"},
		{"BLEND\nSRC_COLOR_FACTOR zero\nSRC_ALPHA_FACTOR one\nEND", "0 0 0 255", ""},
		{"VIEWPORT 0 0 SIZE 4 0.5", "0 0 0 0", ""},
	} {
		text := strings.Replace(strings.Replace(state, "STATE", c.state, 1), "WANT", c.want, 1) + c.extra
		if r := runText(t, graphicsTarget(), text); r.Verdict != Pass {
			t.Errorf("%s: %+v", c.state, r)
		}
	}
}

// TestMultisampleResolve draws half of a pixel's samples nowhere: the whole
// chain of a multisampled attachment and its resolve target.
func TestMultisampleResolve(t *testing.T) {
	const text = `#!amber
SHADER vertex v PASSTHROUGH
SHADER fragment f SPIRV-HEX
` + someModule + `
BUFFER ms FORMAT R8G8B8A8_UNORM SAMPLES 4
BUFFER out FORMAT R8G8B8A8_UNORM
PIPELINE graphics p
  ATTACH v
  ATTACH f
  FRAMEBUFFER_SIZE 8 8
  BIND BUFFER ms AS color LOCATION 0
  BIND BUFFER out AS resolve
END
CLEAR p
RUN p DRAW_RECT POS 0 0 SIZE 4 8
EXPECT out IDX 0 0 SIZE 4 8 EQ_RGBA 255 128 0 255 TOLERANCE 1
EXPECT out IDX 4 0 SIZE 4 8 EQ_RGBA 0 0 0 0
`
	if r := runText(t, graphicsTarget(), text); r.Verdict != Pass {
		t.Errorf("%+v", r)
	}
	if r := runText(t, graphicsTarget(), text+"EXPECT ms IDX 0 0 SIZE 1 1 EQ_RGB 0 0 0\n"); r.Verdict != Skip {
		t.Errorf("%+v", r)
	}
}

// TestVertexData reads attributes with formats, strides, offsets and rates.
func TestVertexData(t *testing.T) {
	var got [][2]emu.Vec4
	v := vertexPass()
	v.io.Inputs = append(v.io.Inputs, emu.InputSlot{Slot: ir.SlotAttrib0 + 2, Mask: 15})
	v.lane = func(l *emu.Launch, lane int) error {
		got = append(got, [2]emu.Vec4{l.Inputs[lane][0], l.Inputs[lane][2]})
		return nil
	}
	target := graphicsTarget()
	target.programs["v"] = v
	r := runText(t, target, `#!amber
SHADER vertex v PASSTHROUGH
BUFFER pos DATA_TYPE vec3<float> DATA 1 2 3 4 5 6 END
BUFFER inst DATA_TYPE uint8 DATA 0 0 255 0 51 0 END
PIPELINE graphics p
  ATTACH v
  VERTEX_DATA pos LOCATION 0
  VERTEX_DATA inst LOCATION 2 RATE instance FORMAT R8_UNORM OFFSET 2 STRIDE 2
END
RUN p DRAW_ARRAY AS POINT_LIST START_IDX 1 COUNT 1 INSTANCE_COUNT 2
`)
	if r.Verdict != Pass {
		t.Fatalf("%+v", r)
	}
	f := func(x float32) uint32 { return math.Float32bits(x) }
	pos := emu.Vec4{f(4), f(5), f(6), f(1)}
	want := [][2]emu.Vec4{{pos, {f(1), 0, 0, f(1)}}, {pos, {f(0.2), 0, 0, f(1)}}}
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestSkips are what is known but cannot be run.
func TestSkips(t *testing.T) {
	const shaders = "#!amber\nSHADER vertex v PASSTHROUGH\nSHADER compute c SPIRV-HEX\n" + someModule + "SHADER geometry g SPIRV-HEX\n" + someModule +
		"SHADER tessellation_control tc SPIRV-HEX\n" + someModule + "SHADER compute cl OPENCL-C\nkernel void k() {}\nEND\nBUFFER b DATA_TYPE vec2<float> DATA 0 0 END\n"
	for _, c := range []struct{ text, want string }{
		{"PIPELINE compute p\nATTACH cl ENTRY_POINT k\nEND\nRUN p 1 1 1\n", "OpenCL kernels"},
		{"PIPELINE graphics p\nATTACH v\nBLEND\nCOLOR_OP multiply\nEND\nEND\nRUN p DRAW_RECT POS 0 0 SIZE 1 1\n", "multiply"},
		{"PIPELINE compute p\nATTACH c\nSUBGROUP c\nREQUIRED_SIZE 16\nEND\nEND\nRUN p 1 1 1\n", "subgroups of 16"},
		{"IMAGE i DATA_TYPE mat2x2<float> DIM_1D WIDTH 2\nPIPELINE compute p\nATTACH c\nBIND BUFFER i AS storage_image DESCRIPTOR_SET 0 BINDING 0\nEND\nRUN p 1 1 1\n", "mat2x2<float>"},
	} {
		target := graphicsTarget()
		target.programs["c"] = increment()
		if r := runText(t, target, shaders+c.text); r.Verdict != Skip || !strings.Contains(r.Reason, c.want) {
			t.Errorf("%s%+v", c.text, r)
		}
	}
	r := runText(t, graphicsTarget(), shaders+"PIPELINE graphics p\nATTACH v\nVERTEX_DATA b LOCATION 0\nEND\nRUN p DRAW_ARRAY AS PATCH_LIST\n")
	if r.Verdict != Fail || !strings.Contains(r.Reason, "list of patches, and there are no tessellation stages") {
		t.Errorf("%+v", r)
	}
	// What is not run does not matter.
	if r := runText(t, graphicsTarget(), shaders+"PIPELINE graphics p\nATTACH v\nATTACH g\nEND\n"); r.Verdict != Pass {
		t.Errorf("%+v", r)
	}
}
