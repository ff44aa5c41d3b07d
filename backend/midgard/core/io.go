package core

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

func f32(v uint32) float32   { return math.Float32frombits(v) }
func fbits(f float32) uint32 { return math.Float32bits(f) }

// packHalves makes the register form of four values as halves: two a word.
func packHalves(v [4]uint32) (h [4]uint32) {
	for i, x := range v {
		h[i/2] |= uint32(roundHalf(isa.RoundE, float64(f32(x)), 0)) << (i & 1 * 16)
	}
	return h
}

// unpackHalves is the inverse; the halves stay halves.
func unpackHalves(h [4]uint32) (v [4]uint32) {
	for i := range v {
		v[i] = h[i/2] >> (i & 1 * 16) & 0xffff
	}
	return v
}

func halfToSingle(h uint32) uint32 { return fbits(emu.HalfToFloat(uint16(h))) }

// typed puts a vec4 into the form that an operation of an element type loads.
func typed(e isa.Elem, v [4]uint32) [4]uint32 {
	if e == isa.ElemF16 {
		return packHalves(v)
	}
	return v
}

// stageIO performs attribute, varying and special operations.
func (w *wave) stageIO(s *inputs, l *isa.LoadStore) error {
	slot := int(int32(s.index(l))) + l.Slot()
	info := l.Op.Info()
	var v [4]uint32
	var err error
	switch info.Kind {
	case isa.KindAttr:
		if l.Toggle {
			return errors.New("attributes of another vertex are not supported")
		}
		if v, err = w.attribute(s.t, slot); err == nil && w.check {
			err = w.attributeType(l, slot)
		}
	case isa.KindVary:
		v, err = w.varying(s.t, l, slot)
	case isa.KindSpecial:
		v, err = w.special(s.t, slot)
	default:
		return w.storeVarying(s, l, slot)
	}
	if err != nil {
		return err
	}
	return w.result(s.t, l, typed(info.Elem, v))
}

func (w *wave) attribute(t *thread, slot int) (v [4]uint32, err error) {
	m := w.p.meta
	if slot < 0 || slot >= len(m.Attributes) {
		return v, fmt.Errorf("attribute %d: the table has %d", slot, len(m.Attributes))
	}
	if m.Stage != ir.StageVertex {
		return v, errors.New("attributes exist in vertex shaders only")
	}
	x := &w.l.Vertex[t.lane]
	switch a := &m.Attributes[slot]; a.Kind {
	case abi.RecordAttribute:
		if t.lane < len(w.l.Inputs) && int(a.Slot) < len(w.l.Inputs[t.lane]) {
			v = w.l.Inputs[t.lane][a.Slot]
		}
	case abi.RecordVertexID:
		v[0] = x.VertexIndex - rawOffset(x)
	case abi.RecordInstanceID:
		v[0] = x.InstanceIndex - x.BaseInstance
	}
	return v, nil
}

// attributeType: the load has the type of the attribute's format, to which it converts nothing.
func (w *wave) attributeType(l *isa.LoadStore, slot int) error {
	a, elem := &w.p.meta.Attributes[slot], l.Op.Info().Elem
	switch {
	case l.Format&isa.AttrAuto32 != 0:
		return errors.New("an attribute is loaded by the type of its descriptor, which not all GPUs do")
	case a.Kind == abi.RecordVertexID || a.Kind == abi.RecordInstanceID:
		if elem != isa.ElemS32 {
			return fmt.Errorf("an id is loaded by %s", l.Op)
		}
		return nil
	case a.Kind != abi.RecordAttribute || w.l.Draw == nil:
		return nil
	}
	for _, v := range w.l.Draw.Attributes {
		if ir.Slot(v.Location) != a.Slot || v.Format.IsWide() {
			continue
		}
		if f := elem == isa.ElemF32 || elem == isa.ElemF16; f == v.Format.IsInteger() {
			return fmt.Errorf("the attribute at location %d of format %s is loaded by %s", v.Location, v.Format.Name, l.Op)
		}
	}
	return nil
}

