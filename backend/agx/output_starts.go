package agx

import (
	"math/bits"

	"nirc/backend"
	"nirc/backend/agx/abi"
	"nirc/ir"
)

// Where the outputs of a vertex begin in their slots. Vulkan lets variables share a location, and the variable that an input
// matches begins at the same component; so what begins at one component is interpolated in one way, and what begins at another maybe
// in another: it is a varying of its own (abi.Varying).

// outputStarts are the components at which a variable begins, a bit each, of each slot.
func outputStarts(sh *ir.Shader) (starts [ir.NumVaryingSlots]uint8) {
	add := func(slot int32, t *ir.Type, comp uint8) {
		for k := range int32(t.SlotCount()) {
			if at := slot + k; at >= 0 && at < int32(len(starts)) {
				starts[at] |= 1 << (comp & 3)
			}
		}
	}
	for _, v := range sh.Variables {
		if v.Mode == ir.ModeShaderOut {
			add(v.Location, v.Type, v.Component)
		}
	}
	return starts
}

// runs are the parts of a slot's varying that begin at starts.
func runs(v abi.Varying, starts uint8) (list []abi.Varying) {
	for end := v.First + v.Count; v.Count > 0; {
		n := v.Count
		if next := starts >> (v.First + 1); next != 0 {
			n = min(n, uint8(bits.TrailingZeros8(next))+1)
		}
		list = append(list, abi.Varying{Slot: v.Slot, First: v.First, Count: n})
		v.First, v.Count = v.First+n, end-v.First-n
	}
	return list
}

// placedVaryings is how many varyings of a vertex begin where the driver says: all, where there are several.
func placedVaryings(sh *ir.Shader, impl *ir.Impl) (n int) {
	var written [ir.NumVaryingSlots]uint8
	for in := range impl.Instrs() {
		if !in.IsIntrinsic(ir.IntrStoreOutput) {
			continue
		}
		st, err := backend.NewIOStore(in)
		if err != nil || int(st.Slot) >= len(written) { // selection refuses it
			continue
		}
		for c := range st.Written {
			written[st.Slot] |= 1 << (st.Comp + c)
		}
	}
	starts := outputStarts(sh)
	for slot, mask := range written {
		if mask != 0 && forFragments(ir.Slot(slot)) {
			first, end := bits.TrailingZeros8(mask), bits.Len8(mask)
			n += 1 + bits.OnesCount8(starts[slot]>>(first+1)&(1<<(end-first-1)-1))
		}
	}
	if n == 1 {
		return 0
	}
	return n
}

// recordStarts are the starts of a record's slots, nil where each has one.
func recordStarts(sh *ir.Shader, record []ir.Slot) []uint8 {
	starts, several := outputStarts(sh), false
	list := make([]uint8, len(record))
	for k, slot := range record {
		list[k] = starts[slot]
		several = several || list[k]&(list[k]-1) != 0
	}
	if !several {
		return nil
	}
	return list
}

// declareOutputs declares what a program that was made for another's outputs stores: a variable at each of starts.
func declareOutputs(s *ir.Shader, slot ir.Slot, starts uint8) {
	for c := range uint8(4) {
		if starts>>c&1 != 0 {
			v := s.NewVariable(ir.ModeShaderOut, ir.ScalarType(ir.BaseFloat, 32), "")
			v.Location, v.Component = int32(slot), c
		}
	}
}
