package passes

import (
	_ "embed"
	"fmt"
	"strings"
	"testing"

	"nirc/ir"
)

// multiviewVS positions vertices by the view, with values and branches.
//
//go:embed testdata/ir/multiview_vs.nir
var multiviewVS string

// viewSlot is where testViews puts the positions.
const viewSlot = ir.SlotVar0 + 20

// testViews compares the positions of a lowered shader with those of runs of
// the original with each view.
func testViews(t *testing.T, before *ir.Shader, mask uint32) {
	t.Helper()
	after := ir.Clone(before)
	runPasses(t, after, fmt.Sprintf("lower_multiview(view_mask=%d)", mask))
	runPasses(t, after, "lower_vars_to_ssa,opt_dce")
	n := 0
	for _, f := range after.Functions {
		for _, in := range collect(f.Impl, func(in *ir.Instr) bool { return in.Intr == ir.IntrStorePerViewOutput }) {
			b := builderBefore(in)
			sem := ir.IOSemantics{Location: viewSlot, NumSlots: 4}
			b.Intrinsic(ir.IntrStoreOutput, 0, 0, in.Srcs[0].Def, b.Iadd(in.Srcs[1].Def, in.Srcs[2].Def)).Set(ir.IdxRange, 4).Set(ir.IdxBase, uint64(viewSlot)).
				Set(ir.IdxWriteMask, in.Get(ir.IdxWriteMask)).Set(ir.IdxSrcType, in.Get(ir.IdxSrcType)).Set(ir.IdxIoSemantics, sem.Pack())
			in.Remove()
			n++
		}
	}
	if n == 0 {
		t.Fatalf("not lowered:\n%s", ir.Print(after))
	}
	got, err := runStage(after, stageInputs{seed: 3})
	if err != nil {
		t.Fatalf("%v\n%s", err, ir.Print(after))
	}
	place := 0
	for v := range uint32(32) {
		if mask>>v&1 == 0 {
			continue
		}
		want, err := runStage(before, stageInputs{seed: 3, view: v})
		if err != nil {
			t.Fatal(err)
		}
		for l := range want.Out {
			if got.Out[l][int(viewSlot)+place] != want.Out[l][ir.SlotPos] || got.Out[l][ir.SlotVar0] != want.Out[l][ir.SlotVar0] {
				t.Errorf("mask %#x view %d lane %d: %v, want %v", mask, v, l, got.Out[l][int(viewSlot)+place], want.Out[l][ir.SlotPos])
			}
		}
		place++
	}
}

func TestMultiview(t *testing.T) {
	s := parseShader(t, multiviewVS)
	for _, mask := range []uint32{1, 3, 6, 5, 0x8000000d} {
		testViews(t, s, mask)
	}
	plain := parseShader(t, strings.ReplaceAll(multiviewVS, "load_view_index", "load_vertex_id"))
	testViews(t, plain, 3)
	for name, text := range map[string]string{
		"another output depends": strings.ReplaceAll(multiviewVS, "store_output %1,", "store_output %4,"),
		"writes memory":          strings.ReplaceAll(multiviewVS, "store_output %1, %900 base=32", "store_ssbo %1, %900, %900 write_mask=xyzw align_mul=4\n      store_output %1, %900 base=32"),
		"returns early":          strings.ReplaceAll(multiviewVS, "b2:\n", "b2:\n        return\n"),
	} {
		text = strings.ReplaceAll(text, "%7:32x4 = phi b1: %6, b2: %4", phiOr(name))
		s := parseShader(t, text)
		p, err := ParsePassList("lower_multiview(view_mask=3)")
		if err != nil {
			t.Fatal(err)
		}
		before := ir.Print(s)
		if err := p.Run(s, RunOptions{VerifyEach: true}); err != nil {
			t.Fatal(err)
		}
		if ir.Print(s) != before {
			t.Errorf("%s, but it is lowered:\n%s", name, ir.Print(s))
		}
	}
}

// phiOr is the phi of multiviewVS, without the side that returns early.
func phiOr(name string) string {
	if name == "returns early" {
		return "%7:32x4 = phi b1: %6"
	}
	return "%7:32x4 = phi b1: %6, b2: %4"
}
