package core

import (
	"nirc/backend/agx/abi"
	"nirc/backend/cost"
)

// Registers counts halves of registers, as the metadata does.
var Registers = cost.Registers{Units: 2 * numRegs, Per: 1}

// Spans lists what the instructions of a program do with registers, by offset; nil if the code cannot be loaded.
func Spans(code []byte, m *abi.Meta) map[int][]cost.Span {
	p, err := load(code, m)
	if err != nil {
		return nil
	}
	spans := map[int][]cost.Span{}
	for i := range p.code {
		x := &p.code[i]
		h := x.findHazards()
		for _, s := range h.reads[:h.nreads] {
			spans[x.pc] = append(spans[x.pc], cost.Span{First: int(s.half), N: int(s.n)})
		}
		if h.write.n > 0 {
			spans[x.pc] = append(spans[x.pc], cost.Span{First: int(h.write.half), N: int(h.write.n), Write: true})
		}
	}
	return spans
}
