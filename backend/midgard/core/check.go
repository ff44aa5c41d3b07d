package core

import (
	"errors"
	"fmt"

	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
	"nirc/ir"
)

// check finds what a bundle may not do whatever the values are: the rules of
// midgard.md §2, 3 and 8. It runs once, at Load; checking mode
// reports it when the bundle is reached.
func (p *program) check(i int) error {
	b := &p.code[i]
	if b.decode != nil {
		return nil
	}
	switch {
	case b.Next == isa.TagInvalid:
		return errors.New("the next tag is invalid")
	case b.Next != isa.TagBreak && (i+1 == len(p.code) || p.code[i+1].Tag != b.Next):
		return fmt.Errorf("the next tag is %s, but the next bundle is another", b.Next)
	case b.hasBranch && b.taken == pcNone:
		return fmt.Errorf("the branch goes %+d, where no bundle of tag %s is", b.branch.Offset, b.branch.Target)
	}
	switch {
	case b.Tag.ALU():
		return p.checkALU(b)
	case b.Tag == isa.TagLdSt:
		return p.checkLdSt(b)
	}
	if err := p.checkTexture(b); err != nil {
		return err
	}
	return p.checkOutOfOrder(i)
}

func (p *program) checkALU(b *bundle) error {
	if err := p.checkTag(b); err != nil {
		return err
	}
	var stage [2][fileSize][2]uint64 // bits written
	for i := range b.alu {
		x := &b.alu[i]
		a := &b.ALU[x.unit]
		if err := p.checkInstr(a, x); err != nil {
			return fmt.Errorf("%s: %w", x.unit, err)
		}
		s := &stage[x.unit.Stage()-1][x.reg]
		if x.mask[0]&s[0]|x.mask[1]&s[1] != 0 {
			return fmt.Errorf("%s: register %d is written twice in one stage", x.unit, x.reg)
		}
		s[0] |= x.mask[0]
		s[1] |= x.mask[1]
	}
	if err := checkPipes(b, &stage[0]); err != nil {
		return err
	}
	if err := checkCondition(b, &stage); err != nil {
		return err
	}
	if b.hasBranch && b.branch.Op == isa.BranchWriteout {
		return p.checkWriteout(b)
	}
	return nil
}

// checkTag: writeout and tilebuffer bundles have tags of their own.
func (p *program) checkTag(b *bundle) error {
	special := b.hasBranch && (b.branch.Op == isa.BranchWriteout || b.branch.Op == isa.BranchTilebuffer)
	switch {
	case b.Tag.Writeout() && p.meta.NoUpperALU:
		return fmt.Errorf("the GPU faults on the tag %s", b.Tag)
	case special && !b.Tag.Writeout() && !p.meta.NoUpperALU:
		return fmt.Errorf("a writeout or tilebuffer wait needs one of the tags aluw, not %s", b.Tag)
	case b.Tag.Writeout() && !special:
		return fmt.Errorf("the tag %s is for writeouts and tilebuffer waits", b.Tag)
	case b.Has(isa.UnitBranch) && b.Has(isa.UnitBranchX):
		return errors.New("two branches in a bundle")
	}
	return nil
}

func (p *program) checkInstr(a *isa.ALU, x *inst) error {
	info := a.Op.Info()
	scalar := x.unit.Scalar()
	switch {
	case !a.Op.Known():
		return fmt.Errorf("opcode %#02x is not known", uint8(a.Op))
	case !info.Units.Has(x.unit):
		return fmt.Errorf("%s does not run on this unit", a.Op)
	case !x.float && x.out != isa.OutKeepLow && (!x.shrink || scalar):
		return fmt.Errorf("%s: an integer result needs output modifier 2 here, not %d", a.Op, x.out)
	case a.Op.Is(isa.Reduce|isa.OneLane) && x.nout != 1:
		return fmt.Errorf("%s writes %d lanes, it must be one", a.Op, x.nout)
	case a.Op.Is(isa.Reduce) && x.shrink && (a.Src[0].Expand.Widens() || !a.Imm && a.Src[1].Expand.Widens()):
		return fmt.Errorf("%s widens operands and narrows the result", a.Op)
	case x.unit == isa.UnitLUT && a.Op.Is(isa.OneLane) && x.bits != 32:
		return fmt.Errorf("%s computes in 32 bits only", a.Op)
	case a.Shrink == isa.ShrinkReserved:
		return errors.New("the shrink mode 3 is reserved")
	case !scalar && a.Mask != isa.LaneMask(a.Mode, a.Lanes()):
		return fmt.Errorf("the write mask %#02x cuts a lane", a.Mask)
	case x.nout == 0:
		return errors.New("the write mask is empty")
	}
	if err := p.checkDst(a.Dst); err != nil {
		return err
	}
	for i := range a.Src {
		if unused(a, i) {
			continue
		}
		if err := p.checkSource(a, i, scalar); err != nil {
			return fmt.Errorf("source %d: %w", i+1, err)
		}
	}
	return nil
}

