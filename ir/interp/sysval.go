package interp

import (
	"math"

	"nirc/internal/emu"
	"nirc/internal/lazy"
	"nirc/ir"
)

// sysval is a system value that a wave can give; each has up to four words.
type sysval uint8

const (
	svNone sysval = iota
	svVertexIndex
	svVertexIndexZero
	svInstanceIndex
	svInstanceID
	svBaseVertex
	svBaseInstance
	svDrawIndex
	svIsIndexed
	svViewIndex
	svFragCoord
	svPixelCoord
	svPointCoord
	svFrontFace
	svFrontFaceSign
	svSampleID
	svSamplePos
	svSampleMask
	svShadingRate
	svPrimitiveID
	svLayer
	svViewport
	svHelper
	svFullyCovered
	svBary
	svBaryLinear
	svNumWorkgroups
	svWorkgroupID
	svBaseWorkgroupID
	svWorkgroupFromBase
	svWorkgroupSize
	svWorkgroupIndex
	svLocalID
	svLocalIndex
	svGlobalID
	svGlobalIndex
	svGlobalSize
	svSubgroupSize
	svNumSubgroups
	svSubgroupID
	svSubgroupLane
	svEqMask
	svGeMask
	svGtMask
	svLeMask
	svLtMask
	svZero
	svOne          // fragments are of one pixel
	svInvocationID // tessellation and geometry stages
	svPatchVertices
	svTessCoord
	svTessOuter
	svTessInner
	svLaunchID // ray tracing
	svLaunchSize
	svRecord
	svRayOrigin // of rays, and of what they hit
	svRayDirection
	svRayTMin
	svRayTMax
	svRayFlags
	svCullMask
	svObjectOrigin
	svObjectDirection
	svObjectToWorld // by columns, as the two after it
	svWorldToObject
	svTriangle
	svHitKind
	svCustomIndex
	svGeometryIndex
)

// builtInValues are the built-ins that are no single intrinsic's value.
var builtInValues = lazy.Value[map[int32]sysval]{Make: func() map[int32]sysval {
	return map[int32]sysval{
		ir.BuiltInWorkgroupID: svWorkgroupFromBase, ir.BuiltInInstanceIndex: svInstanceIndex, ir.BuiltInDeviceIndex: svZero, ir.BuiltInViewportIndex: svViewport, ir.BuiltInGlobalSize: svGlobalSize,
		ir.BuiltInSubgroupMaxSize: svSubgroupSize, ir.BuiltInBaryCoord: svBary, ir.BuiltInBaryCoordNoPersp: svBaryLinear, ir.BuiltInFullyCovered: svFullyCovered,
	}
}}

// builtInValue returns the system value of a variable by its built-in.
func builtInValue(id int32) sysval {
	if sv := builtInValues.Get()[id]; sv != svNone {
		return sv
	}
	if r := ir.FindBuiltIn(id); r != nil {
		return sysvalIntrinsics[r.Load]
	}
	return svNone
}

