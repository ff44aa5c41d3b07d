package passes

import (
	"fmt"
	"strings"
	"testing"

	"nirc/ir"
)

// TestLegalWidth: the widths that vectors of the IR may have.
func TestLegalWidth(t *testing.T) {
	legal := map[int]bool{1: true, 2: true, 3: true, 4: true, 5: true, 8: true, 16: true}
	for n := -1; n <= 33; n++ {
		if legalWidth(n) != legal[n] {
			t.Errorf("%d: %v", n, legalWidth(n))
		}
	}
}

func TestEditDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0}, {"xbc", "abc", 1}, {"abx", "abc", 1}, {"bc", "abc", 1}, {"ab", "abc", 1}, {"kitten", "sitting", 3}, {"ab", "ba", 2}, {"flaw", "lawn", 2}} {
		if d := editDistance(c.a, c.b); d != c.want {
			t.Errorf("%q, %q: %d, want %d", c.a, c.b, d, c.want)
		}
		if d := editDistance(c.b, c.a); d != c.want {
			t.Errorf("%q, %q: %d, want %d", c.b, c.a, d, c.want)
		}
	}
}

// runList runs passes on a text.
func runList(t *testing.T, text, list string) *ir.Shader {
	t.Helper()
	s, err := ir.Parse(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	p, err := ParsePassList(list)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Run(s, RunOptions{VerifyEach: true}); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestUboVec4Place: where the place of a component in its 16 bytes is only known at run time, bits of the byte offset choose it, from
// the alignment on up to 8.
func TestUboVec4Place(t *testing.T) {
	for _, c := range []struct{ size, align, bits int }{{16, 2, 14}, {32, 4, 12}, {32, 8, 8}, {64, 8, 8}, {16, 8, 8}, {32, 16, 0}} {
		s := runList(t, fmt.Sprintf("shader compute \"main\" {\n  fn f0 \"main\" entry() {\n    b0:\n      %%0:32 = load_const 0\n      %%1:32 = load_local_invocation_index\n"+
			"      %%2:%d = load_ubo %%0, %%1 align_mul=%d range=64\n  }\n}\n", c.size, c.align), "lower_ubo_vec4")
		got := 0
		for b := range s.Entry().Impl.Blocks() {
			for in := range b.Instrs() {
				if in.IsALU(ir.OpIand) {
					mask, _ := in.Srcs[1].Const(0)
					got |= int(mask)
				}
			}
		}
		if got != c.bits {
			t.Errorf("%d bits aligned to %d: bits %#x of the offset choose, should be %#x", c.size, c.align, got, c.bits)
		}
	}
}

// TestSplitCaptures: the parts of an array that transform feedback captures stand one after the other in the buffer.
func TestSplitCaptures(t *testing.T) {
	for _, c := range []struct {
		attrs string
		want  []int32
	}{{" xfb_buffer=0 xfb_offset=8", []int32{8, 16, 24}}, {"", []int32{-1, -1, -1}}} {
		s := runList(t, "shader vertex \"main\" {\n  var @1 shader_out vec2f32[3] \"u\" { location=VAR0"+c.attrs+" }\n  fn f0 \"main\" entry() {\n    b0:\n      %0:32 = load_const 2\n"+
			"      %1:32x2 = vec2 %0, %0\n      %2:32 = deref_var @1\n      %3:32 = deref_array %2[%0]\n      store_deref %3, %1 write_mask=xy\n  }\n}\n", "lower_io_arrays_to_elements")
		var got []int32
		for _, v := range s.Variables {
			got = append(got, v.XfbOffset)
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%q: offsets %v, want %v", c.attrs, got, c.want)
		}
	}
}

// TestNarrowSystemValue: a variable of fewer components than its built-in has the first ones; of more, none.
func TestNarrowSystemValue(t *testing.T) {
	text := "shader compute \"main\" {\n  var @1 system_value vec%du32 \"id\" { builtin=27 }\n  fn f0 \"main\" entry() {\n    b0:\n      %%1:32 = deref_var @1\n      %%2:32x%d = load_deref %%1\n" +
		"      %%3:32 = mov %%2.y\n      store_shared %%3, %%3 write_mask=x align_mul=4\n  }\n}\n"
	s := runList(t, fmt.Sprintf(text, 2, 2), "lower_system_values")
	narrowed := false
	for b := range s.Entry().Impl.Blocks() {
		for in := range b.Instrs() {
			narrowed = narrowed || in.IsALU(ir.OpMov) && in.Def.NumComponents == 2
			if in.IsALU(ir.OpMov) && in.Def.NumComponents == 2 && (in.Srcs[0].Swizzle.Lane(0) != 0 || in.Srcs[0].Swizzle.Lane(1) != 1 || !in.Srcs[0].Def.Instr.IsIntrinsic(ir.IntrLoadLocalInvocationId)) {
				t.Error("not the first components of load_local_invocation_id")
			}
			if in.IsIntrinsic(ir.IntrLoadDeref) {
				t.Error("the load is left")
			}
		}
	}
	if !narrowed {
		t.Error("the value has more components than the load that it stands for")
	}
	wide, err := ir.Parse(fmt.Sprintf(text, 4, 4))
	if err != nil {
		t.Fatal(err)
	}
	p, err := ParsePassList("lower_system_values")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Run(wide, RunOptions{}); err == nil {
		t.Error("a built-in of 3 components is loaded as 4")
	}
}

// TestCoveringMask: a mask that keeps what a shift leaves goes, one that does not stays.
func TestCoveringMask(t *testing.T) {
	for _, op := range []string{"ushr", "ishl"} {
		for shift := uint32(0); shift < 32; shift++ {
			for _, kept := range []bool{true, false} {
				mask := uint32(0xffffffff) >> shift
				if op == "ishl" {
					mask = 0xffffffff << shift
				}
				if !kept { // without the lowest bit that is left
					mask &^= mask & -mask
				}
				s := runList(t, fmt.Sprintf("shader compute \"main\" {\n  fn f0 \"main\" entry() {\n    b0:\n      %%0:32 = load_const %d\n      %%1:32 = load_const %#x\n      %%2:32 = load_local_invocation_index\n"+
					"      %%3:32 = %s %%2, %%0\n      %%4:32 = iand %%3, %%1\n      store_shared %%4, %%4 write_mask=x align_mul=4\n      store_shared %%3, %%3 write_mask=x align_mul=4\n  }\n}\n", shift, mask, op), "opt_algebraic")
				ands := 0
				for b := range s.Entry().Impl.Blocks() {
					for in := range b.Instrs() {
						if in.IsALU(ir.OpIand) && !in.Def.Unused() {
							ands++
						}
					}
				}
				if kept && ands != 0 || !kept && mask != 0 && ands == 0 {
					t.Errorf("%s by %d, mask %#x: %d masks left", op, shift, mask, ands)
				}
			}
		}
	}
}

// TestViewNumbers: the view at each place of masks with holes and without.
func TestViewNumbers(t *testing.T) {
	for _, mask := range []uint32{1, 2, 3, 5, 6, 9, 0xd, 0x15, 0x8001, 0x80000001, 0xf0, 0xa0000000, 0xffffffff} {
		place := uint64(0)
		for n := range 32 {
			if mask>>n&1 == 0 {
				continue
			}
			s, err := ir.Parse(fmt.Sprintf("shader vertex \"main\" {\n  fn f0 \"main\" entry() {\n    b0:\n      %%0:32 = load_const %d\n      store_shared %%0, %%0 write_mask=x align_mul=4\n  }\n}\n", place))
			if err != nil {
				t.Fatal(err)
			}
			st := s.Entry().Impl.Start().Last()
			l := &viewLoop{mask: mask}
			st.Srcs[0].Set(l.view(ir.NewBuilder(ir.Before(st)), st.Srcs[1].Def))
			p, err := ParsePassList("opt_constant_folding,opt_copy_prop")
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Run(s, RunOptions{VerifyEach: true}); err != nil {
				t.Fatal(err)
			}
			if v, ok := st.Srcs[0].Const(0); !ok || v != uint64(n) {
				t.Errorf("mask %#x, place %d: view %d, want %d", mask, place, v, n)
			}
			place++
		}
	}
}

// TestGatherPointers: stores through pointers that lead to no variable write memory, loads do not.
func TestGatherPointers(t *testing.T) {
	for access, want := range map[string]bool{"%2:32 = load_deref %1": false, "store_deref %1, %3 write_mask=x": true} {
		s := runList(t, "shader compute \"main\" {\n  fn f0 \"main\" entry() {\n    b0:\n      %3:32 = load_const 0\n      %0:32x2 = undef\n      %1:32x2 = deref_cast %0 (mem_ssbo u32)\n      "+access+"\n  }\n}\n", "gather_info")
		if s.Info.WritesMemory != want {
			t.Errorf("%s: writes memory: %v", access, s.Info.WritesMemory)
		}
	}
}

// TestTooManyDistances: clip and cull distances are eight at most.
func TestTooManyDistances(t *testing.T) {
	for n := 1; n < 12; n++ {
		s := parseShader(t, fmt.Sprintf("shader fragment \"main\" {\n  var @1 shader_in f32[%d] \"d\" { location=CLIP_DIST0 compact }\n  fn f0 \"main\" entry() {\n    b0:\n      %%0:32 = load_const 0\n"+
			"      %%1:32 = deref_var @1\n      %%2:32 = deref_array %%1[%%0]\n      %%3:32 = load_deref %%2\n      store_shared %%3, %%0 write_mask=x align_mul=4\n  }\n}\n", n))
		p, err := ParsePassList("lower_clip_cull_distance_to_vec4s")
		if err != nil {
			t.Fatal(err)
		}
		err = p.Run(s, RunOptions{VerifyEach: true})
		if n <= 8 && err != nil || n > 8 && (err == nil || !strings.Contains(err.Error(), "more than 8")) {
			t.Errorf("%d distances: %v", n, err)
		}
	}
}

// TestDeadWritesReleased: what a run has noted is gone with it, and does not hold on to the shader.
func TestDeadWritesReleased(t *testing.T) {
	w := &deadWrites{later: []overwrite{{mask: 1}, {mask: 2}, {mask: 3}}, most: 3}
	list := w.later
	w.later = w.later[:1]
	w.release()
	if len(w.later) != 0 || w.most != 0 || list[0].mask != 0 || list[2].mask != 0 {
		t.Errorf("left are %v of %v, the most was %d", w.later, list, w.most)
	}
}
