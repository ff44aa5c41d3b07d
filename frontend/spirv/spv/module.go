package spv

// ID is a SPIR-V id. 0 is none.
type ID uint32

// MaxBound is the greatest id bound that is read: the universal limit of the SPIR-V specification (2.17), which Vulkan keeps.
const MaxBound = 0x3fffff

// Magic is the first word of a module in the machine's byte order.
const Magic = 0x07230203

// headerWords is the length of the header.
const headerWords = 5

// Module is a module that was read. Nothing in it is changed after Parse, so any number of goroutines may read one.
type Module struct {
	// Version is the SPIR-V version as 0x0103 for 1.3.
	Version uint16
	// Generator is the header's word that tells which tool wrote the module; see the function of that name.
	Generator uint32
	// Bound is greater than every id of the module.
	Bound uint32
	// Schema is the header's last word, which is reserved.
	Schema uint32
	// Words are all words of the module, the header too, in the machine's byte order.
	Words []uint32
	// Insts are all instructions, in order.
	Insts []Instruction

	// defs gives the index in Insts, plus one, of an id's definition. A module whose bound is out of proportion to its length has
	// sparse instead, so that a small file cannot ask for much memory.
	defs   []uint32
	sparse map[ID]uint32
	room   *room
}

// Instruction is one instruction of a module. Only those that a Parse made know their result.
type Instruction struct {
	// Op is the opcode; Parse lets only those of the grammar in.
	Op    Op
	flags uint8
	// Offset is the place of the first word, counted in words from the start of the module.
	Offset uint32
	// Words are all words of the instruction, the first (length and opcode) too.
	Words []uint32
}

// ResultType is the id of the result's type, 0 for an instruction without one.
func (in *Instruction) ResultType() ID {
	if in.flags&flagType == 0 {
		return 0
	}
	return ID(in.Words[1])
}

// Result is the id that the instruction defines, 0 when it defines none.
func (in *Instruction) Result() ID {
	switch in.flags & (flagType | flagResult) {
	case flagType | flagResult:
		return ID(in.Words[2])
	case flagResult:
		return ID(in.Words[1])
	}
	return 0
}

// first is the index in Words of the first operand after result type and id.
func (in *Instruction) first() int {
	return 1 + int(in.flags&flagType) + int(in.flags&flagResult)>>1
}

// Args are the words after result type and id: the instruction's own operands. Parse has checked that the mandatory ones are there.
func (in *Instruction) Args() []uint32 { return in.Words[in.first():] }

// NumArgs is the number of words of Args.
func (in *Instruction) NumArgs() int { return len(in.Words) - in.first() }

// Arg is the i-th word of Args. i must be below NumArgs.
func (in *Instruction) Arg(i int) uint32 { return in.Words[in.first()+i] }

// IDArg is the i-th word of Args as an id. i must be below NumArgs.
func (in *Instruction) IDArg(i int) ID { return ID(in.Words[in.first()+i]) }

// StringArg reads the string that begins at the i-th word of Args, and tells at which word of Args the operands go on.
func (in *Instruction) StringArg(i int) (s string, next int) {
	a := in.Args()
	n := stringWords(a[i:])
	if n == 0 {
		return "", len(a)
	}
	return decodeString(a[i : i+n]), i + n
}

// Declares reports whether the module declares a capability.
func (m *Module) Declares(c Capability) bool {
	for i := range m.Insts {
		in := &m.Insts[i]
		if in.Op == OpMemoryModel {
			return false
		}
		if in.Op == OpCapability && Capability(in.Arg(0)) == c {
			return true
		}
	}
	return false
}

// Def gives the instruction that defines an id, nil when there is none.
func (m *Module) Def(id ID) *Instruction {
	i := m.DefIndex(id)
	if i < 0 {
		return nil
	}
	return &m.Insts[i]
}

// DefIndex gives the index in Insts of the instruction that defines an id, -1 when there is none.
func (m *Module) DefIndex(id ID) int {
	if m.sparse != nil {
		return int(m.sparse[id]) - 1
	}
	if int(id) >= len(m.defs) {
		return -1
	}
	return int(m.defs[id]) - 1
}

// stringWords is the number of words of the string that words begin with, its end included; 0 when it does not end.
func stringWords(words []uint32) int {
	for i, w := range words {
		if (w-0x01010101)&^w&0x80808080 != 0 { // some byte is zero
			return i + 1
		}
	}
	return 0
}

// decodeString reads the bytes of a string: the low byte of a word comes first.
func decodeString(words []uint32) string {
	var short [64]byte // most strings are, and take the memory of their bytes alone
	b := short[:0]
	for _, w := range words {
		for range 4 {
			if byte(w) == 0 {
				return string(b)
			}
			b = append(b, byte(w))
			w >>= 8
		}
	}
	return string(b)
}

// appendString appends the words of a string, its zero end included.
func appendString(words []uint32, s string) []uint32 {
	for len(s) >= 4 {
		words = append(words, uint32(s[0])|uint32(s[1])<<8|uint32(s[2])<<16|uint32(s[3])<<24)
		s = s[4:]
	}
	var w uint32
	for i := range len(s) {
		w |= uint32(s[i]) << (8 * i)
	}
	return append(words, w)
}

// importSet finds the set of an OpExtInstImport without making a string of its name.
func (in *Instruction) importSet() (set ExtSet, isNonSemantic bool) {
	words := in.Args()
	for i := 1; i < len(extSetTable); i++ {
		s := &extSetTable[i]
		if hasPrefix(words, s.imports) && (s.prefix || byteAt(words, len(s.imports)) == 0) {
			return ExtSet(i), ExtSet(i).NonSemantic()
		}
	}
	return ExtSetUnknown, hasPrefix(words, nonSemantic)
}

// ImportSet tells which set an OpExtInstImport brings in, and whether its name begins with "NonSemantic.", so that a set without a
// grammar can be dropped too.
func (in *Instruction) ImportSet() (set ExtSet, isNonSemantic bool) {
	if in.Op != OpExtInstImport {
		return ExtSetUnknown, false
	}
	return in.importSet()
}

func byteAt(words []uint32, i int) byte {
	if i/4 >= len(words) {
		return 0
	}
	return byte(words[i/4] >> (8 * (i % 4)))
}

func hasPrefix(words []uint32, s string) bool {
	for i := range len(s) {
		if byteAt(words, i) != s[i] {
			return false
		}
	}
	return true
}
