package agx

import (
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// TestLargeWorkgroups: a core holds 1024 lanes, and 32 KiB of their memory.
func TestLargeWorkgroups(t *testing.T) {
	programs.Hold(t)
	for _, c := range []struct {
		size   [3]uint32
		shared uint32
		want   string
	}{
		{[3]uint32{1024, 1, 1}, 32 << 10, ""},
		{[3]uint32{1024, 2, 1}, 0, "agx: a workgroup of 1024 x 2 x 1 invocations is not supported, there are up to 1024"},
		{[3]uint32{1 << 31, 2, 1}, 0, "is not supported, there are up to 1024"},
		{[3]uint32{64, 1, 1}, 32<<10 + 4, "agx: 32772 bytes of workgroup memory are not supported, there are up to 32768"},
	} {
		s, _ := gputest.NewShader(ir.StageCompute, 64)
		s.Info.WorkgroupSize, s.SharedSize = c.size, c.shared
		if _, err := held(Compile(s, CompileOptions{Job: dumpJob("", func(string) {})})); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, %d bytes: %v, want %q", c.size, c.shared, err, c.want)
		}
	}
}

// TestPostDepthRefused: the coverage register has what the primitive covers, before depth tests.
func TestPostDepthRefused(t *testing.T) {
	programs.Hold(t)
	for post, want := range map[bool]string{false: "", true: "agx: the mask of covered samples after depth tests (PostDepthCoverage) is not supported"} {
		s, b := gputest.NewShader(ir.StageFragment, 0)
		s.Info.EarlyFragmentTests, s.Info.PostDepthCoverage = true, post
		m := &b.Intrinsic(ir.IntrLoadSampleMaskIn, 1, 32).Def
		storeOutput(b, ir.SlotData0, b.Vec(m, m, m, m))
		if _, err := held(Compile(s, CompileOptions{Job: dumpJob("", func(string) {})})); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%t: %v, want %q", post, err, want)
		}
	}
}

// TestFullQuads: a shader that requires full quads has helpers, and triangles that are not merged.
func TestFullQuads(t *testing.T) {
	programs.Hold(t)
	for _, full := range []bool{false, true} {
		s, b := gputest.NewShader(ir.StageFragment, 0)
		s.Info.FullQuads = full
		storeOutput(b, ir.SlotData0, b.Imm32(1))
		o, err := held(Compile(s, CompileOptions{Job: dumpJob("", func(string) {})}))
		if err != nil {
			t.Fatal(err)
		}
		if m := o.Meta; m.NeedsQuads != full || m.Pass.SeparateTriangles != full {
			t.Errorf("full quads %t: needs quads %t, separate triangles %t", full, m.NeedsQuads, m.Pass.SeparateTriangles)
		}
	}
}

// TestRefused compiles valid IR that has not been lowered as selection wants it.
func TestRefused(t *testing.T) {
	const store = "%3:32 = load_const 0x0 %4:32x2 = vulkan_resource_index %3 desc_type=2 %5:32 = mov %4.x store_ssbo %2, %5, %3 write_mask=x align_mul=4"
	for _, c := range []struct{ decl, body, want string }{
		{`var @1 image image2D<f32> "i" { set=0 binding=0 }`, "%0:32 = deref_var @1 %2:32 = load_scratch %0 align_mul=4 " + store,
			"agx: an image or sampler that control flow"},
		{`var @1 image image2D<u64> "i" { set=0 binding=0 }`, "%0:32 = deref_var @1 %6:32x4 = undef %7:32 = load_const 0x0 %1:64x4 = image_deref_load %0, %6, %7, %7 image_dim=2D dest_type=u64 %8:64 = mov %1.x %2:32 = u2u32 %8 " + store,
			"agx: images of 64-bit components are not supported"},
		{"", "%0:64 = load_const 0x1000 %1:32x8 = load_global %0 align_mul=4 %2:32 = mov %1.h " + store, "agx: load_global of 8 x 32 bits is not supported: it must be lowered"},
	} {
		s, err := ir.Parse(`shader compute "main" { ` + c.decl + ` fn f0 "main" entry() { b0: ` + c.body + ` } }`)
		if err == nil {
			err = ir.Validate(s)
		}
		if err != nil {
			t.Fatalf("%s: %v", c.body, err)
		}
		if _, err = held(Compile(s, CompileOptions{Job: dumpJob("", func(string) {})})); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.body, err, c.want)
		}
	}
}

// TestRefusedColours: fragment shaders whose text reads an output back, which no module does, are told that they cannot.
func TestRefusedColours(t *testing.T) {
	s, err := ir.Parse(`shader fragment "main" { fn f0 "main" entry() { b0: %0:32 = load_const 0x0 %1:32x4 = load_output %0 dest_type=f32 io_semantics={DATA0 1}
		store_output %1, %0 write_mask=xyzw src_type=f32 io_semantics={DATA0 1} } }`)
	if err == nil {
		err = ir.Validate(s)
	}
	if err != nil {
		t.Fatal(err)
	}
	const want = "agx: reading back output slot 4 is not supported"
	if _, err := held(Compile(s, CompileOptions{Job: dumpJob("", func(string) {})})); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}
