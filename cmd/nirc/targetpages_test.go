package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"nirc"
	"nirc/backend/gputest"
	"nirc/internal/refs"
	"nirc/ir"
)

// update is whether what is derived is to be written again: parts of docs/targets, tables of testdata.
var update = gputest.Update

// probe is a small shader that stands for a feature.
type probe struct {
	feature string
	stage   ir.Stage
	head    string // extensions and declarations
	body    string // of main
}

const (
	outColor = "layout(location = 0) out vec4 o;\n"
	words    = "layout(set = 0, binding = 0) buffer B { uint a[]; };\n"
	floats   = "layout(set = 0, binding = 1) buffer F { float f[]; };\n"
)

func extension(list ...string) string {
	s := ""
	for _, e := range list {
		s += "#extension GL_" + e + " : require\n"
	}
	return s
}

// probes are the features that the pages list, in their order.
var probes = []probe{
	{"vertex shaders", ir.StageVertex, "layout(location = 0) in vec4 p;\n", "gl_Position = p;"},
	{"draw parameters", ir.StageVertex, extension("ARB_shader_draw_parameters"), "gl_Position = vec4(gl_DrawIDARB + gl_BaseVertexARB);"},
	{"multiview", ir.StageVertex, extension("EXT_multiview"), "gl_Position = vec4(gl_ViewIndex);"},
	{"clip distances", ir.StageVertex, "out float gl_ClipDistance[2];\n", "gl_Position = vec4(gl_VertexIndex); gl_ClipDistance[0] = gl_ClipDistance[1] = gl_VertexIndex;"},
	{"transform feedback", ir.StageVertex, "layout(location = 0, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 4) out float x;\n", "gl_Position = vec4(0); x = gl_VertexIndex;"},
	{"tessellation control shaders", ir.StageTessCtrl, "layout(vertices = 3) out;\n", "gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = gl_TessLevelInner[0] = 2; gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;"},
	{"tessellation evaluation shaders", ir.StageTessEval, "layout(triangles) in;\n", "gl_Position = gl_in[0].gl_Position * gl_TessCoord.x;"},
	{"geometry shaders", ir.StageGeometry, "layout(points) in; layout(points, max_vertices = 1) out;\n", "gl_Position = gl_in[0].gl_Position; EmitVertex(); EndPrimitive();"},
	{"fragment shaders", ir.StageFragment, outColor + "layout(location = 0) in vec4 c;\n", "o = c;"},
	{"derivatives", ir.StageFragment, outColor + "layout(location = 0) in vec4 c;\n", "o = dFdx(c) + fwidth(c);"},
	{"coarse and fine derivatives", ir.StageFragment, outColor + "layout(location = 0) in vec4 c;\n", "o = dFdxCoarse(c) + dFdyFine(c);"},
	{"discard and demote", ir.StageFragment, extension("EXT_demote_to_helper_invocation") + outColor + "layout(location = 0) in vec4 c;\n", "if (c.x > 0) discard; if (c.y > 0) demote; o = dFdx(c);"},
	{"sample shading", ir.StageFragment, outColor + "layout(location = 0) sample in vec4 c;\n", "o = c * gl_SampleID;"},
	{"interpolation at a sample or offset", ir.StageFragment, outColor + "layout(location = 0) in vec4 c;\n", "o = interpolateAtOffset(c, vec2(0.25)) + interpolateAtSample(c, 1);"},
	{"barycentrics", ir.StageFragment, extension("EXT_fragment_shader_barycentric") + outColor, "o = vec4(gl_BaryCoordEXT, 1);"},
	{"inputs per vertex", ir.StageFragment, extension("EXT_fragment_shader_barycentric") + outColor + "layout(location = 0) pervertexEXT in vec4 c[];\n", "o = c[1];"},
	{"dual-source blending", ir.StageFragment, "layout(location = 0, index = 0) out vec4 a; layout(location = 0, index = 1) out vec4 b;\n", "a = vec4(1); b = vec4(0.5);"},
	{"depth and stencil results", ir.StageFragment, extension("ARB_shader_stencil_export"), "gl_FragDepth = 0.5; gl_FragStencilRefARB = 3;"},
	{"input attachments", ir.StageFragment, outColor + "layout(input_attachment_index = 0, set = 0, binding = 0) uniform subpassInput s;\n", "o = subpassLoad(s);"},
	{"fragment shading rate", ir.StageFragment, extension("EXT_fragment_shading_rate") + outColor, "o = vec4(gl_ShadingRateEXT);"},
	{"bias and implicit LOD", ir.StageFragment, outColor + "layout(set = 0, binding = 0) uniform sampler2D s;\nlayout(location = 0) in vec2 p;\n", "o = texture(s, p) + texture(s, p, 1.0);"},
	{"explicit LOD, gradients, offsets", ir.StageFragment, outColor + "layout(set = 0, binding = 0) uniform sampler2D s;\nlayout(location = 0) in vec2 p;\n", "o = textureLod(s, p, 1) + textureGrad(s, p, p, p) + textureLodOffset(s, p, 0, ivec2(1));"},
	{"lower bound of the LOD", ir.StageFragment, extension("ARB_sparse_texture_clamp") + outColor + "layout(set = 0, binding = 0) uniform sampler2D s;\nlayout(location = 0) in vec2 p;\n", "o = textureClampARB(s, p, 1.0);"},
	{"gather", ir.StageFragment, outColor + "layout(set = 0, binding = 0) uniform sampler2D s;\nlayout(location = 0) in vec2 p;\n", "o = textureGather(s, p, 1);"},
	{"gather with an offset for each texel", ir.StageFragment, outColor + "layout(set = 0, binding = 0) uniform sampler2D s;\nlayout(location = 0) in vec2 p;\n", "o = textureGatherOffsets(s, p, ivec2[](ivec2(0), ivec2(1), ivec2(2), ivec2(3)));"},
	{"depth comparison", ir.StageFragment, outColor + "layout(set = 0, binding = 0) uniform sampler2DShadow s;\nlayout(location = 0) in vec3 p;\n", "o = vec4(texture(s, p));"},
	{"cube maps and arrays of them", ir.StageFragment, outColor + "layout(set = 0, binding = 0) uniform samplerCube s;\nlayout(set = 0, binding = 1) uniform samplerCubeArray t;\nlayout(location = 0) in vec4 p;\n", "o = texture(s, p.xyz) + texture(t, p);"},
	{"multisampled images", ir.StageFragment, outColor + "layout(set = 0, binding = 0) uniform sampler2DMS s;\n", "o = texelFetch(s, ivec2(1), 2);"},
	{"size, level and LOD queries", ir.StageFragment, outColor + "layout(set = 0, binding = 0) uniform sampler2D s;\nlayout(location = 0) in vec2 p;\n", "o = vec4(textureSize(s, 0), textureQueryLevels(s), textureQueryLod(s, p).x);"},
	{"sparse residency", ir.StageFragment, extension("ARB_sparse_texture2") + outColor + "layout(set = 0, binding = 0) uniform sampler2D s;\nlayout(location = 0) in vec2 p;\n", "vec4 v; int r = sparseTextureARB(s, p, v); o = sparseTexelsResidentARB(r) ? v : vec4(0);"},
	{"descriptors chosen at run time", ir.StageFragment, extension("EXT_nonuniform_qualifier") + outColor + "layout(set = 0, binding = 0) uniform sampler2D s[8];\nlayout(location = 0) flat in int i;\n", "o = texture(s[nonuniformEXT(i)], vec2(0.5));"},
	{"texel buffers", ir.StageCompute, "layout(set = 0, binding = 0) uniform samplerBuffer s;\nlayout(set = 0, binding = 1, rgba8) uniform imageBuffer d;\n", "imageStore(d, 1, texelFetch(s, 2));"},
	{"storage images", ir.StageCompute, "layout(set = 0, binding = 0, rgba8) uniform image2D d;\n", "imageStore(d, ivec2(1), imageLoad(d, ivec2(2)));"},
	{"storage images of any format", ir.StageCompute, extension("EXT_shader_image_load_formatted") + "layout(set = 0, binding = 0) uniform image2D d;\n", "imageStore(d, ivec2(1), imageLoad(d, ivec2(2)));"},
	{"image atomics", ir.StageCompute, "layout(set = 0, binding = 0, r32ui) uniform uimage2D d;\n", "imageAtomicAdd(d, ivec2(1), 3);"},
	{"workgroup memory and barriers", ir.StageCompute, words + "shared uint s[64];\n", "s[gl_LocalInvocationIndex] = a[0]; barrier(); a[1] = s[gl_LocalInvocationIndex ^ 1];"},
	{"buffer and workgroup atomics", ir.StageCompute, words + "shared uint s;\n", "a[1] = atomicAdd(s, 2) + atomicCompSwap(a[2], 3, 4);"},
	{"float atomics", ir.StageCompute, extension("EXT_shader_atomic_float") + floats, "atomicAdd(f[0], 2.0);"},
	{"64-bit atomics", ir.StageCompute, extension("EXT_shader_explicit_arithmetic_types_int64", "EXT_shader_atomic_int64") + "layout(set = 0, binding = 0) buffer B { uint64_t a; };\n", "atomicAdd(a, 2);"},
	{"physical storage buffers", ir.StageCompute, extension("EXT_buffer_reference") + "layout(buffer_reference) buffer P { uint x; };\nlayout(push_constant) uniform C { P p; };\n", "p.x = p.x + 1;"},
	{"8-bit storage", ir.StageCompute, extension("EXT_shader_8bit_storage") + "layout(set = 0, binding = 0) buffer B { uint8_t a[]; };\n", "a[1] = uint8_t(uint(a[0]) + 1);"},
	{"8-bit arithmetic", ir.StageCompute, extension("EXT_shader_explicit_arithmetic_types_int8") + "layout(set = 0, binding = 0) buffer B { int8_t a[]; };\n", "a[1] = a[0] * a[2] + a[3] / a[4];"},
	{"16-bit storage", ir.StageCompute, extension("EXT_shader_16bit_storage") + "layout(set = 0, binding = 0) buffer B { float16_t a[]; };\n", "a[1] = float16_t(float(a[0]) + 1);"},
	{"16-bit arithmetic", ir.StageCompute, extension("EXT_shader_explicit_arithmetic_types_float16", "EXT_shader_explicit_arithmetic_types_int16") + "layout(set = 0, binding = 0) buffer B { float16_t a[4]; int16_t b[4]; };\n", "a[1] = a[0] * a[2]; b[1] = b[0] * b[2];"},
	{"64-bit integers", ir.StageCompute, extension("EXT_shader_explicit_arithmetic_types_int64") + "layout(set = 0, binding = 0) buffer B { int64_t a[]; };\n", "a[1] = a[0] * a[2] / a[3];"},
	{"64-bit floats", ir.StageCompute, "layout(set = 0, binding = 0) buffer B { double a[]; };\n", "a[1] = a[0] * a[2] + a[3];"},
	{"subgroup votes and ballots", ir.StageCompute, extension("KHR_shader_subgroup_vote", "KHR_shader_subgroup_ballot") + words, "a[1] = subgroupBallot(subgroupAny(a[0] > 1)).x;"},
	{"subgroup arithmetic", ir.StageCompute, extension("KHR_shader_subgroup_arithmetic") + words, "a[gl_SubgroupInvocationID] = subgroupAdd(a[1]) + subgroupInclusiveAdd(a[2]);"},
	{"subgroup shuffles", ir.StageCompute, extension("KHR_shader_subgroup_shuffle", "KHR_shader_subgroup_shuffle_relative") + words, "a[1] = subgroupShuffle(a[2], a[3]) + subgroupShuffleUp(a[4], 1);"},
	{"clustered subgroup arithmetic", ir.StageCompute, extension("KHR_shader_subgroup_clustered") + words, "a[gl_SubgroupInvocationID] = subgroupClusteredAdd(a[1], 4);"},
	{"quad operations", ir.StageCompute, extension("KHR_shader_subgroup_quad") + words, "a[1] = subgroupQuadSwapHorizontal(a[0]);"},
	{"shader clock", ir.StageCompute, extension("ARB_shader_clock") + words, "a[0] = clock2x32ARB().x;"},
}

