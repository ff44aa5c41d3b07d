package agx

// Break leaves the obligations of some switches unmet.
func Break(switches uint64) { faults = fault(switches) }

// CubesBroken reports whether derivatives of cubes are left.
func CubesBroken() bool { return faults.has(faultCubeGradients) }
