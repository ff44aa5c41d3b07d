package passes

import (
	"fmt"
	"slices"

	"nirc/ir"
)

var lowerIOPass = &Pass{
	Name: "lower_io", Class: "A", Run: lowerIO, Idempotent: true,
	Doc: "Turns derefs of inputs and outputs into slot intrinsics. Input: inputs and outputs with a location, accessed by load_deref, store_deref and " +
		"interp_deref_at_*; compact arrays by constant indices. Output: load_input, load_interpolated_input with its barycentrics, load_output, store_output and " +
		"their forms per vertex and per primitive, with the offset in slots, component and io_semantics; 64-bit values as 32-bit halves, those of 8 bits as 32 bits.",
	Options: []Option{
		{Name: "modes", Doc: "shader_in, shader_out or both", Default: ir.ModeShaderIn | ir.ModeShaderOut},
	},
}

type ioLowering struct {
	s     *ir.Shader
	b     *ir.Builder
	modes ir.Mode
}

func lowerIO(c *Context, s *ir.Shader) (bool, error) {
	l := &ioLowering{s: s, modes: c.Modes("modes")}
	progress := false
	for _, f := range s.Functions {
		if f.Impl == nil {
			continue
		}
		l.b = ir.NewBuilder(ir.AtStart(f.Impl.Start()))
		changed := false
		for b := range f.Impl.Blocks() {
			for in := range b.Instrs() {
				if in.Kind != ir.KindIntrinsic || len(in.Srcs) == 0 {
					continue
				}
				d := in.Srcs[0].Def.Instr
				if d.Kind != ir.KindDeref || d.DerefInfo().Modes&l.modes == 0 {
					continue
				}
				done, err := l.access(in, d)
				if err != nil {
					return false, err
				}
				changed = changed || done
			}
		}
		if changed {
			f.Impl.Preserve(ir.MetaControlFlow)
			progress = true
		}
	}
	if progress {
		s.Info.IOLowered = true
	}
	return progress, nil
}

// slotAccess is where an input or output deref leads.
type slotAccess struct {
	v         *ir.Variable
	vertex    *ir.Def // index into an arrayed stage's interface, or nil
	offset    *ir.Def // in slots
	component uint8
	location  int32
	numSlots  uint8
	vecIndex  *ir.Def // dynamic component of a vector, or nil
	t         *ir.Type
}

// path resolves a deref chain with the builder at its use into a.
func (l *ioLowering) path(a *slotAccess, in, d *ir.Instr) error {
	var few [pathLen]*ir.Instr
	chain := few[:0]
	for d.Deref != ir.DerefVar {
		if d.Deref == ir.DerefCast || d.Deref == ir.DerefPtrAsArray || d.Deref == ir.DerefArrayWildcard {
			return diag(l.s, in, "input or output accessed through a pointer that is no plain access chain")
		}
		chain = append(chain, d)
		d = d.Srcs[0].Def.Instr
	}
	v := d.DerefInfo().Var
	if err := l.checkAccess(in, v); err != nil {
		return err
	}
	*a = slotAccess{v: v, t: d.DerefInfo().Type, location: v.Location, component: v.Component}
	a.numSlots = uint8(min(a.t.SlotCount(), 255))
	a.offset = l.b.Imm32(0)
	constant := int64(0)
	for i, step := range slices.Backward(chain) {
		parent := a.t
		a.t = step.DerefInfo().Type
		switch {
		case step.Deref == ir.DerefStruct:
			for k := 0; k < step.DerefInfo().Field; k++ {
				constant += int64(parent.Fields[k].Type.SlotCount())
			}
		case i == len(chain)-1 && arrayedIO(l.s, v):
			a.vertex = step.Srcs[1].Def
			a.numSlots = uint8(min(a.t.SlotCount(), 255))
		default:
			slots, err := l.index(a, in, parent, step.Srcs[1].Def)
			if err != nil {
				return err
			}
			constant += slots
		}
	}
	if a.offset.IsConst() {
		// The slot is known: name it alone.
		a.location += int32(constant)
		a.numSlots = uint8(max(1, min(a.t.SlotCount(), 2)))
	} else {
		a.offset = l.b.IAddImm(a.offset, constant)
	}
	return nil
}

