package core

import (
	"fmt"
	"math/bits"

	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
	"nirc/internal/emu"
)

// LoadFresh is Load of a program that counts on nothing that was in the inputs of the load/store and texture pipes before: it writes
// each component of r26 and r27 again for each bundle that takes it, and those of texture inputs in the block that takes them.
// Hardware keeps what was written (midgard.md §1.2), and the reference's programs count on that; nirc's do not, so that what they
// find there without having written it is a value of another access. Checking mode reports it.
func LoadFresh(code []byte, meta *abi.Meta) (emu.Program, error) {
	e, err := Load(code, meta)
	if err != nil {
		return nil, err
	}
	p := e.(*program)
	for ; p != nil; p = p.raster {
		p.findStale()
	}
	return e, nil
}

// written are bits of the registers r26 to r29, by number less 26.
type written [4][2]uint64

const firstInput = isa.RegConst

// add notes a write of bits of a register of the file.
func (f *written) add(reg uint8, m [2]uint64) {
	if reg >= firstInput && reg < firstInput+4 {
		f[reg-firstInput][0] |= m[0]
		f[reg-firstInput][1] |= m[1]
	}
}

// part adds bits from an offset on.
func (f *written) part(reg uint8, off, n uint) {
	f[reg-firstInput][off>>6] |= mask(n) << (off & 63)
}

// beyond finds a register of which f has bits that g has not.
func (f *written) beyond(g *written) (reg uint8, found bool) {
	for r := range f {
		if f[r][0]&^g[r][0]|f[r][1]&^g[r][1] != 0 {
			return uint8(r) + firstInput, true
		}
	}
	return 0, false
}

// findStale goes through each block, and gives bundles that take what was not written for them that as a broken rule.
func (p *program) findStale() {
	starts := make([]bool, len(p.code)+1)
	for i := range p.code {
		if b := &p.code[i]; b.hasBranch {
			starts[i+1] = true
			if b.taken >= 0 {
				starts[b.taken] = true
			}
		}
	}
	var now written
	for i := range p.code {
		b := &p.code[i]
		if starts[i] {
			now = written{}
		}
		if b.decode != nil {
			continue
		}
		takes := p.takes(b)
		whole := now
		if b.Tag == isa.TagLdSt && spills(b) {
			whole.widen()
		}
		if reg, found := takes.beyond(&whole); found && b.rules == nil {
			b.rules = fmt.Errorf("the bundle takes components of register %d that nothing wrote for it", reg)
			b.plain = false
		}
		if b.Tag == isa.TagLdSt {
			for r := range now {
				now[r][0] &^= takes[r][0]
				now[r][1] &^= takes[r][1]
			}
		}
		b.gives(&now)
	}
}

// spills reports whether a bundle saves registers in the thread's own memory: whole words, of which what is saved may be a half that its
// reader alone looks at.
func spills(b *bundle) bool {
	for i := range b.LdSt {
		if l := &b.LdSt[i]; l.Op == isa.St128 && l.Arg == (isa.AddrReg{Reg: isa.AddrLocal}) {
			return true
		}
	}
	return false
}

// widen makes words of their parts.
func (f *written) widen() {
	for r := range f {
		for c := range uint(4) {
			if m := mask(32) << (c & 1 * 32); f[r][c>>1]&m != 0 {
				f[r][c>>1] |= m
			}
		}
	}
}

// takes are the bits that a bundle takes from inputs.
func (p *program) takes(b *bundle) (f written) {
	switch {
	case b.Tag == isa.TagLdSt:
		for i := range b.LdSt {
			if l := &b.LdSt[i]; l.Op != isa.LdNop {
				f.address(l)
				f.data(l)
			}
		}
	case b.Tag.Texture() && b.Tex.Op != isa.TexBarrier:
		first := uint8(fileTexIn)
		if p.meta.Alias {
			first = isa.RegConst
		}
		f.texture(&b.Tex, first)
	}
	return f
}

