package passes

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"nirc/ir"
	"nirc/ir/irtest"
)

// TestRefusedOptions: values that options cannot have, and shaders that a pass cannot take, are refused with the reason.
func TestRefusedOptions(t *testing.T) {
	const (
		fragment = "shader fragment \"main\" {\n  fn f0 \"main\" entry() {\n    b0:\n  }\n}\n"
		vertex   = "shader vertex \"main\" {\n  fn f0 \"main\" entry() {\n    b0:\n  }\n}\n"
		raygen   = "shader raygen \"main\" {\n  fn f0 \"main\" entry() {\n    b0:\n  }\n}\n"
		tex      = "shader fragment \"main\" {\n  fn f0 \"main\" entry() {\n    b0:\n      %0:32x2 = undef\n      %1:32x4 = tex coord=%0 dim=2D coord_components=2 dest=f32\n  }\n}\n"
	)
	const fetch = "shader fragment \"main\" {\n  fn f0 \"main\" entry() {\n    b0:\n      %0:32 = load_const 0x0\n      %1:32x4 = load_output %0 base=4 range=1 dest_type=f32 io_semantics={DATA0 1 fb_fetch}\n  }\n}\n"
	const some = "shader fragment \"main\" {\n  var @1 shader_temp f32 \"a\"\n  fn f0 \"main\" entry() {\n    b0:\n      %0:32 = deref_var @1\n      %1:32 = load_deref %0\n      %2:32 = fadd %1, %1\n      %3:16x4 = undef\n      %4:16x4 = fadd %3, %3\n  }\n}\n"
	for _, c := range []struct{ text, list, want string }{
		{some, "lower_alu_width(width=3)", "width=3: want a power of two up to 16"},
		{some, "lower_alu_width(width=0)", "width=0: want"},
		{some, "lower_alu_width(width=32)", "width=32: want"},
		{some, "lower_alu_width(scalar=some)", "scalar=some: want none, special, mul_high or 64"},
		{some, "lower_bit_size(ops=fadd|frob)", `no operation "frob"`},
		{some, "lower_explicit_io(ssbo=64)", "ssbo=64: the address formats"},
		{tex, "lower_input_attachments(layer=top)", "layer=top: want input"},
		{fetch, "lower_fb_read(layer=input)", "layer=input: want system_value, view, none or auto"},
		{fragment, "lower_terminate_to_demote(to=end)", "to=end: want demote, terminate or fit"},
		{fragment, "lower_non_uniform_access(types=ubo|sampler)", "types=ubo|sampler: want ubo, ssbo"},
		{fragment, "lower_poly_line_smooth(samples=-1)", "samples=-1: want 1 to 32"},
		{fragment, "lower_poly_line_smooth(samples=33)", "samples=33: want 1 to 32"},
		{vertex, "lower_patch_vertices(count=33)", "count=33: patches have 1 to 32"},
		{vertex, "lower_patch_vertices(count=-1)", "count=-1: patches have 1 to 32"},
		{fragment, "lower_blend(rt=8,enable)", "rt=8 is no colour attachment"},
		{fragment, "lower_blend(rt=-1,enable)", "rt=-1 is no colour attachment"},
		{fragment, "lower_drawpixels(binding=1,color=-1)", "color=-1 is no location"},
		{fragment, "lower_wpos_ytransform(push=4100)", "push=4100 is no offset"},
		{fragment, "lower_wpos_ytransform(push=-2)", "push=-2 is no offset"},
		{fragment, "lower_drawpixels(binding=1,color=32)", "color=32 is no location"},
		{fragment, "lower_drawpixels(binding=1,texcoord=-2)", "texcoord=-2 is no location"},
		{fragment, "lower_drawpixels(binding=1,push=2)", "push=2 is no offset"},
		{fragment, "lower_two_sided_color(back=31,count=2)", "back=32 is no location"},
		{fragment, "lower_two_sided_color(front=31,back=1,count=2)", "front=32 is no location"},
		{fragment, "lower_wpos_ytransform(push=6)", "push=6 is no offset"},
		{vertex, "lower_passthrough_edgeflags(from=1,to=32)", "to=32 is no location"},
		{vertex, "lower_passthrough_edgeflags(from=33)", "from=33 is no location"},
		{vertex, "lower_clip_vs(planes=1,push=5000)", "push=5000 is no offset"},
		{fragment, "lower_tex_shadow_swizzle(func=near)", "near"},
		{raygen, "lower_shader_calls(align=3)", "align=3 is no alignment"},
		{raygen, "lower_shader_calls(align=2)", "align=2 is no alignment"},
		{raygen, "lower_shader_calls(align=8192)", "align=8192 is no alignment"},
		{tex, "lower_tex(txd=all|1d)", "txd=all|1d: want none, all, cube, 3d or shadow"},
		{tex, "lower_tex(swizzle=xyz)", "swizzle=xyz: want four"},
		{tex, "lower_tex(swizzle=xyz2)", "swizzle=xyz2: want four"},
		{tex, "lower_tex(packing=word)", "packing=word: want none, half or byte"},
		{tex, "lower_tex(index_to_offset,textures=0)", "textures=0: want SET.BINDING"},
		{tex, "lower_tex(index_to_offset,textures=0.x)", "textures=0.x: want SET.BINDING"},
		{fragment, "inline_uniforms(values=0.0+x=1)", "want SET.BINDING+OFFSET=VALUE"},
	} {
		p, err := ParsePassList(c.list)
		if err == nil {
			err = p.Run(parseShader(t, c.text), RunOptions{})
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.list, err, c.want)
		}
	}
	for _, c := range []struct {
		like       any
		text, want string
	}{{true, "perhaps", "want true or false"}, {1.5, "NaN", "want a number"}, {1.5, "x", "want a number"}, {ir.ModeUBO, "mem_ubo|memory", `no variable mode "memory"`}} {
		if v, err := parseOption(c.like, c.text); err == nil || err.Error() != c.want {
			t.Errorf("%q: %v, %v, want %q", c.text, v, err, c.want)
		}
	}
}

