package agx

import (
	"math"

	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/backend/mach"
)

// promotion are the constants that uniform registers hold because no immediate
// does: whole words, and halves that share words.
type promotion struct {
	words []promoted
	half  []promoted
	// open is the number of the half that is still free in the last shared word.
	open uint32
	free bool
}

// promoted is a constant and its number among the uniforms.
type promoted struct{ bits, number uint32 }

func find(list []promoted, bits uint32) (uint32, bool) {
	for i := range list {
		if list[i].bits == bits {
			return list[i].number, true
		}
	}
	return 0, false
}

// constant returns the number of a promoted 32-bit constant.
func (u *uniforms) constant(bits uint32) (uint32, bool) {
	if n, ok := find(u.promoted.words, bits); ok {
		return n, true
	}
	n, ok := u.append(abi.Uniform{Kind: abi.UniformWords, Words: []uint32{bits}}, uniformHalves)
	if ok {
		u.promoted.words = append(u.promoted.words, promoted{bits, n})
	}
	return n, ok
}

// halfConstant returns the number of a promoted 16-bit constant; two share a word.
func (u *uniforms) halfConstant(bits uint32) (uint32, bool) {
	p := &u.promoted
	if n, ok := find(p.half, bits); ok {
		return n, true
	}
	n := p.open
	if p.free {
		for i := range u.items {
			if it := &u.items[i]; it.Half == int(n)-1 {
				it.Words[0] |= bits << 16
			}
		}
		p.free = false
	} else {
		var ok bool
		if n, ok = u.append(abi.Uniform{Kind: abi.UniformWords, Words: []uint32{bits}}, uniformHalves); !ok {
			return 0, false
		}
		p.open, p.free = n+1, true
	}
	p.half = append(p.half, promoted{bits, n})
	return n, true
}

// promote makes an immediate that source i of t has no encoding for a uniform,
// if there is room for one.
func (s *isel) promote(t *isa.Instr, i int, o opnd, allow isa.Allow, uses []mach.Value) ([]mach.Value, bool) {
	if allow&isa.AllowUniform16 == 0 || noUniforms(t.Op) {
		return uses, false
	}
	if o.half {
		if n, ok := s.uni.halfConstant(o.bits); ok {
			return s.uniform(t, i, opnd{kind: opUniform, bits: n, half: true}, allow, uses), true
		}
		return uses, false
	}
	if h, ok := compactFloat(o.bits); ok && allow&(isa.AllowFloatImm|isa.AllowReg32) == isa.AllowFloatImm|isa.AllowReg32 {
		if n, ok := s.uni.halfConstant(h); ok {
			return s.uniform(t, i, opnd{kind: opUniform, bits: n, half: true}, allow, uses), true
		}
	}
	n, ok := s.uni.constant(o.bits)
	if !ok {
		return uses, false
	}
	return s.uniform(t, i, opnd{kind: opUniform, bits: n}, allow, uses), true
}

// compactFloat returns the 16-bit float of the same value as a 32-bit one, if
// there is one: 32-bit float instructions take either, and the half takes half the
// room among the uniforms.
func compactFloat(bits uint32) (uint32, bool) {
	exp := int(bits>>23&255) - 127
	if bits&(1<<13-1) != 0 || exp > 15 || exp < -14 && bits<<1 != 0 {
		return 0, false
	}
	sign := bits >> 16 & 0x8000
	if bits<<1 == 0 {
		return sign, true
	}
	h := sign | uint32(exp+15)<<10 | bits>>13&0x3ff
	return h, halfToFloat(uint16(h)) == bits && !math.IsNaN(float64(math.Float32frombits(bits)))
}
