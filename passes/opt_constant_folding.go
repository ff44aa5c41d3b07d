package passes

import (
	"nirc/ir"
	"nirc/ir/optab"
)

var optConstantFoldingPass = &Pass{
	Name: "opt_constant_folding", Withstands: ChangeFacts | ChangeRemoval | ChangeMerge, For: ir.HasConst, Class: "A", Run: optConstantFolding, Idempotent: true, Rewrites: true,
	Doc: "Replaces ALU operations over constants by their value in the shader's float environment, and loads from constant data at constant offsets. " +
		"A selection by a constant condition becomes the side chosen. Operations of the subgroup and derivatives of constants, discards by constant conditions, " +
		"and sources of texture operations that constants make needless (offsets and biases of 0, clamps below LOD 0, offsets into arrays) go too.",
}

func optConstantFolding(c *Context, s *ir.Shader) (bool, error) {
	mode := ir.ModeOf(s.Info.FloatControls)
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) (changed bool) {
		b := impl.Builder(ir.AtStart(impl.Start()))
		for blk := range impl.Blocks() {
			for in := range blk.Instrs() {
				switch in.Kind {
				case ir.KindLoadConst:
					noteConst(&in.Def)
					continue
				case ir.KindALU:
					if in.Flags != readsConst || !hasConsts(in) {
						continue
					}
				case ir.KindIntrinsic, ir.KindTex:
				default:
					continue
				}
				b.AtInstr(in)
				if v := foldInstr(b, in, s, mode); v != nil && c.Step() {
					in.Def.RewriteUses(v)
					in.Remove()
					if v.IsConst() {
						noteConst(v)
					}
					changed = true
				} else if v == nil && (in.Kind == ir.KindTex && foldTex(in) || foldConstDiscard(in)) {
					changed = true
				}
			}
		}
		return changed
	}), nil
}

// readsConst marks the instructions that read a constant, by their Flags: most read none, and to ask each for its sources, each in
// another line of the cache, took half of the pass. One that is marked by chance is looked at and left.
const readsConst = 0xc0457

// noteConst marks the instructions that read a constant; all but phis come after it.
func noteConst(d *ir.Def) {
	for u := d.FirstUse(); u != nil; u = u.NextUse() {
		if u.Instr != nil {
			u.Instr.Flags = readsConst
		}
	}
}

// hasConsts reports whether an ALU instruction works on constants alone, or selects by one: most do not, and need no more.
func hasConsts(in *ir.Instr) bool {
	if in.Op == ir.OpBcsel {
		return in.Srcs[0].Def.IsConst()
	}
	for i := range in.Srcs {
		if !in.Srcs[i].Def.IsConst() {
			return false
		}
	}
	return true
}

// foldInstr returns what replaces in, or nil.
func foldInstr(b *ir.Builder, in *ir.Instr, s *ir.Shader, mode optab.Mode) *ir.Def {
	switch {
	case in.Kind == ir.KindALU:
		vals, ok := ir.EvalConstALU(in, mode)
		if !ok {
			return foldSelect(b, in)
		}
		b.AtInstr(in)
		return b.Const(in.Def.BitSize, vals[:in.Def.NumComponents]...)
	case in.IsIntrinsic(ir.IntrLoadConstant):
		return foldLoadConstant(b, in, s)
	case in.Kind == ir.KindIntrinsic:
		return foldIntrinsic(b, in)
	}
	return nil
}

// foldSelect returns the side that a selection takes in all components, or nil.
func foldSelect(b *ir.Builder, in *ir.Instr) *ir.Def {
	if !in.IsALU(ir.OpBcsel) || !in.Srcs[0].Def.IsConst() {
		return nil
	}
	first, _ := in.Srcs[0].Const(0)
	for i := 1; i < int(in.Def.NumComponents); i++ {
		if v, _ := in.Srcs[0].Const(i); v != first {
			return nil
		}
	}
	b.AtInstr(in)
	if first != 0 {
		return srcValue(b, in, 1)
	}
	return srcValue(b, in, 2)
}

func foldLoadConstant(b *ir.Builder, in *ir.Instr, s *ir.Shader) *ir.Def {
	off, ok := in.Srcs[0].Const(0)
	if !ok {
		return nil
	}
	at := off + in.Get(ir.IdxBase)
	n := uint64(in.Def.BitSize / 8)
	if n == 0 {
		return nil
	}
	vals := make([]uint64, in.Def.NumComponents)
	for i := range vals {
		if at+n > uint64(len(s.ConstantData)) {
			break // beyond the data reads zero
		}
		for k := n; k > 0; k-- {
			vals[i] = vals[i]<<8 | uint64(s.ConstantData[at+k-1])
		}
		at += n
	}
	b.AtInstr(in)
	return b.Const(in.Def.BitSize, vals...)
}
