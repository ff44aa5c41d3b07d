package ir3

import (
	"nirc/backend"
	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
	"nirc/ir"
)

// loadUnit selects ldc: the offset counts units of 16 bytes, and the instruction has the first component.
func (s *isel) loadUnit(in *ir.Instr) {
	h, unit, first, n := in.Srcs[0].Def, s.unit(in), int(in.Get(ir.IdxComponent)), int(in.Def.NumComponents)
	if set, slot, ok := constBuffer(h); ok && unit.kind == opImm {
		if at, ok := s.consts.ubos.find(set, slot, unit.bits); ok {
			ops := make([]opnd, n)
			for k := range ops {
				ops[k] = opnd{kind: opConst, bits: uint32(at + first + k)}
			}
			s.setComps(&in.Def, ops...)
			s.pre.noteUnit(pushedUnit{load: in, at: uint32(at + first), n: n})
			return
		}
	}
	s.setComps(&in.Def, s.fetchUnit(in, unit)...)
}

// fetchUnit emits the ldc of a load, and returns its components.
func (s *isel) fetchUnit(in *ir.Instr, unit opnd) []opnd {
	h, first, n := in.Srcs[0].Def, int(in.Get(ir.IdxComponent)), int(in.Def.NumComponents)
	t := isa.Instr{Op: isa.OpLdc, Index: uint8(first), Size: uint16(n)}
	var uses []mach.Value
	if unit.kind == opImm && unit.bits < 256 {
		t.Srcs[0] = isa.I(int32(unit.bits))
	} else {
		uses = s.register(&t, 0, s.reg(unit), 0, uses)
	}
	if c, ok := h.Const(0); ok {
		s.meta.ConstData = s.sh.ConstantData
		t.Srcs[1] = isa.I(int32(c))
	} else {
		uses = s.descriptor(in, &t, 1, h, uses)
	}
	d := s.f.NewValue(classFull, n)
	s.add(t, d, uses...)
	return s.split(d, n)
}

// unit is the number of a load's unit.
func (s *isel) unit(in *ir.Instr) opnd {
	d, base := in.Srcs[1].Def, uint32(in.Get(ir.IdxBase))
	if sh := d.Instr; sh.IsALU(ir.OpUshr) && sh.Srcs[0].Def.NumComponents == 1 && !s.isRoot(sh) {
		if n, ok := sh.Srcs[1].Const(0); ok && n == 4 { // of a byte
			o, imm := s.elements(in, sh.Srcs[0].Def, 4, 0)
			return s.addImm(o, imm+base)
		}
	}
	return s.addImm(s.comp(d, 0), base)
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

// loadArray reads an element of an array that is in the const file, relative to a0.x.
func (s *isel) loadArray(in *ir.Instr) {
	at, first, ok := s.pushedArray(in)
	if !ok || in.Def.BitSize != 32 {
		s.broken(in, "an array was not brought to the const file")
		return
	}
	off, imm := s.elements(in, in.Srcs[1].Def, 2, 1<<20)
	s.setComps(&in.Def, s.relConsts(off, at-4*int(first)+int(imm), int(in.Def.NumComponents))...)
}

// pushedArray returns the scalar of the const file from which all that a load with a variable offset can reach stands,
// and the unit of the buffer that is there.
func (s *isel) pushedArray(in *ir.Instr) (at int, first uint32, ok bool) {
	set, slot, ok := constBuffer(in.Srcs[0].Def)
	first, n, known := uboSpan(in)
	if !ok || !known || s.noPush {
		return 0, 0, false
	}
	at, ok = s.consts.ubos.findArray(set, slot, first, n)
	return at, first, ok
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

// maxDataConsts bounds the words of constant data that are among the consts, maxMadeConsts where a preamble has to make
// them. dataAlign is the alignment from which a load names the vec4 that its components are in.
const (
	maxDataConsts = 128
	maxMadeConsts = 32
	dataAlign     = 16
)

// loadConstant reads constant data by words from the const file, relative to a0.x (wordsOfData). Where it has no place there,
// selection begins again without that.
func (s *isel) loadConstant(in *ir.Instr) {
	at, ok := s.dataConsts()
	if !ok {
		s.left = s.dataLoads()
		backend.Note(&s.err, errUnits)
		return
	}
	at += int(in.Get(ir.IdxBase) / 4)
	if in.Def.BitSize < 32 {
		s.narrowLoad(in, in.Srcs[0].Def, func(word opnd) opnd { return s.relConst(word, at) })
		return
	}
	off, imm := s.elements(in, in.Srcs[0].Def, 2, 1<<20)
	s.setComps(&in.Def, s.relConsts(off, at+int(imm), int(in.Def.NumComponents))...)
}

// dataLoads are the loads of constant data.
func (s *isel) dataLoads() (list []*ir.Instr) {
	for b := range s.impl.Blocks() {
		for in := range b.Instrs() {
			if in.IsIntrinsic(ir.IntrLoadConstant) {
				list = append(list, in)
			}
		}
	}
	return list
}

// dataConsts is the scalar of the const file from which the shader's constant data stands there, if there is room.
func (s *isel) dataConsts() (int, bool) {
	words := make([]uint32, (len(s.sh.ConstantData)+3)/4)
	for i, x := range s.sh.ConstantData {
		words[i/4] |= uint32(x) << (8 * (i % 4))
	}
	return s.consts.immediates(words)
}
