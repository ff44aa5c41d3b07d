package midgard

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
)

// textReader reads the text of the machine form (text.go) for the tests of steps.
type textReader struct {
	f   *function
	p   *program // of a text in bundles
	s   string   // what is left of the line
	err error
}

func (r *textReader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format+" at %q", append(args, r.s)...)
	}
}

// readMachine reads a function, and its program if the text is in bundles.
func readMachine(text string, gpu *GPU) (*function, *program, error) {
	r := &textReader{f: &function{}}
	var b *bundle
	for n, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		r.s = strings.TrimSpace(line)
		switch {
		case r.take("regs"):
			r.nodes()
		case r.s == "":
		case line[0] != '\t':
			r.block()
		case r.s == "[":
			if r.p == nil {
				r.p = &program{gpu: gpu}
			}
			b = newBundle()
		case r.s == "]":
			for len(r.p.blocks) < len(r.f.blocks) {
				r.p.blocks = append(r.p.blocks, pblock{})
			}
			pb := &r.p.blocks[len(r.f.blocks)-1]
			pb.list = append(pb.list, b)
			b = nil
		case b != nil:
			r.inBundle(b)
		default:
			r.list(r.inst())
		}
		if r.err != nil {
			return nil, nil, fmt.Errorf("line %d: %w", n+1, r.err)
		}
	}
	for i := range r.f.blocks {
		for _, k := range r.f.blocks[i].succs {
			if k >= len(r.f.blocks) {
				return nil, nil, fmt.Errorf("block %d is followed by %d, which is none", i, k)
			}
			r.f.blocks[k].preds = append(r.f.blocks[k].preds, i)
		}
	}
	if r.p != nil {
		for len(r.p.blocks) < len(r.f.blocks) {
			r.p.blocks = append(r.p.blocks, pblock{})
		}
	}
	return r.f, r.p, nil
}

func (r *textReader) list(in *inst) {
	if len(r.f.blocks) == 0 {
		r.fail("an instruction outside blocks")
		return
	}
	b := &r.f.blocks[len(r.f.blocks)-1]
	b.list = append(b.list, in)
}

// inBundle reads "UNIT INSTRUCTION" or "UNIT if".
func (r *textReader) inBundle(b *bundle) {
	unit := r.word()
	if r.take("if") {
		for _, in := range append(b.units[:], b.branch) {
			if in != nil && in.hasCond {
				u := unitNamed(unit)
				b.cond[u], b.r31 = in, true
				b.size += unitSize(u)
			}
		}
		return
	}
	in := r.inst()
	r.list(in)
	switch unit {
	case "ldst":
		if b.ldst[0] == nil {
			b.ldst[0] = in
		} else {
			b.ldst[1] = in
		}
	case "tex":
		b.tex = in
	case "br":
		b.branch = in
		b.size += branchSize
	default:
		u := unitNamed(unit)
		b.units[u], b.seq[u] = in, len(r.f.blocks[len(r.f.blocks)-1].list)
		b.size += unitSize(u)
	}
	if in.kind == kindALU {
		var pool constPool
		pool.from(b)
		if !pool.all(in) {
			r.fail("too many constants in a bundle")
		}
		pool.to(b)
	}
}

func unitNamed(name string) isa.Unit {
	for u := range isa.NumALUUnits {
		if u.String() == name {
			return u
		}
	}
	return 0
}

// take takes a text that is next.
func (r *textReader) take(s string) bool {
	if !strings.HasPrefix(r.s, s) {
		return false
	}
	r.s = strings.TrimLeft(r.s[len(s):], " ")
	return true
}

// want takes a text that must be next.
func (r *textReader) want(s string) {
	if !r.take(s) {
		r.fail("no %q", s)
	}
}

// chars takes the characters that are of the set.
func (r *textReader) chars(set string) string {
	n := 0
	for n < len(r.s) && strings.IndexByte(set, r.s[n]) >= 0 {
		n++
	}
	s := r.s[:n]
	r.s = r.s[n:]
	return s
}

// word takes what stands before the next space.
func (r *textReader) word() string {
	w, rest, _ := strings.Cut(r.s, " ")
	r.s = strings.TrimLeft(rest, " ")
	return w
}

func (r *textReader) number() int {
	s := r.chars("0123456789abcdefx")
	n, err := strconv.ParseUint(s, 0, 32)
	if err != nil {
		r.fail("no number (%q)", s)
	}
	return int(n)
}

