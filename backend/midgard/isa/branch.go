package isa

import (
	"fmt"
	"sync"
)

// BranchOp is what a branch does.
type BranchOp uint8

// The branch operations; 0, 3 and 5 are not known.
const (
	BranchUncond     BranchOp = 1 // compact form only
	BranchCond       BranchOp = 2
	BranchDiscard    BranchOp = 4
	BranchTilebuffer BranchOp = 6 // while the tilebuffer is not ready
	BranchWriteout   BranchOp = 7
)

var branchNames = [8]string{"unk0", "uncond", "cond", "unk3", "discard", "unk5", "tilebuffer", "write"}

// String is the operation's name in text.
func (o BranchOp) String() string { return branchNames[o&7] }

// Cond is a branch condition: a truth table over up to four condition bits; a
// plain condition is its 2-bit code repeated.
type Cond uint16

// The plain conditions.
const (
	CondWrite0 Cond = 0x0000
	CondFalse  Cond = 0x5555
	CondTrue   Cond = 0xaaaa
	CondAlways Cond = 0xffff
)

var condNames = [4]string{"write0", "false", "true", "always"}

// Plain reports whether the condition is a repeated 2-bit code.
func (c Cond) Plain() bool { return c == c&3*0x5555 }

// String is the condition's name in text.
func (c Cond) String() string {
	if c.Plain() {
		return condNames[c&3]
	}
	return fmt.Sprintf("lut%04X", uint16(c))
}

// Branch is a branch of an ALU bundle.
type Branch struct {
	Op     BranchOp
	Target Tag   // tag of the bundle branched to
	Call   uint8 // call mode: 1 normal, 2 call, 3 return; the reference leaves 0 in extended branches
	Offset int32 // in quadwords from the end of the bundle
	Cond   Cond  // not in unconditional compact branches
	// short holds the condition of a compact branch while it is being coded.
	short uint8
}

var branchHead = []field[Branch]{
	num("op", 0, 3, func(b *Branch) *BranchOp { return &b.Op }),
	num("target", 3, 4, func(b *Branch) *Tag { return &b.Target }),
}

var compactUncond = []field[Branch]{
	num("call", 7, 2, func(b *Branch) *uint8 { return &b.Call }),
	signed("offset", 9, 7, func(b *Branch) *int32 { return &b.Offset }),
}

var compactCond = []field[Branch]{
	signed("offset", 7, 7, func(b *Branch) *int32 { return &b.Offset }),
	num("cond", 14, 2, func(b *Branch) *uint8 { return &b.short }),
}

var extendedBranch = []field[Branch]{
	num("call", 7, 2, func(b *Branch) *uint8 { return &b.Call }),
	signed("offset", 9, 23, func(b *Branch) *int32 { return &b.Offset }),
	num("cond", 32, 16, func(b *Branch) *Cond { return &b.Cond }),
}

func compactFields(o BranchOp) []field[Branch] {
	if o == BranchUncond {
		return compactUncond
	}
	return compactCond
}

func decodeBranch(b *Branch, extended bool, v uint64) {
	*b = Branch{}
	w := word{v}
	unpackFields(b, branchHead, &w)
	if extended {
		unpackFields(b, extendedBranch, &w)
		return
	}
	unpackFields(b, compactFields(b.Op), &w)
	if b.Op != BranchUncond {
		b.Cond, b.short = Cond(b.short)*0x5555, 0
	}
}

// branches are what encodeBranch works in.
var branches = sync.Pool{New: func() any { return new(Branch) }}

func encodeBranch(extended bool, want Branch) (uint64, error) {
	var w word
	fields := extendedBranch
	b := branches.Get().(*Branch)
	defer branches.Put(b)
	*b = want
	if !extended {
		fields = compactFields(b.Op)
		if b.Op != BranchUncond {
			b.short = uint8(b.Cond & 3)
		}
	}
	err := packFields(b, branchHead, &w)
	if err == nil {
		err = packFields(b, fields, &w)
	}
	if err != nil {
		return 0, err
	}
	if decodeBranch(b, extended, w[0]); *b != want {
		return 0, fmt.Errorf("a branch with condition %s and call mode %d has no compact form", want.Cond, want.Call)
	}
	return w[0], nil
}
