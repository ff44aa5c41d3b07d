package isa

import (
	"math"
	"strconv"
	"strings"
)

// aluCtx is what parsing an instruction needs of its bundle.
type aluCtx struct {
	b *Bundle
	// full: constants print as they are read, not as the reference shows them.
	full bool
}

// deferred is a scalar constant that the reference prints from the bytes after
// the constants of the bundle.
type deferred struct {
	bundle int
	row    int
	unit   Unit
	src    int
	text   string
}

// aluHead splits "vmul.FADD.rtz.f32" into its parts; unit is NumUnits when the
// line names none.
func aluHead(head string) (u Unit, name string, float bool, m Mode, ok bool) {
	u = NumUnits
	for i := Unit(0); i < NumALUUnits; i++ {
		if rest, found := strings.CutPrefix(head, unitNames[i]+"."); found {
			u, head = i, rest
		}
	}
	i := strings.LastIndexByte(head, '.')
	if i < 0 || len(head) < i+3 {
		return u, "", false, 0, false
	}
	width := strings.IndexByte("8136", head[i+2])
	w := head[i+2:]
	if width < 0 || w != [4]string{"8", "16", "32", "64"}[width] || head[i+1] != 'i' && head[i+1] != 'f' {
		return u, "", false, 0, false
	}
	return u, head[:i], head[i+1] == 'f', Mode(width), true
}

// parseReg reads a register name.
func parseReg(s string, dst bool) (uint8, bool) {
	switch s {
	case "TMP0", "TMP1":
		return RegPipe0 + s[3] - '0', true
	case "AL0", "AL1":
		return RegConst + s[2] - '0', true
	case "TA0", "TA1":
		return RegTex0 + s[2] - '0', !dst
	case "AT0", "AT1":
		return RegTex0 + s[2] - '0', dst
	case "PC_SP":
		return RegCond, !dst
	}
	if len(s) < 2 || s[0] != 'R' && s[0] != 'U' {
		return 0, false
	}
	n, err := strconv.ParseUint(s[1:], 10, 8)
	if err != nil || n > 31 || strconv.Itoa(int(n)) != s[1:] {
		return 0, false
	}
	if s[0] == 'U' {
		return uint8(23 - n), n <= 15
	}
	return uint8(n), true
}

// parseALU reads one instruction for a unit; op is one of those that share the
// mnemonic.
func parseALU(c *aluCtx, u Unit, op Op, m Mode, operands []string, notes []string) (a ALU, ok bool) {
	a = ALU{Op: op}
	scalar := u.Scalar()
	if scalar && m != Mode32 || len(operands) != 3 {
		return a, false
	}
	if !scalar {
		a.Mode, a.Shrink = m, ShrinkNone
	}
	x2 := op == OpIshladd || op == OpIshlsub
	if !scalar && x2 != strings.Contains(operands[1], ".x2") || scalar && x2 {
		return a, false
	}
	operands[1] = strings.Replace(operands[1], ".x2", "", 1)
	if !parseDst(&a, operands[0], scalar, notes) {
		return a, false
	}
	for i := range 2 {
		if !parseSource(c, &a, u, i, operands[i+1]) {
			return a, false
		}
	}
	return a, true
}

func indexOf(list []string, s string) int {
	for i, x := range list {
		if x == s && x != "" {
			return i
		}
	}
	return -1
}

func parseDst(a *ALU, text string, scalar bool, notes []string) bool {
	parts := strings.Split(text, ".")
	r, ok := parseReg(parts[0], true)
	if !ok {
		return false
	}
	a.Dst = r
	float := a.Op.Is(FloatDst)
	lanes, shrunk := "", false
	for i, p := range parts[1:] {
		switch k := indexOf(intOut[:], "."+p); {
		case !float && k >= 0:
			a.Out, shrunk = OutMod(k), true
		case float && p == "shrink":
			shrunk = true
		case float && indexOf(floatOut[:], "."+p) > 0:
			a.Out = OutMod(indexOf(floatOut[:], "."+p))
		case i == 0 && p != "":
			lanes = p
		default:
			return false
		}
	}
	if !float && !shrunk {
		a.Out = OutKeepLow
	}
	if scalar {
		i := strings.Index(letters[:8], lanes)
		if len(lanes) != 1 || i < 0 || !shrunk && i > 3 {
			return false
		}
		a.DstFull, a.DstComp = !shrunk, uint8(i)
		if !shrunk {
			a.DstComp *= 2
		}
		return true
	}
	return vectorLanes(a, lanes, shrunk, notes)
}

