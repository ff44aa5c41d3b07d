package passes

import "nirc/ir"

var lowerBitSizePass = &Pass{
	Name: "lower_bit_size", For: ir.HasNarrow, Class: "A", Run: lowerBitSize, Idempotent: true,
	Doc: "Widens integer ALU operations narrower than the target computes: sources are converted by how the operation reads them, the operation runs wide, " +
		"the result is cut. Shift counts are taken modulo the narrow size first. What saturates does so by the narrow size, and high halves are shifted down, " +
		"where two narrow values fit into the wide one. Moves, selections, conversions and bitwise logic stay narrow.",
	Options: []Option{
		{Name: "below", Doc: "operations narrower than this many bits are widened", Default: 16},
		{Name: "to", Doc: "size to compute in", Default: 16},
		{Name: "bytes", Doc: "operations on 8 bits stay that a machine with operands of 8 bits has: sums, products and their upper halves, what saturates, shifts, comparisons, averages, the smaller and the larger", Default: false},
		{Name: "ops", Doc: "the operations that are widened, by name; all: all that can be", Default: "all"},
		{Name: "subgroup", Doc: "operations of the subgroup are widened too", Default: false},
		{Name: "phis", Doc: "phis are widened too", Default: false},
	},
}

func lowerBitSize(c *Context, s *ir.Shader) (bool, error) {
	if err := c.wantBits("to"); err != nil {
		return false, err
	}
	below, to, bytes := uint8(c.Int("below")), uint8(c.Int("to")), c.Bool("bytes")
	chosen, err := parseOps(c.String("ops"))
	if err != nil {
		return false, err
	}
	progress := eachALU(s, func(b *ir.Builder, in *ir.Instr) *ir.Def {
		if bits := in.OpBits(); bits == 1 || bits >= below || chosen != nil && !chosen[in.Op] || bytes && bits == 8 && ofBytes(in.Op) {
			return nil
		}
		if widenable(in.Op) {
			return widen(b, in, to)
		}
		return widenSized(b, in, to)
	})
	if c.Bool("subgroup") {
		progress = eachIntrinsic(s, func(b *ir.Builder, in *ir.Instr) *ir.Def { return widenSubgroup(b, in, below, to) }) || progress
	}
	if c.Bool("phis") {
		progress = eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) bool { return widenPhis(impl, below, to) }) || progress
	}
	return progress, nil
}

// parseOps reads a list of operations; nil stands for all.
func parseOps(list string) (map[ir.Op]bool, error) {
	if list == "all" {
		return nil, nil
	}
	m := map[ir.Op]bool{}
	for _, n := range splitOption(list) {
		op, ok := ir.ParseOp(n)
		if !ok {
			return nil, optionError("ops=%s: no operation %q", list, n)
		}
		m[op] = true
	}
	return m, nil
}

// widenSubgroup builds an operation of the subgroup on a narrow value, or a
// question about one, as one on a wide value, or returns nil.
func widenSubgroup(b *ir.Builder, in *ir.Instr, below, to uint8) *ir.Def {
	if len(in.Srcs) == 0 {
		return nil
	}
	x := in.Srcs[0].Def
	if x.BitSize == 1 || x.BitSize >= below {
		return nil
	}
	class := ir.ClassUint
	switch in.Intr {
	case ir.IntrReadFirstInvocation, ir.IntrReadInvocation, ir.IntrShuffle, ir.IntrShuffleXor, ir.IntrShuffleUp, ir.IntrShuffleDown, ir.IntrRotate,
		ir.IntrQuadBroadcast, ir.IntrQuadSwapHorizontal, ir.IntrQuadSwapVertical, ir.IntrQuadSwapDiagonal, ir.IntrVoteIeq:
	case ir.IntrReduce, ir.IntrInclusiveScan, ir.IntrExclusiveScan:
		switch ir.Op(in.Get(ir.IdxReductionOp)) {
		case ir.OpImin, ir.OpImax:
			class = ir.ClassInt
		case ir.OpFadd, ir.OpFmul, ir.OpFmin, ir.OpFmax: // another size rounds in other places
			return nil
		}
		if in.Intr == ir.IntrExclusiveScan && !sameIdentity(ir.Op(in.Get(ir.IdxReductionOp))) {
			return nil
		}
	default:
		return nil
	}
	wide := ConvertType(b, x, class, ir.ALUType{Class: class, Bits: to})
	srcs := []*ir.Def{wide}
	for i := 1; i < len(in.Srcs); i++ {
		srcs = append(srcs, in.Srcs[i].Def)
	}
	bits := in.Def.BitSize
	if in.Intr != ir.IntrVoteIeq {
		bits = to
	}
	n := b.Intrinsic(in.Intr, in.Def.NumComponents, bits, srcs...)
	n.CopyIndices(in)
	n.NumComponents = in.NumComponents
	if in.Intr == ir.IntrVoteIeq {
		return &n.Def
	}
	return resizeUint(b, &n.Def, in.Def.BitSize)
}