// TestLastOptions: the first and the last value that an option can have are taken.
func TestLastOptions(t *testing.T) {
	const (
		fragment = "shader fragment \"main\" {\n  fn f0 \"main\" entry() {\n    b0:\n  }\n}\n"
		vertex   = "shader vertex \"main\" {\n  fn f0 \"main\" entry() {\n    b0:\n  }\n}\n"
		raygen   = "shader raygen \"main\" {\n  fn f0 \"main\" entry() {\n    b0:\n  }\n}\n"
	)
	for _, c := range []struct {
		text  string
		lists []string
	}{
		{fragment, []string{
			"lower_alu_width(width=1)", "lower_alu_width(width=16)", "lower_poly_line_smooth(samples=1)", "lower_poly_line_smooth(samples=32)",
			"lower_drawpixels(binding=1,color=0)", "lower_drawpixels(binding=1,color=31)", "lower_drawpixels(binding=1,texcoord=31)", "lower_drawpixels(binding=1,push=0)",
			"lower_drawpixels(binding=1,push=4096)", "lower_two_sided_color(front=0,back=30,count=2)", "lower_two_sided_color(front=30,back=1,count=2)",
			"lower_wpos_ytransform(push=0)", "lower_wpos_ytransform(push=4096)", "lower_blend(rt=0,enable,format=R8G8B8A8_UNORM)", "lower_blend(rt=7,enable,format=R8G8B8A8_UNORM)",
		}},
		{vertex, []string{
			"lower_patch_vertices(count=0)", "lower_patch_vertices(count=1)", "lower_patch_vertices(count=32)", "lower_passthrough_edgeflags(from=31,to=31)",
			"lower_passthrough_edgeflags(from=0,to=0)", "lower_clip_vs(planes=1,push=4096)",
		}},
		{raygen, []string{"lower_shader_calls(align=4)", "lower_shader_calls(align=4096)"}},
	} {
		for _, list := range c.lists {
			p, err := ParsePassList(list)
			if err == nil {
				err = p.Run(parseShader(t, c.text), RunOptions{})
			}
			if err != nil {
				t.Errorf("%s: %v", list, err)
			}
		}
	}
}

