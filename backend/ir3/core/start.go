package core

import (
	"fmt"
	"math"

	"nirc/backend/ir3/abi"
	"nirc/internal/emu"
	"nirc/ir"
)

// varying is the source of one inloc; slot -1: nothing is there.
type varying struct{ slot, comp int }

// start fills the const file and the registers of inputs.
func (w *wave) start() error {
	l, m := w.l, w.p.meta
	short := false
	switch m.Stage {
	case ir.StageVertex:
		short = len(l.Vertex) < w.n
	case ir.StageFragment:
		short = len(l.Fragment) < w.n
	case ir.StageTessCtrl:
		short = len(l.TessCtrl) < w.n
	case ir.StageTessEval:
		short = len(l.TessEval) < w.n
	case ir.StageCompute:
		short = l.Compute == nil || len(l.Compute.LocalID) < w.n
	}
	if short || l.Env == nil {
		return fmt.Errorf("the launch lacks the lanes of stage %s", m.Stage)
	}
	l.Live = emu.Mask{}
	w.startChain()
	w.startConsts()
	for i := range m.Sysvals {
		w.startSysval(&m.Sysvals[i])
	}
	if m.Stage == ir.StageVertex {
		for i := range m.Inputs {
			w.startInput(&m.Inputs[i])
		}
	}
	for i := range m.Prefetches {
		if err := w.prefetch(&m.Prefetches[i]); err != nil {
			return err
		}
	}
	if m.PrefetchQuads {
		w.endHelpers()
	}
	return nil
}

func (w *wave) startInput(in *abi.Input) {
	if in.Reg == abi.NoReg {
		return
	}
	for lane := 0; lane < w.n && lane < len(w.l.Inputs); lane++ {
		slots := w.l.Inputs[lane]
		if int(in.Slot) >= len(slots) {
			continue
		}
		for k := 0; k < 4; k++ {
			if in.Mask>>k&1 != 0 {
				w.laneSet(in.Reg+k, lane, in.Half, slots[in.Slot][k])
			}
		}
	}
}

func (w *wave) startConsts() {
	c, m := &w.p.meta.Consts, w.p.meta
	copy(w.consts[min(len(w.consts), c.ImmediateOffset):], c.Immediates)
	if !c.ByPreamble || m.Stage == ir.StageVertex {
		w.startArea(c.Driver, func(i int) uint32 { return w.param(m.Stage, i) })
	}
	if c.ByPreamble {
		return
	}
	w.startArea(c.Push, func(i int) uint32 { return w.pushWord(int(c.PushStart)/4 + i) })
	if w.chain != nil {
		w.startArea(c.Primitive, w.chain.primitiveParam)
		w.startArea(c.Map, func(i int) uint32 { return w.chain.location(m.Stage, i) })
	}
}

func (w *wave) startArea(a abi.Area, word func(i int) uint32) {
	for i := 0; i < a.Size; i++ {
		w.consts[a.Offset+i] = word(i)
	}
}

// pushWord is a word of the push constants, 0 after their end.
func (w *wave) pushWord(i int) uint32 {
	var word [4]byte
	if push := w.l.Env.Push; i >= 0 && 4*i < len(push) {
		copy(word[:], push[4*i:])
	}
	return uint32(emu.LoadBytes(word[:], 4))
}

// driverWord is a word of one of the driver's buffers, which preambles copy.
func (w *wave) driverWord(buffer uint32, i int) (uint32, error) {
	c := &w.p.meta.Consts
	switch {
	case !c.ByPreamble:
	case buffer == abi.BufferDriver && i < c.Driver.Size && w.p.meta.Stage != ir.StageVertex: // the command stream loads theirs
		return w.param(w.p.meta.Stage, i), nil
	case buffer == abi.BufferPrimitive && w.chain != nil && i < c.Primitive.Size:
		return w.chain.primitiveParam(i), nil
	case buffer == abi.BufferMap && w.chain != nil && i < c.Map.Size:
		return w.chain.location(w.p.meta.Stage, i), nil
	}
	return 0, fmt.Errorf("there is no word %d in buffer %d of the driver", i, buffer)
}

// param is driver parameter i of a stage.
func (w *wave) param(stage ir.Stage, i int) uint32 {
	l := w.l
	switch stage {
	case ir.StageVertex:
		v := &l.Vertex[0]
		switch i {
		case abi.ParamVSDrawID:
			return v.DrawIndex
		case abi.ParamVSVertexBase:
			return v.BaseVertex
		case abi.ParamVSInstanceBase:
			return v.BaseInstance
		case abi.ParamVSMaxVertices:
			return math.MaxUint32
		case abi.ParamVSIsIndexed:
			return -b2u(v.IsIndexed)
		}
	case ir.StageFragment:
		switch i {
		case abi.ParamFSSubgroupSize:
			return uint32(w.size)
		case abi.ParamFSFragSize, abi.ParamFSFragSize + 1, abi.ParamFSInvocations:
			return 1
		case abi.ParamFSFragOffset, abi.ParamFSFragOffset + 1:
			return floatBits(regionOffset[i-abi.ParamFSFragOffset])
		}
	case ir.StageCompute:
		return w.computeParam(i)
	}
	return 0
}

