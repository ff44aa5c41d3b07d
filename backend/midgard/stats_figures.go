package midgard

import "nirc/backend"

// Figures says what the figures of list count.
func (Target) Figures() []backend.Figure { return figures }

var figures = []backend.Figure{
	{Name: "inst", Unit: "instructions", Doc: "instructions in all bundles", Care: backend.CarePerInvocation, More: -1},
	{Name: "regs", Unit: "vec4 registers", Doc: "work registers in use", Care: "when it costs threads", More: -1, NoSum: true, Baseline: "registers"},
	backend.FigureCodeBytes,
	backend.FigureLoops,
	{Name: "alu", Unit: "cycles", Doc: "arithmetic bundles", Care: backend.CarePerInvocation, More: -1},
	{Name: "uniforms", Unit: "vec4 registers", Doc: "uniform registers in use", Care: "they are taken from the work registers", NoSum: true},
	{Name: "threads", Unit: "threads", Doc: "4, 2 or 1 for all, half or a quarter of the threads that a core can run", Care: "below half, when waits are not hidden", More: 1, NoSum: true},
	{Name: "spills", Unit: "instructions", Doc: "stores of spilled registers", Care: "when it is not 0", More: -1},
	{Name: "fills", Unit: "instructions", Doc: "loads of spilled registers", Care: "when it is not 0", More: -1},
	{Name: "bundles", Unit: "bundles", Doc: "bundles: what the pipes take at a time", Care: backend.CarePerInvocation, More: -1},
	{Name: "quadwords", Unit: "16 bytes", Doc: "size of the bundles", Care: "when it exceeds the instruction cache", More: -1},
	{Name: "registers", Unit: "vec4 registers", Doc: "work registers in use", Care: "above 4 and above 8: half of the threads go each time", More: -1, NoSum: true},
	{Name: "cycles", Unit: "cycles", Doc: "the largest of alu, ldst and tex", Care: backend.CarePerInvocation, More: -1},
	{Name: "ldst", Unit: "cycles", Doc: "load/store instructions", Care: "when it is the largest", More: -1},
	{Name: "tex", Unit: "cycles", Doc: "texture instructions", Care: "when it is the largest", More: -1},
}
