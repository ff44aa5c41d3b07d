package passes

import "nirc/ir"

var lowerTexcoordReplacePass = &Pass{
	Name: "lower_texcoord_replace", Class: "C", Run: lowerTexcoordReplace, Idempotent: true,
	Doc: "Reads the place in the point, (x, y, 0, 1), in place of input variables that are texture coordinates, as GL_COORD_REPLACE has it. Input: a fragment shader of points before " +
		"lower_io, which loads those variables whole or an element of their array.",
	Options: texcoordOptions,
}

func lowerTexcoordReplace(c *Context, s *ir.Shader) (bool, error) {
	if s.Stage != ir.StageFragment || c.Int("coords") == 0 {
		return false, nil
	}
	m := varyingsAt(c.Int("coords"))
	var refused error
	progress := eachIntrinsic(s, func(b *ir.Builder, in *ir.Instr) *ir.Def {
		if len(in.Srcs) == 0 || refused != nil {
			return nil
		}
		d := in.Srcs[0].Def.Instr
		if d.Kind != ir.KindDeref || d.DerefInfo().Modes != ir.ModeShaderIn {
			return nil
		}
		at, component, ok := derefLocation(d)
		v := rootVar(d)
		switch {
		case v == nil || v.Location < 0:
			return nil
		case !ok:
			if m.slot(uint64(v.Location)) {
				refused = refusal(s, in, "a texture coordinate that the state replaces, by a dynamic index")
			}
			return nil
		case !m.slot(at) || v.Type.WithoutArray().Base != ir.BaseFloat:
			return nil
		}
		p := b.Channels(pointTexcoord(b, c.Bool("y_invert")), component, int(in.Def.NumComponents))
		return resizeFloat(b, p, in.Def.BitSize)
	})
	return progress, refused
}

// derefLocation is the slot and the component that a deref of an input leads to; false where a value chooses.
func derefLocation(d *ir.Instr) (at uint64, component int, ok bool) {
	for ; d.Deref == ir.DerefArray; d = d.Srcs[0].Def.Instr {
		k, known := d.Srcs[1].Def.Const(0)
		if !known {
			return 0, 0, false
		}
		if parent := d.Srcs[0].Def.Instr.DerefInfo().Type; parent.IsVector() {
			component += int(k)
		} else {
			at += k * uint64(d.DerefInfo().Type.SlotCount())
		}
	}
	if d.Deref != ir.DerefVar {
		return 0, 0, false
	}
	v := d.DerefInfo().Var
	return at + uint64(max(v.Location, 0)), component + int(v.Component), true
}
