package interp

import (
	"fmt"
	"math"

	"nirc/internal/emu"
	"nirc/ir"
)

// input is an input slot that variables read, and how it is interpolated.
type input struct {
	slot   ir.Slot
	mask   uint8
	interp ir.Interp
	bary   uint8
	bits   uint8
}

// useInput notes the slots of an input variable.
func (c *compiler) useInput(v *ir.Variable) {
	if v.PerPrimitive {
		c.refuse(nil, "input %s: per-primitive inputs are not supported as variables", v.Name)
		return
	}
	t := v.Type
	comps := t.WithoutArray()
	in := input{interp: v.Interp, bits: 32, mask: componentsOf(v)}
	if comps.IsNumeric() {
		in.bits = comps.MemBits()
		if comps.Base != ir.BaseFloat || comps.Bits == 64 {
			in.interp = ir.InterpFlat
		}
	}
	switch {
	case v.Sample:
		in.bary = emu.BarySample
	case v.Centroid:
		in.bary = emu.BaryCentroid
	}
	if c.s.Stage == ir.StageVertex {
		in.interp = ir.InterpNone
	}
	n := t.SlotCount()
	if v.Compact {
		n = (t.Len + uint32(v.Component) + 3) / 4
	}
	first := (c.vars[v] - c.p.inBase) / 16
	for s := first; s < first+n; s++ {
		if s >= ir.NumVaryingSlots {
			c.failf(nil, "input %s is beyond the last slot", v.Name)
			return
		}
		in.slot = ir.Slot(s)
		c.p.addInput(in)
	}
}

// addInput notes components of a slot that are interpolated in one way; others of it may be in another.
func (p *Program) addInput(in input) {
	at := &p.inputAt[in.slot]
	for k, old := range at {
		if in.mask>>k&1 != 0 && old < 0 {
			at[k] = int16(len(p.inputs))
		} else {
			in.mask &^= 1 << k
		}
	}
	if in.mask != 0 {
		p.inputs = append(p.inputs, in)
	}
}

// startInputs fills the input variables.
func (w *Wave) startInputs() {
	if arrayed(w.p.shader.Stage) {
		w.startStageOutputs()
		return
	}
	for k := range w.p.inputs {
		in := &w.p.inputs[k]
		for l := range w.l.NumLanes {
			b := w.priv[l*int(w.p.private)+int(w.p.inBase)+int(in.slot)*16:]
			for c := range 4 {
				if in.mask>>c&1 != 0 {
					emu.StoreBytes(b[c*4:], 4, uint64(w.startInput(in, l, c)))
				}
			}
		}
	}
}

// startInput is component c of an input in a lane; 0 if nothing gives it.
func (w *Wave) startInput(in *input, l, c int) uint32 {
	switch {
	case w.l.Fragment != nil:
		f := &w.l.Fragment[l]
		bary := f.Persp[in.bary]
		if in.interp == ir.InterpNoPerspective {
			bary = f.Linear[in.bary]
		}
		return w.varying(l, in, c, bary)
	case w.l.Inputs != nil && int(in.slot) < len(w.l.Inputs[l]):
		return w.l.Inputs[l][in.slot][c]
	}
	return 0
}

// varying gives word c of a fragment input: flat, or by barycentrics.
func (w *Wave) varying(lane int, in *input, c int, bary [2]float32) uint32 {
	f := &w.l.Fragment[lane]
	switch in.slot {
	case ir.SlotPos, ir.SlotPrimitiveID, ir.SlotLayer, ir.SlotViewport, ir.SlotViewIndex, ir.SlotFace, ir.SlotPointCoord:
		return w.slotValue(in.slot, lane, c)
	}
	if in.interp == ir.InterpFlat {
		return f.Prim.V[f.Prim.Provoking][in.slot][c]
	}
	return interpolate(f.Prim, in.slot, c, in.bits, bary)
}

// slotValue gives the inputs that are facts of the primitive or the pixel: at
// the position's slot a fragment finds its window coordinates.
func (w *Wave) slotValue(s ir.Slot, lane, c int) uint32 {
	sv := svPrimitiveID
	switch s {
	case ir.SlotPos:
		sv = svFragCoord
	case ir.SlotLayer:
		sv = svLayer
	case ir.SlotViewport:
		sv = svViewport
	case ir.SlotViewIndex:
		sv = svViewIndex
	case ir.SlotFace:
		sv = svFrontFace
	case ir.SlotPointCoord:
		sv = svPointCoord
	}
	return w.fragmentValue(sv, lane)[c]
}

func interpolate(p *emu.Primitive, s ir.Slot, c int, bits uint8, bary [2]float32) uint32 {
	val := func(k int) float32 {
		v := p.V[k][s][c]
		if bits == 16 {
			return float32(ir.Float16Value(uint16(v)))
		}
		return math.Float32frombits(v)
	}
	v0 := val(0)
	r := v0 + float32(bary[0]*(val(1)-v0)) + float32(bary[1]*(val(2)-v0))
	if bits == 16 {
		return uint32(ir.Float16Bits(float64(r)))
	}
	return math.Float32bits(r)
}

