package isa

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
)

// Assemble is the inverse of [Disassemble]: text to bytes. Of several bytes with
// the same text any may come back; full text (opt.Full) has only one. opt.Verbose
// makes no difference.
func Assemble(text string, opt TextOptions) ([]byte, error) {
	p, err := parseProgram(text, opt)
	if err != nil {
		return nil, err
	}
	code, err := p.encode()
	if err != nil || len(p.deferred) == 0 {
		return code, err
	}
	if err := p.resolve(code); err != nil {
		return nil, err
	}
	return p.encode()
}

// encode is Encode, whose errors name the lines.
func (p *program) encode() ([]byte, error) {
	var code []byte
	for i := range p.prog {
		var err error
		if code, err = AppendEncode(code, &p.prog[i]); err != nil {
			return nil, fmt.Errorf("line %d: %w", p.fault(i)+1, err)
		}
	}
	return code, nil
}

// fault is the row of the first instruction of a bundle that has no encoding, the
// bundle's own if each has one by itself.
func (p *program) fault(i int) int {
	b, at := &p.prog[i], &p.at[i]
	for s := range b.LdSt {
		if _, err := encodeLdSt(&b.LdSt[s]); b.Tag == TagLdSt && err != nil {
			return at.slot[s]
		}
	}
	for u := Unit(0); b.Tag.ALU() && u < NumUnits; u++ {
		var err error
		switch {
		case !b.Has(u):
		case u == UnitBranch:
			_, err = encodeBranch(false, b.Compact)
		case u == UnitBranchX:
			_, err = encodeBranch(true, b.Extended)
		default:
			_, _, err = encodeALU(u.Scalar(), &b.ALU[u])
		}
		if err != nil {
			return at.slot[u]
		}
	}
	return at.first
}

// ParseProgram reads the bundles of a program.
func ParseProgram(text string, opt TextOptions) ([]Bundle, error) {
	p, err := parseProgram(text, opt)
	if err != nil {
		return nil, err
	}
	if len(p.deferred) > 0 {
		return p.prog, p.absent(&p.deferred[0])
	}
	return p.prog, nil
}

// absent says that a constant is not there.
func (p *program) absent(d *deferred) error {
	return fmt.Errorf("line %d: %s: the value is not among the constants", d.row+1, d.text)
}

// ParseBundle reads the text of one bundle. Its Next tag is TagBreak unless the
// text says otherwise.
func ParseBundle(text string, opt TextOptions) (Bundle, error) {
	prog, err := ParseProgram(text, opt)
	if err != nil {
		return Bundle{}, err
	}
	if len(prog) != 1 {
		return Bundle{}, fmt.Errorf("the text has %d bundles, not one", len(prog))
	}
	return prog[0], nil
}

// program is a text on its way to bundles.
type program struct {
	opt      TextOptions
	prog     []Bundle
	at       []rows // of each bundle
	next     []bool // the bundle's next tag is given
	deferred []deferred
	lines    map[int][]aluText // of ALU bundles, for repair
	row      int               // the line that is being read, from 0
	body     []int             // rows of the instructions of the bundle that is being read
	slots    [NumUnits]int     // the same by unit
}

// rows are the lines of a bundle, from 0: its first, and those of its instructions by unit; of two
// loads or stores those in their order.
type rows struct {
	first int
	slot  [NumUnits]int
}

