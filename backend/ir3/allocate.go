package ir3

import (
	"fmt"

	"nirc/backend/mach"
	"nirc/ir"
)

// allocate brings f to physical registers.
func (c *compiler) allocate(f *mach.Func) error {
	limit := c.registerLimit() - c.arraysTake()
	if limit <= spillSlack && c.arraysTake() > 0 {
		return errNoArrays
	}
	f.SetFileLimit(fileGPR, limit)
	if err := c.order(f, limit); err != nil {
		return err
	}
	mach.LowerTied(f)
	if err := c.spill(f, limit); err != nil {
		return err
	}
	c.dump("spill", f)
	var runs [][]mach.Value
	if !c.opts.NoRepeat {
		linkMoves(f, &c.sel.link)
		c.rpt = RptStats{Made: c.sel.link.made}
		runs = cleanRepeats(f, &c.sel.link, &c.rpt)
		if c.opts.Dump != nil {
			c.opts.Dump("groups", dumpGroups(f))
		}
	}
	var check *mach.Checker
	if c.opts.Verify {
		check = mach.NewChecker(f)
	}
	if err := c.assign(f, limit, runs); err != nil {
		return err
	}
	c.dump("ra", f)
	if check != nil {
		if err := check.Check(); err != nil {
			return fmt.Errorf("ir3: %w", err)
		}
	}
	c.registers(f)
	mach.LowerCopies(f)
	c.dump("copies", f)
	if check != nil {
		if err := check.Check(); err != nil {
			return fmt.Errorf("ir3: after copies: %w", err)
		}
	}
	return nil
}

// order chooses the values for shared registers and makes the first schedule.
func (c *compiler) order(f *mach.Func, limit int) error {
	lv := mach.ComputeLiveness(f)
	pressure := lv.Pressure(f, fileGPR)
	if !c.arraysFit(pressure, limit) {
		return errNoArrays
	}
	if c.shared = c.shareUniform(f, pressure); c.shared {
		lv = mach.ComputeLiveness(f)
		pressure = lv.Pressure(f, fileGPR)
		c.dump("uniform", f)
	}
	if pressure <= limit {
		// Some room is left for vectors, which want registers in line.
		preSchedule(f, lv, c.gpu, c.doubles(), max(pressure, c.targetUnits(pressure, limit)-16))
		c.dump("presched", f)
	}
	if !c.shared {
		foldShared(f)
	}
	return nil
}

// assign gives operands their registers. runs are values that would like
// consecutive ones.
func (c *compiler) assign(f *mach.Func, limit int, runs [][]mach.Value) error {
	if c.shared {
		physicalEdges(f)
	}
	opts := mach.AllocOptions{RoundRobin: true, MergeSets: true, Groups: runs, Live: mach.ComputeLiveness(f)}
	opts.Target[fileGPR] = c.targetUnits(opts.Live.Pressure(f, fileGPR), limit)
	if c.shared {
		var err error
		if opts.Placed, err = mach.PlaceFile(f, opts.Live, fileShared, runs); err != nil {
			return errNotPlaced
		}
	}
	if _, err := mach.Allocate(f, opts); err != nil {
		return fmt.Errorf("ir3: %w", err)
	}
	return nil
}

// shareUniform moves uniform values of the program to shared registers, and
// reports whether any are there.
func (c *compiler) shareUniform(f *mach.Func, pressure int) bool {
	if !c.gpu.ScalarALU || c.vectorUniform || c.opts.uniform == shareNever {
		return false
	}
	u := &uniformity{f: f, code: templates(f), apart: c.sel.apart, register: gainRegister}
	if c.wavesFor((pressure+7)/8) < c.wavesFor(1) {
		u.register = gainTight
	}
	return u.run(c.opts.uniform == shareAlways)
}

// registerLimit is the number of units that a fiber may use: all, or less
// where the waves of a workgroup with barriers must fit at once (ir3.md §1.6).
func (c *compiler) registerLimit() int {
	vec4 := 48
	if c.meta.UsesBarrier {
		if w := c.wavesPerGroup(false); w > 0 {
			vec4 = min(vec4, c.gpu.RegVec4/w)
		}
	}
	if c.opts.Registers > 0 {
		vec4 = min(vec4, c.opts.Registers)
	}
	return vec4 * 8
}

// targetUnits is the number of units that allocation walks through: as many
// as cost no wave against the pressure (ir3.md §9.3).
func (c *compiler) targetUnits(pressure, limit int) int {
	arrays := c.arraysTake()
	vec4 := (pressure + arrays + 7) / 8
	for vec4 < (limit+arrays)/8 && c.wavesFor(vec4+1) >= c.wavesFor(vec4) {
		vec4++
	}
	return min(8*vec4-arrays, limit)
}

// wavesFor is the number of waves that a register footprint allows, each
// counted by its size so that a loss of double waves shows.
func (c *compiler) wavesFor(vec4 int) int {
	g := c.gpu
	if vec4 == 0 {
		return 32
	}
	double := !g.NoDoubleWave && c.doubles() && 2*vec4 <= g.RegVec4
	size := 1
	if double {
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
	size := 64 * c.gpu.WaveGranularity
	if double {
		size *= 2
	}
	return (c.threads() + size - 1) / size
}
