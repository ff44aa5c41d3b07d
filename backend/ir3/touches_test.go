package ir3

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"nirc/backend/gputest"
	"nirc/backend/ir3/isa"
)

// vectorInstrs yields the instructions of the ISA's vectors, of both generations.
func vectorInstrs(t *testing.T, do func(gen isa.Gen, in *isa.Instr)) {
	data, err := os.ReadFile("isa/testdata/vectors.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		f := strings.Split(line, "\t")
		gen := map[string]isa.Gen{"a6xx": isa.A6xx, "a7xx": isa.A7xx}[f[0]]
		if len(f) != 3 || gen == 0 {
			continue
		}
		var w uint64
		if _, err := fmt.Sscanf(f[1], "%x", &w); err != nil {
			t.Fatal(err)
		}
		if in, err := isa.Unpack(gen, w); err == nil {
			do(gen, &in)
		}
	}
}

// touchText is what an instruction reads and writes: by operand the units of half a register, their step under a repeat, what
// memory, consts and fibers that only help it needs, and how the result and late reads are waited for.
func touchText(in *isa.Instr) string {
	var w touch
	w.of(in)
	var b strings.Builder
	for _, l := range []struct {
		name  string
		spans []span
	}{{"reads", w.reads}, {"writes", w.writes}} {
		for _, s := range l.spans {
			fmt.Fprintf(&b, "%s %s:%d", l.name, operandAt(in, s.unit), s.n)
			if s.step != 0 {
				fmt.Fprintf(&b, "/%d", s.step)
			}
			if s.late {
				b.WriteString(" at the end")
			}
			b.WriteString(" ")
		}
	}
	if r, w := memoryOf(in); r|w != 0 {
		fmt.Fprintf(&b, "memory %x to %x ", r, w)
	}
	k := syncOf(in)
	for _, f := range []struct {
		name string
		on   bool
	}{{"ss", k.ss}, {"sy", k.sy}, {"late", k.late}, {"war", k.warSS}, {"consts", readsConst(in)}, {"quads", needsHelpers(in)}} {
		if f.on {
			b.WriteString(f.name + " ")
		}
	}
	return strings.TrimSpace(b.String())
}

// operandAt names the operand that begins at a unit, the special registers by their own names.
func operandAt(in *isa.Instr, unit int) string {
	switch {
	case unit == unitA0:
		return "a0"
	case unit == unitA1:
		return "a1"
	case unit >= unitPred:
		return "p"
	}
	var names []string
	for i, o := range append([]isa.Operand{in.Dst}, in.Srcs[:]...) {
		if s, ok := operandSpan(o, 1); ok && s.unit == unit {
			names = append(names, []string{"d", "s0", "s1", "s2", "s3"}[i])
		}
	}
	return strings.Join(names, "=")
}

// TestTouches holds what the forms of each operation read, write and need, and how they are waited for (ir3.md §4.3 and 4.4): on that hang
// the order of instructions, waits, delay slots, and marks of last reads.
func TestTouches(t *testing.T) {
	rows := map[string][]string{}
	vectorInstrs(t, func(_ isa.Gen, in *isa.Instr) {
		op := in.Op.String()
		if text := touchText(in); !slices.Contains(rows[op], text) {
			rows[op] = append(rows[op], text)
		}
	})
	table := map[string]string{}
	for op, list := range rows {
		slices.Sort(list)
		table[op] = strings.Join(list, " | ")
	}
	if len(table) < 200 {
		t.Errorf("only %d operations", len(table))
	}
	gputest.HoldTable(t, "touches.tsv", table)
}
