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
		if got := divergentStores(t, c.body, false); got != c.divergent {
			t.Errorf("%s: %s, want %s", c.name, got, c.divergent)
		}
	}
}

// TestTornLoads: where loads tear, what they find at one address is the same only if nobody writes there.
func TestTornLoads(t *testing.T) {
	const body = `
    b0:
      %1:32 = load_const 0x0
      %2:64 = load_const 0x100000
      %3:32x4 = load_const (0x0, 0x0, 0x0, 0x0)
      %4:32 = load_ssbo %1, %1 align_mul=4
      %5:32 = load_ssbo %1, %1 access=non_writeable|can_reorder align_mul=4
      %6:32 = load_shared %1 align_mul=4
      %7:32 = load_global %2 align_mul=4
      %8:32 = load_global %2 access=non_writeable|can_reorder align_mul=4
      %9:32x4 = image_load %1, %3, %1, %1 image_dim=2D dest_type=u32
      %10:32x4 = image_load %1, %3, %1, %1 image_dim=2D access=non_writeable|can_reorder dest_type=u32
      %11:32 = load_ubo %1, %1 align_mul=4 range=16
      store_ssbo %4, %1, %1 write_mask=x align_mul=4
      store_ssbo %5, %1, %1 write_mask=x align_mul=4
      store_ssbo %6, %1, %1 write_mask=x align_mul=4
      store_ssbo %7, %1, %1 write_mask=x align_mul=4
      store_ssbo %8, %1, %1 write_mask=x align_mul=4
      store_ssbo %9, %1, %1 write_mask=xyzw align_mul=4
      store_ssbo %10, %1, %1 write_mask=xyzw align_mul=4
      store_ssbo %11, %1, %1 write_mask=x align_mul=4
`
	for tear, want := range map[bool]string{true: "dudduduu", false: "uuuuuuuu"} {
		if got := divergentStores(t, body, tear); got != want {
			t.Errorf("loads tear: %v: %s, want %s", tear, got, want)
		}
	}
}

// divergentStores says of each value that a compute shader stores whether it diverges: d or u.
func divergentStores(t *testing.T, body string, tear bool) (got string) {
	t.Helper()
	s, err := ir.Parse("shader compute \"main\" {\n  fn f0 \"main\" entry() {" + body + "  }\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	s.Options.LoadsTear = tear
	impl := s.Entry().Impl
	RequireDivergence(impl)
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			switch {
			case !in.IsIntrinsic(ir.IntrStoreSsbo):
			case in.Srcs[0].Def.Divergent:
				got += "d"
			default:
				got += "u"
			}
		}
	}
	return got
}