// vectorLanes sets write mask and shrink mode from the letters of the
// destination and the comments.
func vectorLanes(a *ALU, lanes string, shrunk bool, notes []string) bool {
	a.Mask = FullMask
	if shrunk {
		a.Shrink = ShrinkLow
	}
	if lanes != "" {
		base, n := 0, a.Mode.Lanes()
		first := strings.IndexByte(letters, lanes[0])
		if shrunk && a.Mode != Mode8 && first >= n {
			base, a.Shrink = n, ShrinkHigh
		}
		var set uint16
		for k := range len(lanes) {
			i := strings.IndexByte(letters, lanes[k]) - base
			if i < 0 || i >= n {
				return false
			}
			set |= 1 << i
		}
		a.Mask = LaneMask(a.Mode, set)
	} else if shrunk {
		a.Mask = 0
	}
	for _, s := range notes {
		switch {
		case s == "do0" && a.Mode == Mode8:
			a.Shrink = ShrinkLow
		case s == "do3":
			a.Shrink = ShrinkReserved
		case strings.HasPrefix(s, "err"):
		default:
			v, err := strconv.ParseUint(s, 16, 8)
			if err != nil {
				return false
			}
			a.Mask = uint8(v)
		}
	}
	return true
}

func parseSource(c *aluCtx, a *ALU, u Unit, i int, text string) bool {
	if text == "" {
		return false
	}
	if text[0] == '#' && i == 1 && parseImm(a, text[1:]) {
		a.Imm = true
		return true
	}
	if text[0] == '#' || text[0] == '<' {
		if !c.b.HasConsts {
			return false
		}
		if u.Scalar() {
			return parseScalarConst(c, a, i, text)
		}
		return parseVectorConst(c, a, i, text)
	}
	parts := strings.Split(text, ".")
	r, ok := parseReg(parts[0], false)
	if !ok {
		return false
	}
	s := &a.Src[i]
	s.Reg = r
	lanes, half := "", false
	for k, p := range parts[1:] {
		switch m := indexOf(intMods[:], "."+p); {
		case a.Op.Is(FloatSrc) && p == "abs":
			s.Mod |= ModAbs
		case a.Op.Is(FloatSrc) && p == "neg":
			s.Mod |= ModNeg
		case a.Op.Is(FloatSrc) && p == "widen":
			half = true
		case !a.Op.Is(FloatSrc) && m >= 0:
			s.Mod, half = Mod(m), true
		case k == 0 && p != "":
			lanes = p
		default:
			return false
		}
	}
	if u.Scalar() {
		n := strings.Index(letters[:8], lanes)
		if len(lanes) != 1 || n < 0 || !half && n > 3 {
			return false
		}
		s.Full, s.Comp = !half, uint8(n)
		if !half {
			s.Comp *= 2
		}
		return true
	}
	return findSwizzle(a, s, lanes, half)
}

// parseImm reads an inline constant.
func parseImm(a *ALU, text string) bool {
	if !a.Op.Is(FloatSrc) {
		v, err := strconv.ParseUint(text, 10, 16)
		if err == nil {
			a.Const = uint16(v)
		}
		return err == nil
	}
	h := uint16(0x7e00)
	switch text {
	case "nan":
	case "-nan":
		h = 0xfe00
	default:
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return false
		}
		if h = halfNear(v); formatG(halfToFloat(h)) != text {
			return false
		}
	}
	a.Const = h
	return true
}

