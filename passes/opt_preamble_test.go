package passes

import (
	_ "embed"
	"testing"

	"nirc/ir"
)

// preambleCases give how many values of a shader move under the options, and how many ifs of the preamble they stand in.
var preambleCases = []struct {
	shader  *string
	options []string
	stores  int
	ifs     int
}{
	{&preambleShader, nil, 2, 0},
	{&preambleShader, []string{"size", "1"}, 1, 0},
	{&preambleShader, []string{"size", "0"}, 0, 0},
	{&preambleShader, []string{"alu_cost", "0"}, 0, 0},
	{&preambleShader, []string{"rewrite_cost", "2"}, 1, 0},
	// A texel, a product of 64 bits, and what an if chooses.
	{&preambleMore, nil, 3, 0},
	{&preambleMore, []string{"textures", "false"}, 3, 0},
	{&preambleMore, []string{"tex_cost", "0", "alu_cost", "0"}, 0, 0},
	{&preambleMore, []string{"alu_cost", "0"}, 1, 0},
	{&preambleMore, []string{"size", "4"}, 1, 0},
	{&preambleMore, []string{"size", "5"}, 2, 0},
	{&preambleMore, []string{"both_sides", "0"}, 3, 1},
	// Lookups stand in ifs by conditions that move, and not in others; an if whose sides are short is a selection.
	{&preambleIfs, nil, 2, 2},
	{&preambleIfs, []string{"both_sides", "0"}, 2, 3},
	{&preambleIfs, []string{"textures", "false"}, 2, 0},
	// What the condition of an if is made of has a place only where the shader has something left of the if.
	{&preambleVanishes, nil, 1, 0},
	{&preambleVanishes, []string{"size", "0"}, 0, 0},
	// What reads out of an if whose other side leaves a loop or ends moves with a selection, or not at all: a branch of the preamble does neither.
	{&preambleLeft, nil, 2, 1},
	{&preambleLeft, []string{"both_sides", "0"}, 2, 1},
	// Conditions of words choose too.
	{&preambleWords, nil, 1, 0},
	{&preambleStays, nil, 3, 0},
	{&preambleStays, []string{"size", "2"}, 2, 0},
}

//go:embed testdata/ir/preamble_shader.nir
var preambleShader string

//go:embed testdata/ir/preamble_more.nir
var preambleMore string

//go:embed testdata/ir/preamble_ifs.nir
var preambleIfs string

//go:embed testdata/ir/preamble_vanishes.nir
var preambleVanishes string

//go:embed testdata/ir/preamble_left.nir
var preambleLeft string

//go:embed testdata/ir/preamble_words.nir
var preambleWords string

//go:embed testdata/ir/preamble_stays.nir
var preambleStays string

func TestPreamble(t *testing.T) {
	for _, c := range preambleCases {
		s, err := ir.Parse(*c.shader)
		if err != nil {
			t.Fatal(err)
		}
		before := ir.Clone(s)
		if _, err := RunPass(s, "opt_preamble", c.options...); err != nil {
			t.Fatal(err)
		}
		if err := ir.Validate(s); err != nil {
			t.Fatalf("%v: %v\n%s", c.options, err, ir.Print(s))
		}
		n, ifs := 0, 0
		if f := s.Preamble(); f != nil {
			for b := range f.Impl.Blocks() {
				if b.FollowingIf() != nil {
					ifs++
				}
				for in := range b.Instrs() {
					if in.IsIntrinsic(ir.IntrStorePreamble) {
						n++
					}
				}
			}
		}
		if n != c.stores || ifs != c.ifs {
			t.Errorf("%v: %d values stored, want %d, in %d ifs, want %d\n%s", c.options, n, c.stores, ifs, c.ifs, ir.Print(s))
		}
		compareRuns(t, before, s)
	}
}
