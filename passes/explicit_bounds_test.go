package passes

import (
	"fmt"
	"math/bits"
	"strings"
	"testing"

	"nirc/ir"
)

// TestBoundedOffsets: with robust buffers the offset of an access is the sum of its parts, or past the middle of 32
// bits where the sum is out of them: indices at the edges into elements of several sizes, in constants
// and in values, of arrays in arrays and of pointers that move on and back.
func TestBoundedOffsets(t *testing.T) {
	edges := []uint32{0, 1, 3, 0x0aaaaaab, 0x10000000, 0x15555555, 0x15555556, 0x1fffffff, 0x40000001, 0x7fffffff, 0x80000000, 0xaaaaaaab, 0xfffffffe,
		0xdfffffff, 0xe0000010, 0xf5555556, 0xf7ffffff, 0xf8000001} // of constants, what leads nearly 2^31 bytes back, and a little more
	for _, stride := range []uint32{12, 16, 20} {
		for _, i := range edges {
			for _, j := range edges {
				for form := range 8 {
					if form&4 != 0 && i != 0 { // i takes no part
						continue
					}
					boundedOffset(t, stride, i, j, form&1 != 0, form&2 != 0, form&4 != 0)
				}
			}
		}
	}
}

// boundedOffset looks at one offset: 8 + i*stride + 4 + j*4, or with step, 8 + stride + j*stride + 4.
func boundedOffset(t *testing.T, stride, i, j uint32, constI, constJ, step bool) {
	t.Helper()
	value := func(name int, v uint32, known bool) string {
		if known {
			return fmt.Sprintf("      %%%d:32 = load_const %#x\n", name, v)
		}
		// Of what is reversed, no range is known.
		return fmt.Sprintf("      %%%d:32 = load_const %#x\n      %%%d:32 = bitfield_reverse %%%d\n", name+1, bits.Reverse32(v), name, name+1)
	}
	if step {
		i, constI = 1, true
	}
	chain := "      %6:32x2 = deref_struct %5.1\n      %7:32x2 = deref_array %6[%20]\n      %8:32 = load_deref %7\n      store_deref %7, %8 write_mask=x\n"
	index := func(v uint32, known bool) int64 {
		if known { // constants are signed
			return int64(int32(v))
		}
		return int64(v)
	}
	from := 8 + index(i, constI)*int64(stride)
	want := from + 4 + 4*index(j, constJ)
	if step {
		chain = "      %6:32x2 = deref_ptr %5 + %20\n      %7:32x2 = deref_struct %6.1\n      %9:32 = load_const 0\n      %10:32x2 = deref_array %7[%9]\n      %8:32 = load_deref %10\n      store_deref %10, %8 write_mask=x\n"
		from = 8 + int64(stride)*(1+int64(int32(j)))
		want = from + 4
	}
	text := fmt.Sprintf("shader compute \"main\" {\n  info { workgroup_size=1,1,1 }\n  type $0 = struct \"P\" {\n    \"x\": u32 offset=0\n    \"c\": u32[2:4] offset=4\n  }\n"+
		"  type $1 = struct \"B\" block {\n    \"d\": $0[:%d] offset=8\n  }\n  fn f0 \"main\" entry() {\n    b0:\n      %%0:32 = load_const 0\n", stride) +
		value(20, j, constJ) + value(30, i, constI) +
		"      %1:32x2 = vulkan_resource_index %0 binding=2 desc_type=2\n      %2:32x2 = load_vulkan_descriptor %1 desc_type=2\n      %3:32x2 = deref_cast %2 (mem_ssbo $1) align=16+0\n" +
		"      %4:32x2 = deref_struct %3.0\n      %5:32x2 = deref_array %4[%30]\n" + chain + "  }\n}\n"
	s, err := ir.Parse(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	own := *s.Options
	own.Robust = ir.Robust{Storage: ir.Robust2}
	s.Options = &own
	p, err := ParsePassList("lower_explicit_io(modes=mem_ssbo),opt_constant_folding,opt_dce")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Run(s, RunOptions{VerifyEach: true}); err != nil {
		t.Fatal(err)
	}
	for b := range s.Functions[0].Impl.Blocks() {
		for in := range b.Instrs() {
			if !in.IsIntrinsic(ir.IntrLoadSsbo) {
				continue
			}
			v, ok := in.Srcs[1].Const(0)
			// From outside, an offset need not come back.
			outside := from < 0 || from >= 1<<31
			if in := want >= 0 && want < 1<<31; !ok || in && int64(v) != want && !outside || !in && (v < 1<<31 || v > 1<<32-4) {
				t.Errorf("stride %d, i %#x, j %#x, constants %v %v, step %v: offset %#x, want %#x", stride, i, j, constI, constJ, step, v, want)
			}
			return
		}
	}
	t.Error("no load is left")
}

// TestHugeElements: robust buffers of elements beyond 1 GiB, whose offsets 32 bits do not hold, are refused; others are not.
func TestHugeElements(t *testing.T) {
	for _, c := range []struct {
		stride  uint32
		robust  ir.Robustness
		refused bool
	}{{1<<30 + 4, ir.Robust1, true}, {1<<30 + 4, ir.Robust2, true}, {1 << 30, ir.Robust2, false}, {1<<30 + 4, ir.RobustOff, false}} {
		s, err := ir.Parse(fmt.Sprintf(`shader compute "main" {
  info { workgroup_size=1,1,1 }
  type $0 = struct "B" block {
    "d": u32[:%d] offset=0
  }
  fn f0 "main" entry() {
    b0:
      %%0:32 = load_const 0
      %%1:32x2 = vulkan_resource_index %%0 binding=2 desc_type=2
      %%2:32x2 = load_vulkan_descriptor %%1 desc_type=2
      %%3:32x2 = deref_cast %%2 (mem_ssbo $0) align=16+0
      %%4:32x2 = deref_struct %%3.0
      %%5:32 = load_local_invocation_index
      %%6:32x2 = deref_array %%4[%%5]
      store_deref %%6, %%5 write_mask=x
  }
}
`, c.stride))
		if err != nil {
			t.Fatal(err)
		}
		own := *s.Options
		own.Robust = ir.Robust{Storage: c.robust}
		s.Options = &own
		p, err := ParsePassList("lower_explicit_io(modes=mem_ssbo)")
		if err != nil {
			t.Fatal(err)
		}
		err = p.Run(s, RunOptions{VerifyEach: true})
		if want := fmt.Sprintf("elements of %d bytes is not supported", c.stride); (err != nil) != c.refused || c.refused && !strings.Contains(err.Error(), want) {
			t.Errorf("elements of %d bytes, robustness %d: %v", c.stride, c.robust, err)
		}
	}
}

// TestStepsForward: a step that is constant, or that is known to go forward, is an index like others; one that may go back is tested on both sides.
func TestStepsForward(t *testing.T) {
	for _, c := range []struct {
		name, step string
		both       bool
	}{
		{"a constant", "%7:32 = load_const 0x3", false}, {"a constant that goes back", "%7:32 = load_const 0xfffffffe", false},
		{"a small number", "%6:32 = load_const 0x7\n%5:32 = load_local_invocation_index\n%7:32 = iand %5, %6", false},
		{"half of all", "%6:32 = load_const 0x1\n%5:32 = load_num_subgroups\n%7:32 = ushr %5, %6", false},
		{"any number", "%7:32 = load_push_constant %0 align_mul=4", true},
	} {
		s := parseShader(t, `shader compute "main" {
  info { workgroup_size=1,1,1 }
  fn f0 "main" entry() {
    b0:
      %0:32 = load_const 0
      %1:32x2 = vulkan_resource_index %0 binding=2 desc_type=2
      %2:32x2 = load_vulkan_descriptor %1 desc_type=2
      %3:32x2 = deref_cast %2 (mem_ssbo u32[:8]) align=16+0
      %4:32x2 = deref_array %3[%0]
      `+c.step+`
      %8:32x2 = deref_ptr %4 + %7
      store_deref %8, %0 write_mask=x
  }
}
`)
		own := *s.Options
		own.Robust = ir.Robust{Storage: ir.Robust2}
		s.Options = &own
		runPasses(t, s, "lower_explicit_io(modes=mem_ssbo),opt_constant_folding,opt_dce")
		if text := ir.Print(s); strings.Contains(text, "bcsel") != c.both {
			t.Errorf("%s: tested on both sides %v\n%s", c.name, !c.both, text)
		}
	}
}
