package ir

import (
	"fmt"
	"strconv"
	"strings"
)

func (p *parser) function() {
	if n := p.prefixed("f"); n != len(p.s.Functions) {
		p.failLast("functions are numbered from f0")
	}
	f := p.s.NewFunction(p.str())
	for p.tok.kind == tokWord {
		switch w := p.word(); w {
		case "entry":
			f.IsEntry = true
		case "preamble":
			f.IsPreamble = true
		case "should_inline":
			f.ShouldInline = true
		case "dont_inline":
			f.DontInline = true
		default:
			p.failLast("no function attribute %q", w)
		}
	}
	p.params(f)
	if !p.accept("{") {
		f.Impl = nil
		return
	}
	p.impl = f.Impl
	p.impl.Structured = !p.accept("unstructured")
	p.vals, p.blocks = map[int]*Def{}, map[int]*Block{}
	p.uses, p.phis, p.depth = p.uses[:0], p.phis[:0], 0
	for p.accept("local") {
		v, fix := p.variable()
		p.impl.Locals = append(p.impl.Locals, v)
		if fix != nil {
			fix()
		}
	}
	p.list(f.Impl.Start(), "}")
	p.resolve()
}

func (p *parser) params(f *Function) {
	p.expect("(")
	for !p.accept(")") {
		if len(f.Params) > 0 {
			p.expect(",")
		}
		var q Param
		q.BitSize, q.NumComponents = p.size()
		if p.tok.kind == tokString {
			q.Name = p.str()
		}
		q.IsReturn = p.accept("return")
		q.IsUniform = p.accept("uniform")
		if p.accept("to") {
			q.Modes = p.modes()
			q.Type = p.typ()
		}
		f.Params = append(f.Params, q)
	}
}

func (p *parser) modes() Mode { return Mode(p.knownFlags(modeNames[:])) }

// size reads bits or bitsxcomponents.
func (p *parser) size() (bits, comps uint8) {
	w := p.word()
	b, c, vec := strings.Cut(w, "x")
	nb, err := strconv.ParseUint(b, 10, 8)
	nc := uint64(1)
	if err == nil && vec {
		nc, err = strconv.ParseUint(c, 10, 8)
	}
	if err != nil || nc < 1 || nc > 16 || nb < 1 || nb > 64 {
		p.failLast("want a size such as 32x4, have %q", w)
	}
	return uint8(nb), uint8(nc)
}

// list parses nodes into the list whose only block is b, up to the closing
// word, which it skips.
func (p *parser) list(b *Block, end string) {
	if p.depth++; p.depth > maxParseDepth {
		p.fail("control flow nests too deep")
	}
	defer func() { p.depth-- }()
	p.blockLabel(b)
	for {
		switch {
		case p.accept(end):
			return
		case p.accept("if"):
			b = p.ifNode(b)
			p.blockLabel(b)
		case p.accept("loop"):
			b = p.loopNode(b)
			p.blockLabel(b)
		default:
			p.instr(b)
		}
	}
}

func (p *parser) blockLabel(b *Block) {
	n := p.prefixed("b")
	p.expect(":")
	if p.blocks[n] != nil || n > maxParseNumber {
		p.failLast("block b%d stands twice, or its number is too large", n)
	}
	p.blocks[n] = b
	p.block = b
}

func (p *parser) ifNode(b *Block) *Block {
	num := p.prefixed("%")
	pos := p.last
	i := InsertIf(AtEnd(b), nil)
	p.uses = append(p.uses, pendingUse{src: &i.Cond, num: num, pos: pos})
	for k, n := range []string{"", "flatten", "dont_flatten", "divergent_always_taken"} {
		if k > 0 && p.accept(n) {
			i.Control = IfControl(k)
		}
	}
	p.expect("{")
	p.list(i.Then.FirstBlock(), "}")
	p.expect("else")
	p.expect("{")
	p.list(i.Else.FirstBlock(), "}")
	return i.After()
}

