package interp

import (
	"fmt"

	"nirc/internal/emu"
	"nirc/ir"
)

// Inputs and outputs of the tessellation and geometry stages stand outside of
// the lane: several vertices' inputs, and in the control stage outputs that
// the patch's lanes share. They are two spaces of memory with a block of slots
// for each vertex, and after the vertices the slots that a patch has once.
//
// Mesh shaders have a third, a block for each primitive, and with task shaders
// what a workgroup has once where a patch has its own.
const (
	vertexStride  = ir.NumVaryingSlots * 16
	patchBase     = 1 << 24
	primitiveBase = 1 << 28
)

// sharesOutputs reports whether invocations of the stage share their outputs.
func sharesOutputs(s ir.Stage) bool {
	return s == ir.StageTessCtrl || s == ir.StageMesh || s == ir.StageTask
}

// arrayed reports whether inputs of the stage come from several vertices.
func arrayed(s ir.Stage) bool {
	return s == ir.StageTessCtrl || s == ir.StageTessEval || s == ir.StageGeometry
}

// spaceOf returns the space of a mode in the shader's stage.
func (c *compiler) spaceOf(m ir.Mode) (space, bool) {
	switch {
	case m == ir.ModeShaderIn && arrayed(c.s.Stage):
		return spStageIn, true
	case m == ir.ModeShaderOut && sharesOutputs(c.s.Stage):
		return spStageOut, true
	case c.genericSpace(m):
		return spGeneric, true
	}
	return spaceOf(m)
}

// variableSpace returns the space of a variable: a fragment shader's inputs per
// vertex stand where those of several vertices do.
func (c *compiler) variableSpace(v *ir.Variable) (space, bool) {
	if v.PerVertex && v.Mode == ir.ModeShaderIn {
		return spStageIn, true
	}
	return c.spaceOf(v.Mode)
}

// perVertex reports whether v's outermost array counts vertices.
func perVertex(sp space, v *ir.Variable) bool {
	return (sp == spStageIn || sp == spStageOut) && !v.Patch && v.Type.IsArray()
}

// stageAddress is the address of a variable in those spaces.
func stageAddress(v *ir.Variable) uint32 {
	at := uint32(max(v.Location, 0))*16 + uint32(v.Component)*4
	switch {
	case v.PerPrimitive && v.Type.IsArray():
		at += primitiveBase
	case v.Patch, v.Mode == ir.ModeShaderOut && !v.Type.IsArray():
		at += patchBase
	}
	return at
}

// useStageVariable notes the slots of an input variable; outputs need no note.
func (c *compiler) useStageVariable(v *ir.Variable) {
	t := v.Type
	if !v.Patch && t.IsArray() {
		t = t.Elem
	}
	n := t.SlotCount()
	if v.Compact {
		n = (t.Len + uint32(v.Component) + 3) / 4
	}
	if v.Location < 0 || uint32(v.Location)+n > ir.NumVaryingSlots {
		c.failf(nil, "variable %s: location %d is no slot, or it reaches beyond the last", v.Name, v.Location)
		return
	}
	for s := uint32(v.Location); v.Mode == ir.ModeShaderIn && s < uint32(v.Location)+n; s++ {
		c.p.addInput(input{slot: ir.Slot(s), mask: componentsOf(v), bits: 32, interp: ir.InterpFlat})
	}
}

// componentsOf are the components that a variable has of each of its slots.
func componentsOf(v *ir.Variable) uint8 {
	if t := v.Type.WithoutArray(); t.IsNumeric() && t.Bits != 64 && !v.Compact {
		return uint8((1<<t.Rows - 1) << v.Component)
	}
	return 15
}

// stageWord returns a word of the two spaces, or nil outside.
func (w *Wave) stageWord(sp space, lane int, addr uint64) *uint32 {
	var s *emu.Slots
	vertex := addr / vertexStride
	var p *emu.Patch
	switch {
	case w.l.Compute != nil:
		return w.meshWord(addr)
	case w.l.Geometry != nil:
		if v := w.l.Geometry[lane].V; vertex < uint64(len(v)) {
			s = v[vertex]
		}
	case w.l.Fragment != nil:
		if v := &w.l.Fragment[lane].Prim.V; vertex < uint64(len(v)) {
			s = v[vertex]
		}
	case w.l.TessCtrl != nil:
		p = w.l.TessCtrl[lane].Patch
	case w.l.TessEval != nil:
		p = w.l.TessEval[lane].Patch
	}
	switch {
	case p == nil:
	case addr >= patchBase && addr < patchBase+vertexStride:
		s = &p.PerPatch
		addr -= patchBase
	case w.l.TessCtrl != nil && sp == spStageIn:
		if vertex < uint64(len(p.In)) {
			s = p.In[vertex]
		}
	case vertex < uint64(len(p.Out)):
		s = &p.Out[vertex]
	}
	if s == nil {
		return nil
	}
	at := addr % vertexStride / 4
	return &s[at/4][at%4]
}

