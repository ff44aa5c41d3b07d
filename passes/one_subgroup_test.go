package passes

import (
	"testing"

	"nirc/ir"
	"nirc/passes/analysis"
)

// Number and count of the subgroups of workgroups that no subgroup is smaller than are known, and of others
// as large as they can be.
func TestSubgroupsOfWorkgroups(t *testing.T) {
	for _, c := range []struct {
		size     [3]uint32
		variable bool
		fixed    uint8
		least    uint8
		n        uint64 // the most subgroups
		known    bool
	}{
		{size: [3]uint32{8, 8, 1}, least: 64, n: 1, known: true},
		{size: [3]uint32{13, 5, 1}, least: 64, n: 2},
		{size: [3]uint32{64, 2, 1}, least: 64, n: 2},
		{size: [3]uint32{8, 8, 1}, least: 16, n: 4},
		{size: [3]uint32{8, 8, 1}, n: 64},
		{size: [3]uint32{8, 8, 1}, least: 64, variable: true, n: 64},
		{size: [3]uint32{8, 4, 1}, fixed: 32, n: 1, known: true},
	} {
		s := ir.NewShader(ir.StageCompute, &ir.Options{SubgroupSize: c.fixed, MinSubgroupSize: c.least})
		s.Info.WorkgroupSize, s.Info.WorkgroupSizeVariable = c.size, c.variable
		f := s.NewFunction("main")
		f.IsEntry = true
		b := ir.NewBuilder(ir.AtEnd(f.Impl.Start()))
		count, number := builtinValue(b, ir.BuiltInNumSubgroups), builtinValue(b, ir.BuiltInSubgroupID)
		n, knownCount := count.Const(0)
		id, knownNumber := number.Const(0)
		if knownCount != c.known || knownNumber != c.known || c.known && (n != 1 || id != 0) {
			t.Errorf("%+v: %d subgroups, known: %v; number %d, known: %v", c, n, knownCount, id, knownNumber)
		}
		if !c.known && (analysis.UintMax(count, 0) != c.n || analysis.UintMax(number, 0) != c.n-1) {
			t.Errorf("%+v: at most %d subgroups, numbers up to %d", c, analysis.UintMax(count, 0), analysis.UintMax(number, 0))
		}
	}
}
