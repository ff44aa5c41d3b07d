package spv

// Operand is one operand of an instruction as the grammar sees it: words Start to Start+Count of the instruction's Words.
type Operand struct {
	// Kind says what the words are. Pairs of the grammar come as two operands, parameters of an enumerant as operands after it.
	Kind Kind
	// Num is the type of a literal number (KindLiteralContextDependentNumber, the values of OpSwitch, KindLiteralInteger,
	// KindLiteralFloat); its Bits are 0 for other operands.
	Num Number
	// Start and Count are in words.
	Start, Count uint16
}

// Number is the type of a literal number.
type Number struct {
	// Bits is the width: 8, 16, 32 or 64 mostly; any other below 64 comes only from extensions.
	Bits uint8
	// Encoding says what the bits are.
	Encoding Encoding
}

// Encoding is how the bits of a literal number are read.
type Encoding uint8

// The encodings of numbers. Floats without a name of their own are IEEE 754's binary formats.
const (
	Unsigned Encoding = iota
	Signed
	Float
	BFloat16
	Float8E4M3
	Float8E5M2
)

// words is the number of words of a literal of the type.
func (n Number) words() int { return (int(n.Bits) + 31) / 32 }

// Decode appends the operands of an instruction, result type and result included, to dst. It never fails for an instruction that came
// from m; the error for another is of type *Error.
func (m *Module) Decode(dst []Operand, in *Instruction) ([]Operand, error) {
	info := in.Op.info()
	if info == nil {
		return dst, wordErr(int(in.Offset), "opcode %d is not known", uint16(in.Op))
	}
	d := decoder{m: m, ops: dst, keep: true}
	err := d.decode(in, info)
	return d.ops, err
}

// ID gives an id operand.
func (o Operand) ID(in *Instruction) ID { return ID(in.Words[o.Start]) }

// Word gives the first word of an operand: the whole of an enumerant, mask, id, opcode or 32-bit literal.
func (o Operand) Word(in *Instruction) uint32 { return in.Words[o.Start] }

// Uint64 gives a literal number's bits, the low word first, sign or high bits as the module has them.
func (o Operand) Uint64(in *Instruction) uint64 {
	v := uint64(in.Words[o.Start])
	if o.Count > 1 {
		v |= uint64(in.Words[o.Start+1]) << 32
	}
	return v
}

// String gives a string operand.
func (o Operand) String(in *Instruction) string {
	return decodeString(in.Words[o.Start : o.Start+o.Count])
}

// decoder walks the words of an instruction along its layout. Errors leave it where it was.
type decoder struct {
	m    *Module
	in   *Instruction
	pos  int // index in in.Words of the next word
	ops  []Operand
	keep bool // append to ops; Parse only checks

	// What earlier operands said about later ones.
	set        ExtSet
	setIsNamed bool // set has a grammar that its instructions must be in
}

func (d *decoder) err(format string, args ...any) *Error {
	e := wordErr(int(d.in.Offset)+d.pos, format, args...)
	e.Msg = d.in.Op.String() + ": " + e.Msg
	return e
}

// checkPlain is decode for instructions with only ids, most of a function body.
func (d *decoder) checkPlain(in *Instruction, info *instInfo) error {
	specs := info.specs.specs()
	n := len(in.Words) - 1
	if n == len(specs) {
		for _, w := range in.Words[1:] {
			if w-1 >= d.m.Bound-1 { // 0, or not below the bound
				return d.decode(in, info) // which says what is wrong
			}
		}
		return nil
	}
	return d.decode(in, info)
}

func (d *decoder) decode(in *Instruction, info *instInfo) error {
	d.in, d.pos = in, 1
	specs := info.specs.specs()
	if !d.keep {
		specs = specs[d.skim(specs):]
	}
	if len(specs) > 0 {
		if err := d.places(specs); err != nil {
			return err
		}
	}
	if d.pos != len(in.Words) {
		return d.err("%d words are left after the last operand", len(in.Words)-d.pos)
	}
	return nil
}

// layout reads the operands of a layout, and for the last place also those that depend on what was read.
func (d *decoder) layout(s span) error { return d.places(s.specs()) }

func (d *decoder) places(specs []spec) error {
	for _, sp := range specs {
		if sp.quant == many {
			for d.pos < len(d.in.Words) {
				if err := d.operand(sp.kind); err != nil {
					return err
				}
			}
			return nil
		}
		if sp.quant == optional && d.pos == len(d.in.Words) {
			continue
		}
		if err := d.operand(sp.kind); err != nil {
			return err
		}
		if sp.kind == KindLiteralExtInstInteger {
			return d.extOperands()
		}
	}
	return nil
}

