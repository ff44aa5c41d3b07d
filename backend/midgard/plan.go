package midgard

import (
	"errors"

	"nirc/ir"
)

// plan is a way from a function in the machine form to bundles in registers.
type plan struct {
	name  string
	steps []step
}

// plans are tried in this order, and the best code is taken: which way that is
// depends on whether registers or units are scarce. Where the first two do, the third is not
// tried: compile time counts too.
var plans = []plan{
	{"registers_first", []step{ra, sched, pipes, dropJumps, layOut}},
	// Pipeline registers save work registers; only where nothing must be spilled.
	{"bundles_first", []step{presched, sched, pipes, raBundles, dropJumps, layOut}},
	{"low_pressure", []step{presched, ra, sched, pipes, dropJumps, layOut}},
}

// errUnfit says that a plan does not do for a function.
var errUnfit = errors.New("the plan does not do")

// largeFunction is from how many instructions on the first plan has to do.
const largeFunction = 3000

// fewBundles are so few that another plan has seldom fewer.
const fewBundles = 3

// freeRegisters are the work registers that cost no threads
// (midgard.md §1.2).
const freeRegisters = 4

// attempt is what a plan has made so far.
type attempt struct {
	f           *function
	p           *program // nil until there are bundles
	used, slots int      // work registers, spill slots of 16 bytes
	stats       Stats
}

// allThreads reports whether code leaves as many threads as there can be.
func (k *attempt) allThreads() bool {
	return k.used <= freeRegisters && k.stats.Spills+k.stats.Fills == 0
}

// better reports whether k is to be had rather than o. Bundles weigh twice what
// registers do, which are worth threads; those that there can be stay.
func (k *attempt) better(o *attempt) bool {
	a, b := &k.stats, &o.stats
	if x, y := a.Spills+a.Fills, b.Spills+b.Fills; x != y {
		return x < y
	}
	if o.allThreads() && !k.allThreads() {
		return false
	}
	if x, y := k.cost(), o.cost(); x != y {
		return x < y
	}
	if k.used != o.used {
		return k.used < o.used
	}
	return a.Quads < b.Quads
}

func (k *attempt) cost() int { return k.stats.Bundles * k.stats.Bundles * max(2, k.used) }

// choose makes the code of the function that was selected by one plan after the
// other and returns the best.
func (c *compiler) choose() (best *attempt, err error) {
	f := c.f
	list := c.plansFor(f)
	for i := range list {
		from := f
		if i < len(list)-1 {
			from = f.clone()
		}
		k, err := c.try(&list[i], from)
		if errors.Is(err, errUnfit) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if best == nil || c.opts.plan != "" || k.better(best) {
			best = k
		}
		if c.opts.plan == "" && list[i].enough(k) {
			break
		}
	}
	if c.blend != nil && best.slots+c.scratchBase() > 0 {
		return nil, ir.Unsupportedf("midgard: a blend program with more than %d work registers or with arrays in memory is not supported", blendWork)
	}
	return best, nil
}

// plansFor lists the plans that are tried: the first always does.
func (c *compiler) plansFor(f *function) []plan {
	if c.opts.plan != "" {
		list := plans[:1:1]
		for _, pl := range plans[1:] {
			if pl.name == c.opts.plan {
				list = append(list, pl)
			}
		}
		return list
	}
	if f.count() > largeFunction {
		return plans[:1]
	}
	return plans
}

// enough reports whether no further plan need be tried after this one made k.
func (pl *plan) enough(k *attempt) bool {
	return pl.name != "registers_first" || k.stats.Bundles <= fewBundles && k.allThreads()
}

// try makes code by a plan; errUnfit if the plan does not do.
func (c *compiler) try(pl *plan, f *function) (*attempt, error) {
	c.attempt = attempt{f: f}
	if err := c.steps(pl.steps); err != nil {
		return nil, err
	}
	c.stats = c.p.stats()
	k := c.attempt
	return &k, nil
}