func (p *parser) loopNode(b *Block) *Block {
	l := InsertLoop(AtEnd(b))
	for k, n := range []string{"", "unroll", "dont_unroll"} {
		if k > 0 && p.accept(n) {
			l.Control = LoopControl(k)
		}
	}
	l.PartiallyUnrolled = p.accept("partially_unrolled")
	p.expect("{")
	p.list(l.Body.FirstBlock(), "}")
	if p.accept("continue") {
		p.expect("{")
		p.list(l.AddContinue(), "}")
	}
	return l.After()
}

// value parses %n into a source that is filled in at the function's end.
func (p *parser) value(s *Src) {
	pos := p.tok.pos
	p.uses = append(p.uses, pendingUse{src: s, num: p.prefixed("%"), pos: pos})
}

// resolve links all uses, now that all values are known, and puts in the phis.
func (p *parser) resolve() {
	find := func(n, pos int) *Def {
		d := p.vals[n]
		if d == nil {
			panic(p.errorAt(pos, fmt.Sprintf("no value %%%d", n)))
		}
		return d
	}
	for _, u := range p.uses {
		if u.reg != nil {
			*u.reg = find(u.num, u.pos)
			continue
		}
		u.src.Set(find(u.num, u.pos))
	}
	for i := len(p.phis) - 1; i >= 0; i-- {
		q := p.phis[i]
		q.block.insert(q.in, q.block.first)
		for k, n := range q.preds {
			b := p.blocks[n]
			if b == nil {
				panic(p.errorAt(q.pos, fmt.Sprintf("no block b%d", n)))
			}
			p.s.AddPhiSrc(q.in, b, find(q.vals[k], q.pos))
		}
	}
}

// def names the result of in, whose shape the text gave.
func (p *parser) define(num int, d *Def) {
	if p.vals[num] != nil || num > maxParseNumber {
		p.failLast("value %%%d stands twice, or its number is too large", num)
	}
	p.vals[num] = d
}

func (p *parser) instr(b *Block) {
	num := -1
	var bits, comps uint8
	if strings.HasPrefix(p.tok.text, "%") && p.tok.kind == tokWord {
		num = p.prefixed("%")
		p.expect(":")
		bits, comps = p.size()
		p.expect("=")
	}
	pos := p.tok.pos
	if b.Jump() != nil {
		p.fail("instruction after a jump")
	}
	name := p.word()
	in := p.body(name, b, bits, comps)
	if in.HasDef() != (num >= 0) || num < 0 && definesValue(in) {
		panic(p.errorAt(pos, fmt.Sprintf("%s: result missing or not wanted", name)))
	}
	if num >= 0 {
		p.define(num, &in.Def)
	}
	if p.accept("#") {
		if in.Loc = uint32(p.uint(32)); int(in.Loc) >= len(p.s.Locs) {
			p.failLast("no such loc")
		}
	}
	if p.tok.kind == tokString {
		in.Def.Name = p.name(p.str())
	}
}

// name returns the index of a value's name in Shader.Names.
func (p *parser) name(text string) uint32 {
	i, ok := p.names[text]
	if !ok && text != "" {
		if p.names == nil {
			p.names = map[string]uint32{}
		}
		i = uint32(len(p.s.Names))
		p.s.Names = append(p.s.Names, text)
		p.names[text] = i
	}
	return i
}

// body parses an instruction after its "%n:size =" and inserts it into b.
func (p *parser) body(name string, b *Block, bits, comps uint8) *Instr {
	s := p.s
	var in *Instr
	switch name {
	case "load_const":
		in = p.loadConst(bits, comps)
	case "undef":
		in = s.NewUndef(comps, bits)
	case "phi":
		return p.phi(b, bits, comps)
	case "parallel_copy":
		in = p.parallelCopy()
	case "call":
		in = p.call()
	case "return", "halt", "break", "continue":
		for k, n := range jumpNames {
			if n == name {
				return b.InsertJump(JumpKind(k))
			}
		}
	case "deref_var", "deref_array", "deref_wildcard", "deref_ptr", "deref_struct", "deref_cast":
		in = p.deref(name, bits, comps)
	default:
		in = p.tableInstr(name, bits, comps)
	}
	b.insert(in, nil)
	return in
}

