package ir3

import (
	"errors"
	"fmt"

	"nirc/backend/mach"
)

// budgetRegisters finds how many registers values may have beside the arrays,
// and whether arrays are worth theirs.
func (c *compiler) budgetRegisters() error {
	f := c.sel.f
	c.limit = c.registerLimit() - c.arraysTake()
	if c.limit <= spillSlack && c.arraysTake() > 0 {
		return errNoArrays
	}
	f.SetFileLimit(fileGPR, c.limit)
	c.measure()
	if !c.arraysFit(c.pressure, c.limit) {
		return errNoArrays
	}
	return nil
}

// measure finds where values live in the program, and how many at once.
func (c *compiler) measure() {
	c.live = mach.ComputeLiveness(c.sel.f)
	c.pressure = c.live.Pressure(c.sel.f, fileGPR)
}

// shareUniform moves uniform values of the program to shared registers.
func (c *compiler) shareUniform() error {
	if !c.gpu.ScalarALU || c.without.scalarUniform {
		return nil
	}
	f := c.sel.f
	u := &uniformity{f: f, code: templates(f), apart: c.sel.apart, register: gainRegister}
	if c.wavesFor((c.pressure+7)/8) < c.wavesFor(1) {
		u.register = gainTight
	}
	if c.shared = u.run(c.opts.shareAll); c.shared {
		c.measure()
	}
	return nil
}

// planRuns cuts repeat groups to what can merge, and finds which values would like registers in line.
func (c *compiler) planRuns() error {
	if c.repeat {
		f, l := c.sel.f, &c.sel.link
		linkMoves(f, l)
		c.rpt = RptStats{Made: l.made}
		c.mem.runs = cleanRepeats(f, l, &c.rpt, c.mem.runs[:0])
		c.runs = c.mem.runs
	}
	return nil
}

// allocate gives the operands of the program their registers.
func (c *compiler) allocate() error {
	f := c.sel.f
	if c.opts.Verify {
		c.check = mach.NewChecker(f)
	}
	if c.shared {
		physicalEdges(f)
	}
	if c.shared || c.live == nil {
		c.live = mach.ComputeLiveness(f)
	}
	opts := mach.AllocOptions{RoundRobin: true, MergeSets: true, Groups: c.runs, InPlace: c.inPlace(), Live: c.live}
	pressure := opts.Live.Pressure(f, fileGPR)
	opts.Target[fileGPR] = c.targetUnits(pressure, c.limit)
	opts.Room[fileGPR] = c.roomUnits(pressure, c.limit)
	if c.shared {
		var err error
		if opts.Placed, err = mach.PlaceFile(f, opts.Live, fileShared, c.runs); err != nil {
			return errNotPlaced
		}
	}
	if _, err := mach.Allocate(f, opts); err != nil {
		return fmt.Errorf("ir3: %w", err)
	}
	if c.check != nil {
		if err := c.check.Check(); err != nil {
			return fmt.Errorf("ir3: %w", err)
		}
	}
	c.registers(f)
	return nil
}

// inPlace lists the results of the unit for special functions with their sources: it reads late, so what writes another
// source of it than its own waits for it.
func (c *compiler) inPlace() []mach.InPlace {
	f, code := c.sel.f, templates(c.sel.f)
	list := c.mem.inPlace[:0]
	for b := range f.Blocks {
		for _, in := range f.Blocks[b].Instrs {
			if in.Op < mach.FirstTargetOp || in.Op >= opInputs || in.NDefs != 1 || len(in.Ops) != 2 || code.tmpl[in.Ext].Op.Category() != 4 {
				continue
			}
			list = append(list, mach.InPlace{Result: in.Ops[0].Val, Source: in.Ops[1].Val})
		}
	}
	c.mem.inPlace = list
	return list
}

// lowerCopies leaves moves and swaps of the copies that allocation made.
func (c *compiler) lowerCopies() error {
	mach.LowerCopies(c.sel.f)
	if c.check != nil {
		if err := c.check.Check(); err != nil {
			return fmt.Errorf("ir3: after copies: %w", err)
		}
	}
	return nil
}

// allocatePreamble gives the preamble registers beside those that inputs
// arrive in, which it must leave as they are.
func (c *compiler) allocatePreamble() error {
	f := c.sel.pre.f
	if f == nil {
		return nil
	}
	file := fileGPR
	if c.scalar {
		file = fileShared
	}
	c.holdInputs(file)
	f.SetFileLimit(fileGPR, c.registerLimit())
	mach.LowerTied(f)
	var check *mach.Checker
	if c.opts.Verify {
		check = mach.NewChecker(f)
	}
	opts := mach.AllocOptions{MergeSets: c.scalar}
	if c.repeat {
		opts.Groups = cleanRepeats(f, &c.sel.link, &RptStats{}, nil)
	}
	if _, err := mach.Allocate(f, opts); err != nil {
		var p *mach.PressureError
		switch {
		case c.scalar:
			return errNotShared
		case errors.As(err, &p):
			return errNoPreamble
		}
		return fmt.Errorf("ir3: preamble: %w", err)
	}
	if check != nil {
		if err := check.Check(); err != nil {
			return fmt.Errorf("ir3: preamble: %w", err)
		}
	}
	mach.LowerCopies(f)
	return nil
}
