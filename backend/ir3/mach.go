package ir3

import (
	"fmt"
	"strconv"
	"strings"

	"nirc/backend/ir3/isa"
	"nirc/backend/mach"
)

// Register files and classes of the machine IR. General registers count
// halves: full register n is units 2n and 2n+1.
const (
	fileGPR uint8 = iota
	filePred
	fileShared
	fileAddr
)

const (
	classHalf uint8 = iota
	classFull
	classPred
	classShared
	classAddr
	classSharedHalf
)

// gprUnits are the units of the general registers, halfUnits those that have names as halves.
const (
	gprUnits  = 384
	halfUnits = gprUnits / 2
)

var (
	machFiles = []mach.File{{Name: "r", Units: gprUnits, Spillable: true}, {Name: "p", Units: 4}, {Name: "s", Units: 64, Shared: true}, {Name: "a", Units: 1}}

	machClasses = []mach.Class{
		{Name: "half", File: fileGPR, Elem: 1, Align: 1, Limit: halfUnits},
		{Name: "full", File: fileGPR, Elem: 2, Align: 2},
		{Name: "pred", File: filePred, Elem: 1, Align: 1},
		{Name: "shared", File: fileShared, Elem: 2, Align: 2},
		{Name: "addr", File: fileAddr, Elem: 1, Align: 1},
		{Name: "shared_half", File: fileShared, Elem: 1, Align: 1, Limit: 32},
	}
)

// Operations of the machine IR are those of package isa, after the generic
// ones of package mach, and these.
const (
	opInputs  = mach.FirstTargetOp + mach.Op(isa.NumOps) + iota // defines what arrives in registers
	opFineDsx                                                   // dsxpp.1 and dsxpp.1.p, never apart
	opFineDsy
	opElect // becomes control flow: 1 in one active fiber
	opAny   // vote over a predicate, Flags 1 inverts it
	opAll
	opBallot   // mask of fibers with the predicate, in 4 shared registers
	opReadCond // value of the fiber with the predicate, in a shared register
	opReduce   // result of the template's operation over the active fibers, in a shared register
	opSpillFar // stp or ldp, by the template, out of reach of the base register
	numMachOps
)

var opNames = mach.OpNames{
	Num: int(isa.NumOps),
	Of:  func(n int) string { return isa.Op(n).String() },
	Own: []string{"inputs", "fine_dsx", "fine_dsy", "elect", "any", "all", "ballot", "read_cond", "reduce", "spill_far"},
}

func machOp(op isa.Op) mach.Op { return mach.FirstTargetOp + mach.Op(op) }

func isaOp(op mach.Op) isa.Op { return isa.Op(op - mach.FirstTargetOp) }

// code is the target's part of a machine function. An instruction's Ext is
// the index of its template: an instruction of package isa whose register
// operands stand for the machine instruction's operands: Dst for the result, the
// sources for the uses in order. Uses beyond those are implicit.
type code struct {
	gen  isa.Gen
	tmpl []isa.Instr
	// aliases are the parts of source vectors; aliasAt, by template, is 1 after the index there.
	aliases [][]aliasPart
	aliasAt []int32
	// arrays are in the order of their registers.
	arrays []regArray
}

func templates(f *mach.Func) *code { return f.Ext.(*code) }

func (c *code) new(t isa.Instr) uint32 {
	c.tmpl = append(c.tmpl, t)
	return uint32(len(c.tmpl) - 1)
}

// machISA describes ir3 to package mach.
type machISA struct {
	*mach.Description
	gen isa.Gen
}

func newISA(gen isa.Gen) machISA { return machISA{&description, gen} }

var description = mach.Description{Target: TargetName, FileList: machFiles, ClassList: machClasses, Operations: opNames}

func (machISA) Props(in *mach.Instr, f *mach.Func) mach.Props {
	switch in.Op {
	case machOp(isa.OpBr), machOp(isa.OpBraa), machOp(isa.OpBrao), machOp(isa.OpJump), machOp(isa.OpEnd), machOp(isa.OpChsh), machOp(isa.OpGetone), machOp(isa.OpBany), machOp(isa.OpBall):
		return mach.PropTerminator
	case machOp(isa.OpMov):
		if in.NDefs == 1 && len(in.Ops) == 1 && f.File(in.Ops[0].Val) == fileGPR && in.Flags&directElement == 0 {
			return mach.PropRemat
		}
	}
	return 0
}

// hasTemplate reports whether instructions of an operation have a template.
func hasTemplate(op mach.Op) bool {
	return op < opInputs || op == opFineDsx || op == opFineDsy || op == opReduce || op == opSpillFar
}

// FormatExt writes the template as assembly with r0.x for every register, and after | the
// parts of its sources: number of the source, *elements, and the use or the constant.
func (m machISA) FormatExt(f *mach.Func, in *mach.Instr) string {
	if !hasTemplate(in.Op) {
		return ""
	}
	c := templates(f)
	text := c.tmpl[in.Ext].Text(m.gen)
	for _, p := range c.aliasParts(in.Ext) {
		value := "use " + strconv.Itoa(int(p.use))
		if p.use < 0 {
			value = operandText(m.gen, p.value)
		}
		text += fmt.Sprintf(" | %d*%d=%s", p.src, p.n, value)
	}
	return text
}

func (m machISA) ParseExt(f *mach.Func, in *mach.Instr, text string) error {
	if f.Ext == nil {
		f.Ext = &code{gen: m.gen}
	}
	if !hasTemplate(in.Op) {
		return nil
	}
	pieces := strings.Split(text, " | ")
	t, err := isa.ParseText(m.gen, pieces[0])
	if err != nil {
		return err
	}
	if in.Op < opInputs {
		if want := isaOp(in.Op).String(); t.Op.String() != want {
			return fmt.Errorf("%q is no %s", text, want)
		}
		in.Op = machOp(t.Op)
	}
	in.Ext = templates(f).new(t)
	if len(pieces) == 1 {
		return nil
	}
	var parts []aliasPart
	for _, p := range pieces[1:] {
		part, err := m.parsePart(p)
		if err != nil {
			return err
		}
		if int(part.use) >= len(in.Uses()) {
			return fmt.Errorf("there is no use %d", part.use)
		}
		parts = append(parts, part)
	}
	templates(f).setAliases(in.Ext, parts)
	return nil
}

// parsePart reads one part of a source vector, as FormatExt writes it.
func (m machISA) parsePart(text string) (p aliasPart, err error) {
	var rest string
	if _, err := fmt.Sscanf(text, "%d*%d=", &p.src, &p.n); err != nil {
		return p, fmt.Errorf("%q is no part of a source", text)
	}
	_, rest, _ = strings.Cut(text, "=")
	if n, ok := strings.CutPrefix(rest, "use "); ok {
		k, err := strconv.ParseInt(n, 10, 8)
		p.use = int8(k)
		return p, err
	}
	p.use = -1
	p.value, err = parseOperand(m.gen, rest)
	return p, err
}
