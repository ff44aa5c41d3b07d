package interp

import (
	"fmt"
	"strings"
	"testing"

	"nirc/internal/emu"
	"nirc/ir"
)

// outputPart is an access to an output: components of some bits from a word of a slot on.
type outputPart struct {
	bits, comps, component, mask int
	slot                         int // after VAR0
}

// TestOutputParts: a store writes the words that its component and mask name, of 64 bits two for each component and of 16 the lower half
// of one, into the next slot too; a load reads them; and what lies beyond the last slot is neither written nor read.
func TestOutputParts(t *testing.T) {
	last := int(ir.NumVaryingSlots) - 1 - int(ir.SlotVar0)
	var parts []outputPart
	for _, bits := range []int{16, 32, 64} {
		words := max(1, bits/32)
		for component := 0; component < 4; component += words {
			for comps := 1; comps <= 4 && component+comps*words <= 8; comps++ {
				if bits < 64 && component+comps > 4 {
					continue
				}
				for mask := 1; mask < 1<<comps; mask++ {
					parts = append(parts, outputPart{bits, comps, component, mask, 2})
				}
				parts = append(parts, outputPart{bits, comps, component, 1<<comps - 1, last}, outputPart{bits, comps, component, 1<<comps - 1, last + 1})
			}
		}
	}
	for _, p := range parts {
		p.test(t, last)
	}
}

// value is component k of what is stored.
func (p *outputPart) value(k int) uint64 {
	return (uint64(k)*0x0123456711111111 + 0x89abcdef76543210) >> (64 - p.bits)
}

// shape is the suffix of a value's number.
func (p *outputPart) shape() string {
	if p.comps == 1 {
		return fmt.Sprintf(":%d", p.bits)
	}
	return fmt.Sprintf(":%dx%d", p.bits, p.comps)
}

// test stores a part, loads it again into slot VAR0 and on, and looks at all that the emitted vertex has.
func (p *outputPart) test(t *testing.T, last int) {
	t.Helper()
	var values []string
	for k := range p.comps {
		values = append(values, fmt.Sprintf("%#x", p.value(k)))
	}
	constant := strings.Join(values, ", ")
	if p.comps > 1 {
		constant = "(" + constant + ")"
	}
	var mask, all string
	for k := range p.comps {
		if all += "xyzw"[k : k+1]; p.mask>>k&1 != 0 {
			mask += "xyzw"[k : k+1]
		}
	}
	component := ""
	if p.component > 0 {
		component = fmt.Sprintf("component=%d ", p.component)
	}
	text := fmt.Sprintf(`shader geometry "main" {
  info { gs_invocations=1 gs_max_vertices=1 gs_in_primitive=2 gs_out_primitive=1 }
  fn f0 "main" entry() {
    b0:
      %%0:32 = load_const 0x0
      %%1:32 = load_const %#x
      %%2%s = load_const %s
      store_output %%2, %%1 %swrite_mask=%s src_type=u%d io_semantics={VAR0 64}
      %%3%s = load_output %%1 %sdest_type=u%d io_semantics={VAR0 64}
      store_output %%3, %%0 write_mask=%s src_type=u%d io_semantics={VAR0 2}
      emit_vertex
  }
}`, p.slot, p.shape(), constant, component, mask, p.bits, p.shape(), component, p.bits, all, p.bits)
	s, err := ir.Parse(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	program, err := New(s, Options{WaveSize: 1})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	emission := emu.NewEmission(1)
	runWave(t, program, &emu.Launch{NumLanes: 1, Geometry: []emu.GeometryLane{{V: []*emu.Slots{filled(0), filled(0)}, Emitted: emission}}})
	got := emission.Vertices[0]
	want := make([]uint32, 4*(last+1))
	words, n := max(1, p.bits/32), p.comps
	read := make([]uint64, n)
	for k := range n {
		if at := 4*p.slot + p.component + k*words; at+words <= len(want) && p.mask>>k&1 != 0 {
			put(want[at:], p.value(k), p.bits)
			read[k] = p.value(k)
		}
	}
	for k := range n {
		put(want[k*words:], read[k], p.bits)
	}
	for i, w := range want {
		if v := got[int(ir.SlotVar0)+i/4][i%4]; v != w {
			t.Errorf("%+v: word %d of slot VAR%d is %#x, want %#x", *p, i%4, i/4, v, w)
		}
	}
}

// put writes a component into words.
func put(words []uint32, v uint64, bits int) {
	if words[0] = uint32(v); bits == 64 {
		words[1] = uint32(v >> 32)
	}
}
