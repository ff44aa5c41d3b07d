package ir3

import (
	"strings"
	"testing"

	"nirc/backend/ir3/isa"
	"nirc/internal/emu"
	"nirc/ir"
)

// TestAliasWaits: of the waits of a lookup with names (ss) stands before the names, (sy) at the lookup.
func TestAliasWaits(t *testing.T) {
	x := pinstr{Instr: isa.Instr{Op: isa.OpSam, Flags: isa.SS | isa.SY | isa.JP}, alias: []aliasEntry{{name: 160, src: isa.R(3)}, {name: 161, src: isa.R(9)}}}
	p := &phys{blocks: []pblock{{ins: []pinstr{x}}}}
	p.expandAliases()
	want := []isa.Flags{isa.SS, 0, isa.SY | isa.JP}
	if got := p.blocks[0].ins; len(got) != len(want) {
		t.Fatalf("%d instructions, want %d", len(got), len(want))
	}
	for i := range want {
		if got := p.blocks[0].ins[i].Flags; got != want[i] {
			t.Errorf("instruction %d has the flags %#x, want %#x", i, got, want[i])
		}
	}
}

// TestAliasAfterFence: after a fence a nop waits for all, wherever in a line of the instruction cache a lookup's names come to stand.
func TestAliasAfterFence(t *testing.T) {
	programs.Hold(t)
	for n := range 8 {
		err := namedLookups(func(b *ir.Builder, x *ir.Def, look func(u, v *ir.Def) *ir.Def) *ir.Def {
			for range n {
				x = b.Fmul(x, x)
			}
			b.Intrinsic(ir.IntrBarrier, 0, 0).Set(ir.IdxMemoryScope, uint64(ir.ScopeDevice)).
				Set(ir.IdxMemorySemantics, uint64(ir.SemAcquire|ir.SemRelease)).Set(ir.IdxMemoryModes, uint64(ir.ModeSSBO))
			return b.Fadd(look(x, b.ImmFloat(0.37, 32)), b.Vec(x, x, x, x))
		})
		if err != nil {
			t.Errorf("after %d products: %v", n, err)
		}
	}
}

// TestAlias: what stands in constants and in several vectors is named instead
// of moved where the GPU can do that, and lookups give the same.
func TestAlias(t *testing.T) {
	programs.Hold(t)
	stageEnv = func(env *emu.Env) { texWorld(t, env) }
	defer func() { stageEnv = nil }()
	s, b := newStage(ir.StageFragment)
	pos := &b.Intrinsic(ir.IntrLoadFragCoord, 4, 32).Def
	u, v := b.Fmul(b.Channel(pos, 0), b.ImmFloat(0.0625, 32)), b.Fmul(b.Channel(pos, 1), b.ImmFloat(0.2, 32))
	x := &texBuild{s: s, b: b}
	d := x.variable(0, 0, ir.BaseSampledImage, ir.Dim2D, false, false, 0)
	arr := x.variable(0, 2, ir.BaseSampledImage, ir.Dim2D, true, false, 0)
	look := func(c *ir.Def) *ir.Def {
		return &x.op(ir.TexOpTex, 4, ir.Dim2D, c.NumComponents == 3, append(at(map[bool]*ir.Def{false: d, true: arr}[c.NumComponents == 3]), texSource{ir.TexSrcCoord, c})...).Def
	}
	sum := look(b.Vec(u, v))
	for _, c := range []*ir.Def{b.Vec(v, u), b.Vec(u, u), b.Vec(u, v, b.ImmFloat(2, 32)), b.Vec(v, b.ImmFloat(0.37, 32))} {
		sum = b.Fadd(sum, look(c))
	}
	outputTo(b, sum, ir.SlotData0)
	if err := lowerToScalar(s); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		gpu string
		yes bool
	}{{"a630", false}, {"a740", true}} {
		if err := stageDiffer(s, c.gpu); err != nil {
			t.Errorf("%s: %v", c.gpu, err)
		}
		bin, err := compile(s, CompileOptions{GPU: c.gpu})
		if err != nil {
			t.Fatal(err)
		}
		text := disasm(bin)
		if n := strings.Count(text, "alias.tex.b32."); (n > 0) != c.yes || c.yes && bin.Stats.Mov != 0 {
			t.Errorf("%s: %d aliases, %d moves\n%s", c.gpu, n, bin.Stats.Mov, text)
		}
	}
}

// TestAliasTakers: lookups take names, but no isam with an immediate offset.
func TestAliasTakers(t *testing.T) {
	for _, c := range []struct {
		in   isa.Instr
		want bool
	}{
		{isa.Instr{Op: isa.OpSam}, true}, {isa.Instr{Op: isa.OpIsam, Flags: isa.TexS}, true}, {isa.Instr{Op: isa.OpIsam, Flags: isa.TexS | isa.TexP, Off: 3}, false},
		{isa.Instr{Op: isa.OpDsxpp1}, false},
	} {
		if got := takesAliases(&c.in); got != c.want {
			t.Errorf("%v: %v", c.in.Op, got)
		}
	}
}

// TestNaming: names keep elements in place where they can, and never stand
// for two things.
func TestNaming(t *testing.T) {
	r, imm := isa.R, isa.I(7)
	for _, c := range []struct {
		taken, elems []isa.Operand
		at           int32 // of taken
		base         int32
		entries      int
	}{
		{elems: []isa.Operand{r(4), r(5)}, base: 4},
		{elems: []isa.Operand{r(4), imm}, base: 4, entries: 1},
		{elems: []isa.Operand{imm}, base: aliasFirst, entries: 1},
		{elems: []isa.Operand{r(9), r(5), r(6)}, base: 4, entries: 1},
		{elems: []isa.Operand{imm, r(0)}, base: aliasFirst, entries: 2}, // there is no register before r0.x
		{taken: []isa.Operand{r(5)}, at: 5, elems: []isa.Operand{r(4), imm}, base: aliasFirst, entries: 2},
		{taken: []isa.Operand{r(5)}, at: 5, elems: []isa.Operand{r(4), r(5)}, base: 4},
		{taken: []isa.Operand{imm}, at: 5, elems: []isa.Operand{r(4), imm}, base: 4, entries: 1},
		{taken: []isa.Operand{imm}, at: aliasFirst, elems: []isa.Operand{isa.I(8)}, base: aliasFirst + 1, entries: 1},
	} {
		var n naming
		n.add(c.at, c.taken)
		base := n.base(c.elems)
		if entries, ok := n.fits(base, c.elems); base != c.base || !ok || entries != c.entries {
			t.Errorf("%v after %v: base %d with %d entries (%v), want %d with %d", c.elems, c.taken, base, entries, ok, c.base, c.entries)
		}
	}
}