func (w *wave) computeParam(i int) uint32 {
	c := w.l.Compute
	switch {
	case i < abi.ParamCSNumWorkgroups+3:
		return c.NumWorkgroups[i]
	case i == abi.ParamCSWorkDim:
		return 3
	case i >= abi.ParamCSBaseWorkgroup && i < abi.ParamCSBaseWorkgroup+3:
		return c.BaseWorkgroupID[i-abi.ParamCSBaseWorkgroup]
	case i == abi.ParamCSSubgroupSize:
		return uint32(w.size)
	case i >= abi.ParamCSLocalSize && i < abi.ParamCSLocalSize+3:
		return w.p.meta.WorkgroupSize[i-abi.ParamCSLocalSize]
	case i == abi.ParamCSSubgroupIDShift:
		return uint32(trailing(uint64(w.size)))
	}
	return 0
}

func (w *wave) startSysval(s *abi.Sysval) {
	if s.Reg == abi.NoReg {
		return
	}
	mask := s.Mask
	if mask == 0 {
		mask = 15
	}
	for lane := range w.n {
		v := w.sysval(s.Kind, lane)
		for k := 0; k < s.Count(); k++ {
			if mask>>k&1 != 0 {
				w.laneSet(s.Reg+k, lane, s.Kind.Half(), v[k])
			}
		}
	}
}

// sysval is the value of one lane in the form of abi.SysvalKind.
func (w *wave) sysval(k abi.SysvalKind, lane int) (v [4]uint32) {
	l := w.l
	switch w.p.meta.Stage {
	case ir.StageVertex:
		x := &l.Vertex[lane]
		switch k {
		case abi.VertexID:
			v[0] = x.VertexIndex
		case abi.InstanceID:
			v[0] = x.InstanceIndex - x.BaseInstance
		case abi.ViewIndex:
			v[0] = x.ViewIndex
		case abi.TCSHeader, abi.GSHeader:
			v[0] = w.chainHeader(lane, 0)
		case abi.RelPatchID:
			v[0] = uint32(lane / verticesTogether)
		case abi.PrimitiveID:
			v[0] = firstPrimitive + uint32(lane/verticesTogether)
		}
	case ir.StageTessCtrl, ir.StageTessEval, ir.StageGeometry:
		return w.chainSysval(k, lane)
	case ir.StageCompute:
		switch k {
		case abi.LocalInvocationID:
			copy(v[:], l.Compute.LocalID[w.numbered(lane)][:])
		case abi.WorkgroupID:
			copy(v[:], l.Compute.WorkgroupID[:])
		}
	case ir.StageFragment:
		v = fragmentSysval(&l.Fragment[lane], k)
		if k == abi.FragCoord && w.p.meta.FragSize {
			for i, o := range regionOffset {
				v[i] += fixed4(o)
			}
		}
		return v
	}
	return v
}

// regionOffset is where, under a map of densities, a region of fragments is drawn, of those that are as large as a pixel: programs that
// ask for the size of fragments take it off their coordinates (ir3.md §6.1).
var regionOffset = [2]float32{3, 5}

func fragmentSysval(x *emu.FragmentLane, k abi.SysvalKind) (v [4]uint32) {
	pair := func(ij [2]float32) { v[0], v[1] = floatBits(ij[0]), floatBits(ij[1]) }
	switch k {
	case abi.FragCoord:
		v = [4]uint32{fixed4(x.Coord[0]), fixed4(x.Coord[1]), floatBits(x.Coord[2]), floatBits(x.Coord[3])}
	case abi.IJPerspPixel:
		pair(x.Persp[emu.BaryPixel])
	case abi.IJPerspCentroid:
		pair(x.Persp[emu.BaryCentroid])
	case abi.IJPerspSample:
		pair(x.Persp[emu.BarySample])
	case abi.IJPerspCenterRHW:
		v[0] = floatBits(centreRHW(x))
	case abi.IJLinearPixel:
		pair(x.Linear[emu.BaryPixel])
	case abi.IJLinearCentroid:
		pair(x.Linear[emu.BaryCentroid])
	case abi.IJLinearSample:
		pair(x.Linear[emu.BarySample])
	case abi.FrontFace:
		if x.Prim != nil && !x.Prim.FrontFacing {
			v[0] = 0xffff
		}
	case abi.SampleID:
		v[0] = uint32(max(x.SampleID, 0))
	case abi.ShadingRate:
		if v[0] = turnedRate(x.ShadingRate); x.Y&1 != 0 { // either form of it
			v[0] = x.ShadingRate | 16
		}
	case abi.SampleMaskIn:
		if !x.Helper { // the tests may have left nothing of what was covered
			v[0] = x.Coverage
		}
	}
	return v
}

