package spv

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// AssembleOptions choose the header and the numbering of ids. The zero value is SPIR-V 1.6, generator 0, ids renumbered.
type AssembleOptions struct {
	// Version is the SPIR-V version of the header as 0x0103 for 1.3; 0 is 1.6. Nothing is checked against it.
	Version uint16
	// Generator is the header's generator word.
	Generator uint32
	// PreserveNumericIDs keeps the numbers of ids such as %12. The others get the lowest numbers that the text does not use.
	PreserveNumericIDs bool
}

// Assemble turns assembly text, in the syntax of spirv-as, into the words of a module. Ids are numbered from 1 in the order of their first
// appearance. Errors are of type *Error. That operands have the right kinds is checked, that ids are defined is not: see ParseWords.
func Assemble(text string, opts AssembleOptions) ([]uint32, error) {
	if text == "" {
		return nil, &Error{Line: 1, Column: 1, Msg: "there is no text"}
	}
	if opts.Version == 0 {
		opts.Version = 0x0106
	}
	a := assembler{
		lexer:  lexer{text: text},
		ids:    map[string]uint32{},
		num:    map[uint32]Number{},
		typeOf: map[uint32]uint32{},
		sets:   map[uint32]importedSet{},
	}
	if opts.PreserveNumericIDs {
		a.collectNumbers()
	}
	a.words = append(make([]uint32, 0, len(text)/8+headerWords), Magic, uint32(opts.Version)<<8, opts.Generator, 0, 0)
	for {
		w := a.next()
		if w == "" {
			break
		}
		if err := a.inst(w); err != nil {
			return nil, err
		}
	}
	a.words[3] = a.bound + 1
	return a.words, nil
}

type importedSet struct {
	set         ExtSet
	nonSemantic bool
}

// assembler is the state of an Assemble.
type assembler struct {
	lexer
	words []uint32

	// The instruction that is assembled.
	start    int // in words
	op       Op
	result   string // the text of its result id
	resultAt int    // where that stands
	raw      bool   // a !word was among the operands: the rest is read without the grammar

	ids   map[string]uint32
	taken map[uint32]bool // numbers that the text uses, nil when they mean nothing
	last  uint32          // the last number given to a name
	bound uint32          // the greatest id

	// What literals and extended instructions need to know of earlier instructions.
	num    map[uint32]Number // scalar types
	typeOf map[uint32]uint32
	sets   map[uint32]importedSet
}

// collectNumbers finds the numeric ids of the whole text, so that names get other numbers.
func (a *assembler) collectNumbers() {
	a.taken = map[uint32]bool{}
	for l := (lexer{text: a.text}); ; {
		w := l.next()
		if w == "" {
			return
		}
		if n, ok := numericID(w); ok {
			a.taken[n] = true
		}
	}
}

func numericID(w string) (uint32, bool) {
	if len(w) < 2 || w[0] != '%' || w[1] < '0' || w[1] > '9' {
		return 0, false
	}
	n, err := strconv.ParseUint(w[1:], 10, 32)
	return uint32(n), err == nil
}

// id gives the number of an id's text; msg is empty when it is good.
func (a *assembler) id(w string) (id uint32, msg string) {
	if w[0] != '%' {
		return 0, fmt.Sprintf("expected an id, which begins with %%, found %q", w)
	}
	if n, ok := numericID(w); ok && a.taken != nil {
		if n == 0 || n >= MaxBound {
			return 0, fmt.Sprintf("id %s is not between 1 and %d", w, MaxBound-1)
		}
		a.bound = max(a.bound, n)
		return n, ""
	}
	if n, ok := a.ids[w]; ok {
		return n, ""
	}
	if len(w) == 1 || strings.ContainsFunc(w[1:], func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) {
		return 0, fmt.Sprintf("invalid id %q", w)
	}
	a.last++
	for a.taken[a.last] {
		a.last++
	}
	if a.last >= MaxBound {
		return 0, fmt.Sprintf("more than %d ids", MaxBound-1)
	}
	a.ids[w] = a.last
	a.bound = max(a.bound, a.last)
	return a.last, ""
}

// inst assembles an instruction whose first word was read.
func (a *assembler) inst(w string) error {
	at := a.at
	a.start, a.raw = len(a.words), false
	if w[0] == '!' {
		return a.rawInst(w)
	}
	result := ""
	if w[0] == '%' {
		result = w
		if eq := a.next(); eq != "=" {
			return a.err("expected = after the result id %s, found %q", w, eq)
		}
		if w = a.next(); w == "" {
			return a.err("expected an opcode, found the end of the text")
		}
	}
	if !isOpcode(w) {
		return a.err("expected an opcode or a result id at the beginning of an instruction, found %q", w)
	}
	op, ok := LookupOp(w)
	if !ok {
		return a.err("unknown opcode %s", w)
	}
	info := op.info()
	if has := info.flags&flagResult != 0; has && result == "" {
		return a.errAt(at, "%s needs a result id before it", w)
	} else if !has && result != "" {
		return a.err("%s has no result to name %s", w, result)
	}
	a.op, a.result, a.resultAt = op, result, at
	a.words = append(a.words, 0)
	if err := a.layout(info.specs); err != nil {
		return err
	}
	if a.raw {
		if err := a.rawOperands(); err != nil {
			return err
		}
	}
	n := len(a.words) - a.start
	if n > math.MaxUint16 {
		return a.errAt(at, "the instruction has %d words, more than %d", n, math.MaxUint16)
	}
	a.words[a.start] = uint32(n)<<16 | uint32(op)
	a.note(Instruction{Op: op, flags: info.flags, Words: a.words[a.start:]})
	return nil
}

// note keeps what later instructions need to know of one.
func (a *assembler) note(in Instruction) {
	n := len(in.Words)
	switch {
	case in.Op == OpExtInstImport && n > 2:
		set, non := in.importSet()
		a.sets[in.Words[1]] = importedSet{set, non}
	case (in.Op == OpTypeInt || in.Op == OpTypeFloat) && n > 2:
		if num, ok := numberType(in.Op, in.Words[2:]); ok {
			a.num[in.Words[1]] = num
		}
	case in.flags&flagType != 0 && in.flags&flagResult != 0 && n > 2:
		a.typeOf[in.Words[2]] = in.Words[1]
	}
}

// layout assembles the operands of a layout. The result id, which stood before the opcode, gets its number at its place, which is after
// that of the result type.
func (a *assembler) layout(s span) error {
	for _, sp := range s.specs() {
		if sp.kind == KindIdResult {
			id, msg := a.id(a.result)
			if msg != "" {
				return a.errAt(a.resultAt, "%s", msg)
			}
			a.words = append(a.words, id)
			continue
		}
		for {
			if a.raw {
				return nil // the rest is read by inst
			}
			if a.atEnd() {
				if sp.quant != one {
					break
				}
				return a.errAt(a.pos, "%s: operand %s is missing", a.op, sp.kind)
			}
			if err := a.operand(sp.kind); err != nil {
				return err
			}
			if sp.kind == KindLiteralExtInstInteger && !a.raw {
				return a.extOperands()
			}
			if sp.quant != many {
				break
			}
		}
	}
	return nil
}
