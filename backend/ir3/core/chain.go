package core

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"nirc/backend/ir3/abi"
	"nirc/backend/ir3/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

// The stages of the geometry pipeline hand over vertices in local memory and
// patches in two buffers (ir3.md §6.5). emu runs each stage by
// itself, so a wave gets what the stage before would have left, laid out as a
// driver would link the two, and what it leaves itself is taken from there at its end.

// Addresses of the buffers; nothing else is there.
const (
	paramBase  = 1 << 56
	factorBase = 1 << 57
	windowMask = 1<<48 - 1
)

// chain is that memory of one wave.
type chain struct {
	local           []byte
	params, factors []byte
	patches         []*emu.Patch
	patchOf         []uint8 // by lane

	vertexStride, primStride int // bytes
	patchStride              int // dwords
	verticesIn               int
	factorStride, outer      int // layout of the factor buffer
	inner                    int
}

// startChain sets up the memory of stages that have it.
func (w *wave) startChain() {
	m := w.p.meta
	c := &chain{}
	switch {
	case m.Stage == ir.StageTessCtrl:
		c.collect(w.n, func(lane int) *emu.Patch { return w.l.TessCtrl[lane].Patch })
		c.verticesIn = len(c.patches[0].In)
		c.layFactors(m.Chain.Tess.Domain)
		c.patchStride = m.Chain.PatchStride
		c.params = make([]byte, 4*c.patchStride*len(c.patches))
		for i, p := range c.patches {
			c.putVertices(i, len(c.patches), p.In)
		}
	case m.Stage == ir.StageTessEval:
		c.collect(w.n, func(lane int) *emu.Patch { return w.l.TessEval[lane].Patch })
		c.verticesIn = len(c.patches[0].Out)
		c.layFactors(w.evalDomain())
		c.putPatches()
	case m.Stage == ir.StageGeometry:
		for i := range w.prims() {
			c.putVertices(i, w.prims(), w.l.Geometry[w.firstPrim+i].V)
		}
	case m.Chain.Next == ir.StageNone:
		return
	}
	if m.Chain.Next != ir.StageNone {
		c.vertexStride = m.Chain.VertexStride
		c.primStride = verticesTogether * c.vertexStride
		c.local = make([]byte, (w.n+verticesTogether-1)/verticesTogether*c.primStride)
	}
	w.chain = c
}

// verticesTogether is how many lanes of a stage before the geometry stage make a primitive.
const verticesTogether = 4

// collect numbers the patches of the lanes.
func (c *chain) collect(n int, patch func(lane int) *emu.Patch) {
	c.patchOf = make([]uint8, n)
	for lane := range n {
		p := patch(lane)
		if k := len(c.patches); k == 0 || c.patches[k-1] != p {
			c.patches = append(c.patches, p)
		}
		c.patchOf[lane] = uint8(len(c.patches) - 1)
	}
}

// evalDomain is the domain as the evaluation stage's driver knows it: where
// the shader does not say it, a third coordinate tells triangles.
func (w *wave) evalDomain() uint8 {
	if d := w.p.meta.Chain.Tess.Domain; d != ir.DomainNone {
		return d
	}
	for lane := range w.n {
		if w.l.TessEval[lane].Coord[2] != 0 {
			return ir.DomainTriangles
		}
	}
	return ir.DomainNone
}

func (c *chain) layFactors(domain uint8) {
	c.factorStride, c.outer, c.inner = abi.FactorLayout(domain)
	c.factors = make([]byte, c.factorStride*len(c.patches))
}

// putVertices writes the vertices of primitive i of n to local memory: slot k
// of the primitive map stands at byte 16*k of the vertex, elements of arrays too whose first slot alone a shader asks the map for.
func (c *chain) putVertices(i, n int, v []*emu.Slots) {
	c.vertexStride = 16 * abi.MapSlots
	c.primStride = c.vertexStride * len(v)
	if c.local == nil {
		c.local = make([]byte, c.primStride*n)
	}
	for k, s := range v {
		at := i*c.primStride + k*c.vertexStride
		for slot := range ir.NumVaryingSlots {
			x := abi.MapIndex(ir.Slot(slot))
			if x < 0 {
				continue
			}
			for comp, word := range s[slot] {
				binary.LittleEndian.PutUint32(c.local[at+16*x+4*comp:], word)
			}
		}
	}
}

// patchSlots is the room for per-patch slots that a linked layout has, in dwords.
const patchSlots = 4 * 32

