package core

import "nirc/backend/agx/isa"

const lanes = 32

// vec holds one value a lane.
type vec [lanes]uint32

// srcKind is how a source operand is fetched.
type srcKind uint8

const (
	srcNone srcKind = iota
	srcImm
	srcReg32
	srcReg16
	srcUni32
	srcUni16
)

// src is a decoded source operand. 64-bit ones are fetched by low and high.
type src struct {
	kind srcKind
	sext bool // 16-bit values are sign-extended
	abs  bool
	neg  bool
	fimm bool   // imm is f32 bits
	num  uint16 // register or uniform, 32-bit number
	sh   uint8  // 16 for a high half
	bits uint8  // 16, 32, 64; immediates 8
	imm  uint32
}

func decodeSrc(o isa.Operand) src {
	s := src{bits: o.Size, abs: o.Flags&isa.Abs != 0, neg: o.Flags&isa.Neg != 0, sext: o.Flags&isa.SignExt != 0}
	switch o.Kind {
	case isa.Imm:
		s.kind, s.imm, s.bits = srcImm, uint32(o.Val), 8
	case isa.FImm:
		s.kind, s.imm, s.bits, s.fimm = srcImm, fbits(float32(isa.FloatImm(uint8(o.Val)))), 8, true
	case isa.Reg:
		s.num, s.sh = uint16(o.Val>>1), uint8(o.Val&1)*16
		s.kind = srcReg32
		if o.Size == 16 {
			s.kind = srcReg16
		}
	case isa.Uniform:
		s.num, s.sh = uint16(o.Val>>1), uint8(o.Val&1)*16
		s.kind = srcUni32
		if o.Size == 16 {
			s.kind = srcUni16
		}
	}
	return s
}

// ints fetches the values of all lanes, 16-bit ones extended; of 64-bit ones
// the low word. The result may be the register itself: it is not written.
func (w *wave) ints(s *src, buf *vec) *vec {
	switch s.kind {
	case srcReg32:
		return &w.regs[s.num]
	case srcReg16:
		r := &w.regs[s.num]
		if s.sext {
			for i := range buf {
				buf[i] = uint32(int32(int16(r[i] >> (s.sh & 31))))
			}
			return buf
		}
		for i := range buf {
			buf[i] = r[i] >> (s.sh & 31) & 0xffff
		}
		return buf
	}
	v := w.scalar(s)
	for i := range buf {
		buf[i] = v
	}
	return buf
}

// scalar is the value of an immediate or uniform.
func (w *wave) scalar(s *src) uint32 {
	v := s.imm
	switch s.kind {
	case srcUni32:
		v = w.unis[s.num]
	case srcUni16:
		v = w.unis[s.num] >> s.sh & 0xffff
		if s.sext {
			v = uint32(int32(int16(v)))
		}
	}
	return v
}

// high fetches the high words of values extended to 64 bits.
func (w *wave) high(s *src, low, buf *vec) *vec {
	switch {
	case s.bits == 64 && s.kind == srcReg32:
		return &w.regs[(s.num+1)%numRegs]
	case s.bits == 64:
		hi := src{kind: srcUni32, num: (s.num + 1) % numUnis}
		v := w.scalar(&hi)
		for i := range buf {
			buf[i] = v
		}
	case s.sext && s.kind != srcImm:
		for i := range buf {
			buf[i] = uint32(int32(low[i]) >> 31)
		}
	default:
		*buf = vec{}
	}
	return buf
}

// floats fetches values as f32 bits: f16 widened, f32 denormals flushed, then
// abs and neg.
func (w *wave) floats(s *src, buf *vec) *vec {
	switch s.kind {
	case srcReg32:
		r := &w.regs[s.num]
		for i := range buf {
			buf[i] = ftz(r[i])
		}
	case srcReg16:
		r := &w.regs[s.num]
		for i := range buf {
			buf[i] = halfToSingle(r[i] >> (s.sh & 31) & 0xffff)
		}
	default:
		v := w.scalar(s)
		switch s.kind {
		case srcUni16:
			v = halfToSingle(v)
		case srcUni32:
			v = ftz(v)
		}
		for i := range buf {
			buf[i] = v
		}
	}
	if s.abs {
		for i := range buf {
			buf[i] &^= 1 << 31
		}
	}
	if s.neg {
		for i := range buf {
			buf[i] ^= 1 << 31
		}
	}
	return buf
}

// dst is a decoded destination: half index and size of an element.
type dst struct {
	num  uint16
	sh   uint8
	bits uint8
}

func decodeDst(o isa.Operand) dst {
	return dst{num: uint16(o.Val >> 1), sh: uint8(o.Val&1) * 16, bits: o.Size}
}

// put writes the active lanes of a 16- or 32-bit destination, truncating.
func (w *wave) put(d dst, v *vec) {
	r := &w.regs[d.num]
	if d.bits == 16 {
		keep, sh := uint32(0xffff0000)>>(d.sh&31), d.sh&31
		for i := range r {
			if w.exec>>i&1 != 0 {
				r[i] = r[i]&keep | v[i]&0xffff<<sh
			}
		}
		return
	}
	if w.exec == ^uint32(0) {
		*r = *v
		return
	}
	for i := range r {
		if w.exec>>i&1 != 0 {
			r[i] = v[i]
		}
	}
}

// get reads a half (bits 16) or a word of one lane; half is its index.
func (w *wave) get(half int, bits uint8, lane int) uint32 {
	v := w.regs[half>>1&(numRegs-1)][lane]
	if bits == 16 {
		return v >> (half & 1 * 16) & 0xffff
	}
	return v
}

// set writes a half or a word of one lane.
func (w *wave) set(half int, bits uint8, lane int, v uint32) {
	r := &w.regs[half>>1&(numRegs-1)][lane]
	switch {
	case bits != 16:
		*r = v
	case half&1 == 0:
		*r = *r&0xffff0000 | v&0xffff
	default:
		*r = *r&0xffff | v<<16
	}
}

// get64 reads a 64-bit operand of one lane: register pair or uniform pair.
func (w *wave) get64(o *isa.Operand, lane int) uint64 {
	n := int(o.Val >> 1)
	if o.Kind == isa.Uniform {
		return uint64(w.unis[n%numUnis]) | uint64(w.unis[(n+1)%numUnis])<<32
	}
	return uint64(w.regs[n%numRegs][lane]) | uint64(w.regs[(n+1)%numRegs][lane])<<32
}

// value reads a 16- or 32-bit operand, or an immediate, of one lane.
func (w *wave) value(o *isa.Operand, lane int) uint32 {
	switch o.Kind {
	case isa.Reg:
		return w.get(int(o.Val), o.Size, lane)
	case isa.Uniform:
		v := w.unis[int(o.Val>>1)%numUnis]
		if o.Size == 16 {
			v = v >> (o.Val & 1 * 16) & 0xffff
		}
		return v
	}
	return uint32(o.Val)
}
