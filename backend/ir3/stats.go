package ir3

import (
	"fmt"

	"nirc/backend/ir3/isa"
	"nirc/backend/object"
	"nirc/ir"
)

// Stats are the figures of a binary (ir3.md §10).
type Stats struct {
	Instrs, Nops, NonNops, Mov, Cov, Dwords int
	LastBaryf, LastHelper                   int
	Half, Full, ConstLen                    int
	Cat                                     [8]int
	Stp, Ldp                                int
	SStall, SS, SyStall, SY                 int
	Waves, Loops                            int
	Preamble                                int
	EarlyPreamble                           bool
	CodeBytes                               int
	Rpt                                     RptStats
	helpersEnd                              bool // an instruction switches helpers off
}

// String is the line that shader-db tools read.
func (s Stats) String() string {
	return fmt.Sprintf("%d inst, %d nops, %d non-nops, %d mov, %d cov, %d dwords, %d last-baryf, %d last-helper, %d half, %d full, %d constlen, "+
		"%d cat0, %d cat1, %d cat2, %d cat3, %d cat4, %d cat5, %d cat6, %d cat7, %d stp, %d ldp, %d sstall, %d (ss), %d systall, %d (sy), %d waves, %d loops, %d preamble inst, %d early-preamble",
		s.Instrs, s.Nops, s.NonNops, s.Mov, s.Cov, s.Dwords, s.LastBaryf, s.LastHelper, s.Half, s.Full, s.ConstLen,
		s.Cat[0], s.Cat[1], s.Cat[2], s.Cat[3], s.Cat[4], s.Cat[5], s.Cat[6], s.Cat[7], s.Stp, s.Ldp, s.SStall, s.SS, s.SyStall, s.SY, s.Waves, s.Loops, s.Preamble, boolInt(s.EarlyPreamble))
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (c *compiler) stats(list []pinstr) Stats {
	st := Stats{Full: c.meta.MaxRegs, EarlyPreamble: c.meta.EarlyPreamble, ConstLen: c.meta.ConstLen, Waves: c.waves(), Loops: c.loops()}
	st.Dwords = 2 * max((len(list)+15)/16*16, len(list)+4)
	st.CodeBytes = 8 * len(list)
	for i := range list[:preambleEnd(list)] {
		st.Preamble += issueSlots(&list[i].Instr)
	}
	var ssDelay, syDelay int // what the hardware fetches ahead counts for nothing, as in the reference's figures
	for i := preambleEnd(list); i < len(list); i++ {
		in := &list[i].Instr
		// Delays count inside blocks; the reference's end is one of its own.
		if in.Flags&isa.JP != 0 || i > 0 && list[i-1].to >= 0 || in.Op == isa.OpEnd {
			ssDelay, syDelay = 0, 0
		}
		c.count(&st, in)
		if in.Flags&isa.SS != 0 {
			st.SS++
			st.SStall += ssDelay
			ssDelay = 0
		}
		if in.Flags&isa.SY != 0 {
			st.SY++
			st.SyStall += syDelay
			syDelay = 0
		}
		ss, sy := softLatency(in, c.doubles())
		n := issueSlots(in)
		if ss > 0 {
			ssDelay = ss
		} else {
			ssDelay -= min(ssDelay, n)
		}
		if sy > 0 {
			syDelay = sy
		} else {
			syDelay -= min(syDelay, n)
		}
	}
	st.NonNops = st.Instrs - st.Nops
	return st
}

// preambleEnd is the number of instructions up to and including shpe.
func preambleEnd(list []pinstr) int {
	if len(list) == 0 || list[0].Op != isa.OpShps {
		return 0
	}
	for i := range list {
		if list[i].Op == isa.OpShpe {
			return i + 1
		}
	}
	return 0
}

// issueSlots is what an instruction counts in the figures.
func issueSlots(in *isa.Instr) int {
	switch in.Op {
	case isa.OpSwz:
		return 2
	case isa.OpMovmsk:
		return int(in.Size)
	}
	return 1 + int(in.Repeat) + in.Nops()
}

func (c *compiler) count(st *Stats, in *isa.Instr) {
	n := issueSlots(in)
	cat := in.Op.Category()
	switch {
	case in.Op == isa.OpNop:
		st.Nops += n
		if in.Flags&isa.EQ != 0 {
			st.LastHelper, st.helpersEnd = st.Instrs, true
		}
	default:
		st.Nops += in.Nops()
		st.Cat[0] += in.Nops()
	}
	st.Cat[cat] += n - in.Nops()
	switch in.Op {
	case isa.OpMov:
		st.Mov += n
	case isa.OpCov:
		st.Cov += n
	case isa.OpStp:
		st.Stp += int(in.Size)
	case isa.OpLdp:
		st.Ldp += int(in.Size)
	case isa.OpBaryF, isa.OpFlatB:
		if in.Flags&isa.EI != 0 {
			st.LastBaryf = st.Instrs
		}
	case isa.OpEnd:
		if c.meta.NeedsQuads && !st.helpersEnd {
			st.LastHelper = st.Instrs
		}
	}
	st.Instrs += n
}

// waves is the occupancy of the final code.
func (c *compiler) waves() int {
	m := c.meta
	m.Stage, m.WorkgroupSize = c.s.Stage, c.s.Info.WorkgroupSize
	return c.gpu.occupancy(&m).Value
}

func (c *compiler) loops() int {
	n := 0
	var last *ir.Loop
	for b := range c.sel.impl.Blocks() {
		if l := ir.EnclosingLoop(b); l != nil && l != last && l.Body.FirstBlock() == b {
			n, last = n+1, l
		}
	}
	return n
}

var catNames = [...]string{"cat0", "cat1", "cat2", "cat3", "cat4", "cat5", "cat6", "cat7"}

// list gives the figures by their names in
// ir3.md §10, and the two that all targets have: regs and code_bytes.
func (s *Stats) list() []object.Stat {
	l := make([]object.Stat, 0, 40)
	add := func(name string, v int) { l = append(l, object.Stat{Name: name, Value: int64(v)}) }
	add("inst", s.Instrs)
	add("nops", s.Nops)
	add("non-nops", s.NonNops)
	add("mov", s.Mov)
	add("cov", s.Cov)
	add("dwords", s.Dwords)
	add("last-baryf", s.LastBaryf)
	add("last-helper", s.LastHelper)
	add("half", s.Half)
	add("full", s.Full)
	add("constlen", s.ConstLen)
	for i, n := range s.Cat {
		add(catNames[i], n)
	}
	add("stp", s.Stp)
	add("ldp", s.Ldp)
	add("sstall", s.SStall)
	add("(ss)", s.SS)
	add("systall", s.SyStall)
	add("(sy)", s.SY)
	add("waves", s.Waves)
	add("loops", s.Loops)
	add("preamble inst", s.Preamble)
	add("early-preamble", boolInt(s.EarlyPreamble))
	add("rpt groups made", s.Rpt.Made)
	add("rpt groups cleaned", s.Rpt.Cleaned)
	add("rpt merged", s.Rpt.Merged)
	add("rpt groups split", s.Rpt.Split)
	add("rpt saved", s.Rpt.Saved)
	add("regs", s.Full)
	add("code_bytes", s.CodeBytes)
	return l
}
