package midgard

import (
	"nirc/backend/midgard/isa"
	"nirc/ir"
)

// derivative selects derivatives, two components at a time; false if in is none.
func (s *isel) derivative(in *ir.Instr) bool {
	mode := isa.TexDdx
	switch in.Intr {
	case ir.IntrDdx, ir.IntrDdxCoarse:
	case ir.IntrDdy, ir.IntrDdyCoarse:
		mode = isa.TexDdy
	case ir.IntrDdxFine, ir.IntrDdyFine:
		s.fail(in, "fine derivatives are not supported: the texture pipe has one kind, and no fact says that it tells the rows and columns of a quad apart")
		return true
	default:
		return false
	}
	if in.Def.BitSize != 32 || s.sh.Stage != ir.StageFragment {
		if s.sh.Stage != ir.StageFragment {
			s.fail(in, "derivatives in a %s shader are not supported: only the threads of fragments stand in quads", s.sh.Stage)
		} else {
			s.fail(in, "derivatives of %d bits are not supported: they must be lowered to 32 bits", in.Def.BitSize)
		}
		return true
	}
	s.meta.NeedsQuads = !faults.has(faultQuads)
	n := int(in.Def.NumComponents)
	o := s.whole(in.Srcs[0].Def)
	d := s.f.newNode(n)
	for first := 0; first < n; first += 2 {
		k := min(2, n-first)
		s.move(s.texIn(0), 15, o.place([4]uint8{uint8(first), uint8(min(first+1, 3)), uint8(first), uint8(first)}))
		s.coords[0] = unknownCoords
		t := isa.Texture{Op: isa.TexDerivative, Mode: mode, Helpers: isa.HelpersNormal, Dim: isa.Tex2D, CoordFull: true,
			CoordSwizzle: isa.Swz(0, 1, 0, 0), Full: true, Type: isa.TexTypeFloat, Mask: 3, Swizzle: isa.XYZW}
		out, _ := s.texOut(4)
		t.Dst = uint8(out & 1)
		s.add(inst{kind: kindTex, dst: out, mask: 3, tex: t})
		s.move(d, fullMask(k)<<first, source{reg: out, swz: identity}.shifted(first))
	}
	s.set(&in.Def, value{reg: d, at: identity})
	return true
}