// address adds the components of a load/store's address, index and operands of an atomic operation.
func (f *written) address(l *isa.LoadStore) {
	add := func(a isa.AddrReg, n uint8) {
		for c := a.Comp; a.Reg <= 1 && c < a.Comp+n && c < 4; c++ {
			f.part(firstInput+a.Reg, 32*uint(c), 32)
		}
	}
	info := l.Op.Info()
	switch info.Kind {
	case isa.KindLoad, isa.KindStore, isa.KindLea, isa.KindAtomic, isa.KindCmpXchg:
		add(l.Arg, 1+b2u(l.Toggle))
		add(l.Index, indexWords(l))
		if info.Atomic != isa.AtomicNone {
			add(l.AtomicSrc(), info.Size/4)
		}
	case isa.KindImage, isa.KindStImage, isa.KindLeaImage:
		add(l.Arg, 1+b2u(l.Toggle))
		add(l.Index, 1)
	case isa.KindUbo, isa.KindAttr, isa.KindVary, isa.KindSpecial, isa.KindStVary, isa.KindStSpecial:
		add(l.Index, 1)
	}
}

// data adds the components that a store takes, and those that an operation on a whole register makes its result of.
func (f *written) data(l *isa.LoadStore) {
	info := l.Op.Info()
	if l.Reg > 1 && l.Op.Store() {
		return
	}
	switch info.Kind {
	case isa.KindStore:
		unit := max(1, int(info.Size)/4) // bytes that a bit of the mask enables
		for i := range 4 {
			if at := i * unit; l.Mask>>i&1 != 0 && at < int(info.Size) {
				for end := at + unit; at < end; at++ {
					f.part(firstInput+l.Reg, 32*uint(l.Swizzle.Lane(at/4))+8*uint(at&3), 8)
				}
			}
		}
	case isa.KindStVary, isa.KindStImage, isa.KindStSpecial:
		for i := range 4 {
			if l.Mask>>i&1 != 0 {
				f.part(firstInput+l.Reg, 32*uint(l.Swizzle.Lane(i)), 32)
			}
		}
	case isa.KindCube:
		for i := range 3 {
			if l.Arg.Reg <= 1 {
				f.part(firstInput+l.Arg.Reg, 32*uint(l.Swizzle.Lane(i)), 32)
			}
		}
	}
}

// texture adds what a texture operation takes: of the coordinate the components that every texture of its dimension has, or a derivative writes.
func (f *written) texture(x *isa.Texture, first uint8) {
	add := func(r isa.TexReg) {
		switch {
		case r.Full:
			f.part(first+r.Select&1, 32*uint(r.Comp), 32)
		case r.Upper:
			f.part(first+r.Select&1, 64+16*uint(r.Comp), 16)
		default:
			f.part(first+r.Select&1, 16*uint(r.Comp), 16)
		}
	}
	comps := [4]uint8{isa.Tex1D: 1, isa.Tex2D: 3, isa.Tex3D: 7, isa.TexCube: 3}[x.Dim&3]
	if x.Op == isa.TexDerivative {
		comps = 0
		for i := range 4 {
			if x.Mask>>i&1 != 0 {
				comps |= 1 << x.Swizzle.Lane(i)
			}
		}
	}
	for i := range 4 {
		if comps>>i&1 != 0 {
			add(isa.TexReg{Full: x.CoordFull, Select: x.CoordSel, Upper: x.CoordUpper, Comp: uint8(x.CoordSwizzle.Lane(i))})
		}
	}
	for _, s := range []struct {
		reg bool
		by  uint16
	}{{x.LodReg, x.Lod & 0xff}, {x.TextureReg, x.Texture}, {x.SamplerReg, x.Sampler}} {
		if s.reg {
			add(isa.TexSelector(s.by))
		}
	}
	if x.OffsetReg {
		r, s := x.OffsetRegister()
		for i := range min(3, bits.OnesCount8(comps)) {
			r.Comp = uint8(s.Lane(i))
			add(r)
		}
	}
}

// gives adds what a bundle writes to inputs.
func (b *bundle) gives(f *written) {
	for i := range b.alu {
		f.add(b.alu[i].reg, b.alu[i].mask)
	}
	if b.Tag != isa.TagLdSt {
		return
	}
	for i := range b.LdSt {
		if l := &b.LdSt[i]; l.Op.Load() && l.Reg >= firstInput && l.Reg < firstInput+4 {
			for c := range uint(4) {
				if l.Mask>>c&1 != 0 {
					f.part(l.Reg, 32*c, 32)
				}
			}
		}
	}
}