// blank makes n empty sources.
func (p *parser) blank(in *Instr, n int) {
	in.Srcs = p.s.srcs.Slice(n)
	for i := range in.Srcs {
		in.Srcs[i] = Src{Instr: in, Swizzle: IdentitySwizzle}
	}
}

func (p *parser) loadConst(bits, comps uint8) *Instr {
	vals := make([]uint64, comps)
	if comps > 1 {
		p.expect("(")
	}
	for i := range vals {
		if i > 0 {
			p.expect(",")
		}
		switch {
		case p.accept("true"):
			vals[i] = 1
		case p.accept("false"):
		default:
			vals[i] = p.constValue(bits)
		}
	}
	if comps > 1 {
		p.expect(")")
	}
	return p.s.NewConst(bits, vals...)
}

// constValue reads raw bits (0x… or an integer) or a decimal float such as 1.5.
func (p *parser) constValue(bits uint8) uint64 {
	start := p.tok.pos
	w := p.word()
	if p.is(".") && !p.tok.space {
		p.next()
		if p.tok.kind == tokWord && !p.tok.space {
			w = p.src[start : p.tok.pos+len(p.tok.text)]
			p.next()
		}
		f, err := strconv.ParseFloat(w, 64)
		if err != nil || bits < 16 {
			p.failLast("ill-formed constant %q", w)
		}
		return FloatBits(f, bits)
	}
	if v, err := strconv.ParseUint(w, 0, 64); err == nil {
		return v
	}
	v, err := strconv.ParseInt(w, 0, 64)
	if err != nil {
		p.failLast("ill-formed constant %q", w)
	}
	return uint64(v)
}

func (p *parser) phi(b *Block, bits, comps uint8) *Instr {
	if !b.Empty() {
		p.failLast("a phi stands after another instruction")
	}
	q := pendingPhi{in: p.s.NewPhi(comps, bits), block: b, pos: p.tok.pos}
	for strings.HasPrefix(p.tok.text, "b") && p.tok.kind == tokWord && p.predFollows() {
		q.preds = append(q.preds, p.prefixed("b"))
		p.expect(":")
		q.vals = append(q.vals, p.prefixed("%"))
		if !p.accept(",") {
			break
		}
	}
	p.phis = append(p.phis, q)
	return q.in
}

// predFollows tells "b3: %5" from the label of the next block.
func (p *parser) predFollows() bool {
	look := p.lexer
	look.next()
	if !look.is(":") {
		return false
	}
	look.next()
	if look.tok.kind != tokWord || !strings.HasPrefix(look.tok.text, "%") {
		return false
	}
	look.next()
	return !look.is(":")
}

func (p *parser) parallelCopy() *Instr {
	in := p.s.newInstr(KindParallelCopy)
	info := &CopyInfo{}
	in.ext = info
	type end struct {
		reg  bool
		num  int
		pos  int
		bits uint8
		n    uint8
	}
	var dsts, srcs []end
	p.expect("(")
	for !p.accept(")") {
		if len(dsts) > 0 {
			p.expect(",")
		}
		d := end{reg: p.accept("reg"), num: p.prefixed("%")}
		d.pos = p.last
		if !d.reg {
			p.expect(":")
			d.bits, d.n = p.size()
		}
		p.expect("<")
		p.expect("-")
		dsts = append(dsts, d)
		srcs = append(srcs, end{reg: p.accept("reg"), num: p.prefixed("%")})
		srcs[len(srcs)-1].pos = p.last
	}
	info.Entries = make([]CopyEntry, len(dsts))
	p.blank(in, len(dsts))
	for i, d := range dsts {
		e := &info.Entries[i]
		e.SrcIsReg = srcs[i].reg
		e.Dst = Def{Instr: in, Index: noIndex, NumComponents: d.n, BitSize: d.bits}
		p.uses = append(p.uses, pendingUse{src: &in.Srcs[i], num: srcs[i].num, pos: srcs[i].pos})
		if d.reg {
			p.uses = append(p.uses, pendingUse{reg: &e.DstReg, num: d.num, pos: d.pos})
		} else {
			p.define(d.num, &e.Dst)
		}
	}
	return in
}

