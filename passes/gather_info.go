package passes

import "nirc/ir"

var gatherInfoPass = &Pass{
	Name: "gather_info", Class: "A", Run: gatherInfo, Idempotent: true,
	Doc: "Recomputes the shader's facts from its instructions and variables.",
}

// gatherInfo recomputes the facts of Shader.Info that depend on instructions
// and variables; progress is a fact that changed.
func gatherInfo(_ *Context, s *ir.Shader) (bool, error) {
	i := &s.Info
	before := *i
	i.InputsRead, i.OutputsWritten, i.OutputsRead = [2]uint64{}, [2]uint64{}, [2]uint64{}
	i.SystemValuesRead = [2]uint64{}
	i.NumUBOs, i.NumSSBOs, i.NumTextures, i.NumImages = 0, 0, 0, 0
	i.WritesMemory, i.UsesDiscard, i.UsesDemote = false, false, false
	i.NeedsQuadHelpers, i.UsesControlBarrier = false, false
	i.UsesSampleShading = s.Options != nil && s.Options.SampleShading
	for _, v := range s.Variables {
		gatherVariable(s, v)
	}
	for _, f := range s.Functions {
		if f.Impl == nil {
			continue
		}
		for b := range f.Impl.Blocks() {
			for in := b.First(); in != nil; in = in.Next() {
				gatherInstr(s, in)
			}
		}
	}
	return *i != before, nil
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
		if in.TexOp.Info().ImplicitDerivatives && s.Stage == ir.StageFragment {
			s.Info.NeedsQuadHelpers = true
		}
	case ir.KindIntrinsic:
		gatherIntrinsic(s, in)
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
	case ir.IntrLoadOutput, ir.IntrLoadPerVertexOutput, ir.IntrLoadPerPrimitiveOutput:
		gatherSlots(&i.OutputsRead, in)
	default:
		switch {
		case isDerivative(in.Intr) && s.Stage == ir.StageFragment:
			i.NeedsQuadHelpers = true
		case in.Has(ir.IdxIoSemantics) && info.HasDest:
			gatherSlots(&i.InputsRead, in)
		case in.Has(ir.IdxIoSemantics):
			gatherSlots(&i.OutputsWritten, in)
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

func gatherSlots(m *[2]uint64, in *ir.Instr) {
	sem := ir.UnpackIOSemantics(in.Get(ir.IdxIoSemantics))
	for k := uint32(0); k < uint32(max(sem.NumSlots, 1)); k++ {
		setBit(m, uint32(sem.Location)+k)
	}
}

// gatherDeref notes an access of an input or output variable: the slots that
// a constant index chooses, or all.
func gatherDeref(s *ir.Shader, ptr *ir.Def, write bool) {
	d := derefOf(ptr)
	if d == nil {
		return
	}
	if write && d.DerefInfo().Modes&(ir.ModeSSBO|ir.ModeGlobal) != 0 {
		s.Info.WritesMemory = true
	}
	v := derefVar(d)
	if v == nil || v.Mode&(ir.ModeShaderIn|ir.ModeShaderOut) == 0 || v.Location < 0 {
		return
	}
	first, n := slotRange(s, v, d)
	m := &s.Info.InputsRead
	switch {
	case v.Mode == ir.ModeShaderOut && write:
		m = &s.Info.OutputsWritten
	case v.Mode == ir.ModeShaderOut:
		m = &s.Info.OutputsRead
	}
	for k := uint32(0); k < n; k++ {
		setBit(m, uint32(v.Location)+first+k)
	}
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
		return 0, (v.Type.Len + uint32(v.Component) + 3) / 4
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