// meshSlots are the outputs of a task or mesh shader at an address, nil outside.
func (w *Wave) meshSlots(addr uint64) *emu.MeshSlots {
	g := w.l.Compute.Mesh
	list := g.Vertices
	if addr >= primitiveBase {
		list, addr = g.Primitives, addr-primitiveBase
	} else if addr >= patchBase && addr < patchBase+vertexStride {
		return &g.Once
	}
	if i := addr / vertexStride; i < uint64(len(list)) {
		return &list[i]
	}
	return nil
}

// meshAt is the slot and component of an address in meshSlots.
func meshAt(addr uint64) (slot, comp uint64) {
	switch {
	case addr >= primitiveBase:
		addr -= primitiveBase
	case addr >= patchBase:
		addr -= patchBase
	}
	return addr % vertexStride / 16, addr / 4 % 4
}

func (w *Wave) meshWord(addr uint64) *uint32 {
	s := w.meshSlots(addr)
	if s == nil {
		return nil
	}
	slot, comp := meshAt(addr)
	return &s.Slots[slot][comp]
}

// loadStage reads n bytes of the two spaces, within a word or two whole ones.
func (w *Wave) loadStage(sp space, lane int, addr uint64, n int) uint64 {
	if n == 8 {
		return w.loadStage(sp, lane, addr, 4) | w.loadStage(sp, lane, addr+4, 4)<<32
	}
	p := w.stageWord(sp, lane, addr)
	if p == nil {
		return 0
	}
	if w.races != nil && sp == spStageOut {
		w.races.Output(lane, addr, n, emu.AccessRead, uint32(w.pc-1))
	}
	return uint64(*p) >> (8 * (addr & 3)) & lowBits(uint8(8*n))
}

func (w *Wave) storeStage(sp space, lane int, addr uint64, n int, v uint64) {
	if n == 8 {
		w.storeStage(sp, lane, addr, 4, v)
		w.storeStage(sp, lane, addr+4, 4, v>>32)
		return
	}
	if p := w.stageWord(sp, lane, addr); p != nil && sp == spStageOut {
		sh := 8 * (addr & 3)
		m := uint32(lowBits(uint8(8*n))) << sh
		now := *p&^m | uint32(v)<<sh&m
		if w.races != nil && now != *p { // what changes nothing nobody can tell
			w.races.Output(lane, addr, n, emu.AccessWrite, uint32(w.pc-1))
		}
		*p = now
		if w.l.Compute != nil {
			slot, comp := meshAt(addr)
			w.meshSlots(addr).Written[slot] |= 1 << comp
		}
	}
}

// execStageIO runs the lowered accesses to inputs and outputs of these stages.
func (w *Wave) execStageIO(i *inst, l int) {
	x, in := i.x, i.x.in
	src := func(k int) uint64 { return w.regs[x.src[k][0]+int32(l)] & 0xffffffff }
	sp, store, vertex := spStageIn, false, -1
	switch in.Intr {
	case ir.IntrLoadPerVertexInput:
		vertex = 0
	case ir.IntrLoadPerVertexOutput:
		sp, vertex = spStageOut, 0
	case ir.IntrStorePerVertexOutput, ir.IntrStorePerPrimitiveOutput:
		sp, store, vertex = spStageOut, true, 1
	case ir.IntrLoadPerPrimitiveOutput:
		sp, vertex = spStageOut, 0
	case ir.IntrLoadOutput:
		sp = spStageOut
	case ir.IntrStoreOutput:
		sp, store = spStageOut, true
	}
	slot := uint64(x.io.Location) + src(len(x.src)-1)
	at := slot*16 + in.Get(ir.IdxComponent)*4
	inside := slot < ir.NumVaryingSlots
	if vertex < 0 {
		at += patchBase
	} else {
		v := src(vertex)
		inside = inside && (v < emu.MaxPatchVertices || w.l.Compute != nil && v < patchBase/vertexStride)
		at += v * vertexStride
	}
	if in.Intr == ir.IntrStorePerPrimitiveOutput || in.Intr == ir.IntrLoadPerPrimitiveOutput {
		at += primitiveBase
	}
	comps, bits := int(i.n), i.bits
	if store {
		comps, bits = len(x.src[0]), in.Srcs[0].Def.BitSize
	}
	n, step := 4, uint64(4)
	switch {
	case bits == 64:
		n, step = 8, 8
	case bits == 16 && x.io.High16:
		n, at = 2, at+2
	}
	for k := range comps {
		a := at + uint64(k)*step
		switch {
		case store && inside && in.Get(ir.IdxWriteMask)>>k&1 != 0:
			w.storeStage(sp, l, a, n, w.regs[x.src[0][k]+int32(l)])
		case !store && inside:
			w.regs[i.dst+int32(k)*w.w+int32(l)] = w.loadStage(sp, l, a, n) & lowBits(bits)
		case !store:
			w.regs[i.dst+int32(k)*w.w+int32(l)] = 0
		}
	}
}

