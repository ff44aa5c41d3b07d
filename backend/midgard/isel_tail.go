package midgard

import (
	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
)

// tailPlace is an index into the tail of a table: the product and the sum that make it,
// which wait for the ends of the table and the tail.
type tailPlace struct {
	mul, add *inst // one may be nil
	// ends are the length of the table and that of its tail.
	ends func() (list, tail int)
	k    int // the array's place in the tail
}

// tailElement is the first vec4 of what element index of an array of unknown size says of
// itself, and the place of x among what arrays say.
func (s *isel) tailElement(x abi.Sysval, index source) (at source, k int) {
	for k < len(s.meta.Elements) && s.meta.Elements[k] != x {
		k++
	}
	if k == len(s.meta.Elements) {
		s.meta.Elements = append(s.meta.Elements, x)
	}
	r := s.f.newNode(1)
	s.tails = append(s.tails, tailPlace{mul: s.alu(isa.OpImul, r, 1, index, constant(1)), ends: func() (int, int) { return 0, len(s.meta.Elements) }})
	return source{reg: r}, k
}

// tailBuffers is the system value of the buffer of an entry, where some arrays of
// buffers have no known size: those of all entries stand after the other values.
func (s *isel) tailBuffers(e source) source {
	if s.meta.SysvalTail == nil {
		for _, x := range s.res.open {
			s.meta.SysvalTail = append(s.meta.SysvalTail, abi.Sysval{Kind: abi.SysvalSSBO, Set: x.Set, Binding: x.Binding})
		}
	}
	r := s.f.newNode(1)
	s.tails = append(s.tails, tailPlace{
		add:  s.alu(isa.OpIadd, r, 1, e, constant(0)),
		ends: func() (int, int) { return len(s.meta.Sysvals) - int(s.res.Total), 0 },
	})
	return source{reg: r}
}

// fillTails ends the tables and fills in where their tails begin.
func (s *isel) fillTails() {
	if s.meta.SysvalTail != nil {
		for k := range s.res.Total {
			x, _ := s.res.entry(k)
			s.meta.Sysvals = append(s.meta.Sysvals, abi.Sysval{Kind: abi.SysvalSSBO, Set: x.Set, Binding: x.Binding, Element: x.Element})
		}
	}
	for _, t := range s.tails {
		first, n := t.ends()
		if t.mul != nil {
			if t.mul.con = uint16(n); n == 1 {
				t.mul.becomeMove()
			}
		}
		if t.add == nil {
			continue
		}
		if first += t.k; first > 0x7fff {
			s.fail(nil, "a table of %d resources before arrays of unknown size is not supported", first)
		}
		if t.add.con = uint16(first); first == 0 {
			t.add.becomeMove()
		}
	}
}

// becomeMove makes an operation with an inline constant that changes nothing a move.
func (in *inst) becomeMove() {
	in.op, in.imm, in.con = isa.OpImov, false, 0
	in.src[0], in.src[1] = source{reg: regNone}, in.src[0]
}
