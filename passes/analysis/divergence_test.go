package analysis

import (
	"testing"

	"nirc/ir"
)

// divergenceCases name the values %1000 and up that are divergent.
var divergenceCases = []struct {
	name, body string
	divergent  string // of the stored values, in order: d or u
}{
	{"if", `
    b0:
      %1:32 = load_local_invocation_index
      %2:32x3 = load_workgroup_id
      %3:32 = load_const 0x0
      %4:32 = load_const 0x1
      %5:1 = ieq %1, %3
      %6:1 = ieq %2.x, %3
    if %5 {
      b1:
    } else {
      b2:
    }
    b3:
      %7:32 = phi b1: %3, b2: %4
      %8:32 = phi b1: %3, b2: %3
    if %6 {
      b4:
    } else {
      b5:
    }
    b6:
      %9:32 = phi b4: %3, b5: %4
      %10:32 = read_first_invocation %7
      store_ssbo %7, %3, %3 write_mask=x align_mul=4
      store_ssbo %8, %3, %3 write_mask=x align_mul=4
      store_ssbo %9, %3, %3 write_mask=x align_mul=4
      store_ssbo %10, %3, %3 write_mask=x align_mul=4
`, "duuu"},
	{"loop", `
    b0:
      %1:32 = load_local_invocation_index
      %3:32 = load_const 0x0
      %4:32 = load_const 0x1
    loop {
      b1:
      %5:32 = phi b0: %3, b4: %7
      %6:1 = uge %5, %1
      %8:32 = iadd %5, %4
      %9:32 = ishl %5, %4
      store_ssbo %9, %3, %3 write_mask=x align_mul=4
      if %6 {
        b2:
          break
      } else {
        b3:
      }
      b4:
      %7:32 = iadd %5, %4
      store_ssbo %7, %3, %3 write_mask=x align_mul=4
    }
    b5:
      %10:32 = phi b2: %5
      store_ssbo %10, %3, %3 write_mask=x align_mul=4
      store_ssbo %8, %3, %3 write_mask=x align_mul=4
`, "uudd"},
	{"uniform loop", `
    b0:
      %1:32x3 = load_num_workgroups
      %3:32 = load_const 0x0
      %4:32 = load_const 0x1
    loop {
      b1:
      %5:32 = phi b0: %3, b4: %7
      %6:1 = uge %5, %1.x
      if %6 {
        b2:
          break
      } else {
        b3:
      }
      b4:
      %7:32 = iadd %5, %4
    }
    b5:
      store_ssbo %5, %3, %3 write_mask=x align_mul=4
`, "u"},
	{"continue", `
    b0:
      %1:32 = load_local_invocation_index
      %3:32 = load_const 0x0
      %4:32 = load_const 0x1
      %13:1 = ieq %1, %3
    loop {
      b1:
      %5:32 = phi b0: %3, b5: %4, b7: %7
      %6:1 = uge %5, %4
      if %6 {
        b2:
          break
      } else {
        b3:
      }
      b4:
      if %13 {
        b5:
          continue
      } else {
        b6:
      }
      b7:
      %7:32 = iadd %5, %4
      store_ssbo %5, %3, %3 write_mask=x align_mul=4
    }
    b8:
`, "d"},
}

func TestDivergence(t *testing.T) {
	for _, c := range divergenceCases {
		s, err := ir.Parse("shader compute \"main\" {\n  fn f0 \"main\" entry() {" + c.body + "  }\n}\n")
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		impl := s.Entry().Impl
		RequireDivergence(impl)
		got := ""
		for b := range impl.Blocks() {
			for in := range b.Instrs() {
				if in.IsIntrinsic(ir.IntrStoreSsbo) {
					if in.Srcs[0].Def.Divergent {
						got += "d"
					} else {
						got += "u"
					}
				}
			}
		}
		if got != c.divergent {
			t.Errorf("%s: %s, want %s", c.name, got, c.divergent)
		}
	}
}
