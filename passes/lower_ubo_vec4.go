package passes

import "nirc/ir"

var lowerUboVec4Pass = &Pass{
	Name: "lower_ubo_vec4", Class: "A", Run: lowerUboVec4, Idempotent: true,
	Doc: "Reads uniform buffers in units of 16 bytes (load_ubo_vec4); components after a boundary come from the next unit, and where the place in the unit is only known when it runs, its bits choose among the unit's components. " +
		"Components of 32 bits, or of 16 and 64 that are aligned.",
	Options: []Option{
		{"arrays", "leave loads of words at variable offsets that end before this byte of their buffer: the target may hold as much in its const file", 0},
	},
}

func lowerUboVec4(c *Context, s *ir.Shader) (bool, error) {
	arrays := uint64(c.Int("arrays"))
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) bool {
		list := collect(impl, func(in *ir.Instr) bool {
			return in.Intr == ir.IntrLoadUbo && in.Def.BitSize >= 16 && !arrayLoad(in, arrays)
		})
		for _, in := range list {
			LowerUboVec4(in)
		}
		return len(list) > 0
	}), nil
}

// arrayLoad reports whether a load is of words at a variable offset that ends before a byte of the buffer.
func arrayLoad(in *ir.Instr, end uint64) bool {
	return in.Def.BitSize == 32 && !in.Srcs[1].Def.IsConst() && in.Get(ir.IdxRangeBase)+in.Get(ir.IdxRange) <= end
}

// LowerUboVec4 does what lower_ubo_vec4 does to one load_ubo.
func LowerUboVec4(in *ir.Instr) {
	b := builderBefore(in)
	bytes := int(in.Def.BitSize / 8)
	u := uboUnits{b: b, in: in, off: in.Srcs[1].Def, bytes: bytes, per: 16 / bytes}
	mul, first := max(int(in.Get(ir.IdxAlignMul)), bytes), int(in.Get(ir.IdxAlignOffset))
	if c, ok := u.off.Const(0); ok {
		mul, first = 16, int(c)
	}
	if mul >= 16 {
		in.Def.RewriteUses(u.known(first % 16))
	} else {
		in.Def.RewriteUses(u.chosen(mul, first))
	}
	in.Remove()
}

// uboUnits reads a load's components out of the units of 16 bytes that they are in, per of them a unit.
type uboUnits struct {
	b          *ir.Builder
	in         *ir.Instr
	off        *ir.Def
	bytes, per int
}

// load reads n components of a unit from the first on. The unit is the one that byte at is in, or one base units after it.
func (u *uboUnits) load(at *ir.Def, base, first, n int) *ir.Def {
	unit := (*ir.Def)(nil)
	if c, ok := at.Const(0); ok {
		unit = u.b.Imm32(uint32(c) >> 4)
	} else {
		unit = u.b.Ushr(at, u.b.Imm32(4))
	}
	l := u.b.Intrinsic(ir.IntrLoadUboVec4, uint8(n), u.in.Def.BitSize, u.in.Srcs[0].Def, unit)
	return &l.Set(ir.IdxAccess, u.in.Get(ir.IdxAccess)).Set(ir.IdxBase, uint64(base)).Set(ir.IdxComponent, uint64(first)).Def
}

// known is the load of which the first component is at a known byte of its unit.
func (u *uboUnits) known(at int) *ir.Def {
	n := int(u.in.Def.NumComponents)
	defs, comps := make([]*ir.Def, 0, n), make([]int, 0, n)
	for len(defs) < n {
		first := at % 16 / u.bytes
		k := valueWidth(min(n-len(defs), u.per-first))
		l := u.load(u.off, at/16, first, k)
		for i := range k {
			defs, comps = append(defs, l), append(comps, i)
		}
		at += k * u.bytes
	}
	return vecOf(u.b, defs, comps)
}

// chosen is the load of which the offset is known modulo mul bytes. What is in the same mul bytes is in the same unit, and the
// bits of the offset from mul on say where there.
func (u *uboUnits) chosen(mul, first int) *ir.Def {
	comps := make([]*ir.Def, u.in.Def.NumComponents)
	var whole *ir.Def
	var bits []*ir.Def
	for i := range comps {
		at := (first + i*u.bytes) % mul
		if whole == nil || at == 0 {
			place := u.b.IAddImm(u.off, int64(i*u.bytes))
			whole, bits = u.load(place, 0, 0, u.per), bits[:0]
			for bit := mul; bit < 16; bit *= 2 {
				cond := u.b.Iand(place, u.b.Imm32(uint32(bit)))
				if u.bytes != 4 {
					cond = u.b.Ieq(cond, u.b.Imm32(0))
				}
				bits = append(bits, cond)
			}
		}
		comps[i] = u.choose(whole, bits, at/u.bytes, mul/u.bytes)
	}
	return u.b.Vec(comps...)
}

// choose is the component of a unit that is one of first, first+step and so on: each of the bits, or whether it is 0 where components
// are no words, halves their number.
func (u *uboUnits) choose(whole *ir.Def, bits []*ir.Def, first, step int) *ir.Def {
	defs, lanes := make([]*ir.Def, 0, u.per), make([]int, 0, u.per)
	for k := first; k < u.per; k += step {
		defs, lanes = append(defs, whole), append(lanes, k)
	}
	op := ir.OpIcselEqz
	if u.bytes != 4 {
		op = ir.OpBcsel
	}
	for _, bit := range bits {
		n := len(defs) / 2
		for k := range n {
			sel := u.b.Insert(u.b.Shader.NewALU(op, 1, whole.BitSize, bit, defs[2*k], defs[2*k+1]))
			sel.Srcs[1].Swizzle, sel.Srcs[2].Swizzle = ir.Broadcast(lanes[2*k]), ir.Broadcast(lanes[2*k+1])
			defs[k], lanes[k] = &sel.Def, 0
		}
		defs, lanes = defs[:n], lanes[:n]
	}
	return defs[0]
}
