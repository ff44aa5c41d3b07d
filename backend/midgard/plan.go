package midgard

// plan is a way from a function in the machine form to bundles in registers.
type plan struct {
	order bool // first into an order for low pressure
	// early: bundles before registers, which pipeline registers save then; only
	// where nothing must be spilled.
	early  bool
	window int // of the bundler
}

// plans are tried in this order, and the best code is taken: which way that is
// depends on whether registers or units are scarce. Code of the first that
// costs no threads is taken as it is: compile time counts too.
var plans = []plan{
	{},
	{order: true, early: true},
	{order: true}, // where the one before does not do
}

// largeFunction is from how many instructions on the first plan has to do.
const largeFunction = 3000

// freeRegisters are the work registers that cost no threads
// (midgard.md §1.2).
const freeRegisters = 4

// code is what a plan made.
type code struct {
	f           *function
	p           *program
	used, slots int
	stats       Stats
}

// better reports whether k is to be had rather than o. Bundles weigh twice what
// registers do, which are worth threads.
func (k *code) better(o *code) bool {
	a, b := &k.stats, &o.stats
	if x, y := a.Spills+a.Fills, b.Spills+b.Fills; x != y {
		return x < y
	}
	if x, y := k.cost(), o.cost(); x != y {
		return x < y
	}
	if k.used != o.used {
		return k.used < o.used
	}
	return a.Quads < b.Quads
}

func (k *code) cost() int { return k.stats.Bundles * k.stats.Bundles * max(2, k.used) }

// choose makes the code of f by each plan and returns the best; base is the byte
// of the thread's storage from which spill slots go on.
func (c *compiler) choose(f *function, floor, base int) (*code, error) {
	var best *code
	plans := plans
	if c.opts.plan == 0 && f.count() > largeFunction {
		plans = plans[:1]
	}
	for i, pl := range plans {
		if c.opts.plan > 0 && i > 0 && i != c.opts.plan-1 {
			continue
		}
		from := f
		if i < len(plans)-1 {
			from = f.clone()
		}
		k, err := c.generate(from, floor, base, pl)
		if err != nil {
			return nil, err
		}
		if k != nil && (best == nil || i == c.opts.plan-1 || k.better(best)) {
			best = k
		}
		if i == 0 && c.opts.plan == 0 && k.used <= freeRegisters && k.stats.Spills+k.stats.Fills == 0 {
			break // as many threads as there can be
		}
		if i == 1 && k != nil && c.opts.plan == 0 {
			break
		}
	}
	return best, nil
}

// generate makes code by a plan; nil if the plan does not do.
func (c *compiler) generate(f *function, floor, base int, pl plan) (k *code, err error) {
	k = &code{f: f}
	if pl.order {
		f.orderByPressure()
	}
	if !pl.early {
		if k.slots, k.used, err = f.allocate(floor, c.workLimit(), base); err != nil {
			return nil, err
		}
	}
	if k.p, err = schedule(f, c.gpu, pl.window); err != nil {
		return nil, err
	}
	k.p.pipeRegisters(f)
	if pl.early {
		ok := false
		if k.used, ok, err = k.p.allocate(f, floor, c.workLimit()); err != nil || !ok {
			return nil, err
		}
	}
	k.p.layout()
	k.stats = k.p.stats()
	return k, nil
}
