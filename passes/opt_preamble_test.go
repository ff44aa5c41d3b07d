package passes

import (
	_ "embed"
	"testing"

	"nirc/ir"
)

// mergePreamble puts the preamble's code before the shader and its
// values where they are loaded: what a machine does that runs the one before
// the other.
func mergePreamble(t *testing.T, s *ir.Shader) {
	pre := s.Preamble()
	if pre == nil {
		t.Fatal("no preamble")
	}
	impl := s.Entry().Impl
	c := ir.NewCloner(pre.Impl, impl)
	stored := map[uint64]*ir.Def{}
	at := ir.AtStart(impl.Start())
	for in := range pre.Impl.Start().Instrs() {
		if in.IsIntrinsic(ir.IntrStorePreamble) {
			stored[in.Get(ir.IdxBase)] = c.Def(in.Srcs[0].Def)
			continue
		}
		at.Insert(c.Instr(in))
	}
	c.Finish()
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			if !in.IsIntrinsic(ir.IntrLoadPreamble) {
				continue
			}
			v := stored[in.Get(ir.IdxBase)]
			if v == nil || v.BitSize != in.Def.BitSize || v.NumComponents != in.Def.NumComponents {
				t.Fatalf("%s\nloads what is not stored", ir.Print(s))
			}
			in.Def.RewriteUses(v)
			in.Remove()
		}
	}
	impl.Preserve(ir.MetaControlFlow)
	s.Functions = s.Functions[:1]
}

// preambleCases give how many values of a shader move under the options.
var preambleCases = []struct {
	shader  *string
	options []string
	stores  int
}{
	{&preambleShader, nil, 2},
	{&preambleShader, []string{"size", "1"}, 1},
	{&preambleShader, []string{"size", "0"}, 0},
	{&preambleShader, []string{"alu_cost", "0"}, 0},
	{&preambleShader, []string{"rewrite_cost", "2"}, 1},
	// A texel, a product of 64 bits, and what an if chooses.
	{&preambleMore, nil, 3},
	{&preambleMore, []string{"textures", "false"}, 3},
	{&preambleMore, []string{"tex_cost", "0", "alu_cost", "0"}, 0},
	{&preambleMore, []string{"alu_cost", "0"}, 1},
	{&preambleMore, []string{"size", "4"}, 1},
	{&preambleMore, []string{"size", "5"}, 2},
}

//go:embed testdata/ir/preamble_shader.nir
var preambleShader string

//go:embed testdata/ir/preamble_more.nir
var preambleMore string

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
		n := 0
		if f := s.Preamble(); f != nil {
			for in := range f.Impl.Start().Instrs() {
				if in.IsIntrinsic(ir.IntrStorePreamble) {
					n++
				}
			}
		}
		if n != c.stores {
			t.Errorf("%v: %d values stored, want %d\n%s", c.options, n, c.stores, ir.Print(s))
		}
		if n > 0 {
			mergePreamble(t, s)
			compareRuns(t, before, s)
		}
	}
}
