package agx

import (
	"fmt"
	"slices"
	"sync"

	"nirc/backend/agx/isa"
	"nirc/backend/mach"
	"nirc/internal/slab"
)

// The one register file: halves, by half index. r0l is the nesting counter and
// r0h the index register of divergent shuffles; where a program has these, allocation stays away from them (isel.floor).
const (
	fileGPR uint8 = 0
	// halves of the file, and those that may be no value's
	gprHalves = 256
	gprFloor  = 2
)

// Register classes: 16 bits, 32 bits, and the two words of a 64-bit value,
// which start at an even register.
const (
	classHalf uint8 = iota
	classFull
	classWide
)

var (
	machFiles   = []mach.File{{Name: "r", Units: gprHalves, Spillable: true}}
	machClasses = []mach.Class{
		{Name: "half", File: fileGPR, Elem: 1, Align: 1},
		{Name: "full", File: fileGPR, Elem: 2, Align: 2},
		{Name: "wide", File: fileGPR, Elem: 2, Align: 4},
	}
)

// Operations of the machine IR are those of package isa, after the generic
// ones of package mach, and these.
const (
	opInputs  = mach.FirstTargetOp + mach.Op(isa.NumOps) + iota // defines what arrives in registers
	opEnd                                                       // reads what the shader leaves in registers
	opIf                                                        // if_*cmp: opens a nesting level
	opElse                                                      // else of the level
	opEndIf                                                     // closes it
	opLoop                                                      // push_exec before a loop, Aux levels
	opEndLoop                                                   // goes back to the block Aux, closes the levels
	opBreak                                                     // sets r0l to Aux, refreshes the mask
	opRefresh                                                   // recomputes the execution mask from r0l, opens Aux levels
	opUnwrap                                                    // closes the level around everything
	opShuffle                                                   // simd_shuffle or quad_shuffle by an index register that goes through r0h
	numMachOps
)

var opNames = mach.OpNames{
	Num: int(isa.NumOps),
	Of:  func(n int) string { return isa.Op(n).String() },
	Own: []string{"inputs", "end", "if", "else", "end_if", "loop", "end_loop", "break", "refresh", "unwrap", "shuffle"},
}

func machOp(op isa.Op) mach.Op { return mach.FirstTargetOp + mach.Op(op) }

func isaOp(op mach.Op) isa.Op { return isa.Op(op - mach.FirstTargetOp) }

// hasTemplate reports whether instructions of an operation have a template.
func hasTemplate(op mach.Op) bool { return op < opInputs || op == opIf || op == opShuffle }

// code is the target's part of a machine function. An instruction's Ext is
// the index of its template: an instruction of package isa whose registers
// stand for the machine instruction's operands: Dst for the result, the sources for
// the uses in order. Uses beyond those are implicit. Uniform operands carry the
// numbers of type uniforms until the end.
type code struct {
	tmpl    []isa.Instr
	aliased []uint32 // of tmpl: lookups of what stores may change
	// What the physical program consists of.
	pinstrs slab.Slab[pinstr]
	// Components of values that were taken apart.
	opnds slab.Slab[opnd]
	list  []*pinstr
	other []*pinstr // a list that the next step over it writes
	start []int     // of the blocks in it
	needs []int
	// live is what is live at the borders of blocks, from the order of blocks on until values are spilled; nil: unknown.
	live *mach.Liveness
	// The states of steps.
	sel    isel
	sched  scheduler
	opt    optimizer
	shrink loadShrinker
	packer isa.Packer
}

// rewrite returns an empty list that may become the program's, with room for n instructions.
func (p *program) rewrite(n int) []*pinstr {
	c := p.code
	c.list, c.other = slices.Grow(c.other[:0], n), p.list // that is free when the new one is the program's
	return c.list
}

var codes = sync.Pool{New: func() any { return new(code) }}

// release gives the memory of a function and of its physical program to the next ones.
func release(f *mach.Func) {
	c := templates(f)
	f.Release()
	c.pinstrs.Reset()
	c.opnds.Reset()
	clear(c.list)
	clear(c.shrink.loads)
	clear(c.other[:cap(c.other)])
	c.sel.empty()
	c.live = nil
	c.tmpl, c.aliased, c.list = c.tmpl[:0], c.aliased[:0], c.list[:0]
	codes.Put(c)
}

func templates(f *mach.Func) *code { return f.Ext.(*code) }

func (c *code) new(t *isa.Instr) uint32 {
	c.tmpl = append(c.tmpl, *t)
	return uint32(len(c.tmpl) - 1)
}

// machISA describes AGX to package mach.
type machISA struct{ *mach.Description }

func newISA() machISA { return machISA{&description} }

var description = mach.Description{Target: TargetName, FileList: machFiles, ClassList: machClasses, Operations: opNames}

func (machISA) Props(in *mach.Instr, f *mach.Func) mach.Props {
	switch in.Op {
	case opEnd, opIf, opElse, opEndIf, opLoop, opEndLoop, opBreak:
		return mach.PropTerminator
	case machOp(isa.OpMovImm16), machOp(isa.OpMovImm32), machOp(isa.OpIadd):
		return mach.PropRemat
	case machOp(isa.OpGetSR):
		if invariantSR(templates(f).tmpl[in.Ext].Srcs[0].Val) {
			return mach.PropRemat
		}
	}
	return 0
}

// FormatExt writes the template as assembly, with the first register for every register.
func (m machISA) FormatExt(f *mach.Func, in *mach.Instr) string {
	if !hasTemplate(in.Op) {
		return ""
	}
	return templates(f).tmpl[in.Ext].Text()
}

func (m machISA) ParseExt(f *mach.Func, in *mach.Instr, text string) error {
	if f.Ext == nil {
		f.Ext = &code{}
	}
	if !hasTemplate(in.Op) {
		return nil
	}
	t, err := isa.ParseText(text)
	if err != nil {
		return err
	}
	if in.Op < opInputs {
		if want := isaOp(in.Op).String(); t.Op.String() != want {
			return fmt.Errorf("%q is no %s", text, want)
		}
		in.Op = machOp(t.Op)
	}
	in.Ext = templates(f).new(&t)
	return nil
}

// Special registers (agx.md §1.2).
const (
	srWorkgroupID      = 0
	srSamplesLog2      = 14
	srLocalID          = 48
	srLocalIndex       = 51
	srLane             = 52
	srSubgroupID       = 53
	srQuadRank         = 56
	srQuadCount        = 57
	srActiveRank       = 58
	srActiveCount      = 59
	srCoverage         = 60
	srBackFacing       = 62
	srNotHelper        = 63
	srGlobalID         = 80
	srPixel            = 80
	srSampleMaskIn     = 124
	srLayer            = 2
	samplesAll         = 255
	haltNesting        = 0x4000 // levels that no pop reaches
	maxImmediate       = 255
	stackAlign         = 4
	stackReserved      = 10
	maxVectorRegisters = 4
)

// invariantSR reports whether a special register is the same all through the
// invocation, so that reading it again gives the same.
func invariantSR(sr int32) bool {
	switch sr {
	case 56, 57, srActiveRank, srActiveCount, srCoverage, srNotHelper, 144, 146, 147:
		return false
	}
	return true
}