// putPatches writes what the control stage left to the buffers.
func (c *chain) putPatches() {
	c.patchStride = patchSlots + abi.MapSlots*4*c.verticesIn
	c.params = make([]byte, 4*c.patchStride*len(c.patches))
	for i, p := range c.patches {
		rec := c.params[4*c.patchStride*i:]
		for k := range patchSlots {
			binary.LittleEndian.PutUint32(rec[4*k:], p.PerPatch[int(ir.SlotPatch0)+k/4][k%4])
		}
		for slot := range ir.NumVaryingSlots {
			x := abi.MapIndex(ir.Slot(slot))
			if x < 0 {
				continue
			}
			for v := range p.Out {
				for comp, word := range p.Out[v][slot] {
					binary.LittleEndian.PutUint32(rec[4*(patchSlots+(x*c.verticesIn+v)*4+comp):], word)
				}
			}
		}
		f := c.factors[c.factorStride*i:]
		binary.LittleEndian.PutUint32(f, p.PrimitiveID)
		for k := range c.outer {
			binary.LittleEndian.PutUint32(f[4+4*k:], p.PerPatch[ir.SlotTessLevelOuter][k])
		}
		for k := range c.inner {
			binary.LittleEndian.PutUint32(f[4+4*(c.outer+k):], p.PerPatch[ir.SlotTessLevelInner][k])
		}
	}
}

// takePatches reads back what the control stage left.
func (c *chain) takePatches(m *abi.Meta) {
	for i, p := range c.patches {
		rec := c.params[4*c.patchStride*i:]
		take := func(out *emu.Vec4, at int, mask uint8) {
			for k := range 4 {
				if mask>>k&1 != 0 && 4*(at+k)+4 <= len(rec) {
					out[k] = binary.LittleEndian.Uint32(rec[4*(at+k):])
				}
			}
		}
		for _, o := range m.Chain.Locations {
			if o.Patch {
				take(&p.PerPatch[o.Slot], o.Offset, o.Mask)
				continue
			}
			for v := range p.Out {
				take(&p.Out[v][o.Slot], o.Offset+4*v, o.Mask)
			}
		}
		f := c.factors[c.factorStride*i:]
		for k := range c.outer {
			p.PerPatch[ir.SlotTessLevelOuter][k] = binary.LittleEndian.Uint32(f[4+4*k:])
		}
		for k := range c.inner {
			p.PerPatch[ir.SlotTessLevelInner][k] = binary.LittleEndian.Uint32(f[4+4*(c.outer+k):])
		}
	}
}

// takeVertices reads back what a stage with a next one left.
func (w *wave) takeVertices() {
	c := w.chain
	for lane := 0; lane < w.n && lane < len(w.l.Out); lane++ {
		at := lane/verticesTogether*c.primStride + lane%verticesTogether*c.vertexStride
		for _, o := range w.p.meta.Chain.Locations {
			for k := range 4 {
				if b := at + o.Offset + 4*k; o.Mask>>k&1 != 0 && b+4 <= len(c.local) {
					w.l.Out[lane][o.Slot][k] = binary.LittleEndian.Uint32(c.local[b:])
				}
			}
		}
	}
}

// endChain hands on what the wave left in memory.
func (w *wave) endChain() {
	switch {
	case w.chain == nil:
	case w.p.meta.Stage == ir.StageTessCtrl:
		w.chain.takePatches(w.p.meta)
	case w.p.meta.Chain.Next != ir.StageNone:
		w.takeVertices()
	}
}

// primitiveParam is scalar i of the primitive parameters.
func (c *chain) primitiveParam(i int) uint32 {
	switch i {
	case abi.PrimStride:
		return uint32(c.primStride)
	case abi.PrimVertexStride:
		return uint32(c.vertexStride)
	case abi.PrimPatchStride:
		return uint32(c.patchStride)
	case abi.PrimVerticesIn:
		return uint32(c.verticesIn)
	case abi.PrimParamBase + 1:
		return paramBase >> 32
	case abi.PrimFactorBase + 1:
		return factorBase >> 32
	case abi.PrimFactorStride:
		return uint32(c.factorStride)
	case abi.PrimOuterLevels:
		return uint32(c.outer)
	case abi.PrimInnerLevels:
		return uint32(c.inner)
	}
	return 0
}

// location is entry i of the primitive map.
func (c *chain) location(stage ir.Stage, i int) uint32 {
	if stage == ir.StageTessEval {
		return uint32(patchSlots + 4*i*c.verticesIn)
	}
	return uint32(16 * i)
}

// window returns the buffer bytes from address a on, nil if n of them are not
// in a buffer.
func (c *chain) window(a uint64, n int) []byte {
	b := c.params
	switch a &^ windowMask {
	case paramBase:
	case factorBase:
		b = c.factors
	default:
		return nil
	}
	return within(b, uint32(min(a&windowMask, math.MaxUint32)), n)
}

// loadGlobal loads n bytes of device memory or of a tessellation buffer into a register of a lane.
func (w *wave) loadGlobal(a uint64, n, reg, lane int, half bool) {
	if a&^7 == abi.ClockAddr && n == 4 {
		w.laneSet(reg, lane, half, w.readClock(a&4 != 0))
		return
	}
	if w.chain != nil && a >= paramBase {
		w.laneSet(reg, lane, half, uint32(emu.LoadBytes(w.chain.window(a, n), n)))
		return
	}
	w.note(spaceDevice, lane, a, n, emu.AccessRead)
	w.lateLoad(lateRead{at: a, reg: int16(reg), lane: uint8(lane), n: uint8(n), space: spaceDevice, half: half}, nil, isa.SY)
}

