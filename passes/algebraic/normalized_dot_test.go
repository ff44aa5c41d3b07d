package algebraic

import (
	"testing"

	"nirc/ir"
)

// TestNormalizedDot: the dot product of a vector that is normalized for it alone takes the vector as it is, and one multiplication
// follows, on targets that take dot products apart. Nobody else may want the vector, all components have one factor, rounding
// is free, positions stay what they are, and half precision holds no longer vectors than there are now.
func TestNormalizedDot(t *testing.T) {
	type parts struct {
		b          *ir.Builder
		v, factor  *ir.Def
		normalized *ir.Instr
	}
	for _, c := range []struct {
		name  string
		stage ir.Stage
		bits  uint8
		keeps bool // the vector's product
		lower bool
		edit  func(p *parts)
	}{
		{"fragment", ir.StageFragment, 32, false, true, nil},
		{"compute", ir.StageCompute, 32, false, true, nil},
		{"vertex", ir.StageVertex, 32, true, true, nil},
		{"a target with dot products", ir.StageFragment, 32, true, false, nil},
		{"half precision", ir.StageFragment, 16, true, true, nil},
		{"used twice", ir.StageFragment, 32, true, true, func(p *parts) {
			p.b.Intrinsic(ir.IntrStoreScratch, 0, 0, &p.normalized.Def, p.b.Imm32(16))
		}},
		{"exact", ir.StageFragment, 32, true, true, func(p *parts) { p.normalized.Exact = true }},
		{"factors by component", ir.StageFragment, 32, true, true, func(p *parts) { p.normalized = p.b.Fmul(p.v, p.b.Frsq(p.v)).Instr }},
		{"no reciprocal", ir.StageFragment, 32, true, true, func(p *parts) { p.normalized = p.b.Fmul(p.v, p.b.Fsin(p.factor)).Instr }},
	} {
		s := ir.NewShader(c.stage, &ir.Options{LowerFdot: c.lower})
		f := s.NewFunction("main")
		b := ir.NewBuilder(ir.AtEnd(f.Impl.Start()))
		v, w := b.Undef(3, c.bits), b.Undef(3, c.bits)
		p := parts{b: b, v: v, factor: b.Frsq(b.Undef(1, c.bits))}
		p.normalized = b.Fmul(v, p.factor).Instr
		if c.edit != nil {
			c.edit(&p)
		}
		b.Intrinsic(ir.IntrStoreScratch, 0, 0, b.Fdot3(&p.normalized.Def, w), b.Imm32(0))
		if _, err := Run(f.Impl, Main, Env{}); err != nil {
			t.Fatal(err)
		}
		kept := false
		for blk := range f.Impl.Blocks() {
			for in := range blk.Instrs() {
				kept = kept || in.IsALU(ir.OpFmul) && in.Def.NumComponents == 3
			}
		}
		if kept != c.keeps {
			t.Errorf("%s: the vector is multiplied %v, want %v", c.name, kept, c.keeps)
		}
	}
}
