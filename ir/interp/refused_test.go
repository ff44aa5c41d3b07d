package interp

import (
	"fmt"
	"strings"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
)

// TestRefused: what no run could do is refused before any run, also where nobody has validated the shader.
func TestRefused(t *testing.T) {
	const zero = "%0:32 = load_const 0x0\n"
	for _, c := range []struct{ stage, decl, body, more, want string }{
		{body: "call f1()", more: `fn f1 "ext" ()`, want: "function ext has no body"},
		{body: "%1:32 = load_param param_idx=1", want: "has no such parameter 1"},
		{body: "%1:32 = decl_reg num_components=0 bit_size=32", want: "the register has no component"},
		{body: zero + "%1:32 = load_deref %0", want: "source 0 is no deref"},
		{decl: `var @1 mem_global u32 "g"`, body: "%1:64 = deref_var @1", want: "variables of mode mem_global are not supported"},
		{decl: `var @1 mem_ssbo u32 "b" { binding=0 }`, body: "%1:32 = deref_var @1", want: "buffer variable b needs a pointer of 2 components"},
		{body: zero + "%1:32 = deref_cast %0 (mem_shared|shader_temp u32)", want: "pointers of mode"},
		{decl: `var @1 shader_temp u32[4] "a"`, body: "%1:32 = deref_var @1\n%2:32 = load_deref %1", want: "access to a whole u32[4]"},
		{decl: `var @1 uniform sampler "s" { binding=1 }`, body: "%1:32 = deref_var @1\n%2:32 = load_deref %1", want: "can not be accessed"},
		{decl: `var @1 shader_temp u32[4] "a"`, body: "%1:32 = deref_var @1\n%2:32 = deref_wildcard %1[*]\n%3:32 = load_deref %2", want: "can not be accessed"},
		{decl: "var @1 shader_temp u32[4] \"a\"\nvar @2 shader_temp u32 \"b\"", body: "%1:32 = deref_var @1\n%2:32 = deref_wildcard %1[*]\n%3:32 = deref_var @2\ncopy_deref %3, %2", want: "the sides have 0 and 1 wildcards"},
		{decl: "var @1 shader_temp u32[4] \"a\"\nvar @2 shader_temp u32 \"b\"", body: "%1:32 = deref_var @1\n%3:32 = deref_var @2\ncopy_deref %3, %1", want: "the sides have 1 and 4 vectors"},
		{body: zero + "%1:32x4 = vec4 %0, %0, %0, %0\n%2:32x4 = image_load %0, %1, %0, %0 image_dim=SUBPASS dest_type=u32", want: "storage images of dimension SUBPASS"},
		{body: zero + "%1:8 = load_const 0x0\n%2:8 = ssbo_atomic %0, %0, %1 atomic_op=iadd", want: "atomics of 8 bits"},
		{body: zero + "%1:32 = reduce %0 reduction_op=ineg", want: "reduction operation"},
		{body: zero + "%1:32 = load_reg %0", want: "source 0 is no register"},
		{body: zero + "parallel_copy (reg %0 <- %0)", want: "an entry names no register"},
		{body: zero + "call f1(%0)", more: "fn f1 \"g\" () {\nb0:\n}", want: "the arguments do not fit the callee"},
		{body: zero + "call f1(%0)", more: "fn f1 \"g\" (32x2) {\nb0:\n}", want: "argument 0 has 1 components, the parameter 2"},
		{stage: "raygen", body: "%1:32 = load_ray_hit_kind", want: "this system value is not supported in stage raygen"},
		{stage: "geometry", decl: `var @1 shader_out f32 "o"`, body: zero + "%1:32 = deref_var @1\nstore_deref %1, %0 write_mask=x", want: "variable o: location -1 is no slot"},
		{stage: "fragment", decl: `var @1 shader_in f32 "i" { location=VAR0 per_primitive }`, body: "%1:32 = deref_var @1\n%2:32 = load_deref %1", want: "input i: per-primitive inputs are not supported as variables"},
		{stage: "fragment", decl: `var @1 shader_in vec4f32[40] "i" { location=VAR31 }`, body: zero + "%1:32 = deref_var @1\n%2:32 = deref_array %1[%0]\n%3:32x4 = load_deref %2", want: "beyond the last slot"},
		{stage: "compute", decl: `var @1 uniform texSUBPASS<f32> "a" { binding=1 }`, body: zero + "%1:32 = deref_var @1\n%2:32x2 = vec2 %0, %0\n%3:32x4 = txf coord=%2 texture_deref=%1 dim=SUBPASS coord_components=2 dest=f32", want: "only fragment shaders have input attachments"},
	} {
		if c.stage == "" {
			c.stage = "compute"
		}
		info := ""
		if c.stage == "compute" {
			info = "info { workgroup_size=1,1,1 }\n"
		}
		text := fmt.Sprintf("shader %s \"main\" {\n%s%s\nfn f0 \"main\" entry() {\nb0:\n%s\n}\n%s\n}\n", c.stage, info, c.decl, c.body, c.more)
		s, err := ir.Parse(text)
		if err != nil {
			t.Errorf("%s\n%v", text, err)
			continue
		}
		if _, err := New(s, Options{WaveSize: 4}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\n%v, want %q", text, err, c.want)
		}
	}
	strict := "shader compute \"main\" {\ninfo { workgroup_size=1,1,1 }\nvar @1 shader_temp u32[4] \"a\"\nfn f0 \"main\" entry() {\nb0:\n%0:32 = load_const 0x4\n%1:32 = deref_var @1\n%2:32 = deref_array %1[%0]\n%3:32 = load_deref %2\n}\n}\n"
	s, err := ir.Parse(strict)
	if err != nil {
		t.Fatal(err)
	}
	for want, o := range map[string]Options{"index 4 is out of bounds": {Strict: true}, "wave size 3 is not a power of two": {WaveSize: 3}, "wave size -1 is not": {WaveSize: -1}, "wave size 1024 is not": {WaveSize: 1024}, "": {WaveSize: 1}} {
		if _, err := New(s, o); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", o, err, want)
		}
	}
	s.Stage = ir.StageFragment
	if _, err := New(s, Options{WaveSize: 2}); err == nil || !strings.Contains(err.Error(), "a fragment wave of 2 lanes holds no quad") {
		t.Errorf("a fragment wave of 2 lanes: %v", err)
	}
}

