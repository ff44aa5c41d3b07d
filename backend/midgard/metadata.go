package midgard

import (
	"fmt"

	"nirc/backend/midgard/abi"
	"nirc/ir"
)

// workLimit is the number of work registers: all, or less where uniforms take
// the upper ones or a workgroup must be resident at once, which one whose threads do not meet need not be (midgard.md §1.2).
func (c *compiler) workLimit() int {
	n := min(abi.MaxWork, abi.UniformTop+1-len(c.meta.Uniforms))
	if c.s.Stage == ir.StageCompute && (c.meta.UsesBarrier || c.s.SharedSize > 0) && !faults.has(faultWorkgroup) {
		n = min(n, abi.WorkLimit(c.s.Info.WorkgroupSize))
	}
	if c.blend != nil {
		n = min(n, blendWork)
	}
	if c.opts.Registers > 0 {
		n = min(n, c.opts.Registers)
	}
	return n
}

// whyFewRegisters says what leaves values no more work registers.
func (c *compiler) whyFewRegisters() string {
	why := fmt.Sprintf("a thread has %d", c.workLimit())
	if z := c.s.Info.WorkgroupSize; c.s.Stage == ir.StageCompute && c.workLimit() < abi.MaxWork {
		why = fmt.Sprintf("each of %d x %d x %d threads that meet has %d", z[0], z[1], z[2], c.workLimit())
	}
	switch {
	case c.blend != nil:
		why += fmt.Sprintf(", of which colours take %d", c.floor)
	case c.floor > 0:
		why += fmt.Sprintf(", of which results of textures take %d", c.floor)
	}
	return why
}

// newMeta is the metadata before selection.
func (c *compiler) newMeta() abi.Meta {
	m := abi.Meta{GPU: c.gpu.Name, Stage: c.s.Stage, Alias: c.gpu.Alias, NoUpperALU: c.gpu.NoUpperALU, BrokenLOD: c.gpu.BrokenLOD, Robust: c.s.Options.Robust}
	m.Reads, m.Tess, m.Geometry = c.stage.reads, c.stage.tess, c.stage.geometry
	if c.s.Stage == ir.StageVertex {
		if m.Next = c.opts.Next; m.Next == ir.StageNone {
			m.Linear = c.opts.Linear.Locations()
			if !c.opts.Linear.Whole() {
				m.LinearComponents = c.opts.Linear
			}
		} else {
			m.Captures, m.XfbStrides = c.s.Captures, c.s.Info.XfbStrides // for a stage that hands the vertices on
		}
	}
	if c.blend != nil {
		m.Blend = &abi.Blend{Format: c.opts.Blend, Tile: c.blend.form}
	}
	return m
}

// scratchBase is the byte of the thread's storage from which spill slots go on.
func (c *compiler) scratchBase() int { return (int(c.s.ScratchSize) + 15) &^ 15 }

// describe fills the metadata that follows from the allocation.
func (c *compiler) describe() {
	m := &c.meta
	m.WorkRegs = c.used
	if c.s.Stage == ir.StageFragment {
		m.WorkRegs = max(c.used, 2) // a writeout's own
	}
	if m.DualSource || m.Blend != nil && m.Blend.Second {
		m.WorkRegs = max(m.WorkRegs, 3)
	}
	if faults.has(faultWorkRegs) {
		m.WorkRegs--
	}
	if faults.has(faultMissingUBO) {
		m.UBOs = m.UBOs[:min(len(m.UBOs), int(abi.UBOTable.Start))]
	}
	if n := c.scratchBase() + 16*c.slots; n > 0 {
		size := 16
		for size < n {
			size *= 2
		}
		m.TLSSize = uint32(size)
	}
	m.SharedSize, m.CoherentShared = c.s.SharedSize, c.s.Info.CoherentShared
	if c.s.Stage == ir.StageCompute {
		m.WorkgroupSize = c.s.Info.WorkgroupSize
	}
	m.EarlyFragmentTests = c.s.Info.EarlyFragmentTests
	m.PerSample = m.PerSample || c.s.Info.SampleInputs
	m.ClipDistances, m.CullDistances = c.s.Info.ClipDistances, c.s.Info.CullDistances
}
