package midgard

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// TestRefused compiles valid IR that asks for more than there is.
func TestRefused(t *testing.T) {
	const store = " store_output %1, %0 write_mask=xyzw src_type=f32 io_semantics={DATA0 1} } }"
	for _, c := range []struct{ text, want string }{
		{`shader fragment "main" { var @1 uniform tex1D<f32>[1000000000] "t" { set=0 binding=0 } fn f0 "main" entry() { b0: %0:32 = load_const 0x0 %2:32 = load_sample_id
			%3:32 = deref_var @1 %4:32 = deref_array %3[%2] %1:32x4 = txf texture_deref=%4 coord=%0 dim=1D dest=f32 coord_components=1` + store,
			"midgard: t: 1000000000 descriptors at binding 0 of set 0 are not supported without a pipeline layout"},
		{`shader fragment "main" { var @1 uniform tex1D<f32>[1000000000] "" { set=0 binding=0 } fn f0 "main" entry() { b0: %0:32 = load_const 0x0 %2:32 = load_sample_id
			%3:32 = deref_var @1 %4:32 = deref_array %3[%2] %1:32x4 = txf texture_deref=%4 coord=%0 dim=1D dest=f32 coord_components=1` + store,
			"midgard: 1000000000 descriptors at binding 0 of set 0 are not supported without a pipeline layout"},
		{`shader fragment "main" { fn f0 "main" entry() { b0: %0:32 = load_const 0x0 %1:32x4 = load_input_vertex %0, %0 io_semantics={VAR0 1} dest_type=f32` + store,
			"midgard: inputs per vertex (load_input_vertex) are not supported: the hardware gives what it interpolates"},
		{`shader fragment "main" { scratch_size=4294967295 fn f0 "main" entry() { b0: %0:32 = load_const 0x0 %2:32 = load_sample_id %1:32x4 = load_scratch %2 align_mul=4` + store,
			"midgard: 4294967295 bytes of private memory a thread are not supported"},
		{`shader compute "main" { info { workgroup_size=1,1,1 } shared_size=32772 fn f0 "main" entry() { b0: } }`, "midgard: 32772 bytes of workgroup memory are not supported, there are up to 32768"},
		{`shader compute "main" { info { workgroup_size=257,1,1 } fn f0 "main" entry() { b0: } }`, "midgard: a workgroup of 257 x 1 x 1 invocations is not supported"},
		{`shader fragment "main" { var @1 uniform tex1D<f32> "t" { set=0 binding=0 } fn f0 "main" entry() { b0: %0:32 = load_const 0x0 %2:32 = deref_var @1
			%1:32x4 = load_scratch %2 align_mul=4` + store, "midgard: an image or sampler that control flow"},
		{`shader fragment "main" { fn f0 "main" entry() { b0: %0:32 = load_const 0x0 %2:32 = load_sample_id %1:32x4 = load_global %2 align_mul=4` + store,
			"is too small for what reads it"},
		{`shader fragment "main" { info { early_fragment_tests post_depth_coverage } fn f0 "main" entry() { b0: %0:32 = load_const 0x0 %2:32 = load_sample_mask_in %3:32 = u2f32 %2
			%1:32x4 = vec4 %3, %3, %3, %3` + store, "midgard: the mask of covered samples after depth tests (PostDepthCoverage) is not supported"},
		{`shader fragment "main" { fn f0 "main" entry() { b0: %0:32 = load_const 0x0 %2:32 = load_sample_id %3:16 = u2u16 %2 %4:16 = iadd_sat %3, %3 %5:32 = u2u32 %4
			%1:32x4 = vec4 %5, %5, %5, %5` + store, "iadd_sat of 16 bits is not supported: it must be lowered"},
		{`shader fragment "main" { fn f0 "main" entry() { b0: %0:32 = load_const 0x0 %2:32 = load_input %0 io_semantics={VAR0 1} dest_type=f32 %3:32 = ddy_fine %2
			%1:32x4 = vec4 %3, %3, %3, %3` + store, "midgard: fine derivatives are not supported"},
		{`shader fragment "main" { fn f0 "main" entry() { b0: %0:32 = load_const 0x0 %2:32x2 = load_barycentric_pixel interp_mode=noperspective %3:32 = load_interpolated_input %2, %0 io_semantics={VAR18 1} dest_type=f32
			%4:32 = load_input %0 io_semantics={VAR18 1} dest_type=f32 %5:32 = fadd %3, %4 %1:32x4 = vec4 %5, %5, %5, %5` + store,
			"a component of location 18 that is interpolated with and without perspective is not supported"},
	} {
		s, err := ir.Parse(c.text)
		if err == nil {
			err = ir.Validate(s)
		}
		if err != nil {
			t.Fatalf("%s: %v", c.text, err)
		}
		if _, err = held(Compile(s, CompileOptions{Job: verifying()})); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.text, err, c.want)
		}
	}
}

