package abi

import (
	"testing"

	"nirc/backend/gputest"
	"nirc/backend/midgard/isa"
	"nirc/ir"
)

func TestJSON(t *testing.T) {
	m := Meta{Stage: ir.StageFragment, FirstTag: isa.TagLdSt, WorkRegs: 8,
		Uniforms:   []Uniform{{UBO: 0, Offset: 32}},
		UBOs:       []UBO{{Kind: UBOBinding, Set: 1, Binding: 2, Copy: true}, {Kind: UBOData, Data: []byte{1, 2}}},
		Sysvals:    []Sysval{{Kind: SysvalSSBO, Binding: 3}},
		Attributes: []Record{{Kind: RecordAttribute, Slot: 1}},
		Images:     []Texture{{Range: Range{Set: 1, First: 34, Stride: 1, Count: 1}}},
		Varyings:   []Varying{{Kind: VaryingSlot, Slot: ir.SlotVar0}},
		Outputs:    []Output{{Slot: ir.SlotData0, Mask: 15}}}
	gputest.MetaAsJSON(t, &m)
}

func TestCheck(t *testing.T) {
	ok := Meta{Stage: ir.StageCompute, FirstTag: isa.TagALU4, WorkRegs: 16, UBOs: make([]UBO, 1)}
	gputest.WrongMetas(t, ok, map[string]func(m *Meta){
		"stage":   func(m *Meta) { m.Stage = ir.StageGeometry },
		"tag":     func(m *Meta) { m.FirstTag = isa.TagBreak },
		"work":    func(m *Meta) { m.Uniforms = make([]Uniform, 9) },
		"uniform": func(m *Meta) { m.Uniforms = []Uniform{{Offset: 8}} },
		"buffer":  func(m *Meta) { m.Uniforms = []Uniform{{UBO: 1}} },
		"sysval":  func(m *Meta) { m.Sysvals = []Sysval{{}} },
		"varying": func(m *Meta) { m.Varyings = []Varying{{Kind: 99}} },
		"gpu":     func(m *Meta) { m.GPU = "t999" },
		"quirk":   func(m *Meta) { m.GPU = "t720" },
		"target": func(m *Meta) {
			m.GPU, m.Alias, m.NoUpperALU, m.BrokenLOD = "t720", true, true, true
			m.Stage, m.Outputs = ir.StageFragment, []Output{{Slot: ir.SlotData0 + 1, Mask: 15}}
		},
		"buffers": func(m *Meta) { m.UBOs = make([]UBO, MaxUBOs+1) },
		"tls":     func(m *Meta) { m.TLSSize = 1 << 30 },
	})
	if s := SysvalUBOSize.String(); s != "ubo_size" {
		t.Errorf("name %q", s)
	}
}