// checkAccess reports what keeps in from reaching a variable by slots.
func (l *ioLowering) checkAccess(in *ir.Instr, v *ir.Variable) error {
	if v.Interp == ir.InterpExplicit && in.Intr != ir.IntrInterpDerefAtVertex && l.s.Stage == ir.StageFragment && v.Mode == ir.ModeShaderIn && !v.PerVertex {
		return diag(l.s, in, fmt.Sprintf("input %q is not interpolated, and read at no vertex", v.Name))
	}
	if v.Location < 0 {
		return diag(l.s, in, fmt.Sprintf("input or output %q has no location", v.Name))
	}
	return nil
}

// index takes an access on to an element of parent, the type it had reached,
// and returns the slots to add to it that are known now.
func (l *ioLowering) index(a *slotAccess, in *ir.Instr, parent *ir.Type, index *ir.Def) (slots int64, err error) {
	k, isConst := index.Const(0)
	k = min(k, uint64(max(parent.ChildCount(), 1)-1)) // beyond the end is undefined, but stays in the variable
	switch {
	case a.v.Compact:
		if !isConst {
			return 0, diag(l.s, in, fmt.Sprintf("dynamic index into %q", a.v.Name))
		}
		c := int64(a.component) + int64(k)
		a.component = uint8(c % 4)
		a.numSlots = uint8((uint32(a.v.Component) + uint32(parent.ChildCount()) + 3) / 4)
		return c / 4, nil
	case parent.IsVector() && isConst:
		a.component += uint8(k) * max(a.t.Bits/32, 1)
	case parent.IsVector():
		a.vecIndex = index
	case isConst:
		return int64(k) * int64(a.t.SlotCount()), nil
	default:
		a.offset = l.b.Iadd(a.offset, l.b.IMulImm(index, int64(a.t.SlotCount())))
	}
	return 0, nil
}

func (a *slotAccess) semantics(s *ir.Shader, extra int32) uint64 {
	sem := ir.IOSemantics{Location: ir.Slot(a.location + extra), NumSlots: a.numSlots, Invariant: a.v.Invariant, MediumPrecision: a.v.Mediump, PerView: a.v.PerView, FBFetch: a.v.FBFetch}
	if s.Stage == ir.StageFragment && a.v.Mode == ir.ModeShaderOut {
		sem.DualSourceIndex = uint8(a.v.Index)
	}
	if s.Stage == ir.StageGeometry && a.v.Mode == ir.ModeShaderOut {
		sem.GSStreams = a.v.Stream
	}
	return sem.Pack()
}

func aluClass(t *ir.Type) ir.TypeClass {
	switch t.Base {
	case ir.BaseFloat:
		return ir.ClassFloat
	case ir.BaseInt:
		return ir.ClassInt
	}
	return ir.ClassUint
}

func (l *ioLowering) access(in, d *ir.Instr) (bool, error) {
	l.b.AtInstr(in)
	l.b.Exact, l.b.FastMath = false, 0
	var a slotAccess
	switch in.Intr {
	case ir.IntrLoadDeref, ir.IntrInterpDerefAtCentroid, ir.IntrInterpDerefAtSample, ir.IntrInterpDerefAtOffset, ir.IntrInterpDerefAtVertex:
	case ir.IntrStoreDeref:
		if err := l.path(&a, in, d); err != nil {
			return false, err
		}
		if a.vecIndex != nil {
			return false, diag(l.s, in, "dynamically indexed store to a component of an output")
		}
		l.store(in, &a)
		in.Remove()
		return true, nil
	default:
		return false, diag(l.s, in, fmt.Sprintf("%s of an input or output", in.Intr))
	}
	if err := l.path(&a, in, d); err != nil {
		return false, err
	}
	comps := in.Def.NumComponents
	if a.vecIndex != nil {
		comps = chainVector(d).Rows
	}
	var v *ir.Def
	if a.t.Bits == 64 {
		v = l.load64(in, &a, comps)
	} else {
		v = l.load(in, &a, 0, a.component, comps, a.t.Bits)
	}
	if a.vecIndex != nil {
		v = vectorExtract(l.b, v, a.vecIndex)
	}
	switch {
	case in.Def.BitSize == v.BitSize:
	case in.Def.BitSize == 1:
		v = l.b.Ine(v, l.b.ImmInt(0, v.BitSize))
	case in.Def.BitSize == 8:
		v = l.b.U2u8(v)
	}
	in.Def.RewriteUses(v)
	in.Remove()
	return true, nil
}

