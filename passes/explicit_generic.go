package passes

import "nirc/ir"

// Pointers of kernels are 64 bits wide and say by their upper bits where they lead (ir.GenericTag). Of derefs whose memory is known
// the place alone is computed, in 32 bits; the others are decided by ifs on those bits, an access in each.

// memoryClasses are the kinds of memory that generic pointers tell apart, the one that needs no test last.
var memoryClasses = [...]ir.Mode{ir.ModeShared, ir.ModeFunctionTemp | ir.ModeShaderTemp, ir.ModeConstant, ir.ModeGlobal}

// classesOf are the classes that modes belong to.
func classesOf(m ir.Mode) (list []ir.Mode) {
	for _, c := range memoryClasses {
		if m&c != 0 {
			list = append(list, c)
		}
	}
	return list
}

// isGeneric reports whether a deref may lead to more than one kind of memory.
func isGeneric(d *ir.Instr) bool { return len(classesOf(d.DerefInfo().Modes)) > 1 }

// hasGenericDerefs reports whether an access of a kernel goes by a pointer that may lead to several kinds of memory.
func hasGenericDerefs(s *ir.Shader) bool {
	for _, f := range s.Functions {
		if f.Impl == nil || !s.Info.Kernel {
			continue
		}
		for in := range f.Impl.Instrs() {
			if in.Kind == ir.KindDeref && isGeneric(in) {
				return true
			}
		}
	}
	return false
}

// splitGeneric gives each access by a generic pointer an if for each kind of memory that it may lead to, of those that
// are lowered.
func (e *explicitIO) splitGeneric(impl *ir.Impl) bool {
	list := collect(impl, func(in *ir.Instr) bool {
		switch in.Intr {
		case ir.IntrLoadDeref, ir.IntrStoreDeref, ir.IntrDerefAtomic, ir.IntrDerefAtomicSwap:
			d := in.Srcs[0].Def.Instr
			return isGeneric(d) && e.mine(d)
		}
		return false
	})
	for _, in := range list {
		d := in.Srcs[0].Def.Instr
		classes := classesOf(d.DerefInfo().Modes)
		if in.Intr != ir.IntrLoadDeref { // constants are not written
			classes = classesOf(d.DerefInfo().Modes &^ ir.ModeReadOnly)
		}
		b := builderBefore(in)
		if v := accessByClass(b, in, d, classes); v != nil {
			in.Def.RewriteUses(v)
		}
		in.Remove()
		removeDeadDerefs(d)
	}
	return len(list) > 0
}

// accessByClass puts the access in, through d, into an if for each class but the last, and returns what it loads.
func accessByClass(b *ir.Builder, in, d *ir.Instr, classes []ir.Mode) *ir.Def {
	mode := classes[0] & d.DerefInfo().Modes
	one := func() *ir.Def {
		info := *d.DerefInfo()
		cast := b.Insert(b.Shader.NewDeref(ir.DerefCast, ir.DerefInfo{Modes: onlyMode(mode), Type: info.Type, AlignMul: info.AlignMul, AlignOffset: info.AlignOffset}, d.Def.NumComponents, d.Def.BitSize, &d.Def))
		srcs := []*ir.Def{&cast.Def}
		for i := 1; i < len(in.Srcs); i++ {
			srcs = append(srcs, in.Srcs[i].Def)
		}
		n := b.Intrinsic(in.Intr, in.Def.NumComponents, in.Def.BitSize, srcs...).CopyIndices(in)
		if !in.HasDef() {
			return nil
		}
		return &n.Def
	}
	if len(classes) == 1 {
		return one()
	}
	is := b.Intrinsic(ir.IntrDerefModeIs, 1, 1, &d.Def).Set(ir.IdxMemoryModes, uint64(onlyMode(mode)))
	i := b.PushIf(&is.Def)
	then := one()
	b.PushElse(i)
	els := accessByClass(b, in, d, classes[1:])
	b.PopIf(i)
	if then == nil {
		return nil
	}
	return b.IfPhi(i, then, els)
}

// onlyMode is one mode of a class: private memory is one for functions and shaders.
func onlyMode(m ir.Mode) ir.Mode {
	if m&ir.ModeFunctionTemp != 0 {
		return ir.ModeFunctionTemp
	}
	return m & -m
}

// near reports whether a deref of a kernel leads to memory whose places have 32 bits.
func (e *explicitIO) near(d *ir.Instr) bool {
	m := d.DerefInfo().Modes
	return e.s.Info.Kernel && d.Def.BitSize == 64 && m&^ir.GenericModes == 0 && m&ir.ModeGlobal == 0 && !isGeneric(d)
}

// asForm brings the address of a pointer that d casts into the form that d has.
func (e *explicitIO) asForm(a *address, d *ir.Instr) {
	switch near := e.near(d); {
	case near && a.tag == 0:
		a.off, a.tag = e.b.U2u32(a.off), ir.GenericTag(onlyMode(d.DerefInfo().Modes))
	case !near && a.tag != 0:
		a.off, a.tag = e.tagged(a), 0
	}
}

// tagged is the value of a pointer to memory that is known.
func (e *explicitIO) tagged(a *address) *ir.Def {
	return e.b.Pack64_2x32(e.b.Vec2(a.off, e.b.Imm32(uint32(a.tag>>32))))
}

// modeIs lowers the question where a pointer leads.
func (e *explicitIO) modeIs(in *ir.Instr) {
	a := &e.addrs[in.Srcs[0].Def.Instr.Flags]
	e.b.AtInstr(in)
	want := ir.GenericTag(ir.Mode(in.Get(ir.IdxMemoryModes)))
	var is *ir.Def
	switch {
	case a.tag != 0:
		is = &e.b.Insert(e.b.Shader.NewConst(1, boolBits(a.tag == want))).Def
	case want != 0:
		top := e.b.Ushr(e.b.Channel(e.b.Unpack64_2x32(a.off), 1), e.b.Imm32(ir.GenericTagShift-32))
		is = e.b.Ieq(top, e.b.Imm32(uint32(want>>ir.GenericTagShift)))
	default: // global: 0, or 7 where the addresses are sign extended
		top := e.b.Ushr(e.b.Channel(e.b.Unpack64_2x32(a.off), 1), e.b.Imm32(ir.GenericTagShift-32))
		is = e.b.Ior(e.b.Ieq(top, e.b.Imm32(0)), e.b.Ieq(top, e.b.Imm32(7)))
	}
	in.Def.RewriteUses(is)
	in.Remove()
}
