package ir3

import (
	"math"

	"nirc/ir"
)

// half2float returns the bits of a half as a 32-bit float.
func half2float(h uint16) uint32 { return math.Float32bits(float32(ir.Float16Value(h))) }
