package abi

import (
	"errors"
	"fmt"
	"slices"

	"nirc/ir"
)

// Check finds contradictions that would make the core read nonsense.
func (m *Meta) Check() error {
	switch m.Stage {
	case ir.StageVertex, ir.StageFragment, ir.StageCompute, ir.StageTessCtrl, ir.StageTessEval, ir.StageGeometry:
	default:
		return fmt.Errorf("agx meta: stage %s is not supported", m.Stage)
	}
	switch m.Part {
	case PartWhole, PartProlog, PartMain, PartEpilog, PartLinked:
	default:
		return fmt.Errorf("agx meta: a part %q does not exist", m.Part)
	}
	if m.Halves < 0 || m.Halves > NumRegs || m.PreambleHalves < 0 || m.PreambleHalves > NumRegs {
		return fmt.Errorf("agx meta: %d and %d register halves, at most %d exist", m.Halves, m.PreambleHalves, NumRegs)
	}
	if m.UniformHalves < 0 || m.UniformHalves > NumUniforms {
		return fmt.Errorf("agx meta: %d uniform halves, at most %d exist", m.UniformHalves, NumUniforms)
	}
	if m.ScratchSize > 1<<20 || m.PreambleScratch > 1<<20 {
		return fmt.Errorf("agx meta: %d bytes of scratch a lane, at most %d", max(m.ScratchSize, m.PreambleScratch), 1<<20)
	}
	if n := Invocations(m.WorkgroupSize); m.Stage == ir.StageCompute && n > MaxWorkgroup || m.SharedSize > MaxShared {
		return fmt.Errorf("agx meta: a workgroup of %d lanes and %d bytes, at most %d and %d", n, m.SharedSize, MaxWorkgroup, MaxShared)
	}
	for i := range m.Uniforms {
		u := &m.Uniforms[i]
		if u.Kind == UniformNone || u.Kind >= NumUniformKinds || u.Size&3 != 0 {
			return fmt.Errorf("agx meta: uniform %d: unknown contents %d or size %d", i, u.Kind, u.Size)
		}
		if u.Size > 2*NumUniforms || u.Half < 0 || u.Half&1 != 0 || u.Half+u.Halves() > m.UniformHalves {
			return fmt.Errorf("agx meta: %s at uniform half %d, %d halves, lies outside the %d in use", u.Kind, u.Half, u.Halves(), m.UniformHalves)
		}
	}
	if err := m.checkInterface(); err != nil {
		return err
	}
	if err := m.checkGrid(); err != nil {
		return err
	}
	if err := m.checkGeometry(); err != nil {
		return err
	}
	return m.checkResources()
}

// checkInterface checks inputs and outputs.
func (m *Meta) checkInterface() error {
	for _, a := range m.Attribs {
		if a.Slot >= ir.NumAttribSlots || a.Reg < 0 || a.Reg&1 != 0 || a.Reg+8 > NumRegs {
			return fmt.Errorf("agx meta: attribute %d at register half %d", a.Slot, a.Reg)
		}
	}
	for _, v := range m.Varyings {
		placed := v.User && v.Word == NoWord
		if v.Slot >= ir.NumVaryingSlots || int(v.First)+int(v.Count) > 4 || (v.Word < 0 || v.Word > 255) && !placed {
			return fmt.Errorf("agx meta: output slot %d, components %d+%d at word %d", v.Slot, v.First, v.Count, v.Word)
		}
	}
	if w := m.LayerViewportWord; w < NoWord || w > 255 {
		return fmt.Errorf("agx meta: layer and viewport at word %d", w)
	}
	for _, c := range m.Coefs {
		if c.Slot >= ir.NumVaryingSlots || c.Source > CoefBary || c.Vertex > 3 || int(c.First)+int(c.Count) > 4 ||
			c.CF < 0 || c.CF+int(c.Count) > 256 {
			return fmt.Errorf("agx meta: coefficients of source %d, slot %d, components %d+%d at cf%d", c.Source, c.Slot, c.First, c.Count, c.CF)
		}
	}
	for _, r := range m.Results {
		if r.Slot >= ir.NumResultSlots || r.Reg < 0 || r.Reg >= NumRegs || r.Bits != 16 && r.Bits != 32 || r.Mask > 15 {
			return fmt.Errorf("agx meta: fragment result %d of %d bits at register half %d", r.Slot, r.Bits, r.Reg)
		}
	}
	for _, t := range slices.Concat(m.Tile, m.TileReads) {
		if t.Slot >= ir.NumResultSlots || t.Offset > MaxTileOffset || t.Format.String() == "" {
			return fmt.Errorf("agx meta: tile target %d of format %d at offset %d", t.Slot, t.Format, t.Offset)
		}
	}
	return nil
}

