package cost

// guessedTrips is how often a loop is taken to run of which nothing is known, onceShare what a part of the
// preamble's work an invocation is taken to pay: both are conventions of comparisons, not facts.
const (
	guessedTrips = 8
	onceShare    = 1.0 / 16
)

// Weighed is the cycles of a wave as compilers are compared by: what it takes to issue and to wait, the waits
// divided among the waves that hide them. A loop weighs as often as it runs, and 8 times where that is not known (fewer if it
// cannot run as often); what runs once for all invocations weighs a 16th. So neither a loop that was unrolled
// nor work that went to a preamble shows as what it is not.
func (p *Program) Weighed() (cycles float64) {
	weights := p.weights()
	for i := range p.Instrs {
		in := &p.Instrs[i]
		if in.Aside {
			continue
		}
		n := in.Issue
		if p.Hiding > 0 {
			n += in.Stall / p.Hiding
		}
		if in.Once {
			n *= onceShare
		}
		cycles += n * weights[i]
	}
	return cycles
}

// weights are the products of the trips of the loops around each instruction.
func (p *Program) weights() []float64 {
	weights := make([]float64, len(p.Instrs))
	for i := range weights {
		weights[i] = 1
	}
	loops, _ := p.Loops()
	for _, l := range loops {
		trips := p.Trips[l.Header]
		if trips == 0 {
			trips = guessedTrips
			if most := p.Most[l.Header]; most > 0 {
				trips = min(trips, most)
			}
		}
		for _, i := range l.Instrs {
			weights[i] *= float64(trips)
		}
	}
	return weights
}
