package passes

import (
	"nirc/internal/lazy"
	"nirc/internal/raytrace"
	"nirc/internal/raytrace/a7xx"
	"nirc/ir"
)

var lowerRayQueriesPass = &Pass{
	Name: "lower_ray_queries", For: ir.HasRayQuery, Class: "C", Run: lowerRayQueries, Idempotent: true,
	Doc: "Follows rays through acceleration structures as Adreno 740 and 750 have them in memory (ir3.md §13): a ray query becomes variables of its state, rq_proceed a loop " +
		"over nodes around ray_intersection_ir3, what is loaded of a hit comes from that state and from the instance's record. Needs inline_functions and, for queries of the " +
		"whole shader, lower_global_vars_to_local.",
}

// rayField is a part of a ray query's state.
type rayField uint8

// The state. Nodes are numbers below the nodes that rayBase points to.
const (
	rayAccel     rayField = iota // address of the header
	rayRoot                      // address of the nodes of the top level
	rayBase                      // of the level that the ray is in
	rayFlags                     // fourth source of ray_intersection
	rayTMin                      //
	rayOrigin                    // in the world
	rayDirection                 //
	rayActive                    // rq_proceed may go on
	rayNode                      // next node, or none
	rayLast                      // node before: whose siblings are sought when the stack has lost them
	rayStack                     // inner nodes with children that are still to be seen: first child, list
	rayDepth                     // nodes that were put on the stack
	rayLost                      // that many at its bottom have been overwritten
	rayOuter                     // rayDepth when the ray entered the instance, -1 outside
	rayOuterNode                 // leaf of the instance
	rayHits                      // the candidate's fields follow, then the committed hit's
	numRayFields = rayHits + 2*numHitFields
	rayCandidate = rayHits
	rayCommitted = rayHits + numHitFields
)

// Fields of a hit, counted from rayCandidate or rayCommitted.
const (
	hitKind        rayField = iota // bits of ray_intersection's first word, hitNone of no hit
	hitT                           //
	hitBarycentric                 //
	hitInstance                    //
	hitPrimitive                   //
	hitGeometry                    //
	hitNode                        // leaf
	hitOrigin                      // the ray in the instance's space
	hitDirection                   //
	numHitFields
)

// hitNone is a bit that ray_intersection never sets in the kinds that are kept.
const hitNone = 1

// stackSize is how many inner nodes are remembered: a power of two. Below that the parents of nodes are read again.
const stackSize = 8

var (
	u32Type  = ir.VectorType(ir.BaseUint, 32, 1)
	vec2Type = ir.VectorType(ir.BaseUint, 32, 2)
	vec3Type = ir.VectorType(ir.BaseFloat, 32, 3)
	f32Type  = ir.VectorType(ir.BaseFloat, 32, 1)
)

// rayTypes are the types of the fields, u32 where nothing is said.
var rayTypes = lazy.Value[*[numRayFields]*ir.Type]{Make: func() *[numRayFields]*ir.Type {
	t := new([numRayFields]*ir.Type)
	for i := range t {
		t[i] = u32Type
	}
	for _, f := range []rayField{rayAccel, rayRoot, rayBase} {
		t[f] = vec2Type
	}
	t[rayStack] = ir.ArrayType(vec2Type, stackSize, 0)
	t[rayTMin], t[rayOrigin], t[rayDirection], t[rayActive] = f32Type, vec3Type, vec3Type, ir.BoolType
	for _, h := range []rayField{rayCandidate, rayCommitted} {
		t[h+hitT], t[h+hitBarycentric] = f32Type, ir.VectorType(ir.BaseFloat, 32, 2)
		t[h+hitOrigin], t[h+hitDirection] = vec3Type, vec3Type
	}
	return t
}}

// rayLowering lowers the queries of a shader; impl is the function that it is at.
type rayLowering struct {
	s    *ir.Shader
	impl *ir.Impl
	vars map[*ir.Variable]*[numRayFields]*ir.Variable
}

