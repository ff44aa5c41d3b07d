package isa

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"
)

// Quad is the size of the unit that bundles are counted in.
const Quad = 16

// Bundle is one bundle: Tag says which of the members count. It is a plain
// comparable value; members that do not count are zero.
type Bundle struct {
	Tag, Next Tag

	// ALU tags. Units says which units are present; ALU is indexed by unit.
	Units     Units
	ALU       [NumALUUnits]ALU
	Compact   Branch // with UnitBranch
	Extended  Branch // with UnitBranchX
	HasConsts bool
	Consts    [Quad]byte // bit 0 of the constants is bit 0 of the first byte
	// Control keeps the bits of the control word that no known code sets.
	Control uint32

	// Load/store tag.
	LdSt [2]LoadStore

	// Texture tags.
	Tex Texture

	// Raw keeps the quadword of a bundle whose tag is not known.
	Raw [Quad]byte
}

// unitBit is the enable bit of each unit in the control word.
var unitBit = [NumUnits]uint8{17, 19, 21, 23, 25, 26, 27}

const unitBits = 1<<17 | 1<<19 | 1<<21 | 1<<23 | 1<<25 | 1<<26 | 1<<27

// bodySize is the size of a unit's body in bytes.
func (u Unit) bodySize() int {
	switch {
	case u.Scalar():
		return 4
	case u == UnitBranch:
		return 2
	}
	return 6
}

// ErrShort is returned when fewer bytes are left than the bundle's tag says.
var ErrShort = errors.New("midgard: the code ends inside a bundle")

// Quads is the size of the bundle in quadwords.
func (b *Bundle) Quads() int { return b.Tag.Quads() }

// Has reports whether a unit is present.
func (b *Bundle) Has(u Unit) bool { return b.Units.Has(u) }

// Add puts an instruction on a unit.
func (b *Bundle) Add(u Unit, a ALU) {
	b.Units |= u.In()
	b.ALU[u] = a
}

// SetBranch puts a branch into the bundle, in its extended form.
func (b *Bundle) SetBranch(br Branch) {
	b.Units |= UnitBranchX.In()
	b.Extended = br
}

// SetConsts gives the bundle constants.
func (b *Bundle) SetConsts(words [4]uint32) {
	b.HasConsts = true
	for i, w := range words {
		binary.LittleEndian.PutUint32(b.Consts[4*i:], w)
	}
}

// Branch returns the bundle's branch, the extended one if there are two.
func (b *Bundle) Branch() (br Branch, ok bool) {
	if !b.Tag.ALU() {
		return br, false
	}
	if b.Has(UnitBranchX) {
		return b.Extended, true
	}
	return b.Compact, b.Has(UnitBranch)
}

// BodySize is the number of bytes that control word, registers, bodies and
// branches of an ALU bundle need; above 48 they do not fit.
func (b *Bundle) BodySize() int {
	n := b.firstBody()
	for s := b.Units; s != 0; s &= s - 1 {
		n += s.first().bodySize()
	}
	return n
}

// SetTag chooses the tag of an ALU bundle from its content. upper asks for the
// tags of writeout and tilebuffer waits.
func (b *Bundle) SetTag(upper bool) {
	q := (b.BodySize() + Quad - 1) / Quad
	if b.HasConsts {
		q++
	}
	b.Tag = TagALU4 + Tag(q-1)
	if upper {
		b.Tag += TagALUW4 - TagALU4
	}
}

// Link sets the Next tags of the bundles of a program: each gets the tag of the
// one after it, the last TagBreak.
func Link(prog []Bundle) {
	for i := range prog {
		prog[i].Next = TagBreak
		if i+1 < len(prog) {
			prog[i].Next = prog[i+1].Tag
		}
	}
}

// Decode reads the bundle at the start of code and its size in bytes. Bytes
// that are no legal bundle give an error, and as much of the bundle as there
// is; size is 0 only with ErrShort.
func Decode(code []byte) (b Bundle, size int, err error) {
	if len(code) < Quad {
		return b, 0, ErrShort
	}
	b.Tag, b.Next = Tag(code[0]&15), Tag(code[0]>>4)
	size = b.Tag.Quads() * Quad
	if len(code) < size {
		return Bundle{Tag: b.Tag, Next: b.Next}, 0, ErrShort
	}
	w := word{binary.LittleEndian.Uint64(code), binary.LittleEndian.Uint64(code[8:])}
	switch {
	case b.Tag.ALU():
		err = b.decodeALU(code[:size])
	case b.Tag == TagLdSt:
		b.LdSt[0] = decodeLdSt(w.get(8, 60))
		b.LdSt[1] = decodeLdSt(w.get(68, 60))
	case b.Tag.Texture():
		unpackFields(&b.Tex, textureFields, &w)
	default:
		copy(b.Raw[:], code)
		return b, size, fmt.Errorf("midgard: bundle tag %s is not known", b.Tag)
	}
	return b, size, err
}

func (b *Bundle) decodeALU(code []byte) error {
	ctl := binary.LittleEndian.Uint32(code)
	for u, bit := range unitBit {
		b.Units |= Units(ctl>>bit&1) << u
	}
	b.Control = ctl &^ (unitBits | 0xff)
	n := b.BodySize()
	body := (n + Quad - 1) / Quad * Quad
	if body > len(code) {
		b.Units, b.Control = 0, 0
		copy(b.Raw[:], code)
		return fmt.Errorf("midgard: %d bytes of instructions in a bundle of %d", n, len(code))
	}
	b.decodeUnits(code)
	for _, c := range code[n:body] {
		if c != 0 {
			return errors.New("midgard: the bytes that pad the bundle are not zero")
		}
	}
	rest := code[body:]
	switch len(rest) {
	case 0:
	case Quad:
		b.HasConsts = true
		copy(b.Consts[:], rest)
	default:
		return fmt.Errorf("midgard: %d bytes of instructions in a bundle of %d: more than the constants are left", n, len(code))
	}
	return nil
}

