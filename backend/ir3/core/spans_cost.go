package core

import (
	"nirc/backend/cost"
	"nirc/backend/ir3/abi"
	"nirc/backend/ir3/isa"
)

// Registers counts halves of the general registers, four words of which are a register.
var Registers = cost.Registers{Units: unitShared, Per: 8}

// Spans lists what the instructions of a program do with general registers, by offset; nil if the code
// cannot be loaded.
func Spans(code []byte, m *abi.Meta) map[int][]cost.Span {
	loaded, err := Load(code, m)
	p, ok := loaded.(*program)
	if err != nil || !ok {
		return nil
	}
	spans := map[int][]cost.Span{}
	for pc := range p.code {
		x := &p.code[pc]
		at := pc * isa.WordBytes
		if x.Op == isa.OpEnd {
			spans[at] = results(m)
		}
		for _, s := range x.chk.spans {
			if s.unit >= unitShared {
				continue
			}
			for k := range 1 + int(x.Repeat) {
				if k > 0 && s.step == 0 {
					break
				}
				spans[at] = append(spans[at], cost.Span{First: int(s.unit) + k*int(s.step), N: int(s.n), Write: s.write})
			}
		}
	}
	return spans
}

// results are the registers that outputs are left in.
func results(m *abi.Meta) (list []cost.Span) {
	for i := range m.Outputs {
		o := &m.Outputs[i]
		per := 2
		if o.Half {
			per = 1
		}
		for c := range 4 {
			if o.Mask>>c&1 != 0 && o.Reg != abi.NoReg {
				list = append(list, cost.Span{First: per * (int(o.Reg) + c), N: per})
			}
		}
	}
	return list
}
