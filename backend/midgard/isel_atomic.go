package midgard

import (
	"nirc/backend/midgard/isa"
	"nirc/internal/lazy"
	"nirc/ir"
)

var atomicOps = lazy.Value[map[ir.AtomicOp]isa.LdOp]{Make: func() map[ir.AtomicOp]isa.LdOp {
	return map[ir.AtomicOp]isa.LdOp{
		ir.AtomicIAdd: isa.LdAtomicAdd, ir.AtomicIMin: isa.LdAtomicSmin, ir.AtomicUMin: isa.LdAtomicUmin, ir.AtomicIMax: isa.LdAtomicSmax,
		ir.AtomicUMax: isa.LdAtomicUmax, ir.AtomicIAnd: isa.LdAtomicAnd, ir.AtomicIOr: isa.LdAtomicOr, ir.AtomicIXor: isa.LdAtomicXor,
		ir.AtomicXchg: isa.LdAtomicXchg, ir.AtomicCmpXchg: isa.LdAtomicCmpXchg,
	}
}}

// atomicAt selects an atomic whose operands are the sources from k on.
func (s *isel) atomicAt(in *ir.Instr, a address, k int) {
	op, ok := atomicOps.Get()[ir.AtomicOp(in.Get(ir.IdxAtomicOp))]
	bitSize := in.Def.BitSize
	if !ok || bitSize != 32 && bitSize != 64 {
		s.fail(in, "the %d-bit atomic operation %s is not supported: the hardware has none", bitSize, ir.AtomicOpNames[in.Get(ir.IdxAtomicOp)])
		return
	}
	n := width(&in.Def)
	if n == 2 {
		op++ // the same on 64 bits
	}
	d := s.f.newFirst(n)
	s.set(&in.Def, value{reg: d, at: identity})
	t := inst{kind: kindLdSt, dst: d, mask: fullMask(n)}
	t.ld = isa.LoadStore{Op: op}
	val := s.whole(in.Srcs[k].Def)
	if t.ld.Op.Info().Kind == isa.KindCmpXchg {
		// The comparand has the index's place: the address is one value.
		cmp := val
		val = s.whole(in.Srcs[k+1].Def)
		s.plainAddress(&a)
		var parts [4]source
		for i := range n {
			parts[i], parts[n+i] = val.lane(i), cmp.lane(i)
		}
		s.gather(regLd0, parts[:2*n])
		s.put(&t.ld, &a, regLd1, 1)
		t.ld.Index, t.ld.Format = isa.AddrReg{Reg: 0, Comp: uint8(n)}, isa.IndexReserved
		if faults.has(faultExchangeFormat) {
			t.ld.Format = isa.IndexU32
		}
	} else {
		s.move(regLd0, fullMask(n), val)
		s.put(&t.ld, &a, regLd1, 1)
	}
	t.ld.SetAtomicSrc(isa.AddrReg{Reg: 0})
	s.turn = 1
	s.add(t)
}

// plainAddress brings an address with an index to one without: LEA adds.
func (s *isel) plainAddress(a *address) {
	if a.index.reg == regNone {
		return
	}
	d := s.f.newNode(2)
	t := inst{kind: kindLdSt, dst: d, mask: 3}
	t.ld = isa.LoadStore{Op: isa.LdLea, Swizzle: isa.XYZW}
	in, number := s.input()
	s.put(&t.ld, a, in, number)
	s.add(t)
	o := source{reg: d, swz: identity}
	*a = address{pair: true, lo: o.lane(0), hi: o.lane(1), index: source{reg: regNone}}
}
