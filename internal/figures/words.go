package figures

import (
	"fmt"
	"strings"

	"nirc"
)

// Figure says what a figure is.
type Figure struct {
	Name string
	// Targets have it: ir3, agx, midgard, ir; "all" are the three with code.
	Targets string
	// Unit is what it counts, Doc what that is, Care when to care.
	Unit, Doc, Care string
	// More is 1 if more is better, -1 if less is, 0 if neither can be said.
	More int
	// NoSum: a total over shaders means nothing.
	NoSum bool
	// Scale divides the number that is stored: 100 of hundredths.
	Scale int64
}

const care = "when it grows: it is work for each invocation"

// Figures are the words for all figures, by target. docs/figures.md is made of them, nirc stats --explain reads them.
var Figures = []Figure{
	{Name: "total cycles", Targets: "all", Unit: "modelled cycles", Doc: "cycles of the busiest pipe if each instruction runs once (docs/cost.md)", Care: "to compare two versions of a shader", More: -1, Scale: 100},
	{Name: "shortest cycles", Targets: "all", Unit: "modelled cycles", Doc: "cycles of the busiest pipe on the shortest path of an invocation", Care: "if most invocations leave early", More: -1, Scale: 100},
	{Name: "longest cycles", Targets: "all", Unit: "modelled cycles", Doc: "cycles of the busiest pipe on the longest path; absent if a loop's trips are not known", Care: "for the worst invocation", More: -1, Scale: 100},
	{Name: "stall cycles", Targets: "all", Unit: "modelled cycles", Doc: "waits of the whole code that no other wave hides", Care: "when it is not 0: more waves or earlier loads would help", More: -1, Scale: 100},
	{Name: "inst", Targets: "all", Unit: "instructions", Doc: "machine instructions: on ir3 with repeats and the slots of nops, on AGX without traps, on Midgard those in all bundles", Care: care, More: -1},
	{Name: "regs", Targets: "all", Unit: "registers", Doc: "registers in use: vec4 registers on ir3 and Midgard, on AGX the highest 16-bit register", Care: "when it costs waves or threads", More: -1, NoSum: true},
	{Name: "code_bytes", Targets: "all", Unit: "bytes", Doc: "size of the code without padding and preamble", Care: "when it exceeds the instruction cache", More: -1},
	{Name: "loops", Targets: "all", Unit: "loops", Doc: "loops that are left", Care: "when one that runs seldom was not unrolled", More: 0},
	{Name: "nops", Targets: "ir3", Unit: "slots", Doc: "slots that only wait for an earlier result, as nop or in (nopN)", Care: "when they are a large share of inst: independent work would fill them", More: -1},
	{Name: "non-nops", Targets: "ir3", Unit: "slots", Doc: "inst without nops", Care: care, More: -1},
	{Name: "mov", Targets: "ir3", Unit: "slots", Doc: "moves", Care: "when many: registers are shuffled", More: -1},
	{Name: "cov", Targets: "ir3", Unit: "slots", Doc: "conversions", Care: "when sizes are mixed needlessly", More: -1},
	{Name: "dwords", Targets: "ir3", Unit: "32-bit words", Doc: "size of the code with its padding", Care: "when it exceeds the instruction cache", More: -1},
	{Name: "last-baryf", Targets: "ir3", Unit: "slots", Doc: "where the last varying is read: storage of varyings is free after it", Care: "in fragment shaders with many varyings: earlier is better", More: -1, NoSum: true},
	{Name: "last-helper", Targets: "ir3", Unit: "slots", Doc: "where helper invocations end", Care: "in fragment shaders with derivatives: earlier is better", More: -1, NoSum: true},
	{Name: "half", Targets: "ir3", Unit: "registers", Doc: "half registers of a file of their own; 0 where the files are one", Care: "never on 6xx and 7xx", More: -1, NoSum: true},
	{Name: "full", Targets: "ir3", Unit: "vec4 registers", Doc: "registers in use, halves folded in", Care: "when it costs waves", More: -1, NoSum: true},
	{Name: "constlen", Targets: "ir3", Unit: "vec4", Doc: "size of the const file", Care: "near the limit of the stage", More: -1, NoSum: true},
	{Name: "cat0", Targets: "ir3", Unit: "slots", Doc: "flow control and nops (category 0)", Care: care, More: -1},
	{Name: "cat1", Targets: "ir3", Unit: "slots", Doc: "moves and conversions (category 1)", Care: care, More: -1},
	{Name: "cat2", Targets: "ir3", Unit: "slots", Doc: "arithmetic of up to two sources (category 2)", Care: care, More: -1},
	{Name: "cat3", Targets: "ir3", Unit: "slots", Doc: "arithmetic of three sources (category 3)", Care: care, More: -1},
	{Name: "cat4", Targets: "ir3", Unit: "slots", Doc: "special functions (category 4)", Care: "they run at an eighth of the rate of additions", More: -1},
	{Name: "cat5", Targets: "ir3", Unit: "slots", Doc: "textures, derivatives, quad operations (category 5)", Care: care, More: -1},
	{Name: "cat6", Targets: "ir3", Unit: "slots", Doc: "memory (category 6)", Care: care, More: -1},
	{Name: "cat7", Targets: "ir3", Unit: "slots", Doc: "barriers and aliases (category 7)", Care: "when barriers stand in loops", More: -1},
	{Name: "stp", Targets: "ir3", Unit: "components", Doc: "stores to private memory: spills and arrays", Care: "when it is not 0", More: -1},
	{Name: "ldp", Targets: "ir3", Unit: "components", Doc: "loads of private memory: spills and arrays", Care: "when it is not 0", More: -1},
	{Name: "sstall", Targets: "ir3", Unit: "cycles", Doc: "what a wave alone waits at (ss) for special functions, local memory and shared registers, estimated inside blocks", Care: "with few waves: others do not hide it", More: -1},
	{Name: "(ss)", Targets: "ir3", Unit: "instructions", Doc: "instructions that wait for special functions, local memory or shared registers", Care: "with few waves", More: -1},
	{Name: "systall", Targets: "ir3", Unit: "cycles", Doc: "what a wave alone waits at (sy) for textures and memory, estimated inside blocks", Care: "with few waves: others do not hide it", More: -1},
	{Name: "(sy)", Targets: "ir3", Unit: "instructions", Doc: "instructions that wait for textures or memory", Care: "with few waves", More: -1},
	{Name: "waves", Targets: "ir3", Unit: "waves", Doc: "waves that a core runs at a time, of 16", Care: "below 8, when waits are not hidden", More: 1, NoSum: true},
	{Name: "preamble inst", Targets: "ir3", Unit: "instructions", Doc: "instructions of the preamble, which runs once for all invocations", Care: "hardly: it replaces work of each invocation", More: 0},
	{Name: "early-preamble", Targets: "ir3", Unit: "shaders", Doc: "1 if the preamble runs before the dispatch", Care: "with a preamble", More: 1},
	{Name: "rpt groups made", Targets: "ir3", Unit: "groups", Doc: "groups of like instructions that were made for (rptN)", Care: "when looking at the compiler", More: 0},
	{Name: "rpt groups cleaned", Targets: "ir3", Unit: "groups", Doc: "groups that were dissolved before allocation", Care: "when looking at the compiler", More: 0},
	{Name: "rpt merged", Targets: "ir3", Unit: "groups", Doc: "groups that became one repeated instruction", Care: "when looking at the compiler", More: 1},
	{Name: "rpt groups split", Targets: "ir3", Unit: "groups", Doc: "groups that registers did not allow as a whole", Care: "when looking at the compiler", More: 0},
	{Name: "rpt saved", Targets: "ir3", Unit: "instructions", Doc: "words that repeats save", Care: "when code size matters", More: 1},
	{Name: "alu", Targets: "agx midgard ir", Unit: "cycles; on ir instructions", Doc: "AGX: the larger of fscib and ic; Midgard: arithmetic bundles; ir: arithmetic instructions", Care: care, More: -1},
	{Name: "fscib", Targets: "agx", Unit: "cycles", Doc: "floats, selects, compares, integer additions, booleans; and one for each instruction of ic", Care: care, More: -1},
	{Name: "ic", Targets: "agx", Unit: "cycles", Doc: "integer multiplication, shifts, complex functions", Care: "when it exceeds fscib", More: -1},
	{Name: "bytes", Targets: "agx", Unit: "bytes", Doc: "size of the code with preamble and padding", Care: "when it exceeds the instruction cache", More: -1},
	{Name: "halfregs", Targets: "agx", Unit: "16-bit registers", Doc: "registers in use", Care: "above 104: threads go", More: -1, NoSum: true},
	{Name: "uniforms", Targets: "agx midgard", Unit: "16-bit registers on AGX, vec4 on Midgard", Doc: "uniform registers in use", Care: "near 512 on AGX; on Midgard they are taken from the work registers", More: 0, NoSum: true},
	{Name: "scratch", Targets: "agx", Unit: "bytes", Doc: "private memory of an invocation", Care: "when it is not 0", More: -1, NoSum: true},
	{Name: "threads", Targets: "agx midgard", Unit: "threads", Doc: "AGX: threads that a core runs at a time, of 1024; Midgard: 4, 2 or 1 for all, half or a quarter of them", Care: "below half, when waits are not hidden", More: 1, NoSum: true},
	{Name: "spills", Targets: "agx midgard", Unit: "instructions", Doc: "stores of spilled registers, on AGX of arrays too", Care: "when it is not 0", More: -1},
	{Name: "fills", Targets: "agx midgard", Unit: "instructions", Doc: "loads of spilled registers, on AGX of arrays too", Care: "when it is not 0", More: -1},
	{Name: "bundles", Targets: "midgard", Unit: "bundles", Doc: "bundles: what the pipes take at a time", Care: care, More: -1},
	{Name: "quadwords", Targets: "midgard", Unit: "16 bytes", Doc: "size of the bundles", Care: "when it exceeds the instruction cache", More: -1},
	{Name: "registers", Targets: "midgard", Unit: "vec4 registers", Doc: "work registers in use", Care: "above 4 and above 8: half of the threads go each time", More: -1, NoSum: true},
	{Name: "cycles", Targets: "midgard", Unit: "cycles", Doc: "the largest of alu, ldst and tex", Care: care, More: -1},
	{Name: "ldst", Targets: "midgard", Unit: "cycles", Doc: "load/store instructions", Care: "when it is the largest", More: -1},
	{Name: "tex", Targets: "midgard ir", Unit: "cycles; on ir instructions", Doc: "texture instructions", Care: "when it is the largest", More: -1},
	{Name: "functions", Targets: "ir", Unit: "functions", Doc: "functions with a body", Care: "when calls were not inlined", More: 0},
	{Name: "blocks", Targets: "ir", Unit: "blocks", Doc: "basic blocks", Care: "as a measure of control flow", More: 0},
	{Name: "instructions", Targets: "ir", Unit: "instructions", Doc: "instructions of the IR", Care: "to compare passes", More: -1},
	{Name: "intrinsic", Targets: "ir", Unit: "instructions", Doc: "intrinsics: memory, inputs, outputs, barriers", Care: "to compare passes", More: 0},
	{Name: "deref", Targets: "ir", Unit: "instructions", Doc: "derefs of variables", Care: "to compare passes", More: 0},
	{Name: "phi", Targets: "ir", Unit: "instructions", Doc: "phis", Care: "to compare passes", More: 0},
	{Name: "load_const", Targets: "ir", Unit: "instructions", Doc: "constants", Care: "to compare passes", More: 0},
	{Name: "jump", Targets: "ir", Unit: "instructions", Doc: "jumps: break, continue, return", Care: "to compare passes", More: 0},
}

