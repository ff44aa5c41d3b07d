package ir3

import (
	"nirc/backend/ir3/isa"
	"nirc/ir"
)

// How many registers a program may have, and what that costs in waves (ir3.md §1.6 and 9.3).

// allVec4 is how many registers a fiber has names for.
const allVec4 = 48

// registerLimit is the number of units that a fiber may use: all, or less
// where the waves of a workgroup with barriers must fit at once (ir3.md §1.6).
func (c *compiler) registerLimit() int {
	vec4 := allVec4
	if c.meta.UsesBarrier && !faults.has(faultResident) {
		if w := c.wavesPerGroup(false); w > 0 {
			vec4 = min(vec4, c.gpu.RegVec4/w)
		}
	}
	if c.opts.Registers > 0 {
		vec4 = min(vec4, c.opts.Registers)
	}
	return vec4 * 8
}

// freeUnits is the number of units that cost no wave against the pressure (ir3.md §9.3).
func (c *compiler) freeUnits(pressure, limit int) int {
	arrays := c.arraysTake()
	vec4 := (pressure + arrays + 7) / 8
	for vec4 < (limit+arrays)/8 && c.wavesFor(vec4+1) >= c.wavesFor(vec4) {
		vec4++
	}
	return min(8*vec4-arrays, limit)
}

// targetUnits is the number of units that allocation walks through: as many as cost no wave, but no more than roomUnits.
// Where results of the ALU come soon, few values need no more than live at once: the scheduler
// hardly moves instructions further for more. Many leave gaps that vectors do not fit.
func (c *compiler) targetUnits(pressure, limit int) int {
	if vec4 := (pressure + 7) / 8; c.gpu.Gen == isa.A7xx && vec4 < manyVec4 {
		return min(c.freeUnits(pressure, limit), 8*vec4)
	}
	return c.roomUnits(pressure, limit)
}

// manyVec4 is from how many registers on the gaps between values are worth some more.
const manyVec4 = 16

// roomUnits is the number of units that values may have before they take what others, to which they do not belong, want to
// be in line in: as many as cost no wave, but at most a half and a register more than the pressure. More have not made code faster.
func (c *compiler) roomUnits(pressure, limit int) int {
	vec4 := (pressure + 7) / 8
	return min(c.freeUnits(pressure, limit), 8*(vec4+vec4/2+1))
}

// wavesFor is the number of waves that a register footprint allows, each
// counted by its size so that a loss of double waves shows. Those of small workgroups are single ones.
func (c *compiler) wavesFor(vec4 int) int {
	return c.gpu.wavesFor(vec4, c.doubles() && (c.s.Stage != ir.StageCompute || c.threads() > c.gpu.Fibers))
}

func (g *GPU) wavesFor(vec4 int, double bool) int {
	if vec4 == 0 {
		return 32
	}
	size := 1
	if double && !g.NoDoubleWave && 2*vec4 <= g.RegVec4 {
		size = 2
	}
	return min(16, g.RegVec4/(vec4*size)*g.WaveGranularity) * size
}

// doubles reports whether the stage may run in double waves.
func (c *compiler) doubles() bool {
	return c.s.Stage == ir.StageFragment || c.s.Stage == ir.StageCompute
}

func (c *compiler) threads() int {
	z := c.s.Info.WorkgroupSize
	return int(z[0]) * int(z[1]) * int(z[2])
}

// wavesPerGroup is the number of launches of WaveGranularity waves that a workgroup takes.
func (c *compiler) wavesPerGroup(double bool) int {
	size := c.gpu.Fibers * c.gpu.WaveGranularity
	if double {
		size *= 2
	}
	return (c.threads() + size - 1) / size
}

// doubleWave decides the wave size (ir3.md §1.6).
func (c *compiler) doubleWave() bool {
	if c.gpu.NoDoubleWave || min(c.meta.BranchStack, 2*c.gpu.Fibers) > 64 || 2*c.meta.MaxRegs > c.gpu.RegVec4 {
		return false
	}
	switch c.s.Stage {
	case ir.StageFragment:
		return true
	case ir.StageCompute:
		// The waves of a workgroup with barriers must fit at once.
		return c.threads() > c.gpu.Fibers && !(c.meta.UsesBarrier && 2*c.meta.MaxRegs*c.wavesPerGroup(true) > c.gpu.RegVec4)
	}
	return false
}