func parseProgram(text string, opt TextOptions) (*program, error) {
	p := &program{opt: opt, lines: map[int][]aluText{}}
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], "\r")
	}
	for at := 0; at < len(lines); {
		if strings.HasPrefix(lines[at], ";") && !strings.HasPrefix(lines[at], "; next=") && !strings.HasPrefix(lines[at], "; tag=") { // a comment before a bundle
			at++
			continue
		}
		n := at
		for n < len(lines) && lines[n] != "" {
			n++
		}
		// A last blank line is the end of the line before it.
		if n == at && n == len(lines)-1 && at > 0 {
			break
		}
		if err := p.group(lines[at:n], at); err != nil {
			return nil, fmt.Errorf("line %d: %w", p.row+1, err)
		}
		for len(p.at) < len(p.prog) {
			p.at = append(p.at, rows{at, p.slots})
		}
		if n > at && strings.HasPrefix(lines[at], "Unknown word type") || n > at+1 && strings.HasPrefix(lines[n-2], "Unknown word type") {
			n++ // the quadword has an empty line of its own
		}
		at = n + 1
	}
	if !opt.Full {
		p.repair()
	}
	for i := range p.prog {
		if p.next[i] {
			continue
		}
		p.prog[i].Next = TagBreak
		if i+1 < len(p.prog) {
			p.prog[i].Next = p.prog[i+1].Tag
		}
	}
	return p, nil
}

// repair gives ALU bundles that a branch announces with another size that size,
// where the text leaves the units open.
func (p *program) repair() {
	at := map[int]int{} // bundle by quadword
	q := 0
	for i := range p.prog {
		at[q] = i
		q += p.prog[i].Quads()
	}
	q = 0
	for i := range p.prog {
		q += p.prog[i].Quads()
		br, ok := p.prog[i].Branch()
		to, found := at[q+int(br.Offset)]
		if !ok || !found || !br.Target.ALU() || !p.prog[to].Tag.ALU() || br.Target == p.prog[to].Tag || br.Target.Writeout() != p.prog[to].Tag.Writeout() {
			continue
		}
		b := p.prog[to]
		units, err := assign(p.lines[to], &b, br.Target.Quads())
		if err != nil {
			continue
		}
		b.Units &= UnitBranch.In() | UnitBranchX.In()
		b.ALU = [NumALUUnits]ALU{}
		kept := p.deferred
		p.slots = p.at[to].slot // the branch's stays
		if p.place(&b, p.lines[to], units, b.Tag.Writeout()) == nil && len(p.deferred) == len(kept) {
			p.prog[to], p.at[to].slot = b, p.slots
		}
		p.deferred = kept
	}
}

// group reads the lines up to an empty one: a bundle with what is said about it; at is the first.
func (p *program) group(lines []string, at int) error {
	b := Bundle{}
	c := aluCtx{b: &b, full: p.opt.Full}
	g := groupText{notesRow: at}
	p.body = p.body[:0]
	for i, l := range lines {
		p.row = at + i
		if err := p.groupLine(&g, &b, l); err != nil {
			return err
		}
	}
	p.row = g.notesRow
	// "shader ended" stands alone; the invalid next tag is one bundle's.
	if len(g.body) == 0 && !g.given && g.remarks > 0 && g.remarks == len(lines) {
		return nil
	}
	if len(g.body) == 0 && b.Tag == 0 && strings.Contains(g.notes, "tag=") {
		if err := applyNotes(&b, g.notes, bundleFields); err != nil {
			return err
		}
	}
	p.on(0)
	if err := p.instructions(&c, &b, g.body); err != nil {
		return err
	}
	p.row = g.notesRow
	g.given = g.given || !b.Tag.Known()
	if err := applyNotes(&b, g.notes, bundleFields); err != nil {
		return err
	}
	for _, n := range strings.Fields(g.notes) {
		g.given = g.given || strings.HasPrefix(n, "next=")
	}
	p.prog = append(p.prog, b)
	p.next = append(p.next, g.given)
	return nil
}

// groupText is what the lines of a bundle say.
type groupText struct {
	body     []string // instructions
	notes    string   // the fields of the bundle that are written out
	notesRow int
	given    bool // the next tag is written out
	remarks  int  // "shader ended"
}