// readClock reads a word of the counter: turns of this wave, soon after whose start the low word turns over. The low word keeps
// the high one for the one reading that follows.
func (w *wave) readClock(high bool) uint32 {
	if w.clock == 0 {
		w.clock = 5<<32 - 2
		w.clockHigh = w.l.Garbage()
	}
	if high {
		v := uint32(w.clock >> 32)
		if !w.clockKept {
			v = w.clockHigh.Word()
		}
		w.clockKept = false
		return v
	}
	w.clockKept = true
	w.clock++
	return uint32(w.clock)
}

func (w *wave) storeGlobal(lane int, a uint64, n int, v uint64) {
	if w.chain != nil && a >= paramBase {
		emu.StoreBytes(w.chain.window(a, n), n, v)
		return
	}
	w.storeDevice(lane, a, n, v)
}

// storeDevice stores n bytes to device memory.
func (w *wave) storeDevice(lane int, a uint64, n int, v uint64) {
	if w.races.On() && w.changes(w.l.Env.Mem.Bytes(a, n), n, v) {
		w.note(spaceDevice, lane, a, n, emu.AccessWrite)
	}
	w.lateStore(spaceDevice, a, n, v, nil)
}

// chainSysval is a system value of these stages.
func (w *wave) chainSysval(k abi.SysvalKind, lane int) (v [4]uint32) {
	m, l := w.p.meta, w.l
	var prim, invocation, view uint32
	switch m.Stage {
	case ir.StageTessCtrl:
		x := &l.TessCtrl[lane]
		prim, invocation, view = x.Patch.PrimitiveID, x.InvocationID, x.Patch.ViewIndex
	case ir.StageTessEval:
		x := &l.TessEval[lane]
		prim, view = x.Patch.PrimitiveID, x.Patch.ViewIndex
		if k == abi.TessCoord {
			v[0], v[1] = floatBits(x.Coord[0]), floatBits(x.Coord[1])
			return v
		}
	case ir.StageGeometry:
		t := w.firstThread + lane
		x := &l.Geometry[t/w.p.threads()]
		prim, invocation, view = x.PrimitiveID, x.InvocationID, x.ViewIndex
		if k == abi.GSHeader {
			local := t/w.p.threads() - w.firstPrim
			v[0] = uint32(local) | invocation<<abi.HeaderInvocationShift | uint32(t%w.p.threads())<<abi.HeaderThreadShift
			return v
		}
	}
	switch k {
	case abi.PrimitiveID:
		v[0] = prim
	case abi.ViewIndex:
		v[0] = view
	case abi.RelPatchID:
		if w.chain != nil && lane < len(w.chain.patchOf) {
			v[0] = uint32(w.chain.patchOf[lane])
		}
	case abi.TCSHeader, abi.GSHeader:
		v[0] = w.chainHeader(lane, invocation)
	}
	return v
}

// chainHeader is the header of a control thread, or of a thread of a stage
// whose threads the next one takes over.
func (w *wave) chainHeader(lane int, invocation uint32) uint32 {
	local, vertex := uint32(lane/verticesTogether), uint32(lane%verticesTogether)
	control := w.p.meta.Stage == ir.StageTessCtrl
	if control {
		local, vertex = uint32(w.chain.patchOf[lane]), 0
	}
	if w.p.meta.Chain.TessLocal { // each of the two stages has a field, what the other's holds is none of its business
		other := ^local & abi.HeaderLocalPrimMask
		if control {
			local, other = other, local
		}
		local |= other << abi.HeaderTessLocalShift
	}
	return local | vertex<<abi.HeaderVertexShift | invocation<<abi.HeaderInvocationShift
}

// firstPrimitive is the number of the first primitive of a wave of vertices.
const firstPrimitive = 0x100

// handedOver are the ids that a stage finds in r0.x, r0.y, r0.z if another's threads go on as its own.
func handedOver(next ir.Stage) []abi.SysvalKind {
	switch next {
	case ir.StageTessCtrl:
		return []abi.SysvalKind{abi.TCSHeader, abi.RelPatchID, abi.PrimitiveID}
	case ir.StageGeometry:
		return []abi.SysvalKind{abi.GSHeader, abi.PrimitiveID}
	}
	return nil
}

// execChmask hands the fibers over to the next stage: what that one wants must
// be in its registers, in order (ir3.md §6.5).
func execChmask(w *wave, x *inst) error {
	if w.check == nil {
		return nil
	}
	kinds := handedOver(w.p.meta.Chain.Next)
	if len(kinds) == 0 {
		return errors.New("chmask where no stage takes the fibers over")
	}
	for n, k := range kinds {
		for lane := range w.n {
			if want := w.sysval(k, lane)[0]; w.exec.Get(lane) && w.laneGet(n, lane, false) != want {
				return fmt.Errorf("the next stage wants %#x in r0.%c of fiber %d, there is %#x", want, "xyz"[n], lane, w.laneGet(n, lane, false))
			}
		}
	}
	return nil
}
