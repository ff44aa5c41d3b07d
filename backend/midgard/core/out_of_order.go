package core

import (
	"errors"
	"fmt"

	"nirc/backend/midgard/isa"
)

// checkOutOfOrder refuses what may not run while the texture operation of bundle i is under way (midgard.md §6.5). It must
// have been checked for itself.
func (p *program) checkOutOfOrder(i int) error {
	reg := p.texResultReg(&p.code[i].Tex)
	named := reg
	if reg >= fileTexOut {
		named = reg - fileTexOut + isa.RegTex0
	}
	for k := 1; k <= int(p.code[i].Tex.OutOfOrder); k++ {
		if p.code[i+k-1].Next == isa.TagBreak || i+k == len(p.code) {
			return errors.New("the program ends while a texture operation is out of order")
		}
		switch b := &p.code[i+k]; {
		case b.decode != nil:
			return nil // which is an error of its own
		case b.Tag != isa.TagLdSt && !b.Tag.ALU():
			return errors.New("a texture operation while another is out of order")
		case b.hasBranch:
			return errors.New("a branch while a texture operation is out of order")
		case b.touches(reg):
			return fmt.Errorf("the texture result in register %d is read or written %d bundles too early", named, int(p.code[i].Tex.OutOfOrder)-k+1)
		}
	}
	return nil
}

// texResultReg is the register of the file that a texture operation writes.
func (p *program) texResultReg(x *isa.Texture) uint8 {
	if p.meta.Alias {
		return x.Dst & 1
	}
	return fileTexOut + x.Dst&1
}

// touches reports whether the bundle reads or writes a register of the file.
func (b *bundle) touches(reg uint8) bool {
	if b.Tag == isa.TagLdSt {
		for i := range b.LdSt {
			if x := &b.LdSt[i]; x.Op.Load() && x.Reg == reg {
				return true
			}
		}
		return false
	}
	for i := range b.alu {
		x := &b.alu[i]
		if x.reg == reg {
			return true
		}
		for k := range x.src {
			if s := &x.src[k]; !s.fixed && s.reg == reg && !unused(&b.ALU[x.unit], k) {
				return true
			}
		}
	}
	return false
}
