package algebraic

import (
	"testing"

	"nirc/ir"
)

// TestReflectedDot: the dot product with a vector that was reflected for it alone is the difference of two that do not wait for the
// reflection, where a step of a chain waits for the one before. Nobody else may want the reflected vector, its second part is a
// multiple of a vector, rounding is free, and positions stay what they are.
func TestReflectedDot(t *testing.T) {
	type parts struct {
		b         *ir.Builder
		n, factor *ir.Def
		product   *ir.Def
		reflected *ir.Instr
	}
	for _, c := range []struct {
		name  string
		stage ir.Stage
		waits bool
		keeps bool // the reflected vector
		edit  func(p *parts)
	}{
		{"fragment", ir.StageFragment, true, false, nil},
		{"compute", ir.StageCompute, true, false, nil},
		{"vertex", ir.StageVertex, true, true, nil},
		{"a target whose chains do not wait", ir.StageFragment, false, true, nil},
		{"used twice", ir.StageFragment, true, true, func(p *parts) {
			p.b.Intrinsic(ir.IntrStoreScratch, 0, 0, &p.reflected.Def, p.b.Imm32(16))
		}},
		{"exact", ir.StageFragment, true, true, func(p *parts) { p.reflected.Exact = true }},
		{"factors by component", ir.StageFragment, true, true, func(p *parts) {
			p.reflected = p.b.Fadd(p.b.Undef(3, 32), p.b.Fneg(p.b.Fmul(p.n, p.b.Fsin(p.n)))).Instr
		}},
	} {
		s := ir.NewShader(c.stage, &ir.Options{ChainsWait: c.waits})
		f := s.NewFunction("main")
		b := ir.NewBuilder(ir.AtEnd(f.Impl.Start()))
		p := parts{b: b, n: b.Undef(3, 32), factor: b.Fsin(b.Undef(1, 32))}
		p.product = b.Fmul(p.n, p.factor)
		p.reflected = b.Fadd(b.Undef(3, 32), b.Fneg(p.product)).Instr
		if c.edit != nil {
			c.edit(&p)
		}
		b.Intrinsic(ir.IntrStoreScratch, 0, 0, b.Fdot3(&p.reflected.Def, b.Undef(3, 32)), b.Imm32(0))
		if _, err := Run(f.Impl, Main, Env{}); err != nil {
			t.Fatal(err)
		}
		kept, dots := false, 0
		for blk := range f.Impl.Blocks() {
			for in := range blk.Instrs() {
				kept = kept || in.IsALU(ir.OpFadd) && in.Def.NumComponents == 3
				if in.IsALU(ir.OpFdot3) {
					dots++
				}
			}
		}
		if kept != c.keeps || kept != (dots == 1) {
			t.Errorf("%s: the vector is made %v with %d dot products, want %v", c.name, kept, dots, c.keeps)
		}
	}
}
