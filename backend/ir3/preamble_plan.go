package ir3

import (
	"nirc/ir"
	"nirc/passes"
)

// What passes.Preamble asks of the target.

// maxPreambleConsts bounds the results of the preamble, in scalars: half of the const file.
const maxPreambleConsts = 1024

// keptPreambleConsts is what ranges of uniform buffers leave of the const file for results of the preamble.
const keptPreambleConsts = 256

// maxBothSides is what both sides of an if of the preamble may cost without a branch around them. A branch takes some ten slots with
// its condition; without it one side runs in the slots in which the other waits for its results, and what both compute is computed once.
const maxBothSides = 512

// anyCost bounds nothing: devices with a scalar unit run the preamble there, before the waves, as long as it has no branches.
const anyCost = 1 << 30

// choose finds what the preamble leaves in the const file, behind what is there.
func (p *preamble) choose(g *GPU, consts *constFile) {
	p.consts, p.Room, p.BothSides = consts, consts.preambleRoom(), maxBothSides
	if g.ScalarALU {
		p.BothSides = anyCost
	}
	p.first, p.at, p.end = consts.immAt, consts.immAt, consts.immAt
	p.Choose()
}

// Moves reports whether an instruction depends on nothing but consts if its sources do.
func (p *preamble) Moves(_ *passes.Preamble, in *ir.Instr) bool {
	switch d := &in.Def; in.Kind {
	case ir.KindLoadConst, ir.KindUndef:
		return true
	case ir.KindALU:
		return d.BitSize <= 32
	case ir.KindIntrinsic:
		return movesIntrinsic(in)
	case ir.KindDeref:
		return constDeref(d)
	case ir.KindTex:
		return movesTexture(in)
	case ir.KindPhi:
		return d.BitSize <= 32 && d.BitSize != 8 && d.NumComponents == 1
	}
	return false
}

func movesIntrinsic(in *ir.Instr) bool {
	switch in.Intr {
	case ir.IntrLoadUbo, ir.IntrLoadUboVec4:
		return in.Def.BitSize <= 32
	case ir.IntrLoadSsbo:
		return in.Def.BitSize <= 32 && in.Def.BitSize >= 16 && readOnlyAccess(in)
	case ir.IntrLoadPushConstant, ir.IntrBindlessResourceIr3, ir.IntrLoadNumWorkgroups, ir.IntrLoadBaseWorkgroupId,
		ir.IntrLoadWorkgroupSize, ir.IntrLoadBaseInstance, ir.IntrLoadFirstVertex, ir.IntrLoadBaseVertex, ir.IntrLoadDrawId,
		ir.IntrLoadSubgroupSize:
		return true
	}
	return asksSize(in)
}

// Free reports whether the program has a value without an instruction, or would save none if it were a const.
func (p *preamble) Free(_ *passes.Preamble, in *ir.Instr) bool {
	if in.Def.BitSize != 32 {
		return true
	}
	switch in.Kind {
	case ir.KindALU:
		return movesOnly(in) || in.Def.NumComponents != 1 || shiftedOffset(in)
	case ir.KindTex, ir.KindPhi:
		return false
	case ir.KindIntrinsic:
		switch in.Intr {
		case ir.IntrLoadUboVec4:
			return p.consts.ubos.holds(in)
		case ir.IntrLoadPushConstant:
			return in.Srcs[0].Def.IsConst()
		case ir.IntrLoadSsbo:
			return false
		}
		return !asksSize(in)
	}
	return true
}

// movesOnly reports whether an operation is done by operands of what reads it.
func movesOnly(in *ir.Instr) bool {
	return in.IsVec() || in.Op == ir.OpMov || in.Op == ir.OpFneg || in.Op == ir.OpFabs
}

// shiftedOffset reports whether an instruction shifts left what counts words, and nothing reads it but accesses of
// storage buffers: they take the number of words (elements), so that is what the preamble should have.
func shiftedOffset(in *ir.Instr) bool {
	if !in.IsALU(ir.OpIshl) {
		return false
	}
	if n, ok := in.Srcs[1].Const(0); !ok || n&31 < 2 {
		return false
	}
	for u := range in.Def.Uses() {
		if u.If != nil || u.Instr == nil || !(u.Instr.IsIntrinsic(ir.IntrLoadSsbo) && u == &u.Instr.Srcs[1] || u.Instr.IsIntrinsic(ir.IntrStoreSsbo) && u == &u.Instr.Srcs[2]) {
			return false
		}
	}
	return true
}

// Guarded reports whether in reads texels, by a descriptor that may be there only where the program comes by, or a descriptor that an
// index chooses, which may be none there. What else asks for a size or reads a buffer is done whether or not the program comes there: descriptors bound it.
func (p *preamble) Guarded(in *ir.Instr) bool {
	return in.Kind == ir.KindTex && !asksSize(in) || chosenByIndex(in) && !faults.has(faultChosenDescriptor)
}

// There reports whether a lookup's descriptors are those of variables that are no arrays, and not of bindings that are partially bound: the
// shader names them, and so they are good (VUID-vkCmdDispatch-None-08114). Texels outside of an image are zeros.
func (p *preamble) There(in *ir.Instr) bool {
	if in.Kind != ir.KindTex {
		return false
	}
	for i, k := range in.TexInfo().SrcKinds {
		if k != ir.TexSrcTextureDeref && k != ir.TexSrcSamplerDeref {
			continue
		}
		d := in.Srcs[i].Def.Instr
		if d.Kind != ir.KindDeref || d.Deref != ir.DerefVar {
			return false
		}
		if v := d.DerefInfo().Var; p.layout.PartiallyBound(v.Set, v.Binding) && !faults.has(faultPartiallyBound) {
			return false
		}
	}
	return true
}

// chosenByIndex reports whether an index chooses the descriptor of a buffer that an instruction reads.
func chosenByIndex(in *ir.Instr) bool {
	if in.Kind != ir.KindIntrinsic {
		return false
	}
	switch in.Intr {
	case ir.IntrLoadUbo, ir.IntrLoadUboVec4, ir.IntrLoadSsbo, ir.IntrGetSsboSize:
		return chosen(in.Srcs[0].Def)
	}
	return false
}

// chosen reports whether an index chooses the descriptor of a handle.
func chosen(h *ir.Def) bool {
	if h.Instr.IsIntrinsic(ir.IntrBindlessResourceIr3) {
		h = h.Instr.Srcs[0].Def
	}
	return !h.IsConst()
}

// Cost is what an instruction of the preamble costs.
func (p *preamble) Cost(in *ir.Instr) int32 {
	switch in.Kind {
	case ir.KindALU:
		if movesOnly(in) {
			return 0
		}
		return int32(in.Def.NumComponents)
	case ir.KindPhi:
		return 1
	case ir.KindTex, ir.KindIntrinsic:
		return 2
	}
	return 0
}

// Size counts scalars of the const file.
func (p *preamble) Size(d *ir.Def) int { return int(d.NumComponents) }

// Place keeps room for a value. Values stand in the const file in the order of the program, in which they are stored.
func (p *preamble) Place(in *ir.Instr) bool {
	n := p.Size(&in.Def)
	if p.end+n > p.first+p.Room {
		return false
	}
	p.end += n
	return true
}
