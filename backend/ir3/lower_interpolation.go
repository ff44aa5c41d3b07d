package ir3

import (
	"nirc/ir"
	"nirc/ir/optab"
)

// lowerInterpolation computes the barycentrics that the hardware does not
// deliver: at a chosen sample, and at an offset from the pixel's centre. i, j and 1
// over w are linear in the window, so their values at the centre and their derivatives, taken once at the
// start of the program where all fibers of the quads are there, give those of any
// place; i and j with perspective follow by a division. Sample positions
// come from rgetpos: after this pass load_sample_pos_from_id counts from the centre,
// as that does. It reports whether anything changed.
func lowerInterpolation(impl *ir.Impl) bool {
	l := interpolation{impl: impl}
	var found, loads []*ir.Instr
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			if in.Kind != ir.KindIntrinsic {
				continue
			}
			switch in.Intr {
			case ir.IntrLoadBarycentricAtSample, ir.IntrLoadBarycentricAtOffset, ir.IntrLoadSamplePos, ir.IntrLoadSamplePosFromId:
				found = append(found, in)
			case ir.IntrLoadInterpolatedInput:
				loads = append(loads, in)
			}
		}
	}
	if len(found) == 0 {
		return false
	}
	for _, in := range found {
		l.b = ir.NewBuilder(ir.Before(in)).AtInstr(in)
		in.Def.RewriteUses(l.lower(in))
		in.Remove()
	}
	l.hoist(loads)
	impl.Preserve(ir.MetaControlFlow)
	return true
}

// interpolation is the state of lowerInterpolation.
type interpolation struct {
	impl *ir.Impl
	b    *ir.Builder
	// planes by interpolation: with perspective, linear in the window.
	planes [2]*baryPlanes
}

// baryPlanes are i, j and, with perspective, a third value 1/w, the others being
// multiplied by it, at the pixel's centre, and their steps to the right and down.
type baryPlanes struct {
	at, dx, dy [3]*ir.Def
	n          int
}

func (l *interpolation) lower(in *ir.Instr) *ir.Def {
	b := l.b
	switch in.Intr {
	case ir.IntrLoadBarycentricAtSample:
		return l.place(in, l.samplePos(in.Srcs[0].Def))
	case ir.IntrLoadBarycentricAtOffset:
		return l.place(in, in.Srcs[0].Def)
	case ir.IntrLoadSamplePos:
		return l.fromCorner(l.samplePos(&b.Intrinsic(ir.IntrLoadSampleId, 1, 32).Def), in.Def.BitSize)
	}
	return l.fromCorner(l.samplePos(in.Srcs[0].Def), in.Def.BitSize)
}

// samplePos is the position of a sample, counted from the pixel's centre.
func (l *interpolation) samplePos(id *ir.Def) *ir.Def {
	if id.BitSize != 32 {
		id = l.b.U2u32(id)
	}
	return &l.b.Intrinsic(ir.IntrLoadSamplePosFromId, 2, 32, id).Def
}

// fromCorner makes a position one from the pixel's corner, as the API counts.
func (l *interpolation) fromCorner(p *ir.Def, bits uint8) *ir.Def {
	var c [2]*ir.Def
	for k := range c {
		c[k] = l.b.Fadd(l.b.Channel(p, k), l.b.ImmFloat(0.5, 32))
		if bits == 16 {
			c[k] = l.b.F2f16(c[k])
		}
	}
	return l.b.Vec(c[:]...)
}

// place gives i and j at an offset.
func (l *interpolation) place(in *ir.Instr, off *ir.Def) *ir.Def {
	b, p := l.b, l.planesOf(ir.Interp(baryMode(in)))
	x, y := b.Channel(off, 0), b.Channel(off, 1)
	if off.BitSize == 16 {
		x, y = b.F2f32(x), b.F2f32(y)
	}
	var v [3]*ir.Def
	for k := range p.n {
		v[k] = b.Ffma(p.dy[k], y, b.Ffma(p.dx[k], x, p.at[k]))
	}
	if p.n == 3 {
		w := b.Frcp(v[2])
		v[0], v[1] = b.Fmul(v[0], w), b.Fmul(v[1], w)
	}
	return b.Vec(v[:2]...)
}