// unused reports whether source i is one that a one-operand instruction ignores.
func unused(a *isa.ALU, i int) bool {
	if i == 0 {
		return a.Op.Is(isa.Move)
	}
	return a.Imm || a.Op.Is(isa.Unary) && !a.Op.Is(isa.Move)
}

func (p *program) checkDst(r uint8) error {
	switch {
	case int(r) < p.meta.WorkRegs, r >= 24 && r <= 29, r == isa.RegCond:
		return nil
	case int(r) > abi.UniformTop-len(p.meta.Uniforms) && r <= abi.UniformTop:
		return fmt.Errorf("register %d is a uniform register and cannot be written", r)
	}
	return fmt.Errorf("register %d is written, but only %d work registers are declared", r, p.meta.WorkRegs)
}

func (p *program) checkSource(a *isa.ALU, i int, scalar bool) error {
	s := &a.Src[i]
	r := int(s.Reg)
	switch {
	case r < p.meta.WorkRegs, r > abi.UniformTop-len(p.meta.Uniforms) && r <= abi.UniformTop, r == 24, r == 25, r == isa.RegConst,
		r == isa.RegCond:
	case r == isa.RegTex0 || r == isa.RegTex1:
		if p.meta.Alias {
			return fmt.Errorf("register %d is no texture result on this GPU", r)
		}
	default:
		return fmt.Errorf("register %d is neither a work register (%d) nor a uniform register (%d)", r, p.meta.WorkRegs, len(p.meta.Uniforms))
	}
	if scalar {
		if s.Full && s.Comp&1 != 0 {
			return fmt.Errorf("component %d of 16 bits is no 32-bit component", s.Comp)
		}
		return nil
	}
	e := s.Expand
	ok := e == isa.ExpandNone || a.Mode == isa.Mode16 || a.Mode == isa.Mode8 && e <= isa.ExpandSwap ||
		a.Mode >= isa.Mode32 && (e == isa.ExpandLow || e == isa.ExpandHigh)
	if !ok {
		return fmt.Errorf("expand mode %d does not exist in %d bits", e, a.Mode.Bits())
	}
	return nil
}

// checkPipes: pipeline registers are read in stage 2 where stage 1 wrote them.
func checkPipes(b *bundle, first *[fileSize][2]uint64) error {
	for i := range b.alu {
		x := &b.alu[i]
		a := &b.ALU[x.unit]
		for k := range x.src {
			s := &x.src[k]
			if unused(a, k) || s.fixed || s.reg != 24 && s.reg != 25 {
				continue
			}
			w := &first[s.reg]
			if x.unit.Stage() == 1 || s.bytes[0]&^w[0]|s.bytes[1]&^w[1] != 0 {
				return fmt.Errorf("%s: pipeline register %d is read where stage 1 of the bundle did not write it", x.unit, s.reg)
			}
		}
		if x.reg == 25 && x.unit != isa.UnitSADD {
			return fmt.Errorf("%s: pipeline register 25 is written by another unit than SADD", x.unit)
		}
	}
	return nil
}

// checkCondition: the one consumer of r31 has its condition from the bundle.
func checkCondition(b *bundle, stage *[2][fileSize][2]uint64) error {
	consumers := 0
	for i := range b.alu {
		x := &b.alu[i]
		var need [2]uint64
		switch x.shape {
		case shapeSelect:
			for k := range x.nout {
				off := uint(x.lane[k]) * x.bits
				need[off>>6] |= mask(x.bits) << (off & 63)
			}
		case shapeSelectW:
			need[1] = mask(32) << 32
		default:
			continue
		}
		consumers++
		w := &stage[0][fileCond]
		if need[0]&^w[0]|need[1]&^w[1] != 0 {
			return fmt.Errorf("%s: a select whose condition is not written in stage 1 of the bundle", x.unit)
		}
		if by := conditionUnit(b); by.Scalar() != (x.shape == shapeSelectW) {
			return fmt.Errorf("%s: %s takes its condition from the other unit of stage 1 than %s", x.unit, x.op, by)
		}
	}
	if b.hasBranch && (b.branch.Cond == isa.CondTrue || b.branch.Cond == isa.CondFalse) && (b.Has(isa.UnitBranchX) || b.branch.Op != isa.BranchUncond) {
		consumers++
		if stage[1][fileCond][1]>>32 != mask(32) {
			return errors.New("a branch whose condition r31.w is not written in stage 2 of the bundle")
		}
	}
	if consumers > 1 {
		return errors.New("more than one consumer of the condition r31")
	}
	return nil
}