// nodes reads the line of virtual registers.
func (r *textReader) nodes() {
	for _, w := range strings.Fields(r.s) {
		parts := strings.Split(w, ".")
		var k, size int
		if n, _ := fmt.Sscanf(parts[0], "v%d:%d", &k, &size); n != 2 {
			r.fail("%q is no register", w)
			return
		}
		for len(r.f.nodes) <= k {
			r.f.newNode(4)
		}
		x := nodeInfo{size: uint8(size)}
		for _, p := range parts[1:] {
			switch from, ok := strings.CutPrefix(p, "from"); {
			case ok:
				n, _ := strconv.Atoi(from)
				x.min = uint8(n)
			case p == "first":
				x.first = true
			case p == "even":
				x.even = true
			case p == "stays":
				x.noSpill = true
			default:
				r.fail("%q of a register", p)
			}
		}
		r.f.nodes[k] = x
	}
}

func (r *textReader) block() {
	r.want(fmt.Sprintf("b%d:", len(r.f.blocks)))
	b := block{}
	if r.take("->") {
		for r.s != "" && r.s[0] >= '0' && r.s[0] <= '9' && r.err == nil {
			b.succs = append(b.succs, r.number())
			r.take(" ")
		}
	}
	if r.take("depth ") {
		b.depth = r.number()
		r.f.loops = max(r.f.loops, 1)
	}
	r.f.blocks = append(r.f.blocks, b)
}

func (r *textReader) register() reg {
	switch {
	case r.take("_"):
		return regNone
	case r.take("pc"):
		return regPC
	case r.take("texout"):
		return regTexOut0 + reg(r.number())
	case r.take("v"):
		n := reg(r.number())
		for reg(len(r.f.nodes)) <= n {
			r.f.newNode(4)
		}
		return firstVirtual + n
	}
	r.want("r")
	return reg(r.number())
}

func (r *textReader) mask() (m uint8) {
	for _, c := range r.chars(componentNames) {
		m |= 1 << strings.IndexRune(componentNames, c)
	}
	return m
}

// named takes the longest of the names that is next, which may be none.
func (r *textReader) named(names []string) int {
	best := slices.Index(names, "")
	for i, n := range names {
		if n != "" && strings.HasPrefix(r.s, n) && (best < 0 || len(n) > len(names[best])) {
			best = i
		}
	}
	r.s = r.s[len(names[max(best, 0)]):]
	return max(best, 0)
}

// source reads what lanes of an operand are.
func (r *textReader) source(lanes uint8, float bool) (s source) {
	if float {
		s.mod = isa.Mod(r.named(floatMods[:]))
	}
	if strings.HasPrefix(r.s, "<") {
		s.reg = regConst
		words, rest, _ := strings.Cut(r.s[1:], ">")
		r.s = rest
		list := strings.Fields(words)
		each(lanes, func(i, k int) {
			if k >= len(list) {
				r.fail("too few constants")
				return
			}
			v, err := strconv.ParseUint(list[k], 0, 32)
			if err != nil {
				r.fail("constant %q", list[k])
			}
			s.con[i] = uint32(v)
		})
	} else {
		s.reg = r.register()
		r.want(".")
		list := r.chars(componentNames)
		each(lanes, func(i, k int) {
			if k >= len(list) {
				r.fail("too few components")
				return
			}
			s.swz[i] = uint8(strings.IndexByte(componentNames, list[k]))
		})
	}
	r.part(&s, lanes)
	if !float {
		s.mod = isa.Mod(r.named(intMods[:]))
	}
	return s
}

// part reads which part of its component each lane of an operand has.
func (r *textReader) part(s *source, lanes uint8) {
	switch {
	case !r.take(":"):
		return
	case r.take("w"):
		s.half = partWord
		return
	}
	s.half = partLow
	each(lanes, func(i, _ int) {
		if h := r.chars1("lh"); h == 'h' {
			s.high |= 1 << i
		}
		if o := r.chars1("01"); o != 0 {
			s.half = partByte
			s.odd |= (o - '0') << i
		}
	})
}

// chars1 takes one character of the set, 0 if there is none.
func (r *textReader) chars1(set string) byte {
	if r.s == "" || strings.IndexByte(set, r.s[0]) < 0 {
		return 0
	}
	c := r.s[0]
	r.s = r.s[1:]
	return c
}

// each calls f for each lane, k-th of them.
func each(lanes uint8, f func(i, k int)) {
	k := 0
	for i := range 4 {
		if lanes>>i&1 != 0 {
			f(i, k)
			k++
		}
	}
}