// centreRHW is 1/w at the pixel's centre. A fragment that shades a sample has
// that of the sample in Coord; the centre's follows from the weights there: with
// l those that are linear in the window and b those with perspective, b/w of all is l/w.
func centreRHW(x *emu.FragmentLane) float32 {
	p := x.Prim
	if x.SampleID < 0 || p == nil || p.Bary == nil || p.V[0] == nil || p.V[1] == nil || p.V[2] == nil {
		return x.Coord[3]
	}
	weights := func(persp bool) [3]float64 {
		i, j := p.Bary(float32(x.X)+0.5, float32(x.Y)+0.5, persp)
		return [3]float64{1 - float64(i) - float64(j), float64(i), float64(j)}
	}
	b, l := weights(true), weights(false)
	sum, share := 0.0, 0.0 // over the vertices that are not in the plane of the eye
	for k := range l {
		if w := float64(toF(p.V[k][ir.SlotPos][3])); w != 0 {
			sum += l[k] / w
			share += b[k]
		}
	}
	return float32(sum / share)
}

// fixed4 is unsigned fixed point with 4 fraction bits.
func fixed4(f float32) uint32 {
	return clampInt(math.RoundToEven(float64(f)*16), 0, math.MaxUint32)
}

// corner returns component loc of the three vertices of a lane's primitive,
// and the index of the provoking one; flat says that all three are equal.
func (w *wave) corner(loc, lane int) (v [3]uint32, provoking int) {
	x := &w.l.Fragment[lane]
	if loc < 0 || loc >= len(w.p.inputs) || w.p.inputs[loc].slot < 0 || x.Prim == nil {
		return
	}
	in, p := w.p.inputs[loc], x.Prim
	same := func(u uint32) [3]uint32 { return [3]uint32{u, u, u} }
	if in.comp == 0 {
		switch ir.Slot(in.slot) {
		case ir.SlotPrimitiveID:
			return same(p.PrimitiveID), 0
		case ir.SlotLayer:
			if p.OfView { // 0, as no stage writes it
				return same(0), 0
			}
			return same(p.Layer), 0
		case ir.SlotViewport:
			return same(p.Viewport), 0
		case ir.SlotViewIndex:
			return same(p.ViewIndex), 0
		}
	}
	if ir.Slot(in.slot) == ir.SlotPointCoord && p.PointCoord != nil {
		s, t := p.PointCoord(x.Coord[0], x.Coord[1])
		return same(floatBits([4]float32{s, t}[in.comp])), 0
	}
	for i := range v {
		if p.V[i] != nil {
			v[i] = p.V[i][in.slot][in.comp]
		}
	}
	return v, p.Provoking
}

// execBary interpolates: value = v0 + i*(v1-v0) + j*(v2-v0).
func execBary(w *wave, x *inst) error { return w.input(x, false) }

// execFlat takes the provoking vertex.
func execFlat(w *wave, x *inst) error { return w.input(x, true) }

func (w *wave) input(x *inst, flat bool) error {
	if w.p.meta.Stage != ir.StageFragment {
		return fmt.Errorf("varyings exist in fragment shaders only")
	}
	for k := 0; k <= int(x.Repeat); k++ {
		s := x.src[0]
		s.rpt = s.rpt && x.Repeat > 0
		loc, err := w.fetch(&s, k, 0, w.n, w.buf[0][:])
		if err != nil {
			return err
		}
		for lane := range w.n {
			v, prov := w.corner(int(int32(loc[lane])), lane)
			if flat {
				w.res[lane] = v[prov%3]
			} else {
				ij := int(x.Srcs[1].Val)
				w.res[lane] = interpolate(v, w.laneGet(ij, lane, false), w.laneGet(ij+1, lane, false))
			}
			if x.dst.half && !flat {
				w.res[lane] = toH(float64(toF(w.res[lane])))
			}
		}
		if err := w.store(&x.dst, k, 0, w.n, w.res[:]); err != nil {
			return err
		}
	}
	return nil
}

func interpolate(v [3]uint32, i, j uint32) uint32 {
	v0, v1, v2 := float64(toF(v[0])), float64(toF(v[1])), float64(toF(v[2]))
	return fromF(float32(v0 + float64(toF(i))*(v1-v0) + float64(toF(j))*(v2-v0)))
}

// numbered is the invocation of a compute wave that fiber lane is. Where the metadata does not ask
// for linear dispatch, which numbers them in order, a checked run numbers them in some order.
func (w *wave) numbered(lane int) int {
	if w.p.meta.LinearDispatch || !w.garbage.On() {
		return lane
	}
	if w.order == nil {
		w.order = make([]int, w.n)
		order := w.garbage.Fork(1)
		for i := range w.order {
			k := order.Below(i + 1)
			w.order[i] = w.order[k]
			w.order[k] = i
		}
	}
	return w.order[lane]
}
