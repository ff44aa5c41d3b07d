package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// Mesh and task shaders, of SPV_EXT_mesh_shader and of SPV_NV_mesh_shader. Outputs of a mesh shader are arrays, of vertices or
// of primitives. NV counts the vertices' numbers one by one where EXT has a vector for each primitive, has the numbers of
// primitives and of mesh workgroups as outputs, and hands the payload on as outputs and inputs decorated PerTaskNV.

// meshInst translates the instructions of mesh and task shaders and reports whether the instruction was one.
func (t *translator) meshInst(in *inst) bool {
	b := t.f.b
	t.checkStage(in.op, in.id)
	switch in.op {
	case spv.OpSetMeshOutputsEXT:
		b.Effect(ir.IntrSetVertexAndPrimitiveCount, t.intVector(t.arg(in, 0), 1, 32), t.intVector(t.arg(in, 1), 1, 32), t.f.u32(0))
	case spv.OpWritePackedPrimitiveIndices4x8NV:
		t.packedIndices(in)
	default:
		return false
	}
	return true
}

// emitMeshTasks ends a task shader.
func (t *translator) emitMeshTasks(raw *spv.Instruction) {
	in := makeInst(raw)
	b := t.f.b
	groups := b.Vec(t.intVector(t.arg(&in, 0), 1, 32), t.intVector(t.arg(&in, 1), 1, 32), t.intVector(t.arg(&in, 2), 1, 32))
	if len(in.args) > 3 {
		p := t.ptr(in.args[3])
		if p.mode != ir.ModeTaskPayload {
			t.fail(in.id, "%s: the payload is in %s", in.op, p.mode)
		}
		b.Effect(ir.IntrLaunchMeshWorkgroupsWithPayloadDeref, t.derefOf(p), groups)
	} else {
		b.Effect(ir.IntrLaunchMeshWorkgroups, groups)
	}
	b.Jump(ir.JumpHalt)
}

// meshMode reads the modes of mesh shaders and reports whether m was one.
func (t *translator) meshMode(m spv.ExecutionMode, n uint32) bool {
	mesh := &t.s.Info.Mesh
	switch m {
	case spv.ExecutionModeOutputVertices:
		mesh.MaxVertices = n
	case spv.ExecutionModeOutputPrimitivesEXT:
		mesh.MaxPrimitives = n
	case spv.ExecutionModeOutputPoints:
		mesh.Primitive = 1
	case spv.ExecutionModeOutputLinesEXT:
		mesh.Primitive = 2
	case spv.ExecutionModeOutputTrianglesEXT:
		mesh.Primitive = 3
	default:
		return false
	}
	return true
}

// ruleMeshModes is about what a mesh shader has to say of its outputs.
const ruleMeshModes = "VUID-StandaloneSpirv-MeshEXT-07330 and -07331: OutputVertices and OutputPrimitivesEXT are greater than 0"

// checkMesh checks the modes of a mesh shader.
func (t *translator) checkMesh() {
	m := &t.s.Info.Mesh
	if m.Primitive == 0 || m.MaxVertices == 0 || m.MaxPrimitives == 0 {
		t.broken(ruleMeshModes, t.entry.ID, "the mesh entry point says of its outputs: %d vertices, %d primitives of %d vertices", m.MaxVertices, m.MaxPrimitives, m.Primitive)
	}
}

// perTask reports whether an input or output is NV's payload.
func (t *translator) perTask(def int, sc spv.StorageClass) bool {
	if t.stage != ir.StageTask || sc != spv.StorageClassOutput {
		if t.stage != ir.StageMesh || sc != spv.StorageClassInput {
			return false
		}
	}
	_, builtIn := t.decOf(def, spv.DecorationBuiltIn)
	return !builtIn
}

// payloadVariable makes the variable of a payload. There is one: EXT allows no more, and of several of NV's nobody says how
// they follow each other.
func (t *translator) payloadVariable(v *variable) {
	for _, iv := range t.s.Variables {
		if iv.Mode == ir.ModeTaskPayload {
			t.refuse(v.id, "a second task payload %q beside %q is not supported", t.nameOf(v.id), iv.Name)
		}
	}
	v.iv = t.s.NewVariable(v.mode, v.typ.ir, t.nameOf(v.id))
}

