package core

import (
	"strings"
	"testing"

	"nirc/backend/midgard/isa"
)

// TestOutOfOrder: what may run while a texture operation is under way, and what may not.
func TestOutOfOrder(t *testing.T) {
	sample := func(count uint8) isa.Bundle {
		b := sampleBundle()
		b.Next, b.Tex.OutOfOrder = 0, count
		return b
	}
	moves := func(dst, src uint8) isa.Bundle {
		return alu(func(b *isa.Bundle) { b.Add(isa.UnitVMUL, move(dst, src, isa.XYZW)) })
	}
	loads := func(reg uint8) isa.Bundle {
		return ldst(varyingLoad(isa.LdVaryF32, 0, reg, 15, isa.VarySmooth))
	}
	branch := alu(func(b *isa.Bundle) {
		b.SetBranch(isa.Branch{Op: isa.BranchCond, Cond: isa.CondAlways, Target: isa.TagALU4, Offset: 0})
	})
	last := moves(5, 4)
	last.Next = isa.TagBreak
	for _, c := range []struct {
		name, want string
		count      uint8
		rest       []isa.Bundle
	}{
		{"one that has nothing to do with it", "", 1, []isa.Bundle{moves(4, 5), last}},
		{"the last one too", "", 2, []isa.Bundle{moves(4, 5), last}},
		{"more than there are", "the program ends", 3, []isa.Bundle{moves(4, 5), last}},
		{"a load", "", 1, []isa.Bundle{loads(4), last}},
		{"a reader", "28 is read or written 1 bundles too early", 2, []isa.Bundle{moves(4, 5), moves(4, isa.RegTex0), last}},
		{"a reader after it", "", 1, []isa.Bundle{moves(4, 5), moves(4, isa.RegTex0), last}},
		{"a reader of the other result", "", 1, []isa.Bundle{moves(4, isa.RegTex1), last}},
		{"the next operation", "while another is out of order", 1, []isa.Bundle{sample(0), last}},
		{"a branch", "a branch while", 1, []isa.Bundle{branch, last}},
		{"nothing", "", 0, []isa.Bundle{moves(4, isa.RegTex0), last}},
	} {
		err := load(t, fragMeta(), append([]isa.Bundle{sample(c.count)}, c.rest...)...).(*program).code[0].rules
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	m := fragMeta()
	m.Alias = true
	for name, b := range map[string]isa.Bundle{"read": moves(4, 0), "written": moves(0, 4), "loaded": loads(0)} {
		if err := load(t, m, sample(1), b, last).(*program).code[0].rules; err == nil || !strings.Contains(err.Error(), "register 0 is read or written") {
			t.Errorf("the work register of the result is %s: %v", name, err)
		}
	}
}