// Find returns the figure of a name, nil if there is none.
func Find(name string) *Figure {
	for i := range Figures {
		if Figures[i].Name == name {
			return &Figures[i]
		}
	}
	return nil
}

// Of reports whether a target has the figure.
func (f *Figure) Of(target string) bool {
	if f.Targets == "all" {
		return target != "ir"
	}
	for _, t := range strings.Fields(f.Targets) {
		if t == target {
			return true
		}
	}
	return false
}

// better says in words which way is better.
func (f *Figure) better() string { return [...]string{"less", "neither", "more"}[f.More+1] }

// Explain says in a few lines what the figure is.
func (f *Figure) Explain() string {
	targets := f.Targets
	if targets == "all" {
		targets = "all with code"
	}
	sum := ""
	if f.NoSum {
		sum = "; has no total"
	}
	return fmt.Sprintf("%s (%s)\n  counts  %s\n  unit    %s\n  better  %s%s\n  care    %s\n", f.Name, targets, f.Doc, f.Unit, f.better(), sum, f.Care)
}

// Markdown is the page of all figures.
func Markdown() string {
	var b strings.Builder
	names := []string{}
	for _, t := range nirc.Targets() {
		names = append(names, t.Name)
	}
	for _, target := range append(names, nirc.IRTarget) {
		fmt.Fprintf(&b, "## %s\n\n| figure | counts | unit | better | total | when to care |\n| --- | --- | --- | --- | --- | --- |\n", target)
		for i := range Figures {
			f := &Figures[i]
			if !f.Of(target) {
				continue
			}
			total := "sum"
			if f.NoSum {
				total = "none"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", f.Name, f.Doc, f.Unit, f.better(), total, f.Care)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// format writes a figure's value.
func format(name string, v int64) string {
	f := Find(name)
	if f == nil || f.Scale <= 1 {
		return fmt.Sprint(v)
	}
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", float64(v)/float64(f.Scale)), "0"), ".")
}
