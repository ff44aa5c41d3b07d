package agx

import (
	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/backend/mach"
	"nirc/ir"
)

// descriptorWords loads n words of a texture's read descriptor from the heap.
func (s *isel) descriptorWords(in *ir.Instr, deref *ir.Def, first, n int) []opnd {
	v, index := s.variable(deref)
	return s.heapWords(in, s.heapOffset(in, v, index, false), first, n)
}

// heapWords loads n words of the heap from one on, at an offset in bytes. Descriptors stay what they are while a program
// runs: what a block has loaded at a constant place it loads once, whatever memory it writes.
func (s *isel) heapWords(in *ir.Instr, off opnd, first, n int) []opnd {
	b := s.heapBase(in)
	t := isa.Instr{Format: isa.FormatI32, Mask: uint8(1<<n - 1), Flags: isa.Unsigned}
	index := s.shiftRightConst(off, 2)
	if index.kind != opImm {
		at := s.addSub(false, index, imm32(uint32(first)), false)
		return s.split(s.load(t, b, at, classFull, n), n)
	}
	key := heapPlace{epoch: s.epoch, at: index.bits + uint32(first), n: n}
	for i := range s.heap {
		if s.heap[i].heapPlace == key {
			return s.heap[i].words
		}
	}
	words := s.split(s.load(t, b, imm32(key.at), classFull, n), n)
	k := s.nextHeap
	s.heap[k], s.nextHeap = heapLoad{key, words}, (k+1)%len(s.heap)
	return words
}

// heapPlace is where in the heap a block reads how many words.
type heapPlace struct {
	epoch, at uint32
	n         int
}

// heapLoad is what was read there.
type heapLoad struct {
	heapPlace
	words []opnd
}

func (s *isel) shiftRightConst(o opnd, n uint32) opnd {
	if o.kind == opImm {
		return imm32(o.bits >> n)
	}
	return s.shiftRight(false, o, n)
}

// bitField takes a field out of a word.
func (s *isel) bitField(w opnd, at, bits int) opnd {
	return s.intOp(isa.Instr{Op: isa.OpBfeil, Bits: uint8(bits)}, false, imm32(0), w, imm32(uint32(at)))
}

// texSize selects the size of a texture at a level
// (agx.md §8.6): descriptors have that of level 0.
func (s *isel) texSize(in *ir.Instr, deref *ir.Def, dim ir.Dim, array bool, lod *ir.Src) {
	if dim == ir.DimBuf {
		s.setComps(&in.Def, s.descriptorWords(in, deref, 4, 1)...)
		return
	}
	w := s.descriptorWords(in, deref, 0, 4)
	if s.err != nil {
		return
	}
	level := s.bitField(w[1], 24, 4)
	if lod != nil {
		level = s.addSub(false, level, s.sized(s.comp(lod.Def, 0), false), false)
	}
	null := cond{op: isa.CondUEQ, inv: true, a: s.bitField(w[3], 9, 1), b: imm32(0)}
	one := func(o opnd) opnd { return s.addSub(false, o, imm32(1), false) }
	atLevel := func(o opnd) opnd {
		n := s.intOp(isa.Instr{Op: isa.OpBfeil}, false, imm32(0), one(o), level)
		return s.selectBy(cond{op: isa.CondUEQ, a: n, b: imm32(0)}, false, imm32(1), n)
	}
	width := s.intOp(isa.Instr{Op: isa.OpExtr, Bits: 14}, false, w[0], w[1], imm32(28))
	height, depth := s.bitField(w[1], 10, 14), s.bitField(w[3], 14, 14)
	ops := []opnd{atLevel(width)}
	if dim != ir.Dim1D {
		ops = append(ops, atLevel(height))
	}
	switch {
	case dim == ir.Dim3D:
		ops = append(ops, atLevel(depth))
	case array && dim == ir.DimCube && in.Kind == ir.KindIntrinsic && !faults.has(faultCubeDepth):
		s.broken(in, "the size of an array of cubes (%s) is left: lower_image makes it that of an array of faces", in.Intr)
	case array:
		ops = append(ops, one(depth))
	}
	for k := range ops {
		ops[k] = s.selectBy(null, false, imm32(0), ops[k])
	}
	if n := int(in.Def.NumComponents); n <= len(ops) {
		s.setComps(&in.Def, ops[:n]...)
		return
	}
	s.fail(in, "a size of %d numbers of a texture of dimension %s is not supported", in.Def.NumComponents, dim)
}

