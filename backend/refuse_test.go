package backend_test

import (
	"errors"
	"strings"
	"testing"

	"nirc/backend"
	"nirc/backend/gputest"
	"nirc/ir"
)

// parsed reads a shader of the stage with those variables and one block.
func parsed(t *testing.T, stage, decl, body string) *ir.Shader {
	t.Helper()
	s, err := ir.Parse("shader " + stage + " \"main\" {\n" + decl + "\nfn f0 \"main\" entry() {\nb0: " + body + "\n}\n}\n")
	if err == nil {
		err = ir.Validate(s)
	}
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return s
}

// TestCheckTextures: textures, samplers and images are elements of variables with bindings, whatever arrays are on the way, or refused.
func TestCheckTextures(t *testing.T) {
	const (
		bound   = `var @1 uniform sampled2D<f32> "t" { set=0 binding=1 }`
		unbound = `var @2 uniform sampled2D<f32> "u"`
		image   = `var @1 image image2D<u32> "i" { set=0 binding=1 }`
		array   = `var @1 image image2D<u32>[3][2] "i" { set=0 binding=1 }`
		loose   = `var @1 image image2D<u32>[3][2] "i"`
		fetch   = " %9:32x2 = undef %10:32x4 = tex texture_deref=%1 sampler_deref=%2 coord=%9 dim=2D dest=f32 coord_components=2"
		chosen  = " %7:1 = undef %8:32 = bcsel %7, %1, %1 %2:32 = deref_cast %8 (uniform sampled2D<f32>)"
		size    = " %9:32 = load_const 0x0 %10:32x2 = image_deref_size %8, %9 image_dim=2D"
		element = "%1:32 = deref_var @1 %2:32 = load_const 0x1 %3:32 = deref_array %1[%2] %8:32 = deref_array %3[%2]" + size
	)
	for _, c := range []struct{ decl, body, want string }{
		{bound, "%1:32 = deref_var @1 %2:32 = deref_var @1" + fetch, ""},
		{bound + "\n" + unbound, "%1:32 = deref_var @2 %2:32 = deref_var @1" + fetch, "u, which has no binding, is not supported"},
		{bound + "\n" + unbound, "%1:32 = deref_var @1 %2:32 = deref_var @2" + fetch, "u, which has no binding, is not supported"},
		{image, "%8:32 = deref_var @1" + size, ""},
		{array, element, ""},
		{loose, element, "i, which has no binding, is not supported"},
		{bound, "%1:32 = deref_var @1" + chosen + fetch, "that control flow or values choose"},
		{"", "%1:32 = undef", ""},
	} {
		s := parsed(t, "fragment", c.decl, c.body)
		err := backend.CheckTextures("ir3", s, s.Entry().Impl)
		if (err == nil) != (c.want == "") || err != nil && (!errors.Is(err, errors.ErrUnsupported) || !strings.HasPrefix(err.Error(), "ir3: ") && !strings.Contains(err.Error(), " ir3: ") || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.body, err, c.want)
		}
	}
}

// TestKinds: each kind of instruction goes to the method that selects it; constants, undefined values and jumps to none, and what
// nobody selects is refused with what must be done to it before.
func TestKinds(t *testing.T) {
	_, b := gputest.NewShader(ir.StageFragment, 0)
	var got string
	note := func(kind string) func(int, *ir.Instr) { return func(int, *ir.Instr) { got += kind } }
	k := backend.Kinds[int]{ALU: note("alu"), Intrinsic: note("intrinsic"), Phi: note("phi"), Tex: note("tex")}
	s := b.Shader
	temp := s.NewVariable(ir.ModeFunctionTemp, ir.ScalarType(ir.BaseInt, 32), "x")
	callee := s.NewFunction("f")
	for _, c := range []struct {
		in        *ir.Instr
		want, err string
	}{
		{b.Fneg(b.Undef(1, 32)).Instr, "alu", ""},
		{b.Intrinsic(ir.IntrDemote, 0, 0), "intrinsic", ""},
		{s.NewPhi(1, 32), "phi", ""},
		{b.Imm32(0).Instr, "", ""},
		{b.Undef(1, 32).Instr, "", ""},
		{b.DerefVar(s.NewVariable(ir.ModeUniform, ir.ScalarType(ir.BaseInt, 32), "u")).Instr, "", ""},
		{b.DerefVar(s.NewVariable(ir.ModeImage, ir.ScalarType(ir.BaseInt, 32), "i")).Instr, "", ""},
		{b.DerefVar(temp).Instr, "", "variables must be lowered"},
		{b.Insert(s.NewCall(callee)), "", "a call of f is not supported at selection: functions must be inlined"},
	} {
		got = ""
		err := k.Select("agx", s, 0, c.in)
		if got != c.want || (err == nil) != (c.err == "") || err != nil && (!errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%s: %q, %v, want %q, %q", ir.PrintInstr(c.in), got, err, c.want, c.err)
		}
	}
}

