package ir

import "testing"

// Each built-in stands once; its intrinsic is a system value as wide as its type.
func TestBuiltInTable(t *testing.T) {
	seen := map[int32]bool{}
	for i := range BuiltInTable {
		b := &BuiltInTable[i]
		if seen[b.ID] {
			t.Errorf("%s stands twice", b.Name)
		}
		seen[b.ID] = true
		if FindBuiltIn(b.ID) != b {
			t.Errorf("%s is not found", b.Name)
		}
		if !b.HasSlot && !b.SysVal && b.Load == 0 {
			t.Errorf("%s is nothing", b.Name)
		}
		if b.Load == 0 {
			continue
		}
		row := b.Load.Info()
		if !row.SysVal || len(row.Srcs) != 0 {
			t.Errorf("%s comes from %s", b.Name, row.Name)
		}
		if b.Comps != 0 && !b.Array && row.DestComps != 0 && row.DestComps != b.Comps {
			t.Errorf("%s has %d components, %s %d", b.Name, b.Comps, row.Name, row.DestComps)
		}
		if got, want := row.DestBits.Has(1), b.Base == BaseBool; row.DestBits != 0 && got != want {
			t.Errorf("%s is a boolean: %t, %s gives one: %t", b.Name, want, row.Name, got)
		}
	}
}

// The stages' names lead to the stage and back.
func TestStageTable(t *testing.T) {
	for i := range StageTable {
		r := &StageTable[i]
		for _, m := range r.Models {
			if got := StageOfModel(m); got != r.Stage {
				t.Errorf("execution model %d is %s, not %s", m, got, r.Stage)
			}
		}
		if ParseStage(r.Name) != r.Stage || r.Stage.String() != r.Name || StageOfSuffix(r.Suffix) != r.Stage {
			t.Errorf("%s, .%s", r.Name, r.Suffix)
		}
	}
	if StageOfModel(6) != StageKernel || StageOfModel(7) != StageNone || StageOfSuffix("rgen") != StageRaygen || StageOfSuffix("") != StageNone {
		t.Error("kernels, unknown models or suffixes")
	}
}
