package ir3

import (
	"math/bits"

	"nirc/backend"
	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
	"nirc/ir"
	"nirc/passes/analysis"
)

// Arrays in registers, r<a0.x + n> (ir3.md §1.5 and 7.5). An
// array is no value: it has its registers for the whole program, after all that allocation
// gives out. Selection numbers the elements from the first register of all arrays, whose place
// is known once the values have theirs. Where that would cost the values registers, or the
// program many waves, the arrays go to private memory.

// maxArrayRegs bounds the registers of all arrays.
const maxArrayRegs = 64

// directElement, in the flags of a machine move: its relative operand has a constant
// index, and becomes a register.
const directElement uint8 = 1

// regArray is an array of vectors in registers.
type regArray struct {
	decl         *ir.Def
	first        int // register, from the first of all arrays
	elems, comps int
}

// arrayRegs is the number of registers of all arrays.
func (c *code) arrayRegs() int {
	if len(c.arrays) == 0 {
		return 0
	}
	a := &c.arrays[len(c.arrays)-1]
	return a.first + a.elems*a.comps
}

// declareArray gives an array its registers.
func (s *isel) declareArray(in *ir.Instr) {
	n, size := int(in.Get(ir.IdxNumArrayElems)), in.Get(ir.IdxBitSize)
	if n == 0 || size != 32 {
		s.fail(in, "a register of %d elements of %d bits is not supported: only arrays of 32-bit components are", n, size)
		return
	}
	s.code.arrays = append(s.code.arrays, regArray{&in.Def, s.code.arrayRegs(), n, int(in.Get(ir.IdxNumComponents))})
}

// element finds what an access of an array reads or writes: the register of the first
// component, from the first of all arrays, and a0.x, 0 if the index is constant.
func (s *isel) element(in *ir.Instr, handle *ir.Def, index *ir.Src) (first int, address mach.Value) {
	for i := range s.code.arrays {
		a := &s.code.arrays[i]
		if a.decl != handle {
			continue
		}
		at := in.Get(ir.IdxBase)
		if index != nil {
			if k, ok := index.Def.Const(0); ok {
				at, index = at+k, nil
			}
		}
		if at >= uint64(a.elems) {
			s.fail(in, "%s of element %d is not supported: the array has %d", in.Intr, at, a.elems)
			return 0, 0
		}
		if index != nil {
			address = s.arrayAddress(index.Def, a.comps, uint32(a.elems-1)-uint32(at))
		}
		return a.first + int(at)*a.comps, address
	}
	s.fail(in, "%s of a register that is not declared is not supported", in.Intr)
	return 0, 0
}

// arrayAddress brings the number of an element of n components, at most last, into a0.x. An
// index beyond that, whose access is undefined, is that of some element: it must not reach the
// registers of others. What a0.x is computed from is small, so that the last step writes a half.
func (s *isel) arrayAddress(index *ir.Def, n int, last uint32) mach.Value {
	o := s.comp(index, 0)
	masked, bounded := false, false
	switch {
	case analysis.UintMax(index, 0) > uint64(last):
		masked, bounded = last&(last+1) == 0, last&(last+1) != 0
	case index.Instr.IsALU(ir.OpIand) && index.NumComponents == 1 && o.kind == opVal:
		if c, ok := index.Instr.Srcs[1].Const(0); ok && c <= uint64(last) {
			o, last, masked = s.src(index.Instr, 0), uint32(c), true
		}
	}
	half := func(op isa.Op, a opnd, b uint32) mach.Value {
		return s.mova(s.alu2(isa.Instr{Op: op}, false, true, immInt, a, immediate(b, false)))
	}
	switch {
	case n == 1 && masked:
		return half(isa.OpAndB, o, last)
	case n == 1 && bounded:
		return half(isa.OpMinU, o, last)
	case n == 1:
		return s.addressReg(o)
	case n&(n-1) == 0 && masked:
		shift := bits.Len(uint(n)) - 1
		t := isa.Instr{Op: isa.OpShlm, Srcs: [4]isa.Operand{isa.I(int32(shift)), {}, isa.I(int32(last) << shift)}}
		uses := s.register(&t, 1, s.reg(o), 0, nil)
		d := s.newReg(true)
		s.add(t, d, uses...)
		return s.mova(s.value(d))
	case masked:
		o = s.alu2(isa.Instr{Op: isa.OpAndB}, false, false, immInt, o, immediate(last, false))
	case bounded:
		o = s.alu2(isa.Instr{Op: isa.OpMinU}, false, false, immInt, o, immediate(last, false))
	}
	if n&(n-1) == 0 {
		return half(isa.OpShlB, o, uint32(bits.Len(uint(n))-1))
	}
	return half(isa.OpMullU, o, uint32(n))
}