// planesOf computes the planes at the start of the program.
func (l *interpolation) planesOf(mode ir.Interp) *baryPlanes {
	k, n := 0, 3
	if mode == ir.InterpNoPerspective {
		k, n = 1, 2
	} else {
		mode = ir.InterpSmooth
	}
	if l.planes[k] != nil {
		return l.planes[k]
	}
	b := ir.NewBuilder(ir.AtStart(l.impl.Start()))
	p := &baryPlanes{n: n}
	ij := &b.Intrinsic(ir.IntrLoadBarycentricPixel, 2, 32).Set(ir.IdxInterpMode, uint64(mode)).Def
	p.at[0], p.at[1] = b.Channel(ij, 0), b.Channel(ij, 1)
	if n == 3 {
		p.at[2] = &b.Intrinsic(ir.IntrLoadPerspCenterRhwIr3, 1, 32).Def
		p.at[0], p.at[1] = b.Fmul(p.at[0], p.at[2]), b.Fmul(p.at[1], p.at[2])
	}
	for c := range n {
		p.dx[c] = &b.Intrinsic(ir.IntrDdxCoarse, 1, 32, p.at[c]).Def
		p.dy[c] = &b.Intrinsic(ir.IntrDdyCoarse, 1, 32, p.at[c]).Def
	}
	l.planes[k] = p
	return p
}

// hoist moves loads of inputs whose barycentrics are computed to the first
// block and before its first discard, with what they need, where that can be
// known so early: the storage of the varyings is released after the last one
// (ir3.md §4.7).
func (l *interpolation) hoist(loads []*ir.Instr) {
	start := l.impl.Start()
	c := ir.BeforeJump(start)
	h := hoister{start: start, state: make([]uint8, l.impl.NumDefs)}
	for in := range start.Instrs() {
		if isDiscard(in) {
			c = ir.Before(in)
			h.discard = true
			break
		}
		if in.HasDef() {
			h.state[in.Def.Index] = hoistDone
		}
	}
	for _, in := range loads {
		if _, ok := baryKind(in.Srcs[0].Def.Instr); !ok && h.can(in, 0) {
			h.move(in, c)
		}
	}
}

// isDiscard reports whether fibers may be killed here.
func isDiscard(in *ir.Instr) bool {
	switch {
	case in.Kind != ir.KindIntrinsic:
		return false
	case in.Intr == ir.IntrDemote, in.Intr == ir.IntrDemoteIf, in.Intr == ir.IntrTerminate, in.Intr == ir.IntrTerminateIf:
		return true
	}
	return false
}

// hoister moves values with their sources to the end of the first block.
type hoister struct {
	start   *ir.Block
	discard bool
	state   []uint8 // by Def.Index
}

// States of a value: not looked at, free to move, bound to its place, where it has to be.
const (
	hoistUnknown = iota
	hoistFree
	hoistBound
	hoistDone
)

// hoistDepth bounds the chains that are followed.
const hoistDepth = 64

// can reports whether in and what it needs can move.
func (h *hoister) can(in *ir.Instr, depth int) bool {
	at := in.Def.Index
	if h.state[at] != hoistUnknown {
		return h.state[at] != hoistBound
	}
	if in.Block == h.start && !h.discard {
		h.state[at] = hoistDone
		return true
	}
	h.state[at] = hoistBound
	if depth > hoistDepth {
		return false
	}
	switch in.Kind {
	case ir.KindALU, ir.KindLoadConst, ir.KindUndef:
	case ir.KindIntrinsic:
		if in.Intr.Info().Flags&optab.CanReorder == 0 {
			return false
		}
	default:
		return false
	}
	for i := range in.Srcs {
		if !h.can(in.Srcs[i].Def.Instr, depth+1) {
			return false
		}
	}
	h.state[at] = hoistFree
	return true
}

func (h *hoister) move(in *ir.Instr, c ir.Cursor) {
	if h.state[in.Def.Index] != hoistFree {
		return
	}
	h.state[in.Def.Index] = hoistDone
	for i := range in.Srcs {
		h.move(in.Srcs[i].Def.Instr, c)
	}
	in.MoveTo(c)
}

// computedMode finds the interpolation of barycentrics: if they were computed,
// that of the ones which they were computed from.
func computedMode(d *ir.Def, depth int) (ir.Interp, bool) {
	in := d.Instr
	if _, ok := baryKind(in); ok {
		return ir.Interp(baryMode(in)), true
	}
	if in.Kind != ir.KindALU || depth > 6 {
		return ir.InterpSmooth, false
	}
	for i := range in.Srcs {
		if m, ok := computedMode(in.Srcs[i].Def, depth+1); ok {
			return m, true
		}
	}
	return ir.InterpSmooth, false
}
