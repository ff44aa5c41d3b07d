package midgard

import "testing"

// TestComponents: each set of lanes reads what the swizzle says, lane by lane.
func TestComponents(t *testing.T) {
	for lanes := range uint8(16) {
		for c := range 256 {
			s := source{swz: [4]uint8{uint8(c & 3), uint8(c >> 2 & 3), uint8(c >> 4 & 3), uint8(c >> 6)}}
			want := uint8(0)
			for i, from := range s.swz {
				if lanes>>i&1 != 0 {
					want |= 1 << from
				}
			}
			if got := s.components(lanes); got != want {
				t.Fatalf("lanes %#x of the swizzle %v read %#x, want %#x", lanes, s.swz, got, want)
			}
		}
	}
}

// BenchmarkUses asks an instruction of two sources what it reads.
func BenchmarkUses(b *testing.B) {
	in := &inst{mask: 7, src: [2]source{{reg: firstVirtual, swz: identity}, {reg: firstVirtual + 1, swz: replicate(2)}}}
	var buf [maxUses]liveReg
	for b.Loop() {
		in.uses(buf[:0])
	}
}