// conditionUnit is the last unit of stage 1 that writes r31.
func conditionUnit(b *bundle) (u isa.Unit) {
	for i := range b.alu {
		if x := &b.alu[i]; x.reg == fileCond && x.unit.Stage() == 1 {
			u = x.unit
		}
	}
	return u
}

// checkWriteout: what leaves must be written in the bundle (rule 7 of midgard.md §8.1).
func (p *program) checkWriteout(b *bundle) error {
	full := mask(64)
	depthOnly := false
	for i := range b.alu {
		x := &b.alu[i]
		if x.reg == 1 && x.off[0] == 8 && x.src[1].fixed && x.op.Is(isa.Move) && x.src[1].vals[0] == abi.TargetNone {
			depthOnly = true
		}
	}
	switch {
	case p.meta.Stage != ir.StageFragment:
		return errors.New("a writeout outside of a fragment shader")
	case b.wrote[0] != [2]uint64{full, full}:
		return errors.New("a writeout bundle that does not write all of r0")
	case b.wrote[1][1]>>32 != mask(32):
		return errors.New("a writeout bundle that does not write the return address r1.w")
	case depthOnly && b.wrote[1][0] == 0:
		return errors.New("a writeout of depth and stencil that writes neither")
	}
	for i := range b.alu {
		x := &b.alu[i]
		switch {
		case x.shape == shapeSelect || x.shape == shapeSelectW:
			return errors.New("a select in a writeout bundle")
		case x.unit == isa.UnitLUT && x.mask[1]>>32 != 0:
			return errors.New("the LUT unit must not write component w in a writeout bundle")
		}
	}
	return nil
}

func (p *program) checkLdSt(b *bundle) error {
	vary, other := false, false
	for i := range b.LdSt {
		l := &b.LdSt[i]
		k := l.Op.Info().Kind
		switch {
		case k == isa.KindNop:
			continue
		case k == isa.KindUbo && l.UBOOffset() >= 1<<15:
			return fmt.Errorf("slot %d: an immediate offset of %d bytes, which may be a negative one", i, l.UBOOffset())
		case k == isa.KindUnknown:
			return fmt.Errorf("slot %d: opcode %#02x is not known", i, uint8(l.Op))
		case k == isa.KindTile && p.gpu != nil && !p.gpu.TileLoads:
			return fmt.Errorf("slot %d: %s has no %s", i, p.gpu.Name, l.Op)
		case checkLongs(l) != nil:
			return fmt.Errorf("slot %d: %w", i, checkLongs(l))
		case k == isa.KindStVary:
			vary = true
			if l.Mask != 15 {
				return fmt.Errorf("slot %d: varyings are stored with the mask 15", i)
			}
		default:
			other = true
		}
		if l.Op.Load() && int(l.Reg) < 24 {
			if err := p.checkDst(l.Reg); err != nil {
				return fmt.Errorf("slot %d: %w", i, err)
			}
		}
	}
	if vary && other {
		return errors.New("a varying store beside another kind of load/store")
	}
	a, c := &b.LdSt[0], &b.LdSt[1]
	if a.Op.Load() && c.Op.Load() && a.Reg == c.Reg && a.Mask&c.Mask != 0 {
		return fmt.Errorf("register %d is written twice in the bundle", a.Reg)
	}
	return nil
}

func (p *program) checkTexture(b *bundle) error {
	x := &b.Tex
	derives := x.Op == isa.TexSample || x.Op == isa.TexDerivative
	switch {
	case (x.Op == isa.TexBarrier) != (b.Tag == isa.TagBarrier):
		return fmt.Errorf("%s in a bundle of tag %s", x.Op, b.Tag)
	case x.Op == isa.TexBarrier && !p.meta.UsesBarrier:
		return errors.New("a barrier in a program whose metadata has none")
	case x.Op == isa.TexBarrier:
		return nil
	case x.Op == isa.TexSample && p.meta.Stage != ir.StageFragment:
		return errors.New("no fact says which level a lookup takes of itself outside of fragment shaders")
	case b.Tag == isa.TagTex && (x.Op == isa.TexFetch || p.meta.Stage != ir.StageFragment):
		return fmt.Errorf("%s needs the tag %s here", x.Op, isa.TagTexVtx)
	case b.Tag == isa.TagTexVtx && derives && p.meta.Stage == ir.StageFragment:
		return fmt.Errorf("%s takes derivatives and needs the tag %s", x.Op, isa.TagTex)
	case x.OutOfOrder != 0 && p.gpu != nil && !p.gpu.OutOfOrder:
		return fmt.Errorf("%s runs no bundles before a texture operation ends", p.gpu.Name)
	case x.Helpers == isa.HelpersReserved:
		return errors.New("the helper field 0 is reserved")
	case !derives && x.Helpers != isa.HelpersNormal:
		return errors.New("an operation that takes no derivatives ends no helpers")
	case x.Op == isa.TexDerivative && x.Mask&^3 != 0 && x.Mask&^12 != 0:
		return fmt.Errorf("a derivative is of two components, the mask is %#x", x.Mask)
	case derives && p.meta.Stage == ir.StageFragment && !p.meta.NeedsQuads:
		return errors.New("derivatives in a program that does not ask for quads")
	}
	return nil
}

