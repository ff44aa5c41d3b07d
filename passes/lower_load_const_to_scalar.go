package passes

import "nirc/ir"

var lowerLoadConstToScalarPass = &Pass{
	Name:       "lower_load_const_to_scalar",
	Class:      "A",
	Doc:        "Splits vector constants into scalar ones joined by a vecN.",
	Run:        lowerLoadConstToScalar,
	Idempotent: true,
}

func lowerLoadConstToScalar(c *Context, s *ir.Shader) (bool, error) {
	progress := false
	for _, f := range s.Functions {
		if f.Impl == nil {
			continue
		}
		changed := false
		b := ir.NewBuilder(ir.AtStart(f.Impl.Start()))
		for blk := range f.Impl.Blocks() {
			for in := range blk.Instrs() {
				if in.Kind != ir.KindLoadConst || in.Def.NumComponents == 1 {
					continue
				}
				b.AtInstr(in)
				parts := make([]*ir.Def, in.Def.NumComponents)
				for i := range parts {
					parts[i] = b.Const(in.Def.BitSize, in.Imm[i])
				}
				in.Def.RewriteUses(b.Vec(parts...))
				in.Remove()
				changed = true
			}
		}
		if changed {
			f.Impl.Preserve(ir.MetaControlFlow)
			progress = true
		}
	}
	return progress, nil
}
