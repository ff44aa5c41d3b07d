package passes

import "nirc/ir"

var gatherInfoPass = &Pass{
	Name: "gather_info", Makes: ChangeFacts, Class: "A", Run: gatherInfo, Idempotent: true,
	Doc: "Recomputes the shader's facts from its instructions and variables, and gives up the private memory that nothing accesses any more.",
}

// gatherInfo recomputes the facts of Shader.Info that depend on instructions
// and variables, and the size of scratch memory where none is accessed; progress is a fact that changed.
func gatherInfo(_ *Context, s *ir.Shader) (bool, error) {
	i := &s.Info
	before := *i
	i.InputsRead, i.OutputsWritten, i.OutputsRead = [2]uint64{}, [2]uint64{}, [2]uint64{}
	i.SystemValuesRead = [2]uint64{}
	i.InputsReadIndirectly, i.OutputsAccessedIndirectly = [2]uint64{}, [2]uint64{}
	i.TexturesUsed, i.ImagesUsed, i.BuffersUsed = [2]uint64{}, [2]uint64{}, [2]uint64{}
	i.NumUBOs, i.NumSSBOs, i.NumTextures, i.NumImages = 0, 0, 0, 0
	i.WritesMemory, i.UsesDiscard, i.UsesDemote = false, false, false
	i.NeedsQuadHelpers, i.UsesControlBarrier = i.FullQuads, false
	i.UsesSampleShading = i.SampleInputs || s.Options != nil && s.Options.SampleShading
	for _, v := range s.Variables {
		gatherVariable(s, v)
	}
	scratch := false
	for _, f := range s.Functions {
		if f.Impl == nil {
			continue
		}
		for b := range f.Impl.Blocks() {
			for in := b.First(); in != nil; in = in.Next() {
				gatherInstr(s, in)
				scratch = scratch || reachesScratch(in)
			}
		}
	}
	progress := *i != before
	if !scratch && s.ScratchSize != 0 {
		s.ScratchSize, progress = 0, true
	}
	return progress, nil
}

// reachesScratch reports whether an instruction is one for which private memory is kept: an access, a deref that may
// become one, or a call, whose stack it holds.
func reachesScratch(in *ir.Instr) bool {
	switch in.Kind {
	case ir.KindDeref:
		return in.DerefInfo().Modes&(ir.ModeFunctionTemp|ir.ModeShaderTemp) != 0
	case ir.KindCall:
		return true
	}
	return in.Memory().Space == ir.SpaceScratch || in.IsIntrinsic(ir.IntrLoadScratchBasePtr)
}

func gatherVariable(s *ir.Shader, v *ir.Variable) {
	t := v.Type.WithoutArray()
	n := uint32(1)
	for a := v.Type; a.IsArray(); a = a.Elem {
		n *= max(a.Len, 1)
	}
	switch v.Mode {
	case ir.ModeUBO:
		s.Info.NumUBOs += n
	case ir.ModeSSBO:
		s.Info.NumSSBOs += n
	case ir.ModeImage:
		s.Info.NumImages += n
	case ir.ModeUniform:
		if t.Base == ir.BaseTexture || t.Base == ir.BaseSampledImage {
			s.Info.NumTextures += n
		}
	case ir.ModeShaderIn:
		if v.Sample && s.Stage == ir.StageFragment {
			s.Info.UsesSampleShading = true
		}
	}
}

func gatherInstr(s *ir.Shader, in *ir.Instr) {
	switch in.Kind {
	case ir.KindTex:
		if src := in.TexSrc(ir.TexSrcTextureDeref); src != nil {
			useBinding(&s.Info.TexturesUsed, src.Def)
		}
		if src := in.TexSrc(ir.TexSrcTexture2Deref); src != nil {
			useBinding(&s.Info.TexturesUsed, src.Def)
		}
		if in.TexOp.Info().ImplicitDerivatives && s.Stage == ir.StageFragment {
			s.Info.NeedsQuadHelpers = true
		}
	case ir.KindDeref:
		if in.Deref == ir.DerefVar && in.DerefInfo().Modes&(ir.ModeUBO|ir.ModeSSBO) != 0 {
			useBinding(&s.Info.BuffersUsed, &in.Def)
		}
	case ir.KindIntrinsic:
		switch m := in.Memory(); {
		case in.Intr == ir.IntrVulkanResourceIndex:
			useBinding(&s.Info.BuffersUsed, &in.Def)
		case m.Space == ir.SpaceImage && len(in.Srcs) > 0:
			useBinding(&s.Info.ImagesUsed, in.Srcs[0].Def)
		}
		gatherIntrinsic(s, in)
	}
}

// useBinding notes the use of the binding that a descriptor or deref leads to.
func useBinding(m *[2]uint64, d *ir.Def) {
	if b, ok := bindingOf(d); ok && b.set < 4 && b.number < 32 {
		setBit(m, b.set*32+b.number)
	}
}

