package isa

import (
	"strings"
	"sync"
)

// alias is a mnemonic: an instruction with some fields given by the name.
type alias struct {
	preset Instr
	skip   string // items that the name says, in blanks
}

// byMnemonic is made for the first text that is read.
var byMnemonic = sync.OnceValue(registerNames)

var bitopNames = [16]string{TableNor: "nor", TableXor: "xor", TableNand: "nand", TableAnd: "and", TableXnor: "xnor", TableOr: "or"}

// Truth tables of bitop (Instr.Table). TableMov and TableNot are called mov and
// not when the second source is I(0).
const (
	TableNor   = 1
	TableNot   = 5
	TableXor   = 6
	TableNand  = 7
	TableAnd   = 8
	TableXnor  = 9
	TableMov   = 10
	TableOr    = 14
	TableAndN1 = 2  // a & ^b
	TableAndN0 = 4  // ^a & b
	TableOrN1  = 11 // a | ^b
	TableOrN0  = 13 // ^a | b
)

// The two tables that the hardware gets wrong (it returns the first source),
// and items that names say.
const (
	tableB     = 12
	tableNotB  = 3
	skipSecond = " B "
	skipCond   = " cc A B "
	skipUpdate = " cc A B n "
)

var floatZero = Operand{Kind: FImm}

func registerNames() map[string][]alias {
	names := map[string][]alias{}
	add := func(name string, in Instr, skip string) {
		names[name] = append(names[name], alias{in, skip})
	}
	for o := OpInvalid + 1; o < NumOps; o++ {
		add(o.String(), Instr{Op: o}, "")
	}
	for t, n := range bitopNames {
		if n != "" {
			add(n, Instr{Op: OpBitop, Table: uint8(t)}, "")
		}
	}
	zero := [6]Operand{1: I(0)}
	add("mov", Instr{Op: OpBitop, Table: TableMov, Srcs: zero}, skipSecond)
	add("not", Instr{Op: OpBitop, Table: TableNot, Srcs: zero}, skipSecond)
	add("bitop_mov_a", Instr{Op: OpBitop}, "")
	add("isub", Instr{Op: OpIadd, Flags: Sub}, "")
	add("imsub", Instr{Op: OpImadd, Flags: Sub}, "")
	always := Instr{Op: OpIfFcmp, Cond: CondFEQ, Srcs: [6]Operand{floatZero, floatZero}}
	add("push_exec", always, skipCond)
	add("update_exec", always, skipUpdate)
	for op, n := range reduceNames {
		for f := 0; f < 4 && n != ""; f++ {
			in := Instr{Op: OpReduce, Mode: uint8(op)}
			if f&1 != 0 {
				in.Flags |= Simd
			}
			if f&2 != 0 {
				in.Flags |= Prefix
			}
			name, _ := mnemonic(&in)
			add(name, in, "")
		}
	}
	return names
}

// mnemonic returns an instruction's name, without .sat, and the items that it
// stands for.
func mnemonic(in *Instr) (name, skip string) {
	switch in.Op {
	case OpBitop:
		return bitopName(in)
	case OpIadd, OpImadd:
		if in.Flags&Sub != 0 {
			return strings.Replace(in.Op.String(), "add", "sub", 1), ""
		}
	case OpReduce:
		name = "quad_"
		if in.Flags&Simd != 0 {
			name = "simd_"
		}
		if in.Flags&Prefix != 0 {
			name += "prefix_"
		}
		return name + enumName(reduceNames, in.Mode), ""
	case OpIfFcmp:
		if in.Cond == CondFEQ && in.Srcs[0] == floatZero && in.Srcs[1] == floatZero {
			if in.Nest == 0 {
				return "update_exec", skipUpdate
			}
			return "push_exec", skipCond
		}
	case OpDeviceLoad, OpDeviceStore:
		if in.unusual() {
			return in.Op.String() + ".odd", ""
		}
	}
	return in.Op.String(), ""
}

func bitopName(in *Instr) (name, skip string) {
	zero := in.Srcs[1] == I(0)
	switch t := in.Table & 15; {
	case bitopNames[t] != "":
		return bitopNames[t], ""
	case t == TableMov && zero:
		return "mov", skipSecond
	case t == TableNot && zero:
		return "not", skipSecond
	case t == tableB || t == tableNotB:
		return "bitop_mov_a " + tableText(t), ""
	default:
		return "bitop " + tableText(t), ""
	}
}

// tableText writes a truth table with the entry of a=0, b=0 first.
func tableText(t uint8) string {
	var b [4]byte
	for i := range b {
		b[i] = '0' + t>>i&1
	}
	return string(b[:])
}

// unusual reports whether a device memory instruction's unknown fields have
// values that compilers do not emit for plain accesses.
func (i *Instr) unusual() bool {
	for k := range infoOf(i.Op).items {
		it := &infoOf(i.Op).items[k]
		if it.cls.odd && i.Extra>>it.shift&(1<<it.width-1) != 0 {
			return true
		}
	}
	return false
}
