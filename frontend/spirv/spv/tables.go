package spv

import (
	"sort"
	"strconv"
	"strings"
)

// Op is an opcode, the low half of an instruction's first word.
type Op uint16

// Kind is an operand kind of the grammar: what a word (or a run of words) of an instruction means.
type Kind uint8

// ExtSet is an extended instruction set; the zero value is a set that the tables have no names for.
type ExtSet uint8

// ExtSetUnknown is a set without a grammar. Its instructions have numbers only, and ids for operands.
const ExtSetUnknown ExtSet = 0

type (
	// span is a run in one of the tables.
	span struct{ first, count uint16 }

	// spec is one place of an operand layout.
	spec struct {
		kind  Kind
		quant quantifier
	}

	// instInfo describes an opcode or an extended instruction.
	instInfo struct {
		name    string
		num     uint16
		specs   span // in specTable
		caps    span // in capTable: any one of them enables it
		version uint16
		flags   uint8
	}

	enumInfo struct {
		name    string
		value   uint32
		specs   span // parameters, in specTable
		caps    span
		version uint16
	}

	kindInfo struct {
		name     string
		category uint8
		enums    span // in enumTable, sorted by value
		names    span // in enumNames, sorted by name
		bases    [2]Kind
	}

	extSetInfo struct {
		imports string
		prefix  bool // any import name beginning with imports is this set
		insts   span // in extInstTable, sorted by number
		names   span // in extInstNames, sorted by name
	}

	// nameRow gives the value of a name, aliases too.
	nameRow struct {
		name  string
		value uint32
	}

	quantifier uint8
)

const (
	one quantifier = iota
	optional
	many
)

const (
	catValue uint8 = iota
	catBits
	catID
	catLiteral
	catComposite
)

const (
	flagType   uint8 = 1 << iota // the first operand is the result type
	flagResult                   // the operand after that is the result id
	flagPlain                    // all other operands are single ids, the trailing ones perhaps optional
)

func (s span) specs() []spec      { return specTable[s.first : s.first+s.count] }
func (s span) caps() []Capability { return capTable[s.first : s.first+s.count] }

// info gives the row of an opcode, nil when the grammar has none.
func (op Op) info() *instInfo {
	if int(op) < len(opIndex) {
		if i := opIndex[op]; i != 0 {
			return &opTable[i-1]
		}
	}
	return nil
}

// Known reports whether the grammar has the opcode.
func (op Op) Known() bool { return op.info() != nil }

// String gives the opcode's name with its Op prefix, or Op(number).
func (op Op) String() string {
	if in := op.info(); in != nil {
		return in.name
	}
	return "Op(" + strconv.Itoa(int(op)) + ")"
}

// HasResultType reports whether instructions of the opcode begin with a result type.
func (op Op) HasResultType() bool { in := op.info(); return in != nil && in.flags&flagType != 0 }

// HasResult reports whether instructions of the opcode define an id.
func (op Op) HasResult() bool { in := op.info(); return in != nil && in.flags&flagResult != 0 }

// Capabilities lists the capabilities of which any one enables the opcode; none means that it needs none. The slice is read only.
func (op Op) Capabilities() []Capability {
	if in := op.info(); in != nil {
		return in.caps.caps()
	}
	return nil
}

// MinVersion is the first SPIR-V version that has the opcode without an extension, as 0x0103 for 1.3; 0 when only extensions have it.
func (op Op) MinVersion() uint16 {
	if in := op.info(); in != nil {
		return in.version
	}
	return 0
}

// LookupOp finds an opcode by its name (with the Op prefix); aliases are names too.
func LookupOp(name string) (Op, bool) {
	v, ok := lookupName(opNames[:], name)
	return Op(v), ok
}

func lookupName(rows []nameRow, name string) (uint32, bool) {
	i := sort.Search(len(rows), func(i int) bool { return rows[i].name >= name })
	if i < len(rows) && rows[i].name == name {
		return rows[i].value, true
	}
	return 0, false
}

// String gives the grammar's name of the kind.
func (k Kind) String() string {
	if int(k) < len(kindTable) {
		return kindTable[k].name
	}
	return "Kind(" + strconv.Itoa(int(k)) + ")"
}

// IsID reports whether an operand of the kind is an id.
func (k Kind) IsID() bool { return kindTable[k].category == catID }