func (p *parser) call() *Instr {
	in := p.s.newInstr(KindCall)
	info := &CallInfo{}
	in.ext = info
	n := p.prefixed("f")
	p.calls = append(p.calls, pendingCall{info: info, pos: p.last, num: n})
	p.expect("(")
	var nums, poss []int
	for !p.accept(")") {
		if len(nums) > 0 {
			p.expect(",")
		}
		poss = append(poss, p.tok.pos)
		nums = append(nums, p.prefixed("%"))
	}
	p.blank(in, len(nums))
	for i := range nums {
		p.uses = append(p.uses, pendingUse{src: &in.Srcs[i], num: nums[i], pos: poss[i]})
	}
	return in
}

// parentDeref returns the deref that %n names; it stands before its children.
func (p *parser) parentDeref(s *Src) *DerefInfo {
	d := p.vals[p.peekNum()]
	if d == nil || d.Instr.Kind != KindDeref {
		p.fail("%s is not a deref", p.tok.text)
	}
	p.value(s)
	return d.Instr.DerefInfo()
}

func (p *parser) peekNum() int {
	n, err := strconv.Atoi(strings.TrimPrefix(p.tok.text, "%"))
	if err != nil {
		p.fail("want a value, have %q", p.tok.text)
	}
	return n
}

func (p *parser) deref(name string, bits, comps uint8) *Instr {
	in := p.s.newInstr(KindDeref)
	d := p.s.derefs.New()
	in.ext = d
	p.s.initDef(in, comps, bits)
	switch name {
	case "deref_var":
		n := p.prefixed("@")
		v := p.vars[n]
		if v == nil {
			p.failLast("no variable @%d", n)
		}
		d.Var, d.Modes, d.Type = v, v.Mode, v.Type
	case "deref_array", "deref_ptr":
		p.blank(in, 2)
		q := p.parentDeref(&in.Srcs[0])
		d.Modes, d.Type = q.Modes, q.Type
		open, end := "[", "]"
		in.Deref = DerefArray
		if name == "deref_ptr" {
			in.Deref, open, end = DerefPtrAsArray, "+", ""
		} else if d.Type = q.Type.Child(); d.Type == nil {
			p.fail("array deref of a %s", q.Type)
		}
		p.expect(open)
		p.value(&in.Srcs[1])
		if end != "" {
			p.expect(end)
		}
	case "deref_wildcard":
		in.Deref = DerefArrayWildcard
		p.blank(in, 1)
		q := p.parentDeref(&in.Srcs[0])
		p.expect("[")
		p.expect("*")
		p.expect("]")
		if d.Modes, d.Type = q.Modes, q.Type.Child(); d.Type == nil {
			p.fail("array deref of a %s", q.Type)
		}
	case "deref_struct":
		in.Deref = DerefStruct
		p.blank(in, 1)
		q := p.parentDeref(&in.Srcs[0])
		p.expect(".")
		d.Field = int(p.uint(31))
		if !q.Type.IsStruct() || d.Field >= len(q.Type.Fields) {
			p.failLast("no member %d of %s", d.Field, q.Type)
		}
		d.Modes, d.Type = q.Modes, q.Type.Fields[d.Field].Type
	case "deref_cast":
		p.derefCast(in, d)
	}
	d.InBounds = p.accept("inbounds")
	return in
}

func (p *parser) derefCast(in *Instr, d *DerefInfo) {
	in.Deref = DerefCast
	p.blank(in, 1)
	p.value(&in.Srcs[0])
	p.expect("(")
	d.Modes = p.modes()
	if d.Type = p.typ(); d.Type == nil {
		p.failLast("a cast has a type")
	}
	p.expect(")")
	if p.accept("stride") {
		p.expect("=")
		d.PtrStride = uint32(p.uint(32))
	}
	if p.accept("align") {
		p.expect("=")
		d.AlignMul = uint32(p.uint(32))
		p.expect("+")
		d.AlignOffset = uint32(p.uint(32))
	}
}
