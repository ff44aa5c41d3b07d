package ir3

import (
	"nirc/backend/ir3/abi"
	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
	"nirc/ir"
)

// loadUBO selects ldc: the offset counts vec4, the instruction has the first
// component, and a load stays inside one vec4.
func (s *isel) loadUBO(in *ir.Instr) {
	if first, ok := s.pushedArray(in); ok {
		s.loadRelative(in, first)
		return
	}
	ldc := func(vec4 opnd, first, n int) []opnd { return s.ldc(in, vec4, first, n) }
	s.vec4Load(in, in.Srcs[1].Def, uint32(in.Get(ir.IdxAlignMul)), uint32(in.Get(ir.IdxAlignOffset)), ldc)
}

func (s *isel) ldc(in *ir.Instr, vec4 opnd, first, n int) []opnd {
	if set, slot, ok := constBuffer(in.Srcs[0].Def); ok && vec4.kind == opImm {
		if at, ok := s.consts.ubos.find(set, slot, vec4.bits); ok {
			ops := make([]opnd, n)
			for k := range ops {
				ops[k] = opnd{kind: opConst, bits: uint32(at + first + k)}
			}
			return ops
		}
	}
	return s.ldcFrom(vec4, first, n, func(t *isa.Instr, uses []mach.Value) []mach.Value {
		return s.descriptor(in, t, 1, in.Srcs[0].Def, uses)
	})
}

func (s *isel) ldcFrom(vec4 opnd, first, n int, desc func(t *isa.Instr, uses []mach.Value) []mach.Value) []opnd {
	t := isa.Instr{Op: isa.OpLdc, Index: uint8(first), Size: uint16(n)}
	var uses []mach.Value
	if vec4.kind == opImm && vec4.bits < 256 {
		t.Srcs[0] = isa.I(int32(vec4.bits))
	} else {
		uses = s.register(&t, 0, s.reg(vec4), 0, uses)
	}
	uses = desc(&t, uses)
	d := s.f.NewValue(classFull, n)
	s.add(t, d, uses...)
	return s.split(d, n)
}

// vec4Load loads from memory that is addressed in vec4 with known or unknown
// position inside them.
func (s *isel) vec4Load(in *ir.Instr, off *ir.Def, alignMul, alignOff uint32, load func(vec4 opnd, first, n int) []opnd) {
	n := int(in.Def.NumComponents)
	if in.Def.BitSize < 32 {
		s.narrowLoad(in, off, func(word opnd) opnd { return s.vec4Word(word, load) })
		return
	}
	o := s.comp(off, 0)
	ops := make([]opnd, 0, n)
	if o.kind != opImm && alignMul < 16 {
		for k := range n {
			at := s.alu2(isa.Instr{Op: isa.OpShrB}, false, false, immInt, s.addImm(o, uint32(4*k)), immediate(2, false))
			ops = append(ops, s.vec4Word(at, load))
		}
		s.setComps(&in.Def, ops...)
		return
	}
	first := alignOff & 15 >> 2
	vec4 := opnd{}
	if o.kind == opImm {
		first, vec4 = o.bits&15>>2, immediate(o.bits>>4, false)
	} else {
		var imm uint32
		vec4, imm = s.elements(in, off, 4, 0)
		vec4 = s.addImm(vec4, imm)
	}
	for len(ops) < n {
		k := min(n-len(ops), 4-int(first))
		ops = append(ops, load(vec4, int(first), k)...)
		first, vec4 = 0, s.addImm(vec4, 1)
		if len(ops) < n {
			continue
		}
	}
	s.setComps(&in.Def, ops...)
}

// vec4Word loads one word of a word number: its vec4, and the component by
// selects if it is not known.
func (s *isel) vec4Word(word opnd, load func(vec4 opnd, first, n int) []opnd) opnd {
	if word.kind == opImm {
		return load(immediate(word.bits>>2, false), int(word.bits&3), 1)[0]
	}
	word = s.once(word)
	v := load(s.alu2(isa.Instr{Op: isa.OpShrB}, false, false, immInt, word, immediate(2, false)), 0, 4)
	bit := func(b uint32) opnd {
		return s.alu2(isa.Instr{Op: isa.OpAndB}, false, false, immInt, word, immediate(b, false))
	}
	odd, high := bit(1), bit(2)
	return s.sel(false, high, s.sel(false, odd, v[3], v[2]), s.sel(false, odd, v[1], v[0]))
}

// loadPush reads push constants from the const file: directly, or relative to a0.x.
func (s *isel) loadPush(in *ir.Instr) {
	base := uint32(in.Get(ir.IdxBase))
	first := s.consts.push.Offset - int(s.consts.start/4)
	read := func(word opnd) opnd {
		if word.kind == opImm {
			return opnd{kind: opConst, bits: uint32(first) + word.bits}
		}
		return s.relConst(word, first)
	}
	if in.Def.BitSize < 32 {
		if base&3 != 0 {
			s.fail(in, "%s of %d-bit components at byte %d is not supported", in.Intr, in.Def.BitSize, base)
			return
		}
		first += int(base / 4)
		s.narrowLoad(in, in.Srcs[0].Def, read)
		return
	}
	ops := make([]opnd, in.Def.NumComponents)
	off, imm := s.elements(in, in.Srcs[0].Def, 2, 1<<20)
	imm += base / 4
	if !off.isImm(0) {
		s.setComps(&in.Def, s.relConsts(off, first+int(imm), len(ops))...)
		return
	}
	for k := range ops {
		ops[k] = opnd{kind: opConst, bits: uint32(first) + uint32(k) + imm}
	}
	s.setComps(&in.Def, ops...)
}