// addressReg brings an index into a0.x.
func (s *isel) addressReg(index opnd) mach.Value {
	return s.mova(s.cov(isa.U32, isa.S16, 0, s.once(index)))
}

// mova writes a half to a0.x.
func (s *isel) mova(h opnd) mach.Value {
	a := s.f.NewValue(classAddr, 1)
	t := isa.Instr{Op: isa.OpMova, Type: isa.S16, SrcType: isa.S16}
	uses := s.register(&t, 0, h.val, 0, nil)
	s.add(t, a, uses...)
	return a
}

// accessArray selects a load or store of an array: a move of each component.
func (s *isel) accessArray(in *ir.Instr) {
	if in.Get(ir.IdxLegacyFabs)|in.Get(ir.IdxLegacyFneg)|in.Get(ir.IdxLegacyFsat) != 0 {
		s.fail(in, "%s with modifiers is not supported by the ir3 backend", in.Intr)
		return
	}
	load := in.Intr == ir.IntrLoadReg || in.Intr == ir.IntrLoadRegIndirect
	handle := 1
	if load {
		handle = 0
	}
	var index *ir.Src
	if in.Intr == ir.IntrLoadRegIndirect || in.Intr == ir.IntrStoreRegIndirect {
		index = &in.Srcs[handle+1]
	}
	first, address := s.element(in, in.Srcs[handle].Def, index)
	if s.err != nil {
		return
	}
	move := isa.Instr{Op: isa.OpMov, Type: isa.U32, SrcType: isa.U32}
	emit := func(t isa.Instr, def mach.Value, uses []mach.Value) {
		if address != 0 {
			s.add(t, def, append(uses, address)...)
			return
		}
		s.add(t, def, uses...).Flags |= directElement
	}
	if load {
		ops := make([]opnd, in.Def.NumComponents)
		for k := range ops {
			d := s.newReg(false)
			t := move
			t.Srcs[0] = isa.Rel(first + k)
			emit(t, d, nil)
			ops[k] = s.value(d)
		}
		s.setComps(&in.Def, ops...)
		return
	}
	val := in.Srcs[0].Def
	for k := range int(val.NumComponents) {
		if in.Get(ir.IdxWriteMask)>>k&1 == 0 {
			continue
		}
		t := move
		t.Dst = isa.Rel(first + k)
		uses := s.source(&t, 0, s.comp(val, k), sourceForm{imm: immAny, consts: true}, nil)
		emit(t, 0, uses)
	}
}

// arraysTake is the number of units that allocation must leave to arrays.
func (c *compiler) arraysTake() int { return 2 * c.sel.code.arrayRegs() }

// arraysFit reports whether the values have enough registers beside the arrays: they are not
// spilled for them, and at least half of the waves remain that there would be without.
func (c *compiler) arraysFit(pressure, limit int) bool {
	n := c.sel.code.arrayRegs()
	if n == 0 {
		return true
	}
	with, without := c.wavesFor((pressure+2*n+7)/8), c.wavesFor((pressure+7)/8)
	return n <= maxArrayRegs && pressure+spillSlack <= limit && 2*with >= without
}

// arraysToMemory moves the arrays of a function from registers to private memory.
func arraysToMemory(s *ir.Shader, impl *ir.Impl) {
	at := make([]uint32, impl.NumDefs) // by the handle's index
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			if in.Kind != ir.KindIntrinsic {
				continue
			}
			switch in.Intr {
			case ir.IntrDeclReg:
				s.ScratchSize = uint32(backend.AlignUp(int(s.ScratchSize), 4))
				at[in.Def.Index] = s.ScratchSize
				s.ScratchSize += uint32(4 * max(in.Get(ir.IdxNumArrayElems), 1) * in.Get(ir.IdxNumComponents))
			case ir.IntrLoadReg, ir.IntrLoadRegIndirect:
				h := in.Srcs[0].Def
				b := ir.NewBuilder(ir.Before(in)).AtInstr(in)
				n := b.Intrinsic(ir.IntrLoadScratch, in.Def.NumComponents, 32, elementBytes(b, in, 0, at[h.Index])).Set(ir.IdxAlignMul, 4)
				in.Def.RewriteUses(&n.Def)
				in.Remove()
			case ir.IntrStoreReg, ir.IntrStoreRegIndirect:
				h := in.Srcs[1].Def
				b := ir.NewBuilder(ir.Before(in)).AtInstr(in)
				b.Effect(ir.IntrStoreScratch, in.Srcs[0].Def, elementBytes(b, in, 1, at[h.Index])).Set(ir.IdxAlignMul, 4).
					Set(ir.IdxWriteMask, in.Get(ir.IdxWriteMask))
				in.Remove()
			}
		}
	}
	for in := range impl.Start().Instrs() {
		if in.IsIntrinsic(ir.IntrDeclReg) {
			in.Remove()
		}
	}
	impl.Preserve(ir.MetaControlFlow)
}

