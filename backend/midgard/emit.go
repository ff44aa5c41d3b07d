package midgard

import (
	"fmt"
	"strings"

	"nirc/backend"
	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
)

// layout puts the bundles of all blocks in a row, forms their words, and fills in
// branches and tags.
func (p *program) layout() {
	p.dropJumps()
	start := make([]*bundle, len(p.blocks)+1) // the first bundle from a block on
	for i := range p.blocks {
		p.list = append(p.list, p.blocks[i].list...)
	}
	if len(p.list) == 0 {
		b := newBundle()
		b.units[isa.UnitVMUL] = &inst{op: isa.OpImov, dst: isa.RegPipe0, mask: 1, out: isa.OutKeepLow, imm: true, src: [2]source{{reg: regNone}}}
		p.list = []*bundle{b}
	}
	for i := len(p.blocks) - 1; i >= 0; i-- {
		start[i] = start[i+1]
		if len(p.blocks[i].list) > 0 {
			start[i] = p.blocks[i].list[0]
		}
	}
	at := 0
	for _, b := range p.list {
		b.form(p.gpu)
		b.at = at
		at += b.enc.Quads()
	}
	encs := make([]isa.Bundle, len(p.list))
	for i, b := range p.list {
		encs[i] = b.enc
	}
	isa.Link(encs)
	for i, b := range p.list {
		b.enc.Next = encs[i].Next
		if b.branch != nil {
			p.link(b, start, at)
		}
	}
}

// dropJumps removes jumps to the bundle that follows anyway.
func (p *program) dropJumps() {
	for i := len(p.blocks) - 1; i >= 0; i-- {
		list := p.blocks[i].list
		k := len(list) - 1
		if k < 0 || list[k].branch == nil || list[k].branch.kind != kindBranch {
			continue
		}
		t := list[k].branch.target
		if t <= i {
			continue
		}
		empty := true
		for j := i + 1; j < t; j++ {
			empty = empty && len(p.blocks[j].list) == 0
		}
		if !empty {
			continue
		}
		b := list[k]
		for u := range isa.NumALUUnits {
			if b.cond[u] == b.branch {
				b.cond[u] = nil
				b.size -= unitSize(u)
			}
		}
		b.branch = nil
		b.size -= branchSize
		if b.size == 4 {
			p.blocks[i].list = list[:k]
		}
	}
}

// link fills in the branch of a bundle; end is the size of the code.
func (p *program) link(b *bundle, start []*bundle, end int) {
	in := b.branch
	br := &b.enc.Extended
	if in.kind == kindDiscard {
		br.Target, br.Offset = isa.TagInvalid, 2
		return
	}
	if in.kind == kindTileWait {
		br.Target, br.Offset = b.enc.Tag, -int32(b.enc.Quads())
		return
	}
	from := b.at + b.enc.Quads()
	if in.kind == kindWriteout && in.wo.last {
		b.enc.Next = isa.TagBreak
	}
	t := start[in.target]
	if t == nil {
		br.Target, br.Offset = isa.TagBreak, int32(end-from)
		return
	}
	br.Target, br.Offset = t.enc.Tag, int32(t.at-from)
}

// form makes the words of a bundle.
func (b *bundle) form(gpu *GPU) {
	e := &b.enc
	switch {
	case b.tex != nil:
		e.Tag, e.Tex = isa.TagTex, b.tex.tex
		switch t := &b.tex.tex; {
		case t.Op == isa.TexBarrier:
			e.Tag = isa.TagBarrier
		case t.Op == isa.TexFetch || b.tex.inv:
			e.Tag = isa.TagTexVtx
		}
		if b.tex.tex.Op != isa.TexBarrier {
			e.Tex.Mask = b.tex.mask
		}
		return
	case b.ldst[0] != nil:
		e.Tag = isa.TagLdSt
		e.LdSt = [2]isa.LoadStore{isa.EmptySlot, isa.EmptySlot}
		for i, in := range b.ldst {
			if in != nil {
				e.LdSt[i] = in.ld
				if in.ld.Op.Load() {
					e.LdSt[i].Reg, e.LdSt[i].Mask = uint8(in.dst), in.mask
				}
			}
		}
		return
	}
	for u := range isa.NumALUUnits {
		if in := b.units[u]; in != nil {
			e.Add(u, b.word(u, in))
		}
		if in := b.cond[u]; in != nil {
			e.Add(u, b.word(u, in.conditionMove()))
		}
	}
	upper := false
	if in := b.branch; in != nil {
		upper = b.formBranch(in)
	}
	if b.nconst > 0 {
		e.SetConsts(b.consts)
	}
	e.SetTag(upper && !gpu.NoUpperALU)
}

