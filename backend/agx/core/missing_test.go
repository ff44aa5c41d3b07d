package core

import (
	"testing"

	"nirc/backend/agx/abi"
	"nirc/backend/layout"
	"nirc/internal/emu"
	"nirc/ir"
)

// TestMissingElements: an access to an element of an array of textures or images that nothing is bound to is told in checking mode, where the array has
// something elsewhere and the program was not compiled for robust access; what preambles do ahead, and what helpers and killed lanes do, is not.
func TestMissingElements(t *testing.T) {
	for _, others := range []bool{false, true} {
		for element := range uint32(2) {
			for _, check := range []bool{false, true} {
				for _, preamble := range []bool{false, true} {
					for lane := range 4 { // of a fragment shader: covered, killed, a helper, and of another stage
						for _, robust := range []ir.Robust{{}, {Images: ir.Robust1}} {
							b := &emu.Bindings{}
							list := make([]emu.Descriptor, 2)
							if others {
								list[1].Type = emu.DescSampledImage
							}
							b.Set(0, 2, list)
							w := &wave{p: &program{meta: &abi.Meta{Robust: robust}}, l: &emu.Launch{Env: &emu.Env{Bindings: b}}, preamble: preamble}
							if check {
								w.check = &checker{}
							}
							if lane < 3 {
								w.frag = &fragState{}
								w.frag.cover[0], w.frag.cover[1], w.frag.killed[1] = 3, 3, 3
							}
							w.reachesTexture(&list[element], &layout.Entry{Binding: 2, Element: element}, lane)
							if want := others && element == 0 && check && !preamble && (lane == 0 || lane == 3) && robust == (ir.Robust{}); (w.fault != nil) != want {
								t.Errorf("element %d, others bound %v, checked %v, in a preamble %v, lane %d, robust %v: %v", element, others, check, preamble, lane, robust, w.fault)
							}
						}
					}
				}
			}
		}
	}
}
