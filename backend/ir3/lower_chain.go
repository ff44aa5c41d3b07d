package ir3

import (
	"nirc/backend"
	"nirc/backend/ir3/abi"
	"nirc/ir"
)

// The stages between vertex and fragment hand vertices over in local memory,
// and patches in a buffer (ir3.md §6.5). lowerChain makes their
// inputs and outputs accesses to those. Where the stage before left a slot is known when
// both are bound: strides and places come from the const file.

// chain lowers one shader.
type chain struct {
	s    *ir.Shader
	impl *ir.Impl
	gpu  *GPU
	out  *abi.Chain
	b    *ir.Builder
	err  error
	// place[slot] is where the shader's own outputs of that slot go; -1 nowhere.
	place [ir.NumVaryingSlots]int
}

// lowerChain lowers the stage's part of the geometry pipeline. The meta's Chain
// says what the driver has to know.
func (comp *compiler) lowerChain(impl *ir.Impl) error {
	s, g, next, out := comp.s, comp.gpu, comp.opts.Next, &comp.meta.Chain
	if s.Stage == ir.StageGeometry {
		// As many threads run as there are vertices at most: those that it emits may be fewer than it declares.
		if err := backend.CountEmits(TargetName, s, comp.opts.Lists, "ir3_counts"); err != nil {
			return err
		}
	}
	out.Tess, out.Geom, out.Next = s.Info.Tess, s.Info.Geom, next
	out.TessLocal = g.TessLocal && (s.Stage == ir.StageTessCtrl || next == ir.StageTessCtrl)
	if next == ir.StageNone && (s.Stage == ir.StageVertex || s.Stage == ir.StageFragment || s.Stage == ir.StageCompute) {
		return nil
	}
	if err := checkNext(s.Stage, next); err != nil {
		return err
	}
	c := &chain{s: s, impl: impl, gpu: g, out: out, b: ir.NewBuilder(ir.AtStart(impl.Start()))}
	c.places()
	if s.Stage == ir.StageGeometry {
		if err := lowerEmits(s, impl, comp.opts.Lists); err != nil {
			return err
		}
	}
	for _, in := range backend.Intrinsics(impl) {
		c.b.AtInstr(in)
		c.intrinsic(in)
	}
	if s.Stage == ir.StageTessCtrl {
		c.wrapControl()
	}
	impl.Preserve(ir.MetaNone)
	if c.err != nil {
		return c.err
	}
	return comp.opts.Lists.Run(s, "ir3_chain")
}

// takesOver reports whether the threads of a stage go on as those of next.
func takesOver(stage, next ir.Stage) bool {
	return next == ir.StageTessCtrl && stage == ir.StageVertex ||
		next == ir.StageGeometry && (stage == ir.StageVertex || stage == ir.StageTessEval)
}

func checkNext(stage, next ir.Stage) error {
	if next == ir.StageNone || takesOver(stage, next) {
		return nil
	}
	return ir.Unsupportedf("ir3: a %s shader is not supported after a %s shader", next, stage)
}

func (c *chain) fail(in *ir.Instr, format string, args ...any) {
	if c.err == nil {
		c.err = backend.Refuse(TargetName, c.s, in, format, args...)
	}
}

// slotRange is the slots that an access can reach: from first, n of them.
func slotRange(in *ir.Instr, off *ir.Def) (first, n int) {
	sem := ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics))
	if k, ok := off.Const(0); ok {
		return int(sem.Location) + int(k), 1
	}
	return int(sem.Location), max(1, int(sem.NumSlots))
}