// firstBody is where the units' bodies begin: after the control word and the registers of the ALU's units.
func (b *Bundle) firstBody() int {
	return 4 + 2*bits.OnesCount8(uint8(b.Units&(1<<NumALUUnits-1)))
}

func (b *Bundle) decodeUnits(code []byte) {
	reg, at := 4, b.firstBody()
	for u := Unit(0); u < NumUnits; u++ {
		if !b.Has(u) {
			continue
		}
		var v uint64
		for i := u.bodySize() - 1; i >= 0; i-- {
			v = v<<8 | uint64(code[at+i])
		}
		at += u.bodySize()
		switch u {
		case UnitBranch:
			decodeBranch(&b.Compact, false, v)
		case UnitBranchX:
			decodeBranch(&b.Extended, true, v)
		default:
			decodeALU(&b.ALU[u], u.Scalar(), uint64(binary.LittleEndian.Uint16(code[reg:])), v)
			reg += 2
		}
	}
}

// AppendEncode appends the bytes of a bundle. A value that its field cannot
// hold, or a tag that does not go with the content, is an error.
func AppendEncode(code []byte, b *Bundle) ([]byte, error) {
	if b.Tag > 15 || b.Next > 15 {
		return code, fmt.Errorf("midgard: tag %d, next tag %d: tags have four bits", b.Tag, b.Next)
	}
	size := b.Tag.Quads() * Quad
	at := len(code)
	code = slices.Grow(code, size)[:at+size]
	buf := code[at:]
	clear(buf)
	var err error
	var w word
	switch {
	case b.Tag.ALU():
		err = b.encodeALU(buf)
	case b.Tag == TagLdSt:
		for i := range b.LdSt {
			var v uint64
			if v, err = encodeLdSt(&b.LdSt[i]); err != nil {
				err = fmt.Errorf("%s: %w", b.LdSt[i].Op, err)
				break
			}
			w.put(uint8(8+60*i), 60, v)
		}
	case b.Tag.Texture():
		if err = packFields(&b.Tex, textureFields, &w); err != nil {
			err = fmt.Errorf("%s: %w", b.Tex.Op, err)
		}
	default:
		copy(buf, b.Raw[:])
	}
	if err != nil {
		return code[:at], fmt.Errorf("midgard: %w", err)
	}
	if b.Tag == TagLdSt || b.Tag.Texture() {
		binary.LittleEndian.PutUint64(buf[0:], w[0])
		binary.LittleEndian.PutUint64(buf[8:], w[1])
	}
	buf[0] = byte(b.Tag) | byte(b.Next)<<4
	return code, nil
}

func (b *Bundle) encodeALU(code []byte) error {
	n := b.BodySize()
	body := (n + Quad - 1) / Quad * Quad
	want := body
	if b.HasConsts {
		want += Quad
	}
	if want != len(code) {
		return fmt.Errorf("%d bytes of instructions (constants: %t) do not go with the tag %s", n, b.HasConsts, b.Tag)
	}
	if b.Control&(unitBits|0xff) != 0 {
		return fmt.Errorf("reserved control bits %#x are not reserved", b.Control)
	}
	ctl := b.Control
	reg, at := 4, b.firstBody()
	for s := b.Units; s != 0; s &= s - 1 {
		u := s.first()
		ctl |= 1 << unitBit[u]
		var r, v uint64
		var err error
		switch u {
		case UnitBranch:
			v, err = encodeBranch(false, b.Compact)
		case UnitBranchX:
			v, err = encodeBranch(true, b.Extended)
		default:
			r, v, err = encodeALU(u.Scalar(), &b.ALU[u])
			binary.LittleEndian.PutUint16(code[reg:], uint16(r))
			reg += 2
		}
		if err != nil {
			return fmt.Errorf("%s: %w", u, err)
		}
		at += putBody(code[at:], u, v)
	}
	binary.LittleEndian.PutUint32(code, ctl)
	if b.HasConsts {
		copy(code[body:], b.Consts[:])
	}
	return nil
}

// putBody writes the body of a unit and returns its size.
func putBody(code []byte, u Unit, v uint64) int {
	n := u.bodySize()
	binary.LittleEndian.PutUint16(code, uint16(v))
	if n >= 4 {
		binary.LittleEndian.PutUint16(code[2:], uint16(v>>16))
	}
	if n == 6 {
		binary.LittleEndian.PutUint16(code[4:], uint16(v>>32))
	}
	return n
}

// Encode appends the bytes of all bundles of a program, without the padding
// after it.
func Encode(prog []Bundle) ([]byte, error) {
	var code []byte
	for i := range prog {
		var err error
		if code, err = AppendEncode(code, &prog[i]); err != nil {
			return nil, fmt.Errorf("bundle %d: %w", i, err)
		}
	}
	return code, nil
}

// Padding is the number of zero bytes that follow the last bundle, so that
// the prefetcher never leaves the program (midgard.md §2.1).
const Padding = Quad