// pushedArray returns the scalar of the const file where a buffer would begin, if all that a load with a variable offset can
// reach is there.
func (s *isel) pushedArray(in *ir.Instr) (int, bool) {
	set, slot, ok := constBuffer(in.Srcs[0].Def)
	if _, fixed := in.Srcs[1].Def.Const(0); fixed || !ok || s.f == s.pre.f || !s.readsInPlace(in) {
		return 0, false
	}
	first, n, ok := uboSpan(in)
	if !ok {
		return 0, false
	}
	at, ok := s.consts.ubos.findArray(set, slot, first, n)
	return at - 4*int(first), ok
}

// loadRelative reads what stands in the const file from a scalar on, relative to a0.x.
func (s *isel) loadRelative(in *ir.Instr, first int) {
	if in.Def.BitSize < 32 {
		s.narrowLoad(in, in.Srcs[1].Def, func(word opnd) opnd { return s.relConst(word, first) })
		return
	}
	off, imm := s.elements(in, in.Srcs[1].Def, 2, 1<<20)
	s.setComps(&in.Def, s.relConsts(off, first+int(imm), int(in.Def.NumComponents))...)
}

// relConst reads c<a0.x + n> with a0.x = index.
func (s *isel) relConst(index opnd, n int) opnd { return s.relConsts(index, n, 1)[0] }

// relConsts reads count consts from c<a0.x + n> on with a0.x = index: one by one, for nobody
// knows relative sources to advance in a repetition (ir3.md §8.4).
func (s *isel) relConsts(index opnd, n, count int) []opnd {
	if n < -512 || n+count > 512 {
		index, n = s.addImm(index, uint32(n&^255)), n&255
	}
	a := s.addressReg(index)
	ops := make([]opnd, count)
	for k := range ops {
		d := s.newReg(false)
		s.add(isa.Instr{Op: isa.OpMov, Type: isa.U32, SrcType: isa.U32, Srcs: [4]isa.Operand{isa.RelC(n + k)}}, d, a)
		ops[k] = s.value(d)
	}
	return ops
}

// loadConstant reads the shader's constant data, a uniform buffer of the stage's own beside the
// descriptor sets.
func (s *isel) loadConstant(in *ir.Instr) {
	base := uint32(in.Get(ir.IdxBase))
	if s.loadFromConsts(in, base) {
		return
	}
	s.meta.ConstData = s.sh.ConstantData
	load := func(vec4 opnd, first, n int) []opnd {
		return s.ldcFrom(vec4, first, n, func(t *isa.Instr, uses []mach.Value) []mach.Value {
			t.Srcs[1] = isa.I(abi.ConstDataUBO)
			return uses
		})
	}
	if base == 0 {
		s.vec4Load(in, in.Srcs[0].Def, uint32(in.Get(ir.IdxAlignMul)), uint32(in.Get(ir.IdxAlignOffset)), load)
		return
	}
	n := int(in.Def.NumComponents)
	bytes := uint32(in.Def.BitSize / 8)
	if bytes == 0 || bytes > 4 {
		s.fail(in, "%s of %d-bit components is not supported", in.Intr, in.Def.BitSize)
		return
	}
	ops := make([]opnd, n)
	for k := range ops {
		at := s.addImm(s.comp(in.Srcs[0].Def, 0), base+uint32(k)*bytes)
		var word opnd
		if at.kind == opImm {
			word = immediate(at.bits>>2, false)
		} else {
			at = s.once(at)
			word = s.alu2(isa.Instr{Op: isa.OpShrB}, false, false, immInt, at, immediate(2, false))
		}
		w := s.vec4Word(word, load)
		if bytes < 4 {
			sh := s.alu2(isa.Instr{Op: isa.OpShlB}, false, false, immInt, s.once(at), immediate(3, false))
			w = s.narrow(s.alu2(isa.Instr{Op: isa.OpShrB}, false, false, immInt, w, sh), 32)
		}
		ops[k] = w
	}
	s.setComps(&in.Def, ops...)
}

// maxDataConsts bounds the words of constant data that are among the consts, maxMadeConsts where a preamble has to make
// them. dataAlign is the alignment from which a load names the vec4 that its components are in.
const (
	maxDataConsts = 128
	maxMadeConsts = 32
	dataAlign     = 16
)

// loadFromConsts reads constant data from the const file, relative to a0.x, where nobody knows the components that
// words are in: each would be loaded with the three around it, and chosen. It reports false of all others.
func (s *isel) loadFromConsts(in *ir.Instr, base uint32) bool {
	_, fixed := in.Srcs[0].Def.Const(0)
	if fixed || in.Def.BitSize > 32 || base&3 != 0 || s.f == s.pre.f {
		return false
	}
	if in.Def.BitSize == 32 && base == 0 && in.Get(ir.IdxAlignMul) >= dataAlign {
		return false
	}
	at, ok := s.dataConsts()
	if !ok {
		return false
	}
	at += int(base / 4)
	if in.Def.BitSize < 32 {
		s.narrowLoad(in, in.Srcs[0].Def, func(word opnd) opnd { return s.relConst(word, at) })
		return true
	}
	off, imm := s.elements(in, in.Srcs[0].Def, 2, 1<<20)
	s.setComps(&in.Def, s.relConsts(off, at+int(imm), int(in.Def.NumComponents))...)
	return true
}

// dataConsts is the scalar of the const file from which the shader's constant data stands there, if it may.
func (s *isel) dataConsts() (int, bool) {
	n := (len(s.sh.ConstantData) + 3) / 4
	if n > maxDataConsts || s.gpu.PreambleConsts && n > maxMadeConsts {
		return 0, false
	}
	words := make([]uint32, n)
	for i, x := range s.sh.ConstantData {
		words[i/4] |= uint32(x) << (8 * (i % 4))
	}
	return s.consts.immediates(words)
}
