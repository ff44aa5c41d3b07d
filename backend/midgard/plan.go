package midgard

import (
	"errors"
	"slices"

	"nirc/ir"
)

// plan is a way from a function in the machine form to bundles in registers.
type plan struct {
	name  string
	steps []step
	gaps  int // components of the work registers that sched_within leaves free
}

// plans are tried in this order until one is enough, and the best code is taken: which way that is
// depends on whether registers or units are scarce.
var plans = []plan{
	// Loads that wait for others to share their bundles with live longer.
	{name: "pairs_first", steps: []step{presched, schedPairs, pipes, raBundles, dropJumps}},
	// Pipeline registers save work registers; only where nothing must be spilled.
	{name: "bundles_first", steps: []step{presched, sched, pipes, raBundles, dropJumps}},
	// Where registers do not suffice for that: the more gaps, the likelier all values find places, and the more bundles.
	{name: "within_registers", steps: withinSteps, gaps: 8},
	{name: "within_fewer", steps: withinSteps, gaps: 16},
	{name: "within_few", steps: withinSteps, gaps: 28},
	{name: surePlan, steps: []step{ra, sched, pipes, dropJumps}},
	// Where that leaves registers that would cost threads.
	{name: "all_registers", steps: []step{raAll, sched, pipes, dropJumps}},
	// Where bundles come first and registers do not suffice.
	{name: "low_pressure", steps: []step{presched, ra, sched, pipes, dropJumps}},
}

// withinSteps put bundles first and do not let more live than registers hold.
var withinSteps = []step{presched, schedRoom, pipes, raBundles, dropJumps}

// surePlan does for all functions.
const surePlan = "registers_first"

// errUnfit says that a plan does not do for a function.
var errUnfit = errors.New("the plan does not do")

// largeFunction is from how many instructions on the plan that always does has to.
const largeFunction = 8000

// freeRegisters are the work registers that cost no threads
// (midgard.md §1.2).
const freeRegisters = 4

// attempt is what a plan has made so far.
type attempt struct {
	f           *function
	p           *program // nil until there are bundles
	used, slots int      // work registers, spill slots of 16 bytes
	size        codeSize
	gaps        int // the plan's
}

// better reports whether k is to be had rather than o.
func (k *attempt) better(o *attempt) bool {
	a, b := &k.size, &o.size
	if a.spills != b.spills {
		return a.spills < b.spills
	}
	if x, y := k.cost(), o.cost(); x != y {
		return x < y
	}
	if k.used != o.used {
		return k.used < o.used
	}
	return a.bytes < b.bytes
}

// cost weighs bundles by the threads that registers leave: what half of the threads cannot hide is taken for an eighth.
func (k *attempt) cost() int { return k.size.bundles * (8 + threadClass(k.used)) }

// threadClass is how often work registers halve the threads (midgard.md §1.2).
func threadClass(used int) int {
	switch {
	case used <= freeRegisters:
		return 0
	case used <= 2*freeRegisters:
		return 1
	}
	return 2
}

// choose makes the code of the function that was selected by one plan after the
// other and returns the best.
func (c *compiler) choose() (best *attempt, err error) {
	f := c.f
	list := c.plansFor(f)
	c.tried, c.reordered, c.waited, c.peak = [len(c.tried)]attempt{}, false, false, 0
	for i := range list {
		if list[i].pointless(c, best) {
			continue
		}
		from := f
		if i < len(list)-1 {
			from = f.clone()
		}
		k := &c.tried[i]
		err := c.try(&list[i], from, k)
		if errors.Is(err, errUnfit) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if best == nil || c.opts.plan != "" || k.better(best) {
			best = k
		}
	}
	if c.blend != nil && best.slots+c.scratchBase() > 0 {
		return nil, ir.Unsupportedf("midgard: a blend program with more than %d work registers or with arrays in memory is not supported", blendWork)
	}
	return best, nil
}

// plansFor lists the plans that may be tried: one of them always does.
func (c *compiler) plansFor(f *function) []plan {
	if c.opts.plan != "" {
		list := plansOf(surePlan)
		for _, pl := range plans {
			if pl.name == c.opts.plan && pl.name != surePlan {
				list = append(list, pl)
			}
		}
		return list
	}
	if f.count() > largeFunction {
		return plansOf(surePlan)
	}
	return plans
}

// plansOf lists the one plan of a name.
func plansOf(name string) []plan {
	i := slices.IndexFunc(plans, func(pl plan) bool { return pl.name == name })
	return plans[i : i+1 : i+1]
}

// pointless reports whether the plan need not be tried after those before it made best, nil if none did: where no allocation leaves
// more threads, the bundles that dependences alone leave are seldom beaten; where no load waited, loads that do not wait make the same; and where
// bundles came first, or nothing stands in another order, there is nothing to be had of low pressure.
func (pl *plan) pointless(c *compiler, best *attempt) bool {
	if c.opts.plan != "" {
		return false
	}
	most := best != nil && best.size.spills == 0 && threadClass(best.used) <= threadClass(c.floor+(c.peak+3)/4)
	early := c.tried[0].p != nil || c.tried[1].p != nil
	switch pl.name {
	case "pairs_first":
		return false
	case "bundles_first":
		return most || !c.waited
	case "within_registers", "within_fewer", "within_few":
		return best != nil
	case surePlan:
		return most && best.gaps == 0
	case "all_registers":
		k := c.made(surePlan) // which took turns in as many registers as leave the threads
		return k == nil || early || k.size.spills > 0 || threadClass(k.used) >= threadClass(c.workLimit())
	}
	return best != nil && (early || !c.reordered)
}

// made is what the plan of a name has made, nil if it was not tried or did not do.
func (c *compiler) made(name string) *attempt {
	i := slices.IndexFunc(plans, func(pl plan) bool { return pl.name == name })
	if k := &c.tried[i]; k.p != nil {
		return k
	}
	return nil
}

// try makes code by a plan, to be found in k; errUnfit if the plan does not do.
func (c *compiler) try(pl *plan, f *function, k *attempt) error {
	c.attempt = attempt{f: f, gaps: pl.gaps}
	if err := c.steps(pl.steps); err != nil {
		return err
	}
	c.size = c.p.measure()
	*k = c.attempt
	return nil
}
