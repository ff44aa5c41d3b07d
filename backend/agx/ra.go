package agx

import (
	"fmt"

	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/backend/mach"
	"nirc/ir"
)

// spillParts brings the parts below the register limit.
func (c *compiler) spillParts() error {
	limit := c.registerLimit()
	for _, pt := range c.parts {
		pt.f.SetFileLimit(fileGPR, limit)
		mach.LowerTied(pt.f)
		if err := c.spill(pt, limit); err != nil {
			return err
		}
		if c.verify() {
			pt.check = mach.NewChecker(pt.f)
		}
	}
	return nil
}

// allocate gives the values of the parts their registers.
func (c *compiler) allocate() error {
	for _, pt := range c.parts {
		if err := pt.allocate(); err != nil {
			return fmt.Errorf("agx: %w", err)
		}
		if pt.check == nil {
			continue
		}
		if err := pt.check.Check(); err != nil {
			return fmt.Errorf("agx: %w", err)
		}
	}
	return nil
}

// live is what is live at the borders of the part's blocks.
func (pt *part) live() *mach.Liveness {
	c := templates(pt.f)
	if c.live == nil {
		c.live = mach.LiveBorders(pt.f)
	}
	return c.live
}

// fewHalves are so few that it does not matter how many of them live at once.
const fewHalves = 64

// findPressure finds how many halves live at once.
func (pt *part) findPressure() {
	if pt.pressure = fewHalves; !pt.f.TotalWithin(fileGPR, pt.pressure) {
		pt.pressure = pt.live().Pressure(pt.f, fileGPR)
	}
}

// lowerCopies makes moves and swaps of the parallel copies that allocation leaves.
func (c *compiler) lowerCopies() error {
	for _, pt := range c.parts {
		mach.LowerCopies(pt.f)
		if pt.check == nil {
			continue
		}
		if err := pt.check.Check(); err != nil {
			return fmt.Errorf("agx: after copies: %w", err)
		}
	}
	return nil
}

// registerLimit is the number of halves that a thread may use: all, or less
// where a workgroup must be resident as a whole.
func (c *compiler) registerLimit() int {
	n := gprHalves
	if c.s.Stage == ir.StageCompute {
		z := c.s.Info.WorkgroupSize
		n = halvesFor(int(z[0]) * int(z[1]) * int(z[2]))
	}
	if c.opts.Halves > 0 {
		n = min(n, c.opts.Halves)
	}
	return n
}

// registers is the number of halves that a program names: the highest plus 1.
func registers(p *program) int {
	most := 0
	note := func(o *isa.Operand, n int) {
		if o.Kind == isa.Reg {
			most = max(most, int(o.Val)+n)
		}
	}
	for _, in := range p.list {
		note(&in.Dst, resultHalves(&in.Instr))
		for i := range in.Srcs {
			note(&in.Srcs[i], in.Srcs[i].Halves())
		}
	}
	return most
}

// footprint is the number of halves in use by the shader, inputs and results included.
func (c *compiler) footprint(p *program) int {
	most := registers(p)
	for _, r := range c.meta.Results {
		n := 1
		for r.Mask>>n != 0 {
			n++
		}
		most = max(most, r.Reg+n*int(r.Bits)/16)
	}
	for _, a := range c.meta.Attribs {
		n := 1
		for a.Mask>>n != 0 {
			n++
		}
		most = max(most, a.Reg+2*n)
	}
	if c.s.Stage == ir.StageVertex {
		most = max(most, abi.InstanceIDReg+2)
	}
	return most
}