// TestConditions: what conditions of pipelines ask for, with a shader and where they are known without one.
func TestConditions(t *testing.T) {
	facts := map[string]func(*ir.Shader){
		"writes_memory": func(s *ir.Shader) { s.Info.WritesMemory = true }, "uses_discard": func(s *ir.Shader) { s.Info.UsesDiscard = true },
		"uses_demote": func(s *ir.Shader) { s.Info.UsesDemote = true }, "needs_quad_helpers": func(s *ir.Shader) { s.Info.NeedsQuadHelpers = true },
		"uses_control_barrier": func(s *ir.Shader) { s.Info.UsesControlBarrier = true }, "uses_sample_shading": func(s *ir.Shader) { s.Info.UsesSampleShading = true },
		"io_lowered": func(s *ir.Shader) { s.Info.IOLowered = true }, "zero_init_shared": func(s *ir.Shader) { s.Info.ZeroInitShared = true },
		"shared_explicit_layout":  func(s *ir.Shader) { s.Info.SharedExplicitLayout = true },
		"workgroup_size_variable": func(s *ir.Shader) { s.Info.WorkgroupSizeVariable = true }, "xfb": func(s *ir.Shader) { s.Info.Xfb = true },
	}
	env := &condEnv{target: "ir3", level: O2, stage: ir.StageFragment}
	holds := func(text string, s *ir.Shader) (val, early, known bool) {
		c, err := parseCond(text)
		if err != nil {
			t.Fatal(err)
		}
		early, known = c.partial(env)
		return c.eval(s, env), early, known
	}
	for name, set := range facts {
		s := ir.NewShader(ir.StageFragment, nil)
		for _, want := range []bool{false, true} {
			got, _, known := holds(name, s)
			not, _, _ := holds("!"+name, s)
			if got != want || not == want || known {
				t.Errorf("%s: %v, its opposite %v, want %v; known %v", name, got, not, want, known)
			}
			set(s)
		}
	}
	s := ir.NewShader(ir.StageFragment, nil)
	for _, c := range []struct {
		text        string
		want, known bool
	}{
		{"level == O2", true, true}, {"level != O2", false, true}, {"level >= Os", false, true}, {"level >= O2", true, true}, {"level <= O1", false, true}, {"level <= O2", true, true},
		{"level > O1", true, true}, {"level > O2", false, true}, {"level < Os", true, true}, {"level < O2", false, true},
		{"target == ir3", true, true}, {"target != ir3", false, true}, {"stage == vertex", false, true}, {"stage != vertex", true, true},
		{"!(level == O2)", false, true}, {"!!(level == O2)", true, true}, {"(stage == fragment && target == agx)", false, true}, {"stage == fragment && target == ir3", true, true},
		{"xfb && target == agx", false, true}, {"xfb || target == ir3", true, true}, {"xfb || target == agx", false, false}, {"!xfb && target == ir3", true, false},
		{"(xfb || stage == fragment) && !(target == agx)", true, true},
	} {
		if got, early, known := holds(c.text, s); got != c.want || known != c.known || known && early != got {
			t.Errorf("%s: %v, known %v: %v, want %v, %v", c.text, got, known, early, c.want, c.known)
		}
	}
	for _, c := range []struct{ text, want string }{
		{"", "ends too early"}, {"xfb &&", "ends too early"}, {"xfb xfb", `unexpected "xfb"`}, {"(xfb", "no closing parenthesis"}, {"frobs", `no fact "frobs"`},
		{"stage > vertex", "stage has no order"}, {"target <= ir3", "target has no order"}, {"level O2", "want a comparison after level"}, {"level == O9", "O9"},
		{"target ==", "no value after target =="}, {strings.Repeat("!", 101) + "xfb", "nested too deep"}, {strings.Repeat("( ", 101) + "xfb", "nested too deep"},
	} {
		if _, err := parseCond(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.40q: %v, want %q", c.text, err, c.want)
		}
	}
}

