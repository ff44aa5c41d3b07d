package spv

import (
	"math"
	"strconv"
	"strings"
)

// operand assembles one operand of a kind, and what its value brings with it.
func (a *assembler) operand(k Kind) error {
	if kindTable[k].category == catComposite {
		return a.pair(k)
	}
	w := a.next()
	if w == "" {
		return a.err("%s: operand %s is missing", a.op, k)
	}
	if w[0] == '!' {
		a.raw = true
		return a.rawWord(w)
	}
	switch kindTable[k].category {
	case catID:
		return a.idOperand(w)
	case catValue:
		v, ok := k.Lookup(w)
		if !ok {
			return a.err("invalid %s %q", k, w)
		}
		a.words = append(a.words, v)
		return a.params(k, v)
	case catBits:
		return a.mask(k, w)
	}
	return a.literal(k, w)
}

func (a *assembler) idOperand(w string) error {
	id, msg := a.id(w)
	if msg != "" {
		return a.err("%s", msg)
	}
	a.words = append(a.words, id)
	return nil
}

// params assembles the parameters of an enumerant.
func (a *assembler) params(k Kind, v uint32) error {
	if e := k.enum(v); e != nil && e.specs.count > 0 {
		return a.layout(e.specs)
	}
	return nil
}

func (a *assembler) mask(k Kind, w string) error {
	var v uint32
	for name := range strings.SplitSeq(w, "|") {
		bit, ok := k.Lookup(name)
		if !ok {
			return a.err("invalid %s %q", k, w)
		}
		v |= bit
	}
	a.words = append(a.words, v)
	for bit := uint32(1); bit != 0; bit <<= 1 {
		if v&bit == 0 {
			continue
		}
		if err := a.params(k, bit); err != nil {
			return err
		}
	}
	return nil
}

// pair assembles a pair; the literal of OpSwitch has the type of the selector, which is the instruction's first operand.
func (a *assembler) pair(k Kind) error {
	bases := kindTable[k].bases
	if k != KindPairLiteralIntegerIdRef {
		if err := a.operand(bases[0]); err != nil || a.raw {
			return err
		}
		return a.operand(bases[1])
	}
	w := a.next()
	if w[0] == '!' {
		a.raw = true
		return a.rawWord(w)
	}
	num, ok := a.num[a.typeOf[a.words[a.start+1]]]
	if !ok || num.Encoding > Signed {
		return a.err("the selector of %s is not a value of an integer type that is defined before it", a.op)
	}
	if err := a.number(w, num); err != nil {
		return err
	}
	return a.operand(bases[1])
}

func (a *assembler) number(w string, num Number) error {
	v, msg := parseNumber(w, num)
	if msg != "" {
		return a.err("%s", msg)
	}
	a.words = append(a.words, uint32(v))
	if num.words() > 1 {
		a.words = append(a.words, uint32(v>>32))
	}
	return nil
}

func (a *assembler) literal(k Kind, w string) error {
	switch k {
	case KindLiteralString:
		return a.str(w)
	case KindLiteralInteger:
		return a.number(w, Number{32, Unsigned})
	case KindLiteralFloat:
		return a.number(w, Number{32, Float})
	case KindLiteralContextDependentNumber:
		num, ok := a.num[a.words[a.start+1]]
		if !ok {
			return a.err("the type of %s is not an int or float of at most 64 bits that is defined before it", a.op)
		}
		return a.number(w, num)
	case KindLiteralExtInstInteger:
		return a.extInst(w)
	case KindLiteralSpecConstantOpInteger:
		return a.specOp(w)
	}
	return a.err("operand kind %s is not supported", k)
}

// str assembles a quoted string.
func (a *assembler) str(w string) error {
	if w[0] != '"' || len(w) < 2 {
		return a.err("expected a string in quotes, found %q", w)
	}
	b := make([]byte, 0, len(w))
	i := 1
	for ; i < len(w)-1; i++ {
		if w[i] == '\\' {
			i++
		}
		b = append(b, w[i])
	}
	if i != len(w)-1 || w[i] != '"' {
		return a.err("the string %s does not end with a quote", w)
	}
	if strings.IndexByte(w, 0) >= 0 {
		return a.err("a string has a zero byte")
	}
	a.words = appendString(a.words, string(b))
	return nil
}

// extInst assembles the name of an extended instruction: a number where its set has no names, or may have newer ones that do nothing.
func (a *assembler) extInst(w string) error {
	set, ok := a.sets[a.words[len(a.words)-1]]
	if !ok {
		return a.err("the set of %s is not imported before it", a.op)
	}
	num, ok := set.set.Lookup(w)
	if !ok && (set.set == ExtSetUnknown || set.nonSemantic) {
		var n uint64
		n, _, ok = parseMagnitude(w)
		ok = ok && n <= math.MaxUint32
		num = uint32(n)
	}
	if !ok {
		return a.err("invalid extended instruction %q", w)
	}
	a.words = append(a.words, num)
	return nil
}

// extOperands assembles what follows the number of an extended instruction.
func (a *assembler) extOperands() error {
	n := len(a.words)
	if info := a.sets[a.words[n-2]].set.info(a.words[n-1]); info != nil {
		return a.layout(info.specs)
	}
	for !a.raw && !a.atEnd() {
		if err := a.operand(KindIdRef); err != nil {
			return err
		}
	}
	return nil
}

// specOp assembles the name of the opcode in an OpSpecConstantOp (without its Op) and the operands that come with it.
func (a *assembler) specOp(w string) error {
	op, ok := LookupOp("Op" + w)
	info := specConstantOp(uint32(op))
	if !ok || info == nil {
		return a.err("invalid opcode %q in a specialization constant", w)
	}
	a.words = append(a.words, uint32(op))
	return a.layout(span{info.specs.first + 2, info.specs.count - 2})
}

// rawInst assembles an instruction whose first word is !number: all its words are copied up to the next instruction.
func (a *assembler) rawInst(w string) error {
	if err := a.rawWord(w); err != nil {
		return err
	}
	return a.rawOperands()
}

func (a *assembler) rawOperands() error {
	for !a.atEnd() {
		if err := a.rawOperand(a.next()); err != nil {
			return err
		}
	}
	return nil
}

// rawWord copies the number of !number.
func (a *assembler) rawWord(w string) error {
	v, msg := parseInt(w[1:], Number{32, Unsigned})
	if msg != "" {
		return a.err("%s", msg)
	}
	a.words = append(a.words, uint32(v))
	return nil
}

// rawOperand assembles an operand after a !number, where the grammar has lost its place: its own form says what it is.
func (a *assembler) rawOperand(w string) error {
	switch w[0] {
	case '!':
		return a.rawWord(w)
	case '%':
		return a.idOperand(w)
	case '"':
		return a.str(w)
	}
	num := Number{32, Unsigned}
	switch {
	case strings.ContainsAny(w, ".p") || !strings.HasPrefix(w, "0x") && strings.ContainsAny(w, "eE"):
		num.Encoding = Float
	case w[0] == '-':
		num.Encoding = Signed
	}
	v, msg := parseNumber(w, num)
	if msg != "" {
		return a.err("invalid word %s after a !number", strconv.Quote(w))
	}
	a.words = append(a.words, uint32(v))
	return nil
}
