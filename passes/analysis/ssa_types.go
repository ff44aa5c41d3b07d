package analysis

import "nirc/ir"

// SSAType is how a value's bits are read and made: a set, for a value may be
// both. None of the bits: nothing tells.
type SSAType uint8

// Members of a SSAType.
const (
	TypeFloat SSAType = 1 << iota
	TypeInt
)

// SSATypes guesses for each value of a function, by Def.Index, whether it is
// float or integer: by the operations that make and read it, through moves,
// vectors, selections and phis, in both directions. Booleans, derefs and what
// only unknown places read have no type. For targets whose constants, registers
// or selections have classes, and for printing. (NIR's nir_gather_ssa_types.c,
// later nir_gather_types.c.)
func SSATypes(impl *ir.Impl) []SSAType {
	g := &typeGatherer{types: make([]SSAType, impl.NumDefs)}
	for blk := range impl.Blocks() {
		for in := range blk.Instrs() {
			g.seed(in)
		}
	}
	for len(g.work) > 0 {
		d := g.work[len(g.work)-1]
		g.work = g.work[:len(g.work)-1]
		g.spread(d)
	}
	return g.types
}

type typeGatherer struct {
	types []SSAType
	work  []*ir.Def // whose types have grown
}

func (g *typeGatherer) add(d *ir.Def, t SSAType) {
	if d.BitSize == 1 || g.types[d.Index]&t == t {
		return
	}
	g.types[d.Index] |= t
	g.work = append(g.work, d)
}

func typeOfClass(c ir.TypeClass) SSAType {
	switch c {
	case ir.ClassFloat:
		return TypeFloat
	case ir.ClassInt, ir.ClassUint:
		return TypeInt
	}
	return 0
}

// passesOn tells the sources whose type is that of the result: those of
// operations that only move bits. first is the first such source.
func passesOn(in *ir.Instr) (first int, ok bool) {
	switch {
	case in.Kind == ir.KindPhi:
		return 0, true
	case in.Kind != ir.KindALU:
		return 0, false
	case in.Op == ir.OpMov || in.IsVec():
		return 0, true
	case in.Op == ir.OpBcsel || in.Op == ir.OpB8csel || in.Op == ir.OpB16csel || in.Op == ir.OpB32csel:
		return 1, true
	}
	return 0, false
}

// seed enters what an instruction says of itself.
func (g *typeGatherer) seed(in *ir.Instr) {
	if _, ok := passesOn(in); ok {
		return
	}
	switch in.Kind {
	case ir.KindALU:
		info := in.Op.Info()
		g.add(&in.Def, typeOfClass(info.Out.Class))
		for i := range in.Srcs {
			g.add(in.Srcs[i].Def, typeOfClass(info.In[i].Class))
		}
	case ir.KindTex:
		t := in.TexInfo()
		g.add(&in.Def, typeOfClass(t.DestType.Class))
		for i, k := range t.SrcKinds {
			g.add(in.Srcs[i].Def, texSrcType(in, k))
		}
	case ir.KindIntrinsic:
		g.intrinsic(in)
	}
}

func texSrcType(in *ir.Instr, k ir.TexSrc) SSAType {
	switch k {
	case ir.TexSrcCoord, ir.TexSrcLod:
		if row := in.TexOp.Info(); row.IntCoords || row.Query {
			return TypeInt
		}
		return TypeFloat
	case ir.TexSrcProjector, ir.TexSrcComparator, ir.TexSrcBias, ir.TexSrcMinLod, ir.TexSrcDdx, ir.TexSrcDdy, ir.TexSrcBoxSize:
		return TypeFloat
	case ir.TexSrcRefCoord, ir.TexSrcBlockSize, ir.TexSrcOffset, ir.TexSrcMsIndex, ir.TexSrcTextureOffset, ir.TexSrcSamplerOffset:
		return TypeInt
	}
	return 0
}

func (g *typeGatherer) intrinsic(in *ir.Instr) {
	if in.HasDef() && in.Has(ir.IdxDestType) {
		g.add(&in.Def, typeOfClass(ir.UnpackALUType(in.Get(ir.IdxDestType)).Class))
	}
	switch in.Intr {
	case ir.IntrLoadDeref:
		g.add(&in.Def, typeOfDeref(in.Srcs[0].Def))
	case ir.IntrStoreDeref:
		g.add(in.Srcs[1].Def, typeOfDeref(in.Srcs[0].Def))
	case ir.IntrStoreOutput, ir.IntrStorePerVertexOutput:
		g.add(in.Srcs[0].Def, typeOfClass(ir.UnpackALUType(in.Get(ir.IdxSrcType)).Class))
	case ir.IntrImageStore, ir.IntrBindlessImageStore, ir.IntrImageDerefStore:
		g.add(in.Srcs[3].Def, typeOfClass(ir.UnpackALUType(in.Get(ir.IdxSrcType)).Class))
	case ir.IntrDdx, ir.IntrDdy, ir.IntrDdxFine, ir.IntrDdyFine, ir.IntrDdxCoarse, ir.IntrDdyCoarse:
		g.add(&in.Def, TypeFloat)
		g.add(in.Srcs[0].Def, TypeFloat)
	}
}

func typeOfDeref(d *ir.Def) SSAType {
	if d.Instr.Kind != ir.KindDeref {
		return 0
	}
	switch d.Instr.DerefInfo().Type.Base {
	case ir.BaseFloat:
		return TypeFloat
	case ir.BaseInt, ir.BaseUint:
		return TypeInt
	}
	return 0
}

// spread carries the type of a value to what it is moved from and to.
func (g *typeGatherer) spread(d *ir.Def) {
	t := g.types[d.Index]
	if first, ok := passesOn(d.Instr); ok {
		for i := first; i < len(d.Instr.Srcs); i++ {
			g.add(d.Instr.Srcs[i].Def, t)
		}
	}
	for u := d.FirstUse(); u != nil; u = u.NextUse() {
		in := u.Instr
		if in == nil || !in.HasDef() {
			continue
		}
		if first, ok := passesOn(in); ok && (first == 0 || u != &in.Srcs[0]) {
			g.add(&in.Def, t)
		}
	}
}
