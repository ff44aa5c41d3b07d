package analysis

import (
	"testing"

	"nirc/ir"
)

func TestSSATypes(t *testing.T) {
	s, err := ir.Parse(`shader compute "main" {
  info { workgroup_size=1,1,1 }
  var @1 shader_temp f32 "f"
  fn f0 "main" entry() {
    b0:
      %0:32 = load_const 0x3f800000
      %1:32 = load_const 0x1
      %2:32 = load_const 0x2
      %3:32 = load_const 0x3
      %4:32 = fadd %0, %2
      %5:32 = iadd %1, %2
      %6:1 = ilt %1, %5
      %7:32 = bcsel %6, %3, %0
      %8:32 = deref_var @1
      store_deref %8, %7 write_mask=x
    if %6 {
      b1:
    } else {
      b2:
    }
    b3:
      %10:32 = phi b1: %5, b2: %4
      %9:32 = load_const 0x7
      %11:32 = mov %10
      %12:32x2 = vec2 %9, %9
      %13:32 = f2i32 %4
  }
}
`)
	if err == nil {
		err = ir.Validate(s)
	}
	if err != nil {
		t.Fatal(err)
	}
	types := SSATypes(s.Entry().Impl)
	var got []SSAType
	for blk := range s.Entry().Impl.Blocks() {
		for in := range blk.Instrs() {
			if in.HasDef() {
				got = append(got, types[in.Def.Index])
			}
		}
	}
	f, i, both := TypeFloat, TypeInt, TypeFloat|TypeInt
	// The last constant is only read by a vector that nothing reads. What a conversion makes of a float is none.
	want := []SSAType{f, i, both, f, both, both, 0, f, 0, both, 0, both, 0, i}
	if len(got) != len(want) {
		t.Fatalf("%d values, want %d", len(got), len(want))
	}
	for k, w := range want {
		if got[k] != w {
			t.Errorf("value %d: %d, want %d", k, got[k], w)
		}
	}
}
