package agx

import "nirc/backend"

// Figures says what the figures of list count.
func (Target) Figures() []backend.Figure { return figures }

var figures = []backend.Figure{
	{Name: "inst", Unit: "instructions", Doc: "instructions without traps", Care: backend.CarePerInvocation, More: -1},
	{Name: "regs", Unit: "16-bit registers", Doc: "the highest register in use", Care: "when it costs threads", More: -1, NoSum: true},
	backend.FigureCodeBytes,
	backend.FigureLoops,
	{Name: "alu", Unit: "cycles", Doc: "the larger of fscib and ic", Care: backend.CarePerInvocation, More: -1},
	{Name: "fscib", Unit: "cycles", Doc: "floats, selects, compares, integer additions, booleans; and one for each instruction of ic", Care: backend.CarePerInvocation, More: -1},
	{Name: "ic", Unit: "cycles", Doc: "integer multiplication, shifts, complex functions", Care: "when it exceeds fscib", More: -1},
	{Name: "bytes", Unit: "bytes", Doc: "size of the code with preamble and padding", Care: "when it exceeds the instruction cache", More: -1},
	{Name: "halfregs", Unit: "16-bit registers", Doc: "registers in use", Care: "above 104: threads go", More: -1, NoSum: true},
	{Name: "uniforms", Unit: "16-bit registers", Doc: "uniform registers in use", Care: "near 512", NoSum: true},
	{Name: "scratch", Unit: "bytes", Doc: "private memory of an invocation", Care: "when it is not 0", More: -1, NoSum: true},
	{Name: "threads", Unit: "threads", Doc: "threads that a core runs at a time, of 1024", Care: "below half, when waits are not hidden", More: 1, NoSum: true},
	{Name: "spills", Unit: "instructions", Doc: "stores of spilled registers and of arrays", Care: "when it is not 0", More: -1},
	{Name: "fills", Unit: "instructions", Doc: "loads of spilled registers and of arrays", Care: "when it is not 0", More: -1},
}
