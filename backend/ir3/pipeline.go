package ir3

import (
	"slices"

	"nirc/backend/ir3/abi"
	"nirc/internal/emu"
)

// Misfits returns the programs of a pipeline that take more of its consts than there are for all.
func (Target) Misfits(programs []emu.Program) []int {
	var metas []*abi.Meta
	for _, p := range programs {
		if m, ok := p.(interface{ Meta() *abi.Meta }); ok {
			metas = append(metas, m.Meta())
		}
	}
	var list []int
	over := abi.OverBudget(metas)
	for i, p := range programs {
		if slices.Contains(over, p.Stage()) {
			list = append(list, i)
		}
	}
	return list
}
