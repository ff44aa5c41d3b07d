package midgard

import "nirc/ir"

// Inputs are interpolated at the pixel's centre, its centroid or the sample that is
// shaded (midgard.md §5.6); at other places of the pixel they are what they are at the
// centre and their derivatives say. Over the window inputs without perspective are
// linear, with it their product with 1/w is. Derivatives need all threads of a quad:
// they are taken where the program begins.

// placed is an input whose derivatives are known.
type placed struct {
	slot, base, comp, mode, off uint64
	n                           uint8
	v, dx, dy                   *ir.Def // of the input, or of its product with 1/w
}

// interpolator computes inputs at places that are chosen at run time.
type interpolator struct {
	impl      *ir.Impl
	start     *ir.Builder
	list      []placed
	w, wx, wy *ir.Def // 1/w at the centre, and its derivatives
}

// lowerOffsets rewrites interpolation at an offset and at a sample that is named.
func lowerOffsets(impl *ir.Impl) {
	var loads []*ir.Instr
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			if !in.IsIntrinsic(ir.IntrLoadInterpolatedInput) || in.Def.BitSize != 32 || !in.Srcs[1].Def.IsConst() {
				continue
			}
			if by := in.Srcs[0].Def.Instr; by.IsIntrinsic(ir.IntrLoadBarycentricAtOffset) || by.IsIntrinsic(ir.IntrLoadBarycentricAtSample) {
				loads = append(loads, in)
			}
		}
	}
	if len(loads) == 0 {
		return
	}
	t := &interpolator{impl: impl, start: ir.NewBuilder(ir.AfterPhis(impl.Body.FirstBlock()))}
	for _, in := range loads {
		in.Def.RewriteUses(t.at(in))
		by := in.Srcs[0].Def
		in.Remove()
		if by.Unused() {
			by.Instr.Remove()
		}
	}
	impl.Preserve(ir.MetaControlFlow)
}

// at computes what a load reads.
func (t *interpolator) at(in *ir.Instr) *ir.Def {
	by := in.Srcs[0].Def.Instr
	b := ir.NewBuilder(ir.Before(in)).AtInstr(in)
	off := by.Srcs[0].Def
	if by.Intr == ir.IntrLoadBarycentricAtSample {
		pos := b.Intrinsic(ir.IntrLoadSamplePosFromId, 2, 32, off)
		off = b.Fadd(&pos.Def, b.Const(32, 0xbf000000, 0xbf000000))
	}
	x, y := b.Channel(off, 0), b.Channel(off, 1)
	move := func(v, dx, dy *ir.Def) *ir.Def {
		same := make([]int, v.NumComponents)
		return b.Fadd(v, b.Fadd(b.Fmul(dx, b.Swizzle(x, same...)), b.Fmul(dy, b.Swizzle(y, same...))))
	}
	p := t.input(in, by)
	v := move(p.v, p.dx, p.dy)
	if ir.Interp(p.mode) == ir.InterpNoPerspective {
		return v
	}
	return b.Fmul(v, b.Swizzle(b.Frcp(move(t.w, t.wx, t.wy)), make([]int, v.NumComponents)...))
}

// input is the input of a load with its derivatives.
func (t *interpolator) input(in, by *ir.Instr) *placed {
	off, _ := in.Srcs[1].Def.Const(0)
	p := placed{slot: in.Get(ir.IdxIoSemantics), base: in.Get(ir.IdxBase), comp: in.Get(ir.IdxComponent), mode: by.Get(ir.IdxInterpMode), off: off, n: in.Def.NumComponents}
	for i := range t.list {
		q := t.list[i]
		q.v, q.dx, q.dy = nil, nil, nil
		if q == p {
			return &t.list[i]
		}
	}
	b := t.start
	bary := b.Intrinsic(ir.IntrLoadBarycentricPixel, 2, 32)
	bary.Set(ir.IdxInterpMode, p.mode)
	load := b.Intrinsic(ir.IntrLoadInterpolatedInput, p.n, 32, &bary.Def, b.Imm32(uint32(off)))
	load.Set(ir.IdxBase, p.base).Set(ir.IdxComponent, p.comp).Set(ir.IdxIoSemantics, p.slot).Set(ir.IdxDestType, in.Get(ir.IdxDestType))
	p.v = &load.Def
	if ir.Interp(p.mode) != ir.InterpNoPerspective {
		p.v = b.Fmul(p.v, b.Swizzle(t.reciprocal(), make([]int, p.n)...))
	}
	p.dx, p.dy = t.derivatives(p.v)
	t.list = append(t.list, p)
	return &t.list[len(t.list)-1]
}

func (t *interpolator) derivatives(v *ir.Def) (dx, dy *ir.Def) {
	return &t.start.Intrinsic(ir.IntrDdx, v.NumComponents, 32, v).Def, &t.start.Intrinsic(ir.IntrDdy, v.NumComponents, 32, v).Def
}

// reciprocal is 1/w at the pixel's centre. gl_FragCoord is that of a sample where
// samples are shaded.
func (t *interpolator) reciprocal() *ir.Def {
	if t.w != nil {
		return t.w
	}
	b := t.start
	c := &b.Intrinsic(ir.IntrLoadFragCoord, 4, 32).Def
	w := b.Channel(c, 3)
	t.wx, t.wy = t.derivatives(w)
	xy := b.Channels(c, 0, 2)
	from := b.Fsub(b.Const(32, 0x3f000000, 0x3f000000), b.Fsub(xy, b.Ffloor(xy)))
	t.w = b.Fadd(w, b.Fadd(b.Fmul(t.wx, b.Channel(from, 0)), b.Fmul(t.wy, b.Channel(from, 1))))
	return t.w
}