// TestWritesMemory: stores and atomics of what the device has write memory; loads, a workgroup's memory and outputs do not.
func TestWritesMemory(t *testing.T) {
	_, b := gputest.NewShader(ir.StageCompute, 1)
	zero := b.Imm32(0)
	for _, c := range []struct {
		in   *ir.Instr
		want bool
	}{
		{b.Intrinsic(ir.IntrStoreSsbo, 0, 0, zero, zero, zero), true},
		{b.Intrinsic(ir.IntrSsboAtomic, 1, 32, zero, zero, zero), true},
		{b.Intrinsic(ir.IntrStoreGlobal, 0, 0, zero, b.Const(64, 0)), true},
		{b.Intrinsic(ir.IntrLoadSsbo, 1, 32, zero, zero), false},
		{b.Intrinsic(ir.IntrStoreShared, 0, 0, zero, zero), false},
		{b.Intrinsic(ir.IntrStoreScratch, 0, 0, zero, zero), false},
		{b.Intrinsic(ir.IntrStoreOutput, 0, 0, zero, zero), false},
		{b.Intrinsic(ir.IntrDemote, 0, 0), false},
	} {
		if got := backend.WritesMemory(c.in); got != c.want {
			t.Errorf("%s: %t", c.in.Intr, got)
		}
	}
}

// TestRefusals: refusals name the target, the place and what is not supported; of IR that no pipeline leaves they are no refusals.
func TestRefusals(t *testing.T) {
	_, b := gputest.NewShader(ir.StageFragment, 0)
	s := b.Shader
	load := b.Intrinsic(ir.IntrLoadOutput, 4, 32, b.Imm32(0)).Set(ir.IdxIoSemantics, ir.IOSemantics{Location: ir.SlotData0, NumSlots: 1}.Pack())
	if got := backend.UnknownIntrinsic("agx", load); got != "reading back output slot 4 is not supported" {
		t.Error(got)
	}
	if got := backend.UnknownIntrinsic("agx", b.Intrinsic(ir.IntrDemote, 0, 0)); got != "the intrinsic demote is not supported by the agx backend" {
		t.Error(got)
	}
	if err := backend.Broken("agx", s, nil, "%d things", 3); errors.Is(err, errors.ErrUnsupported) || err.Error() != "agx: 3 things" {
		t.Error(err)
	}
	if err := backend.Refuse("agx", s, nil, "%d things", 3); !errors.Is(err, errors.ErrUnsupported) || err.Error() != "agx: 3 things" {
		t.Error(err)
	}
	var first error
	for _, err := range []error{nil, errors.New("one"), errors.New("two")} {
		backend.Note(&first, err)
	}
	if first == nil || first.Error() != "one" {
		t.Errorf("the first error is %v", first)
	}
	image := b.DerefVar(s.NewVariable(ir.ModeImage, ir.ScalarType(ir.BaseInt, 32), "i"))
	if got := backend.Unselected(image); !strings.Contains(got, "that control flow or values choose") {
		t.Error(got)
	}
	if got := backend.Unselected(&load.Def); !strings.Contains(got, "is not supported as a value: ") || !strings.Contains(got, "load_output") {
		t.Error(got)
	}
}
