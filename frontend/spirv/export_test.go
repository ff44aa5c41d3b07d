package spirv

// CountSpent makes a translation say how many leaf operations it took from its budget.
func CountSpent(o Options, n *int) Options {
	o.spent = n
	return o
}
