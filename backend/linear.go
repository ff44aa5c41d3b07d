package backend

import (
	"fmt"
	"strconv"
	"strings"

	"nirc/ir"
)

// Linear says which components of which user locations are interpolated without perspective: for each component a mask of
// locations. It is what LinearABI names: one mask where all components of a location are alike, else four, of x, y, z and w.
type Linear [4]uint32

// LinearOf is all components of the locations in a mask.
func LinearOf(locations uint32) Linear { return Linear{locations, locations, locations, locations} }

// Locations are those of which a component is interpolated without perspective.
func (l Linear) Locations() uint32 { return l[0] | l[1] | l[2] | l[3] }

// Whole reports whether the components of each location are alike.
func (l Linear) Whole() bool { return l == LinearOf(l.Locations()) }

// ABI is the calling convention of the stage before the rasteriser, "" if nothing is interpolated without perspective.
func (l Linear) ABI() string {
	switch {
	case l.Locations() == 0:
		return ""
	case l.Whole():
		return fmt.Sprintf("%s%#x", LinearABI, l[0])
	}
	return fmt.Sprintf("%s%#x,%#x,%#x,%#x", LinearABI, l[0], l[1], l[2], l[3])
}

// ParseLinear reads what stands after LinearABI; ok is false if it is none, or empty.
func ParseLinear(masks string) (l Linear, ok bool) {
	list := strings.Split(masks, ",")
	if len(list) != 1 && len(list) != len(l) {
		return Linear{}, false
	}
	for i, text := range list {
		n, err := strconv.ParseUint(text, 0, 32)
		if err != nil {
			return Linear{}, false
		}
		l[i] = uint32(n)
	}
	if len(list) == 1 {
		l = LinearOf(l[0])
	}
	return l, l.Locations() != 0
}

// Interpolations gathers how a fragment shader's inputs are interpolated.
type Interpolations struct{ linear, other Linear }

// Add notes components of a slot, those of built-ins and patches not.
func (p *Interpolations) Add(slot ir.Slot, components uint8, interp ir.Interp) {
	if slot < ir.SlotVar0 || slot >= ir.SlotVar0+32 {
		return
	}
	to := &p.other
	if interp == ir.InterpNoPerspective {
		to = &p.linear
	}
	for i := range to {
		if components&(1<<i) != 0 {
			to[i] |= 1 << (slot - ir.SlotVar0)
		}
	}
}

// Linear is what is interpolated without perspective: locations of which nothing is interpolated otherwise as a whole.
func (p *Interpolations) Linear() Linear {
	l := p.linear
	whole := LinearOf(l.Locations() &^ p.other.Locations())
	for i := range l {
		l[i] |= whole[i]
	}
	return l
}
