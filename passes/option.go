package passes

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"nirc/ir"
)

// parseOption reads text as a value of like's type.
func parseOption(like any, text string) (any, error) {
	switch like.(type) {
	case bool:
		v, err := strconv.ParseBool(text)
		if err != nil {
			return nil, fmt.Errorf("want true or false")
		}
		return v, nil
	case int:
		v, err := strconv.Atoi(text)
		if err != nil {
			return nil, fmt.Errorf("want an integer")
		}
		return v, nil
	case float64:
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("want a number")
		}
		return v, nil
	case ir.Mode:
		var m ir.Mode
		for _, n := range strings.Split(text, "|") {
			one := ir.ParseMode(n)
			if one == 0 && n != "none" {
				return nil, fmt.Errorf("no variable mode %q", n)
			}
			m |= one
		}
		return m, nil
	}
	return text, nil
}

// splitOption takes a list of names joined by | apart.
func splitOption(list string) []string { return strings.Split(list, "|") }

// optionError is the complaint about an option's value.
func optionError(format string, args ...any) error { return fmt.Errorf(format, args...) }

// wantBits refuses options that are no size of numbers.
func (c *Context) wantBits(names ...string) error {
	for _, name := range names {
		switch n := c.Int(name); n {
		case 8, 16, 32, 64:
		default:
			return optionError("%s=%d: want 8, 16, 32 or 64", name, n)
		}
	}
	return nil
}

// wantUpTo refuses options that are negative or more than most.
func (c *Context) wantUpTo(most int, names ...string) error {
	for _, name := range names {
		if n := c.Int(name); n < 0 || n > most {
			return optionError("%s=%d: want 0 to %d", name, n, most)
		}
	}
	return nil
}

// mostPlaces is how large numbers of descriptor sets and bindings may be.
const mostPlaces = 1 << 24