// places gives the outputs that leave the shader by memory their positions.
func (c *chain) places() {
	var mask [ir.NumVaryingSlots]uint8
	patch := 0
	for b := range c.impl.Blocks() {
		for in := range b.Instrs() {
			if !in.IsIntrinsic(ir.IntrStoreOutput) && !in.IsIntrinsic(ir.IntrStorePerVertexOutput) &&
				!in.IsIntrinsic(ir.IntrLoadOutput) && !in.IsIntrinsic(ir.IntrLoadPerVertexOutput) {
				continue
			}
			m := in.Get(ir.IdxWriteMask)
			if in.HasDef() {
				m = 1<<in.Def.NumComponents - 1
			}
			first, n := slotRange(in, in.Srcs[len(in.Srcs)-1].Def)
			for k := first; k < first+n && k < len(mask); k++ {
				mask[k] |= uint8(m<<in.Get(ir.IdxComponent)) & 15
				if k >= int(ir.SlotPatch0) {
					patch = max(patch, k-int(ir.SlotPatch0)+1)
				}
			}
		}
	}
	at, step := 0, 16
	if c.s.Stage == ir.StageTessCtrl {
		at, step = 4*patch, 4*int(c.s.Info.Tess.OutputVertices)
	}
	for k := range mask {
		c.place[k] = -1
		slot := ir.Slot(k)
		switch {
		case mask[k] == 0:
		case slot >= ir.SlotPatch0:
			c.place[k] = 4 * (k - int(ir.SlotPatch0))
			c.out.Locations = append(c.out.Locations, abi.Location{Slot: slot, Mask: mask[k], Offset: c.place[k], Patch: true})
		case abi.MapIndex(slot) >= 0:
			c.place[k] = at
			c.out.Locations = append(c.out.Locations, abi.Location{Slot: slot, Mask: mask[k], Offset: at})
			at += step
		}
	}
	switch {
	case c.s.Stage == ir.StageTessCtrl:
		c.out.PatchStride = at
	case c.out.Next != ir.StageNone:
		c.out.VertexStride = at
	default:
		c.out.Locations = nil
	}
}

func (c *chain) intrinsic(in *ir.Instr) {
	stage := c.s.Stage
	switch in.Intr {
	case ir.IntrLoadInvocationId:
		c.replace(in, c.field(abi.HeaderInvocationShift, abi.HeaderInvocationMask))
	case ir.IntrLoadPatchVerticesIn:
		c.replace(in, c.param(abi.PrimVerticesIn))
	case ir.IntrLoadTessCoord:
		c.replace(in, c.tessCoord())
	case ir.IntrLoadPerVertexInput:
		if stage == ir.StageTessEval {
			c.loadPatch(in)
		} else {
			c.loadVertex(in)
		}
	case ir.IntrLoadInput:
		if stage == ir.StageTessEval {
			c.loadPatch(in)
		}
	case ir.IntrLoadPerVertexOutput, ir.IntrLoadOutput:
		if stage == ir.StageTessCtrl {
			c.loadPatch(in)
		}
	case ir.IntrStorePerVertexOutput, ir.IntrStoreOutput:
		switch {
		case stage == ir.StageTessCtrl:
			c.storePatch(in)
		case c.out.Next != ir.StageNone:
			c.storeVertex(in)
		}
	}
}

func (c *chain) replace(in *ir.Instr, d *ir.Def) {
	if d == nil {
		return
	}
	in.Def.RewriteUses(d)
	in.Remove()
}

func (c *chain) param(n int) *ir.Def {
	return &c.b.Intrinsic(ir.IntrLoadPrimitiveParamIr3, 1, 32).Set(ir.IdxBase, uint64(n)).Def
}

// header is the packed ids of the thread.
func (c *chain) header() *ir.Def {
	if c.s.Stage == ir.StageTessCtrl || c.out.Next == ir.StageTessCtrl {
		return &c.b.Intrinsic(ir.IntrLoadTcsHeaderIr3, 1, 32).Def
	}
	return &c.b.Intrinsic(ir.IntrLoadGsHeaderIr3, 1, 32).Def
}

func (c *chain) field(shift, mask uint32) *ir.Def {
	h := c.header()
	if shift > 0 {
		h = c.b.Ushr(h, c.b.Imm32(shift))
	}
	return c.b.Iand(h, c.b.Imm32(mask))
}

// vertexBase is the byte address of a vertex of the thread's primitive.
func (c *chain) vertexBase(vertex *ir.Def) *ir.Def {
	shift := uint32(0)
	if c.out.TessLocal && c.s.Stage == ir.StageTessCtrl {
		shift = abi.HeaderTessLocalShift
	}
	prim := c.b.Imul24(c.field(shift, abi.HeaderLocalPrimMask), c.param(abi.PrimStride))
	return c.add(prim, c.mul(vertex, c.param(abi.PrimVertexStride)))
}

// slotOffset is how far an access with an indirect slot is from its first, in
// units of scale a slot; nil of a constant one.
func (c *chain) slotOffset(off *ir.Def, scale *ir.Def) *ir.Def {
	if _, ok := off.Const(0); ok {
		return nil
	}
	return c.b.Imul24(off, scale)
}