var sysvalIntrinsics = [ir.NumIntrinsics]sysval{
	ir.IntrLoadVertexId: svVertexIndex, ir.IntrLoadVertexIdZeroBase: svVertexIndexZero, ir.IntrLoadFirstVertex: svBaseVertex, ir.IntrLoadBaseVertex: svBaseVertex,
	ir.IntrLoadIsIndexedDraw: svIsIndexed, ir.IntrLoadInstanceId: svInstanceID, ir.IntrLoadBaseInstance: svBaseInstance, ir.IntrLoadDrawId: svDrawIndex,
	ir.IntrLoadViewIndex: svViewIndex, ir.IntrLoadFragCoord: svFragCoord, ir.IntrLoadPixelCoord: svPixelCoord, ir.IntrLoadPointCoord: svPointCoord,
	ir.IntrLoadFrontFace: svFrontFace, ir.IntrLoadFrontFaceFsign: svFrontFaceSign, ir.IntrLoadSampleId: svSampleID, ir.IntrLoadSampleIdNoPerSample: svSampleID,
	ir.IntrLoadSamplePos: svSamplePos, ir.IntrLoadSamplePosOrCenter: svSamplePos, ir.IntrLoadSampleMaskIn: svSampleMask, ir.IntrLoadPrimitiveId: svPrimitiveID,
	ir.IntrLoadLayerId: svLayer, ir.IntrLoadHelperInvocation: svHelper, ir.IntrLoadNumWorkgroups: svNumWorkgroups, ir.IntrLoadWorkgroupId: svWorkgroupID,
	ir.IntrLoadBaseWorkgroupId: svBaseWorkgroupID, ir.IntrLoadWorkgroupSize: svWorkgroupSize, ir.IntrLoadWorkgroupIndex: svWorkgroupIndex,
	ir.IntrLoadLocalInvocationId: svLocalID, ir.IntrLoadLocalInvocationIndex: svLocalIndex, ir.IntrLoadGlobalInvocationId: svGlobalID,
	ir.IntrLoadGlobalInvocationIndex: svGlobalIndex, ir.IntrLoadGlobalSize: svGlobalSize, ir.IntrLoadBaseGlobalInvocationId: svZero,
	ir.IntrLoadSubgroupSize: svSubgroupSize, ir.IntrLoadNumSubgroups: svNumSubgroups, ir.IntrLoadSubgroupId: svSubgroupID,
	ir.IntrLoadSubgroupInvocation: svSubgroupLane, ir.IntrLoadSubgroupEqMask: svEqMask, ir.IntrLoadSubgroupGeMask: svGeMask, ir.IntrLoadSubgroupGtMask: svGtMask,
	ir.IntrLoadSubgroupLeMask: svLeMask, ir.IntrLoadSubgroupLtMask: svLtMask,
	ir.IntrLoadRayWorldOrigin: svRayOrigin, ir.IntrLoadRayWorldDirection: svRayDirection, ir.IntrLoadRayTMin: svRayTMin, ir.IntrLoadRayTMax: svRayTMax,
	ir.IntrLoadRayFlags: svRayFlags, ir.IntrLoadCullMask: svCullMask, ir.IntrLoadRayObjectOrigin: svObjectOrigin, ir.IntrLoadRayObjectDirection: svObjectDirection,
	ir.IntrLoadRayObjectToWorld: svObjectToWorld, ir.IntrLoadRayWorldToObject: svWorldToObject, ir.IntrLoadRayTriangleVertexPositions: svTriangle,
	ir.IntrLoadRayHitKind: svHitKind, ir.IntrLoadRayInstanceCustomIndex: svCustomIndex, ir.IntrLoadRayGeometryIndex: svGeometryIndex,
	ir.IntrLoadRayLaunchId: svLaunchID, ir.IntrLoadRayLaunchSize: svLaunchSize, ir.IntrLoadShaderRecordPtr: svRecord,
	ir.IntrLoadInvocationId: svInvocationID, ir.IntrLoadPatchVerticesIn: svPatchVertices, ir.IntrLoadTessCoord: svTessCoord, ir.IntrLoadTessCoordXy: svTessCoord,
	ir.IntrLoadTessLevelOuter: svTessOuter, ir.IntrLoadTessLevelInner: svTessInner, ir.IntrLoadFragShadingRate: svShadingRate, ir.IntrLoadFragSize: svOne, ir.IntrLoadFragInvocationCount: svOne,
}

// sysvar is a system value variable that the shader reads.
type sysvar struct {
	sv   sysval
	addr uint32
	t    *ir.Type
}

