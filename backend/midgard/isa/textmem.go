package isa

var addrNames = [8]string{"AL0", "AL1", "PC_SP", "LOCAL_STORAGE_PTR", "LOCAL_THREAD_ID", "GROUP_ID", "GLOBAL_THREAD_ID", "0"}

// ldstRegName is the name of a load's destination.
func ldstRegName(r uint8) string {
	var p printer
	if r >= 8 && r <= 23 {
		p.written = 1 << r
	}
	switch {
	case r == RegTex0 || r == RegTex1:
		return p.regName(r, true)
	case r >= 16 && r <= 23:
		return "R" + itoa(int(r))
	}
	return p.regName(r, false)
}

func (p *printer) component(c uint8) { p.byte('.'); p.byte(letters[c&3]) }

// ldstLine prints one instruction; an empty slot prints nothing.
func (p *printer) ldstLine(l *LoadStore) {
	info := l.Op.Info()
	p.str(l.Op.mnemonic())
	k := info.Kind
	if k == KindTrap {
		p.printf(" 0x%X", uint32(l.Offset)&0x3ffff)
		return
	}
	if l.Op.attrLike() && k != KindLeaImage {
		if l.Format&AttrAuto32 != 0 {
			p.str(".a32")
		}
		secondary := l.Format&AttrSecondary != 0
		vary := k == KindVary || k == KindStVary
		switch {
		case k == KindImage || k == KindStImage:
		case secondary && !vary:
			p.str(".secondary")
		case !secondary && vary:
			p.str(".primary")
		}
	}
	if k == KindCube || k == KindPersp {
		p.str([2]string{".f16", ".f32"}[b2i(l.Toggle)])
	}
	p.byte(' ')
	p.ldstReg(l)
	p.ldstOperands(l)
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// sourceSwizzled reports whether the swizzle belongs to the source of a register
// operation, not to the destination.
func (k Kind) sourceSwizzled() bool {
	switch k {
	case KindUnpack, KindPack, KindCube, KindMov, KindPersp, KindLeaImage:
		return true
	}
	return false
}

func (p *printer) ldstReg(l *LoadStore) {
	k := l.Op.Info().Kind
	if k == KindStore || k == KindStVary || k == KindStImage {
		p.str(addrNames[l.Reg&7])
		if l.Swizzle != XYZW {
			p.byte('.')
			for i := 0; i < 4; i++ {
				if l.Mask>>i&1 != 0 {
					p.byte(letters[l.Swizzle.Lane(i)])
				}
			}
		}
		return
	}
	p.str(ldstRegName(l.Reg))
	p.byte('.')
	swz := l.Swizzle
	if k.sourceSwizzled() || k == KindCmpXchg || k == KindAtomic && !l.Op.Info().Nameless {
		swz = XYZW
	}
	for i := 0; i < 4; i++ {
		if l.Mask>>i&1 != 0 {
			p.byte(letters[swz.Lane(i)])
		} else {
			p.byte('~')
		}
	}
}

func (p *printer) addrReg(a AddrReg) { p.str(addrNames[a.Reg&7]); p.component(a.Comp) }

func (p *printer) shift(l *LoadStore) {
	if l.Shift != 0 {
		p.printf(" << %d", l.Shift)
	}
}

func (p *printer) offset(v int) {
	switch {
	case v > 0:
		p.printf(" + 0x%X", v)
	case v < 0:
		p.printf(" - 0x%X", -v)
	}
}

func (p *printer) argSwizzled(l *LoadStore) {
	p.str(", ")
	p.str(addrNames[l.Arg.Reg&7])
	if l.Swizzle != XYZW {
		p.byte('.')
		for i := 0; i < 4; i++ {
			p.byte(letters[l.Swizzle.Lane(i)])
		}
	}
}

func (p *printer) ldstOperands(l *LoadStore) {
	info := l.Op.Info()
	switch info.Kind {
	case KindUbo:
		if l.Offset&1 != 0 {
			p.printf(", %d", l.UBOIndex())
		} else {
			p.str(", ")
			p.addrReg(l.Arg)
		}
		p.str(", ")
		p.addrReg(l.Index)
		p.shift(l)
		p.offset(int(l.Offset >> 2))
	case KindUnpack, KindPack:
		p.argSwizzled(l)
		p.printf(", 0x%X", l.ColorFormat())
	case KindCube, KindMov, KindPersp:
		p.argSwizzled(l)
	case KindLea:
		p.address(l)
		p.argSwizzled(l)
	case KindLoad, KindStore:
		p.address(l)
	case KindAtomic, KindCmpXchg:
		p.atomic(l)
	case KindSpecial, KindStSpecial:
		p.attrIndex(l)
	case KindLeaImage:
		p.argSwizzled(l)
		p.attrIndex(l)
		p.attrArg(l)
	default:
		if l.Op.attrLike() {
			p.attrIndex(l)
			p.attrArg(l)
		}
	}
}

func (p *printer) attrIndex(l *LoadStore) {
	p.str(", ")
	p.addrReg(l.Index)
	p.shift(l)
	p.offset(l.Slot())
}

func (p *printer) attrArg(l *LoadStore) {
	p.str(", ")
	p.str(addrNames[l.Arg.Reg&7])
	switch l.Op.Info().Kind {
	case KindImage, KindStImage, KindLeaImage:
		p.str([2]string{".u32", ".u64"}[b2i(l.Toggle)])
		p.component(l.Arg.Comp)
	default:
		p.component(l.Arg.Comp)
		if l.Toggle {
			p.offset(int(signExtend(uint64(l.Param()), 9)))
		}
	}
}

var indexFormats = [4]string{".rsvd", ".u64", ".u32", ".s32"}

// address prints the address expression of a memory operation.
func (p *printer) address(l *LoadStore) {
	p.str(", ")
	first := true
	if l.Arg.Reg != AddrZero || p.opt.Verbose {
		p.str(addrNames[l.Arg.Reg&7])
		p.str([2]string{".u32", ".u64"}[b2i(l.Toggle)])
		p.component(l.Arg.Comp)
		first = false
	}
	if l.Op.Info().Kind != KindCmpXchg && l.Index.Reg != AddrZero {
		if !first {
			p.str(" + ")
		}
		p.str(addrNames[l.Index.Reg&7])
		p.str(indexFormats[l.Format&3])
		p.component(l.Index.Comp)
		p.shift(l)
	}
	p.offset(int(l.Offset))
}

func (p *printer) atomic(l *LoadStore) {
	info := l.Op.Info()
	if !info.Nameless {
		p.address(l)
		p.str(", ")
		p.addrReg(l.AtomicSrc())
	}
	if info.Kind == KindCmpXchg {
		p.str(", ")
		p.addrReg(l.Index)
	}
}
