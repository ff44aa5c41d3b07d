package passes

import "nirc/ir"

var lowerFlatshadePass = &Pass{
	Name: "lower_flatshade", Class: "C", Run: lowerFlatshade, Idempotent: true,
	Doc: "Reads the inputs of a fragment shader that are colours flat, as glShadeModel(GL_FLAT) has it: the provoking vertex's value. Those that the shader itself wants " +
		"without perspective stay. Works on variables and on slots.",
	Options: []Option{{"locations", "bit i: location i is a colour", 0}},
}

func lowerFlatshade(c *Context, s *ir.Shader) (bool, error) {
	if s.Stage != ir.StageFragment {
		return false, nil
	}
	m := varyingsAt(c.Int("locations"))
	changed := false
	for _, v := range s.Variables {
		if v.Mode != ir.ModeShaderIn || v.Interp != ir.InterpNone && v.Interp != ir.InterpSmooth || v.Location < 0 || !m.slot(uint64(v.Location)) {
			continue
		}
		v.Interp, v.Centroid, v.Sample, changed = ir.InterpFlat, false, false, true
	}
	did, err := eachSlot(s, m, []ir.Intrinsic{ir.IntrLoadInterpolatedInput}, func(b *ir.Builder, in *ir.Instr) (bool, error) {
		if bary := in.Srcs[0].Def.Instr; bary.Has(ir.IdxInterpMode) && bary.Get(ir.IdxInterpMode) != uint64(ir.InterpSmooth) {
			return false, nil
		}
		l := b.Intrinsic(ir.IntrLoadInput, in.Def.NumComponents, in.Def.BitSize, in.Srcs[1].Def)
		for _, i := range []ir.Index{ir.IdxBase, ir.IdxComponent, ir.IdxDestType, ir.IdxIoSemantics} {
			l.Set(i, in.Get(i))
		}
		l.Set(ir.IdxRange, uint64(ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics)).NumSlots))
		in.Def.RewriteUses(&l.Def)
		in.Remove()
		return true, nil
	})
	return changed || did, err
}
