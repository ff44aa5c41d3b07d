package midgard

import (
	"math/bits"

	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
	"nirc/ir"
)

// bufferWords makes an operand of n words at a byte offset of a buffer that is
// read as uniform: a uniform register where there is room, else a load.
func (s *isel) bufferWords(k abi.UBOKind, r abi.Resource, off uint32, n int) source {
	ubo, err := s.tab.ubo(k, r)
	if err != nil {
		s.err = err
		return constant(0)
	}
	first := off & 15 / 4
	if off&3 == 0 && int(first)+n <= 4 && (s.meta.UBOs[ubo].Copied() || faults.has(faultUniformBuffer)) {
		if u, ok := s.tab.uniform(ubo, off&^15); ok {
			o := source{reg: u}
			for i := range 4 {
				o.swz[i] = uint8(min(int(first)+i, int(first)+n-1, 3))
			}
			return o
		}
	}
	d := s.f.newNode(n)
	s.loadUBO(uboLoad{ubo: ubo, dst: d, n: n, off: off, index: source{reg: regNone}})
	return source{reg: d, swz: identity}
}

var uboOps = [5]isa.LdOp{isa.LdUboU8, isa.LdUboU16, isa.LdUbo32, isa.LdUbo64, isa.LdUbo128}

// uboLoad is a load of n words of a table's buffer to components [first, first+n)
// of dst, at the immediate offset off and an index (regNone: none) that is shifted.
type uboLoad struct {
	ubo, first, n int
	dst           reg
	off           uint32
	index         source
	shift         uint8
}

func (s *isel) loadUBO(l uboLoad) {
	t := inst{kind: kindLdSt, dst: l.dst, mask: fullMask(l.n) << l.first}
	// Three words take the opcode of four, which reads no more than the block of 16 bytes that they end (midgard.md §5.7).
	if l.n == 3 && l.index.reg == regNone && l.off%16 == 4 {
		l.first, l.off = l.first-1, l.off-4
	}
	t.ld = isa.LoadStore{Op: uboOps[2+bits.Len(uint(l.n-1))], Swizzle: loadSwizzle(l.first), Index: isa.AddrReg{Reg: isa.AddrZero}, Shift: l.shift}
	s.uboAccess(&t, l.ubo, l.off, l.index)
}

// maxUBOOffset is the last immediate offset: they have 16 bits, and whether the highest is a
// sign no reference settles (midgard.md §5.7).
const maxUBOOffset = 1<<15 - 1

func (s *isel) uboAccess(t *inst, ubo int, off uint32, index source) {
	if off > maxUBOOffset && !faults.has(faultUBOOffset) {
		o := constant(off)
		if index.reg != regNone {
			if t.ld.Shift != 0 {
				index = s.temp(isa.OpIshl, 1, index, constant(uint32(t.ld.Shift)))
			}
			o = s.temp(isa.OpIadd, 1, index, o)
		}
		index, off, t.ld.Shift = o, 0, 0
	}
	t.ld.SetUBO(ubo, int(off))
	if index.reg != regNone {
		in, number := s.input()
		s.move(in, 1, index)
		t.ld.Index = isa.AddrReg{Reg: number}
	}
	s.add(*t)
}

// readBuffer selects a load from a buffer of the table.
func (s *isel) readBuffer(in *ir.Instr, k abi.UBOKind, r abi.Resource, base uint32, off *ir.Def) {
	n, b := int(in.Def.NumComponents)*width(&in.Def), int(in.Def.BitSize)
	if n > 4 {
		s.fail(in, "%s of %d x %d bits is not supported: it must be lowered", in.Intr, in.Def.NumComponents, b)
		return
	}
	o := s.comp(off, 0)
	if o.reg == regConst && b == 16 && (base+o.con[0])&1 == 0 && n <= 4 {
		s.bufferHalves(in, k, r, base+o.con[0])
		return
	}
	if o.reg == regConst && b == 8 {
		s.bufferBytes(in, k, r, base+o.con[0])
		return
	}
	if o.reg == regConst && b >= 32 {
		o := s.bufferWords(k, r, base+o.con[0], n)
		s.viewOf(in, o)
		return
	}
	ubo, err := s.tab.ubo(k, r)
	if err != nil {
		s.err = err
		return
	}
	index := o
	if o.reg == regConst {
		base += o.con[0]
		index = source{reg: regNone}
	}
	load := func(d reg, p piece, mask uint8) {
		t := inst{kind: kindLdSt, dst: d, mask: mask}
		t.ld = isa.LoadStore{Op: uboOps[p.log], Swizzle: loadSwizzle(bits.TrailingZeros8(mask)), Index: isa.AddrReg{Reg: isa.AddrZero}}
		s.uboAccess(&t, ubo, base+uint32(p.first*b/8), index)
	}
	if s.loadNarrow(in, load) {
		return
	}
	d := s.f.newNode(n)
	s.loadUBO(uboLoad{ubo: ubo, dst: d, n: n, off: base, index: index})
	s.set(&in.Def, value{reg: d, at: identity})
}

