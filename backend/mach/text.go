package mach

import (
	"fmt"
	"strconv"
	"strings"
)

// Text form, one instruction a line:
//
//	func NAME target TARGET
//	block 0 -> 1 2 ~> 3
//	  v1:full = add.u v2!kill, v3 {ext}
//	  v4:full*2@12 = collect v1@10!kill, v5@14
//	  full@8 = move full@10
//	block 1 <- 0 loop 1
//
// A value is declared where it is defined, with its class and, for a vector, its number of elements;
// @N is its register, in units. A register without value is class*size@N, in
// units. ! introduces the operand's flags. Predecessors are
// listed where their order matters, that is, always.

// String returns the text form of f.
func (f *Func) String() string {
	var w strings.Builder
	fmt.Fprintf(&w, "func %s target %s\n", f.Name, f.ISA.Name())
	for b := range f.Blocks {
		blk := &f.Blocks[b]
		fmt.Fprintf(&w, "block %d", b)
		writeBlocks(&w, " <-", blk.Preds)
		writeBlocks(&w, " ->", blk.Succs)
		writeBlocks(&w, " ~>", blk.PhysSuccs)
		if blk.LoopDepth != 0 {
			fmt.Fprintf(&w, " loop %d", blk.LoopDepth)
		}
		w.WriteByte('\n')
		for _, in := range blk.Instrs {
			f.writeInstr(&w, in)
		}
	}
	return w.String()
}

func writeBlocks(w *strings.Builder, arrow string, ids []BlockID) {
	if len(ids) == 0 {
		return
	}
	w.WriteString(arrow)
	for _, id := range ids {
		w.WriteByte(' ')
		w.WriteString(strconv.Itoa(int(id)))
	}
}

func (f *Func) opName(op Op) string {
	if op < FirstTargetOp {
		return genericNames[op]
	}
	return f.ISA.OpName(op)
}

func (f *Func) writeInstr(w *strings.Builder, in *Instr) {
	w.WriteString("  ")
	for i := range in.Defs() {
		if i > 0 {
			w.WriteString(", ")
		}
		f.writeOperand(w, &in.Ops[i], true)
	}
	if in.NDefs > 0 {
		w.WriteString(" = ")
	}
	w.WriteString(f.opName(in.Op))
	for i := range in.Uses() {
		if i > 0 {
			w.WriteByte(',')
		}
		w.WriteByte(' ')
		f.writeOperand(w, &in.Uses()[i], false)
	}
	if in.Aux != 0 {
		fmt.Fprintf(w, " #%d", in.Aux)
	}
	if in.Flags != 0 {
		fmt.Fprintf(w, " flags %d", in.Flags)
	}
	if in.Op >= FirstTargetOp {
		if ext := f.ISA.FormatExt(f, in); ext != "" {
			fmt.Fprintf(w, " {%s}", ext)
		}
	}
	w.WriteByte('\n')
}

var flagNames = [...]string{"kill", "early", "fixed", "tied", "dead"}

func (f *Func) writeOperand(w *strings.Builder, o *Operand, def bool) {
	switch {
	case o.Val != 0:
		w.WriteByte('v')
		w.WriteString(strconv.Itoa(int(o.Val)))
		if def {
			w.WriteByte(':')
			w.WriteString(f.classes[f.Class(o.Val)].Name)
			if n := f.Elems(o.Val); n != 1 {
				fmt.Fprintf(w, "*%d", n)
			}
			if f.vals[o.Val].noSpill {
				w.WriteString("!nospill")
			}
		}
	case o.Size != 0:
		fmt.Fprintf(w, "%s*%d", f.classes[o.Class].Name, o.Size)
	default:
		w.WriteByte('_')
	}
	if o.Reg != NoReg {
		fmt.Fprintf(w, "@%d", o.Reg)
	}
	for i, name := range flagNames {
		if o.Flags>>i&1 == 0 {
			continue
		}
		w.WriteByte('!')
		w.WriteString(name)
		if OperandFlags(1)<<i == Tied {
			w.WriteString(strconv.Itoa(int(o.Tie)))
		}
	}
}

// parser reads the text form.
type parser struct {
	f    *Func
	line int
}

func (p *parser) errorf(format string, args ...any) error {
	return fmt.Errorf("mach: line %d: %s", p.line, fmt.Sprintf(format, args...))
}