// formBranch makes the branch of a bundle; true if it is one of the output.
func (b *bundle) formBranch(in *inst) bool {
	br := isa.Branch{Op: isa.BranchCond, Cond: isa.CondAlways}
	if in.hasCond {
		br.Cond = isa.CondTrue
		if in.inv {
			br.Cond = isa.CondFalse
		}
	}
	switch in.kind {
	case kindDiscard:
		br.Op = isa.BranchDiscard
	case kindTileWait:
		br.Op = isa.BranchTilebuffer
	case kindWriteout:
		br.Op = isa.BranchWriteout
		b.writeoutValues(in.wo)
	}
	b.enc.SetBranch(br)
	return in.kind == kindTileWait || in.kind == kindWriteout
}

// writeoutValues adds what leaves in a writeout bundle (rule 7 of midgard.md §8.1).
func (b *bundle) writeoutValues(w *writeout) {
	mov := func(dst reg, mask uint8, o source) *inst {
		in := &inst{op: isa.OpImov, dst: dst, mask: mask, out: isa.OutKeepLow}
		in.src = [2]source{{reg: regNone}, o}
		return in
	}
	imm := func(dst reg, mask uint8, v uint16) *inst {
		in := mov(dst, mask, constant(uint32(v)))
		in.imm, in.con = true, v
		return in
	}
	e := &b.enc
	color := mov(0, w.rest, w.color)
	var pool constPool
	pool.from(b)
	if w.color.reg == regConst {
		if c, ok := inlineConstant(color.op, w.color, w.rest); ok {
			color.imm, color.con = true, c
		}
		pool.all(color)
	}
	for _, in := range w.make {
		if in != nil {
			pool.all(in)
		}
	}
	pool.to(b)
	if w.rest != 0 {
		e.Add(isa.UnitVMUL, b.word(isa.UnitVMUL, color))
	}
	for u, in := range w.make {
		if in != nil {
			e.Add(isa.Unit(u), b.word(isa.Unit(u), in))
		}
	}
	switch {
	case w.target == abi.TargetNone:
		e.Add(isa.UnitSADD, b.word(isa.UnitSADD, imm(1, 4, abi.TargetNone)))
	case w.target != 0 || w.blend:
		e.Add(isa.UnitSADD, b.word(isa.UnitSADD, imm(1, 4, uint16(w.target<<abi.TargetShift))))
	}
	back := &inst{op: isa.OpIadd, dst: 1, mask: 8, out: isa.OutKeepLow, imm: true}
	back.src[0] = source{reg: regPC}
	if w.blend {
		back = mov(blendReturn, 8, source{reg: blendReturn, swz: replicate(3)})
	}
	e.Add(isa.UnitVADD, b.word(isa.UnitVADD, back))
	if w.depth.reg != regNone {
		e.Add(isa.UnitSMUL, b.word(isa.UnitSMUL, mov(1, 1, w.depth)))
	}
	if w.stencil.reg != regNone {
		e.Add(isa.UnitLUT, b.word(isa.UnitLUT, mov(1, 2, w.stencil)))
	}
}

// conditionMove is what brings a select's or branch's condition to r31.
func (in *inst) conditionMove() *inst {
	if in.fuse != nil {
		return in.fuse
	}
	mv := &inst{op: isa.OpImov, dst: regCond, mask: in.condLanes(), out: isa.OutKeepLow}
	mv.src = [2]source{{reg: regNone}, in.cond}
	if in.half == partByte && in.op.Is(isa.SelectVector) {
		// The select's lanes have 16 bits, and the condition's stand where they do.
		mv.half, mv.skip = partBoth, 15&^mv.mask
		mv.mask = 3 << (2 * in.group())
	}
	return mv
}

// number is a register as an instruction word names it.
func (r reg) number() uint8 {
	switch r {
	case regTexOut0, regTexOut1:
		return uint8(r-regTexOut0) + isa.RegTex0
	case regPC:
		return isa.RegCond
	case regConst:
		return isa.RegConst
	}
	return uint8(r)
}