// groupLine reads a line of a bundle: into b what is the bundle's own.
func (p *program) groupLine(g *groupText, b *Bundle, l string) error {
	switch {
	case strings.HasPrefix(strings.TrimPrefix(l, "\t"), complaint):
		if strings.Contains(l, "shader ended") {
			g.remarks++
		}
		if p.remark(l) {
			b.Next, g.given = TagInvalid, true
		}
	case l == "break":
		b.Next, g.given = TagBreak, true
	case l == "writeout":
		b.Tag = TagALUW4
	case strings.HasPrefix(l, "; "):
		g.notes, g.notesRow = l[2:], p.row
	case strings.HasPrefix(l, "uconstants "):
		return parseConsts(b, l)
	case strings.HasPrefix(l, "unknown bit "):
		n, err := strconv.ParseUint(strings.TrimSuffix(l[len("unknown bit "):], " enabled"), 10, 5)
		if err != nil {
			return fmt.Errorf("%q", l)
		}
		b.Control |= 1 << n
	default:
		g.body = append(g.body, l)
		p.body = append(p.body, p.row)
	}
	return nil
}

// bundleFields are what the notes of a bundle can say.
var bundleFields = []field[Bundle]{
	num("tag", 0, 4, func(b *Bundle) *Tag { return &b.Tag }),
	num("next", 4, 4, func(b *Bundle) *Tag { return &b.Next }),
	num("control", 0, 32, func(b *Bundle) *uint32 { return &b.Control }),
}

// remark understands the disassembler's complaints: it reports whether the bundle's
// next tag is invalid, and sets that of the bundle before.
func (p *program) remark(l string) (invalid bool) {
	last := func(name string) {
		if t, ok := ParseTag(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(name), "*/"))); ok && len(p.prog) > 0 {
			p.prog[len(p.prog)-1].Next, p.next[len(p.next)-1] = t, true
		}
	}
	if _, name, ok := strings.Cut(l, "expexted "); ok {
		last(name)
	}
	if _, name, ok := strings.Cut(l, "shader ended with tag "); ok {
		last(name)
	}
	return strings.Contains(l, "invalid next tag")
}

func parseConsts(b *Bundle, l string) error {
	b.HasConsts = true
	words := strings.Split(strings.TrimPrefix(l, "uconstants "), ", ")
	if len(words) != 4 {
		return fmt.Errorf("%q has not four words", l)
	}
	for i, w := range words {
		v, err := strconv.ParseUint(w, 0, 32)
		if err != nil {
			return fmt.Errorf("%q is no word of 32 bits", w)
		}
		binary.LittleEndian.PutUint32(b.Consts[4*i:], uint32(v))
	}
	return nil
}

// on is called when the i-th instruction of a bundle is read. A bundle by itself has no rows.
func (p *program) on(i int) {
	if i < len(p.body) {
		p.row = p.body[i]
	}
}

func (p *program) instructions(c *aluCtx, b *Bundle, body []string) error {
	switch {
	case len(body) > 0 && strings.HasPrefix(body[0], "Unknown word type"):
		return p.raw(b, body)
	case len(body) > 0 && isTexture(body[0]):
		return p.texture(b, body)
	case len(body) == 0 && !b.HasConsts && b.Tag == 0 && b.Control == 0:
		return p.ldst(b, nil)
	case len(body) == 0 || isALU(body[0]):
		return p.alu(c, b, body)
	}
	return p.ldst(b, body)
}

func (p *program) raw(b *Bundle, body []string) error {
	s := &scan{s: strings.TrimPrefix(body[0], "Unknown word type ")}
	b.Tag = Tag(s.num(4))
	s.want(":")
	if err := s.end(); err != nil {
		return err
	}
	if len(body) != 2 {
		return fmt.Errorf("an unknown word has one line of words")
	}
	p.on(1)
	words := strings.Split(strings.TrimSpace(body[1]), ", ")
	if len(words) != 4 {
		return fmt.Errorf("%q has not four words", body[1])
	}
	for i, w := range words {
		v, err := strconv.ParseUint(w, 0, 32)
		if err != nil {
			return fmt.Errorf("%q is no word of 32 bits", w)
		}
		binary.LittleEndian.PutUint32(b.Raw[4*i:], uint32(v))
	}
	if b.Tag.Known() {
		return fmt.Errorf("the tag %s is known", b.Tag)
	}
	b.Next = Tag(b.Raw[0] >> 4)
	return nil
}