func (w *wave) special(t *thread, selector int) (v [4]uint32, err error) {
	if w.p.meta.Stage != ir.StageFragment {
		return v, errors.New("special values exist in fragment shaders only")
	}
	if tile := selector == abi.SpecialTileTyped || selector == abi.SpecialTileRaw; tile && w.p.gpu != nil && w.p.gpu.TileLoads {
		return v, fmt.Errorf("%s has no tile among its special values", w.p.gpu.Name)
	}
	x := &w.l.Fragment[t.lane]
	switch selector {
	case abi.SpecialCoverage:
		if !t.helper {
			v[0] = x.Coverage
		}
	case abi.SpecialTileTyped:
		return w.typedPixel(t, 0)
	case abi.SpecialTileRaw:
		return w.rawPixel(t, 0)
	case abi.SpecialSampleID:
		v[0] = uint32(max(x.SampleID, 0))
	default:
		return v, fmt.Errorf("the special value %d is not supported", selector)
	}
	return v, nil
}

// loadTile performs a tilebuffer read.
func (w *wave) loadTile(t *thread, l *isa.LoadStore) error {
	load := w.typedPixel
	if l.Op == isa.LdTileRaw {
		load = w.rawPixel
	}
	if sample := int(l.Arg.Comp) | int(l.Arg.Reg)<<2; w.check && l.Offset&1 == 0 && sample >= w.samples(t) {
		return fmt.Errorf("sample %d of the tile is read, there are %d", sample, w.samples(t))
	}
	v, err := load(t, l.TargetIndex())
	if err != nil {
		return err
	}
	return w.result(t, l, typed(l.Op.Info().Elem, v))
}

// typedPixel is the colour of a pixel that a typed load converts: one in a form that the fixed functions know.
func (w *wave) typedPixel(t *thread, target int) (v [4]uint32, err error) {
	if v, err = w.tilePixel(t, target); err != nil || !w.check {
		return v, err
	}
	if target == isa.TargetDepth {
		for k := 1; k < 4; k++ {
			v[k] = w.order.Word()
		}
		return v, nil
	}
	f := w.l.Draw.Color[target].View.TexelFormat()
	if form := abi.TileForm(f.Name, f.Bytes); abi.TileRaw(form) {
		return v, fmt.Errorf("a typed load of the tile, which has pixels of %s as %s", f.Name, form)
	}
	has := uint8(0)
	for _, c := range f.Channels {
		has |= 1 << (c.Comp & 7)
	}
	for k := range v {
		if has>>k&1 == 0 {
			v[k] = w.order.Word() // whatever those before wrote
		}
	}
	return v, nil
}

// samples is how many samples the pixel of a thread has.
func (w *wave) samples(t *thread) int {
	if p := w.l.Fragment[t.lane].Prim; p != nil {
		return max(1, p.Samples)
	}
	return 1
}

// tilePixel is what a render target has where a fragment is, a colour or the depth.
func (w *wave) tilePixel(t *thread, target int) (v [4]uint32, err error) {
	if w.p.meta.Stage != ir.StageFragment {
		return v, errors.New("render targets exist in fragment shaders only")
	}
	if w.check && !t.tile && w.p.meta.Blend == nil {
		return v, errors.New("the tile is read before the wait for it")
	}
	x := &w.l.Fragment[t.lane]
	result := ir.SlotData0 + ir.Slot(target)
	if target == isa.TargetDepth {
		result = ir.SlotDepth
	}
	var view *emu.ImageView
	if w.l.Draw != nil {
		view = w.l.Draw.Attachment(result)
	}
	if view == nil {
		return v, fmt.Errorf("render target %d is read, but none is bound", target)
	}
	layer := 0
	if x.Prim != nil {
		layer = int(x.Prim.Layer)
	}
	return view.Load(int(x.X), int(x.Y), layer, 0, int(max(x.SampleID, 0))), nil
}

func (w *wave) storeVarying(s *inputs, l *isa.LoadStore, slot int) error {
	m := w.p.meta
	if m.Stage != ir.StageVertex {
		return errors.New("varyings are written in vertex shaders only")
	}
	if slot < 0 || slot >= len(m.Varyings) {
		return fmt.Errorf("varying %d: the table has %d", slot, len(m.Varyings))
	}
	v, err := s.data(l)
	if err != nil {
		return err
	}
	to := &m.Varyings[slot]
	if to.Kind != abi.VaryingSlot {
		return nil
	}
	half := l.Op.Info().Elem == isa.ElemF16
	if half {
		v = unpackHalves(v)
	}
	for i := range v {
		switch {
		case half && !to.Half:
			v[i] = halfToSingle(v[i])
		case !half && to.Half && l.Op.Info().Elem == isa.ElemF32:
			v[i] = uint32(roundHalf(isa.RoundE, float64(f32(v[i])), 0))
		}
	}
	w.l.Out[s.t.lane][to.Slot] = v
	return nil
}

