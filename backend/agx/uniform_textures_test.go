package agx_test

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"nirc"
	"nirc/backend/agx"
	"nirc/internal/prove"
	"nirc/ir"
	"nirc/passes"
)

// mainPart compiles GLSL and lists the code up to the traps that follow it: without the preamble.
func mainPart(t *testing.T, stage ir.Stage, source string) string {
	t.Helper()
	return mainText(t, prove.FromGLSL(t, stage, source), nirc.Options{})
}

// mainText is the main program that a module becomes by some options.
func mainText(t *testing.T, m *nirc.Module, opts nirc.Options) string {
	t.Helper()
	opts.Target, opts.Level = "agx", passes.O2
	o, err := m.Compile(context.Background(), opts)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := agx.Target{}.Disassemble(o.GPU, o.Code)
	if err != nil {
		t.Fatal(err)
	}
	var w strings.Builder
	for _, l := range lines {
		if l.Text == "trap" {
			break
		}
		w.WriteString(l.Text + "\n")
	}
	return w.String()
}

// Where a texture and its sampler stand, and what the sampler adds to levels of detail, is computed and loaded in the preamble if all
// invocations choose the same, and in the shader if they do not, or if a branch decides whether the index may be used
// that nothing before the branch has used.
func TestPreambleTextures(t *testing.T) {
	const source = `#version 460
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) uniform sampler2D a[4];
layout(set = 0, binding = 1) buffer O { float v[]; };
layout(push_constant) uniform P { uint i; };
void main() {
  uint id = gl_LocalInvocationIndex;
  BEFORE v[id] = textureLod(a[INDEX], vec2(id), 0).x;
}`
	for _, c := range []struct {
		before, index string
		moves         bool
	}{{"", "i", true}, {"", "nonuniformEXT(id & 3)", false}, {"if (id < 7)", "i", false},
		{"v[id + 32] = textureLod(a[i], vec2(id), 1).y; if (id < 7)", "i", true}} {
		text := mainPart(t, ir.StageCompute, strings.NewReplacer("BEFORE", c.before, "INDEX", c.index).Replace(source))
		if c.moves == strings.Contains(text, "device_load") || c.moves && strings.Contains(text, "imadd") {
			t.Errorf("index %s %s:\n%s", c.index, c.before, text)
		}
	}
}

// Texels of the first level are fetched in the preamble even if a branch decides whether they are wanted: hardware looks whether
// coordinates are within the image. A level may be none where nobody wants it.
func TestPreambleFetches(t *testing.T) {
	const source = `#version 460
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) uniform sampler2D a;
layout(set = 0, binding = 1) buffer O { float v[]; };
void main() {
  uint id = gl_LocalInvocationIndex;
  if (id < 7) v[id] = texelFetch(a, AT).x;
}`
	for at, moves := range map[string]bool{"ivec2(0), 0": true, "ivec2(0, 1), 0": true, "ivec2(0), 1": false} {
		text := mainPart(t, ir.StageCompute, strings.ReplaceAll(source, "AT", at))
		if moves == strings.Contains(text, "texture_load") {
			t.Errorf("texel %s:\n%s", at, text)
		}
	}
}

// The layer of an array is rounded and clamped in the preamble if it is the same for all fragments, beside coordinates that are not.
func TestPreambleLayers(t *testing.T) {
	const source = `#version 460
layout(set = 0, binding = 0) uniform sampler2DArray a;
layout(push_constant) uniform P { int i; };
layout(location = 0) in vec3 at;
layout(location = 0) out vec4 o;
void main() { o = texture(a, vec3(at.xy, LAYER)); }`
	for layer, moves := range map[string]bool{"i": true, "at.z": false} {
		text := mainPart(t, ir.StageFragment, strings.ReplaceAll(source, "LAYER", layer))
		if moves == strings.Contains(text, "rint") {
			t.Errorf("layer %s:\n%s", layer, text)
		}
	}
}

// Inputs of 16 bits are interpolated into halves: nothing converts them. At an offset they are computed in words.
func TestHalfInputs(t *testing.T) {
	const source = `#version 460
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_AMD_gpu_shader_half_float : enable
#extension GL_EXT_shader_16bit_storage : require
layout(location = 0) in f16vec2 x;
layout(location = 0) out f16vec2 o;
void main() { o = VALUE; }`
	halves := regexp.MustCompile(`(?m)^ *iterproj r\d+[lh]_r\d+[lh],`)
	for value, whole := range map[string]bool{"x": true, "interpolateAtCentroid(x)": true, "interpolateAtOffset(x, f16vec2(0.25))": false} {
		if text := mainPart(t, ir.StageFragment, strings.ReplaceAll(source, "VALUE", value)); whole != halves.MatchString(text) {
			t.Errorf("%s:\n%s", value, text)
		}
	}
}