// chainVector returns the vector type that the last array deref of d indexes.
func chainVector(d *ir.Instr) *ir.Type { return d.Srcs[0].Def.Instr.DerefInfo().Type }

// load64 loads 64-bit components as pairs of 32-bit words; from the third
// component on they are in the next slot.
func (l *ioLowering) load64(in *ir.Instr, a *slotAccess, comps uint8) *ir.Def {
	parts := make([]*ir.Def, comps)
	word := int(a.component)
	for i := range parts {
		w := word + 2*i
		pair := l.load(in, a, int32(w/4), uint8(w%4), 2, 32)
		parts[i] = l.b.Pack64_2x32(pair)
	}
	return l.b.Vec(parts...)
}

// load builds the load of comps components from component c of slot a+extra.
func (l *ioLowering) load(in *ir.Instr, a *slotAccess, extra int32, c, comps, bits uint8) *ir.Def {
	if bits < 16 { // booleans and bytes take a whole component
		bits = 32
	}
	off := a.offset
	dest := ir.ALUType{Class: slotClass(a.t), Bits: bits}
	finish := func(n *ir.Instr) *ir.Def {
		n.Set(ir.IdxComponent, uint64(c)).Set(ir.IdxDestType, dest.Pack()).Set(ir.IdxIoSemantics, a.semantics(l.s, extra))
		n.Set(ir.IdxBase, uint64(a.location+extra)).Set(ir.IdxRange, uint64(a.numSlots))
		return &n.Def
	}
	out := a.v.Mode == ir.ModeShaderOut
	switch {
	case a.vertex != nil && out && a.v.PerPrimitive:
		return finish(l.b.Intrinsic(ir.IntrLoadPerPrimitiveOutput, comps, bits, a.vertex, off))
	case a.v.PerPrimitive && l.s.Stage == ir.StageFragment && !flatSlot(a.v.Location):
		return finish(l.b.Intrinsic(ir.IntrLoadPerPrimitiveInput, comps, bits, off))
	case a.vertex != nil && out:
		return finish(l.b.Intrinsic(ir.IntrLoadPerVertexOutput, comps, bits, a.vertex, off))
	case a.vertex != nil && l.s.Stage == ir.StageFragment:
		return finish(l.b.Intrinsic(ir.IntrLoadInputVertex, comps, bits, a.vertex, off))
	case a.vertex != nil:
		return finish(l.b.Intrinsic(ir.IntrLoadPerVertexInput, comps, bits, a.vertex, off))
	case out:
		return finish(l.b.Intrinsic(ir.IntrLoadOutput, comps, bits, off))
	case in.Intr == ir.IntrInterpDerefAtVertex:
		return finish(l.b.Intrinsic(ir.IntrLoadInputVertex, comps, bits, in.Srcs[1].Def, off))
	}
	if bary := l.barycentric(in, a); bary != nil {
		return finish(l.b.Intrinsic(ir.IntrLoadInterpolatedInput, comps, bits, bary, off))
	}
	return finish(l.b.Intrinsic(ir.IntrLoadInput, comps, bits, off))
}