func isTexture(line string) bool {
	for _, n := range texOpNames {
		// MOV is also an ALU mnemonic, but has a width after it.
		if rest, ok := strings.CutPrefix(line, n); ok && n != "" && !strings.HasPrefix(rest, "_") && !strings.HasPrefix(rest, ".i") {
			return true
		}
	}
	return strings.HasPrefix(line, "tex_op_")
}

func isALU(line string) bool {
	if strings.HasPrefix(line, "scalar ALU") || strings.HasPrefix(line, "br.") || strings.HasPrefix(line, "brx.") {
		return true
	}
	head, _, _ := strings.Cut(line, " ")
	_, name, _, _, ok := aluHead(head)
	return ok && len(opsByText()[name]) > 0
}

func (p *program) texture(b *Bundle, body []string) error {
	line, notes := cutNotes(body[0])
	line, remarks := comments(line)
	t, tag, err := parseTexture(strings.TrimSuffix(line, "\n"), p.opt.Alias)
	if err != nil {
		return err
	}
	for _, r := range remarks {
		var n uint64
		switch {
		case strings.HasPrefix(r, "nonbarrier"):
			tag = TagBarrier
		case strings.HasPrefix(r, "bias_int = "):
			n, err = strconv.ParseUint(r[len("bias_int = "):], 0, 8)
			t.Lod |= uint16(n) << 8
		case strings.HasPrefix(r, "barrier tag "):
			var num string
			num, _, _ = strings.Cut(r[len("barrier tag "):], " ")
			n, err = strconv.ParseUint(num, 10, 4)
			tag = Tag(n)
		case strings.HasPrefix(r, "zero"):
			err = barrierBits(&t, r)
		}
		if err != nil {
			return fmt.Errorf("comment %q: %w", r, err)
		}
	}
	for i, l := range body[1:] {
		p.on(1 + i)
		var n uint64
		name, value, _ := strings.Cut(strings.TrimPrefix(l, "// "), " = ")
		if n, err = strconv.ParseUint(value, 0, 8); err != nil {
			return fmt.Errorf("%q after a texture instruction", l)
		}
		switch name {
		case "unknown4":
			t.Unknown8 = uint8(n)
		case "unknown8":
			t.Unknown4 = uint8(n)
		default:
			return fmt.Errorf("%q after a texture instruction", l)
		}
	}
	p.on(0)
	b.Tag, b.Tex = tag, t
	return applyNotes(&b.Tex, notes, textureFields)
}

// barrierBits puts bits that a barrier should not have back into place.
func barrierBits(t *Texture, remark string) error {
	var w word
	if err := packFields(t, textureFields, &w); err != nil {
		return err
	}
	name, value, _ := strings.Cut(remark, " = ")
	for _, z := range barrierZeros {
		if z.name == name {
			v, err := strconv.ParseUint(value, 0, int(z.n))
			if err != nil {
				return err
			}
			w.put(z.lo, z.n, v)
		}
	}
	unpackFields(t, textureFields, &w)
	return nil
}

func (p *program) ldst(b *Bundle, body []string) error {
	b.Tag = TagLdSt
	b.LdSt = [2]LoadStore{EmptySlot, EmptySlot}
	if len(body) > 2 {
		p.on(2)
		return fmt.Errorf("%d instructions in a load/store bundle", len(body))
	}
	for i, l := range body {
		p.on(i)
		text, notes := cutNotes(l)
		x, err := parseLdSt(text)
		if err == nil {
			err = applyNotes(&x, notes, ldstFields)
		}
		if err != nil {
			return err
		}
		b.LdSt[i], p.slots[i] = x, p.row
	}
	return nil
}