// indicesType is the type of NV's numbers of vertices, which it has one by one: an array of the primitives' vectors.
func (t *translator) indicesType(v *variable) *ir.Type {
	n := uint32(t.s.Info.Mesh.Primitive)
	if v.typ.kind != tArray || !v.typ.elem.isScalar() || v.typ.elem.kind != tInt || v.typ.elem.bits != 32 {
		t.broken(ruleBuiltIn, v.id, "the built-in PrimitiveIndicesNV is of type %s", v.typ)
	}
	return ir.ArrayType(ir.VectorType(v.typ.elem.plain.Base, 32, uint8(n)), (v.typ.n+n-1)/n, 0)
}

// whyViews and whyViewports are the reasons of the refused built-ins of NV's mesh shaders.
const (
	whyViews     = "only NVIDIA's GPUs run a mesh shader once for all views"
	whyViewports = "only NVIDIA's GPUs draw a primitive to several viewports"
)

// nvReason says why a built-in of NV's mesh shaders has no meaning here, "" for others.
func nvReason(b spv.BuiltIn) string {
	switch {
	case b == spv.BuiltInViewportMaskNV:
		return whyViewports
	case b == spv.BuiltInMeshViewCountNV || b == spv.BuiltInMeshViewIndicesNV || perViewNV(int32(b)):
		return whyViews
	}
	return ""
}

// perViewNV reports whether a built-in is one of those that blocks of NV's mesh shaders declare for several views. They are
// refused where they are named.
func perViewNV(builtIn int32) bool {
	switch spv.BuiltIn(builtIn) {
	case spv.BuiltInPositionPerViewNV, spv.BuiltInViewportMaskPerViewNV, spv.BuiltInClipDistancePerViewNV, spv.BuiltInCullDistancePerViewNV,
		spv.BuiltInLayerPerViewNV, spv.BuiltInViewportMaskNV:
		return true
	}
	return false
}

// isIndices reports whether a variable is NV's numbers of vertices.
func isIndices(v *variable) bool {
	return v != nil && v.iv != nil && v.iv.BuiltIn == ir.BuiltInPrimitiveIndicesNV
}

// stepIndices goes to an element of NV's numbers of vertices.
func (t *translator) stepIndices(p, n *pointer, ix index) *pointer {
	n.deref, n.v = t.indexDeref(t.derefOf(p), t.indexDef(ix, ir.LogicalPtrBits)), nil
	return n
}

// indexDeref is the deref of number i, counted over all primitives.
func (t *translator) indexDeref(all, i *ir.Def) *ir.Def {
	b, n := t.f.b, uint64(t.s.Info.Mesh.Primitive)
	if n == 1 {
		return b.DerefArray(all, i)
	}
	by := t.f.constant(i.BitSize, n)
	return b.DerefArray(b.DerefArray(all, b.Udiv(i, by)), b.Umod(i, by))
}

// useIndices marks NV's numbers of vertices as used by the instruction that stores some without naming the variable.
func (t *translator) useIndices(in *spv.Instruction, used []bool) {
	if in.Op != spv.OpWritePackedPrimitiveIndices4x8NV {
		return
	}
	for _, id := range t.entry.Interface {
		i := t.m.DefIndex(spv.ID(id))
		if i < 0 {
			continue
		}
		if b, ok := t.decOf(i, spv.DecorationBuiltIn); ok && spv.BuiltIn(b) == spv.BuiltInPrimitiveIndicesNV {
			used[i] = true
		}
	}
}

// packedIndices stores four numbers of a byte each.
func (t *translator) packedIndices(in *inst) {
	first, packed := t.intVector(t.arg(in, 0), 1, 32), t.intVector(t.arg(in, 1), 1, 32)
	b := t.f.b
	var to *ir.Def
	for _, i := range t.globals {
		if v, ok := t.vals[i].obj.(*variable); ok && isIndices(v) {
			to = t.derefOf(t.pointerTo(v))
		}
	}
	if to == nil {
		t.fail(in.id, "%s: the entry point has no PrimitiveIndicesNV", in.op)
	}
	for k := range uint32(4) {
		v := b.Iand(b.Ushr(packed, t.f.u32(8*k)), t.f.u32(255))
		b.StoreDeref(t.indexDeref(to, b.Iadd(first, t.f.u32(k))), v, 0, 0)
	}
}