// halfNear finds the half that prints like v: the nearest one.
func halfNear(v float64) uint16 {
	sign := uint16(0)
	if math.Signbit(v) {
		sign, v = 0x8000, -v
	}
	lo, hi := uint16(0), uint16(0x7c00)
	for lo < hi {
		mid := (lo + hi) / 2
		if halfToFloat(mid) < v {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo > 0 && v-halfToFloat(lo-1) < halfToFloat(lo)-v {
		lo--
	}
	return lo | sign
}

// selectorOf is the selector that lane l of a mode uses.
func selectorOf(m Mode, l int) int {
	if m == Mode8 {
		return l >> 1 & 3
	}
	return l & 3
}

func expandsOf(m Mode, half bool) []Expand {
	switch {
	case half && m == Mode16:
		return []Expand{ExpandLow, ExpandHigh, ExpandLowSwapped, ExpandHighSwapped}
	case half:
		return []Expand{ExpandLow, ExpandHigh}
	case m <= Mode16:
		return []Expand{ExpandNone, ExpandRepLow, ExpandRepHigh, ExpandSwap}
	}
	return []Expand{ExpandNone}
}

// findSwizzle finds expand mode and selectors that print as the letters.
func findSwizzle(a *ALU, s *Source, lanes string, half bool) bool {
	if lanes == "" {
		s.Swizzle = XYZW
		return !half
	}
	read := a.readLanes()
	for _, e := range expandsOf(a.Mode, half) {
		s.Expand = e
		if a.Mode == Mode64 {
			if pairSwizzle(s, read, lanes) {
				return true
			}
			continue
		}
		if laneSwizzle(a.Mode, s, read, lanes) {
			return true
		}
	}
	return false
}

func laneSwizzle(m Mode, s *Source, read uint16, lanes string) bool {
	allowed := [4]uint8{15, 15, 15, 15}
	used := [4]bool{}
	k := 0
	for l := 0; l < m.Lanes(); l++ {
		if read>>l&1 == 0 {
			continue
		}
		if k == len(lanes) {
			return false
		}
		i := selectorOf(m, l)
		used[i] = true
		for c := range 4 {
			s.Swizzle = Rep(c)
			if letters[s.Element(m, l)] != lanes[k] {
				allowed[i] &^= 1 << c
			}
		}
		k++
	}
	return k == len(lanes) && chooseSelectors(s, &allowed, &used)
}

// chooseSelectors takes the lowest selector allowed; those not used repeat the
// first used one.
func chooseSelectors(s *Source, allowed *[4]uint8, used *[4]bool) bool {
	first := -1
	s.Swizzle = 0
	for i := range 4 {
		if allowed[i] == 0 {
			return false
		}
		if !used[i] {
			continue
		}
		c := 0
		for allowed[i]>>c&1 == 0 {
			c++
		}
		if first < 0 {
			first = c
		}
		s.Swizzle = s.Swizzle.With(i, c)
	}
	for i := range 4 {
		if !used[i] {
			s.Swizzle = s.Swizzle.With(i, max(first, 0))
		}
	}
	// Identity would not have been printed: in mode 64 of a narrow mask another
	// filling says the same.
	return s.Swizzle != XYZW || s.Expand != ExpandNone
}

// pairSwizzle tries the selectors of mode 64, whole pairs first.
func pairSwizzle(s *Source, read uint16, lanes string) bool {
	pairs := [2][2]int{{0, 1}, {2, 3}}
	try := func(z Swizzle) bool {
		s.Swizzle = z
		var buf [16]byte
		return (z != XYZW || s.Expand != ExpandNone) && string(appendSwizzle(buf[:0], Mode64, s, read)) == lanes
	}
	for _, p := range pairs {
		for _, q := range pairs {
			if try(Swz(p[0], p[1], q[0], q[1])) {
				return true
			}
		}
	}
	for z := range 256 {
		if try(Swizzle(z)) {
			return true
		}
	}
	return false
}

// parseVectorConst finds selectors and modifiers of the constants that print as
// the values.
func parseVectorConst(c *aluCtx, a *ALU, i int, text string) bool {
	var want []string
	if text[0] == '#' {
		want = []string{text[1:]}
	} else {
		want = strings.Split(strings.TrimSuffix(text[1:], ">"), ", ")
	}
	s := &a.Src[i]
	for _, half := range [...]bool{false, true} {
		for _, e := range expandsOf(a.Mode, half) {
			for mod := Mod(0); mod < 4; mod++ {
				*s = Source{Reg: RegConst, Expand: e, Mod: mod}
				if constSelectors(c, a, s, want) {
					return true
				}
			}
		}
	}
	return false
}

func constSelectors(c *aluCtx, a *ALU, s *Source, want []string) bool {
	allowed := [4]uint8{15, 15, 15, 15}
	used := [4]bool{}
	wide := a.Mode == Mode64 && !s.Expand.Widens()
	m := a.Mode
	if s.Expand.Widens() && m > Mode8 {
		m--
	}
	var buf [16]int
	for pick := range 4 {
		s.Swizzle = Rep(pick)
		elems, width := constLanes(a, s, buf[:0])
		if len(elems) != len(want) {
			return false
		}
		lanes := constLaneSet(a, m)
		k := 0
		for l := 0; l < m.Lanes(); l++ {
			if lanes>>l&1 == 0 {
				continue
			}
			i := selectorOf(m, l)
			if wide {
				i = 2 * l & 3
				used[i+1] = true
			}
			used[i] = true
			zext := s.Expand.Widens() && s.Mod == ModZext
			if constElement(c.b.Consts[:], a, s.Mod, zext, width, elems[k]) != want[k] {
				allowed[i] &^= 1 << pick
			}
			k++
		}
	}
	z, ok := Swizzle(0), true
	for i := range 4 {
		n := i
		if wide {
			n = i &^ 1
		}
		ok = ok && allowed[n] != 0
		switch {
		case wide && i&1 == 1:
			z = z.With(i, z.Lane(i-1)|1)
		case allowed[i]>>i&1 != 0:
			z = z.With(i, i)
		default:
			k := 0
			for k < 3 && allowed[i]>>k&1 == 0 {
				k++
			}
			z = z.With(i, k)
		}
	}
	s.Swizzle = z
	return ok
}

// constLaneSet are the lanes that a constant operand shows.
func constLaneSet(a *ALU, m Mode) uint16 {
	if a.Op.Is(Reduce) {
		return a.readLanes()
	}
	return (&ALU{Mode: m, Mask: a.Mask}).Lanes()
}

// notFound is the component of a scalar constant whose value is not among the
// constants: the reference may have printed what follows them.
const notFound = 8

// pending is the source that is notFound, or -1.
func pending(a *ALU) int {
	for i := range a.Src {
		if a.Src[i].Reg == RegConst && a.Src[i].Comp == notFound {
			return i
		}
	}
	return -1
}

// parseScalarConst finds the component that prints as the value.
func parseScalarConst(c *aluCtx, a *ALU, i int, text string) bool {
	s := &a.Src[i]
	for _, full := range [...]bool{true, false} {
		for comp := uint8(0); comp < 8; comp++ {
			if full && comp&1 != 0 {
				continue
			}
			for mod := Mod(0); mod < 4; mod++ {
				*s = Source{Reg: RegConst, Full: full, Comp: comp, Mod: mod}
				if full && comp > 2 && !c.full {
					continue
				}
				if text == "#"+scalarConstText(c.b.Consts[:], a, s, c.full) {
					return true
				}
			}
		}
	}
	*s = Source{Reg: RegConst, Full: true, Comp: notFound}
	return !c.full
}

// scalarConstText formats a scalar constant: element comp of its width as the
// instruction reads it (full), or as the reference shows it.
func scalarConstText(consts []byte, a *ALU, s *Source, full bool) string {
	bits, e := 16, int(s.Comp)
	if s.Full {
		bits = 32
		if full {
			e /= 2
		}
	}
	return constElement(consts, a, s.Mod, false, bits, e)
}
