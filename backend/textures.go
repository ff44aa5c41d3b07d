package backend

import (
	"nirc/ir"
	"nirc/passes"
)

// CheckTextures refuses textures, images and samplers that are no elements of variables with bindings: code generators
// find the others' descriptors (resource.Texture).
func CheckTextures(target string, s *ir.Shader, impl *ir.Impl) error {
	if s.Contents()&ir.HasDeref == 0 {
		return nil
	}
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			for _, d := range texturesOf(in) {
				if d == nil {
					continue
				}
				if err := checkTexture(target, s, in, d); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// texturesOf are the derefs of what an instruction asks or accesses, nil where there is none.
func texturesOf(in *ir.Instr) (list [3]*ir.Def) {
	switch {
	case in.Kind == ir.KindTex:
		for i, k := range [...]ir.TexSrc{ir.TexSrcTextureDeref, ir.TexSrcSamplerDeref, ir.TexSrcTexture2Deref} {
			if q := in.TexSrc(k); q != nil {
				list[i] = q.Def
			}
		}
	case in.Kind == ir.KindIntrinsic && in.Intr.Info().Derefs == 1 && in.Memory().Space == ir.SpaceImage:
		list[0] = in.Srcs[0].Def
	}
	return list
}

func checkTexture(target string, s *ir.Shader, in *ir.Instr, d *ir.Def) error {
	for d.Instr.Kind == ir.KindDeref && d.Instr.Deref == ir.DerefArray {
		d = d.Instr.Srcs[0].Def
	}
	switch at := d.Instr; {
	case at.Kind != ir.KindDeref || at.Deref != ir.DerefVar:
		return Refuse(target, s, in, "%s", passes.ChosenOpaque)
	case !at.DerefInfo().Var.HasBinding:
		return Refuse(target, s, in, "%s, which has no binding, is not supported", at.DerefInfo().Var.Name)
	}
	return nil
}