// inst reads an instruction.
func (r *textReader) inst() *inst {
	in := &inst{dst: regNone, src: [2]source{{reg: regNone}, {reg: regNone}}, cond: source{reg: regNone}}
	switch {
	case r.take("br"):
		in.kind = kindBranch
		r.want("->")
		in.target = r.number()
	case r.take("discard"):
		in.kind = kindDiscard
	case r.take("tilewait"):
		in.kind = kindTileWait
	case r.take("writeout"):
		in.kind = kindWriteout
		in.wo = r.writeout()
		r.want("->")
		in.target = r.number()
	case strings.HasPrefix(r.s, "{"):
		r.words(in)
	default:
		r.dest(in)
		if strings.HasPrefix(r.s, "{") {
			r.words(in)
		} else {
			r.alu(in)
		}
	}
	if r.take(" if ") || r.take("if ") {
		in.hasCond = true
		in.inv = r.take("!")
		if strings.HasPrefix(r.s, "{") {
			in.fuse = r.nested()
		} else {
			in.cond = r.source(in.condLanes(), false)
		}
	}
	return in
}

// nested reads an instruction between braces.
func (r *textReader) nested() *inst {
	r.want("{")
	in := r.inst()
	r.want("}")
	return in
}

func (r *textReader) dest(in *inst) {
	in.dst = r.register()
	r.want(".")
	in.mask = r.mask()
	in.half = part(r.named(partNames[:]))
	if r.take(".skip(") {
		in.skip = r.mask()
		r.want(")")
	}
	if r.take(".keep(") {
		in.keep = r.mask()
		r.want(")")
	}
	r.take(" ")
	r.want("=")
}

func (r *textReader) alu(in *inst) {
	name := r.chars("abcdefghijklmnopqrstuvwxyz0123456789_")
	op, ok := isa.OpByName(name)
	if !ok {
		r.fail("%q is no operation", name)
		return
	}
	in.op = op
	outs := intOuts[:]
	if op.Is(isa.FloatDst) {
		outs = floatOuts[:]
	}
	in.out = isa.OutMod(r.named(outs))
	r.take(" ")
	first := 0
	if op.Is(isa.Move) {
		first = 1
	}
	for i := first; i < 2; i++ {
		if i > first {
			r.want(",")
		}
		if r.take("#") {
			in.imm, in.con = true, uint16(r.number())
		} else {
			in.src[i] = r.source(in.lanesRead(i), op.Is(isa.FloatSrc))
		}
	}
}

// words reads a load/store or texture instruction.
func (r *textReader) words(in *inst) {
	text, rest, ok := strings.Cut(r.s[1:], "}")
	if !ok {
		r.fail("no }")
		return
	}
	r.s = strings.TrimLeft(rest, " ")
	code, err := isa.Assemble(strings.ReplaceAll(text, " | ", "\n"), isa.TextOptions{Full: true})
	if err != nil {
		r.fail("%v", err)
		return
	}
	b, _, err := isa.Decode(code)
	if err != nil {
		r.fail("%v", err)
		return
	}
	if b.Tag == isa.TagLdSt {
		in.kind, in.ld = kindLdSt, b.LdSt[0]
		if in.ld.Op.Load() {
			in.ld.Reg, in.ld.Mask = 0, 0
		}
	} else {
		in.kind, in.tex = kindTex, b.Tex
	}
	switch {
	case r.take("spill"):
		in.spill = 1
	case r.take("fill"):
		in.spill = 2
	}
	if r.take("fences") {
		in.fences = uint32(r.number())
	}
	in.inv = r.take("vertex")
	in.texels = r.take("texels")
}

func (r *textReader) writeout() *writeout {
	none := source{reg: regNone}
	w := &writeout{color: none, dual: none, depth: none, stencil: none}
	w.index = r.number()
	r.take(" ")
	r.want("lanes")
	w.mask = r.mask()
	r.take(" ")
	if r.take("no target") {
		w.target = abi.TargetNone
	} else {
		r.want("target")
		w.target = r.number()
	}
	for r.take(",") && r.err == nil {
		name := r.chars("abcdefghijklmnopqrstuvwxyz")
		r.take(" ")
		switch name {
		case "last":
			w.last = true
		case "again":
			w.again = true
		case "blend":
			w.blend = true
		case "color":
			w.rest = r.mask()
			r.take(" ")
			w.color = r.source(w.rest, false)
		case "dual", "depth", "stencil":
			lanes := r.mask()
			r.take(" ")
			s := r.source(lanes, false)
			switch name {
			case "dual":
				w.dual = s
			case "depth":
				w.depth = s
			default:
				w.stencil = s
			}
		default:
			w.make[unitNamed(name)] = r.nested()
		}
	}
	r.take(" ")
	return w
}
