package agx

// Break leaves the obligation of a switch unmet.
func Break(number int) { faults = fault(number) }

// CubeSizesBroken reports whether sizes of arrays of cubes are left.
func CubeSizesBroken() bool { return faults.has(faultCubeDepth) }

// CubesBroken reports whether derivatives of cubes are left.
func CubesBroken() bool { return faults.has(faultCubeGradients) }

// Programs are those that the tests of the package hold.
var Programs = &programs