// baryAt evaluates the barycentrics at a place in the pixel.
func (w *Wave) baryAt(lane int, x, y float32, persp bool) [2]float32 {
	f := &w.l.Fragment[lane]
	if f.Prim.Bary == nil {
		if persp {
			return f.Persp[emu.BaryPixel]
		}
		return f.Linear[emu.BaryPixel]
	}
	i, j := f.Prim.Bary(float32(f.X)+x, float32(f.Y)+y, persp)
	return [2]float32{i, j}
}

func (w *Wave) baryAtSample(lane, n int, persp bool) [2]float32 {
	p := w.l.Fragment[lane].Prim
	x, y := float32(0.5), float32(0.5)
	if p.SamplePos != nil && n >= 0 && n < max(1, p.Samples) {
		x, y = p.SamplePos(n)
	}
	return w.baryAt(lane, x, y, persp)
}

// execInterp runs interp_deref_at_*.
func (w *Wave) execInterp(i *inst, l int) error {
	x := i.x
	addr := uint32(w.regs[x.src[0][0]+int32(l)]) - w.p.inBase
	slot := addr / 16
	if slot >= ir.NumVaryingSlots || w.p.inputAt[slot][addr%16/4] < 0 {
		return fmt.Errorf("the pointer does not lead to an input")
	}
	in := w.p.inputs[w.p.inputAt[slot][addr%16/4]]
	persp := in.interp != ir.InterpNoPerspective
	f := &w.l.Fragment[l]
	arg := func(c int) uint64 { return w.regs[x.src[1][c]+int32(l)] }
	var bary [2]float32
	vertex := -1
	switch x.in.Intr {
	case ir.IntrInterpDerefAtCentroid:
		if bary = f.Linear[emu.BaryCentroid]; persp {
			bary = f.Persp[emu.BaryCentroid]
		}
	case ir.IntrInterpDerefAtSample:
		bary = w.baryAtSample(l, int(int32(arg(0))), persp)
	case ir.IntrInterpDerefAtOffset:
		bits := x.in.Srcs[1].Def.BitSize
		bary = w.baryAt(l, 0.5+float32(ir.FloatValue(arg(0), bits)), 0.5+float32(ir.FloatValue(arg(1), bits)), persp)
	default:
		vertex = int(arg(0))
	}
	for k := range uint32(i.n) {
		at := addr + k*x.comp
		in.slot = ir.Slot(at / 16)
		c := int(at % 16 / 4)
		var v uint32
		switch {
		case at/16 >= ir.NumVaryingSlots:
		case vertex >= 0:
			v = f.Prim.V[min(vertex, 2)][in.slot][c]
		default:
			v = w.varying(l, &in, c, bary)
		}
		w.regs[i.dst+int32(k)*w.w+int32(l)] = uint64(v) & lowBits(i.bits)
	}
	return nil
}

// execInput runs load_input and its relatives.
func (w *Wave) execInput(i *inst, l int) error {
	x := i.x
	src := func(k, c int) uint64 { return w.regs[x.src[k][c]+int32(l)] }
	slot := uint32(x.io.Location) + uint32(src(len(x.src)-1, 0))
	in := input{slot: ir.Slot(slot), interp: ir.InterpFlat, bits: i.bits}
	var bary [2]float32
	vertex := -1
	switch x.in.Intr {
	case ir.IntrLoadInterpolatedInput:
		in.interp = ir.InterpSmooth
		bits := x.in.Srcs[0].Def.BitSize
		bary = [2]float32{float32(ir.FloatValue(src(0, 0), bits)), float32(ir.FloatValue(src(0, 1), bits))}
	case ir.IntrLoadInputVertex:
		vertex = int(min(src(0, 0), 2))
	}
	first := uint32(x.in.Get(ir.IdxComponent))
	words := uint32(1)
	if i.bits == 64 {
		words = 2
	}
	for k := range uint32(i.n) {
		var v uint64
		for h := range words {
			at := slot*4 + first + k*words + h
			c := int(at & 3)
			in.slot = ir.Slot(at / 4)
			var word uint32
			switch {
			case at/4 >= ir.NumVaryingSlots:
			case w.l.Fragment == nil:
				if w.l.Inputs != nil && int(at/4) < len(w.l.Inputs[l]) {
					word = w.l.Inputs[l][at/4][c]
				}
			case vertex >= 0:
				word = w.l.Fragment[l].Prim.V[vertex][in.slot][c]
			default:
				word = w.varying(l, &in, c, bary)
			}
			if x.io.High16 && i.bits == 16 {
				word >>= 16
			}
			v |= uint64(word) << (32 * h)
		}
		w.regs[i.dst+int32(k)*w.w+int32(l)] = v & lowBits(i.bits)
	}
	return nil
}