// texLevels selects the number of levels.
func (s *isel) texLevels(in *ir.Instr, deref *ir.Def) {
	w := s.descriptorWords(in, deref, 1, 3)
	if s.err != nil {
		return
	}
	n := s.addSub(false, s.bitField(w[0], 28, 4), s.bitField(w[0], 24, 4), true)
	null := cond{op: isa.CondUEQ, inv: true, a: s.bitField(w[2], 9, 1), b: imm32(0)}
	s.setComps(&in.Def, s.selectBy(null, false, imm32(0), s.addSub(false, n, imm32(1), false)))
}

// texSamples selects the number of samples of a multisampled texture: 2 or 4.
func (s *isel) texSamples(in *ir.Instr, deref *ir.Def) {
	w := s.descriptorWords(in, deref, 2, 2)
	if s.err != nil {
		return
	}
	n := s.shiftLeft(false, s.addSub(false, s.bitField(w[0], 0, 1), imm32(1), false), 1)
	null := cond{op: isa.CondUEQ, inv: true, a: s.bitField(w[1], 9, 1), b: imm32(0)}
	s.setComps(&in.Def, s.selectBy(null, false, imm32(0), n))
}

// image selects image intrinsics; false if in is none.
func (s *isel) image(in *ir.Instr) bool {
	switch in.Intr {
	case ir.IntrImageDerefLoad, ir.IntrImageDerefSparseLoad:
		s.imageLoad(in)
	case ir.IntrImageDerefStore:
		s.imageStore(in)
	case ir.IntrImageDerefAtomic, ir.IntrImageDerefAtomicSwap:
		s.imageAtomic(in)
	case ir.IntrImageDerefSize:
		dim, array := imageShape(in)
		s.texSize(in, in.Srcs[0].Def, dim, array, &in.Srcs[1])
	case ir.IntrImageDerefLevels:
		s.texLevels(in, in.Srcs[0].Def)
	case ir.IntrImageDerefSamples:
		s.texSamples(in, in.Srcs[0].Def)
	default:
		return false
	}
	return true
}

func imageShape(in *ir.Instr) (ir.Dim, bool) {
	return ir.Dim(in.Get(ir.IdxImageDim)), in.Get(ir.IdxImageArray) != 0
}

// imageDim is the dimension of an image access: cubes are arrays of faces.
func imageDim(in *ir.Instr) isa.Dim {
	dim, array := imageShape(in)
	if dim == ir.DimCube {
		return isa.Dim2DArray
	}
	return texDim(dim, array)
}

// imageCoords makes the coordinates of an image access source i of t.
func (s *isel) imageCoords(in *ir.Instr, t *isa.Instr, i int, uses []mach.Value) []mach.Value {
	dim, _ := imageShape(in)
	coord := in.Srcs[1].Def
	if dim == ir.DimBuf {
		return s.texCoords(t, i, s.bufferCoords(in, in.Srcs[0].Def, s.comp(coord, 0), s.robustTexels(dim)), opnd{}, opnd{}, uses)
	}
	n := coordsOf(dim, t.Dim)
	c := make([]opnd, n, n+2)
	for k := range c {
		c[k] = s.comp(coord, k)
	}
	layer := imm32(0)
	if n < int(coord.NumComponents) {
		layer = s.comp(coord, n)
	}
	if dim == ir.Dim1D {
		c = append(c, imm32(0))
	}
	return s.texCoords(t, i, c, layer, s.comp(in.Srcs[2].Def, 0), uses)
}

func (s *isel) imageLoad(in *ir.Instr) {
	sparse := in.Intr == ir.IntrImageDerefSparseLoad
	if in.Def.BitSize > 32 || sparse && in.Def.BitSize != 32 {
		s.fail(in, "images of %d-bit components are not supported: the hardware has no such texels", in.Def.BitSize)
		return
	}
	t := isa.Instr{Op: isa.OpTextureLoad, Mask: texelMask(in, sparse), Dim: imageDim(in)}
	uses := s.texOperand(in, &t, 0, 1, s.texture(in, in.Srcs[0].Def, false), nil)
	t.Srcs[2] = isa.Operand{Kind: isa.SS}
	uses = s.imageCoords(in, &t, 3, uses)
	t.Srcs[4] = isa.I(0)
	if o := s.comp(in.Srcs[3].Def, 0); !o.isImm(0) {
		t.Lod = isa.LodMin
		uses = s.register(&t, 4, s.reg(s.sized(o, true)), uses)
	}
	if s.writesImages && !faults.has(faultWrittenImage) {
		if err := t.SetReadWrite(); err != nil {
			s.broken(in, "%v", err)
		}
	}
	s.setCoherent(in, &t)
	ops, _ := s.texel(in, t, sparse, uses)
	s.setTexel(in, ops, sparse)
}