// IsEnum reports whether an operand of the kind is one enumerant (Decoration, BuiltIn, …).
func (k Kind) IsEnum() bool { return kindTable[k].category == catValue }

// IsMask reports whether an operand of the kind is a mask of enumerants (ImageOperands, MemoryAccess, …).
func (k Kind) IsMask() bool { return kindTable[k].category == catBits }

// enum finds the row of a value (a single bit, in a mask) of an enumerant kind, nil when there is none.
func (k Kind) enum(value uint32) *enumInfo {
	s := kindTable[k].enums
	rows := enumTable[s.first : s.first+s.count]
	if value < uint32(len(rows)) && rows[value].value == value { // most kinds count from zero
		return &rows[value]
	}
	i := sort.Search(len(rows), func(i int) bool { return rows[i].value >= value })
	if i < len(rows) && rows[i].value == value {
		return &rows[i]
	}
	return nil
}

// Lookup finds an enumerant of the kind by its name; aliases are names too.
func (k Kind) Lookup(name string) (uint32, bool) {
	s := kindTable[k].names
	return lookupName(enumNames[s.first:s.first+s.count], name)
}

// Capabilities lists the capabilities of which any one enables an enumerant (a single bit, in a mask). The slice is read only.
func (k Kind) Capabilities(value uint32) []Capability {
	if e := k.enum(value); e != nil {
		return e.caps.caps()
	}
	return nil
}

// MinVersion is the first SPIR-V version that has an enumerant without an extension, as 0x0103 for 1.3; 0 when only extensions have it.
func (k Kind) MinVersion(value uint32) uint16 {
	if e := k.enum(value); e != nil {
		return e.version
	}
	return 0
}

// Text gives a value of an enumerant kind as assembly text has it: a name, for masks names joined by |, or a number where there is no name.
func (k Kind) Text(value uint32) string {
	if b, ok := k.appendText(nil, value); ok {
		return string(b)
	}
	return kindTable[k].name + "(" + strconv.FormatUint(uint64(value), 10) + ")"
}

// appendText appends the text of a value; ok is false, and nothing appended, when some of it has no name.
func (k Kind) appendText(b []byte, value uint32) (_ []byte, ok bool) {
	if !k.IsMask() || value == 0 {
		e := k.enum(value)
		if e == nil {
			return b, false
		}
		return append(b, e.name...), true
	}
	start := len(b)
	for bit := uint32(1); bit != 0; bit <<= 1 {
		if value&bit == 0 {
			continue
		}
		e := k.enum(bit)
		if e == nil {
			return b[:start], false
		}
		if len(b) > start {
			b = append(b, '|')
		}
		b = append(b, e.name...)
	}
	return b, true
}

// String gives the name under which modules import the set.
func (s ExtSet) String() string {
	if s == ExtSetUnknown || int(s) >= len(extSetTable) {
		return "ExtSet(" + strconv.Itoa(int(s)) + ")"
	}
	return extSetTable[s].imports
}

// NonSemantic reports whether the set's instructions may be dropped without changing what the module does.
func (s ExtSet) NonSemantic() bool { return strings.HasPrefix(extSetTable[s].imports, nonSemantic) }

const nonSemantic = "NonSemantic."

func (s ExtSet) info(num uint32) *instInfo {
	t := extSetTable[s].insts
	rows := extInstTable[t.first : t.first+t.count]
	i := sort.Search(len(rows), func(i int) bool { return uint32(rows[i].num) >= num })
	if i < len(rows) && uint32(rows[i].num) == num {
		return &rows[i]
	}
	return nil
}

// Text gives the name of an instruction of the set, or its number where there is none.
func (s ExtSet) Text(num uint32) string {
	if in := s.info(num); in != nil {
		return in.name
	}
	return strconv.FormatUint(uint64(num), 10)
}

// Lookup finds the number of an instruction of the set by its name.
func (s ExtSet) Lookup(name string) (uint32, bool) {
	t := extSetTable[s].names
	return lookupName(extInstNames[t.first:t.first+t.count], name)
}

// Generator names the tool of a header's generator word as its registry does, without its version.
func Generator(word uint32) string {
	if t := word >> 16; t < uint32(len(generatorTable)) {
		return generatorTable[t]
	}
	return "Unknown(" + strconv.FormatUint(uint64(word>>16), 10) + ")"
}
