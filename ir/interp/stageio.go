package interp

import (
	"sort"

	"nirc/internal/emu"
	"nirc/ir"
)

// scanIO describes the stage towards the fixed-function stages: from the
// variables that derefs name, and from the lowered intrinsics, which have the
// last word on the size of a slot: passes narrow them, not the variables. It
// is an error if they differ about a result.
func (p *Program) scanIO() error {
	s, io := p.shader, &p.io
	io.EarlyFragmentTests, io.PostDepthCoverage = s.Info.EarlyFragmentTests, s.Info.PostDepthCoverage
	io.PerSample = s.Info.SampleInputs
	io.Tess, io.Geom, io.Mesh = emu.TessIO(s.Info.Tess), emu.GeomIO(s.Info.Geom), s.Info.Mesh
	io.Captures, io.XfbStrides = s.Captures, s.Info.XfbStrides
	io.ClipDistances, io.CullDistances = s.Info.ClipDistances, s.Info.CullDistances
	out, vars := map[ir.Slot]*emu.OutputSlot{}, map[ir.Slot]*emu.OutputSlot{}
	in := map[ir.Slot]*emu.InputSlot{}
	for _, v := range p.sysvars {
		io.PerSample = io.PerSample || v.sv == svSampleID || v.sv == svSamplePos
	}
	for _, i := range p.inputs {
		io.PerSample = io.PerSample || i.bary == emu.BarySample && s.Stage == ir.StageFragment
		if old := in[i.slot]; old != nil {
			old.Mask |= i.mask
			continue
		}
		in[i.slot] = &emu.InputSlot{Slot: i.slot, Mask: i.mask, Interp: i.interp, Bits: i.bits}
	}
	for _, v := range s.Variables {
		p.outputVariable(v, vars)
	}
	for k := range p.code {
		if x := p.code[k].x; x != nil && x.in != nil && x.in.Kind == ir.KindIntrinsic {
			p.scanIntrinsic(x, in, out)
		} else if x != nil && x.tex != nil {
			io.NeedsQuads = io.NeedsQuads || x.tex.implicit && s.Stage == ir.StageFragment
		}
	}
	for slot, v := range vars {
		if o := out[slot]; o != nil {
			o.Mask |= v.Mask
		} else {
			out[slot] = v
		}
	}
	for _, i := range in {
		if i.Bits == 64 {
			i.Bits = 32
		}
		io.Inputs = append(io.Inputs, *i)
	}
	for _, o := range out {
		if p.outputAt(o.Slot) || s.Stage == ir.StageTessCtrl {
			if o.Bits == 64 {
				o.Bits = 32
			}
			io.Outputs = append(io.Outputs, *o)
		}
	}
	sort.Slice(io.Inputs, func(a, b int) bool { return io.Inputs[a].Slot < io.Inputs[b].Slot })
	sort.Slice(io.Outputs, func(a, b int) bool { return io.Outputs[a].Slot < io.Outputs[b].Slot })
	sort.Slice(p.outputs, func(a, b int) bool { return p.outputs[a] < p.outputs[b] })
	if s.Stage == ir.StageFragment {
		io.WritesDepth, io.WritesStencil, io.WritesSampleMask = p.outputAt(ir.SlotDepth), p.outputAt(ir.SlotStencil), p.outputAt(ir.SlotSampleMask)
		p.dualSource()
	}
	return p.badIO
}

// dualSource names the second blend source as emu does.
func (p *Program) dualSource() {
	for k := range p.io.Outputs {
		if o := &p.io.Outputs[k]; o.Slot == ir.SlotData0+7 && o.Index == 1 {
			o.Slot = ir.SlotData0
		}
	}
}

func (p *Program) outputAt(s ir.Slot) bool {
	for _, o := range p.outputs {
		if o == s {
			return true
		}
	}
	return false
}

func (p *Program) outputVariable(v *ir.Variable, out map[ir.Slot]*emu.OutputSlot) {
	if v.Mode != ir.ModeShaderOut || v.Location < 0 {
		return
	}
	slot, index := uint32(v.Location), uint8(0)
	if v.Index == 1 && p.shader.Stage == ir.StageFragment {
		slot, index = uint32(ir.SlotData0+7), 1
	}
	t := v.Type.WithoutArray()
	mask, bits, n := componentsOf(v), uint8(32), v.Type.SlotCount()
	if t.IsNumeric() && t.Bits != 64 && !v.Compact {
		bits = t.MemBits()
	}
	if v.Compact {
		n = (v.Type.Len + uint32(v.Component) + 3) / 4
	}
	if sharesOutputs(p.shader.Stage) && !v.Patch && v.Type.IsArray() {
		n = v.Type.Elem.SlotCount()
	}
	for k := range min(n, uint32(max(0, ir.NumVaryingSlots-int(slot)))) {
		merge(out, ir.Slot(slot+k), mask, index, bits)
		if t.IsNumeric() && t.Base == ir.BaseInt && t.Bits == 8 {
			p.signedBytes = append(p.signedBytes, ir.Slot(slot+k))
		}
	}
}