// varying evaluates a fragment input.
func (w *wave) varying(t *thread, l *isa.LoadStore, slot int) (v [4]uint32, err error) {
	m := w.p.meta
	param := l.Param()
	switch {
	case m.Stage != ir.StageFragment:
		return v, errors.New("varyings are read in fragment shaders only")
	case slot < 0 || slot >= len(m.Varyings):
		return v, fmt.Errorf("varying %d: the table has %d", slot, len(m.Varyings))
	case w.check && l.Format&isa.AttrAuto32 != 0:
		return v, errors.New("a varying is loaded by the type of its descriptor, which not all GPUs do")
	case w.check && param&(isa.VaryFlat|isa.VaryPersp) == 0:
		return v, errors.New("a varying is loaded without perspective: the hardware interpolates with perspective, or not at all")
	case w.check && (param&isa.VaryFlat != 0) != (l.Op.Info().Elem >= isa.ElemU32):
		return v, fmt.Errorf("%s: flat varyings are loaded as integers, others as floats", l.Op)
	case param>>7 != 0 || l.Toggle || l.Arg.Reg != isa.AddrZero:
		return v, errors.New("explicit sample positions are not supported")
	}
	x := &w.l.Fragment[t.lane]
	flat := param&isa.VaryFlat != 0 || l.Op.Info().Elem >= isa.ElemU32
	switch a := &m.Varyings[slot]; a.Kind {
	case abi.VaryingFragCoord:
		for i := range v {
			v[i] = fbits(x.Coord[i])
		}
		if param&isa.VaryCentroid != 0 {
			v[3] = centroidOverW(x)
		}
	case abi.VaryingFrontFace:
		if x.Prim == nil || x.Prim.FrontFacing {
			v[0] = math.MaxUint32
		}
	case abi.VaryingPointCoord:
		if x.Prim != nil && x.Prim.PointCoord != nil {
			s, u := x.Prim.PointCoord(x.Coord[0], x.Coord[1])
			v[0], v[1] = fbits(s), fbits(u)
		}
	case abi.VaryingSlot:
		switch a.Slot {
		case ir.SlotPrimitiveID:
			if !w.fed(a.Slot) {
				return v, &emu.Unsupported{What: "gl_PrimitiveID of a pipeline without tessellation and geometry shaders is not supported: the hardware makes no such varying"}
			}
		case ir.SlotLayer, ir.SlotViewport, ir.SlotViewIndex:
			return v, fmt.Errorf("a varying of slot %d is read, which nothing feeds", a.Slot)
		}
		v = interpolate(x, a, param, flat)
	}
	return modify(v, param&7)
}

// fed reports whether the last stage before the rasteriser hands a slot on.
func (w *wave) fed(slot ir.Slot) bool {
	d := w.l.Draw
	if d == nil {
		return false
	}
	last := d.Vertex
	if d.TessEval != nil {
		last = d.TessEval
	}
	if d.Geometry != nil {
		last = d.Geometry
	}
	return slices.ContainsFunc(last.IO().Outputs, func(o emu.OutputSlot) bool { return o.Slot == slot })
}

// centroidOverW is 1/w at the centroid; the vertices have theirs from the vertex program.
func centroidOverW(x *emu.FragmentLane) uint32 {
	p, ij := x.Prim, x.Linear[emu.BaryCentroid]
	if p == nil || p.V[0] == nil || p.V[1] == nil || p.V[2] == nil {
		return fbits(x.Coord[3])
	}
	var w [3]float64
	for i := range w {
		w[i] = float64(f32(p.V[i][ir.SlotPos][3]))
	}
	return fbits(float32(w[0] + float64(ij[0])*(w[1]-w[0]) + float64(ij[1])*(w[2]-w[0])))
}

