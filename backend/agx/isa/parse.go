package isa

import (
	"fmt"
	"strconv"
	"strings"
)

// scanner reads the operands of one instruction.
type scanner struct {
	in   *Instr
	toks []string
	at   int
	odd  bool
	// label resolves a branch target that is a name; nil: names are errors.
	label func(name string) (offset int32, ok bool)
}

// peek is the next operand, "" at the end.
func (s *scanner) peek() string {
	if s.at < len(s.toks) {
		return s.toks[s.at]
	}
	return ""
}

func (s *scanner) next() (string, error) {
	if s.at >= len(s.toks) {
		return "", fmt.Errorf("an operand is missing")
	}
	s.at++
	return s.toks[s.at-1], nil
}

// number reads a decimal or 0b, 0x number of at most width bits.
func (s *scanner) number(width uint8) (uint32, error) {
	t, err := s.next()
	if err != nil {
		return 0, err
	}
	v, err := strconv.ParseUint(t, 0, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is no number", t)
	}
	if !onlyBits(v, width) || width > 32 {
		return 0, fmt.Errorf("%s needs more than %d bits", t, width)
	}
	return uint32(v), nil
}

// ParseText assembles one instruction; Pack turns it into bytes. Where the
// text does not show a field, it gets its customary value. Operands that do
// not suit the instruction are found here or by Pack.
func ParseText(text string) (Instr, error) { return parseText(text, nil) }

func parseText(text string, label func(string) (int32, bool)) (Instr, error) {
	text = strings.TrimSpace(text)
	name, rest, _ := strings.Cut(text, " ")
	if name == "" {
		return Instr{}, fmt.Errorf("agx: no instruction")
	}
	s := scanner{label: label}
	base, sat := strings.CutSuffix(name, ".sat")
	base, s.odd = strings.CutSuffix(base, ".odd")
	if rest = strings.TrimSpace(rest); rest != "" {
		s.toks = strings.Split(rest, ",")
		for i := range s.toks {
			s.toks[i] = strings.TrimSpace(s.toks[i])
		}
	}
	list := byMnemonic()[base]
	if list == nil {
		return Instr{}, fmt.Errorf("agx: %q is no instruction", name)
	}
	var first error
	for i := range list {
		in, err := s.parse(&list[i], base, sat)
		if err == nil && len(list) > 1 {
			_, err = Pack(&in)
		}
		if err == nil {
			return in, nil
		}
		if first == nil {
			first = err
		}
	}
	return Instr{}, fmt.Errorf("agx: %s: %w", name, first)
}

func (s *scanner) parse(a *alias, name string, sat bool) (Instr, error) {
	in := a.preset
	s.in, s.at = &in, 0
	if sat {
		in.Flags |= Sat
	}
	if in.Op == OpBitop && strings.HasPrefix(name, "bitop") {
		if err := parseTable(s); err != nil {
			return in, err
		}
	}
	info := infoOf(in.Op)
	odd := false
	for k := range info.items {
		it := &info.items[k]
		odd = odd || it.cls.odd
		if it.cls.parse == nil || skips(a.skip, it.name) {
			continue
		}
		if err := it.cls.parse(s, it); err != nil {
			return in, fmt.Errorf("%s: %w", it.name, err)
		}
	}
	if s.at < len(s.toks) {
		return in, fmt.Errorf("operand %q is too many", s.toks[s.at])
	}
	if s.odd && !odd {
		return in, fmt.Errorf(".odd does not exist here")
	}
	return in, nil
}

func parseTable(s *scanner) error {
	t, err := s.next()
	if err != nil {
		return err
	}
	if len(t) != 4 || strings.Trim(t, "01") != "" {
		return fmt.Errorf("%q is no truth table of four bits", t)
	}
	for i := range 4 {
		s.in.Table |= (t[i] - '0') << i
	}
	return nil
}

func parseEnum[T ~uint8](s *scanner, p *T, names []string) error {
	t, err := s.next()
	if err != nil {
		return err
	}
	for i, n := range names {
		if n == t && n != "" {
			*p = T(i)
			return nil
		}
	}
	return fmt.Errorf("%q is unknown", t)
}

func (s *scanner) opnd(it *item) *Operand {
	if it.slot < 0 {
		return &s.in.Dst
	}
	return &s.in.Srcs[it.slot]
}

func parseOperand(s *scanner, it *item) error {
	t, err := s.next()
	if err != nil {
		return err
	}
	*s.opnd(it), err = parseOpnd(t, it.cls)
	return err
}

