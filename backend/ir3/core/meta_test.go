package core

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"nirc/backend/ir3/abi"
	"nirc/backend/ir3/isa"
	"nirc/ir"
)

// TestLoadRefusesMeta: descriptions that would lead out of registers, constants or slots.
func TestLoadRefusesMeta(t *testing.T) {
	for want, change := range map[string]func(m *abi.Meta){
		fmt.Sprintf("no const area c[%d] of 16", math.MaxInt): func(m *abi.Meta) { m.Consts.Push = abi.Area{Offset: math.MaxInt, Size: 16} },
		"no const area c[-1] of 4":                            func(m *abi.Meta) { m.Consts.UBOs = []abi.UBORange{{Area: abi.Area{Offset: -1, Size: 4}}} },
		"no const area c[0] of -4":                            func(m *abi.Meta) { m.Consts.Driver.Size = -4 },
		"lies outside constlen 8":                             func(m *abi.Meta) { m.Consts.Push = abi.Area{Offset: 30, Size: 16} },
		"no input of components 0xf in slot 252": func(m *abi.Meta) {
			m.Inputs = []abi.Input{{Slot: 252, Mask: 15, Reg: abi.NoReg}}
		},
		"location 509": func(m *abi.Meta) { m.Inputs = []abi.Input{{Slot: ir.SlotVar0, Mask: 15, Reg: abi.NoReg, InLoc: 509}} },
		"no output of components 0xff in slot 4": func(m *abi.Meta) {
			m.Outputs = []abi.Output{{Slot: ir.SlotData0, Mask: 255}}
		},
		"vertices of -1 bytes":           func(m *abi.Meta) { m.Chain.VertexStride = -1 },
		"4096 vertices of an invocation": func(m *abi.Meta) { m.Chain.Geom.MaxVertices = 4096 },
		"no place 4 for components 0x1 of slot 96": func(m *abi.Meta) {
			m.Chain.Locations = []abi.Location{{Slot: 96, Mask: 1, Offset: 4}}
		},
	} {
		m := &abi.Meta{Gen: isa.A6xx, Stage: ir.StageFragment, MaxRegs: 4, ConstLen: 8}
		if _, err := Load(nil, m); err != nil {
			t.Fatal(err)
		}
		change(m)
		if _, err := Load(nil, m); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