// slotClass is what slots hold of a type: the words of 64-bit values are no numbers.
func slotClass(t *ir.Type) ir.TypeClass {
	if t.Bits == 64 {
		return ir.ClassUint
	}
	return aluClass(t)
}

// barycentric builds the barycentrics that a fragment input is interpolated
// with, or returns nil of a flat one.
func (l *ioLowering) barycentric(in *ir.Instr, a *slotAccess) *ir.Def {
	v := a.v
	if l.s.Stage != ir.StageFragment || v.Interp == ir.InterpFlat || a.t.Base != ir.BaseFloat || a.t.Bits == 64 || v.PerPrimitive || flatSlot(v.Location) {
		return nil
	}
	mode := v.Interp
	if mode == ir.InterpNone {
		mode = ir.InterpSmooth
	}
	op := ir.IntrLoadBarycentricPixel
	var srcs []*ir.Def
	switch {
	case in.Intr == ir.IntrInterpDerefAtCentroid:
		op = ir.IntrLoadBarycentricCentroid
	case in.Intr == ir.IntrInterpDerefAtSample:
		op, srcs = ir.IntrLoadBarycentricAtSample, []*ir.Def{in.Srcs[1].Def}
	case in.Intr == ir.IntrInterpDerefAtOffset:
		op, srcs = ir.IntrLoadBarycentricAtOffset, []*ir.Def{in.Srcs[1].Def}
	case v.Sample || l.s.Info.UsesSampleShading:
		op = ir.IntrLoadBarycentricSample
	case v.Centroid:
		op = ir.IntrLoadBarycentricCentroid
	}
	return &l.b.Intrinsic(op, 2, 32, srcs...).Set(ir.IdxInterpMode, uint64(mode)).Def
}

// flatSlot tells the built-in inputs that are never interpolated.
func flatSlot(loc int32) bool {
	switch ir.Slot(loc) {
	case ir.SlotLayer, ir.SlotViewport, ir.SlotPrimitiveID, ir.SlotFace, ir.SlotViewIndex:
		return true
	}
	return false
}

func (l *ioLowering) store(in *ir.Instr, a *slotAccess) {
	v, mask := in.Srcs[1].Def, in.Get(ir.IdxWriteMask)
	switch {
	case v.BitSize == 1:
		v = l.b.B2i32(v)
	case v.BitSize == 8 && aluClass(a.t) == ir.ClassInt:
		v = l.b.I2i32(v)
	case v.BitSize == 8:
		v = l.b.U2u32(v)
	}
	if a.t.Bits != 64 {
		l.storeSlot(a, 0, a.component, v, mask)
		return
	}
	for i := 0; i < int(v.NumComponents); i++ {
		if mask>>i&1 != 0 {
			w := int(a.component) + 2*i
			l.storeSlot(a, int32(w/4), uint8(w%4), l.b.Unpack64_2x32(l.b.Channel(v, i)), 3)
		}
	}
}

func (l *ioLowering) storeSlot(a *slotAccess, extra int32, c uint8, v *ir.Def, mask uint64) {
	src := ir.ALUType{Class: slotClass(a.t), Bits: v.BitSize}
	var st *ir.Instr
	switch {
	case a.vertex != nil && a.v.PerPrimitive:
		st = l.b.Effect(ir.IntrStorePerPrimitiveOutput, v, a.vertex, a.offset)
	case a.vertex != nil:
		st = l.b.Effect(ir.IntrStorePerVertexOutput, v, a.vertex, a.offset)
	default:
		st = l.b.Effect(ir.IntrStoreOutput, v, a.offset)
	}
	st.Set(ir.IdxWriteMask, mask).Set(ir.IdxComponent, uint64(c)).Set(ir.IdxSrcType, src.Pack()).Set(ir.IdxIoSemantics, a.semantics(l.s, extra))
	st.Set(ir.IdxBase, uint64(a.location+extra)).Set(ir.IdxRange, uint64(a.numSlots))
}