// execEmit runs emit_vertex and end_primitive.
func (w *Wave) execEmit(i *inst) {
	in := i.x.in
	stream := int(min(in.Get(ir.IdxStreamId), ir.NumXfbBuffers-1))
	for _, l := range w.on {
		e := w.l.Geometry[l].Emitted
		if in.Intr == ir.IntrEndPrimitive || in.Intr == ir.IntrEndPrimitiveWithCounter {
			e.EndPrimitiveOf(stream)
			continue
		}
		var v emu.Slots
		w.readOutputs(int(l), &v)
		e.EmitTo(stream, &v)
	}
}

// readOutputs copies a lane's output variables.
func (w *Wave) readOutputs(l int, out *emu.Slots) {
	b := w.priv[l*int(w.p.private)+int(w.p.outBase):]
	for _, s := range w.p.outputs {
		for k := range 4 {
			out[s][k] = uint32(emu.LoadBytes(b[int(s)*16+k*4:], 4))
		}
	}
	for _, s := range w.p.signedBytes {
		for k, v := range out[s] {
			out[s][k] = uint32(int32(int8(v)))
		}
	}
}

// checkStages is checkLaunch for the stages of this file.
func (w *Wave) checkStages() error {
	l, n := w.l, w.l.NumLanes
	switch {
	case w.p.shader.Stage == ir.StageTessCtrl && len(l.TessCtrl) < n:
		return fmt.Errorf("interp: launch without tessellation control lanes")
	case w.p.shader.Stage == ir.StageTessEval && (len(l.TessEval) < n || len(l.Out) < n):
		return fmt.Errorf("interp: launch without tessellation evaluation lanes")
	case w.p.shader.Stage == ir.StageGeometry && len(l.Geometry) < n:
		return fmt.Errorf("interp: launch without geometry lanes")
	}
	return nil
}

// stageValue gives a system value of these stages.
func (w *Wave) stageValue(sv sysval, lane int) [4]uint32 {
	if w.l.Geometry != nil {
		g := &w.l.Geometry[lane]
		switch sv {
		case svPrimitiveID:
			return [4]uint32{g.PrimitiveID}
		case svInvocationID:
			return [4]uint32{g.InvocationID}
		}
		return [4]uint32{g.ViewIndex}
	}
	var p *emu.Patch
	var c [3]float32
	id, vertices := uint32(0), 0
	if w.l.TessCtrl != nil {
		p, id = w.l.TessCtrl[lane].Patch, w.l.TessCtrl[lane].InvocationID
		vertices = len(p.In)
	} else {
		p, c = w.l.TessEval[lane].Patch, w.l.TessEval[lane].Coord
		vertices = len(p.Out)
	}
	switch sv {
	case svPrimitiveID:
		return [4]uint32{p.PrimitiveID}
	case svInvocationID:
		return [4]uint32{id}
	case svPatchVertices:
		return [4]uint32{uint32(vertices)}
	case svTessCoord:
		return floats3(c)
	case svTessOuter:
		return p.PerPatch[ir.SlotTessLevelOuter]
	case svTessInner:
		return p.PerPatch[ir.SlotTessLevelInner]
	}
	return [4]uint32{p.ViewIndex}
}

// initLayout is the layout of a variable with an initial value: the elements of
// a compact array follow each other word by word.
func initLayout(v *ir.Variable) layout {
	if v.Compact {
		return packed
	}
	return layoutOf(v.Mode)
}

// startStageOutputs gives outputs of the control stage their initial values: a
// lane those of its vertex, the first lane of a patch those of the patch.
func (w *Wave) startStageOutputs() {
	for _, v := range w.p.stageInits {
		for l := range w.l.NumLanes {
			id := w.l.TessCtrl[l].InvocationID
			t, k, at := v.Type, v.Init, stageAddress(v)
			if perVertex(spStageOut, v) {
				if int(id) >= t.ChildCount() {
					continue
				}
				if !k.Zero {
					k = k.Elems[id]
				}
				t, at = t.Elem, at+id*vertexStride
			} else if id != 0 {
				continue
			}
			lay := initLayout(v)
			b := make([]byte, lay.size(t))
			lay.put(b, t, k, 0, lay.component(t))
			for _, leaf := range lay.leaves(t, 0, lay.component(t), nil) {
				n := int(leaf.t.MemBits() / 8)
				for c := range uint32(leaf.t.Rows) {
					off := leaf.off + c*leaf.comp
					w.storeStage(spStageOut, l, uint64(at+off), n, emu.LoadBytes(b[off:], n))
				}
			}
		}
	}
}