// useVariable notes a variable that a deref names.
func (c *compiler) useVariable(v *ir.Variable) {
	if sp, _ := c.variableSpace(v); sp == spStageIn || sp == spStageOut {
		c.useStageVariable(v)
		return
	}
	limit := int32(ir.NumVaryingSlots)
	if v.Mode == ir.ModeShaderOut {
		limit = int32(c.p.outSlots)
	}
	if v.Mode&(ir.ModeShaderIn|ir.ModeShaderOut) != 0 && (v.Location < 0 || v.Location >= limit) {
		c.failf(nil, "variable %s: location %d is no slot", v.Name, v.Location)
		return
	}
	switch v.Mode {
	case ir.ModeSystemValue:
		for _, s := range c.p.sysvars {
			if s.addr == c.vars[v] {
				return
			}
		}
		sv := builtInValue(v.BuiltIn)
		if sv == svNone || !svStage(sv, c.s.Stage) {
			c.refuse(nil, "variable %s: SPIR-V built-in %d is not supported in stage %s", v.Name, v.BuiltIn, c.s.Stage)
			return
		}
		c.p.sysvars = append(c.p.sysvars, sysvar{sv, c.vars[v], v.Type})
	case ir.ModeShaderIn:
		c.useInput(v)
	case ir.ModeShaderOut:
		n := layoutOf(v.Mode).size(v.Type)
		if v.Compact {
			n = v.Type.Len*4 + uint32(v.Component)*4
		}
		first := (c.vars[v] - c.p.outBase) / 16
		for s := first; s < min(first+max(1, (n+15)/16), c.p.outSlots); s++ {
			c.p.writes(ir.Slot(s))
		}
	}
}

// writes notes an output slot.
func (p *Program) writes(s ir.Slot) {
	for _, o := range p.outputs {
		if o == s {
			return
		}
	}
	p.outputs = append(p.outputs, s)
}

// svStage reports whether a stage has a system value.
func svStage(sv sysval, st ir.Stage) bool {
	switch {
	case sv >= svRayOrigin, ir.RayStages.Has(st) && (sv == svPrimitiveID || sv == svInstanceID):
		return hasHitValue(sv, st)
	case sv == svViewIndex:
		return st == ir.StageVertex || st == ir.StageFragment || arrayed(st) || st == ir.StageTask || st == ir.StageMesh
	case sv == svPrimitiveID:
		return st == ir.StageFragment || arrayed(st)
	case sv == svInvocationID:
		return st == ir.StageTessCtrl || st == ir.StageGeometry
	case sv == svPatchVertices, sv == svTessOuter, sv == svTessInner:
		return st == ir.StageTessCtrl || st == ir.StageTessEval
	case sv == svTessCoord:
		return st == ir.StageTessEval
	case sv == svDrawIndex:
		return st == ir.StageVertex || st == ir.StageTask || st == ir.StageMesh
	case sv >= svVertexIndex && sv <= svIsIndexed:
		return st == ir.StageVertex
	case sv >= svFragCoord && sv <= svBaryLinear:
		return st == ir.StageFragment
	case sv >= svNumWorkgroups && sv <= svGlobalSize, sv == svNumSubgroups, sv == svSubgroupID:
		return ir.GroupStages.Has(st)
	}
	return true
}

// startSysvals fills the system value variables.
func (w *Wave) startSysvals() {
	for l := range w.l.NumLanes {
		w.fillSysvals(l)
	}
}

// fillSysvals fills those of a lane. Of matrices and arrays it takes column by column.
func (w *Wave) fillSysvals(l int) {
	for _, v := range w.p.sysvars {
		t := v.t.WithoutArray()
		n, columns := int(t.MemBits()/8), 1
		if v.sv >= svObjectToWorld && v.sv <= svTriangle {
			columns = v.t.ChildCount()
		}
		for column := range columns {
			val := w.sysvalColumn(v.sv, l, column)
			b := w.priv[l*int(w.p.private)+int(v.addr)+column*int(t.Rows)*n:]
			for k := range int(t.Rows) {
				x := uint64(val[k&3])
				switch {
				case n == 8 && v.sv >= svEqMask:
					x = wordPair(&val, k)
				case t.Base == ir.BaseBool && x != 0: // as wider booleans are
					x = ^uint64(0)
				}
				emu.StoreBytes(b[k*n:], n, x)
			}
		}
	}
}

// wordPair is 64-bit component k of two that four words hold.
func wordPair(val *[4]uint32, k int) uint64 {
	if k >= 2 {
		return 0
	}
	return uint64(val[2*k]) | uint64(val[2*k+1])<<32
}

func bits3(v [3]uint32) [4]uint32 { return [4]uint32{v[0], v[1], v[2]} }