// loadConstant reads the shader's constant data, a buffer of the binary's own.
func (s *isel) loadConstant(in *ir.Instr) {
	at, err := s.tab.ubo(abi.UBOData, abi.Resource{})
	if err != nil {
		s.err = err
		return
	}
	s.meta.UBOs[at].Data = s.sh.ConstantData
	s.readBuffer(in, abi.UBOData, abi.Resource{}, uint32(in.Get(ir.IdxBase)), in.Srcs[0].Def)
}

// bufferOf finds the buffer of a handle: its address in x and y and its size in z
// of the operand; fixed reports whether the handle is constant; then r names it.
func (s *isel) bufferOf(in *ir.Instr, h *ir.Def) (desc source, r abi.Resource, fixed bool) {
	e := s.comp(h, 0)
	if e.reg == regConst {
		r, ok := s.res.entry(e.con[0])
		if !ok {
			s.broken(in, "%s: the buffer comes from no binding", in.Intr)
		}
		return source{}, r, true
	}
	if s.res.Total > 1024 {
		s.fail(in, "an index that is not constant into arrays of more than 1024 buffers is not supported")
		return constant(0), r, false
	}
	return s.chosenBuffer(h, e), r, false
}

// chosen is what an access of a block has read of a buffer that an index chooses.
type chosen struct {
	h    *ir.Def
	blk  int
	desc source
}

// maxChosen is how many such buffers an access looks back at.
const maxChosen = 8

// chosenBuffer is the address and the size of a buffer that an index chooses: what an earlier access of the block has read, or
// an entry of the table of system values.
func (s *isel) chosenBuffer(h *ir.Def, e source) source {
	for i := len(s.chosen) - 1; i >= max(0, len(s.chosen)-maxChosen); i-- {
		if k := &s.chosen[i]; k.h == h && k.blk == s.blk {
			return k.desc
		}
	}
	ubo, err := s.tab.ubo(abi.UBOSysvals, abi.Resource{})
	if err != nil {
		s.err = err
	}
	index, first := e, 0
	if len(s.res.open) > 0 {
		index = s.tailBuffers(e)
	} else {
		first = s.firstBuffer()
	}
	d := s.f.newNode(3)
	s.loadUBO(uboLoad{ubo: ubo, dst: d, n: 3, off: uint32(16 * first), index: index, shift: 4})
	s.chosen = append(s.chosen, chosen{h: h, blk: s.blk, desc: source{reg: d, swz: identity}})
	return source{reg: d, swz: identity}
}

// firstBuffer is the system value from which those of all buffers stand in a row.
func (s *isel) firstBuffer() int {
	if s.tab.dyn == 0 {
		s.tab.dyn = len(s.meta.Sysvals) + 1
		for k := range s.res.Total {
			x, _ := s.res.entry(k)
			s.meta.Sysvals = append(s.meta.Sysvals, abi.Sysval{Kind: abi.SysvalSSBO, Set: x.Set, Binding: x.Binding, Element: x.Element})
		}
	}
	return s.tab.dyn - 1
}

func (s *isel) descOf(in *ir.Instr, h *ir.Def) (desc source, fixed bool) {
	desc, r, fixed := s.bufferOf(in, h)
	if fixed && s.err == nil {
		desc = s.sysval(abi.Sysval{Kind: abi.SysvalSSBO, Set: r.Set, Binding: r.Binding, Element: r.Element})
	}
	return desc, fixed
}

func (s *isel) loadBuffer(in *ir.Instr) {
	h, off := in.Srcs[0].Def, in.Srcs[1].Def
	// Whether hardware gives zeros beyond the end of a buffer of the table is not known (midgard.md §5.7).
	tested := s.sh.Options.Robust.Of(in.MemoryModes()) != ir.RobustOff && !faults.has(faultUniformBounds)
	if in.Intr == ir.IntrLoadUbo && !tested {
		if e := s.comp(h, 0); e.reg == regConst {
			r, ok := s.res.entry(e.con[0])
			if !ok {
				s.broken(in, "%s: the buffer comes from no binding", in.Intr)
				return
			}
			s.readBuffer(in, abi.UBOBinding, r, 0, off)
			return
		}
	}
	a := s.guarded(in, h, guard{off: off, bytes: int(in.Def.NumComponents) * int(in.Def.BitSize) / 8})
	if s.err == nil {
		s.loadAt(in, a)
	}
}

func (s *isel) storeBuffer(in *ir.Instr) {
	val := in.Srcs[0].Def
	last := bits.Len(uint(in.Get(ir.IdxWriteMask)))
	a := s.guarded(in, in.Srcs[1].Def, guard{off: in.Srcs[2].Def, bytes: last * int(val.BitSize) / 8, write: true})
	if s.err == nil {
		s.storeAt(in, val, a)
	}
}

// bufferSize selects the size of a buffer in bytes.
func (s *isel) bufferSize(in *ir.Instr) {
	desc, _ := s.descOf(in, in.Srcs[0].Def)
	s.viewOf(in, desc.lane(2))
}