// skim steps over the places of a layout that hold what most do, ids in bounds, literal words, strings and enumerants
// without operands of their own, and tells how many: Parse wants to know no more of them. Where something else stands, or
// what is wrong, operand looks at it. It took a third off what checking the instructions of a small module takes.
func (d *decoder) skim(specs []spec) int {
	words, pos, most := d.in.Words, d.pos, d.m.Bound-1
	for n := range specs {
		if pos >= len(words) {
			d.pos = pos
			return n
		}
		sp, step := specs[n], 0
		switch skims[sp.kind] {
		case skimID:
			ok := words[pos]-1 < most // not 0, and below the bound
			for ok && sp.quant == many && pos+1 < len(words) {
				pos++
				ok = words[pos]-1 < most
			}
			if ok {
				step = 1
			}
		case skimWord:
			step = 1
		case skimString:
			step = stringWords(words[pos:])
		case skimValue:
			if e := sp.kind.enum(words[pos]); e != nil && e.specs.count == 0 {
				step = 1
			}
		}
		if step == 0 || sp.quant == many && skims[sp.kind] != skimID {
			d.pos = pos
			return n
		}
		pos += step
	}
	d.pos = pos
	return len(specs)
}

// What skim does about an operand: 0 leaves it to operand.
const (
	skimID uint8 = 1 + iota
	skimWord
	skimString
	skimValue
)

// skims is that by kind.
var skims = func() (t [256]uint8) {
	for k := range kindTable {
		switch kindTable[k].category {
		case catID:
			t[k] = skimID
		case catValue:
			t[k] = skimValue
		}
	}
	t[KindLiteralInteger], t[KindLiteralFloat], t[KindLiteralString] = skimWord, skimWord, skimString
	return t
}()

func (d *decoder) push(k Kind, num Number, count int) {
	if d.keep {
		d.ops = append(d.ops, Operand{k, num, uint16(d.pos), uint16(count)})
	}
	d.pos += count
}

func (d *decoder) operand(k Kind) error {
	if d.pos >= len(d.in.Words) {
		return d.err("operand %s is missing", k)
	}
	w := d.in.Words[d.pos]
	switch kindTable[k].category {
	case catID:
		return d.id(k, w)
	case catValue:
		e := k.enum(w)
		if e == nil {
			return d.err("%s %d is not known", k, w)
		}
		d.push(k, Number{}, 1)
		return d.layout(e.specs)
	case catBits:
		return d.mask(k, w)
	case catComposite:
		return d.pair(k)
	}
	return d.literal(k, w)
}

func (d *decoder) id(k Kind, w uint32) error {
	if w == 0 {
		return d.err("id 0 for %s", k)
	}
	if w >= d.m.Bound {
		return d.err("id %%%d for %s is not below the bound of %d", w, k, d.m.Bound)
	}
	d.push(k, Number{}, 1)
	return nil
}

func (d *decoder) mask(k Kind, w uint32) error {
	at := d.pos
	d.push(k, Number{}, 1)
	if w == 0 {
		return nil
	}
	for bit, rest := uint32(1), w; rest != 0; bit <<= 1 {
		if rest&bit == 0 {
			continue
		}
		rest &^= bit
		e := k.enum(bit)
		if e == nil {
			d.pos = at
			return d.err("%s has a bit %#x that is not known", k, bit)
		}
		if err := d.layout(e.specs); err != nil {
			return err
		}
	}
	return nil
}

// pair reads the two halves of a composite kind. Literals of pairs with a literal first are OpSwitch's, of the selector's type.
func (d *decoder) pair(k Kind) error {
	if k != KindPairLiteralIntegerIdRef {
		for _, b := range kindTable[k].bases {
			if err := d.operand(b); err != nil {
				return err
			}
		}
		return nil
	}
	num, err := d.switchType()
	if err != nil {
		return err
	}
	if err := d.number(KindLiteralInteger, num); err != nil {
		return err
	}
	return d.operand(KindIdRef)
}

// switchType is the type of OpSwitch's literals.
func (d *decoder) switchType() (Number, error) {
	sel := ID(d.in.Words[1])
	def := d.m.Def(sel)
	if def == nil {
		return Number{}, d.err("selector %%%d is not defined before it", sel)
	}
	num, ok := d.m.NumberType(def.ResultType())
	if !ok || num.Encoding > Signed {
		return Number{}, d.err("selector %%%d is not an integer of at most 64 bits", sel)
	}
	return num, nil
}

func (d *decoder) number(k Kind, num Number) error {
	if n := num.words(); n > len(d.in.Words)-d.pos {
		return d.err("a literal of %d bits is cut off", num.Bits)
	}
	d.push(k, num, num.words())
	return nil
}

