package midgard

import (
	"fmt"
	"strings"

	"nirc/backend/midgard/isa"
)

// String lists the bundles: as they are encoded, before layout as they were packed.
func (p *program) String() string {
	var w strings.Builder
	for i := range p.blocks {
		if p.list != nil {
			break
		}
		fmt.Fprintf(&w, "b%d:\n", i)
		for _, b := range p.blocks[i].list {
			w.WriteString(b.String())
		}
	}
	for _, b := range p.list {
		fmt.Fprintf(&w, "%4d  %s\n", b.at, strings.ReplaceAll(strings.TrimRight(b.enc.String(), "\n"), "\n", "\n      "))
	}
	return w.String()
}

// String lists the instructions of a bundle by their units; what makes a condition
// is listed by its unit too.
func (b *bundle) String() string {
	var w strings.Builder
	line := func(unit string, in *inst) {
		if in != nil {
			fmt.Fprintf(&w, "\t%-5s %s\n", unit, in)
		}
	}
	for _, in := range b.ldst {
		line("ldst", in)
	}
	line("tex", b.tex)
	for u := range isa.NumALUUnits {
		line(u.String(), b.units[u])
		if in := b.cond[u]; in != nil {
			line(u.String(), in.conditionMove())
		}
	}
	line("br", b.branch)
	return w.String() + "\n"
}

const componentNames = "xyzw"

// String is the register's name in dumps: v for virtual ones.
func (r reg) String() string {
	switch {
	case r.virtual():
		return fmt.Sprintf("v%d", index(r))
	case r == regTexOut0 || r == regTexOut1:
		return fmt.Sprintf("texout%d", r-regTexOut0)
	case r == regPC:
		return "pc"
	case r == regNone:
		return "_"
	}
	return fmt.Sprintf("r%d", uint32(r))
}

func maskText(m uint8) string {
	s := ""
	for i := range 4 {
		if m>>i&1 != 0 {
			s += componentNames[i : i+1]
		}
	}
	return s
}

// text writes the lanes of a source.
func (s *source) text(lanes uint8) string {
	var w strings.Builder
	switch s.mod {
	case isa.ModNeg:
		w.WriteByte('-')
	case isa.ModAbs:
		w.WriteString("abs ")
	case isa.ModAbs | isa.ModNeg:
		w.WriteString("-abs ")
	}
	if s.reg != regConst {
		fmt.Fprintf(&w, "%s.", s.reg)
	}
	for i := range 4 {
		switch {
		case lanes>>i&1 == 0:
		case s.reg == regConst:
			fmt.Fprintf(&w, "<%#x>", s.con[i])
		default:
			w.WriteByte(componentNames[s.swz[i]&3])
		}
	}
	if s.half == partWord {
		w.WriteString(":w")
	} else if s.half != partFull {
		w.WriteByte(':')
		for i := range 4 {
			if lanes>>i&1 != 0 {
				w.WriteByte("lh"[s.high>>i&1])
			}
			if lanes>>i&1 != 0 && s.half == partByte {
				w.WriteByte("01"[s.odd>>i&1])
			}
		}
	}
	return w.String()
}

// String is the instruction in dumps.
func (in *inst) String() string {
	var w strings.Builder
	if in.dst != regNone && in.mask != 0 {
		fmt.Fprintf(&w, "%s.%s%s = ", in.dst, maskText(in.mask), [...]string{"", ".lo", ".hi", ".halves", ".bytes", ".wide", ".cut"}[in.half])
	}
	switch in.kind {
	case kindALU:
		w.WriteString(in.op.String())
		if in.op.Is(isa.FloatDst) && in.out != isa.OutNone {
			w.WriteString([...]string{"", ".pos", ".sat_signed", ".sat"}[in.out&3])
		}
		for i := range in.src {
			if in.usesSource(i) {
				fmt.Fprintf(&w, " %s", in.src[i].text(in.lanesRead(i)))
			} else if i == 1 && in.imm {
				fmt.Fprintf(&w, " #%#x", in.con)
			}
		}
	case kindLdSt:
		b := isa.Bundle{Tag: isa.TagLdSt, LdSt: [2]isa.LoadStore{in.ld, isa.EmptySlot}}
		w.WriteString(strings.TrimSpace(b.String()))
	case kindTex:
		fmt.Fprintf(&w, "%s texture %d sampler %d", in.tex.Op, in.tex.Texture, in.tex.Sampler)
	case kindBranch:
		fmt.Fprintf(&w, "br -> b%d", in.target)
	case kindDiscard:
		w.WriteString("discard")
	case kindWriteout:
		fmt.Fprintf(&w, "writeout %d %s -> b%d", in.wo.target, in.wo.color.text(in.wo.rest), in.target)
		for u, m := range in.wo.make {
			if m != nil {
				fmt.Fprintf(&w, " {%s: %s}", isa.Unit(u), m)
			}
		}
	case kindTileWait:
		w.WriteString("tilewait")
	}
	if in.hasCond {
		not := ""
		if in.inv {
			not = "!"
		}
		if in.fuse != nil {
			fmt.Fprintf(&w, " if %s{%s}", not, in.fuse)
		} else {
			fmt.Fprintf(&w, " if %s%s", not, in.cond.text(in.condLanes()))
		}
	}
	return w.String()
}

// String lists the function.
func (f *function) String() string {
	var w strings.Builder
	for i := range f.blocks {
		b := &f.blocks[i]
		fmt.Fprintf(&w, "b%d: -> %v\n", i, b.succs)
		for _, in := range b.list {
			fmt.Fprintf(&w, "\t%s\n", in)
		}
	}
	return w.String()
}
