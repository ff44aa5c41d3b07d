package agx

import (
	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/backend/resource"
	"nirc/ir"
)

// What a fragment shader interpolates by itself: the weights of vertices, and inputs
// at each of them. Both arrive in coefficient registers of their own, whose sources the
// driver binds (agx.md §11.3).

// cornerSlot are the coefficient registers of an input at each vertex.
type cornerSlot struct {
	mask uint8
	cf   [3][4]int
}

// weightPair are the coefficient registers of the weights of vertices 1 and 2.
type weightPair struct {
	want bool
	cf   int
}

// perspective is the index into coefficients.weights of an interpolation.
func perspective(i ir.Interp) int {
	if i == ir.InterpSmooth {
		return 1
	}
	return 0
}

// wantWeights notes barycentrics that the shader computes with.
func (c *coefficients) wantWeights(in *ir.Instr) {
	if !resource.OnlyInterpolates(in) {
		i := interpOf(in)
		c.wantW = c.wantW || i == ir.InterpSmooth
		c.weights[perspective(i)].want = true
	}
}

// wantCorner notes an input at a vertex.
func (s *isel) wantCorner(in *ir.Instr) {
	slot, comp, ok := s.ioSlot(in, in.Srcs[1].Def)
	switch {
	case !ok:
	case in.Def.BitSize != 32 && in.Def.BitSize != 16:
		s.fail(in, "inputs of %d bits are not supported: they must be lowered to 32 bits", in.Def.BitSize)
	default:
		s.in.coefs.corners[slot].mask |= uint8(1<<in.Def.NumComponents-1) << comp
	}
}

// placeCorners numbers the registers of both from n on and describes them.
func (c *coefficients) placeCorners(m *abi.Meta, n int) int {
	for slot := range c.corners {
		s := &c.corners[slot]
		if s.mask == 0 {
			continue
		}
		m.Lists = !faults.has(faultLists)
		for v := range s.cf {
			for _, r := range splitRuns(s.mask, func(int) ir.Interp { return ir.InterpFlat }) {
				m.Coefs = append(m.Coefs, abi.Coef{CF: n, Slot: ir.Slot(slot), First: uint8(r.first), Count: uint8(r.count), Interp: r.interp, Vertex: uint8(v + 1)})
				for k := range r.count {
					s.cf[v][r.first+k] = n + k
				}
				n += r.count
			}
		}
	}
	for k := range c.weights {
		if w := &c.weights[k]; w.want {
			i := ir.InterpNoPerspective
			if k == perspective(ir.InterpSmooth) {
				i = ir.InterpSmooth
			}
			w.cf = n
			m.Lists = !faults.has(faultLists)
			m.Coefs = append(m.Coefs, abi.Coef{Source: abi.CoefBary, CF: n, Count: 2, Interp: i})
			n += 2
		}
	}
	return n
}

// loadWeights selects the weights of vertices 1 and 2 at a place.
func (s *isel) loadWeights(in *ir.Instr) {
	i := interpOf(in)
	s.setComps(&in.Def, s.iter(s.in.coefs.weights[perspective(i)].cf, 2, i == ir.InterpSmooth, false, in)...)
}

// loadInputVertex selects an input at a vertex, whose number need not be constant.
func (s *isel) loadInputVertex(in *ir.Instr) {
	slot, comp, ok := s.ioSlot(in, in.Srcs[1].Def)
	if !ok {
		return
	}
	c, v := &s.in.coefs.corners[slot], s.comp(in.Srcs[0].Def, 0)
	at := func(vertex, k int) opnd { return s.corner(min(vertex, 2), c.cf[min(vertex, 2)][comp+k]) }
	ops := make([]opnd, in.Def.NumComponents)
	for k := range ops {
		if n, is := in.Srcs[0].Def.Const(0); is {
			ops[k] = at(int(min(n, 2)), k)
			continue
		}
		ops[k] = at(2, k)
		for vertex := 1; vertex >= 0; vertex-- {
			ops[k] = s.selectBy(cond{op: isa.CondUEQ, a: v, b: imm32(uint32(vertex))}, false, at(vertex, k), ops[k])
		}
	}
	s.setInput(in, ops)
}

// corner is the value at a vertex, counted from 0, that a coefficient register has. Hardware has that of vertex 1 in word b
// or in word c: the reference reads word b, but only in fans, and nobody says which of both makes it so
// (agx.md §16.1). The driver says which word it is.
func (s *isel) corner(vertex, cf int) opnd {
	w := s.ldcf(cf)
	if vertex != 1 || faults.has(faultMiddleWord) {
		return w[2]
	}
	middle := s.driver(nil, abi.UniformMiddleWord, 0)
	return s.selectBy(cond{op: isa.CondUEQ, a: middle, b: imm16(0)}, false, w[2], w[1])
}
