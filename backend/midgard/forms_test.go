package midgard

import (
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// TestFoldedForms: what is the same for all lanes is computed once, the larger of a value and 0 is a
// clamp of what makes the value, and a position whose w is 1 is not divided.
func TestFoldedForms(t *testing.T) {
	zero := func(b *ir.Builder) *ir.Def { return b.Const(32, 0, 0, 0, 0) }
	for _, c := range []struct {
		name string
		make func(b *ir.Builder, v *ir.Def) *ir.Def
		op   string
		n    int
	}{
		{"splat", func(b *ir.Builder, v *ir.Def) *ir.Def { return b.Fmul(v, b.Frcp(b.Swizzle(v, 3, 3, 3, 3))) }, "FRCP", 1},
		{"lanes", func(b *ir.Builder, v *ir.Def) *ir.Def { return b.Fmul(v, b.Frcp(b.Swizzle(v, 3, 2, 3, 3))) }, "FRCP", 4},
		{"clamp", func(b *ir.Builder, v *ir.Def) *ir.Def { return b.Fmax(b.Fadd(v, v), zero(b)) }, "FMAX", 0},
		{"both", func(b *ir.Builder, v *ir.Def) *ir.Def {
			x := b.Fadd(v, v)
			return b.Fadd(x, b.Fmax(x, zero(b)))
		}, "FMAX", 1},
	} {
		_, text := listing(t, shade(c.make), CompileOptions{})
		if n := strings.Count(text, c.op); n != c.n {
			t.Errorf("%s: %d of %s, want %d\n%s", c.name, n, c.op, c.n, text)
		}
	}
	for _, w := range []float64{1, 2} {
		s, b := gputest.NewShader(ir.StageVertex, 0)
		id := b.U2f32(&b.Intrinsic(ir.IntrLoadVertexId, 1, 32).Def)
		st := b.Intrinsic(ir.IntrStoreOutput, 0, 0, b.Vec(id, id, id, b.ImmFloat(w, 32)), b.Imm32(0))
		st.Set(ir.IdxWriteMask, 15)
		st.Set(ir.IdxIoSemantics, ir.IOSemantics{Location: ir.SlotPos, NumSlots: 1}.Pack())
		_, text := listing(t, s, CompileOptions{})
		if divided := strings.Contains(text, "FRCP"); divided != (w != 1) {
			t.Errorf("w is %v: divided %v\n%s", w, divided, text)
		}
	}
}
