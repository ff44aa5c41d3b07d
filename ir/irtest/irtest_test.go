package irtest

import (
	"testing"

	"nirc/ir"
)

func TestRandomShadersAreValid(t *testing.T) {
	for seed := range uint64(60) {
		for _, c := range []Config{{}, {Everything: true}, {IntOnly: true, AllExact: true}, {NoLoops: true, NoVariables: true}} {
			c.Seed, c.Size = seed, 60+int(seed)*20
			s := c.Shader()
			if err := ir.Validate(s); err != nil {
				t.Fatalf("%+v: %v\n%s", c, err, ir.Print(s))
			}
		}
	}
}

func TestSameSeedSameShader(t *testing.T) {
	c := Config{Seed: 7, Size: 500, Everything: true}
	first, second := ir.Print(c.Shader()), ir.Print(c.Shader())
	if first != second {
		t.Error("two shaders of one seed differ")
	}
	if ir.Print(RandomShader(1, 500)) == ir.Print(RandomShader(2, 500)) {
		t.Error("two seeds give one shader")
	}
}

// TestShadersHaveEverything: the generator reaches what it promises.
func TestShadersHaveEverything(t *testing.T) {
	var kinds [16]int
	ifs, loops, conts := 0, 0, 0
	for seed := range uint64(20) {
		s := Config{Seed: seed, Size: 800, Everything: true}.Shader()
		for b := range s.Entry().Impl.Blocks() {
			if b.FollowingIf() != nil {
				ifs++
			}
			if l := b.FollowingLoop(); l != nil {
				loops++
				if !l.Continue.Empty() {
					conts++
				}
			}
			for in := range b.Instrs() {
				kinds[in.Kind]++
			}
		}
	}
	for k := ir.KindALU; k <= ir.KindCall; k++ {
		if kinds[k] == 0 {
			t.Errorf("no instruction of kind %d", k)
		}
	}
	if ifs == 0 || loops == 0 || conts == 0 {
		t.Errorf("%d ifs, %d loops, %d continue lists", ifs, loops, conts)
	}
	t.Logf("kinds %v ifs %d loops %d continue lists %d", kinds, ifs, loops, conts)
}
