package core

import (
	"testing"

	"nirc/backend/layout"
	"nirc/backend/midgard/abi"
	"nirc/internal/emu"
	"nirc/ir"
)

// numberOf is the entry of a table for an element of binding 2.
func numberOf(t *testing.T, table *layout.Table, element uint32) int {
	t.Helper()
	for n := range int(table.Limit) {
		if e, ok := table.Lookup(nil, 0, uint32(n)); ok && e.Set == 0 && e.Binding == 2 && e.Element == element {
			return n
		}
	}
	t.Fatalf("table %s has no entry for element %d", table.Name, element)
	return 0
}

// TestMissingElements: an access to an element of an array that nothing is bound to is told in checking mode, where the array has something elsewhere
// and the program was not compiled for robust access of the kind; what helpers do is not.
func TestMissingElements(t *testing.T) {
	for _, kind := range []struct {
		desc   emu.DescriptorType
		table  *layout.Table
		robust ir.Robust
	}{
		{emu.DescUniformBuffer, &abi.UBOTable, ir.Robust{Uniform: ir.Robust1}},
		{emu.DescSampledImage, &abi.TextureTable, ir.Robust{Images: ir.Robust1}},
		{emu.DescStorageImage, &abi.ImageTable, ir.Robust{Images: ir.Robust1}},
	} {
		for _, others := range []bool{false, true} {
			for element := range uint32(2) {
				for _, check := range []bool{false, true} {
					for _, helper := range []bool{false, true} {
						for _, robust := range []ir.Robust{{}, kind.robust} {
							b := &emu.Bindings{}
							list := make([]emu.Descriptor, 2)
							if others {
								list[1].Type = kind.desc
							}
							b.Set(0, 2, list)
							meta := &abi.Meta{Robust: robust}
							w := &wave{p: &program{meta: meta}, l: &emu.Launch{Env: &emu.Env{Bindings: b}}, check: check}
							var err error
							if kind.desc == emu.DescUniformBuffer {
								meta.UBOs = make([]abi.UBO, 3)
								meta.UBOs[1] = abi.UBO{Kind: abi.UBOBinding, Binding: 2, Element: element}
								helper = false // which its caller leaves out
								for _, other := range []int{0, 2, 3} {
									if err := w.missingUBO(other); err != nil {
										t.Errorf("buffer %d of the table is no binding's: %v", other, err)
									}
								}
								err = w.missingUBO(1)
							} else {
								err = w.reaches(&thread{helper: helper}, kind.table, numberOf(t, kind.table, element), &list[element])
							}
							if want := check && !helper && others && element == 0 && robust == (ir.Robust{}); (err != nil) != want {
								t.Errorf("%s: element %d, others bound %v, checked %v, of a helper %v, robust %v: %v", kind.table.Name, element, others, check, helper, robust, err)
							}
						}
					}
				}
			}
		}
	}
}
