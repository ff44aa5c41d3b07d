package agx

import (
	"nirc/ir"
	"nirc/passes/analysis"
)

// outside is an x at which no image has texels, with offsets up to 15 added too.
const outside = 0xfff0

// lowerTexelRange moves fetches, and loads of images, outside of the image where their level or
// layer is none of it: hardware checks the coordinates of the level alone (agx.md §8.7), and
// would read other memory. How many there are is a query, which the preamble can make. Of stores
// hardware looks at the layer too, but takes its low half alone: one beyond that is held to the last.
func lowerTexelRange(s *ir.Shader, impl *ir.Impl) {
	changed := false
	for _, in := range accessesOf(impl) {
		t := &texelRange{s: s, b: ir.NewBuilder(ir.Before(in)).AtInstr(in), in: in}
		switch {
		case in.Kind == ir.KindTex:
			changed = t.fetch() || changed
		case in.IsIntrinsic(ir.IntrImageDerefStore):
			changed = t.store() || changed
		default:
			changed = t.image() || changed
		}
	}
	if changed {
		impl.Preserve(ir.MetaControlFlow)
	}
}

// accessesOf lists the fetches of a function, and the loads and stores of images.
func accessesOf(impl *ir.Impl) (list []*ir.Instr) {
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			switch {
			case in.Kind == ir.KindTex && isFetch(in) && in.TexInfo().Dim != ir.DimBuf && in.TexSrc(ir.TexSrcTextureDeref) != nil,
				in.IsIntrinsic(ir.IntrImageDerefLoad), in.IsIntrinsic(ir.IntrImageDerefSparseLoad), in.IsIntrinsic(ir.IntrImageDerefStore):
				list = append(list, in)
			}
		}
	}
	return list
}

// texelRange is the lowering of one access.
type texelRange struct {
	s      *ir.Shader
	b      *ir.Builder
	in     *ir.Instr
	inside *ir.Def // nil: always
}

func (t *texelRange) and(c *ir.Def) {
	if t.inside != nil {
		c = t.b.Iand(t.inside, c)
	}
	t.inside = c
}

// query asks a question about the texture of a fetch.
func (t *texelRange) query(op ir.TexOp, comps uint8, lod bool) *ir.Def {
	ti := t.in.TexInfo()
	q := t.s.NewTex(op, comps, 32)
	qi := q.TexInfo()
	qi.Dim, qi.IsArray, qi.DestType = ti.Dim, ti.IsArray && op == ir.TexOpTxs, ir.ALUType{Class: ir.ClassInt, Bits: 32}
	t.s.AddTexSrc(q, ir.TexSrcTextureDeref, t.in.TexSrc(ir.TexSrcTextureDeref).Def)
	if lod {
		t.s.AddTexSrc(q, ir.TexSrcLod, t.b.Imm32(0))
	}
	t.b.Insert(q)
	return &q.Def
}

// fetch lowers a fetch; false if it is always inside.
func (t *texelRange) fetch() bool {
	ti, b := t.in.TexInfo(), t.b
	coord := t.in.TexSrc(ir.TexSrcCoord)
	if coord == nil || coord.Def.BitSize != 32 {
		return false
	}
	// robustImageAccess says nothing of levels that do not exist.
	robust := t.s.Options.Robust.Images
	if lod := t.in.TexSrc(ir.TexSrcLod); lod != nil && t.in.TexOp == ir.TexOpTxf && robust == ir.Robust2 {
		if c, ok := lod.Def.Const(0); !ok || c != 0 {
			l := lod.Def
			if l.BitSize == 16 {
				l = b.U2u32(l)
			}
			t.and(b.Ult(l, t.query(ir.TexOpQueryLevels, 1, false)))
		}
	}
	last := int(coord.Def.NumComponents) - 1
	if ti.IsArray {
		n := layerOf(ti.Dim)
		size := t.query(ir.TexOpTxs, n+1, t.in.TexOp == ir.TexOpTxf)
		t.and(b.Ult(b.Channel(coord.Def, last), b.Channel(size, int(n))))
	}
	if t.in.TexOp == ir.TexOpTxfMs {
		t.sample(t.in.TexSrc(ir.TexSrcMsIndex).Def, func() *ir.Def { return t.query(ir.TexOpTextureSamples, 1, false) })
	}
	if t.inside == nil {
		return false
	}
	coord.Set(t.moved(coord.Def))
	return true
}

// leastSamples is how many samples every multisampled image has.
const leastSamples = 2

// sample demands that a sample is one of the image's, which count counts; hardware takes 16 bits of it.
func (t *texelRange) sample(n *ir.Def, count func() *ir.Def) {
	if analysis.UintMax(n, 0) < leastSamples {
		return
	}
	if n.BitSize == 16 {
		n = t.b.U2u32(n)
	}
	t.and(t.b.Ult(n, count()))
}

// image lowers a load of an image.
func (t *texelRange) image() bool {
	dim, array := imageShape(t.in)
	if dim == ir.DimBuf {
		return false
	}
	b, coord := t.b, &t.in.Srcs[1]
	n := layerOf(dim)
	if dim == ir.DimMS {
		t.sample(t.in.Srcs[2].Def, func() *ir.Def {
			return &b.Intrinsic(ir.IntrImageDerefSamples, 1, 32, t.in.Srcs[0].Def).CopyIndices(t.in).Def
		})
	}
	switch {
	case dim == ir.DimCube && !array:
		t.and(b.Ult(b.Channel(coord.Def, 2), b.Imm32(6)))
	case array:
		q := b.Intrinsic(ir.IntrImageDerefSize, n+1, 32, t.in.Srcs[0].Def, b.Imm32(0)).CopyIndices(t.in)
		if dim == ir.DimCube {
			q.Set(ir.IdxImageDim, uint64(ir.Dim2D)) // its faces
		}
		t.and(b.Ult(b.Channel(coord.Def, int(n)), b.Channel(&q.Def, int(n))))
	}
	if t.inside == nil {
		return false
	}
	coord.Set(t.moved(coord.Def))
	return true
}

// lastLayer is the largest number of a layer that an access holds; no image has as many.
const lastLayer = 0xffff

// store holds the layer of a store to an image; of multisampled ones all is tested where their place in memory is computed.
func (t *texelRange) store() bool {
	dim, array := imageShape(t.in)
	if !array && dim != ir.DimCube || dim == ir.DimMS {
		return false
	}
	coord, n := &t.in.Srcs[1], int(layerOf(dim))
	if analysis.UintMax(coord.Def, n) <= lastLayer {
		return false
	}
	comps := make([]*ir.Def, coord.Def.NumComponents)
	for c := range comps {
		comps[c] = t.b.Channel(coord.Def, c)
	}
	comps[n] = t.b.Umin(comps[n], t.b.Imm32(lastLayer))
	coord.Set(t.b.Vec(comps...))
	return true
}

// moved are the coordinates with an x outside unless the access is inside.
func (t *texelRange) moved(coord *ir.Def) *ir.Def {
	comps := make([]*ir.Def, coord.NumComponents)
	for c := range comps {
		comps[c] = t.b.Channel(coord, c)
	}
	comps[0] = t.b.Bcsel(t.inside, comps[0], t.b.Imm32(outside))
	return t.b.Vec(comps...)
}
