package passes

import (
	"testing"

	"nirc/ir"
	"nirc/passes/analysis"
)

const samplingLoops = `shader fragment "main" {
  info { workgroup_size=1,1,1 }
  var @1 uniform sampled2D<f32> "t" { set=1 binding=3 }
  fn f0 "main" entry() {
    b0:
      %900:32 = load_const 0x0
      %901:32 = load_const 0x1
      %902:32 = load_const 0x5
      %1:32 = deref_var @1
      %903:32x2 = vec2 %900, %901
    loop {
      b1:
      %2:32 = phi b0: %900, b4: %3
      %4:1 = ult %2, %902
      if %4 {
        b2:
      } else {
        b3:
          break
      }
      b4:
      %5:32x4 = tex texture_deref=%1 sampler_deref=%1 coord=%903 dim=2D dest=f32 coord_components=2
      %3:32 = iadd %2, %901
    }
    b5:
    loop {
      b6:
      %6:32 = phi b5: %900, b9: %7
      %8:1 = ult %6, %902
      if %8 {
        b7:
      } else {
        b8:
          break
      }
      b9:
      %7:32 = iadd %6, %901
    }
    b10:
  }
}
`

// Loops of unknown trips have as much room as others, and less where a target wants that of loops with texture operations.
func TestBoundedCost(t *testing.T) {
	s, err := ir.Parse(samplingLoops)
	if err != nil {
		t.Fatal(err)
	}
	loops := analysis.RequireLoops(s.Entry().Impl).All
	if len(loops) != 2 {
		t.Fatalf("%d loops", len(loops))
	}
	for _, c := range []struct {
		most             int
		sampling, others int
	}{{0, 26 * 32, 26 * 32}, {100, 100, 26 * 32}, {5000, 26 * 32, 26 * 32}} {
		o := &ir.Options{MaxSampling: c.most}
		if a, b := boundedCost(o, loops[0], 32), boundedCost(o, loops[1], 32); a != c.sampling || b != c.others {
			t.Errorf("with %d: %d instructions of a loop that samples and %d of one that does not, not %d and %d", c.most, a, b, c.sampling, c.others)
		}
	}
	loops[0].Loop.Control = ir.LoopUnroll
	if n := boundedCost(&ir.Options{MaxSampling: 100}, loops[0], 32); n != 26*32 {
		t.Errorf("%d instructions of a loop that samples and is to be unrolled", n)
	}
}