// parseOpnd reads an operand with its modifiers.
func parseOpnd(t string, cls *class) (o Operand, err error) {
	body := t
	for again := true; again; {
		again = false
		for i, f := range flagText {
			if rest, ok := strings.CutSuffix(body, f); ok {
				body, again = rest, true
				o.Flags |= 1 << i
			}
		}
	}
	flags := o.Flags
	switch {
	case body == "None":
		o = Operand{}
	case body == "":
		return o, fmt.Errorf("%q is no operand", t)
	case body[0] == 'r' || body[0] == 'u':
		o, err = parseRun(body, cls.wide)
	case body[0] >= 'a':
		o, err = parseNumbered(body)
	case cls.float:
		o, err = parseFloatImm(body)
	default:
		v, err2 := strconv.ParseInt(body, 0, 32)
		o, err = I(int(v)), err2
		if err2 != nil {
			err = fmt.Errorf("%q is no operand", t)
		}
	}
	o.Flags = flags
	return o, err
}

func parseFloatImm(t string) (Operand, error) {
	v, err := strconv.ParseFloat(t, 64)
	o, ok := F(v)
	if err != nil || !ok {
		return o, fmt.Errorf("%q is no float immediate", t)
	}
	return o, nil
}

func parseNumbered(t string) (Operand, error) {
	for i, k := range [...]Kind{SR, TS, SS, CF} {
		if rest, ok := strings.CutPrefix(t, [...]string{"sr", "ts", "ss", "cf"}[i]); ok {
			v, err := strconv.ParseUint(rest, 10, 8)
			if err == nil {
				return Operand{Kind: k, Val: int32(v)}, nil
			}
		}
	}
	return Operand{}, fmt.Errorf("%q is no operand", t)
}

// parseRun reads registers or uniforms joined with "_", which must follow
// each other.
func parseRun(t string, wide bool) (o Operand, err error) {
	for i, p := range strings.Split(t, "_") {
		r, ok := parseReg(p)
		switch {
		case !ok:
			return o, fmt.Errorf("%q is no register", p)
		case i == 0:
			o = r
			continue
		case r.Kind != o.Kind || r.Size != o.Size || int(r.Val) != int(o.Val)+i*int(o.Size)/16:
			return o, fmt.Errorf("%q does not follow the registers before it", p)
		}
		if o.Count++; i > 64 {
			return o, fmt.Errorf("%q has too many registers", t)
		}
	}
	if wide && o.Size == 32 && o.Count == 2 {
		o.Size, o.Count = 64, 1
	}
	return o, nil
}

func parseReg(p string) (Operand, bool) {
	if len(p) < 2 {
		return Operand{}, false
	}
	kind, num, half := Reg, p[1:], -1
	if p[0] == 'u' {
		kind = Uniform
	} else if p[0] != 'r' {
		return Operand{}, false
	}
	switch p[len(p)-1] {
	case 'l':
		num, half = num[:len(num)-1], 0
	case 'h':
		num, half = num[:len(num)-1], 1
	}
	n, err := strconv.ParseUint(num, 10, 8)
	if err != nil {
		return Operand{}, false
	}
	o := Operand{Kind: kind, Size: 32, Count: 1, Val: int32(2 * n)}
	if half >= 0 {
		o.Size, o.Val = 16, o.Val+int32(half)
	}
	return o, true
}

func parseSR(s *scanner, it *item) error {
	t, err := s.next()
	if err != nil {
		return err
	}
	t, name, named := strings.Cut(t, " (")
	o, err := parseNumbered(t)
	if err != nil || o.Kind != SR {
		return fmt.Errorf("%q is no special register", t)
	}
	if named && name != srNames[o.Val]+")" {
		return fmt.Errorf("%s is not called (%s", t, name)
	}
	*s.opnd(it) = o
	return nil
}

// parseSampleNumber: the operand is there if a number or register follows. A
// register makes the interpolation InterpSampleRegister.
func parseSampleNumber(s *scanner, it *item) error {
	if t := s.peek(); t == "" || t[0] != 'r' && (t[0] < '0' || t[0] > '9') {
		return nil
	}
	return parseOperand(s, it)
}

func parseInterp(s *scanner, _ *item) error {
	err := parseEnum(s, &s.in.Interp, interpNames)
	if s.in.Interp == InterpSample && s.in.hasSampleRegister() {
		s.in.Interp = InterpSampleRegister
	}
	return err
}

func (i *Instr) hasSampleRegister() bool {
	for k := range infoOf(i.Op).items {
		if it := &infoOf(i.Op).items[k]; it.cls.sample {
			return i.Srcs[it.slot].Kind == Reg
		}
	}
	return false
}

// parseLod takes the uniform or the register form by the operand that
// follows.
func parseLod(s *scanner, _ *item) error {
	if err := parseEnum(s, &s.in.Lod, lodNames); err != nil {
		return err
	}
	if l := s.in.Lod; (l == LodBiasUniform || l == LodMinUniform || l == LodBiasMinUniform) && strings.HasPrefix(s.peek(), "r") {
		s.in.Lod |= 4
	}
	return nil
}