// interpolate evaluates an output slot of the stage before.
func interpolate(x *emu.FragmentLane, a *abi.Varying, param int, flat bool) (v [4]uint32) {
	p := x.Prim
	if p == nil {
		return v
	}
	at := emu.BaryPixel
	switch {
	case param&isa.VarySample != 0 && x.SampleID >= 0:
		at = emu.BarySample
	case param&isa.VaryCentroid != 0:
		at = emu.BaryCentroid
	}
	ij := x.Linear[at]
	if param&isa.VaryPersp != 0 {
		ij = x.Persp[at]
	}
	for k := range v {
		var c [3]uint32
		for i := range c {
			if p.V[i] != nil {
				c[i] = p.V[i][a.Slot][k]
			}
			if a.Half {
				c[i] = halfToSingle(c[i])
			}
		}
		if flat {
			v[k] = c[p.Provoking%3]
			continue
		}
		v0, v1, v2 := float64(f32(c[0])), float64(f32(c[1])), float64(f32(c[2]))
		v[k] = fbits(float32(v0 + float64(ij[0])*(v1-v0) + float64(ij[1])*(v2-v0)))
	}
	return v
}

// modify applies a varying's modifier: a division by a component, or the cube
// map pair.
func modify(v [4]uint32, how int) ([4]uint32, error) {
	switch how {
	case 0:
	case isa.VaryDivY, isa.VaryDivZ, isa.VaryDivW:
		d := f32(v[how])
		for i := range v {
			v[i] = fbits(f32(v[i]) / d)
		}
	case isa.VaryCube:
		v = cubePair(v)
	default:
		return v, fmt.Errorf("the varying modifier %d is not supported", how)
	}
	return v, nil
}

// cubeAxes gives of each face the major axis with its sign and the axes of s and t
// with theirs (Vulkan 1.3, Cube Map Face Selection).
var cubeAxes = [6]struct {
	major, s, t    int
	sign, sgn, tgn float64
}{
	{0, 2, 1, 1, -1, -1}, {0, 2, 1, -1, 1, -1}, {1, 0, 2, 1, 1, 1},
	{1, 0, 2, -1, 1, -1}, {2, 0, 1, 1, 1, -1}, {2, 0, 1, -1, -1, -1},
}

// cubePair turns a direction into face coordinates; the face stands in the low
// three bits of the second.
func cubePair(v [4]uint32) [4]uint32 {
	var d [3]float64
	axis := 0
	for i := range d {
		d[i] = float64(f32(v[i]))
		if math.Abs(d[i]) >= math.Abs(d[axis]) {
			axis = i
		}
	}
	face := 2 * axis
	if math.Signbit(d[axis]) {
		face++
	}
	a := &cubeAxes[face]
	m := math.Abs(d[axis])
	if m == 0 {
		m = 1
	}
	s := 0.5*a.sgn*d[a.s]/m + 0.5
	t := 0.5*a.tgn*d[a.t]/m + 0.5
	return [4]uint32{fbits(float32(s)), fbits(float32(t))&^7 | uint32(face)}
}

// cubeDirection is the inverse of cubePair, a direction on the unit cube.
func cubeDirection(x, y uint32) (d [3]float32) {
	face := y & 7
	if face > 5 {
		face = 0
	}
	a := &cubeAxes[face]
	d[a.major] = float32(a.sign)
	d[a.s] = float32(a.sgn * (2*float64(f32(x)) - 1))
	d[a.t] = float32(a.tgn * (2*float64(f32(y&^7)) - 1))
	return d
}

// register performs the operations on r26 and r27 alone.
func (w *wave) register(s *inputs, l *isa.LoadStore) error {
	in := words(s.vec(l.Arg.Reg))
	var v [4]uint32
	for i := range v {
		v[i] = in[l.Swizzle.Lane(i)]
	}
	elem := isa.ElemF32
	if !l.Toggle {
		elem = isa.ElemF16
		for i, h := range unpackHalves(in) {
			in[i] = halfToSingle(h)
		}
		for i := range v {
			v[i] = in[l.Swizzle.Lane(i)]
		}
	}
	how := isa.VaryCube
	if l.Op != isa.LdCubemap {
		how = int(l.Op-isa.LdPerspDivY) + isa.VaryDivY
	} else if elem == isa.ElemF16 {
		return errors.New("cube maps with 16-bit coordinates are not supported")
	}
	v, err := modify(v, how)
	if err != nil {
		return err
	}
	// The swizzle is the source's.
	plain := *l
	plain.Swizzle = isa.XYZW
	return w.result(s.t, &plain, typed(elem, v))
}
