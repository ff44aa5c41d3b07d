package core

import (
	"fmt"
	"slices"

	"nirc/backend/ir3/abi"
	"nirc/ir"
)

// Limits of what a binary may say about itself.
const (
	maxConst    = 1 << 16 // scalars, far above any const file
	maxLocation = 512     // varying components
	maxVertices = 1024    // of a geometry invocation or a patch
)

// checkMeta finds what [abi.Meta.Check] leaves open: places outside of what waves have.
func checkMeta(m *abi.Meta) error {
	c := &m.Consts
	areas := []abi.Area{c.Push, c.Driver, c.Preamble, c.Primitive, c.Map, {Offset: c.ImmediateOffset}}
	for _, a := range areas { // sums must not run over
		if a.Offset < 0 || a.Offset > maxConst || a.Size < 0 || a.Size > maxConst {
			return fmt.Errorf("ir3 core: there is no const area c[%d] of %d scalars", a.Offset, a.Size)
		}
	}
	if err := m.Check(); err != nil {
		return err
	}
	for i := range m.Inputs {
		in := &m.Inputs[i]
		if int(in.Slot) >= ir.NumVaryingSlots || in.Mask > 15 || m.Stage == ir.StageFragment && (in.InLoc < 0 || in.InLoc > maxLocation-4) {
			return fmt.Errorf("ir3 core: there is no input of components %#x in slot %d, location %d", in.Mask, in.Slot, in.InLoc)
		}
	}
	for i := range m.Outputs {
		if o := &m.Outputs[i]; int(o.Slot) >= ir.NumVaryingSlots || o.Mask > 15 {
			return fmt.Errorf("ir3 core: there is no output of components %#x in slot %d", o.Mask, o.Slot)
		}
	}
	for _, v := range m.Sysvals {
		if (v.Kind == abi.IJPerspSample || v.Kind == abi.IJLinearSample) && v.Reg != abi.NoReg && !m.PerSample {
			return fmt.Errorf("ir3 core: %v are asked for by a shader that runs once a pixel, which has no one sample", v.Kind)
		}
	}
	return checkChain(m)
}

// checkChain is about the stage's part in the geometry pipeline.
func checkChain(m *abi.Meta) error {
	c := &m.Chain
	if c.VertexStride < 0 || c.VertexStride > 16*ir.NumVaryingSlots || c.PatchStride < 0 {
		return fmt.Errorf("ir3 core: vertices of %d bytes and patches of %d dwords are not supported", c.VertexStride, c.PatchStride)
	}
	if c.Geom.MaxVertices > maxVertices || c.Tess.OutputVertices > maxVertices {
		return fmt.Errorf("ir3 core: %d vertices of an invocation and %d of a patch, at most %d are supported", c.Geom.MaxVertices, c.Tess.OutputVertices, maxVertices)
	}
	for _, k := range handedOver(c.Next) {
		asked := func(v abi.Sysval) bool { return v.Kind == k && v.Reg != abi.NoReg }
		if m.GPU != "" && !slices.ContainsFunc(m.Sysvals, asked) { // hardware gives what is asked for alone
			return fmt.Errorf("ir3 core: a %s shader before a %s shader does not ask for %v, which is handed over", m.Stage, c.Next, k)
		}
	}
	for _, o := range c.Locations {
		if int(o.Slot) >= ir.NumVaryingSlots || o.Mask > 15 || o.Offset < 0 || o.Offset > 1<<20 {
			return fmt.Errorf("ir3 core: there is no place %d for components %#x of slot %d", o.Offset, o.Mask, o.Slot)
		}
	}
	return nil
}