func lowerRayQueries(_ *Context, s *ir.Shader) (bool, error) {
	var err error
	l := &rayLowering{s: s, vars: map[*ir.Variable]*[numRayFields]*ir.Variable{}}
	progress := eachImpl(s, ir.MetaNone, func(impl *ir.Impl) (progress bool) {
		l.impl = impl
		var list []*ir.Instr
		for in := range impl.Instrs() {
			if in.IsRayQuery() || in.IsIntrinsic(ir.IntrLoadAccelStruct) {
				list = append(list, in)
			}
		}
		for _, in := range list {
			if err == nil {
				err = l.lower(in)
			}
		}
		return len(list) > 0
	})
	return progress, err
}

func (l *rayLowering) lower(in *ir.Instr) error {
	d := derefOf(in.Srcs[0].Def)
	if d == nil || derefVar(d) == nil {
		return refusal(l.s, in, "a ray query or acceleration structure that control flow or values choose is not supported")
	}
	b := builderBefore(in)
	var v *ir.Def
	if in.Intr == ir.IntrLoadAccelStruct {
		v = accelAddress(b, d)
	} else {
		q, err := l.query(b, in, d)
		if err != nil {
			return err
		}
		v = q.lower(in)
	}
	if v != nil {
		in.Def.RewriteUses(v)
	}
	in.Remove()
	removeDeadDerefs(d)
	return nil
}

// descAccelStruct is the type of descriptor, as emu.DescriptorType numbers it.
const descAccelStruct = 10

// accelAddress reads the address of an acceleration structure, which its header has, through its descriptor: that of a
// storage buffer over the header.
func accelAddress(b *ir.Builder, d *ir.Instr) *ir.Def {
	element, stride := b.Imm32(0), int64(1)
	for d.Deref != ir.DerefVar {
		if p := derefParent(d); d.Deref == ir.DerefArray {
			element = b.Iadd(element, b.IMulImm(d.Srcs[1].Def, stride))
			stride *= int64(max(1, p.DerefInfo().Type.Len))
		}
		d = derefParent(d)
	}
	v := d.DerefInfo().Var
	res := b.Intrinsic(ir.IntrVulkanResourceIndex, 2, 32, element)
	res.Set(ir.IdxDescSet, uint64(v.Set)).Set(ir.IdxBinding, uint64(v.Binding)).Set(ir.IdxDescType, descAccelStruct)
	desc := b.Intrinsic(ir.IntrLoadVulkanDescriptor, 2, 32, &res.Def).Set(ir.IdxDescType, descAccelStruct)
	load := b.Intrinsic(ir.IntrLoadSsbo, 2, 32, b.Channel(&desc.Def, 0), b.Imm32(a7xx.HeaderSelf))
	load.Set(ir.IdxAlignMul, 8).Set(ir.IdxAccess, uint64(ir.AccessNonWriteable))
	return b.Pack64_2x32(&load.Def)
}

// rayState is a ray query whose state code reads and writes: that of one element, if it stands in an array.
type rayState struct {
	*ir.Builder
	vars    *[numRayFields]*ir.Variable
	indices []*ir.Def // outermost first
}

// query finds the state of the query that a deref leads to.
func (l *rayLowering) query(b *ir.Builder, in, d *ir.Instr) (*rayState, error) {
	q := &rayState{Builder: b}
	for ; d.Deref != ir.DerefVar; d = derefParent(d) {
		switch d.Deref {
		case ir.DerefArray:
			q.indices = append([]*ir.Def{d.Srcs[1].Def}, q.indices...)
		case ir.DerefStruct:
			return nil, refusal(l.s, in, "a ray query that is a member of a structure is not supported")
		}
	}
	v := d.DerefInfo().Var
	if l.vars[v] == nil {
		l.vars[v] = new([numRayFields]*ir.Variable)
	}
	q.vars = l.vars[v]
	for f := range q.vars {
		if q.vars[f] != nil {
			break
		}
		t := wrapArrays(v.Type, rayTypes.Get()[f])
		if v.Mode == ir.ModeFunctionTemp {
			q.vars[f] = l.impl.NewLocal(t, v.Name)
		} else {
			q.vars[f] = l.s.NewVariable(ir.ModeShaderTemp, t, v.Name)
		}
	}
	return q, nil
}

