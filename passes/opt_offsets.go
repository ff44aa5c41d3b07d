package passes

import (
	"nirc/ir"
	"nirc/passes/analysis"
)

var optOffsetsPass = &Pass{
	Name: "opt_offsets", For: ir.HasMemory, Class: "B", Run: optOffsets, Idempotent: true, Optional: true,
	Doc: "Takes constants that are added to an offset into the base of the access, up to a limit by the kind of memory, where the sum surely does not wrap around: " +
		"hardware adds the base for free, and accesses side by side share their offset.",
	Options: []Option{
		{"shared_max", "largest base of shared memory, in bytes; 0: none", 4095},
		{"uniform_max", "largest base of load_uniform", 511},
		{"push_const_max", "largest base of push constants, in bytes", 511},
		{"constant_max", "largest base of constant data, in bytes", 0},
		{"allow_wrap", "the hardware adds the base modulo the size of the offset", false},
	},
}

func optOffsets(c *Context, s *ir.Shader) (bool, error) {
	o := &offsetFolder{shared: uint64(c.Int("shared_max")), uniform: uint64(c.Int("uniform_max")), push: uint64(c.Int("push_const_max")),
		constant: uint64(c.Int("constant_max")), wrap: c.Bool("allow_wrap")}
	return eachImpl(s, ir.MetaControlFlow, func(impl *ir.Impl) bool {
		progress := false
		o.impl, o.ranges = impl, nil
		for blk := range impl.Blocks() {
			for in := range blk.Instrs() {
				if in.Kind == ir.KindIntrinsic {
					progress = o.fold(in) || progress
				}
			}
		}
		return progress
	}), nil
}

type offsetFolder struct {
	shared, uniform, push, constant uint64
	wrap                            bool
	impl                            *ir.Impl
	ranges                          *analysis.Ranges // once needed
}

// noWrap reports whether the sum of a value and n fits the value's size.
func (o *offsetFolder) noWrap(d *ir.Def, n uint64) bool {
	if o.ranges == nil {
		o.ranges = analysis.RequireRanges(o.impl)
	}
	return o.ranges.Uint(d).Max <= ^uint64(0)>>(64-d.BitSize)-n
}

// place returns the offset's source and the largest base of an access, 0 for
// what has none.
func (o *offsetFolder) place(in *ir.Instr) (src int, limit uint64) {
	m := in.Memory()
	if !m.Accesses() || !in.Has(ir.IdxBase) || in.Intr.Info().Target != "" {
		return 0, 0
	}
	switch m.Space {
	case ir.SpaceShared:
		limit = o.shared
	case ir.SpaceUniform:
		limit = o.uniform
	case ir.SpacePush:
		limit = o.push
	case ir.SpaceConstant:
		limit = o.constant
	}
	return int(m.Addr), limit
}

func (o *offsetFolder) fold(in *ir.Instr) (progress bool) {
	src, limit := o.place(in)
	if limit == 0 {
		return false
	}
	base := in.Get(ir.IdxBase)
	for {
		d := in.Srcs[src].Def
		rest, comp, n, ok := o.constantPart(d)
		if !ok || n == 0 || base+n > limit {
			return progress
		}
		base += n
		b := builderBefore(in)
		if rest == nil {
			in.Srcs[src].Set(b.Const(d.BitSize, 0))
		} else {
			in.Srcs[src].Set(b.Channel(rest, comp))
		}
		if in.Has(ir.IdxRange) && !in.Has(ir.IdxRangeBase) {
			// The range counts from the base: it ends where it did.
			in.Set(ir.IdxRange, in.Get(ir.IdxRange)-min(n, in.Get(ir.IdxRange)))
		}
		in.Set(ir.IdxBase, base)
		progress = true
	}
}

// constantPart splits an offset into a value and a constant; rest is nil if
// it is all constant.
func (o *offsetFolder) constantPart(d *ir.Def) (rest *ir.Def, comp int, n uint64, ok bool) {
	if v, isConst := d.Const(0); isConst {
		return nil, 0, v, true
	}
	c := 0
	in := d.Instr
	for in.IsALU(ir.OpMov) {
		c = in.Srcs[0].Swizzle.Lane(c)
		d = in.Srcs[0].Def
		in = d.Instr
	}
	if !in.IsALU(ir.OpIadd) {
		return nil, 0, 0, false
	}
	for k := range 2 {
		v, isConst := in.Srcs[k].Const(c)
		if !isConst || v>>(d.BitSize-1) != 0 {
			continue
		}
		s := &in.Srcs[1-k]
		lane := s.Swizzle.Lane(c)
		if !o.wrap && !in.NoUnsignedWrap && !o.noWrap(s.Def, v) {
			return nil, 0, 0, false
		}
		return s.Def, lane, v, true
	}
	return nil, 0, 0, false
}
