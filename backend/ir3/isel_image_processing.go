package ir3

import (
	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
	"nirc/ir"
)

// Image processing (ir3.md §3.7): sums of many texels by one instruction.

// processes refuses GPUs and forms that have no such instruction.
func (x *texSel) processes() bool {
	switch {
	case !x.s.gpu.Images:
		x.s.fail(x.in, "%s is not supported on %s: the texture unit filters no more than two texels a side, needs a740", x.in.TexOp, x.s.gpu.Name)
	case x.in.Def.BitSize != 32:
		x.s.fail(x.in, "%s with %d-bit results is not supported by the ir3 backend", x.in.TexOp, x.in.Def.BitSize)
	}
	return x.s.err == nil
}

// process selects the operation; lowerImageProcessing has packed what comes after the coordinates.
func (x *texSel) process() {
	t := isa.Instr{Type: isa.F32, Op: isa.OpImgHof}
	switch x.in.TexOp {
	case ir.TexOpBoxFilterQcom:
		t.Op = isa.OpImgPcmn
	case ir.TexOpBlockMatchSadQcom:
		t.Op = isa.OpImgSad
	case ir.TexOpBlockMatchSsdQcom:
		t.Op = isa.OpImgSsd
	}
	pair := func(d *ir.Def) []opnd { return []opnd{x.s.comp(d, 0), x.s.comp(d, 1)} }
	var packed []opnd
	if d := x.src(ir.TexSrcBackend1); d != nil {
		packed = pair(d)
	}
	x.result(x.emit(t, uint8(x.in.Def.ComponentsRead()), pair(x.src(ir.TexSrcCoord)), packed))
}

// Places of a1.x for operations on two textures (ir3.md §2.8).
const (
	a1Sampler   = 3 // the sampler's number, after its set
	a1Second    = 7 // the second texture's number
	a1SecondSet = 13
)

// twoTextures sets mode, set and indices of an operation on two textures.
func (x *texSel) twoTextures(t *isa.Instr, smp texResource, uses []mach.Value) []mach.Value {
	s, tex, second := x.s, x.tex, x.second
	sets := uint32(smp.set) | uint32(second.set)<<a1SecondSet
	small := func(r texResource, n uint32) bool { return r.slot.kind == opImm && r.slot.bits < n }
	if small(tex, 16) && small(smp, 16) && small(second, 64) {
		t.Mode, t.Tex = isa.TexBindlessA1Imm, uint8(tex.slot.bits)
		s.setA1(sets | smp.slot.bits<<a1Sampler | second.slot.bits<<a1Second)
		return uses
	}
	t.Mode = registerMode(isa.TexBindlessA1, isa.TexBindlessA1Nonu, &tex, &smp, &second)
	s.setA1(sets)
	return s.register(t, 2, s.collect(tex.slot, smp.slot, second.slot), 0, uses)
}