// mul is a product, nil of a factor 0.
func (c *chain) mul(a, by *ir.Def) *ir.Def {
	if k, ok := a.Const(0); ok && k == 0 {
		return nil
	} else if ok && k == 1 {
		return by
	}
	return c.b.Imul24(a, by)
}

func (c *chain) add(a, b *ir.Def) *ir.Def {
	if b == nil {
		return a
	}
	return c.b.Iadd(a, b)
}

// loadVertex reads an input of tessellation control or geometry from local memory.
func (c *chain) loadVertex(in *ir.Instr) {
	first, _ := slotRange(in, in.Srcs[1].Def)
	index := abi.MapIndex(ir.Slot(first))
	if index < 0 || !c.accessible(in, &in.Def) {
		c.fail(in, "%s of slot %d is not supported", in.Intr, first)
		return
	}
	at := c.vertexBase(in.Srcs[0].Def)
	at = c.b.Iadd(at, &c.b.Intrinsic(ir.IntrLoadPrimitiveLocationIr3, 1, 32).Set(ir.IdxBase, uint64(index)).Def)
	at = c.add(at, c.slotOffset(in.Srcs[1].Def, c.b.Imm32(16)))
	ld := c.b.Intrinsic(ir.IntrLoadSharedIr3, in.Def.NumComponents, 32, at).Set(ir.IdxBase, 4*in.Get(ir.IdxComponent)).Set(ir.IdxAlignMul, 4)
	c.replace(in, c.resize(&ld.Def, in.Def.BitSize))
}

// storeVertex leaves an output of a stage with a next one in local memory.
func (c *chain) storeVertex(in *ir.Instr) {
	first, _ := slotRange(in, in.Srcs[1].Def)
	if first >= len(c.place) || c.place[first] < 0 || !c.accessible(in, in.Srcs[0].Def) {
		c.fail(in, "%s of slot %d before a %s shader is not supported", in.Intr, first, c.out.Next)
		return
	}
	at := c.vertexBase(c.field(abi.HeaderVertexShift, abi.HeaderVertexMask))
	at = c.add(at, c.slotOffset(in.Srcs[1].Def, c.b.Imm32(16)))
	val, mask := in.Srcs[0].Def, in.Get(ir.IdxWriteMask)
	backend.Runs(mask, func(k, n int) {
		c.b.Effect(ir.IntrStoreSharedIr3, c.resize(c.b.Channels(val, k, n), 32), at).
			Set(ir.IdxBase, uint64(c.place[first])+4*(in.Get(ir.IdxComponent)+uint64(k))).Set(ir.IdxAlignMul, 4)
	})
	in.Remove()
}

// accessible reports whether components are words or halves.
func (c *chain) accessible(in *ir.Instr, d *ir.Def) bool {
	sem := ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics))
	return (d.BitSize == 32 || d.BitSize == 16) && !sem.High16
}

// resize makes words of halves and halves of words.
func (c *chain) resize(d *ir.Def, bits uint8) *ir.Def {
	switch {
	case d.BitSize == bits:
		return d
	case bits == 32:
		return c.b.U2u32(d)
	}
	return c.b.U2u16(d)
}

// patchOffset is the dword of an access in the parameter buffer, or nil.
func (c *chain) patchOffset(in *ir.Instr, d *ir.Def, vertex *ir.Def) *ir.Def {
	off := in.Srcs[len(in.Srcs)-1].Def
	first, _ := slotRange(in, off)
	slot := ir.Slot(first)
	if first >= ir.NumVaryingSlots || !c.accessible(in, d) || vertex != nil && abi.MapIndex(slot) < 0 || vertex == nil && slot < ir.SlotPatch0 {
		c.fail(in, "%s of slot %d is not supported", in.Intr, first)
		return nil
	}
	b := c.b
	at := b.Imul24(&b.Intrinsic(ir.IntrLoadRelPatchIdIr3, 1, 32).Def, c.param(abi.PrimPatchStride))
	comp := uint32(in.Get(ir.IdxComponent))
	if vertex == nil {
		at = b.Iadd(at, b.Imm32(4*uint32(slot-ir.SlotPatch0)+comp))
		return c.add(at, c.slotOffset(off, b.Imm32(4)))
	}
	var vertices *ir.Def
	if c.s.Stage == ir.StageTessCtrl {
		at = b.Iadd(at, b.Imm32(uint32(c.place[first])+comp))
		vertices = b.Imm32(c.s.Info.Tess.OutputVertices)
	} else {
		at = b.Iadd(at, &b.Intrinsic(ir.IntrLoadPrimitiveLocationIr3, 1, 32).Set(ir.IdxBase, uint64(abi.MapIndex(slot))).Def)
		at = b.IAddImm(at, int64(comp))
		vertices = c.param(abi.PrimVerticesIn)
	}
	if k, ok := vertex.Const(0); ok {
		at = b.IAddImm(at, int64(4*k))
	} else {
		at = b.Iadd(at, b.Ishl(vertex, b.Imm32(2)))
	}
	if _, ok := off.Const(0); !ok {
		at = b.Iadd(at, b.Imul24(off, b.Ishl(vertices, b.Imm32(2))))
	}
	return at
}