// source is the probe's GLSL.
func (p *probe) source() string {
	size := ""
	if p.stage == ir.StageCompute {
		size = "layout(local_size_x = 64) in;\n"
	}
	// Extensions stand before everything else.
	return "#version 460\n" + p.head + size + "void main() { " + p.body + " }\n"
}

// answer reports whether the target compiles the probe: "yes", or why not.
func (p *probe) answer(t *testing.T, target string, m *nirc.Module) string {
	_, err := m.Compile(context.Background(), nirc.Options{Target: target, Level: 2})
	if err == nil {
		return "yes"
	}
	if internal := (*nirc.InternalError)(nil); errors.As(err, &internal) {
		t.Errorf("%s on %s: %v", p.feature, target, err)
	}
	var list nirc.Diagnostics
	if !errors.As(err, &list) || len(list) == 0 {
		t.Errorf("%s on %s: %v", p.feature, target, err)
		return "no"
	}
	if list[0].Target != target {
		t.Errorf("%s on %s: the refusal %q does not name the target", p.feature, target, list[0].String())
	}
	return "no: " + strings.TrimPrefix(list[0].Msg, target+": ")
}

// derived is what stands between the marks of a page.
var derived = regexp.MustCompile(`(?s)<!-- derived: (\w+) -->\n.*?<!-- end -->\n`)