func merge(out map[ir.Slot]*emu.OutputSlot, s ir.Slot, mask, index, bits uint8) {
	o := out[s]
	if o == nil {
		o = &emu.OutputSlot{Slot: s, Index: index, Bits: bits, Patch: s >= ir.SlotPatch0 || s == ir.SlotTessLevelOuter || s == ir.SlotTessLevelInner}
		out[s] = o
	}
	o.Mask |= mask
}

// scanIntrinsic notes what an instruction tells about the stage.
func (p *Program) scanIntrinsic(x *extra, in map[ir.Slot]*emu.InputSlot, out map[ir.Slot]*emu.OutputSlot) {
	io, i := &p.io, x.in
	io.PerSample = io.PerSample || i.Intr == ir.IntrLoadBarycentricSample && p.shader.Stage == ir.StageFragment
	if x.image != nil {
		io.WritesMemory = io.WritesMemory || x.image.writes
		return
	}
	switch intrinsicClasses.Get()[i.Intr] {
	case classInput, classStageIO:
		if i.Def.Instr != nil && (i.Intr == ir.IntrLoadPerVertexInput || intrinsicClasses.Get()[i.Intr] == classInput) {
			p.inputIntrinsic(x, in)
		}
	case classOutput:
		if x.io.FBFetch && p.shader.Stage == ir.StageFragment && i.Intr == ir.IntrLoadOutput {
			io.TileLoads, io.PerSample = true, true // each sample has a colour of its own
		}
		if i.Intr == ir.IntrLoadAttachment {
			io.TileLoads, io.ReadsDepth = true, io.ReadsDepth || x.io.Location < ir.SlotData0
		}
		if i.Intr != ir.IntrStoreOutput || sharesOutputs(p.shader.Stage) {
			return
		}
		bits, comp := i.Srcs[0].Def.BitSize, i.Get(ir.IdxComponent)
		mask := uint8(i.Get(ir.IdxWriteMask) << comp)
		if bits == 64 {
			mask = 15
		}
		first, index := uint32(x.io.Location), uint8(0)
		if x.io.DualSourceIndex == 1 && p.shader.Stage == ir.StageFragment {
			first, index = uint32(ir.SlotData0+7), 1
		}
		for k := range uint32(max(1, x.io.NumSlots)) {
			if first+k < p.outSlots {
				if o := out[ir.Slot(first+k)]; o != nil && (o.Bits == 16) != (bits == 16) && p.shader.Stage == ir.StageFragment {
					p.badIO = ir.Unsupportedf("interp: 16 and 32 bits in one fragment result (slot %d) are not supported", o.Slot)
				}
				merge(out, ir.Slot(first+k), mask, index, bits)
				p.writes(ir.Slot(first + k))
			}
		}
	case classDerivative:
		io.NeedsQuads = true
	case classSysval:
		if sv := sysvalIntrinsics[i.Intr]; i.Intr == ir.IntrLoadSampleId || sv == svSamplePos && i.Intr != ir.IntrLoadSamplePosOrCenter {
			io.PerSample = true
		}
	}
	switch i.Intr {
	case ir.IntrBeginInvocationInterlock:
		io.Waits = true
	case ir.IntrDemote, ir.IntrDemoteIf, ir.IntrTerminate, ir.IntrTerminateIf:
		io.UsesDiscard = true
	case ir.IntrQuadBroadcast, ir.IntrQuadSwapHorizontal, ir.IntrQuadSwapVertical, ir.IntrQuadSwapDiagonal, ir.IntrQuadVoteAll, ir.IntrQuadVoteAny:
		io.NeedsQuads = true
	}
	if m := i.Memory(); m.Writes() {
		sp := x.space
		if m.Space != ir.SpaceDeref {
			sp = spaces.Get()[m.Space]
		}
		io.WritesMemory = io.WritesMemory || sp >= spBuffer
	}
}

func (p *Program) inputIntrinsic(x *extra, in map[ir.Slot]*emu.InputSlot) {
	i := x.in
	interp := ir.InterpFlat
	if i.Intr == ir.IntrLoadInterpolatedInput {
		interp = ir.InterpSmooth
		if b := i.Srcs[0].Def.Instr; b != nil && b.Kind == ir.KindIntrinsic && ir.Interp(b.Get(ir.IdxInterpMode)) == ir.InterpNoPerspective {
			interp = ir.InterpNoPerspective
		}
	}
	if p.shader.Stage != ir.StageFragment {
		interp = ir.InterpNone
	}
	mask := uint8((1<<i.Def.NumComponents - 1) << i.Get(ir.IdxComponent))
	if i.Def.BitSize == 64 {
		mask = 15
	}
	for k := range uint32(max(1, x.io.NumSlots)) {
		s := ir.Slot(uint32(x.io.Location) + k)
		if s >= ir.NumVaryingSlots {
			return
		}
		if in[s] == nil {
			in[s] = &emu.InputSlot{Slot: s, Interp: interp, Bits: i.Def.BitSize}
		}
		in[s].Mask |= mask
	}
}
