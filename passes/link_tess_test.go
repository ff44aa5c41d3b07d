package passes

import (
	"fmt"
	"strings"
	"testing"

	"nirc/ir"
)

const linkTCS = `shader tess_ctrl "main" {
  info { tess_output_vertices=3 }
  var @1 shader_out vec4f32[3] "read" { location=VAR4 }
  var @2 shader_out f32[3] "own" { location=VAR6 }
  var @3 shader_out f32[3] "nobody" { location=VAR7 }
  var @4 shader_out vec2f32 "wide" { location=PATCH3 patch }
  var @5 shader_out f32 "narrow" { location=PATCH5 patch }
  var @6 shader_out f32 "unread" { location=PATCH6 patch }
  var @7 shader_in f32[32] "in" { location=VAR0 }
  fn f0 "main" entry() {
    b0:
      %0:32 = load_invocation_id
      %1:32 = load_const 0x0
      %2:32 = deref_var @7
      %3:32 = deref_array %2[%0]
      %4:32 = load_deref %3
      %5:32x4 = vec4 %4, %1, %4, %4
      %6:32 = deref_var @1
      %7:32 = deref_array %6[%0]
      store_deref %7, %5 write_mask=xyzw
      %8:32 = deref_var @2
      %9:32 = deref_array %8[%0]
      store_deref %9, %4 write_mask=x
      %10:32 = deref_array %8[%1]
      %11:32 = load_deref %10
      %12:32 = deref_var @3
      %13:32 = deref_array %12[%0]
      store_deref %13, %4 write_mask=x
      %14:32x2 = vec2 %11, %4
      %15:32 = deref_var @4
      store_deref %15, %14 write_mask=xy
      %16:32 = deref_var @5
      store_deref %16, %11 write_mask=x
      %17:32 = deref_var @6
      store_deref %17, %11 write_mask=x
  }
}`

const linkTES = `shader tess_eval "main" {
  var @1 shader_in vec4f32[32] "read" { location=VAR4 }
  var @2 shader_in f32[32] "unwritten" { location=VAR9 }
  var @3 shader_in vec2f32 "wide" { location=PATCH3 patch }
  var @4 shader_in f32 "narrow" { location=PATCH5 patch }
  var @5 shader_out vec4f32 "pos" { location=POS }
  fn f0 "main" entry() {
    b0:
      %0:32 = load_const 0x1
      %1:32 = deref_var @1
      %2:32 = deref_array %1[%0]
      %3:32x4 = load_deref %2
      %4:32 = deref_var @2
      %5:32 = deref_array %4[%0]
      %6:32 = load_deref %5
      %7:32 = deref_var @3
      %8:32x2 = load_deref %7
      %9:32 = deref_var @4
      %10:32 = load_deref %9
      %11:32x4 = vec4 %6, %8.x, %8.y, %10
      %12:32x4 = fadd %3, %11
      %13:32 = deref_var @5
      store_deref %13, %12 write_mask=xyzw
  }
}`

// modes are where the variables of a shader are: NAME=SLOT.COMPONENT in the order of declaration, without what is private now.
func modes(s *ir.Shader) string {
	var list []string
	for _, v := range s.Variables {
		if v.Mode == ir.ModeShaderIn || v.Mode == ir.ModeShaderOut {
			name, n := "", v.Location
			switch {
			case n >= int32(ir.SlotPatch0):
				name, n = "PATCH", n-int32(ir.SlotPatch0)
			case n >= int32(ir.SlotVar0):
				name, n = "VAR", n-int32(ir.SlotVar0)
			}
			list = append(list, fmt.Sprintf("%s=%s%d.%c", v.Name, name, n, "xyzw"[v.Component]))
		}
	}
	return strings.Join(list, " ")
}

// TestLinkTessellation: what tessellation control reads of its own outputs stays, and patches have slots of their own.
func TestLinkTessellation(t *testing.T) {
	tcs, tes := parseShader(t, linkTCS), parseShader(t, linkTES)
	check := func(step, wantTCS, wantTES string) {
		t.Helper()
		for _, s := range []*ir.Shader{tcs, tes} {
			if err := ir.Validate(s); err != nil {
				t.Fatalf("%s: %v\n%s", step, err, ir.Print(s))
			}
		}
		if a, b := modes(tcs), modes(tes); a != wantTCS || b != wantTES {
			t.Errorf("%s: %s\n%s\nwant\n%s\n%s", step, a, b, wantTCS, wantTES)
		}
	}
	if out, in := RemoveUnusedIO(tcs, tes); out != 2 || in != 1 {
		t.Errorf("%d outputs and %d inputs go, want 2 and 1", out, in)
	}
	check("RemoveUnusedIO", "read=VAR4.x own=VAR6.x wide=PATCH3.x narrow=PATCH5.x in=VAR0.x", "read=VAR4.x wide=PATCH3.x narrow=PATCH5.x pos=0.x")
	if n := CompactVaryings(tcs, tes, nil); n != 4+2+1 {
		t.Errorf("%d components move, want 7", n)
	}
	check("CompactVaryings", "read=VAR0.x own=VAR6.x wide=PATCH0.x narrow=PATCH0.z in=VAR0.x", "read=VAR0.x wide=PATCH0.x narrow=PATCH0.z pos=0.x")
}

// TestRemoveLastOutputs: without a fragment shader nobody reads what the last stage hands on, but what must stay and the position.
func TestRemoveLastOutputs(t *testing.T) {
	vs := parseShader(t, linkVS)
	const kept = "b"
	for _, v := range vs.Variables {
		v.AlwaysActive = v.Name == kept
	}
	if !RemoveLastOutputs(vs) {
		t.Error("nothing goes")
	}
	if err := ir.Validate(vs); err != nil {
		t.Fatal(err)
	}
	if got, want := modes(vs), "p=0.x b=VAR1.x gl=0.x"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if RemoveLastOutputs(vs) {
		t.Error("goes twice")
	}
}