func (s *isel) imageStore(in *ir.Instr) {
	val := in.Srcs[3].Def
	if val.BitSize > 32 {
		s.fail(in, "images of %d-bit components are not supported: the hardware has no such texels", val.BitSize)
		return
	}
	t := isa.Instr{Op: isa.OpImageWrite, Dim: imageDim(in)}
	ops := make([]opnd, 4)
	for k := range ops {
		ops[k] = opnd{half: isHalf(val)} // the format has no such component: anything
		if k < int(val.NumComponents) {
			ops[k] = s.comp(val, k)
		}
	}
	uses := s.register(&t, 0, s.collect(ops...), nil)
	if t.Dim == isa.Dim2DMS || t.Dim == isa.Dim2DMSArray {
		uses = s.memoryCoords(in, &t, 1, uses)
	} else {
		uses = s.imageCoords(in, &t, 1, uses)
	}
	t.Srcs[2] = isa.I(0)
	if o := s.comp(in.Srcs[4].Def, 0); !o.isImm(0) {
		uses = s.register(&t, 2, s.reg(s.sized(o, true)), uses)
	}
	uses = s.texOperand(in, &t, 3, 4, s.texture(in, in.Srcs[0].Def, true), uses)
	s.setCoherent(in, &t)
	s.add(t, 0, uses...)
	if s.needsTexels(in, readsTexels) && !faults.has(faultImageBarrier) {
		s.memoryBarrier(barrierImage)
		s.memoryBarrier(barrierAfter)
	}
}

// memoryCoords makes the coordinates of a store to a multisampled image, which goes through a linear
// view of its memory, a sample a texel (agx.md §8.5).
func (s *isel) memoryCoords(in *ir.Instr, t *isa.Instr, i int, uses []mach.Value) []mach.Value {
	t.Dim = isa.Dim2D
	l := s.layoutOf(in, true)
	if s.err != nil {
		return uses
	}
	at, inside := s.texelIndex(in, &l)
	if s.err != nil {
		return uses
	}
	at = s.once(at)
	x := s.selectBy(inside, false, s.intOp(bitop(tableAnd), false, at, imm32(abi.SamplesWidth-1)), imm32(1<<32-1))
	return s.texCoords(t, i, []opnd{x, s.shiftRight(false, at, bufferWidthLog)}, opnd{}, opnd{}, uses)
}

// needsTexels reports whether the shader may read the image that in writes, by what reads names: the
// texture cache must then hear of it.
func (s *isel) needsTexels(in *ir.Instr, reads func(*ir.Instr) bool) bool {
	a := ir.Access(in.Get(ir.IdxAccess))
	return (a&ir.AccessNonReadable == 0 || a&ir.AccessAliased != 0) && (isCoherent(in) || readsTexelsAfter(in, reads))
}

// readsTexelsAfter reports whether texels may be read after an instruction. What other invocations
// read without a barrier of the shader's own need not be what this one wrote, unless the image is
// coherent (Vulkan's memory model: that makes a write available), and what follows the dispatch is the driver's.
func readsTexelsAfter(in *ir.Instr, reads func(*ir.Instr) bool) bool {
	for x := in.Next(); x != nil; x = x.Next() {
		if reads(x) {
			return true
		}
	}
	seen := map[*ir.Block]bool{nil: true}
	work := []*ir.Block{in.Block}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		for _, next := range b.Succ {
			if seen[next] {
				continue
			}
			seen[next] = true
			work = append(work, next)
			for x := range next.Instrs() {
				if reads(x) {
					return true
				}
			}
		}
	}
	return false
}

// loadsTexels reports whether an instruction reads texels by the texture unit, where atomics reach them in memory.
func loadsTexels(in *ir.Instr) bool {
	return readsTexels(in) && !(in.Kind == ir.KindIntrinsic && in.Memory().Op != ir.MemLoad)
}

// readsTexels reports whether an instruction reads an image or a texture.
func readsTexels(in *ir.Instr) bool {
	if in.Kind == ir.KindIntrinsic {
		op := in.Memory().Op
		return in.Memory().Space == ir.SpaceImage && op != ir.MemStore
	}
	return in.Kind == ir.KindTex
}

// imageAtomic selects an atomic on the address of a texel of level 0, which
// the driver keeps in the descriptor for writing.
func (s *isel) imageAtomic(in *ir.Instr) {
	if in.Def.BitSize == 64 {
		s.fail(in, "64-bit atomics on images are not supported: the hardware has no 64-bit texels")
		return
	}
	op, data, ok := s.atomicData(in, 3)
	if !ok {
		return
	}
	dim, _ := imageShape(in)
	tested := s.robustTexels(dim) != ir.RobustOff
	l := s.layoutOf(in, tested)
	if s.err != nil {
		return
	}
	at, inside := s.texelIndex(in, &l)
	a := l.base
	if tested {
		a = s.nowhere(a, inside, false)
	}
	s.atomic(in, op, place{base: a, index: at}, data)
	if !s.needsTexels(in, loadsTexels) {
		return
	}
	for _, codes := range [][]uint32{{0x96, 0x9a}, barrierImage, barrierAfter, {0x40}} {
		s.memoryBarrier(codes)
	}
}

