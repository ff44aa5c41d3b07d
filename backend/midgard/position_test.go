package midgard

import (
	"strings"
	"testing"

	"nirc/ir"
)

// TestPositions: a position that is stored in parts, on several ways, or again and again is that of the last stores of its
// components, with a w that is known and one that is not.
func TestPositions(t *testing.T) {
	programs.Hold(t)
	const store = "      store_output %12, %0 base=0 range=1 write_mask=xyzw src_type=f32 io_semantics={POS 1}\n"
	part := func(v, mask string, comp string) string {
		return "      store_output " + v + ", %0 base=0 range=1 component=" + comp + " write_mask=" + mask + " src_type=f32 io_semantics={POS 1}\n"
	}
	all := func(v string) string { return strings.Replace(store, "%12", v, 1) }
	parts := part("%12", "xyz", "0") + part("%11", "x", "3")
	ways := func(then, els string) string {
		return "      %30:1 = ieq %3, %0\n      if %30 {\n        b1:\n" + then + "      } else {\n        b2:\n" + els + "      }\n    b3:\n"
	}
	other := "      %20:32x4 = vec4 %9, %9, %10, %11\n"
	for name, c := range map[string]string{
		"parts":      parts,
		"again":      other + all("%20") + store,
		"part again": other + all("%20") + part("%12", "xy", "0"),
		"ways":       other + ways(all("%20"), store),
		"on one way": other + all("%20") + ways("", store),
		"part there": other + all("%20") + ways(part("%9", "x", "1"), part("%8", "x", "0")),
	} {
		for w, with := range map[string]string{"known": "", "not known": "      %21:32 = fadd %11, %4\n"} {
			body := with + c
			if with != "" {
				body = with + strings.ReplaceAll(strings.ReplaceAll(c, "%12", "%22"), "%11", "%21")
				body = strings.Replace(body, with, with+"      %22:32x4 = vec4 %8, %9, %10, %21\n", 1)
			}
			text := strings.Replace(positions, store, body, 1)
			if text == positions {
				t.Fatal("the shader has no such store")
			}
			if err := drawsAlike(text, plainColor)(); err != nil {
				t.Errorf("%s, w %s: %v\n%s", name, w, err, text)
			}
		}
	}
}

// TestPositionMadeLast: what makes the position in two instructions writes the store's register where that is free, behind the
// stores of other outputs that come before it.
func TestPositionMadeLast(t *testing.T) {
	programs.Hold(t)
	text := strings.Replace(positions, "      store_output %12", `      %21:32 = fadd %11, %4
      %22:32x4 = vec4 %8, %9, %10, %21
      %23:32x4 = load_input %0 base=0 range=1 dest_type=f32 io_semantics={ATTRIB0 1}
      %24:32x4 = load_input %0 base=1 range=1 dest_type=f32 io_semantics={ATTRIB1 1}
      store_output %23, %0 base=0 range=1 write_mask=xyzw src_type=f32 io_semantics={VAR0 1}
      store_output %24, %0 base=0 range=1 write_mask=xyzw src_type=f32 io_semantics={VAR1 1}
      store_output %22`, 1)
	s, err := ir.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	_, code := listing(t, s, CompileOptions{})
	if !strings.Contains(code, "FADD.f32 AL") || strings.Contains(code, "MOV.i32 AL1, ") || strings.Contains(code, "MOV.i32 AL0, ") {
		t.Errorf("the position is moved:\n%s", code)
	}
}