// Textures are sampled in the preamble where all invocations look at one place and nothing but constants choose the texture.
func TestPreambleSamples(t *testing.T) {
	const source = `#version 460
layout(set = 0, binding = 0) uniform sampler2D a[4];
layout(set = 0, binding = 1) uniform samplerCube c;
layout(push_constant) uniform P { vec2 at; int i; };
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 o;
void main() { o = LOOKUP; }`
	for lookup, moves := range map[string]bool{
		"texture(a[2], at)":                          true,
		"textureLod(a[1], at * 3.0, at.x)":           true,
		"textureLod(c, at.xyy, 0.0)":                 true,
		"texelFetch(a[3], ivec2(i, 1), 0)":           true,
		"at.x < 1.0 ? texture(a[0], at) : vec4(1.0)": true,
		"texture(a[0], uv)":                          false,
		"texture(a[i], at)":                          false,
		"texelFetch(a[i], ivec2(1), 0)":              false,
		"texelFetch(a[3], ivec2(uv), 0)":             false,
		"texture(c, at.xyy)":                         false, // the reference makes levels of cubes' derivatives
		"textureOffset(a[0], at, ivec2(1))":          false,
	} {
		text := mainPart(t, ir.StageFragment, strings.Replace(source, "LOOKUP", lookup, 1))
		if moves == (strings.Contains(text, "texture_sample") || strings.Contains(text, "texture_load")) {
			t.Errorf("%s:\n%s", lookup, text)
		}
	}
}

// Samples are fetched in the preamble where all invocations want the same one: in draws one that each multisampled texture has, for
// a draw that shades nothing may have the number of any; in dispatches any where the shader always comes by.
func TestPreambleMultisampled(t *testing.T) {
	const source = `#version 460
#if COMPUTE
layout(local_size_x = 32) in;
layout(set = 0, binding = 1) buffer O { vec4 v[]; };
#define o v[gl_LocalInvocationIndex]
#else
layout(location = 0) out vec4 o;
#endif
layout(set = 0, binding = 0) uniform sampler2DMS a;
layout(set = 0, binding = 2) uniform sampler2DMSArray b;
layout(push_constant) uniform P { ivec2 at; int i; };
void main() { LOOKUP; }`
	for _, c := range []struct {
		lookup         string
		draw, dispatch bool
	}{
		{"o = texelFetch(a, at, 1)", true, true},
		{"o = texelFetch(a, at, 2)", false, true},
		{"o = texelFetch(a, at, i)", false, true},
		{"o = texelFetch(b, ivec3(at, i), 0)", false, true},
	} {
		for stage, moves := range map[ir.Stage]bool{ir.StageFragment: c.draw, ir.StageCompute: c.dispatch} {
			compute := "0"
			if stage == ir.StageCompute {
				compute = "1"
			}
			text := mainPart(t, stage, strings.NewReplacer("LOOKUP", c.lookup, "COMPUTE", compute).Replace(source))
			if moves == strings.Contains(text, "texture_load") {
				t.Errorf("%v: %s:\n%s", stage, c.lookup, text)
			}
		}
	}
	for lookup, moves := range map[string]bool{"ivec2(0), 0": true, "ivec2(0), 1": true, "at, 0": true, "ivec2(0), 2": false, "at, i": false} {
		lookup = "if (gl_LocalInvocationIndex < 7) o = texelFetch(a, " + lookup + ")"
		text := mainPart(t, ir.StageCompute, strings.NewReplacer("LOOKUP", lookup, "COMPUTE", "1").Replace(source))
		if moves == strings.Contains(text, "texture_load") {
			t.Errorf("%s:\n%s", lookup, text)
		}
	}
}

// Memory is read by a pointer in the preamble where nothing but reads goes by that pointer, the pointer is the same for all, and the
// invocation has not written or waited for others before.
func TestPreamblePointers(t *testing.T) {
	const source = `#version 460
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 32) in;
layout(buffer_reference, std430, buffer_reference_align = 4) QUALIFIERS buffer In { uint v[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) writeonly buffer Out { uint v[]; };
layout(push_constant) uniform P { In i; Out o; uint n; };
shared uint lock;
void main() {
  uint id = gl_LocalInvocationIndex, k = 0;
  BEFORE o.v[id] = i.v[INDEX] + k;
}`
	for _, c := range []struct {
		qualifiers, before, index string
		moves                     bool
	}{
		{"readonly", "", "n", true},
		{"readonly", "if (n > 3)", "n", true},
		{"readonly", "if (id > 3)", "n", false},
		{"readonly", "", "id", false},
		{"readonly", "o.v[id + 32] = 1;", "n", false},
		{"readonly", "barrier(); memoryBarrierBuffer();", "n", false},
		{"readonly", "k = atomicAdd(lock, id);", "n", false},
		{"readonly", "k = atomicCompSwap(lock, 0, id);", "n", false},
		{"readonly volatile", "", "n", false},
		{"", "", "n", false},
	} {
		text := mainPart(t, ir.StageCompute, strings.NewReplacer("QUALIFIERS", c.qualifiers, "BEFORE", c.before, "INDEX", c.index).Replace(source))
		if c.moves == strings.Contains(text, "device_load") {
			t.Errorf("%v:\n%s", c, text)
		}
	}
}