// TestTooFewRegisters: what one instruction reads cannot be spilled; where there are fewer registers the text says what leaves no more.
func TestTooFewRegisters(t *testing.T) {
	programs.Hold(t)
	s, err := ir.Parse(`shader compute "main" { info { workgroup_size=8,4,4 } shared_size=16 scratch_size=64 fn f0 "main" entry() { b0:
		%0:32 = load_const 0 %1:32 = load_const 16 %2:32x4 = load_scratch %0 align_mul=16 %3:32x4 = load_scratch %1 align_mul=16
		%4:32x4 = fadd %2, %3 store_scratch %4, %0 align_mul=16 write_mask=xyzw } }`)
	if err != nil {
		t.Fatal(err)
	}
	for registers, want := range map[int]string{
		1: "midgard: an instruction with more operands than 1 work registers hold on t720 is not supported: each of 8 x 4 x 4 threads that meet has 1",
		2: "",
	} {
		_, err := held(Compile(ir.Clone(s), CompileOptions{GPU: "t720", Job: verifying(), Registers: registers}))
		if want == "" && err != nil || want != "" && (!errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), want)) {
			t.Errorf("%d registers: %v, want %q", registers, err, want)
		}
	}
}

// TestGeometryRefused: what a geometry shader cannot do is said wherever it stands, the last instruction included.
func TestGeometryRefused(t *testing.T) {
	for at := range 3 {
		s, b := gputest.NewShader(ir.StageGeometry, 0)
		s.Info.Geom = ir.GeomInfo{Invocations: 1, MaxVertices: 3, InPrimitive: 3, OutPrimitive: ir.OutTriangleStrip}
		for k := range 3 {
			bits := uint8(32)
			if k == at {
				bits = 64
			}
			sem := ir.IOSemantics{Location: ir.SlotVar0, NumSlots: 1}
			b.Intrinsic(ir.IntrStoreOutput, 0, 0, b.Undef(1, bits), b.Imm32(0)).Set(ir.IdxWriteMask, 1).Set(ir.IdxIoSemantics, sem.Pack()).
				Set(ir.IdxSrcType, ir.ALUType{Class: ir.ClassFloat, Bits: bits}.Pack())
			if k < 2 {
				b.Intrinsic(ir.IntrEmitVertex, 0, 0)
			}
		}
		if _, err := compile(s, CompileOptions{GPU: "t860"}); err == nil || !strings.Contains(err.Error(), "of 64 bits is not supported") {
			t.Errorf("store %d: %v", at, err)
		}
	}
}

// TestSpillsBeyondOffsets: spill slots stand after a thread's arrays, and offsets do not reach all of its storage.
func TestSpillsBeyondOffsets(t *testing.T) {
	programs.Hold(t)
	const live = 60
	var w strings.Builder
	w.WriteString("b0:")
	for i := range live {
		fmt.Fprintf(&w, "\n%%%d:32 = load_const %d\n%%%d:32x4 = load_scratch %%%d align_mul=16", i, 16*i, live+i, i)
	}
	for i := range live {
		fmt.Fprintf(&w, "\nstore_scratch %%%d, %%%d align_mul=16 write_mask=xyzw", live+i, (i*7+3)%live)
	}
	for size, want := range map[int]string{
		4096:   "",
		130976: "midgard: so many values at once are not supported: beside 130976 bytes of arrays ",
		131072: "bytes of them would be spilled with 16 work registers, and offsets of spills reach 131072 bytes of a thread's storage (18 bits with a sign)",
	} {
		s, err := ir.Parse(fmt.Sprintf(`shader compute "main" { info { workgroup_size=1,1,1 } scratch_size=%d fn f0 "main" entry() { %s } }`, size, w.String()))
		if err != nil {
			t.Fatal(err)
		}
		b, err := held(Compile(s, CompileOptions{Job: verifying()}))
		if want == "" && (err != nil || b.Stats.Spills == 0) {
			t.Errorf("%d bytes: %v, %+v", size, err, b)
		}
		if want != "" && (!errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), want)) {
			t.Errorf("%d bytes: %v, want %q", size, err, want)
		}
	}
}