// robustTexels is the robustness of a storage image's accesses; those of a dimension of buffers
// are a buffer's.
func (s *isel) robustTexels(dim ir.Dim) ir.Robustness {
	if dim == ir.DimBuf {
		return s.sh.Options.Robust.Storage
	}
	return s.sh.Options.Robust.Images
}

// imageMemory is what the write descriptor of an image says of its memory.
type imageMemory struct{ lo, hi, place, stride opnd }

// address is where the level begins.
func (m *imageMemory) address(s *isel, dim ir.Dim) address {
	lo := s.shiftLeft(false, m.lo, 4)
	hi := s.intOp(isa.Instr{Op: isa.OpExtr}, false, m.lo, s.bitField(m.hi, 0, 4), imm32(28))
	off := m.place
	switch dim {
	case ir.DimMS, ir.DimSubpassMS:
		return address{lo: lo, hi: hi}
	case ir.DimBuf:
	default:
		off = s.intOp(bitop(tableAnd), false, m.place, imm32(1<<32-1<<abi.PlaceShift))
	}
	lo = s.once(lo)
	sum := s.once(s.addSub(false, lo, off, false))
	carry := s.selectBy(cond{op: isa.CondULT, a: sum, b: lo}, false, imm32(1), imm32(0))
	return address{lo: sum, hi: s.addSub(false, hi, carry, false)}
}

// texelIndex numbers the texel of an access in the memory of its level, counted in samples, and
// reports whether it lies in the image, if the layout has what that takes.
func (s *isel) texelIndex(in *ir.Instr, l *texelLayout) (opnd, cond) {
	coord := in.Srcs[1].Def
	dim, array := imageShape(in)
	x := s.once(s.sized(s.comp(coord, 0), false))
	if dim == ir.DimBuf {
		return x, cond{op: isa.CondULT, a: x, b: l.parts[layoutWidth]}
	}
	inside := imm16(1)
	check := func(c opnd, part int) {
		if limit := l.parts[part]; limit.kind != opNone {
			inside = s.selectBy(cond{op: isa.CondULT, a: c, b: limit}, true, inside, imm16(0))
		}
	}
	check(x, layoutWidth)
	next, at := 1, x
	if dim != ir.Dim1D {
		y := s.once(s.comp(coord, 1))
		check(y, layoutHeight)
		next, at = 2, s.twiddled(l, x, y)
	}
	if array || dim == ir.DimCube || dim == ir.Dim3D {
		z := s.once(s.comp(coord, next))
		check(z, layoutDepth)
		at = s.intOp(isa.Instr{Op: isa.OpImadd}, false, z, l.parts[layoutStride], at)
	}
	if samples := l.parts[layoutSamples]; samples.kind != opNone {
		sample := s.once(s.sized(s.comp(in.Srcs[2].Def, 0), false))
		if l.parts[layoutWidth].kind != opNone {
			check(sample, layoutSamples)
		}
		at = s.intOp(isa.Instr{Op: isa.OpImadd}, false, at, samples, sample)
	}
	return at, cond{op: isa.CondUEQ, inv: true, a: inside, b: imm16(0)}
}

// twiddled numbers a pixel of a level in tiles of memory (agx.md §8.7).
func (s *isel) twiddled(l *texelLayout, x, y opnd) opnd {
	if faults.has(faultLinearTexels) {
		return s.intOp(isa.Instr{Op: isa.OpImadd}, false, y, l.parts[layoutWidth], x)
	}
	mx, my := l.parts[layoutMaskX], l.parts[layoutMaskY]
	within := s.intOp(isa.Instr{Op: isa.OpIntl}, false, s.intOp(bitop(tableAnd), true, x, mx), s.intOp(bitop(tableAnd), true, y, my))
	at := s.intOp(isa.Instr{Op: isa.OpImadd}, false, s.intOp(bitop(tableAndNot), false, y, my), l.parts[layoutRow], within)
	return s.intOp(isa.Instr{Op: isa.OpImadd}, false, s.intOp(bitop(tableAndNot), false, x, mx), l.parts[layoutTall], at)
}

// tileSize is the width or height of a tile of memory, whose log2 is at a bit of the place.
func (s *isel) tileSize(m imageMemory, at int) opnd {
	return s.once(s.intOp(isa.Instr{Op: isa.OpBfi}, false, imm32(0), imm32(1), s.bitField(m.place, at, 3)))
}
