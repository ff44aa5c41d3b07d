package ir3

import "nirc/backend"

// Figures says what the figures of list count.
func (Target) Figures() []backend.Figure { return figures }

var figures = []backend.Figure{
	{Name: "inst", Unit: "instructions", Doc: "instructions with repeats and the slots of nops", Care: backend.CarePerInvocation, More: -1},
	{Name: "regs", Unit: "vec4 registers", Doc: "registers in use, those of two halves as one", Care: "when it costs waves", More: -1, NoSum: true},
	backend.FigureCodeBytes,
	backend.FigureLoops,
	{Name: "nops", Unit: "slots", Doc: "slots that only wait for an earlier result, as nop or in (nopN)", Care: "when they are a large share of inst: independent work would fill them", More: -1},
	{Name: "non-nops", Unit: "slots", Doc: "inst without nops", Care: backend.CarePerInvocation, More: -1},
	{Name: "mov", Unit: "slots", Doc: "moves", Care: "when many: registers are shuffled", More: -1},
	{Name: "cov", Unit: "slots", Doc: "conversions", Care: "when sizes are mixed needlessly", More: -1},
	{Name: "dwords", Unit: "32-bit words", Doc: "size of the code with its padding", Care: "when it exceeds the instruction cache", More: -1, Baseline: "code_bytes", BaselineScale: 4},
	{Name: "last-baryf", Unit: "slots", Doc: "where the last varying is read: storage of varyings is free after it", Care: "in fragment shaders with many varyings: earlier is better", More: -1, NoSum: true},
	{Name: "last-helper", Unit: "slots", Doc: "where helper invocations end", Care: "in fragment shaders with derivatives: earlier is better", More: -1, NoSum: true},
	{Name: "half", Unit: "registers", Doc: "half registers of a file of their own; 0 where the files are one", Care: "never on 6xx and 7xx", More: -1, NoSum: true, Baseline: "halfregs"},
	{Name: "full", Unit: "vec4 registers", Doc: "registers in use, halves folded in", Care: "when it costs waves", More: -1, NoSum: true},
	{Name: "constlen", Unit: "vec4", Doc: "size of the const file", Care: "near the limit of the stage", More: -1, NoSum: true},
	{Name: "cat0", Unit: "slots", Doc: "flow control and nops (category 0)", Care: backend.CarePerInvocation, More: -1},
	{Name: "cat1", Unit: "slots", Doc: "moves and conversions (category 1)", Care: backend.CarePerInvocation, More: -1},
	{Name: "cat2", Unit: "slots", Doc: "arithmetic of up to two sources (category 2)", Care: backend.CarePerInvocation, More: -1},
	{Name: "cat3", Unit: "slots", Doc: "arithmetic of three sources (category 3)", Care: backend.CarePerInvocation, More: -1},
	{Name: "cat4", Unit: "slots", Doc: "special functions (category 4)", Care: "they run at an eighth of the rate of additions", More: -1},
	{Name: "cat5", Unit: "slots", Doc: "textures, derivatives, quad operations (category 5)", Care: backend.CarePerInvocation, More: -1},
	{Name: "cat6", Unit: "slots", Doc: "memory (category 6)", Care: backend.CarePerInvocation, More: -1},
	{Name: "cat7", Unit: "slots", Doc: "barriers and aliases (category 7)", Care: "when barriers stand in loops", More: -1},
	{Name: "stp", Unit: "components", Doc: "stores to private memory: spills and arrays", Care: "when it is not 0", More: -1},
	{Name: "ldp", Unit: "components", Doc: "loads of private memory: spills and arrays", Care: "when it is not 0", More: -1},
	{Name: "sstall", Unit: "cycles", Doc: "what a wave alone waits at (ss) for special functions, local memory and shared registers, estimated inside blocks", Care: "with few waves: others do not hide it", More: -1},
	{Name: "(ss)", Unit: "instructions", Doc: "instructions that wait for special functions, local memory or shared registers", Care: "with few waves", More: -1, Baseline: "ss"},
	{Name: "systall", Unit: "cycles", Doc: "what a wave alone waits at (sy) for textures and memory, estimated inside blocks", Care: "with few waves: others do not hide it", More: -1},
	{Name: "(sy)", Unit: "instructions", Doc: "instructions that wait for textures or memory", Care: "with few waves", More: -1, Baseline: "sy"},
	{Name: "waves", Unit: "waves", Doc: "waves that a core runs at a time, of 16", Care: "below 8, when waits are not hidden", More: 1, NoSum: true, Baseline: "max_waves"},
	{Name: "preamble inst", Unit: "instructions", Doc: "instructions of the preamble, which runs once for all invocations", Care: "hardly: it replaces work of each invocation", Baseline: "preamble_inst"},
	{Name: "early-preamble", Unit: "shaders", Doc: "1 if the preamble runs before the dispatch", Care: "with a preamble", More: 1},
	{Name: "rpt groups made", Unit: "groups", Doc: "groups of like instructions that were made for (rptN)", Care: "when looking at the compiler"},
	{Name: "rpt groups cleaned", Unit: "groups", Doc: "groups that were dissolved before allocation", Care: "when looking at the compiler"},
	{Name: "rpt merged", Unit: "groups", Doc: "groups that became one repeated instruction", Care: "when looking at the compiler", More: 1},
	{Name: "rpt groups split", Unit: "groups", Doc: "groups that registers did not allow as a whole", Care: "when looking at the compiler"},
	{Name: "rpt saved", Unit: "instructions", Doc: "words that repeats save", Care: "when code size matters", More: 1},
}