func (d *decoder) literal(k Kind, w uint32) error {
	switch k {
	case KindLiteralString:
		n := stringWords(d.in.Words[d.pos:])
		if n == 0 {
			return d.err("a string does not end within the instruction")
		}
		d.push(k, Number{}, n)
	case KindLiteralInteger:
		d.push(k, Number{32, Unsigned}, 1)
	case KindLiteralFloat:
		d.push(k, Number{32, Float}, 1)
	case KindLiteralContextDependentNumber:
		num, ok := d.m.NumberType(d.in.typeWord())
		if !ok {
			return d.err("result type %%%d is not an int or float of at most 64 bits", d.in.typeWord())
		}
		return d.number(k, num)
	case KindLiteralExtInstInteger:
		return d.extInst(k)
	case KindLiteralSpecConstantOpInteger:
		return d.specOp(k, w)
	default:
		return d.err("operand kind %s is not supported", k)
	}
	return nil
}

// typeWord is ResultType for instructions whose flags are not set.
func (in *Instruction) typeWord() ID { return ID(in.Words[1]) }

// extInst reads the number of an extended instruction; the set stands in the word before.
func (d *decoder) extInst(k Kind) error {
	set := ID(d.in.Words[d.pos-1])
	def := d.m.Def(set)
	if def == nil || def.Op != OpExtInstImport {
		return d.err("%%%d is not an OpExtInstImport before it", set)
	}
	s, non := def.importSet()
	d.set, d.setIsNamed = s, s != ExtSetUnknown && !non
	if d.setIsNamed && s.info(d.in.Words[d.pos]) == nil {
		return d.err("%s has no instruction %d", s, d.in.Words[d.pos])
	}
	d.push(k, Number{}, 1)
	return nil
}

// extOperands reads the operands of an extended instruction: its own layout, ids where that is not known.
func (d *decoder) extOperands() error {
	if info := d.set.info(d.in.Words[d.pos-1]); info != nil {
		return d.layout(info.specs)
	}
	for d.pos < len(d.in.Words) {
		if err := d.operand(KindIdRef); err != nil {
			return err
		}
	}
	return nil
}

// specOp reads the opcode within an OpSpecConstantOp and the operands that it has after its result.
func (d *decoder) specOp(k Kind, w uint32) error {
	info := specConstantOp(w)
	if info == nil {
		return d.err("opcode %d cannot be in a specialization constant", w)
	}
	d.push(k, Number{}, 1)
	return d.layout(span{info.specs.first + 2, info.specs.count - 2})
}

// specConstantOp finds the opcode of an OpSpecConstantOp: one with a result whose operands do not depend on anything else.
func specConstantOp(op uint32) *instInfo {
	if op > 0xffff {
		return nil
	}
	info := Op(op).info()
	if info == nil || info.flags&flagType == 0 || info.flags&flagResult == 0 {
		return nil
	}
	for _, s := range info.specs.specs() {
		switch s.kind {
		case KindLiteralContextDependentNumber, KindLiteralExtInstInteger, KindLiteralSpecConstantOpInteger, KindPairLiteralIntegerIdRef:
			return nil
		}
	}
	return info
}

// NumberType gives the type of the literals of a scalar type; ok is false when the id is not an OpTypeInt or OpTypeFloat of at most 64 bits.
func (m *Module) NumberType(id ID) (num Number, ok bool) {
	def := m.Def(id)
	if def == nil {
		return Number{}, false
	}
	return numberType(def.Op, def.Words[2:])
}

// numberType reads the operands of OpTypeInt or OpTypeFloat.
func numberType(op Op, args []uint32) (num Number, ok bool) {
	if len(args) == 0 || args[0] == 0 || args[0] > 64 {
		return Number{}, false
	}
	num.Bits = uint8(args[0])
	switch {
	case op == OpTypeInt && len(args) == 2:
		if args[1] != 0 {
			num.Encoding = Signed
		}
		return num, true
	case op == OpTypeFloat && len(args) == 1:
		num.Encoding = Float
		return num, num.Bits == 16 || num.Bits == 32 || num.Bits == 64
	case op == OpTypeFloat:
		switch FPEncoding(args[1]) {
		case FPEncodingBFloat16KHR:
			num.Encoding = BFloat16
			return num, num.Bits == 16
		case FPEncodingFloat8E4M3EXT:
			num.Encoding = Float8E4M3
			return num, num.Bits == 8
		case FPEncodingFloat8E5M2EXT:
			num.Encoding = Float8E5M2
			return num, num.Bits == 8
		}
	}
	return Number{}, false
}
