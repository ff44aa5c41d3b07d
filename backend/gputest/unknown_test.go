package gputest_test

import (
	"errors"
	"strings"
	"testing"

	"nirc/backend"
	"nirc/backend/agx"
	"nirc/backend/gputest"
	"nirc/backend/ir3"
	"nirc/backend/midgard"
	"nirc/backend/object"
	"nirc/ir"
)

var targets = []backend.Backend{agx.Target{}, ir3.Target{}, midgard.Target{}}

// TestUnknown: each way into a target names what it does not know: chips, calling conventions, objects of others.
func TestUnknown(t *testing.T) {
	for _, b := range targets {
		ways := map[string]func() error{
			"Options":          func() error { _, err := b.Options("gpu-x", ir.StageCompute); return err },
			"Disassemble":      func() error { _, err := b.Disassemble("gpu-x", nil); return err },
			"Assemble":         func() error { _, err := b.Assemble("gpu-x", ""); return err },
			"DecodeHex":        func() error { _, err := b.DecodeHex("gpu-x", "00"); return err },
			"DecodeHexVerbose": func() error { _, err := b.DecodeHexVerbose("gpu-x", "00"); return err },
			"EncodeHex":        func() error { _, err := b.EncodeHex("gpu-x", "nop"); return err },
			"Compile": func() error {
				s, _ := gputest.NewShader(ir.StageCompute, 1)
				_, err := b.Compile(s, &backend.Job{GPU: "gpu-x"})
				return err
			},
			"Dropper": func() error { _, err := b.Dropper("gpu-x", gputest.Lists); return err },
			"ABI": func() error {
				if len(b.ABIs()) == 0 {
					return errors.New("gpu-x") // nobody asks for one
				}
				s, _ := gputest.NewShader(ir.StageCompute, 1)
				_, err := b.Compile(s, &backend.Job{ABI: "gpu-x"})
				return err
			},
			"Cost": func() error {
				_, err := b.Cost(&object.Object{Target: b.Name(), GPU: "gpu-x", ABI: []byte("{}")})
				return err
			},
			"Cost of another's": func() error { _, err := b.Cost(&object.Object{Target: "gpu-x", ABI: []byte("{}")}); return err },
			"Load of another's": func() error { _, err := b.Load(&object.Object{Target: "gpu-x", ABI: []byte("{}")}); return err },
		}
		for name, way := range ways {
			if err := way(); err == nil || !strings.Contains(err.Error(), "gpu-x") {
				t.Errorf("%s of %s: %v", name, b.Name(), err)
			}
		}
		if _, err := b.Load(&object.Object{Target: b.Name(), ABI: []byte("[")}); err == nil {
			t.Errorf("%s loads an object whose ABI is no JSON", b.Name())
		}
		s, _ := gputest.NewShader(ir.StageMesh, 1)
		if _, err := b.Compile(s, &backend.Job{Lists: gputest.Lists}); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("a mesh shader on %s: %v", b.Name(), err)
		}
		if _, err := b.Compile(ir.NewShader(ir.StageCompute, nil), &backend.Job{Lists: gputest.Lists}); err == nil || !strings.Contains(err.Error(), "no entry point") {
			t.Errorf("a shader without entry point on %s: %v", b.Name(), err)
		}
	}
}

// TestDropperFails: a program for pipelines without a fragment shader whose passes fail is none.
func TestDropperFails(t *testing.T) {
	failed := errors.New("gpu-x")
	for _, b := range targets {
		o, err := b.Dropper(backend.CullABI+"1", func(*ir.Shader, string) error { return failed })
		if !errors.Is(err, failed) && !errors.Is(err, errors.ErrUnsupported) || o != nil {
			t.Errorf("%s: %v, %v", b.Name(), o, err)
		}
	}
	if _, err := (agx.Target{}).CullProgram("gpu-x", 1); err == nil || !strings.Contains(err.Error(), "agx") {
		t.Errorf("the program of a chip that agx has not: %v", err)
	}
}

// TestUnlowered: IR that no pipeline leaves is refused by all targets, with its place.
func TestUnlowered(t *testing.T) {
	const (
		load  = " %9:32 = load_const 0x0 %10:32x4 = vulkan_resource_index %9 desc_type=2 %11:32 = mov %10.x "
		use   = " %20:32 = mov %0.x store_ssbo %20, %11, %9 write_mask=x align_mul=4"
		tex   = " %2:32x2 = undef %3:32x4 = tex texture_deref=%1 sampler_deref=%1 coord=%2 dim=2D dest=f32 coord_components=2"
		image = `var @1 image image2D<u32> "i"`
	)
	for _, c := range []struct{ decl, body, want string }{
		{`var @1 uniform sampled2D<f32> "t"`, "%1:32 = deref_var @1" + tex, "t, which has no binding, is not supported"},
		{image, "%1:32 = deref_var @1 %2:32 = load_const 0x0 %3:32x2 = image_deref_size %1, %2 image_dim=2D", "i, which has no binding, is not supported"},
		{"", load + "%0:32x8 = load_ssbo %11, %9 align_mul=4" + use, "is not supported"},
		{"", load + "%0:32x8 = undef store_ssbo %0, %11, %9 write_mask=xyzwefgh align_mul=4", "is not supported"},
		{"", load + "%0:32x8 = load_shared %9 align_mul=4" + use, "is not supported"},
		{"", load + "%0:32x8 = undef store_shared %0, %9 write_mask=xyzwefgh align_mul=4", "is not supported"},
		{"", load + "%0:32x8 = load_scratch %9 align_mul=4" + use, "is not supported"},
		{"", load + "%0:32x8 = undef store_scratch %0, %9 write_mask=xyzwefgh align_mul=4", "is not supported"},
		{"", load + "%1:64 = load_const 0x0 %0:32x8 = undef store_global %0, %1 write_mask=xyzwefgh align_mul=4", "is not supported"},
		{"", load + "%0:64x4 = load_ssbo %11, %9 align_mul=8 %1:64 = mov %0.x store_ssbo %1, %11, %9 write_mask=x align_mul=8", "is not supported"},
		{"", load + "%0:64 = load_ssbo %11, %9 align_mul=8 %1:64 = fadd %0, %0 store_ssbo %1, %11, %9 write_mask=x align_mul=8", "is not supported"},
		{"", load + "%0:16 = undef %1:16 = ssbo_atomic %11, %9, %0 atomic_op=iadd", "is not supported"},
		{"", load + "%0:32 = undef %1:32 = shared_atomic %9, %0 atomic_op=fadd", "is not supported"},
		{"", load + "%0:32 = undef %1:32 = ssbo_atomic %11, %9, %0 atomic_op=fmax", "is not supported"},
		{"", load + "%0:32 = load_is_indexed_draw store_ssbo %0, %11, %9 write_mask=x align_mul=4", "load_is_indexed_draw is not supported"},
	} {
		s, err := ir.Parse("shader compute \"main\" {\ninfo { workgroup_size=64,1,1 }\n" + c.decl + "\nfn f0 \"main\" entry() {\nb0: " + c.body + "\n}\n}\n")
		if err == nil {
			err = ir.Validate(s)
		}
		if err != nil {
			t.Errorf("%s: %v", c.body, err)
			continue
		}
		for _, b := range targets {
			_, err := b.Compile(ir.Clone(s), &backend.Job{Lists: gputest.Lists})
			if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s on %s: %v", c.body, b.Name(), err)
			}
		}
	}
}