func floats3(v [3]float32) [4]uint32 {
	return [4]uint32{math.Float32bits(v[0]), math.Float32bits(v[1]), math.Float32bits(v[2])}
}

// sysvalColumn gives a system value in one lane, of a matrix or an array a column.
func (w *Wave) sysvalColumn(sv sysval, lane, column int) [4]uint32 {
	if sv >= svLaunchID || w.l.Rays != nil && (sv == svPrimitiveID || sv == svInstanceID) {
		return w.rayValue(sv, lane, column)
	}
	return w.sysval(sv, lane)
}

// sysval is sysvalColumn of what is no value of rays.
func (w *Wave) sysval(sv sysval, lane int) [4]uint32 {
	switch {
	case w.l.Compute != nil && (sv == svDrawIndex || sv == svViewIndex):
		return [4]uint32{} // there is one draw, and one view
	case sv >= svInvocationID, (sv == svPrimitiveID || sv == svViewIndex) && arrayed(w.p.shader.Stage):
		return w.stageValue(sv, lane)
	case sv >= svVertexIndex && sv <= svIsIndexed, sv == svViewIndex && w.l.Vertex != nil:
		return [4]uint32{w.vertexValue(sv, &w.l.Vertex[lane])}
	case sv >= svViewIndex && sv <= svBaryLinear:
		return w.fragmentValue(sv, lane)
	case sv >= svNumWorkgroups && sv <= svGlobalSize:
		return w.computeValue(sv, lane)
	}
	switch sv {
	case svSubgroupSize:
		return [4]uint32{uint32(w.p.lanes)}
	case svNumSubgroups:
		return [4]uint32{w.l.Compute.NumSubgroups}
	case svSubgroupID:
		return [4]uint32{w.l.Compute.SubgroupID}
	case svSubgroupLane:
		return [4]uint32{uint32(lane)}
	case svEqMask:
		var m emu.Mask
		m.Set(lane)
		return words(m)
	case svGeMask:
		return words(andNot(firstLanes(w.p.lanes), firstLanes(lane)))
	case svGtMask:
		return words(andNot(firstLanes(w.p.lanes), firstLanes(lane+1)))
	case svLeMask:
		return words(firstLanes(lane + 1))
	case svLtMask:
		return words(firstLanes(lane))
	case svOne:
		return [4]uint32{1, 1}
	}
	return [4]uint32{}
}

// words returns a mask as a ballot's four words.
func words(m emu.Mask) [4]uint32 {
	return [4]uint32{uint32(m[0]), uint32(m[0] >> 32), uint32(m[1]), uint32(m[1] >> 32)}
}

func (w *Wave) vertexValue(sv sysval, v *emu.VertexLane) uint32 {
	switch sv {
	case svVertexIndex:
		return v.VertexIndex
	case svVertexIndexZero:
		return v.VertexIndex - v.BaseVertex
	case svInstanceIndex:
		return v.InstanceIndex
	case svInstanceID:
		return v.InstanceIndex - v.BaseInstance
	case svBaseVertex:
		return v.BaseVertex
	case svBaseInstance:
		return v.BaseInstance
	case svDrawIndex:
		return v.DrawIndex
	case svIsIndexed:
		return -uint32(truth(v.IsIndexed))
	}
	return v.ViewIndex
}