// checkGrid checks what says that a shader runs as compute.
func (m *Meta) checkGrid() error {
	tess := m.Stage == ir.StageTessCtrl || m.Stage == ir.StageTessEval
	reads := tess || m.Geometry != nil
	switch {
	case m.PatchSlots < 0 || m.PatchSlots > int(ir.NumVaryingSlots-ir.SlotPatch0) || !tess && m.PatchSlots > 0 || !reads && len(m.Reads) > 0:
		return fmt.Errorf("agx meta: %d patch slots and %d slots read of vertices in stage %s", m.PatchSlots, len(m.Reads), m.Stage)
	case m.Stage == ir.StageTessCtrl && (m.WorkgroupSize[0] == 0 || m.WorkgroupSize[0] > MaxWorkgroup || m.WorkgroupSize[1] != 1 || m.WorkgroupSize[2] != 1):
		return fmt.Errorf("agx meta: a patch of workgroup size %v", m.WorkgroupSize)
	case m.Next == ir.StageNone && m.Stage == ir.StageTessCtrl && len(m.Varyings) == 0:
	case m.Next == ir.StageNone && len(m.Record) == 0:
	case m.Next != ir.StageGeometry && (m.Next != ir.StageTessCtrl || m.Stage != ir.StageVertex) || m.Stage != ir.StageVertex && m.Stage != ir.StageTessEval:
		return fmt.Errorf("agx meta: a %s stage before the %s stage does not run as compute", m.Stage, m.Next)
	case len(m.Varyings) > 0:
		return errors.New("agx meta: a shader that runs as compute has output words")
	}
	for _, list := range [][]ir.Slot{m.Record, m.Reads} {
		for i, slot := range list {
			if slot >= ir.NumVaryingSlots || reads && slot >= ir.SlotPatch0 || i > 0 && slot <= list[i-1] {
				return fmt.Errorf("agx meta: slot %d at place %d of the record", slot, i)
			}
		}
	}
	return nil
}

// checkGeometry checks what says that a shader is one of geometry.
func (m *Meta) checkGeometry() error {
	g := m.Geometry
	switch {
	case (g != nil) != (m.Stage == ir.StageGeometry):
		return fmt.Errorf("agx meta: modes of geometry in stage %s", m.Stage)
	case g == nil:
		return nil
	case m.Part != PartWhole || g.Raster == nil || g.Raster.Stage != ir.StageVertex || g.Count != nil && g.Count.Stage != ir.StageCompute:
		return errors.New("agx meta: a geometry shader without its programs")
	case g.Invocations < 1 || g.Invocations > 127 || g.MaxVertices > 1024 || g.OutPrimitive > 2 || g.InPrimitive < 1 || g.InPrimitive > 6:
		return fmt.Errorf("agx meta: a geometry shader of %d invocations, %d vertices, primitives %d and %d", g.Invocations, g.MaxVertices, g.InPrimitive, g.OutPrimitive)
	}
	for k, n := range g.Counts {
		if n > 2*g.MaxVertices {
			return fmt.Errorf("agx meta: word %d of a unit that emits %d vertices counts %d", k, g.MaxVertices, n)
		}
	}
	for _, c := range g.Captures {
		if c.Buffer >= ir.NumXfbBuffers || c.Stream >= ir.NumXfbBuffers || c.Slot >= ir.NumVaryingSlots || c.First+c.Count > 4 || c.Offset+c.Size() > g.Strides[c.Buffer] {
			return fmt.Errorf("agx meta: transform feedback of slot %d to byte %d of buffer %d", c.Slot, c.Offset, c.Buffer)
		}
	}
	for i, slot := range g.Vertices {
		if slot >= ir.SlotPatch0 || i > 0 && slot <= g.Vertices[i-1] {
			return fmt.Errorf("agx meta: slot %d at place %d of a vertex", slot, i)
		}
	}
	if g.Count != nil {
		if err := g.Count.Check(); err != nil {
			return err
		}
	}
	return g.Raster.Check()
}

func (m *Meta) checkResources() error {
	for i, s := range m.Samplers {
		if s.Count == 0 || uint64(s.First)+uint64(s.Count-1)*uint64(s.Stride) >= MaxSamplers {
			return fmt.Errorf("agx meta: sampler heap range %d, %d entries from %d on in steps of %d, lies beyond %d", i, s.Count, s.First, s.Stride, MaxSamplers)
		}
	}
	for _, s := range m.States {
		if s.Index < 0 || s.Index > 255 {
			return fmt.Errorf("agx meta: state register %d does not exist", s.Index)
		}
	}
	return nil
}
