package agx

import (
	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/ir"
)

// What accesses to the memory of an image take of its descriptors, besides the address: layoutPart numbers it.
const (
	layoutMaskX   = iota // width of a tile of memory, less 1
	layoutMaskY          // height likewise
	layoutTall           // height of a tile
	layoutRow            // pixels of a row of tiles
	layoutStride         // texels of a layer
	layoutSamples        // of a pixel
	layoutWidth          // what coordinates are tested against
	layoutHeight
	layoutDepth
	numLayoutParts
)

// texelLayout is where the texels of an image lie; parts that its accesses do not want are of opNone.
type texelLayout struct {
	base  address // of the level
	parts [numLayoutParts]opnd
}

// layoutKey says of which image, by where its descriptors begin in the heap, and for which accesses a layout is.
type layoutKey struct {
	read, write uint32
	dim         ir.Dim
	array       bool
	tested      bool // coordinates are
}

// imageLayout is a layout that the preamble leaves in uniform registers.
type imageLayout struct {
	key   layoutKey
	base  uint32
	parts [numLayoutParts]uint32
}

// has reports which parts there are.
func (k *layoutKey) has(part int) bool {
	ms := k.dim == ir.DimMS || k.dim == ir.DimSubpassMS
	tiled := k.dim != ir.Dim1D && k.dim != ir.DimBuf
	layers := k.dim != ir.DimBuf && (k.array || k.dim == ir.DimCube || k.dim == ir.Dim3D)
	switch part {
	case layoutMaskX, layoutMaskY, layoutTall, layoutRow:
		return tiled
	case layoutStride:
		return layers
	case layoutSamples:
		return ms
	case layoutWidth:
		return k.tested || tiled && faults.has(faultLinearTexels)
	case layoutHeight:
		return k.tested && tiled
	}
	return k.tested && layers
}

// layout returns the layout of a key, asking the preamble for it; nil if there is no room.
func (u *uniforms) layout(k layoutKey) *imageLayout {
	for i := range u.layouts {
		if u.layouts[i].key == k {
			return &u.layouts[i]
		}
	}
	halves := 4
	for part := range numLayoutParts {
		if k.has(part) {
			halves += 2
		}
	}
	if u.plain || u.resultRoom() < halves {
		return nil
	}
	l := imageLayout{key: k}
	base, ok := u.base()
	if !ok {
		return nil
	}
	l.base = base
	for part := range numLayoutParts {
		if !k.has(part) {
			continue
		}
		if l.parts[part], ok = u.result(32); !ok {
			return nil
		}
	}
	u.layouts = append(u.layouts, l)
	return &u.layouts[len(u.layouts)-1]
}

// layoutOf is the layout of the image that an intrinsic accesses: one that no index chooses the preamble has looked at.
func (s *isel) layoutOf(in *ir.Instr, tested bool) texelLayout {
	v, index := s.variable(in.Srcs[0].Def)
	dim, array := imageShape(in)
	k := layoutKey{dim: dim, array: array, tested: tested}
	read, write := s.heapOffset(in, v, index, false), s.heapOffset(in, v, index, true)
	if read.kind != opImm || write.kind != opImm || s.early {
		return s.decode(in, k, read, write)
	}
	k.read, k.write = read.bits, write.bits
	l := s.uni.layout(k)
	if l == nil {
		return s.decode(in, k, read, write)
	}
	t := texelLayout{base: address{uniform: true, number: l.base}}
	for part := range t.parts {
		if k.has(part) {
			t.parts[part] = opnd{kind: opUniform, bits: l.parts[part]}
		}
	}
	return t
}

// storeLayouts computes, in a preamble, the layouts that the shader asked for.
func (s *isel) storeLayouts() {
	for i := range s.uni.layouts {
		l := &s.uni.layouts[i]
		t := s.decode(nil, l.key, imm32(l.key.read), imm32(l.key.write))
		lo, hi := t.base.words()
		s.storeUniform(s.reg(lo), l.base)
		s.storeUniform(s.reg(hi), l.base+2)
		for part, o := range t.parts {
			if l.key.has(part) {
				s.storeUniform(s.reg(s.once(o)), l.parts[part])
			}
		}
	}
}

// decode makes a layout of descriptors at offsets of the heap.
func (s *isel) decode(in *ir.Instr, k layoutKey, read, write opnd) (t texelLayout) {
	w := s.heapWords(in, write, 2, 4)
	m := imageMemory{s.once(w[0]), w[1], s.once(w[2]), w[3]}
	t.base = m.address(s, k.dim)
	if k.dim == ir.DimBuf {
		if k.has(layoutWidth) {
			t.parts[layoutWidth] = s.heapWords(in, read, 4, 1)[0]
		}
		return t
	}
	d := s.heapWords(in, read, 0, 4)
	if s.err != nil {
		return t
	}
	one := func(o opnd) opnd { return s.addSub(false, o, imm32(1), false) }
	level := s.once(s.bitField(d[1], 24, 4))
	size := func(o opnd) opnd {
		n := s.once(s.intOp(isa.Instr{Op: isa.OpBfeil}, false, imm32(0), one(o), level))
		return s.once(s.selectBy(cond{op: isa.CondUEQ, a: n, b: imm32(0)}, false, imm32(1), n))
	}
	set := func(part int, make func() opnd) {
		if k.has(part) {
			t.parts[part] = make()
		}
	}
	width := size(s.intOp(isa.Instr{Op: isa.OpExtr, Bits: 14}, false, d[0], d[1], imm32(28)))
	set(layoutWidth, func() opnd { return width })
	set(layoutHeight, func() opnd { return size(s.bitField(d[1], 10, 14)) })
	set(layoutDepth, func() opnd {
		if depth := s.bitField(d[3], 14, 14); k.dim != ir.Dim3D {
			return one(depth)
		} else {
			return size(depth)
		}
	})
	set(layoutStride, func() opnd { return m.stride })
	set(layoutSamples, func() opnd { return s.once(s.shiftLeft(false, one(s.bitField(d[2], 0, 1)), 1)) })
	if !k.has(layoutRow) {
		return t
	}
	tall := s.once(s.tileSize(m, 3))
	mask := func(n opnd) opnd { return s.once(s.addSub(false, n, imm32(1), true)) }
	mx := mask(s.once(s.tileSize(m, 0)))
	t.parts[layoutMaskX], t.parts[layoutMaskY], t.parts[layoutTall] = mx, mask(tall), tall
	row := s.shiftRight(false, m.place, abi.PlaceShift) // of several samples, in pixels
	if !k.has(layoutSamples) {
		row = s.intOp(bitop(tableAndNot), false, s.addSub(false, width, mx, false), mx)
	}
	t.parts[layoutRow] = s.once(row)
	return t
}
