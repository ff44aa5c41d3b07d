package midgard

import (
	"fmt"
	"strings"

	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
)

// The text of the machine form, in dumps and in the tests of steps, which read it
// back (read.go):
//
//	regs v0:1 v1:4.first                   components of the virtual registers, and what binds their places
//	b0: -> 1 2                             a block, its successors, and its depth in loops
//		v1.xy = fadd v0.xx, -r23.zw        lanes of sources in the order of the lanes of the operation
//		v2.x.hi = imov v1.x:h              halves of results and sources
//		v3.x = {LD.32 R0.xyzw, AL0.u64.x}  load/store and texture instructions as package isa writes them
//		br -> 2 if !{r31.w = ilt v0.x, #0x2}
//
// A program has its bundles between brackets, each instruction after its unit.

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

// Modifiers of sources, which say other things of floats and of integers, and of
// results.
var (
	floatMods = [...]string{"", "abs ", "-", "-abs "}          // before the operand
	intMods   = [...]string{"", "+zext", "+rep", "+shift"}     // after it
	floatOuts = [...]string{"", ".pos", ".sat_signed", ".sat"} // after the operation
	intOuts   = [...]string{".ssat", ".usat", "", ".high"}
	partNames = [...]string{"", ".lo", ".hi", ".halves", ".bytes", ".wide", ".cut"}
)

// text writes the lanes of a source; float: of an operation on floats.
func (s *source) text(lanes uint8, float bool) string {
	var w strings.Builder
	if float {
		w.WriteString(floatMods[s.mod&3])
	}
	w.WriteString(s.reg.String())
	w.WriteByte('.')
	if s.reg == regConst {
		var words []string
		for i := range 4 {
			if lanes>>i&1 != 0 {
				words = append(words, fmt.Sprintf("%#x", s.con[i]))
			}
		}
		w.Reset()
		fmt.Fprintf(&w, "%s<%s>", floatMods[s.mod&3*b2u(float)], strings.Join(words, " "))
	} else {
		for i := range 4 {
			if lanes>>i&1 != 0 {
				w.WriteByte(componentNames[s.swz[i]&3])
			}
		}
	}
	switch s.half {
	case partFull:
	case partWord:
		w.WriteString(":w")
	default:
		w.WriteByte(':')
		for i := range 4 {
			if lanes>>i&1 == 0 {
				continue
			}
			w.WriteByte("lh"[s.high>>i&1])
			if s.half == partByte {
				w.WriteByte("01"[s.odd>>i&1])
			}
		}
	}
	if !float {
		w.WriteString(intMods[s.mod&3])
	}
	return w.String()
}

func b2u(b bool) isa.Mod {
	if b {
		return 1
	}
	return 0
}

// String is the instruction in dumps.
func (in *inst) String() string {
	var w strings.Builder
	if in.dst != regNone && in.mask != 0 {
		fmt.Fprintf(&w, "%s.%s%s", in.dst, maskText(in.mask), partNames[in.half])
		if in.skip != 0 {
			fmt.Fprintf(&w, ".skip(%s)", maskText(in.skip))
		}
		if in.keep != 0 {
			fmt.Fprintf(&w, ".keep(%s)", maskText(in.keep))
		}
		w.WriteString(" = ")
	}
	switch in.kind {
	case kindALU:
		in.aluText(&w)
	case kindLdSt, kindTex:
		fmt.Fprintf(&w, "{%s}%s", in.words(), [...]string{"", " spill", " fill"}[in.spill])
		if in.fences != 0 {
			fmt.Fprintf(&w, " fences %d", in.fences)
		}
		if in.kind == kindTex && in.inv {
			w.WriteString(" vertex")
		}
		if in.texels {
			w.WriteString(" texels")
		}
	case kindBranch:
		fmt.Fprintf(&w, "br -> %d", in.target)
	case kindDiscard:
		w.WriteString("discard")
	case kindWriteout:
		in.wo.text(&w)
		fmt.Fprintf(&w, " -> %d", in.target)
	case kindTileWait:
		w.WriteString("tilewait")
	}
	if in.hasCond {
		w.WriteString(" if ")
		if in.inv && in.kind != kindALU {
			w.WriteByte('!')
		}
		if in.fuse != nil {
			fmt.Fprintf(&w, "{%s}", in.fuse)
		} else {
			w.WriteString(in.cond.text(in.condLanes(), false))
		}
	}
	return w.String()
}

func (in *inst) aluText(w *strings.Builder) {
	outs := &intOuts
	if in.op.Is(isa.FloatDst) {
		outs = &floatOuts
	}
	w.WriteString(in.op.String() + outs[in.out&3])
	sep := " "
	for i := range in.src {
		if in.usesSource(i) {
			w.WriteString(sep + in.src[i].text(in.lanesRead(i), in.op.Is(isa.FloatSrc)))
			sep = ", "
		} else if i == 1 && in.imm {
			fmt.Fprintf(w, "%s#%#x", sep, in.con)
		}
	}
}

