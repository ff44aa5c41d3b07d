package core

import (
	"nirc/backend/cost"
	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
)

// workRegisters is the number of registers that can hold values from bundle to bundle.
const workRegisters = 16

// Registers counts components of work registers, four of which are a register.
var Registers = cost.Registers{Units: 4 * workRegisters, Per: 4}

// Spans lists what the bundles of a program do with work registers, by offset; nil if the code cannot be loaded.
func Spans(code []byte, m *abi.Meta) map[int][]cost.Span {
	loaded, err := Load(code, m)
	p, ok := loaded.(*program)
	if err != nil || !ok {
		return nil
	}
	spans := map[int][]cost.Span{}
	work := min(workRegisters, m.WorkRegs) // above are uniform registers
	for i := range p.code {
		b := &p.code[i]
		add := func(reg uint8, bits [2]uint64, write bool) {
			for c := range 4 {
				part := uint32(bits[c>>1] >> (c & 1 * 32))
				// Half a component that is written leaves the other as it was.
				if int(reg) < work && part != 0 && (!write || part == ^uint32(0)) {
					spans[b.addr] = append(spans[b.addr], cost.Span{First: 4*int(reg) + c, N: 1, Write: write})
				}
			}
		}
		for k := range b.needs {
			add(b.needs[k].reg, b.needs[k].bits, false)
		}
		for k := range b.alu {
			add(b.alu[k].reg, b.alu[k].mask, true)
		}
		if b.hasBranch && b.branch.Op == isa.BranchWriteout {
			add(0, [2]uint64{^uint64(0), ^uint64(0)}, false)
		}
		if b.Tag != isa.TagLdSt {
			continue
		}
		for k := range b.LdSt {
			l := &b.LdSt[k]
			for c := range 4 {
				if l.Op.Load() && int(l.Reg) < work && l.Mask>>c&1 != 0 {
					spans[b.addr] = append(spans[b.addr], cost.Span{First: 4*int(l.Reg) + c, N: 1, Write: true})
				}
			}
		}
	}
	return spans
}