// elementBytes is where an access of the array that source h names begins in private memory.
func elementBytes(b *ir.Builder, in *ir.Instr, h int, start uint32) *ir.Def {
	n := uint32(in.Srcs[h].Def.Instr.Get(ir.IdxNumComponents))
	start += 4 * n * uint32(in.Get(ir.IdxBase))
	if len(in.Srcs) <= h+1 {
		return b.Imm32(start)
	}
	index := in.Srcs[h+1].Def
	if k, ok := index.Const(0); ok {
		return b.Imm32(start + 4*n*uint32(k))
	}
	if in := index.Instr; in.IsALU(ir.OpIadd) && index.NumComponents == 1 {
		if k, ok := in.Srcs[1].Const(0); ok { // the offset of the access takes it
			index, start = b.Channel(in.Srcs[0].Def, in.Srcs[0].Swizzle.Lane(0)), start+4*n*uint32(k)
		}
	}
	// Products of few bits: what remains is sums of shifts.
	var sum *ir.Def
	for k := uint32(0); n>>k != 0; k++ {
		if n>>k&1 == 0 {
			continue
		}
		part := b.Ishl(index, b.Imm32(k+2))
		if sum != nil {
			part = b.Iadd(sum, part)
		}
		sum = part
	}
	if start == 0 {
		return sum
	}
	return b.Iadd(sum, b.Imm32(start))
}

// placeArrays puts the arrays after the registers that values have.
func (p *phys) placeArrays() {
	if len(p.code.arrays) == 0 {
		return
	}
	end := 0
	for b := range p.f.Blocks {
		for _, in := range p.f.Blocks[b].Instrs {
			for i := range in.Ops {
				end = max(end, p.endUnit(&in.Ops[i]))
			}
		}
	}
	p.arrayBase = (end + 1) / 2
	if last := p.arrayBase + p.code.arrayRegs(); 2*last > gprUnits {
		p.fail("arrays would end at register %d", last)
	}
}

// endUnit is the unit after the general registers of an operand, 0 if it has none.
func (p *phys) endUnit(o *mach.Operand) int {
	class := p.class(o)
	if o.Reg == mach.NoReg || machClasses[class].File != fileGPR {
		return 0
	}
	size := int(o.Size)
	if o.Val != 0 {
		size = p.f.Size(o.Val)
	}
	return int(o.Reg) + size
}

// placeElement gives the relative operand of a move its place.
func (p *phys) placeElement(in *mach.Instr, x *pinstr) {
	o := &x.Dst
	if o.Kind != isa.RelReg {
		o = &x.Srcs[0]
	}
	if o.Kind != isa.RelReg {
		return
	}
	at := int(o.Val)
	for i := range p.code.arrays {
		a := &p.code.arrays[i]
		n := a.elems * a.comps
		if at < a.first || at >= a.first+n {
			continue
		}
		o.Val += int32(p.arrayBase)
		if in.Flags&directElement != 0 {
			*o = isa.R(int(o.Val))
			return
		}
		x.array = regSpan{first: uint16(p.arrayBase + a.first), n: uint16(n)}
	}
}

// regSpan is a run of full registers.
type regSpan struct{ first, n uint16 }

// relative adds what an instruction touches through a0.x: any element of its array.
func (t *touch) relative(x *pinstr) {
	s := span{unit: 2 * int(x.array.first), n: 2 * int(x.array.n)}
	if x.Dst.Kind == isa.RelReg {
		t.writes = append(t.writes, s)
	} else {
		t.reads = append(t.reads, s)
	}
}
