package backend_test

import (
	"strings"
	"testing"

	"nirc/backend"
	"nirc/backend/gputest"
	"nirc/ir"
)

// TestStageAccess: which slots an access between stages reaches, of a vertex or of the patch, and which are refused.
func TestStageAccess(t *testing.T) {
	const perVertex, perPatch = ir.IntrLoadPerVertexInput, ir.IntrLoadInput
	for _, c := range []struct {
		intr   ir.Intrinsic
		slot   ir.Slot
		slots  uint8
		offset int // below 0: one that is not constant
		bits   uint8
		high   bool
		first  ir.Slot
		count  ir.Slot
		want   string
	}{
		{perVertex, ir.SlotVar0, 1, 0, 32, false, ir.SlotVar0, 1, ""},
		{perVertex, ir.SlotVar0, 4, 3, 16, false, ir.SlotVar0 + 3, 1, ""},
		{perVertex, ir.SlotVar0, 4, -1, 32, false, ir.SlotVar0, 4, ""},
		{perVertex, ir.SlotVar0, 0, -1, 32, false, ir.SlotVar0, 1, ""},
		{perVertex, ir.SlotPatch0 - 1, 1, 0, 32, false, ir.SlotPatch0 - 1, 1, ""},
		{perVertex, ir.SlotPatch0 - 2, 2, -1, 32, false, ir.SlotPatch0 - 2, 2, ""},
		{perVertex, ir.SlotPatch0 - 1, 2, -1, 32, false, 0, 0, "is not supported"},
		{perVertex, ir.SlotPatch0, 1, 0, 32, false, 0, 0, "is not supported"},
		{perVertex, ir.SlotPos, 1, -1, 32, false, 0, 0, "is not supported"},
		{perVertex, ir.SlotTessLevelOuter, 1, 0, 32, false, 0, 0, "is not supported"},
		{perPatch, ir.SlotTessLevelInner, 1, 0, 32, false, ir.SlotTessLevelInner, 1, ""},
		{perPatch, ir.SlotPatch0, 1, 2, 32, false, ir.SlotPatch0 + 2, 1, ""},
		{perPatch, ir.SlotVar0, 1, 0, 32, false, 0, 0, "is not supported"},
		{perPatch, ir.NumVaryingSlots - 1, 1, 0, 32, false, ir.NumVaryingSlots - 1, 1, ""},
		{perPatch, ir.NumVaryingSlots - 1, 1, 1, 32, false, 0, 0, "is not supported"},
		{perPatch, ir.NumVaryingSlots - 2, 2, -1, 32, false, ir.NumVaryingSlots - 2, 2, ""},
		{perPatch, ir.NumVaryingSlots - 1, 2, -1, 32, false, 0, 0, "is not supported"},
		{perVertex, ir.SlotVar0, 1, 0, 64, false, 0, 0, "of 64 bits is not supported"},
		{perVertex, ir.SlotVar0, 1, 0, 8, false, 0, 0, "of 8 bits is not supported"},
		{perVertex, ir.SlotVar0, 1, 0, 16, true, 0, 0, "of 16 bits is not supported"},
	} {
		_, b := gputest.NewShader(ir.StageTessEval, 64)
		n := &b.Intrinsic(ir.IntrLoadPrimitiveId, 1, 32).Def
		off := n
		if c.offset >= 0 {
			off = b.Imm32(uint32(c.offset))
		}
		srcs := []*ir.Def{off}
		if c.intr == perVertex {
			srcs = []*ir.Def{n, off}
		}
		sem := ir.IOSemantics{Location: c.slot, NumSlots: c.slots, High16: c.high}
		in := b.Intrinsic(c.intr, 1, c.bits, srcs...).Set(ir.IdxIoSemantics, sem.Pack()).Set(ir.IdxComponent, 2)
		a, why := backend.StageAccessOf(in)
		if (why == "") != (c.want == "") || !strings.Contains(why, c.want) {
			t.Errorf("%s of slot %d and %d more, offset %d: %q, want %q", c.intr, c.slot, c.slots, c.offset, why, c.want)
		}
		if why == "" && (a.Slot != c.first || a.Count != c.count || a.Comp != 2 || (a.Index != nil) != (c.offset < 0) || (a.Vertex != nil) != (c.intr == perVertex)) {
			t.Errorf("%s of slot %d, offset %d: %+v", c.intr, c.slot, c.offset, a)
		}
	}
}

// TestPassedOn: the vertices of a primitive that stand after it, without those of adjacency.
func TestPassedOn(t *testing.T) {
	for n, want := range []int{0: 0, 1: 1, 2: 2, 3: 3, 4: 2, 5: 0, 6: 3, 7: 0} {
		if list := backend.PassedOn(n); len(list) != want || n == 4 && (list[0] != 1 || list[1] != 2) || n == 6 && (list[1] != 2 || list[2] != 4) {
			t.Errorf("of %d vertices %v", n, list)
		}
	}
}
