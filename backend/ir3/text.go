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

// text is the program by blocks, before it has its order: a line "block N -> SUCCESSORS", with
// "divergent" where fibers may part at its end, "uniform" where they do not after all, and "masked" where the
// next block runs for the other fibers; then the instructions. "group N" is the repeat group, -> N where a branch leads,
// | NAME=WHAT what a name in a texture instruction stands for.
func (p *phys) text() string {
	var w strings.Builder
	for b := range p.blocks {
		blk := &p.blocks[b]
		fmt.Fprintf(&w, "block %d ->", b)
		for _, s := range blk.succs {
			fmt.Fprintf(&w, " %d", s)
		}
		for _, m := range blk.marks() {
			if *m.is {
				w.WriteString(" " + m.name)
			}
		}
		w.WriteByte('\n')
		for i := range blk.ins {
			x := &blk.ins[i]
			w.WriteString("    " + x.Text(p.gpu.Gen))
			if x.group != 0 {
				fmt.Fprintf(&w, " group %d", x.group)
			}
			if x.to >= 0 {
				fmt.Fprintf(&w, " -> %d", x.to)
			}
			for _, e := range x.alias {
				fmt.Fprintf(&w, " | %s=%s", operandText(p.gpu.Gen, isa.R(int(e.name))), operandText(p.gpu.Gen, e.src))
			}
			w.WriteByte('\n')
		}
	}
	return w.String()
}

// mark is a property of a block by its name in the text.
type mark struct {
	name string
	is   *bool
}

func (b *pblock) marks() [3]mark {
	return [...]mark{{"divergent", &b.divergent}, {"uniform", &b.uniform}, {"masked", &b.runsOn}}
}

// operandText is the text of an operand, which parseOperand reads.
func operandText(gen isa.Gen, o isa.Operand) string {
	in := isa.Instr{Op: isa.OpMov, Type: isa.U32, SrcType: isa.U32, Dst: isa.R(0), Srcs: [4]isa.Operand{o}}
	_, text, _ := strings.Cut(in.Text(gen), ", ")
	return text
}

func parseOperand(gen isa.Gen, text string) (isa.Operand, error) {
	in, err := isa.ParseText(gen, "mov.u32u32 r0.x, "+text)
	return in.Srcs[0], err
}