// ref is the deref of a field.
func (q *rayState) ref(f rayField) *ir.Def {
	d := q.DerefVar(q.vars[f])
	for _, i := range q.indices {
		d = q.DerefArray(d, i)
	}
	return d
}

func (q *rayState) get(f rayField) *ir.Def           { return q.LoadDeref(q.ref(f), 0) }
func (q *rayState) set(f rayField, v *ir.Def)        { q.StoreDeref(q.ref(f), v, 0, 0) }
func (q *rayState) num(f rayField, v uint32)         { q.set(f, q.Imm32(v)) }
func (q *rayState) bits(x *ir.Def, m uint32) *ir.Def { return q.Iand(x, q.Imm32(m)) }
func (q *rayState) has(x *ir.Def, m uint32) *ir.Def  { return q.Ine(q.bits(x, m), q.Imm32(0)) }
func (q *rayState) is(x *ir.Def, v uint32) *ir.Def   { return q.Ieq(x, q.Imm32(v)) }

// load reads words at an address of two words plus an offset in bytes.
func (q *rayState) load(base, off *ir.Def, words uint8) *ir.Def {
	at := q.Iadd(q.Pack64_2x32(base), q.U2u64(off))
	x := q.Intrinsic(ir.IntrLoadGlobal, words, 32, at)
	x.Set(ir.IdxAlignMul, 4).Set(ir.IdxAccess, uint64(ir.AccessNonWriteable))
	return &x.Def
}

// record reads words at an offset of the record of an instance.
func (q *rayState) record(instance *ir.Def, off int64, words uint8) *ir.Def {
	return q.load(q.get(rayAccel), q.IAddImm(q.Ishl(instance, q.Imm32(7)), a7xx.RecordSize+off), words)
}

// then runs f where the condition is true.
func (q *rayState) then(cond *ir.Def, f func()) {
	i := q.PushIf(cond)
	f()
	q.PopIf(i)
}

// lower makes the code of an intrinsic and returns its result, if it has one.
func (q *rayState) lower(in *ir.Instr) *ir.Def {
	switch in.Intr {
	case ir.IntrRqInitialize:
		q.initialize(in)
	case ir.IntrRqTerminate:
		q.set(rayActive, q.ImmBool(false))
	case ir.IntrRqProceed:
		q.then(q.get(rayActive), q.traverse)
		return q.get(rayActive)
	case ir.IntrRqConfirmIntersection:
		q.commit()
	case ir.IntrRqGenerateIntersection:
		t := in.Srcs[1].Def
		q.then(q.Iand(q.Fge(t, q.get(rayTMin)), q.Fge(q.get(rayCommitted+hitT), t)), func() {
			q.set(rayCandidate+hitT, t)
			q.commit()
		})
	case ir.IntrRqLoad:
		return q.value(in)
	}
	return nil
}

// commit makes the candidate the committed hit; the traversal may end by it.
func (q *rayState) commit() {
	for f := range numHitFields {
		q.set(rayCommitted+f, q.get(rayCandidate+f))
	}
	q.then(q.has(q.get(rayFlags), uint32(raytrace.RayTerminateOnFirstHit)<<a7xx.FlagsRayShift), func() { q.set(rayActive, q.ImmBool(false)) })
}

func (q *rayState) initialize(in *ir.Instr) {
	src := func(k int) *ir.Def { return in.Srcs[k].Def }
	accel := q.Unpack64_2x32(src(1))
	root := q.load(accel, q.Imm32(a7xx.HeaderNodes), 2)
	q.set(rayAccel, accel)
	q.set(rayRoot, root)
	q.set(rayBase, root)
	flags := q.Ishl(q.bits(src(2), 0xfff), q.Imm32(a7xx.FlagsRayShift))
	flags = q.Ior(flags, q.Ishl(q.bits(src(3), 0xff), q.Imm32(a7xx.FlagsMask)))
	q.set(rayFlags, q.Ior(flags, q.Imm32(a7xx.FlagsParts)))
	q.set(rayOrigin, src(4))
	q.set(rayTMin, src(5))
	q.set(rayDirection, src(6))
	q.set(rayActive, q.ImmBool(true))
	q.num(rayNode, 0)
	q.num(rayLast, a7xx.NoNode)
	q.num(rayDepth, 0)
	q.num(rayLost, 0)
	q.num(rayOuter, outside)
	for _, h := range []rayField{rayCandidate, rayCommitted} {
		for f := range numHitFields { // what is asked of no hit is undefined, but must not lead astray
			zero := make([]uint64, rayTypes.Get()[h+f].Rows)
			q.set(h+f, q.Const(32, zero...))
		}
		q.num(h+hitKind, hitNone)
		q.set(h+hitOrigin, src(4))
		q.set(h+hitDirection, src(6))
	}
	q.set(rayCommitted+hitT, src(7))
}

