package analysis

import (
	"math"
	"testing"
)

// floatSamples are values of every class: what is in a set, and what an operation makes of it, is seen by them.
var floatSamples = []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 0, float32(math.Copysign(0, -1)), 0x1p-140, -0x1p-140, 0x1p-149, -0x1p-149,
	1, -1, 2, -2, 0.5, -0.5, 1.5, -1.5, 0x1p-126, -0x1p-126, 0x1p-70, -0x1p-70, 0x1p100, -0x1p100, 0x1p127, -0x1p127, 0x1.8p22, -0x1.8p22, 3, -3, 0.25, -0.25}

func setOf(v float32) FloatSet { return classify(uint64(math.Float32bits(v)), 32) }

// memberOf reports whether a value may be in a set.
func memberOf(v float32, s FloatSet) bool { return setOf(v)&^s == 0 }

// TestFloatSetRules holds the rules of signs and classes to what floats do: whatever two values of two sets give lies in
// the set that the rule says, for all pairs of sets. The last column is how many classes all its answers have
// beyond those that the samples show: a rule that forgets more says less to those that ask.
func TestFloatSetRules(t *testing.T) {
	minimum := func(a, b float32) float32 { // of numbers, as NIR's fmin
		if a != a || !(b != b) && b < a {
			return b
		}
		return a
	}
	maximum := func(a, b float32) float32 {
		if a != a || !(b != b) && b > a {
			return b
		}
		return a
	}
	for _, c := range []struct {
		name  string
		rule  func(a, b FloatSet) FloatSet
		value func(a, b float32) float32
		one   bool
		loose int
	}{
		{"fmul", mulSigns, func(a, b float32) float32 { return a * b }, false, 2837},
		{"fmul by itself", func(a, _ FloatSet) FloatSet { return squareSigns(a) }, func(a, _ float32) float32 { return a * a }, true, 27},
		{"fadd", addRange, func(a, b float32) float32 { return a + b }, false, 3728},
		{"fmin", func(a, b FloatSet) FloatSet { return minMax(a, b, FloatPos) }, minimum, false, 2656},
		{"fmax", func(a, b FloatSet) FloatSet { return minMax(a, b, FloatNeg) }, maximum, false, 2656},
		{"fneg", func(a, _ FloatSet) FloatSet { return flip(a) }, func(a, _ float32) float32 { return -a }, true, 16},
	} {
		loose := 0
		for a := FloatSet(1); a <= floatAny; a++ {
			for b := FloatSet(1); b <= floatAny; b++ {
				var seen FloatSet
				for _, x := range floatSamples {
					if !memberOf(x, a) {
						continue
					}
					for _, y := range floatSamples {
						if memberOf(y, b) {
							seen |= setOf(c.value(x, y))
						}
					}
				}
				says := c.rule(a, b)
				if seen&^says != 0 {
					t.Fatalf("%s of %b and %b: %b, of which the rule's %b has not all", c.name, a, b, seen, says)
				}
				for more := says &^ seen; more != 0; more &= more - 1 {
					loose++
				}
				if c.one {
					break
				}
			}
		}
		if loose != c.loose {
			t.Errorf("%s: %d classes too many, want %d", c.name, loose, c.loose)
		}
	}
}

// TestClassify: the classes of constants, at the edges of each size.
func TestClassify(t *testing.T) {
	for _, c := range []struct {
		v    uint64
		size uint8
		want FloatSet
	}{
		{0, 32, FloatZero}, {1 << 31, 32, FloatZero}, {0x00800000, 32, FloatPos | FloatFrac}, {0x007fffff, 32, FloatPos | FloatZero | FloatFrac}, {0x80800000, 32, FloatNeg | FloatFrac},
		{0x7f800000, 32, FloatPos | FloatInf}, {0xff800000, 32, FloatNeg | FloatInf}, {0x7fc00000, 32, FloatNaN}, {0x3f800000, 32, FloatPos},
		{0x0400, 16, FloatPos | FloatFrac}, {0x03ff, 16, FloatPos | FloatZero | FloatFrac}, {0x7c00, 16, FloatPos | FloatInf}, {0xbc00, 16, FloatNeg},
		{0x0010000000000000, 64, FloatPos | FloatFrac}, {0x000fffffffffffff, 64, FloatPos | FloatZero | FloatFrac}, {0xfff0000000000000, 64, FloatNeg | FloatInf},
	} {
		if got := classify(c.v, c.size); got != c.want {
			t.Errorf("%#x of %d bits: %b, want %b", c.v, c.size, got, c.want)
		}
	}
}