// aluText is one ALU line of a bundle.
type aluText struct {
	line, notes string
	row         int
	reserved    bool
	reads       [NumALUUnits]ALU
	fits, known [NumALUUnits]bool
	err         error
}

func (p *program) alu(c *aluCtx, b *Bundle, body []string) error {
	upper := b.Tag == TagALUW4
	var list []aluText
	for i := 0; i < len(body); i++ {
		var x aluText
		x.line, x.notes = cutNotes(body[i])
		if strings.HasPrefix(x.line, "scalar ALU reserved bit set") && i+1 < len(body) {
			x.reserved = true
			i++
			x.line, x.notes = cutNotes(body[i])
		}
		p.on(i)
		x.row = p.row
		if strings.HasPrefix(x.line, "br.") || strings.HasPrefix(x.line, "brx.") {
			if err := parseBranch(b, x.line, x.notes); err != nil {
				return err
			}
			p.slots[UnitBranch], p.slots[UnitBranchX] = x.row, x.row // it has one of them
			continue
		}
		list = append(list, x)
	}
	if len(list) > int(NumALUUnits) {
		p.row = list[NumALUUnits].row
		return fmt.Errorf("%d instructions, a bundle has %d units", len(list), NumALUUnits)
	}
	for i := range list {
		p.row = list[i].row
		p.readings(c, &list[i])
		if list[i].err != nil {
			return list[i].err
		}
	}
	if len(list) > 0 {
		p.row = list[0].row
	}
	units, err := assign(list, b, 0)
	if err != nil {
		return err
	}
	p.lines[len(p.prog)] = list
	return p.place(b, list, units, upper)
}

// place puts the lines on their units and chooses the tag.
func (p *program) place(b *Bundle, list []aluText, units []Unit, upper bool) error {
	for i, u := range units {
		x := &list[i]
		p.row = x.row
		p.slots[u] = x.row
		a := x.reads[u]
		if x.reserved {
			a.Reserved = 32
		}
		if err := applyNotes(&a, x.notes, noteLists(u)...); err != nil {
			return err
		}
		if s := pending(&a); s >= 0 {
			a.Src[s].Comp = 4 // z, or else w: resolve finds out
			p.deferred = append(p.deferred, deferred{len(p.prog), x.row, u, s, x.line})
		}
		b.Add(u, a)
	}
	if b.BodySize() > 3*Quad {
		return fmt.Errorf("%d bytes of instructions, a bundle has room for %d", b.BodySize(), 3*Quad)
	}
	b.SetTag(upper)
	return nil
}

// assign gives each line a unit, in order: units that have the operation if
// that can be, then the smallest bundle; quads, unless 0, is the size wanted.
func assign(list []aluText, b *Bundle, quads int) (best []Unit, err error) {
	cost := 1 << 30
	rest := *b // what is in the bundle besides
	rest.Units &= UnitBranch.In() | UnitBranchX.In()
	for set := Units(0); set < 1<<NumALUUnits; set++ {
		if bitCount(uint16(set)) != len(list) {
			continue
		}
		var units []Unit
		n := 0
		for u := Unit(0); u < NumALUUnits; u++ {
			if !set.Has(u) {
				continue
			}
			x := &list[len(units)]
			if !x.fits[u] {
				n = cost
				break
			}
			n += u.bodySize()
			if !x.known[u] {
				n += 1 << 16
			}
			units = append(units, u)
		}
		if quads != 0 && n < cost {
			sized := rest
			sized.Units |= set
			if sized.SetTag(false); sized.Quads() != quads {
				continue
			}
		}
		if n < cost {
			cost, best = n, units
		}
	}
	if best == nil && len(list) > 0 {
		return nil, fmt.Errorf("%q and %d more: no units for them in this order", list[0].line, len(list)-1)
	}
	return best, nil
}

var constField = []field[ALU]{num("const", 0, 16, func(a *ALU) *uint16 { return &a.Const })}