// parseCompareOffset reads "r5", "r6l" or "r5_r6l"; absent at the end.
func parseCompareOffset(s *scanner, it *item) error {
	t := s.peek()
	if t == "" {
		return nil
	}
	s.at++
	a, b, both := strings.Cut(t, "_")
	first, ok := parseReg(a)
	if ok && both {
		last, ok2 := parseReg(b)
		ok = ok2 && first.Size == 32 && last == H(int(first.Val)+2)
		first = H(int(first.Val)).Run(3)
	}
	if !ok {
		return fmt.Errorf("%q is no compare or offset operand", t)
	}
	*s.opnd(it) = first
	return nil
}

func parseSign(s *scanner, _ *item) error {
	var v uint8
	err := parseEnum(s, &v, signNames)
	s.in.Flags |= Unsigned * Flags(v)
	return err
}

func parseCompare(s *scanner, _ *item) error {
	v, err := s.number(1)
	s.in.Flags |= Compare * Flags(v)
	return err
}

// parseTMode: the mode is left out if it is the normal one; a field in binary
// follows.
func parseTMode(s *scanner, it *item) error {
	t := s.peek()
	switch {
	case strings.HasPrefix(t, "0b"):
		return nil
	case t == "query_lod":
		s.at++
		s.in.Mode = TexQueryLod
		return nil
	}
	v, err := s.number(it.width)
	s.in.Mode = uint8(v)
	return err
}

func parseKill(s *scanner, _ *item) error {
	v, err := s.number(1)
	s.in.Flags |= Kill * Flags(v)
	return err
}

func parseMask(s *scanner, _ *item) error {
	t, err := s.next()
	if err != nil || t == "None" {
		return err
	}
	last := -1
	for _, c := range t {
		i := strings.IndexRune("xyzw", c)
		if i <= last {
			return fmt.Errorf("%q is no component mask", t)
		}
		last = i
		s.in.Mask |= 1 << i
	}
	return nil
}

func parseShift(s *scanner, it *item) error {
	t, ok := strings.CutPrefix(s.peek(), "lsl ")
	if !ok {
		return nil
	}
	s.at++
	v, err := strconv.ParseUint(t, 10, int(it.width))
	if err != nil {
		return fmt.Errorf("shift %q is no number of %d bits", t, it.width)
	}
	s.in.Shift = uint8(v)
	return nil
}

func parseBits(s *scanner, _ *item) error {
	t, ok := strings.CutPrefix(s.peek(), "mask 0x")
	if !ok {
		return nil
	}
	s.at++
	v, err := strconv.ParseUint(t, 16, 32)
	n := uint8(0)
	for ; v>>n&1 != 0; n++ {
	}
	if err != nil || n == 0 || n > 31 || v != 1<<n-1 {
		return fmt.Errorf("mask 0x%s is not 1 to 31 low bits", t)
	}
	s.in.Bits = n
	return nil
}

func parseSlotBinary(s *scanner, it *item) error {
	v, err := s.number(it.width)
	s.in.Slot = uint8(v)
	return err
}

func parseSImm(s *scanner, it *item) error {
	t, err := s.next()
	if err != nil {
		return err
	}
	v, err := strconv.ParseInt(t, 0, int(it.width))
	if err != nil {
		return fmt.Errorf("%q is no signed number of %d bits", t, it.width)
	}
	s.in.Imm = uint32(int32(v))
	return nil
}

func parseBarrier(s *scanner, _ *item) error {
	var v [3]uint32
	for i, w := range [...]uint8{2, 2, 4} {
		var err error
		if v[i], err = s.number(w); err != nil {
			return err
		}
	}
	s.in.Imm = v[2]<<4 | v[0]<<2 | v[1]
	return nil
}

func parseTarget(s *scanner, it *item) error {
	t, err := s.next()
	if err != nil {
		return err
	}
	if d, ok := strings.CutPrefix(t, "pc"); ok && d != "" && (d[0] == '+' || d[0] == '-') {
		v, err := strconv.ParseInt(d, 10, int(it.width))
		s.in.Target = int32(v)
		if err != nil {
			return fmt.Errorf("branch target %q does not fit %d signed bits", t, it.width)
		}
		return nil
	}
	if s.label != nil {
		if v, ok := s.label(t); ok {
			s.in.Target = v
			return nil
		}
	}
	return fmt.Errorf("branch target %q is neither pc+n nor a label", t)
}

func parseExtra(s *scanner, it *item) error {
	v, err := s.number(it.width)
	if err != nil {
		return err
	}
	s.in.Extra |= (v ^ it.def) << it.shift
	return nil
}

// parseOdd: these fields are shown in the .odd form only.
func parseOdd(s *scanner, it *item) error {
	if !s.odd {
		return nil
	}
	return parseExtra(s, it)
}