// value is what an rq_load gives.
func (q *rayState) value(in *ir.Instr) *ir.Def {
	h := rayCandidate
	committed := in.Get(ir.IdxCommitted) != 0
	if committed {
		h = rayCommitted
	}
	column := int(in.Get(ir.IdxColumn))
	switch ir.RayQueryValue(in.Get(ir.IdxRayQueryValue)) {
	case ir.RayQueryFlags:
		return q.bits(q.Ushr(q.get(rayFlags), q.Imm32(a7xx.FlagsRayShift)), 0xfff)
	case ir.RayQueryBarycentrics:
		return q.get(h + hitBarycentric)
	case ir.RayQueryCandidateAABBOpaque:
		return q.is(q.bits(q.get(rayCandidate+hitKind), a7xx.ResultBox|a7xx.ResultNonOpaque), a7xx.ResultBox)
	case ir.RayQueryFrontFace:
		return q.is(q.bits(q.get(h+hitKind), a7xx.ResultBack|a7xx.ResultBox|hitNone), 0) // boxes have no front
	case ir.RayQueryGeometryIndex:
		return q.get(h + hitGeometry)
	case ir.RayQueryInstanceCustomIndex:
		return q.record(q.get(h+hitInstance), a7xx.InstanceCustomIndex, 1)
	case ir.RayQueryInstanceID:
		return q.get(h + hitInstance)
	case ir.RayQueryInstanceSBTIndex:
		return q.bits(q.record(q.get(h+hitInstance), a7xx.InstanceSBTFlags, 1), 0xffffff)
	case ir.RayQueryObjectRayDirection:
		return q.get(h + hitDirection)
	case ir.RayQueryObjectRayOrigin:
		return q.get(h + hitOrigin)
	case ir.RayQueryObjectToWorld:
		return q.column(h, a7xx.InstanceObjectToWorld, column)
	case ir.RayQueryPrimitiveIndex:
		return q.get(h + hitPrimitive)
	case ir.RayQueryT:
		return q.get(h + hitT)
	case ir.RayQueryType:
		box := q.B2i32(q.has(q.get(h+hitKind), a7xx.ResultBox))
		if !committed {
			return box
		}
		return q.Iadd(box, q.B2i32(q.is(q.bits(q.get(h+hitKind), hitNone), 0)))
	case ir.RayQueryWorldToObject:
		return q.column(h, a7xx.InstanceWorldToObject, column)
	case ir.RayQueryTMin:
		return q.get(rayTMin)
	case ir.RayQueryWorldRayDirection:
		return q.get(rayDirection)
	case ir.RayQueryWorldRayOrigin:
		return q.get(rayOrigin)
	}
	// A vertex of the triangle: the instance has the nodes of its bottom level.
	nodes := q.record(q.get(h+hitInstance), a7xx.InstanceNodes, 2)
	return q.load(nodes, q.IAddImm(q.IMulImm(q.get(h+hitNode), a7xx.NodeSize), int64(a7xx.LeafVertices+12*column)), 3)
}

// column reads a column of a matrix in an instance's record, whose rows follow each other.
func (q *rayState) column(h rayField, off int64, k int) *ir.Def {
	var c [3]*ir.Def
	for i := range c {
		c[i] = q.record(q.get(h+hitInstance), off+int64(16*i+4*k), 1)
	}
	return q.Vec(c[:]...)
}