// noteLists are the fields of an instruction by kind of unit; imm and const
// are among them whatever the instruction.
func noteLists(u Unit) [][]field[ALU] {
	if u.Scalar() {
		return [][]field[ALU]{regFields, reg2Fields, scalarFields, scalar2Reg, constField}
	}
	return [][]field[ALU]{regFields, reg2Fields, vectorFields, vector2Reg, constField}
}

// readings reads an instruction for each unit that the line may mean.
func (p *program) readings(c *aluCtx, x *aluText) {
	text, remarks := comments(x.line)
	head, rest, _ := strings.Cut(text, " ")
	unit, name, float, m, ok := aluHead(head)
	if !ok || len(opsByText()[name]) == 0 {
		x.err = fmt.Errorf("%q is no instruction of this bundle", x.line)
		return
	}
	operands := splitTop(rest)
	any := false
	for u := Unit(0); u < NumALUUnits; u++ {
		if unit < NumALUUnits && u != unit || x.reserved && !u.Scalar() {
			continue
		}
		for _, op := range opsByText()[name] {
			known := op.Info().Units.Has(u)
			if op.Is(FloatDst) != float || x.fits[u] && (x.known[u] || !known) {
				continue
			}
			if a, ok := parseALU(c, u, op, m, append([]string(nil), operands...), remarks); ok {
				x.reads[u], x.fits[u], x.known[u] = a, true, known
				any = true
			}
		}
	}
	if !any {
		x.err = fmt.Errorf("%q: an operand cannot be read", x.line)
	}
}

func parseBranch(b *Bundle, line, notes string) error {
	s := &scan{s: line}
	var br Branch
	extended := s.lit("brx")
	if !extended {
		s.want("br")
	}
	call := func(none uint8) {
		br.Call = none
		if i := s.any(callNames[:]); i >= 0 {
			br.Call = uint8(i)
		}
	}
	if extended {
		call(1)
	}
	s.want(".")
	br.Op = BranchOp(s.one("a branch operation", branchNames[:]))
	if extended || br.Op != BranchUncond {
		s.want(".")
		if s.lit("lut") {
			v, err := strconv.ParseUint(s.while("0123456789ABCDEF"), 16, 16)
			if err != nil {
				s.fail("%q: no truth table", line)
			}
			br.Cond = Cond(v)
		} else {
			br.Cond = Cond(s.one("a condition", condNames[:])) * 0x5555
		}
	} else {
		call(1)
	}
	s.want(" ")
	neg := s.lit("-")
	if !neg {
		s.want("+")
	}
	br.Offset = int32(s.num(31))
	if neg {
		br.Offset = -br.Offset
	}
	s.want(" -> ")
	br.Target = Tag(s.one("a tag", tagNames[:]))
	if err := s.end(); err != nil {
		return err
	}
	if err := applyNotes(&br, notes, branchHead, extendedBranch); err != nil {
		return err
	}
	if extended {
		b.SetBranch(br)
	} else {
		b.Units |= UnitBranch.In()
		b.Compact = br
	}
	return nil
}

// resolve finds the scalar constants that the reference shows from after their
// bundle.
func (p *program) resolve(code []byte) error {
	at := make([]int, len(p.prog)+1)
	for i := range p.prog {
		at[i+1] = at[i] + p.prog[i].Quads()*Quad
	}
	for i := range p.deferred {
		d := &p.deferred[i]
		b := &p.prog[d.bundle]
		a := &b.ALU[d.unit]
		s := &a.Src[d.src]
		end := at[d.bundle+1]
		consts := append(append([]byte(nil), b.Consts[:]...), code[end:]...)
		found := false
		for k := 0; k < 8 && !found; k++ {
			*s = Source{Reg: RegConst, Full: true, Comp: uint8(4 + k&1*2), Mod: Mod(k / 2)}
			found = strings.Contains(d.text, "#"+scalarConstText(consts, a, s, false))
		}
		if !found {
			return p.absent(d)
		}
	}
	return nil
}