// word forms an instruction for a unit.
func (b *bundle) word(u isa.Unit, in *inst) isa.ALU {
	if u.Scalar() {
		return b.scalarWord(in)
	}
	mode := isa.Mode32
	switch {
	case in.half == partWide || in.half == partCut:
		return b.wideWord(in)
	case in.halfMode():
		mode = isa.Mode16
	}
	a := isa.Vector(in.op, mode, in.dst.number(), isa.LaneMask(isa.Mode32, uint16(in.lanes())))
	a.Out = in.out
	upper := in.component() >> 1 // which half of the register
	switch {
	case in.half == partByte:
		a.Mask = in.lanes() << (4 * in.group())
		a.Shrink = isa.Shrink(upper)
	case mode == isa.Mode16:
		a.Mask = in.lanes() << (4 * in.group())
	case in.half == partBoth:
		a.Shrink = isa.Shrink(upper)
	case in.half != partFull:
		// One lane: that of the operation is that of the 16-bit result in its half.
		e := 2 * in.component()
		if in.half == partHigh {
			e++
		}
		a.Mask = isa.LaneMask(isa.Mode32, 1<<(e&3))
		a.Shrink = isa.Shrink(e >> 2)
	}
	for i := range in.src {
		if in.usesSource(i) {
			a = a.From(i, b.vectorSource(in, i, mode))
		}
	}
	if in.imm {
		a = a.Inline(in.con)
	}
	return a
}

// component is the first component that the instruction writes.
func (in *inst) component() int {
	for c := range 4 {
		if in.mask>>c&1 != 0 {
			return c
		}
	}
	return 0
}

// halfModes are the operations that run on lanes of 16 bits, where all operands
// have these, as they do on wider ones.
var halfModes = func() (is [256]bool) {
	for _, op := range []isa.Op{
		isa.OpFadd, isa.OpFmul, isa.OpFmin, isa.OpFmax, isa.OpFmov, isa.OpFfloor, isa.OpFceil, isa.OpFtrunc, isa.OpFroundeven,
		isa.OpIadd, isa.OpIsub, isa.OpImul, isa.OpImin, isa.OpImax, isa.OpUmin, isa.OpUmax,
		isa.OpIand, isa.OpIor, isa.OpIxor, isa.OpInor, isa.OpInand, isa.OpIandnot, isa.OpIornot, isa.OpInxor, isa.OpImov,
	} {
		is[op] = true
	}
	return is
}()

// group tells which four of the eight lanes of a 16-bit operation the instruction
// is: the result's are those of its half of the register, and of bytes those of its
// component in the half.
func (in *inst) group() int {
	if in.half == partByte {
		return in.component() & 1
	}
	return in.component() >> 1
}

// readsBytes reports whether an operand has lanes of 8 bits.
func (in *inst) readsBytes() bool {
	return in.usesSource(0) && in.src[0].half == partByte || in.usesSource(1) && in.src[1].half == partByte
}

// halfMode reports whether the instruction is encoded with lanes of 16 bits, as all with
// bytes are; else its operands are expanded to 32 bits and the result is shrunk.
func (in *inst) halfMode() bool {
	if in.half == partByte || in.half == partBoth && in.readsBytes() {
		return true
	}
	if in.half != partBoth || !halfModes[in.op] || in.out == isa.OutKeepHigh && !in.op.Is(isa.FloatDst) {
		return false
	}
	for i := range in.src {
		s := &in.src[i]
		if !in.usesSource(i) {
			continue
		}
		if s.half == partFull || !in.op.Is(isa.FloatSrc) && s.mod != isa.ModSext && s.mod != isa.ModZext {
			return false
		}
		// What compares reads numbers: they must be those of the wide operation.
		switch in.op {
		case isa.OpImin, isa.OpImax:
			if s.mod != isa.ModSext {
				return false
			}
		case isa.OpUmin, isa.OpUmax:
			if s.mod != isa.ModZext {
				return false
			}
		}
	}
	return !in.imm || in.op.Is(isa.FloatSrc) || in.op != isa.OpUmin && in.op != isa.OpUmax
}

