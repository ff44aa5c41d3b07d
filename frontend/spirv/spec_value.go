package spirv

import (
	"fmt"
	"math"
	"strconv"

	"nirc/ir"
)

// ParseValue reads a value by the constant's type: 1.5 of a float, true or 1 of a boolean, -7 or 0x10 of an
// integer. The result are its bits, those of integers zero or sign extended; the error says what the type takes.
func (c *SpecConstant) ParseValue(value string) (uint64, error) {
	bits := int(c.Bits)
	switch c.Class {
	case ir.ClassBool:
		v, err := strconv.ParseBool(value)
		if err != nil {
			return 0, fmt.Errorf("the constant is a boolean: want true or false")
		}
		if v {
			return 1, nil
		}
		return 0, nil
	case ir.ClassFloat:
		v, err := strconv.ParseFloat(value, max(bits, 32))
		if err != nil {
			return 0, fmt.Errorf("the constant is a %d-bit float: %q is none, or too large", bits, value)
		}
		if b := ir.FloatBits(v, c.Bits); bits != 16 || math.IsInf(v, 0) || !math.IsInf(ir.FloatValue(b, 16), 0) {
			return b, nil
		}
		return 0, fmt.Errorf("the constant is a 16-bit float: %q is too large", value)
	case ir.ClassInt:
		v, err := strconv.ParseInt(value, 0, bits)
		if err != nil {
			if u, err := strconv.ParseUint(value, 0, bits); err == nil {
				return u, nil // bits written as a hexadecimal number
			}
			return 0, fmt.Errorf("the constant is a signed %d-bit integer: %q is none, or out of range", bits, value)
		}
		return uint64(v), nil
	}
	v, err := strconv.ParseUint(value, 0, bits)
	if err != nil {
		if s, err := strconv.ParseInt(value, 0, bits); err == nil {
			return uint64(s) & (1<<bits - 1), nil
		}
		return 0, fmt.Errorf("the constant is an unsigned %d-bit integer: %q is none, or out of range", bits, value)
	}
	return v, nil
}

// TypeName returns the type in short: bool, f32, i16, u8 …
func (c *SpecConstant) TypeName() string {
	switch c.Class {
	case ir.ClassBool:
		return "bool"
	case ir.ClassFloat:
		return fmt.Sprintf("f%d", c.Bits)
	case ir.ClassInt:
		return fmt.Sprintf("i%d", c.Bits)
	}
	return fmt.Sprintf("u%d", c.Bits)
}

// FormatValue writes a value of the constant's type as ParseValue reads it.
func (c *SpecConstant) FormatValue(v uint64) string {
	switch c.Class {
	case ir.ClassBool:
		return fmt.Sprint(v != 0)
	case ir.ClassFloat:
		if c.Bits == 64 {
			return fmt.Sprint(math.Float64frombits(v))
		}
		return fmt.Sprint(float32(ir.FloatValue(v, c.Bits)))
	case ir.ClassInt:
		return fmt.Sprint(int64(v<<(64-c.Bits)) >> (64 - c.Bits))
	}
	return fmt.Sprint(v)
}