// outputSlot is the slot that an output access names.
func (w *Wave) outputSlot(i *inst, l int) uint64 {
	x := i.x
	slot := uint64(x.io.Location) + w.regs[x.src[len(x.src)-1][0]+int32(l)]&0xffffffff
	if x.io.DualSourceIndex == 1 && w.p.shader.Stage == ir.StageFragment {
		slot = uint64(ir.SlotData0 + 7)
	}
	return slot
}

// execOutput runs store_output and load_output.
func (w *Wave) execOutput(i *inst, l int) {
	x := i.x
	if x.in.Intr == ir.IntrLoadAttachment {
		w.fetchAttachment(i, l, x.io.Location, int(int32(w.regs[x.src[0][0]+int32(l)])))
		return
	}
	slot := w.outputSlot(i, l)
	n := 4
	bits := i.bits
	store := x.in.Intr == ir.IntrStoreOutput
	comps := int(i.n)
	if !store && x.io.FBFetch && w.l.Draw != nil {
		w.fetchAttachment(i, l, ir.Slot(slot), int(max(w.l.Fragment[l].SampleID, 0)))
		return
	}
	if store {
		bits, comps = x.in.Srcs[0].Def.BitSize, len(x.src[0])
	}
	if bits == 64 {
		n = 8
	}
	mask := x.in.Get(ir.IdxWriteMask)
	for k := range comps {
		at := slot*16 + x.in.Get(ir.IdxComponent)*4 + uint64(k*n)
		inside := at+uint64(n) <= uint64(w.p.outSlots)*16
		addr := uint64(w.p.outBase) + at
		switch {
		case !store && !inside:
			w.regs[i.dst+int32(k)*w.w+int32(l)] = 0
		case !store:
			w.regs[i.dst+int32(k)*w.w+int32(l)] = w.load(spPrivate, l, 0, addr, n) & lowBits(bits)
		case inside && mask>>k&1 != 0:
			if v := w.regs[x.src[0][k]+int32(l)]; x.io.High16 && bits == 16 {
				w.store(spPrivate, l, 0, addr+2, 2, v)
			} else {
				w.store(spPrivate, l, 0, addr, n, v)
			}
		}
	}
}

// fetchAttachment reads what the attachment of a fragment result has where a fragment is, in a sample; 0 of one that is not there.
func (w *Wave) fetchAttachment(i *inst, l int, result ir.Slot, sample int) {
	f := &w.l.Fragment[l]
	var v [4]uint32
	if w.l.Draw != nil {
		if view := w.l.Draw.Attachment(result); view != nil {
			layer := 0
			if f.Prim != nil {
				layer = int(f.Prim.Layer)
			}
			v = view.Load(int(f.X), int(f.Y), layer, 0, sample)
		}
	}
	for k := range int(i.n) {
		word := uint64(v[(int(i.x.in.Get(ir.IdxComponent))+k)&3])
		if i.bits == 16 && ir.UnpackALUType(i.x.in.Get(ir.IdxDestType)).Class == ir.ClassFloat {
			word = ir.FloatBits(float64(math.Float32frombits(uint32(word))), 16)
		}
		w.regs[i.dst+int32(k)*w.w+int32(l)] = word & lowBits(i.bits)
	}
}

// execBary runs the barycentric intrinsics.
func (w *Wave) execBary(i *inst, l int) {
	x := i.x
	f := &w.l.Fragment[l]
	persp := ir.Interp(x.in.Get(ir.IdxInterpMode)) != ir.InterpNoPerspective
	base := f.Linear
	if persp {
		base = f.Persp
	}
	arg := func(c int) uint64 { return w.regs[x.src[0][c]+int32(l)] }
	b := base[emu.BaryPixel]
	switch x.in.Intr {
	case ir.IntrLoadBarycentricCentroid:
		b = base[emu.BaryCentroid]
	case ir.IntrLoadBarycentricSample:
		b = base[emu.BarySample]
	case ir.IntrLoadBarycentricAtSample:
		b = w.baryAtSample(l, int(int32(arg(0))), persp)
	case ir.IntrLoadBarycentricAtOffset:
		bits := x.in.Srcs[0].Def.BitSize
		b = w.baryAt(l, 0.5+float32(ir.FloatValue(arg(0), bits)), 0.5+float32(ir.FloatValue(arg(1), bits)), persp)
	}
	out := [3]float32{b[0], b[1]}
	switch x.in.Intr {
	case ir.IntrLoadBarycentricModel:
		out = [3]float32{f.Coord[3], b[0], b[1]}
	case ir.IntrLoadBarycentricCoordPixel:
		out = [3]float32{1 - b[0] - b[1], b[0], b[1]}
	}
	for k := range int32(i.n) {
		w.regs[i.dst+k*w.w+int32(l)] = ir.FloatBits(float64(out[k]), i.bits)
	}
}