func (b *bundle) vectorSource(in *inst, i int, mode isa.Mode) isa.Source {
	s := &in.src[i]
	lanes := in.lanesRead(i)
	var sel [4]uint8
	used := 0
	for k := 3; k >= 0; k-- {
		if lanes>>k&1 == 0 {
			continue
		}
		used = k
		switch {
		case s.half == partByte:
			sel[k] = 2*(s.high>>k&1) + s.odd>>k&1
		case s.reg == regConst:
			sel[k] = b.constSlot(s.con[k])
		case s.half != partFull:
			sel[k] = 2*s.swz[k] + s.high>>k&1
		default:
			sel[k] = s.swz[k]
		}
	}
	for k := range 4 {
		if lanes>>k&1 == 0 || (in.half == partLow || in.half == partHigh) && !in.op.Is(isa.Reduce) {
			sel[k] = sel[used]
		}
	}
	o := isa.Source{Reg: s.reg.number(), Mod: s.mod}
	switch {
	case s.half == partByte:
		c := int(s.swz[used])
		if s.reg == regConst {
			c = int(b.constSlot(s.con[used]))
		}
		o.Expand = byteExpand(c, in.group())
	case s.half != partFull:
		upper := isa.Expand(sel[used] >> 2)
		o.Expand = isa.ExpandLow + upper
		if mode == isa.Mode16 {
			o.Expand = isa.ExpandRepLow + upper
			if !in.op.Is(isa.FloatSrc) {
				o.Mod = 0
			}
		}
	}
	o.Swizzle = isa.Swz(int(sel[0]), int(sel[1]), int(sel[2]), int(sel[3]))
	return o
}

// byteExpand brings the bytes of a component to a group of four lanes of an
// operation on 16 bits (midgard.md §3.2): the lanes 4 to 7 come from the component beside that
// of lanes 0 to 3, and the halves of the operand may be exchanged.
func byteExpand(component, group int) isa.Expand {
	e := isa.ExpandLow
	if (component^group)&1 != 0 {
		e = isa.ExpandLowSwapped
	}
	return e + isa.Expand(component>>1)
}

// constSlot is the component of the bundle's constants that holds v.
func (b *bundle) constSlot(v uint32) uint8 {
	for i, w := range b.consts[:b.nconst] {
		if w == v {
			return uint8(i)
		}
	}
	return 0
}

func (b *bundle) scalarWord(in *inst) isa.ALU {
	c := in.component()
	a := isa.Scalar(in.op, in.dst.number(), c)
	a.Out = in.out
	if in.half != partFull {
		a.DstFull = false
		if in.half == partHigh {
			a.DstComp++
		}
	}
	for i := range in.src {
		if !in.usesSource(i) {
			continue
		}
		s := &in.src[i]
		k := s.swz[c]
		if s.reg == regConst {
			k = b.constSlot(s.con[c])
		}
		o := isa.SReg(s.reg.number(), int(k))
		o.Mod = s.mod
		if s.half != partFull {
			o.Full = false
			o.Comp += s.high >> c & 1
		}
		a = a.From(i, o)
	}
	if in.imm {
		a = a.Inline(in.con)
	}
	return a
}

// encode appends the bytes of the program to the binary.
func (p *program) encode(out *Binary) error {
	for _, b := range p.list {
		loc := b.loc()
		if n := len(out.Lines); n == 0 || out.Lines[n-1].Loc != loc {
			out.Lines = append(out.Lines, backend.CodeLine{Offset: len(out.Code), Loc: loc})
		}
		var err error
		if out.Code, err = isa.AppendEncode(out.Code, &b.enc); err != nil {
			return fmt.Errorf("%w in %s", err, b.enc)
		}
	}
	out.Code = append(out.Code, make([]byte, isa.Padding)...)
	return nil
}

// loc is the source location of a bundle: that of its first instruction that has one.
func (b *bundle) loc() uint32 {
	for _, in := range append(append(b.units[:], b.ldst[:]...), b.tex, b.branch) {
		if in != nil && in.loc != 0 {
			return in.loc
		}
	}
	return 0
}

// String lists the bundles.
func (p *program) String() string {
	var w strings.Builder
	for _, b := range p.list {
		fmt.Fprintf(&w, "%4d  %s\n", b.at, strings.ReplaceAll(strings.TrimRight(b.enc.String(), "\n"), "\n", "\n      "))
	}
	return w.String()
}
