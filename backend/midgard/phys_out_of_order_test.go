package midgard

import (
	"testing"

	"nirc/backend/midgard/abi"
	"nirc/backend/midgard/isa"
)

// TestOutOfOrder: bundles run while a texture operation is under way up to the first that has to do with what it makes,
// where the chip can do that; none runs beside lookups of what stores may change.
func TestOutOfOrder(t *testing.T) {
	move := func(to, from reg) *bundle {
		b := newBundle()
		b.units[isa.UnitVMUL] = &inst{kind: kindALU, op: isa.OpImov, dst: to, mask: 15, src: [2]source{{reg: regNone}, {reg: from, swz: identity}}}
		return b
	}
	texture := func(in inst) *bundle {
		in.kind, in.dst, in.mask = kindTex, regTexOut1, 15
		return &bundle{contents: contents{tex: &in}}
	}
	branch := newBundle()
	branch.branch = &inst{kind: kindBranch, dst: regNone}
	load := &bundle{contents: contents{ldst: [2]*inst{{kind: kindLdSt, dst: 3, mask: 15, ld: isa.LoadStore{Op: isa.LdVaryF32}}}}}
	var many []*bundle
	for range 20 {
		many = append(many, move(1, 2))
	}
	for _, c := range []struct {
		name string
		chip string
		tex  inst
		rest []*bundle
		want uint8
	}{
		{"to the end of the block", "t860", inst{}, []*bundle{move(1, 2), load, move(1, 2)}, 3},
		{"the most that the field holds", "t860", inst{}, many, 15},
		{"up to a reader", "t860", inst{}, []*bundle{move(1, 2), move(1, regTexOut1), move(1, 2)}, 1},
		{"past a reader of the other result", "t860", inst{}, []*bundle{move(1, regTexOut0), move(1, 2)}, 2},
		{"up to what writes the register", "t860", inst{}, []*bundle{move(1, 2), move(regTexOut1, 2)}, 1},
		{"up to a branch", "t860", inst{}, []*bundle{move(1, 2), branch}, 1},
		{"up to the next operation", "t860", inst{}, []*bundle{load, texture(inst{})}, 1},
		{"none where the chip waits", "t720", inst{}, []*bundle{move(1, 2)}, 0},
		{"none where stores may change it", "t860", inst{texels: true}, []*bundle{move(1, 2)}, 0},
	} {
		b := texture(c.tex)
		g := abi.FindGPU(c.chip)
		k := &compiler{gpu: g, attempt: attempt{p: &program{gpu: g, blocks: []pblock{{list: append([]*bundle{b}, c.rest...)}}}}}
		if err := k.outOfOrder(); err != nil || b.tex.tex.OutOfOrder != c.want {
			t.Errorf("%s: %d, want %d (%v)", c.name, b.tex.tex.OutOfOrder, c.want, err)
		}
	}
}
