package agx

// Break leaves the obligations of some switches unmet.
func Break(switches uint64) { faults = fault(switches) }
