package passes

import "nirc/ir"

var lowerPhisToScalarPass = &Pass{
	Name: "lower_phis_to_scalar", For: ir.HasPhi, Class: "A", Run: lowerPhisToScalar, Idempotent: true,
	Options: []Option{
		{"all", "split every vector phi, not only those whose sources fall apart for free", false},
		{"wider", "split the phis of more components than that and no others, 0: as the option all says", 0},
	},
	Doc: "Splits vector phis into one phi a component.",
}

// lowerPhisToScalar splits vector phis into one phi a component and a vecN:
// all of them, those that are wide, or those where every source can be taken apart for free.
func lowerPhisToScalar(c *Context, s *ir.Shader) (bool, error) {
	all, wider := c.Bool("all"), c.Int("wider")
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) (progress bool) {
		var phis []*ir.Instr
		for b := range impl.Blocks() {
			for phi := range b.Phis() {
				phi.Flags = 0
				if phi.Def.NumComponents > 1 {
					phis = append(phis, phi)
					phi.Flags = phiUnknown
				}
			}
		}
		for _, phi := range phis {
			if all || wider > 0 && int(phi.Def.NumComponents) > wider || wider == 0 && scalarisable(phi) {
				splitPhi(phi)
				progress = true
			}
		}
		return progress
	}), nil
}

// What Flags of a vector phi hold while it is judged; judging assumes that a
// phi around a loop can be split.
const (
	phiUnknown = 1 + iota
	phiYes
	phiNo
)

func scalarisable(phi *ir.Instr) bool {
	switch phi.Flags {
	case phiYes:
		return true
	case phiNo:
		return false
	}
	phi.Flags = phiYes
	for i := range phi.Srcs {
		if !scalarSource(phi.Srcs[i].Def.Instr) {
			phi.Flags = phiNo
			return false
		}
	}
	return true
}

func scalarSource(in *ir.Instr) bool {
	switch in.Kind {
	case ir.KindALU:
		return in.IsVec() || in.Op == ir.OpMov || !in.Op.Info().Horizontal()
	case ir.KindLoadConst, ir.KindUndef:
		return true
	case ir.KindPhi:
		return scalarisable(in)
	case ir.KindIntrinsic:
		switch in.Intr {
		case ir.IntrLoadInput, ir.IntrLoadInterpolatedInput, ir.IntrLoadPerVertexInput, ir.IntrLoadUniform, ir.IntrLoadPushConstant, ir.IntrLoadUbo, ir.IntrLoadSsbo:
			return true
		}
	}
	return false
}

func splitPhi(phi *ir.Instr) {
	s := phi.Block.Impl().Shader
	n := int(phi.Def.NumComponents)
	var parts [16]*ir.Def
	var zero [16]int
	for c := 0; c < n; c++ {
		p := s.NewPhi(1, phi.Def.BitSize)
		p.Loc = phi.Loc
		ir.Before(phi).Insert(p)
		for i, pred := range phi.PhiInfo().Preds {
			b := ir.NewBuilder(ir.BeforeJump(pred))
			s.AddPhiSrc(p, pred, b.Channel(phi.Srcs[i].Def, c))
		}
		parts[c] = &p.Def
	}
	b := ir.NewBuilder(ir.AfterPhis(phi.Block))
	v := vecOf(b, parts[:n], zero[:n])
	phi.Def.RewriteUses(v)
	// A phi that was its own source is now read through the vector.
	for i := range phi.Srcs {
		phi.Srcs[i].Set(nil)
	}
	phi.Remove()
}
