package agx

// Break leaves the obligation of a switch unmet.
func Break(number int) { faults = fault(number) }

// CubesBroken reports whether derivatives of cubes are left.
func CubesBroken() bool { return faults.has(faultCubeGradients) }
