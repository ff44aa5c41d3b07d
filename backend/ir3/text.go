package ir3

import (
	"fmt"
	"strings"

	"nirc/backend/ir3/isa"
)

func listing(list []pinstr, gen isa.Gen) string {
	var w strings.Builder
	for i := range list {
		fmt.Fprintf(&w, "%4d  %s\n", i, list[i].Text(gen))
	}
	return w.String()
}

// text is the program by blocks, before it has its order.
func (p *phys) text() string {
	var w strings.Builder
	for b := range p.blocks {
		fmt.Fprintf(&w, "b%d:\n", b)
		for i := range p.blocks[b].ins {
			fmt.Fprintf(&w, "    %s\n", p.blocks[b].ins[i].Text(p.gpu.Gen))
		}
	}
	return w.String()
}
