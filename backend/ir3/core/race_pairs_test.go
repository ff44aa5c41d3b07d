package core

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"nirc/backend/ir3/abi"
	"nirc/internal/emu"
)

// racyForm is an access to n bytes: AT is the register of its address, VALUE that of what it stores, and HALF that of narrow numbers.
type racyForm struct {
	text string
	unit int // its address is a multiple of it
	n    int
	kind emu.AccessKind
}

var groupForms = []racyForm{
	{"ldl.u8 HALF, l[AT], 1", 1, 1, emu.AccessRead},
	{"ldl.u16 HALF, l[AT], 2", 2, 4, emu.AccessRead},
	{"ldl.u32 VALUE, l[AT], 2", 4, 8, emu.AccessRead},
	{"stl.u8 l[AT], HALF, 1", 1, 1, emu.AccessWrite},
	{"stl.u16 l[AT], HALF, 2", 2, 4, emu.AccessWrite},
	{"stl.u32 l[AT], VALUE, 2", 4, 8, emu.AccessWrite},
	{"atomic.xchg.untyped.1d.u32.1.l r24.x, l[AT], VALUE", 4, 4, emu.AccessAtomic},
}

var deviceForms = []racyForm{
	{"ldg.u8 HALF, g[AT], 1", 1, 1, emu.AccessRead},
	{"ldg.u16 HALF, g[AT], 2", 2, 4, emu.AccessRead},
	{"ldg.u32 VALUE, g[AT], 2", 4, 8, emu.AccessRead},
	{"stg.u8 g[AT], HALF, 1", 1, 1, emu.AccessWrite},
	{"stg.u16 g[AT], HALF, 2", 2, 4, emu.AccessWrite},
	{"stg.u32 g[AT], VALUE, 2", 4, 8, emu.AccessWrite},
	{"atomic.g.xchg.untyped.1d.u32.1.g r24.x, AT, VALUE", 4, 4, emu.AccessAtomic},
}

// racyProgram makes the accesses of two forms, the second so many bytes after the first in one wave, where the other wave has the first; each wave
// has memory of its own for what the other does not come to.
func racyProgram(a, b *racyForm, at int, device bool) string {
	var text strings.Builder
	text.WriteString("shr.b r5.x, r0.x, 6\n(rpt5)nop\nshl.b r5.x, r5.x, 8\n(rpt5)nop\nsub.u r6.x, 256, r5.x\nadd.u r8.x, r5.x, 64\n(rpt5)nop\n")
	fmt.Fprintf(&text, "add.u r9.x, r6.x, %d\n", 64+at)
	for n := range 2 {
		for k, c := range "xy" {
			fmt.Fprintf(&text, "mov.u32u32 r%d.%c, %d\nmov.u16u16 hr%d.%c, %d\n", 10+n, c, 0x01010101*(2*n+k+1), 40+n, c, 0x0101*(2*n+k+1))
		}
	}
	if device {
		text.WriteString("(rpt5)nop\nadd.u r8.x, r8.x, c0.x\nadd.u r9.x, r9.x, c0.x\nmov.u32u32 r8.y, c0.y\nmov.u32u32 r9.y, c0.y\n")
	}
	for n, f := range []*racyForm{a, b} {
		r := strings.NewReplacer("AT", fmt.Sprintf("r%d.x", 8+n), "VALUE", fmt.Sprintf("r%d.x", 10+n), "HALF", fmt.Sprintf("hr%d.x", 40+n))
		fmt.Fprintf(&text, "(rpt5)nop\n%s\n(sy)(ss)nop\n", r.Replace(f.text))
	}
	return text.String() + "end"
}

// TestRacePairs: accesses by two waves of a workgroup race where they meet in a byte that one stores, whatever their forms, and where they do not meet
// they do not; what shaders with coherent accesses do to the device's memory is never called a race.
func TestRacePairs(t *testing.T) {
	for device, forms := range map[bool][]racyForm{false: groupForms, true: deviceForms} {
		for i := range forms {
			for k := range forms {
				a, b := &forms[i], &forms[k]
				for at := -12; at <= 12; at++ {
					if at%b.unit != 0 {
						continue
					}
					for _, coherent := range []bool{false, true} {
						m := newMachine()
						m.lanes, m.waves = 64, 2
						m.consts = []uint32{uint32(m.out.Addr), uint32(m.out.Addr >> 32)}
						m.edit = func(meta *abi.Meta) { meta.Coherent = coherent }
						env := &emu.Env{Mem: m.mem, Bindings: &emu.Bindings{}}
						params := emu.DispatchParams{Groups: [3]uint32{1, 1, 1}}
						params.Check = true
						err := emu.Dispatch(context.Background(), m.load(t, racyProgram(a, b, at, device)), env, params)
						want := at < a.n && -at < b.n && (a.kind == emu.AccessWrite || b.kind == emu.AccessWrite) && !(device && coherent)
						if (err != nil) != want || err != nil && !strings.Contains(err.Error(), "race on") {
							t.Errorf("%s, and %d bytes on %s, coherent %v: %v, want a race %v", a.text, at, b.text, coherent, err, want)
						}
					}
				}
			}
		}
	}
}