// TestRefusedPipelines: files that are no pipelines are refused at the line that is wrong.
func TestRefusedPipelines(t *testing.T) {
	const head = "pipelines:\n  common:\n"
	for _, c := range []struct{ text, want string }{
		{"- opt_dce\n", "f:1: want a mapping with lists and pipelines"},
		{"", "f:1: want a mapping"},
		{"pipeline: {}\n", `f:1: unknown key "pipeline"`},
		{"lists: {}\n", "no pipelines"},
		{"pipelines: [a]\n", "no pipelines"},
		{"lists: [a]\npipelines: {common: []}\n", "f:1: want a mapping of names to lists"},
		{"lists: {a: []}\npipelines: {a: []}\n", `list "a" is given twice`},
		{"lists: {a: opt_dce}\npipelines: {common: []}\n", "f:1: want a list of passes"},
		{"lists: {a: [frob]}\npipelines: {common: []}\n", `no pass "frob"`},
		{"codegen: {a: [frob]}\npipelines: {common: []}\n", `no pass "frob"`},
		{head + "    - {}\n", "f:3: empty item"},
		{head + "    - [opt_dce]\n", "f:3: want a pass, loop, if or use"},
		{head + "    - opt_dce: {}\n      opt_cse: {}\n", `f:4: an item is one pass; "opt_cse" does not belong to "opt_dce"`},
		{head + "    - opt_dce: [x]\n", "want options of opt_dce as {name: value}"},
		{head + "    - loop: [frob]\n", `no pass "frob"`},
		{head + "    - loop: [opt_dce]\n      max: 0\n", "f:4: max wants a positive integer"},
		{head + "    - loop: [opt_dce]\n      max: x\n", "f:4: max wants a positive integer"},
		{head + "    - loop: [opt_dce]\n      min: 1\n", `f:4: unknown key "min" of a loop`},
		{head + "    - if: xfb\n      than: [opt_dce]\n", `f:4: unknown key "than" of an if`},
		{head + "    - if: xfb\n      then: [frob]\n", `no pass "frob"`},
		{head + "    - then: [opt_dce]\n", "f:3: then or else without if"},
	} {
		if _, err := Load([]byte(c.text), "f"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
	if p, err := Load([]byte("lists:\n  nothing:\npipelines:\n  common:\n    - use: nothing\n    - opt_dce\n"), "f"); err != nil {
		t.Errorf("an empty list: %v", err)
	} else if pl, err := p.Resolve("common", O0, ir.StageVertex); err != nil || !slices.Equal(pl.Passes(), []string{"opt_dce"}) {
		t.Errorf("an empty list: %v", err)
	}
}

// TestLinkErrors: the error of each list that linking runs is linking's.
func TestLinkErrors(t *testing.T) {
	for k, failed := 0, true; failed; k++ {
		if k > 100 {
			t.Fatal("linking never ends well")
		}
		want := fmt.Errorf("list %d", k)
		calls := 0
		l := Linking{Stages: []*ir.Shader{parseShader(t, linkVS), parseShader(t, linkFS)}, Lists: func(s *ir.Shader, list string) error {
			if calls++; calls > k {
				return want
			}
			return nil
		}}
		_, err := l.Run()
		if failed = calls > k; failed && !errors.Is(err, want) || !failed && err != nil {
			t.Errorf("list %d fails: %v", k, err)
		}
		if failed && calls != k+1 {
			t.Errorf("list %d fails, and %d more run", k, calls-k-1)
		}
	}
}

// TestLinkLast: outputs of a last stage go if it is none of fragments, whose outputs are colours.
func TestLinkLast(t *testing.T) {
	lists := func(*ir.Shader, string) error { return nil }
	vs := parseShader(t, linkVS)
	if _, err := (&Linking{Stages: []*ir.Shader{vs}, Lists: lists}).Run(); err != nil {
		t.Fatal(err)
	}
	if got, want := modes(vs), "p=0.x gl=0.x"; got != want {
		t.Errorf("the vertex shader alone: %s, want %s", got, want)
	}
	vs, fs := parseShader(t, linkVS), parseShader(t, linkFS)
	colours := strings.Count(ir.Print(fs), "shader_out")
	if _, err := (&Linking{Stages: []*ir.Shader{vs, fs}, Lists: lists}).Run(); err != nil {
		t.Fatal(err)
	}
	if left := strings.Count(ir.Print(fs), "shader_out"); colours == 0 || left != colours {
		t.Errorf("of %d outputs of the fragment shader %d are left", colours, left)
	}
}

// TestEqualInstrs: instructions are equal if their texts are, except for the order of two sources that may be swapped.
func TestEqualInstrs(t *testing.T) {
	equal, pairs := 0, 0
	for seed := range uint64(6) {
		s := irtest.Config{Seed: seed, Size: 60, Everything: true}.Shader()
		var list []*ir.Instr
		var texts []string
		for in := range s.Entry().Impl.Instrs() {
			if in.HasDef() && in.Kind != ir.KindPhi && in.Kind != ir.KindParallelCopy && in.Kind != ir.KindUndef {
				_, text, _ := strings.Cut(ir.PrintInstr(in), ":")
				list, texts = append(list, in), append(texts, text)
			}
		}
		for i, a := range list {
			for j, b := range list {
				pairs++
				same := texts[i] == texts[j]
				if same {
					equal++
				}
				if got := equalInstrs(a, b); got != same && (same || !swapped(a, b)) {
					t.Errorf("%s\n%s\nequal: %v", ir.PrintInstr(a), ir.PrintInstr(b), got)
				}
			}
		}
	}
	if equal == pairs || equal == 0 {
		t.Errorf("of %d pairs %d are equal", pairs, equal)
	}
}

// swapped reports whether two operations have the same first two sources in another order, or other marks that do not count.
func swapped(a, b *ir.Instr) bool {
	return a.IsALU(b.Op) && a.Op == b.Op && (a.Op.Info().Props&commutative != 0 || a.Exact != b.Exact || a.FastMath != b.FastMath || a.Relaxed != b.Relaxed)
}