// Parse reads the text form of one function. Lines that start with ';' and
// empty lines are skipped. Errors name the line.
func Parse(text string, isa ISA) (*Func, error) {
	p := &parser{}
	for line := range strings.Lines(text) {
		p.line++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == ';' {
			continue
		}
		var err error
		words := strings.Fields(line)
		switch {
		case words[0] == "func" && len(words) == 4 && words[2] == "target":
			if words[3] != isa.Name() {
				return nil, p.errorf("target is %s, not %s", words[3], isa.Name())
			}
			p.f = NewFunc(words[1], isa)
		case p.f == nil:
			err = p.errorf("expected func NAME target TARGET")
		case words[0] == "block":
			err = p.block(words)
		case len(p.f.Blocks) == 0:
			err = p.errorf("expected block")
		default:
			err = p.instr(line)
		}
		if err != nil {
			return nil, err
		}
	}
	if p.f == nil {
		return nil, fmt.Errorf("mach: no function")
	}
	return p.f, p.checkEdges()
}

func (p *parser) checkEdges() error {
	for b := range p.f.Blocks {
		blk := &p.f.Blocks[b]
		for _, l := range [...][]BlockID{blk.Preds, blk.Succs, blk.PhysSuccs} {
			for _, id := range l {
				if int(id) >= len(p.f.Blocks) {
					return fmt.Errorf("mach: block %d: there is no block %d", b, id)
				}
			}
		}
		for _, s := range blk.PhysSuccs {
			p.f.Blocks[s].PhysPreds = append(p.f.Blocks[s].PhysPreds, BlockID(b))
		}
		for _, in := range blk.Instrs {
			if in.Op == OpPhi && len(in.Uses()) != len(blk.Preds) {
				return fmt.Errorf("mach: block %d: a phi needs a source for each of %d predecessors", b, len(blk.Preds))
			}
		}
	}
	return nil
}

func (p *parser) block(words []string) error {
	if len(words) < 2 || words[1] != strconv.Itoa(len(p.f.Blocks)) {
		return p.errorf("expected block %d", len(p.f.Blocks))
	}
	id := p.f.NewBlock()
	blk := &p.f.Blocks[id]
	var list *[]BlockID
	for i := 2; i < len(words); i++ {
		switch words[i] {
		case "<-":
			list = &blk.Preds
		case "->":
			list = &blk.Succs
		case "~>":
			list = &blk.PhysSuccs
		default:
			if words[i] == "loop" && i+2 == len(words) {
				n, err := strconv.Atoi(words[i+1])
				if err != nil {
					return p.errorf("loop depth %q", words[i+1])
				}
				blk.LoopDepth = int32(n)
				return nil
			}
			n, err := strconv.ParseUint(words[i], 10, 31)
			if err != nil || list == nil {
				return p.errorf("unexpected %q", words[i])
			}
			*list = append(*list, BlockID(n))
		}
	}
	return nil
}

func (p *parser) instr(line string) error {
	ext := ""
	if i := strings.IndexByte(line, '{'); i >= 0 {
		if line[len(line)-1] != '}' {
			return p.errorf("missing }")
		}
		ext, line = line[i+1:len(line)-1], strings.TrimSpace(line[:i])
	}
	var defs []string
	if left, right, ok := strings.Cut(line, " = "); ok {
		defs, line = strings.Split(left, ","), right
	}
	name, rest, _ := strings.Cut(line, " ")
	op, ok := p.op(name)
	if !ok {
		return p.errorf("unknown operation %q", name)
	}
	rest, aux, flags, err := p.numbers(rest)
	if err != nil {
		return err
	}
	var uses []string
	if rest = strings.TrimSpace(rest); rest != "" {
		uses = strings.Split(rest, ",")
	}
	in := p.f.NewInstr(op, len(defs), len(uses))
	in.Aux, in.Flags = int32(aux), uint8(flags)
	for i, s := range append(defs, uses...) {
		if err := p.operand(&in.Ops[i], strings.TrimSpace(s)); err != nil {
			return err
		}
	}
	for _, d := range in.Defs() {
		if d.Flags&Tied != 0 && int(d.Tie) >= len(uses) {
			return p.errorf("there is no source %d", d.Tie)
		}
	}
	if op >= FirstTargetOp {
		if err := p.f.ISA.ParseExt(p.f, in, ext); err != nil {
			return p.errorf("%v", err)
		}
	}
	blk := &p.f.Blocks[len(p.f.Blocks)-1]
	blk.Instrs = append(blk.Instrs, in)
	return nil
}