func (c *chain) base(n int) *ir.Def { return c.b.Vec(c.param(n), c.param(n+1)) }

// loadPatch reads what the patch's control threads left.
func (c *chain) loadPatch(in *ir.Instr) {
	first, _ := slotRange(in, in.Srcs[len(in.Srcs)-1].Def)
	if s := ir.Slot(first); s == ir.SlotTessLevelOuter || s == ir.SlotTessLevelInner {
		comp := int(in.Get(ir.IdxComponent))
		c.replace(in, c.loadFactors(in, s, comp, int(in.Def.NumComponents)))
		return
	}
	var vertex *ir.Def
	if in.Intr == ir.IntrLoadPerVertexInput || in.Intr == ir.IntrLoadPerVertexOutput {
		vertex = in.Srcs[0].Def
	}
	at := c.patchOffset(in, &in.Def, vertex)
	if at == nil {
		return
	}
	ld := c.b.Intrinsic(ir.IntrLoadGlobalIr3, in.Def.NumComponents, 32, c.base(abi.PrimParamBase), at).Set(ir.IdxAlignMul, 4)
	c.replace(in, c.resize(&ld.Def, in.Def.BitSize))
}

// storePatch writes an output of the control stage.
func (c *chain) storePatch(in *ir.Instr) {
	val, mask := in.Srcs[0].Def, in.Get(ir.IdxWriteMask)
	first, _ := slotRange(in, in.Srcs[len(in.Srcs)-1].Def)
	if s := ir.Slot(first); s == ir.SlotTessLevelOuter || s == ir.SlotTessLevelInner {
		c.storeFactors(in, s)
		return
	}
	var vertex *ir.Def
	if in.Intr == ir.IntrStorePerVertexOutput {
		vertex = in.Srcs[1].Def
	}
	at := c.patchOffset(in, val, vertex)
	if at == nil {
		return
	}
	backend.Runs(mask, func(k, n int) {
		c.storeWord(c.base(abi.PrimParamBase), c.b.IAddImm(at, int64(k)), c.resize(c.b.Channels(val, k, n), 32))
	})
	in.Remove()
}

func (c *chain) storeWord(base, at, val *ir.Def) {
	c.b.Effect(ir.IntrStoreGlobalIr3, val, base, at).Set(ir.IdxAlignMul, 4)
}

// factor is the dword of a level in the factor buffer; the condition under
// which the domain has it is nil where it is known.
func (c *chain) factor(slot ir.Slot, k int) (at, exists *ir.Def, known bool) {
	b := c.b
	domain := c.s.Info.Tess.Domain
	patch := &b.Intrinsic(ir.IntrLoadRelPatchIdIr3, 1, 32).Def
	if domain != ir.DomainNone {
		stride, outer, inner := abi.FactorLayout(domain)
		n, first := outer, 1
		if slot == ir.SlotTessLevelInner {
			n, first = inner, 1+outer
		}
		if k >= n {
			return nil, nil, true
		}
		return b.Iadd(b.Imul24(patch, b.Imm32(uint32(stride/4))), b.Imm32(uint32(first+k))), nil, true
	}
	outer := c.param(abi.PrimOuterLevels)
	at = b.Iadd(b.Imul24(patch, b.Ushr(c.param(abi.PrimFactorStride), b.Imm32(2))), b.Imm32(uint32(1+k)))
	if slot == ir.SlotTessLevelInner {
		return b.Iadd(at, outer), b.Ult(b.Imm32(uint32(k)), c.param(abi.PrimInnerLevels)), false
	}
	return at, b.Ult(b.Imm32(uint32(k)), outer), false
}