// sameIdentity reports whether the neutral value of a narrow reduction is what
// is left of that of a wide one.
func sameIdentity(op ir.Op) bool {
	switch op {
	case ir.OpIadd, ir.OpImul, ir.OpIand, ir.OpIor, ir.OpIxor, ir.OpUmin, ir.OpUmax:
		return true
	}
	return false
}

// widenPhis makes phis of narrow values phis of wide ones.
func widenPhis(impl *ir.Impl, below, to uint8) (progress bool) {
	for blk := range impl.Blocks() {
		var phis []*ir.Instr
		for phi := range blk.Phis() {
			if phi.Def.BitSize > 1 && phi.Def.BitSize < below {
				phis = append(phis, phi)
			}
		}
		for _, phi := range phis {
			n := impl.Shader.NewPhi(phi.Def.NumComponents, to)
			n.Loc = phi.Loc
			ir.AtStart(blk).Insert(n)
			cut := resizeUint(ir.NewBuilder(ir.AfterPhis(blk)), &n.Def, phi.Def.BitSize)
			for i, p := range phi.PhiInfo().Preds {
				impl.Shader.AddPhiSrc(n, p, resizeUint(ir.NewBuilder(ir.BeforeJump(p)), phi.Srcs[i].Def, to))
			}
			phi.Def.RewriteUses(cut)
			for i := range phi.Srcs {
				phi.Srcs[i].Set(nil)
			}
			phi.Remove()
			progress = true
		}
	}
	return progress
}

// widenable tells the operations that compute the same low bits when their
// sources are extended.
func widenable(op ir.Op) bool {
	switch op {
	case ir.OpIadd, ir.OpIsub, ir.OpImul, ir.OpIneg, ir.OpIabs, ir.OpIsign, ir.OpImin, ir.OpImax, ir.OpUmin, ir.OpUmax,
		ir.OpIshl, ir.OpIshr, ir.OpUshr, ir.OpIdiv, ir.OpUdiv, ir.OpIrem, ir.OpImod, ir.OpUmod,
		ir.OpIeq, ir.OpIne, ir.OpIlt, ir.OpIge, ir.OpUlt, ir.OpUge, ir.OpImad, ir.OpIadd3,
		ir.OpBitCount, ir.OpFindLsb, ir.OpI2f16, ir.OpI2f32, ir.OpU2f16, ir.OpU2f32, ir.OpUabsIsub, ir.OpUabsUsub,
		ir.OpIhadd, ir.OpUhadd, ir.OpIrhadd, ir.OpUrhadd:
		return true
	}
	return false
}

// ofBytes tells the operations that stay with the option bytes.
func ofBytes(op ir.Op) bool {
	switch op {
	case ir.OpIadd, ir.OpIsub, ir.OpImul, ir.OpIneg, ir.OpIabs, ir.OpImin, ir.OpImax, ir.OpUmin, ir.OpUmax, ir.OpIshl, ir.OpIshr, ir.OpUshr,
		ir.OpIeq, ir.OpIne, ir.OpIlt, ir.OpIge, ir.OpUlt, ir.OpUge, ir.OpIhadd, ir.OpUhadd, ir.OpIrhadd, ir.OpUrhadd,
		ir.OpIaddSat, ir.OpIsubSat, ir.OpUaddSat, ir.OpUsubSat, ir.OpImulHigh, ir.OpUmulHigh:
		return true
	}
	return false
}