// numbers reads the number and the flags at the end of an instruction's operands, and returns
// the operands before them.
func (p *parser) numbers(s string) (rest string, aux, flags int, err error) {
	rest = s
	if left, right, ok := strings.Cut(rest, "flags "); ok {
		if flags, err = strconv.Atoi(right); err != nil || flags > 255 {
			return "", 0, 0, p.errorf("flags %q", right)
		}
		rest = left
	}
	if left, right, ok := strings.Cut(rest, "#"); ok {
		if aux, err = strconv.Atoi(strings.TrimSpace(right)); err != nil {
			return "", 0, 0, p.errorf("number %q", right)
		}
		rest = left
	}
	return rest, aux, flags, nil
}

func (p *parser) op(name string) (Op, bool) {
	for i, n := range genericNames {
		if n == name {
			return Op(i), true
		}
	}
	return p.f.ISA.OpByName(name)
}

func (p *parser) class(name string) (uint8, bool) {
	for i := range p.f.classes {
		if p.f.classes[i].Name == name {
			return uint8(i), true
		}
	}
	return 0, false
}

// maxValue bounds value numbers in text so that a typing error does not eat memory.
const maxValue = 1 << 20

func (p *parser) operand(o *Operand, s string) error {
	parts := strings.Split(s, "!")
	for _, fl := range parts[1:] {
		if err := p.flag(o, fl); err != nil {
			return err
		}
	}
	head, reg, hasReg := strings.Cut(parts[0], "@")
	if hasReg {
		n, err := strconv.ParseUint(reg, 10, 15)
		if err != nil {
			return p.errorf("register %q", reg)
		}
		o.Reg = Reg(n)
	}
	if head == "_" {
		return nil
	}
	name, class, declared := strings.Cut(head, ":")
	if !declared {
		if v, err := strconv.ParseUint(strings.TrimPrefix(name, "v"), 10, 32); err == nil && name[0] == 'v' && v > 0 && v < maxValue {
			o.Val = Value(v)
			p.grow(o.Val)
			return nil
		}
		class = name
	}
	cname, count, many := strings.Cut(class, "*")
	k, ok := p.class(cname)
	n := uint64(1)
	if many {
		var err error
		if n, err = strconv.ParseUint(count, 10, 6); err != nil || n == 0 {
			return p.errorf("size %q", count)
		}
	}
	if !ok {
		return p.errorf("unknown operand %q", s)
	}
	if !declared {
		o.Class, o.Size = k, uint8(n)
		return nil
	}
	v, err := strconv.ParseUint(strings.TrimPrefix(name, "v"), 10, 32)
	if err != nil || v == 0 || v >= maxValue {
		return p.errorf("value %q", name)
	}
	o.Val = Value(v)
	p.grow(o.Val)
	p.f.vals[v] = valueInfo{class: k, size: uint8(n) * p.f.classes[k].Elem, noSpill: p.f.vals[v].noSpill}
	for _, fl := range parts[1:] {
		if fl == "nospill" || strings.HasPrefix(fl, "nospill@") {
			p.f.vals[v].noSpill = true
		}
	}
	return nil
}

// grow makes room for value v; a value that is used and never defined keeps size 0.
func (p *parser) grow(v Value) {
	for int(v) >= len(p.f.vals) {
		p.f.vals = append(p.f.vals, valueInfo{})
	}
}

func (p *parser) flag(o *Operand, s string) error {
	if head, reg, ok := strings.Cut(s, "@"); ok {
		n, err := strconv.ParseUint(reg, 10, 15)
		if err != nil {
			return p.errorf("register %q", reg)
		}
		o.Reg = Reg(n)
		s = head
	}
	if s == "nospill" {
		return nil
	}
	for i, name := range flagNames {
		bit := OperandFlags(1) << i
		if bit == Tied && strings.HasPrefix(s, name) {
			n, err := strconv.ParseUint(s[len(name):], 10, 8)
			if err != nil {
				return p.errorf("flag %q", s)
			}
			o.Flags |= bit
			o.Tie = uint8(n)
			return nil
		}
		if s == name {
			o.Flags |= bit
			return nil
		}
	}
	return p.errorf("unknown flag %q", s)
}