// writeCapabilities writes how many of Vulkan's capabilities the GPUs of a target have, and what they lack.
func writeCapabilities(b *strings.Builder, target string) {
	b.WriteString("| `--gpu` | supported | of | driver | exposed | exposed and not supported |\n| --- | ---: | ---: | --- | ---: | --- |\n")
	for _, n := range nirc.CapabilityCounts() {
		if n.Target == target {
			fmt.Fprintf(b, "| `%s` | %d | %d | %s | %d | %s |\n", n.GPU, n.Supported, n.Of, n.Driver, n.Exposed, strings.Join(n.Missing, ", "))
		}
	}
	b.WriteString("\n| capability | has it | why not |\n| --- | --- | --- |\n")
	for _, c := range nirc.Capabilities() {
		why := &reasons{}
		if has := supportOf(&c, target, why); c.Vulkan != "" && has != "yes" {
			fmt.Fprintf(b, "| %s | %s | %s |\n", c.Name, has, strings.Join(why.list, "; "))
		}
	}
}

// TestTargetPages compares what docs/targets says of GPUs and features with what
// the compiler does; -update writes it again.
func TestTargetPages(t *testing.T) {
	refs.Tool(t, "glslangValidator")
	modules := make([]*nirc.Module, len(probes))
	for i := range probes {
		p := &probes[i]
		m, err := nirc.LoadFile(context.Background(), "-", nirc.FileOptions{Stdin: strings.NewReader(p.source()), Stage: p.stage})
		if err != nil {
			t.Fatalf("%s: %v\n%s", p.feature, err, p.source())
		}
		modules[i] = m
	}
	for _, target := range nirc.Targets() {
		path := filepath.Join("..", "..", "docs", "targets", target.Name+".md")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		page := derived.ReplaceAllStringFunc(string(text), func(part string) string {
			kind := derived.FindStringSubmatch(part)[1]
			seen[kind] = true
			var b strings.Builder
			fmt.Fprintf(&b, "<!-- derived: %s -->\n", kind)
			switch kind {
			case "gpus":
				b.WriteString("| `--gpu` | device |\n| --- | --- |\n")
				for i, g := range target.GPUs {
					note := ""
					if i == 0 {
						note = " (the default)"
					}
					fmt.Fprintf(&b, "| `%s` | %s%s |\n", g.Name, g.Doc, note)
				}
			case "capabilities":
				writeCapabilities(&b, target.Name)
			case "features":
				b.WriteString("| feature | compiled |\n| --- | --- |\n")
				for i := range probes {
					fmt.Fprintf(&b, "| %s | %s |\n", probes[i].feature, probes[i].answer(t, target.Name, modules[i]))
				}
			}
			return b.String() + "<!-- end -->\n"
		})
		if !seen["gpus"] || !seen["features"] || !seen["capabilities"] {
			t.Errorf("%s: no place for the GPUs, the features or the capabilities", path)
		}
		if page == string(text) {
			continue
		}
		if !*update {
			t.Errorf("%s is not current: go test ./cmd/nirc -run TestTargetPages -update", path)
		} else if err := os.WriteFile(path, []byte(page), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
