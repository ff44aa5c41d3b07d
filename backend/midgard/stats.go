package midgard

import (
	"fmt"

	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
	"nirc/backend/object"
	"nirc/internal/lazy"
	"nirc/ir"
)

// Stats are the figures of a binary (midgard.md §11.5).
type Stats struct {
	Instrs, Bundles, Quads int
	Regs, Threads, Loops   int
	Spills, Fills          int
	// Cycles of each pipe: bundles with arithmetic, load/store and texture
	// instructions.
	ALU, LdSt, Tex int
	Uniforms       int
	Bytes          int
}

// codeSize is what plans are compared by.
type codeSize struct {
	bundles, spills int // spills: stores and loads of them
	bytes           int // of instructions and constants; of writeouts without what forms them
}

// measure looks at bundles that have no words yet.
func (p *program) measure() (s codeSize) {
	for i := range p.blocks {
		s.bundles += len(p.blocks[i].list)
		for _, b := range p.blocks[i].list {
			for _, in := range b.ldst {
				if in != nil && in.spill != 0 {
					s.spills++
				}
			}
			s.bytes += (b.size + isa.Quad - 1) &^ (isa.Quad - 1)
			if b.nconst > 0 {
				s.bytes += isa.Quad
			}
		}
	}
	return s
}

// stats counts what the bundles hold.
func (p *program) stats() (s Stats) {
	for _, b := range p.list {
		s.Bundles++
		s.Quads += b.enc.Quads()
		switch {
		case b.tex != nil:
			s.Instrs++
			s.Tex++
		case b.ldst[0] != nil:
			for _, in := range b.ldst {
				if in == nil {
					continue
				}
				s.Instrs++
				s.LdSt++
				switch in.spill {
				case 1:
					s.Spills++
				case 2:
					s.Fills++
				}
			}
		default:
			s.ALU++
			for u := isa.Unit(0); u < isa.NumUnits; u++ {
				if b.enc.Has(u) {
					s.Instrs++
				}
			}
		}
	}
	return s
}

// finish fills in what the metadata says.
func (s *Stats) finish(m *abi.Meta, bytes, loops int) {
	s.Regs, s.Bytes, s.Loops, s.Uniforms = m.WorkRegs, bytes, loops, len(m.Uniforms)
	switch {
	case s.Regs <= 4:
		s.Threads = 4
	case s.Regs <= 8:
		s.Threads = 2
	default:
		s.Threads = 1
	}
}

// Cycles is the estimate: the busiest pipe's.
func (s *Stats) Cycles() int { return max(s.ALU, s.LdSt, s.Tex) }

var stageNames = lazy.Value[map[ir.Stage]string]{Make: func() map[ir.Stage]string {
	return map[ir.Stage]string{ir.StageVertex: "MESA_SHADER_VERTEX", ir.StageFragment: "MESA_SHADER_FRAGMENT", ir.StageCompute: "MESA_SHADER_COMPUTE"}
}}

// Line is the line that shader-db tools read.
func (s Stats) Line(stage ir.Stage) string {
	return fmt.Sprintf("%s shader: %d inst, %d bundles, %d quadwords, %d registers, %d threads, %d loops, %d:%d spills:fills",
		stageNames.Get()[stage], s.Instrs, s.Bundles, s.Quads, s.Regs, s.Threads, s.Loops, s.Spills, s.Fills)
}

// list gives the figures by name.
func (s *Stats) list() []object.Stat {
	l := make([]object.Stat, 0, 24)
	add := func(name string, v int) { l = append(l, object.Stat{Name: name, Value: int64(v)}) }
	add("inst", s.Instrs)
	add("bundles", s.Bundles)
	add("quadwords", s.Quads)
	add("registers", s.Regs)
	add("threads", s.Threads)
	add("loops", s.Loops)
	add("spills", s.Spills)
	add("fills", s.Fills)
	add("cycles", s.Cycles())
	add("alu", s.ALU)
	add("ldst", s.LdSt)
	add("tex", s.Tex)
	add("uniforms", s.Uniforms)
	add("regs", s.Regs)
	add("code_bytes", s.Bytes)
	return l
}

// add adds the figures of another program of the same shader: what both have counts up, what a thread needs is the most.
func (s *Stats) add(o *Stats) {
	s.Instrs, s.Bundles, s.Quads = s.Instrs+o.Instrs, s.Bundles+o.Bundles, s.Quads+o.Quads
	s.Spills, s.Fills = s.Spills+o.Spills, s.Fills+o.Fills
	s.ALU, s.LdSt, s.Tex = s.ALU+o.ALU, s.LdSt+o.LdSt, s.Tex+o.Tex
	s.Regs, s.Threads, s.Uniforms = max(s.Regs, o.Regs), min(s.Threads, o.Threads), max(s.Uniforms, o.Uniforms)
	s.Loops, s.Bytes = s.Loops+o.Loops, s.Bytes+o.Bytes
}
