package passes

import "nirc/ir"

var lowerALUWidthPass = &Pass{
	Name: "lower_alu_width", For: ir.HasVector, Class: "A", Run: lowerALUWidth, Idempotent: true,
	Doc: "Splits vector ALU operations into pieces of at most a width, joined by a vecN; vecN, moves and horizontal operations stay. " +
		"Operations that the option scalar names become scalar, whatever the width. With sources, an operation reads no vector of more components than that: " +
		"those it wants of a wider one are gathered before it by moves of one component.",
	Options: []Option{
		{"width", "the widest operation, a power of two", 4},
		{"scalar", "operations of one component: special (reciprocals, roots, exponentials, logarithms, sines), mul_high, 64 or none; special|64 combines", "none"},
		{"sources", "the widest vector that an operation reads, 0 for any", 0},
	},
}

func lowerALUWidth(c *Context, s *ir.Shader) (bool, error) {
	width, sources := c.Int("width"), c.Int("sources")
	if width < 1 || width > 16 || width&(width-1) != 0 {
		return false, optionError("width=%d: want a power of two up to 16", width)
	}
	scalar, err := parseScalarOps(c.String("scalar"))
	if err != nil {
		return false, err
	}
	split := eachALU(s, func(b *ir.Builder, in *ir.Instr) *ir.Def {
		w := width
		if scalar(in) {
			w = 1
		}
		if in.IsVec() || in.Op == ir.OpMov || in.Op.Info().Horizontal() || int(in.Def.NumComponents) <= w {
			return nil
		}
		return splitALUWidth(b, in, w)
	})
	narrowed := sources > 0 && eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) bool { return narrowSources(impl, sources) })
	return split || narrowed, nil
}

// splitALUWidth builds in as pieces of w components.
func splitALUWidth(b *ir.Builder, in *ir.Instr, w int) *ir.Def {
	n := int(in.Def.NumComponents)
	parts := make([]*ir.Def, 0, n)
	for at := 0; at < n; at += w {
		k := min(w, n-at)
		p := copyALU(b, in)
		p.Def.NumComponents = uint8(k)
		p.Relaxed = in.Relaxed
		for i := range p.Srcs {
			var lanes ir.Swizzle
			for l := range k {
				lanes = lanes.With(l, in.Srcs[i].Swizzle.Lane(at+l))
			}
			p.Srcs[i].Swizzle = lanes
		}
		for c := range k {
			parts = append(parts, b.Channel(&p.Def, c))
		}
		at -= w - k
	}
	return b.Vec(parts...)
}

// narrowSources gives the operations of a function sources of at most n components.
func narrowSources(impl *ir.Impl, n int) (progress bool) {
	for blk := range impl.Blocks() {
		for in := range blk.Instrs() {
			if in.Kind != ir.KindALU || in.IsVec() || in.Op == ir.OpMov && in.Def.NumComponents == 1 {
				continue
			}
			for i := range in.Srcs {
				k := in.SrcComps(i)
				if int(in.Srcs[i].Def.NumComponents) <= n || k > n {
					continue
				}
				b := builderBefore(in)
				comps := make([]*ir.Def, k)
				for c := range comps {
					comps[c] = b.Channel(in.Srcs[i].Def, in.Srcs[i].Swizzle.Lane(c))
				}
				in.Srcs[i].Set(b.Vec(comps...))
				in.Srcs[i].Swizzle = ir.IdentitySwizzle
				progress = true
			}
		}
	}
	return progress
}

// parseScalarOps reads the option scalar.
func parseScalarOps(list string) (func(*ir.Instr) bool, error) {
	var special, high, wide bool
	for _, n := range splitOption(list) {
		switch n {
		case "none":
		case "special":
			special = true
		case "mul_high":
			high = true
		case "64":
			wide = true
		default:
			return nil, optionError("scalar=%s: want none, special, mul_high or 64", list)
		}
	}
	return func(in *ir.Instr) bool {
		switch in.Op {
		case ir.OpFrcp, ir.OpFrsq, ir.OpFsqrt, ir.OpFexp2, ir.OpFlog2, ir.OpFsin, ir.OpFcos, ir.OpFpow:
			return special
		case ir.OpImulHigh, ir.OpUmulHigh:
			return high
		}
		return wide && in.OpBits() == 64
	}, nil
}
