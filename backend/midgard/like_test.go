package midgard

import (
	"math/bits"
	"math/rand"
	"testing"
)

// TestLike compares what one move takes along with its definition, lane by lane.
func TestLike(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range 3000 {
		var parts [4]source
		for k := range parts {
			parts[k] = source{reg: []reg{4, 5, regConst}[r.Intn(3)], swz: replicate(uint8(r.Intn(4))), odd: uint8(r.Intn(2))}
		}
		left, i := uint8(1+r.Intn(15)), 0
		i = bits.TrailingZeros8(left)
		p := &parts[i]
		var same, low uint8
		for k := range parts {
			q := &parts[k]
			if left>>k&1 == 0 || q.reg != p.reg {
				continue
			}
			if q.reg == regConst {
				same |= 1 << k
				continue
			}
			if q.swz[0] == p.swz[0] {
				same |= 1 << k
			}
			if q.swz[0]/2 == p.swz[0]/2 && q.odd == 0 && p.odd == 0 {
				low |= 1 << k
			}
		}
		short := bits.OnesCount8(low) > bits.OnesCount8(same)
		if short {
			same = low
		}
		if got, s := like(parts[:], left, i); got != same || s != short {
			t.Fatalf("part %d of %v, left %04b: %04b, short %v; want %04b, short %v", i, parts, left, got, s, same, short)
		}
	}
}
