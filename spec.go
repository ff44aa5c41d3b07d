package nirc

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"nirc/frontend/spirv"
	"nirc/ir"
)

// Spec reads the value of a specialization constant, written ID=VALUE, by the
// type that the module gives the constant: 3=1.5 of a float, 4=true or 4=1 of a
// boolean, 5=-7 or 5=0x10 of an integer. NAME=VALUE works where the module
// has debug names.
func (m *Module) Spec(text string) (spirv.SpecValue, error) {
	id, value, ok := strings.Cut(text, "=")
	if !ok || id == "" {
		return spirv.SpecValue{}, Usagef("--spec %s: want ID=VALUE", text)
	}
	num, err := strconv.ParseUint(id, 0, 32)
	consts := m.SpecConstants()
	have := make([]string, len(consts))
	for i, c := range consts {
		have[i] = strconv.FormatUint(uint64(c.ID), 10)
		if err == nil && uint64(c.ID) != num || err != nil && c.Name != id {
			continue
		}
		bits, err := parseSpec(&consts[i], value)
		if err != nil {
			return spirv.SpecValue{}, Usagef("--spec %s: %s", text, err)
		}
		return spirv.SpecValue{ID: c.ID, Bits: bits}, nil
	}
	msg := fmt.Sprintf("the module has no specialization constant %s", id)
	if len(have) > 0 {
		msg += " (it has " + strings.Join(have, ", ") + ")"
	}
	return spirv.SpecValue{}, Diagnostics{{File: m.Name, Msg: msg}}
}

// parseSpec reads a value by the constant's type; integers are zero or sign extended.
func parseSpec(c *spirv.SpecConstant, value string) (uint64, error) {
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

func specType(c ir.TypeClass, bits uint8) string {
	switch c {
	case ir.ClassBool:
		return "bool"
	case ir.ClassFloat:
		return fmt.Sprintf("f%d", bits)
	case ir.ClassInt:
		return fmt.Sprintf("i%d", bits)
	}
	return fmt.Sprintf("u%d", bits)
}

// specText writes a specialization constant's value as --spec takes it.
func specText(c ir.TypeClass, bits uint8, v uint64) string {
	switch c {
	case ir.ClassBool:
		return fmt.Sprint(v != 0)
	case ir.ClassFloat:
		if bits == 64 {
			return fmt.Sprint(math.Float64frombits(v))
		}
		return fmt.Sprint(float32(ir.FloatValue(v, bits)))
	case ir.ClassInt:
		return fmt.Sprint(int64(v<<(64-bits)) >> (64 - bits))
	}
	return fmt.Sprint(v)
}
