package midgard

import (
	"strings"
	"testing"

	"nirc/backend/midgard/isa"
)

// TestUniformOffsets: an offset that has no room in the access is added to the index, which is shifted before; others stand in the
// access beside the index and its shift.
func TestUniformOffsets(t *testing.T) {
	none, index := source{reg: regNone}, source{reg: 80, swz: identity}
	for _, c := range []struct {
		name   string
		off    uint32
		index  source
		shift  uint8
		want   string // operations
		at     int    // what the access keeps
		keeps  uint8
		inputs bool
	}{
		{"a constant", 64, none, 0, "", 64, 0, false},
		{"the last constant", 1<<15 - 1, none, 0, "", 1<<15 - 1, 0, false},
		{"one beyond", 1 << 15, none, 0, "imov", 0, 0, true},
		{"an index", 64, index, 0, "imov", 64, 0, true},
		{"a shifted index", 64, index, 4, "imov", 64, 4, true},
		{"an index and more than has room", 1 << 15, index, 0, "iadd imov", 0, 0, true},
		{"a shifted index and more than has room", 1 << 15, index, 4, "ishl iadd imov", 0, 0, true},
	} {
		s := &isel{f: &function{blocks: make([]block, 1), nodes: make([]nodeInfo, 100)}}
		access := inst{kind: kindLdSt, dst: s.f.newNode(4), mask: 15, ld: isa.LoadStore{Op: isa.LdUbo128, Index: isa.AddrReg{Reg: isa.AddrZero}, Shift: c.shift}}
		s.uboAccess(&access, 3, c.off, c.index)
		var ops []string
		list := s.f.blocks[0].list
		for _, in := range list[:len(list)-1] {
			ops = append(ops, strings.ToLower(in.op.String()))
		}
		last := list[len(list)-1].ld
		want := isa.LoadStore{Op: isa.LdUbo128, Index: isa.AddrReg{Reg: isa.AddrZero}, Shift: c.keeps}
		want.SetUBO(3, c.at)
		if c.inputs {
			want.Index = isa.AddrReg{Reg: s.turn}
		}
		if got := strings.Join(ops, " "); got != c.want || last != want {
			t.Errorf("%s: %s, then %+v; want %s, then %+v", c.name, got, last, c.want, want)
		}
	}
}