// words is a load/store or texture instruction in the text of package isa, where
// results have r0 and all lanes.
func (in *inst) words() string {
	b := isa.Bundle{Next: isa.TagBreak}
	switch {
	case in.kind == kindLdSt:
		b.Tag, b.LdSt = isa.TagLdSt, [2]isa.LoadStore{in.ld, isa.EmptySlot}
		if in.ld.Op.Load() {
			b.LdSt[0].Reg, b.LdSt[0].Mask = 0, 15
		}
	case in.tex.Op == isa.TexBarrier:
		b.Tag, b.Tex = isa.TagBarrier, in.tex
	default:
		b.Tag, b.Tex = isa.TagTex, in.tex
	}
	return strings.ReplaceAll(strings.Trim(b.Text(isa.TextOptions{Full: true}), "\n"), "\n", " | ")
}

// text writes what leaves.
func (o *writeout) text(w *strings.Builder) {
	fmt.Fprintf(w, "writeout %d lanes %s", o.index, maskText(o.mask))
	if o.target == abi.TargetNone {
		w.WriteString(" no target")
	} else {
		fmt.Fprintf(w, " target %d", o.target)
	}
	part := func(name string, s *source, lanes uint8) {
		if s.reg != regNone && lanes != 0 {
			fmt.Fprintf(w, ", %s %s %s", name, maskText(lanes), s.text(lanes, false))
		}
	}
	part("color", &o.color, o.rest)
	part("dual", &o.dual, 15)
	part("depth", &o.depth, 1)
	part("stencil", &o.stencil, 2)
	for u, m := range o.make {
		if m != nil {
			fmt.Fprintf(w, ", %s {%s}", isa.Unit(u), m)
		}
	}
	for _, f := range []struct {
		is   bool
		name string
	}{{o.last, "last"}, {o.again, "again"}, {o.blend, "blend"}} {
		if f.is {
			w.WriteString(", " + f.name)
		}
	}
}

// String lists the function.
func (f *function) String() string {
	var w strings.Builder
	w.WriteString(f.registers())
	for i := range f.blocks {
		w.WriteString(f.blocks[i].head(i))
		for _, in := range f.blocks[i].list {
			fmt.Fprintf(&w, "\t%s\n", in)
		}
	}
	return w.String()
}

// registers lists the virtual registers that the function names.
func (f *function) registers() string {
	named := make([]bool, len(f.nodes))
	note := func(r reg, comps uint8) {
		if r.virtual() && comps != 0 {
			named[index(r)] = true
		}
	}
	for i := range f.blocks {
		for _, in := range f.blocks[i].list {
			in.reads(note)
			note(in.dst, in.mask)
		}
	}
	var w strings.Builder
	w.WriteString("regs")
	for k, n := range f.nodes {
		if !named[k] {
			continue
		}
		fmt.Fprintf(&w, " v%d:%d", k, n.size)
		for _, p := range []struct {
			is   bool
			name string
		}{{n.first, ".first"}, {n.even, ".even"}, {n.noSpill, ".stays"}} {
			if p.is {
				w.WriteString(p.name)
			}
		}
		if n.min != 0 {
			fmt.Fprintf(&w, ".from%d", n.min)
		}
	}
	return w.String() + "\n"
}

// head is the line that a block begins with.
func (b *block) head(i int) string {
	s := fmt.Sprintf("b%d:", i)
	if len(b.succs) > 0 {
		s += " ->"
	}
	for _, k := range b.succs {
		s += fmt.Sprintf(" %d", k)
	}
	if b.depth > 0 {
		s += fmt.Sprintf(" depth %d", b.depth)
	}
	return s + "\n"
}

// listing lists the bundles of a function: as they are encoded, before layout as
// they were packed.
func (p *program) listing(f *function) string {
	var w strings.Builder
	if p.list == nil {
		w.WriteString(f.registers())
	}
	for i := range p.blocks {
		if p.list != nil {
			break
		}
		w.WriteString(f.blocks[i].head(i))
		for _, b := range p.blocks[i].list {
			w.WriteString(b.String())
		}
	}
	for _, b := range p.list {
		fmt.Fprintf(&w, "%4d  %s\n", b.at, strings.ReplaceAll(strings.TrimRight(b.enc.String(), "\n"), "\n", "\n      "))
	}
	return w.String()
}

// String lists the instructions of a bundle after their units, in an order in which
// they can run; "if" stands for the unit that makes the condition of one of them.
func (b *bundle) String() string {
	var w strings.Builder
	for _, in := range b.instructions(nil) {
		unit := "ldst"
		switch {
		case in == b.tex:
			unit = "tex"
		case in == b.branch:
			unit = "br"
		}
		for u := range isa.NumALUUnits {
			if b.units[u] == in {
				unit = u.String()
			}
		}
		fmt.Fprintf(&w, "\t%-5s %s\n", unit, in)
	}
	for u := range isa.NumALUUnits {
		if b.cond[u] != nil {
			fmt.Fprintf(&w, "\t%-5s if\n", u)
		}
	}
	return "\t[\n" + w.String() + "\t]\n"
}
