package midgard

import (
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/ir"
)

// TestFoldedForms: what is the same for all lanes is computed once, the larger of a value and 0 is a
// clamp of what makes the value, and a position whose w is known is not divided.
func TestFoldedForms(t *testing.T) {
	programs.Hold(t)
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
	for _, c := range []struct {
		w    float64 // 0: not known
		op   string
		n    int
		what string
	}{{1, "FMUL", 1, "scaled"}, {2, "#0.5", 2, "times 1/w, which leaves"}, {2, "FRCP", 0, "divided"}, {0, "FRCP", 1, "divided"}} {
		s, b := gputest.NewShader(ir.StageVertex, 0)
		id := b.U2f32(&b.Intrinsic(ir.IntrLoadVertexId, 1, 32).Def)
		w := id
		if c.w != 0 {
			w = b.ImmFloat(c.w, 32)
		}
		st := b.Intrinsic(ir.IntrStoreOutput, 0, 0, b.Vec(id, id, id, w), b.Imm32(0))
		st.Set(ir.IdxWriteMask, 15)
		st.Set(ir.IdxIoSemantics, ir.IOSemantics{Location: ir.SlotPos, NumSlots: 1}.Pack())
		_, text := listing(t, s, CompileOptions{})
		if n := strings.Count(text, c.op); n != c.n {
			t.Errorf("w is %v (0: not known): %s %d times, want %d\n%s", c.w, c.what, n, c.n, text)
		}
	}
}
