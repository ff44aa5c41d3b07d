package exec

import (
	"context"
	"encoding/binary"
	"os"
	"slices"
	"testing"

	"nirc"
	"nirc/internal/emu"
	"nirc/passes"
)

// TestAtomicCounters runs a module of OpenGL's whose counters are words of the buffer at their binding (lower_atomics_to_ssbo), beside which
// the shader's own buffer moves up, on all targets.
func TestAtomicCounters(t *testing.T) {
	text, err := os.ReadFile("testdata/counters.spvasm") // glslangValidator -G
	if err != nil {
		t.Fatal(err)
	}
	m, err := nirc.Load(text, "counters.spvasm")
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{nirc.IRTarget, "ir3", "agx", "midgard"} {
		for _, level := range []passes.Level{passes.O0, passes.O2} {
			counters, out := make([]byte, 32), make([]byte, 4*18)
			for i := range 8 {
				binary.LittleEndian.PutUint32(counters[4*i:], uint32(100*i))
			}
			x := &Execution{Modules: []*nirc.Module{m}, Options: nirc.Options{Target: target, Level: level}, Groups: [3]uint32{1, 1, 1}, Limits: emu.Limits{Check: true},
				Bindings: []Binding{{Binding: 0, Data: counters}, {Binding: 1, Data: out}}}
			if target == nirc.IRTarget && level == passes.O0 { // the interpreter has no counters
				if x.Options.Passes, err = passes.ParsePassList("lower_atomics_to_ssbo"); err != nil {
					t.Fatal(err)
				}
			}
			if err := Execute(context.Background(), x); err != nil {
				t.Fatalf("%s -%s: %v", target, level, err)
			}
			words := func(b []byte) (w []uint32) {
				for at := 0; at < len(b); at += 4 {
					w = append(w, binary.LittleEndian.Uint32(b[at:]))
				}
				return w
			}
			got := words(out)
			slices.Sort(got[:8])
			slices.Sort(got[8:16])
			want := []uint32{100, 101, 102, 103, 104, 105, 106, 107, 197, 198, 199, 297, 298, 299, 398, 399, 398 + 108 + 197, 398}
			// Each of the three counters goes down by as many invocations as come to it: 3, 3 and 2.
			if after := words(counters); !slices.Equal(got, want) || !slices.Equal(after, []uint32{0, 113, 197, 297, 398, 500, 600, 700}) {
				t.Errorf("%s -%s: %d, want %d; counters %d", target, level, got, want, after)
			}
		}
	}
}