// storeFactors writes tessellation levels, those that the domain has.
func (c *chain) storeFactors(in *ir.Instr, slot ir.Slot) {
	val, mask := in.Srcs[0].Def, in.Get(ir.IdxWriteMask)
	for k := range int(val.NumComponents) {
		if mask>>k&1 == 0 {
			continue
		}
		at, exists, known := c.factor(slot, int(in.Get(ir.IdxComponent))+k)
		if at == nil {
			continue
		}
		v := c.b.Channel(val, k)
		if known {
			c.storeWord(c.base(abi.PrimFactorBase), at, v)
			continue
		}
		i := c.b.PushIf(exists)
		c.storeWord(c.base(abi.PrimFactorBase), at, v)
		c.b.PopIf(i)
	}
	in.Remove()
}

// loadFactors reads tessellation levels from comp on; those that the domain
// does not have are 0.
func (c *chain) loadFactors(in *ir.Instr, slot ir.Slot, comp, n int) *ir.Def {
	parts := make([]*ir.Def, n)
	for k := range parts {
		at, exists, known := c.factor(slot, comp+k)
		if at == nil {
			parts[k] = c.b.Imm32(0)
			continue
		}
		parts[k] = &c.b.Intrinsic(ir.IntrLoadGlobalIr3, 1, 32, c.base(abi.PrimFactorBase), at).Set(ir.IdxAlignMul, 4).Def
		if !known {
			parts[k] = c.b.Bcsel(exists, parts[k], c.b.Imm32(0))
		}
	}
	return c.b.Vec(parts...)
}

// tessCoord completes the coordinates: z of a triangle is what is left.
func (c *chain) tessCoord() *ir.Def {
	b := c.b
	xy := &b.Intrinsic(ir.IntrLoadTessCoordXy, 2, 32).Def
	x, y := b.Channel(xy, 0), b.Channel(xy, 1)
	z := b.Fsub(b.Fsub(b.ImmFloat(1, 32), x), y)
	switch c.s.Info.Tess.Domain {
	case ir.DomainTriangles:
	case ir.DomainNone:
		z = b.Bcsel(b.Ieq(c.param(abi.PrimOuterLevels), b.Imm32(3)), z, b.Imm32(0))
	default:
		z = b.Imm32(0)
	}
	return b.Vec(x, y, z)
}

// wrapControl leaves out the threads that the input patch has more than the
// output patch, and lets the first one write the patch's id before its levels.
func (c *chain) wrapControl() {
	if c.err != nil {
		return
	}
	b := c.b.At(ir.AtEnd(c.impl.Body.LastBlock()))
	if c.impl.Body.LastBlock().Jump() != nil {
		c.fail(nil, "a tessellation control shader that ends in a jump is not supported")
		return
	}
	first := b.PushIf(b.Ieq(c.field(abi.HeaderInvocationShift, abi.HeaderInvocationMask), b.Imm32(0)))
	at := b.Imul24(&b.Intrinsic(ir.IntrLoadRelPatchIdIr3, 1, 32).Def, b.Ushr(c.factorStride(), b.Imm32(2)))
	c.storeWord(c.base(abi.PrimFactorBase), at, &b.Intrinsic(ir.IntrLoadPrimitiveId, 1, 32).Def)
	b.PopIf(first)

	b.At(ir.AtStart(c.impl.Start()))
	in := b.Ult(c.field(abi.HeaderInvocationShift, abi.HeaderInvocationMask), b.Imm32(c.s.Info.Tess.OutputVertices))
	i := ir.InsertIf(b.Cursor, in)
	rest := ir.Extract(ir.AtStart(i.After()), ir.AtEnd(c.impl.Body.LastBlock()))
	ir.Reinsert(rest, ir.AtStart(i.Then.FirstBlock()))
}

// factorStride is the size of a patch in the factor buffer in bytes.
func (c *chain) factorStride() *ir.Def {
	if d := c.s.Info.Tess.Domain; d != ir.DomainNone {
		stride, _, _ := abi.FactorLayout(d)
		return c.b.Imm32(uint32(stride))
	}
	return c.param(abi.PrimFactorStride)
}