func gatherIntrinsic(s *ir.Shader, in *ir.Instr) {
	i := &s.Info
	info := in.Intr.Info()
	if info.SysVal {
		setBit(&i.SystemValuesRead, uint32(in.Intr-ir.IntrLoadFragCoord))
	}
	switch in.Intr {
	case ir.IntrLoadDeref, ir.IntrInterpDerefAtCentroid, ir.IntrInterpDerefAtSample, ir.IntrInterpDerefAtOffset, ir.IntrInterpDerefAtVertex:
		gatherDeref(s, in.Srcs[0].Def, false)
	case ir.IntrStoreDeref:
		gatherDeref(s, in.Srcs[0].Def, true)
	case ir.IntrCopyDeref:
		gatherDeref(s, in.Srcs[0].Def, true)
		gatherDeref(s, in.Srcs[1].Def, false)
	case ir.IntrTerminate, ir.IntrTerminateIf:
		i.UsesDiscard = true
	case ir.IntrDemote, ir.IntrDemoteIf:
		i.UsesDiscard, i.UsesDemote = true, true
	case ir.IntrBarrier:
		if ir.Scope(in.Get(ir.IdxExecutionScope)) != ir.ScopeNone {
			i.UsesControlBarrier = true
		}
	case ir.IntrLoadSampleId, ir.IntrLoadSamplePos, ir.IntrLoadBarycentricSample:
		i.UsesSampleShading = true
	case ir.IntrLoadAttachment:
		setBit(&i.OutputsRead, uint32(ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics)).Location))
	case ir.IntrLoadOutput, ir.IntrLoadPerVertexOutput, ir.IntrLoadPerPrimitiveOutput:
		gatherSlots(&i.OutputsRead, &i.OutputsAccessedIndirectly, in)
	default:
		switch {
		case isDerivative(in.Intr) && s.Stage == ir.StageFragment:
			i.NeedsQuadHelpers = true
		case in.Has(ir.IdxIoSemantics) && info.HasDest:
			gatherSlots(&i.InputsRead, &i.InputsReadIndirectly, in)
		case in.Has(ir.IdxIoSemantics):
			gatherSlots(&i.OutputsWritten, &i.OutputsAccessedIndirectly, in)
		case writesMemory(in):
			i.WritesMemory = true
		}
	}
}

func setBit(m *[2]uint64, bit uint32) {
	if bit < 128 {
		m[bit/64] |= 1 << (bit % 64)
	}
}

// gatherSlots notes the slots of an access; its offset comes last.
func gatherSlots(m, indirect *[2]uint64, in *ir.Instr) {
	sem := ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics))
	dynamic := sem.NumSlots > 1 && !in.Srcs[len(in.Srcs)-1].Def.IsConst()
	for k := uint32(0); k < uint32(max(sem.NumSlots, 1)); k++ {
		setBit(m, uint32(sem.Location)+k)
		if dynamic {
			setBit(indirect, uint32(sem.Location)+k)
		}
	}
}

// gatherDeref notes an access of an input or output variable: the slots that
// a constant index chooses, or all.
func gatherDeref(s *ir.Shader, ptr *ir.Def, write bool) {
	d := ptr.Instr
	if write && d.DerefInfo().Modes&(ir.ModeSSBO|ir.ModeGlobal) != 0 {
		s.Info.WritesMemory = true
	}
	v := derefVar(d)
	if v == nil || v.Mode&(ir.ModeShaderIn|ir.ModeShaderOut) == 0 || v.Location < 0 {
		return
	}
	first, n := slotRange(s, v, d)
	m, indirect := &s.Info.InputsRead, &s.Info.InputsReadIndirectly
	if v.Mode == ir.ModeShaderOut {
		indirect = &s.Info.OutputsAccessedIndirectly
	}
	dynamic := indexedSlots(s, v, d)
	switch {
	case v.Mode == ir.ModeShaderOut && write:
		m = &s.Info.OutputsWritten
	case v.Mode == ir.ModeShaderOut:
		m = &s.Info.OutputsRead
	}
	for k := uint32(0); k < n; k++ {
		setBit(m, uint32(v.Location)+first+k)
		if dynamic {
			setBit(indirect, uint32(v.Location)+first+k)
		}
	}
}

// indexedSlots reports whether an index that is not constant chooses among the slots of a variable. That of a
// vertex does not, nor that of a component.
func indexedSlots(s *ir.Shader, v *ir.Variable, d *ir.Instr) bool {
	for ; d.Deref != ir.DerefVar; d = derefParent(d) {
		p := derefParent(d)
		vertex := p.Deref == ir.DerefVar && arrayedIO(s, v)
		if d.Deref == ir.DerefArray && !d.Srcs[1].Def.IsConst() && !vertex && !isLeafType(p.DerefInfo().Type) {
			return true
		}
	}
	return false
}

// slotRange returns the first slot and the number of slots, counted from the
// variable's, that a deref may touch.
func slotRange(s *ir.Shader, v *ir.Variable, d *ir.Instr) (first, n uint32) {
	var buf [pathLen]*ir.Instr
	path := derefPath(buf[:0], d)
	t := v.Type
	i := 1
	if arrayedIO(s, v) && t.IsArray() {
		t = t.Elem
		i++
	}
	if v.Compact {
		return 0, (t.Len + uint32(v.Component) + 3) / 4
	}
	for ; i < len(path); i++ {
		switch path[i].Deref {
		case ir.DerefStruct:
			f := path[i].DerefInfo().Field
			for k := 0; k < f; k++ {
				first += t.Fields[k].Type.SlotCount()
			}
			t = t.Fields[f].Type
		case ir.DerefArray:
			c, ok := firstConst(path[i].Srcs[1].Def)
			if !ok || isLeafType(t) || c >= uint64(t.ChildCount()) {
				return first, t.SlotCount()
			}
			t = t.Child()
			first += uint32(c) * t.SlotCount()
		default:
			return first, t.SlotCount()
		}
	}
	return first, t.SlotCount()
}