// TestWrongLaunches: a launch that lacks what its stage runs with says so, and does not run.
func TestWrongLaunches(t *testing.T) {
	env := &emu.Env{Mem: emu.NewMemory(), Bindings: &emu.Bindings{}}
	for _, c := range []struct {
		stage string
		l     emu.Launch
		want  string
	}{
		{"compute", emu.Launch{NumLanes: 0, Env: env}, "a launch of 0 lanes does not fit a wave of 4"},
		{"compute", emu.Launch{NumLanes: 5, Env: env}, "a launch of 5 lanes does not fit"},
		{"compute", emu.Launch{NumLanes: 1}, "launch without an environment"},
		{"compute", emu.Launch{NumLanes: 1, Env: env}, "launch without compute lanes"},
		{"compute", emu.Launch{NumLanes: 2, Env: env, Compute: &emu.ComputeLaunch{LocalID: make([][3]uint32, 1)}}, "launch without compute lanes"},
		{"task", emu.Launch{NumLanes: 1, Env: env, Compute: &emu.ComputeLaunch{LocalID: make([][3]uint32, 1)}}, "launch of a task shader without its workgroup's outputs"},
		{"vertex", emu.Launch{NumLanes: 1, Env: env}, "launch without vertex lanes"},
		{"fragment", emu.Launch{NumLanes: 4, Env: env}, "launch without fragment lanes in quads"},
		{"fragment", emu.Launch{NumLanes: 3, Env: env, Fragment: make([]emu.FragmentLane, 4), Out: make([]emu.Slots, 4)}, "launch without fragment lanes in quads"},
		{"tess_ctrl", emu.Launch{NumLanes: 1, Env: env}, "launch without tessellation control lanes"},
		{"tess_eval", emu.Launch{NumLanes: 1, Env: env}, "launch without tessellation evaluation lanes"},
		{"geometry", emu.Launch{NumLanes: 1, Env: env}, "launch without geometry lanes"},
		{"raygen", emu.Launch{NumLanes: 1, Env: env}, "launch without rays"},
	} {
		info := ""
		if c.stage == "compute" || c.stage == "task" {
			info = "info { workgroup_size=1,1,1 }\n"
		}
		s, err := ir.Parse("shader " + c.stage + " \"main\" {\n" + info + "fn f0 \"main\" entry() {\nb0:\n}\n}\n")
		if err != nil {
			t.Fatalf("%s: %v", c.stage, err)
		}
		p, err := New(s, Options{WaveSize: 4})
		if err != nil {
			t.Errorf("%s: %v", c.stage, err)
			continue
		}
		_, err = p.(*Program).NewWave(&c.l).Run(1000)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.stage, err, c.want)
		}
	}
}