// before checks a bundle that a thread is about to execute.
func (w *wave) before(t *thread, b *bundle) error {
	if b.rules != nil {
		return b.rules
	}
	switch {
	case b.Tag.ALU():
		return w.readsDefined(t, b)
	case b.Tag == isa.TagLdSt:
		return w.addressDefined(t, b)
	}
	return nil
}

// need is a part of a register that must hold something before a bundle.
type need struct {
	reg   uint8
	bits  [2]uint64
	unit  isa.Unit
	src   uint8 // number of the source, from 1
	named uint8 // the register as the instruction names it
}

// findNeeds lists what the bundle reads and does not write first. The pipeline
// registers are checked by the bundle.
func (b *bundle) findNeeds() {
	for i := range b.alu {
		x := &b.alu[i]
		a := &b.ALU[x.unit]
		for k := range x.src {
			s := &x.src[k]
			if s.fixed || unused(a, k) || s.reg == 24 || s.reg == 25 {
				continue
			}
			n := need{reg: s.reg, bits: s.bytes, unit: x.unit, src: uint8(k + 1), named: a.Src[k].Reg}
			if x.unit.Stage() == 2 {
				b.lessStage1(&n)
			}
			// A writeout bundle moves r0, depth and stencil to themselves.
			self := s.reg == x.reg && b.hasBranch && b.branch.Op == isa.BranchWriteout && a.Op.Is(isa.Move)
			if n.bits != [2]uint64{} && !self {
				b.needs = append(b.needs, n)
			}
		}
	}
}

// lessStage1 takes from what an instruction of the second stage needs the bits that those of the
// first give it.
func (b *bundle) lessStage1(n *need) {
	for i := range b.alu[:b.stage2] {
		if y := &b.alu[i]; y.reg == n.reg {
			n.bits[0] &^= y.mask[0]
			n.bits[1] &^= y.mask[1]
		}
	}
}

// readsDefined: registers that are read hold something.
func (w *wave) readsDefined(t *thread, b *bundle) error {
	for i := range b.needs {
		n := &b.needs[i]
		d := &t.def[n.reg]
		if n.bits[0]&^d[0]|n.bits[1]&^d[1] != 0 {
			return fmt.Errorf("%s: source %d reads parts of register %d that nothing wrote, or that a writeout destroyed", n.unit, n.src, n.named)
		}
	}
	return nil
}

// addressDefined: the address registers r26 and r27 hold what a load/store
// bundle takes from them.
func (w *wave) addressDefined(t *thread, b *bundle) error {
	need := func(a isa.AddrReg, n uint8) error {
		if a.Reg > 1 {
			return nil
		}
		for c := a.Comp; c < a.Comp+n && c < 4; c++ {
			if t.def[isa.RegConst+a.Reg][c>>1]>>(c&1*32)&mask(32) != mask(32) {
				return fmt.Errorf("component %d of load/store input %d is read before anything wrote it", c, a.Reg)
			}
		}
		return nil
	}
	for i := range b.LdSt {
		l := &b.LdSt[i]
		info := l.Op.Info()
		var err error
		switch info.Kind {
		case isa.KindNop:
			continue
		case isa.KindLoad, isa.KindStore, isa.KindLea, isa.KindAtomic, isa.KindCmpXchg:
			err = need(l.Arg, 1+b2u(l.Toggle))
			if err == nil {
				err = need(l.Index, indexWords(l))
			}
			if err == nil && info.Atomic != isa.AtomicNone {
				err = need(l.AtomicSrc(), info.Size/4)
			}
		case isa.KindImage, isa.KindStImage, isa.KindLeaImage:
			err = need(l.Arg, 1+b2u(l.Toggle))
			if err == nil {
				err = need(l.Index, 1)
			}
		case isa.KindUbo, isa.KindAttr, isa.KindVary, isa.KindSpecial, isa.KindStVary, isa.KindStSpecial:
			err = need(l.Index, 1)
		}
		if err != nil {
			return fmt.Errorf("slot %d: %w", i, err)
		}
	}
	return nil
}

// indexWords is how many words a memory operation takes in its index's place: of CMPXCHG those are the comparand's.
func indexWords(l *isa.LoadStore) uint8 {
	if info := l.Op.Info(); info.Kind == isa.KindCmpXchg {
		return info.Size / 4
	}
	return 1 + b2u(l.Format == isa.IndexU64)
}

func b2u(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}
