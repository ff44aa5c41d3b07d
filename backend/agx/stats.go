package agx

import (
	"fmt"

	"nirc/backend/agx/isa"
	"nirc/backend/object"
)

// Stats are the figures of a binary (agx.md §13).
type Stats struct {
	Instrs               int // traps not counted
	ALU, FSCIB, IC       int // cycles
	Bytes, CodeBytes     int // of all, and of the shader without its preamble
	Regs                 int // highest half in use
	Uniforms             int // halves
	Scratch              int // bytes
	Threads              int
	Loops, Spills, Fills int
}

// String is the line that shader-db tools read.
func (s Stats) String() string {
	return fmt.Sprintf("%d inst, %d alu, %d fscib, %d ic, %d bytes, %d regs, %d uniforms, %d scratch, %d threads, %d loops, %d:%d spills:fills",
		s.Instrs, s.ALU, s.FSCIB, s.IC, s.Bytes, s.Regs, s.Uniforms, s.Scratch, s.Threads, s.Loops, s.Spills, s.Fills)
}

func (c *compiler) stats(main *part, bytes int) Stats {
	p := main.p
	st := Stats{Instrs: len(p.list), CodeBytes: len(main.code), Bytes: bytes, Uniforms: c.meta.UniformHalves, Scratch: main.scratch(),
		Threads: threadsFor(c.meta.Halves), Loops: len(p.loops), Regs: max(c.meta.Halves-1, 0)}
	if p.open {
		st.Instrs-- // the next part takes the place of stop
	}
	st.FSCIB, st.IC = cycles(p.list)
	st.ALU = max(st.FSCIB, st.IC)
	for _, in := range p.list {
		switch in.Op {
		case isa.OpStackStore:
			st.Spills++
		case isa.OpStackLoad:
			st.Fills++
		}
	}
	return st
}

// list gives the figures by their names in docs/isa/agx.md, and
// the two that all targets have: regs and code_bytes.
func (s *Stats) list() []object.Stat {
	l := make([]object.Stat, 0, 24)
	add := func(name string, v int) { l = append(l, object.Stat{Name: name, Value: int64(v)}) }
	add("inst", s.Instrs)
	add("alu", s.ALU)
	add("fscib", s.FSCIB)
	add("ic", s.IC)
	add("bytes", s.Bytes)
	add("halfregs", s.Regs+1)
	add("uniforms", s.Uniforms)
	add("scratch", s.Scratch)
	add("threads", s.Threads)
	add("loops", s.Loops)
	add("spills", s.Spills)
	add("fills", s.Fills)
	add("regs", s.Regs)
	add("code_bytes", s.CodeBytes)
	return l
}

// add adds the figures of another program of the same shader: what they share is the largest.
func (s *Stats) add(o *Stats) {
	s.Instrs += o.Instrs
	s.ALU += o.ALU
	s.FSCIB += o.FSCIB
	s.IC += o.IC
	s.Bytes += o.Bytes
	s.CodeBytes += o.CodeBytes
	s.Loops += o.Loops
	s.Spills += o.Spills
	s.Fills += o.Fills
	s.Regs, s.Uniforms, s.Scratch = max(s.Regs, o.Regs), max(s.Uniforms, o.Uniforms), max(s.Scratch, o.Scratch)
	s.Threads = min(s.Threads, o.Threads)
}