func (w *Wave) fragmentValue(sv sysval, lane int) [4]uint32 {
	f := &w.l.Fragment[lane]
	p := f.Prim
	fl := math.Float32bits
	switch sv {
	case svViewIndex:
		return [4]uint32{p.ViewIndex}
	case svFragCoord:
		return [4]uint32{fl(f.Coord[0]), fl(f.Coord[1]), fl(f.Coord[2]), fl(f.Coord[3])}
	case svPixelCoord:
		return [4]uint32{uint32(f.X), uint32(f.Y)}
	case svPointCoord:
		if p.PointCoord != nil {
			s, t := p.PointCoord(f.Coord[0], f.Coord[1])
			return [4]uint32{fl(s), fl(t)}
		}
	case svFrontFace:
		return [4]uint32{uint32(truth(p.FrontFacing))}
	case svFrontFaceSign:
		if p.FrontFacing {
			return [4]uint32{fl(1)}
		}
		return [4]uint32{fl(-1)}
	case svSampleID:
		return [4]uint32{uint32(max(f.SampleID, 0))}
	case svSamplePos:
		if f.SampleID >= 0 && p.SamplePos != nil {
			x, y := p.SamplePos(int(f.SampleID))
			return [4]uint32{fl(x), fl(y)}
		}
		return [4]uint32{fl(0.5), fl(0.5)}
	case svSampleMask:
		return [4]uint32{f.Coverage}
	case svShadingRate:
		return [4]uint32{f.ShadingRate}
	case svPrimitiveID:
		return [4]uint32{p.PrimitiveID}
	case svLayer:
		if p.OfView { // gl_Layer is that of a stage, and none writes it
			return [4]uint32{}
		}
		return [4]uint32{p.Layer}
	case svViewport:
		return [4]uint32{p.Viewport}
	case svHelper:
		return [4]uint32{uint32(truth(f.Helper))}
	case svBary, svBaryLinear:
		b := f.Persp
		if sv == svBaryLinear {
			b = f.Linear
		}
		i, j := b[emu.BaryPixel][0], b[emu.BaryPixel][1]
		return [4]uint32{fl(1 - i - j), fl(i), fl(j)}
	case svFullyCovered:
		return [4]uint32{uint32(truth(w.covers(lane)))}
	}
	return [4]uint32{}
}

// covers reports whether the primitive covers the whole of a fragment's pixel, more than a 256th of a pixel from its edges: the
// weights of the vertices, being linear in the window, are above zero at the corners.
func (w *Wave) covers(lane int) bool {
	const out = 1.0 / 256
	for _, x := range [...]float32{-out, 1 + out} {
		for _, y := range [...]float32{-out, 1 + out} {
			if b := w.baryAt(lane, x, y, false); min(b[0], b[1], 1-b[0]-b[1]) <= 0 {
				return false
			}
		}
	}
	return true
}

// quadID is the local id of the lane that has another one in linear order, where four
// neighbours in that order are a square of 2x2: of two rows, which are size wide, each
// four lanes take two columns.
func quadID(id [3]uint32, size uint32) [3]uint32 {
	k := id[0] + id[1]%2*size // number in the two rows
	return [3]uint32{k/4*2 + k%2, id[1]&^1 + k/2%2, id[2]}
}

func (w *Wave) computeValue(sv sysval, lane int) [4]uint32 {
	c := w.l.Compute
	size := w.p.shader.Info.WorkgroupSize
	id := c.LocalID[lane]
	if w.p.shader.Info.DerivativeGroup == ir.DerivativeQuads {
		id = quadID(id, size[0])
	}
	var group, global, total [3]uint32
	for k := range 3 {
		group[k] = c.BaseWorkgroupID[k] + c.WorkgroupID[k]
		global[k] = group[k]*size[k] + id[k]
		total[k] = c.NumWorkgroups[k] * size[k]
	}
	switch sv {
	case svNumWorkgroups:
		return bits3(c.NumWorkgroups)
	case svWorkgroupID:
		return bits3(c.WorkgroupID)
	case svBaseWorkgroupID:
		return bits3(c.BaseWorkgroupID)
	case svWorkgroupFromBase:
		return bits3(group)
	case svWorkgroupSize:
		return bits3(size)
	case svWorkgroupIndex:
		return [4]uint32{c.WorkgroupID[0] + c.NumWorkgroups[0]*(c.WorkgroupID[1]+c.NumWorkgroups[1]*c.WorkgroupID[2])}
	case svLocalID:
		return bits3(id)
	case svLocalIndex:
		return [4]uint32{id[0] + size[0]*(id[1]+size[1]*id[2])}
	case svGlobalID:
		return bits3(global)
	case svGlobalIndex:
		return [4]uint32{global[0] + total[0]*(global[1]+total[1]*global[2])}
	case svGlobalSize:
		return bits3(total)
	}
	return [4]uint32{}
}
