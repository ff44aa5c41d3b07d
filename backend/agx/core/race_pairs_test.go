package core

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"nirc/backend/agx/isa"
	"nirc/internal/emu"
)

// racyForm is an access of the device's or of workgroup memory: VALUE is the register of what it stores, INDEX that of the element.
type racyForm struct {
	text     string
	unit     int   // bytes of an element, which the index counts
	bytes    []int // that it touches, from the element on
	kind     emu.AccessKind
	coherent bool
}

func bytesOf(from, n int) (list []int) {
	for i := range n {
		list = append(list, from+i)
	}
	return list
}

var deviceForms = []racyForm{
	{"device_load 0, i8, x, VALUE, u0_u1, INDEX, unsigned\n\twait 0", 1, bytesOf(0, 1), emu.AccessRead, false},
	{"device_load 0, i16, xy, VALUES, u0_u1, INDEX, unsigned\n\twait 0", 2, bytesOf(0, 4), emu.AccessRead, false},
	{"device_load 0, i32, x, VALUE, u0_u1, INDEX, unsigned\n\twait 0", 4, bytesOf(0, 4), emu.AccessRead, false},
	{"device_load 0, i32, x, VALUE, u0_u1, INDEX, unsigned", 4, bytesOf(0, 4), emu.AccessAtomic, true},
	{"device_load 0, i32, yw, VALUES, u0_u1, INDEX, unsigned\n\twait 0", 4, append(bytesOf(4, 4), bytesOf(12, 4)...), emu.AccessRead, false},
	{"device_load 0, rgb10a2, xyzw, VALUESS, u0_u1, INDEX, unsigned\n\twait 0", 4, bytesOf(0, 4), emu.AccessRead, false},
	{"device_store 0, i8, x, VALUE, u0_u1, INDEX, unsigned, 0", 1, bytesOf(0, 1), emu.AccessWrite, false},
	{"device_store 0, i16, xy, VALUES, u0_u1, INDEX, unsigned, 0", 2, bytesOf(0, 4), emu.AccessWrite, false},
	{"device_store 0, i32, x, VALUE, u0_u1, INDEX, unsigned, 0", 4, bytesOf(0, 4), emu.AccessWrite, false},
	{"device_store 0, i32, x, VALUE, u0_u1, INDEX, unsigned, 0", 4, bytesOf(0, 4), emu.AccessAtomic, true},
	{"device_store 0, i32, yw, VALUES, u0_u1, INDEX, unsigned, 0", 4, append(bytesOf(4, 4), bytesOf(12, 4)...), emu.AccessWrite, false},
	{"device_store 0, rgb10a2, xyzw, VALUESS, u0_u1, INDEX, unsigned, 0", 4, bytesOf(0, 4), emu.AccessWrite, false},
	{"atomic add, 0, None, u0_u1, INDEX, unsigned, VALUE, 1, 0, 1, 4, 2\n\twait 0", 4, bytesOf(0, 4), emu.AccessAtomic, false},
}

var groupForms = []racyForm{
	{"threadgroup_load i8, x, VALUE, 0, INDEXl", 1, bytesOf(0, 1), emu.AccessRead, false},
	{"threadgroup_load i16, xy, VALUES, 0, INDEXl", 2, bytesOf(0, 4), emu.AccessRead, false},
	{"threadgroup_load i32, yw, VALUES, 0, INDEXl", 4, append(bytesOf(4, 4), bytesOf(12, 4)...), emu.AccessRead, false},
	{"threadgroup_store i8, x, VALUE, 0, INDEXl", 1, bytesOf(0, 1), emu.AccessWrite, false},
	{"threadgroup_store i16, xy, VALUES, 0, INDEXl", 2, bytesOf(0, 4), emu.AccessWrite, false},
	{"threadgroup_store i32, yw, VALUES, 0, INDEXl", 4, append(bytesOf(4, 4), bytesOf(12, 4)...), emu.AccessWrite, false},
	{"threadgroup_atomic add, None, 0, INDEXl, VALUE, 0, 2, 128, 0", 4, bytesOf(0, 4), emu.AccessAtomic, false},
}

// code is the access of what begins at a byte, by registers from one on.
func (f *racyForm) code(t *testing.T, at, value int) []byte {
	t.Helper()
	index := value + 4
	r := strings.NewReplacer("VALUESS", fmt.Sprintf("r%d_r%d_r%d_r%d", value, value+1, value+2, value+3), "VALUES", fmt.Sprintf("r%d_r%d", value, value+1),
		"VALUE", fmt.Sprint("r", value), "INDEX", fmt.Sprint("r", index))
	code := assemble(t, fmt.Sprintf("\tmov_imm r%d, %d, 0b0\n\t%s", index, at/f.unit, r.Replace(f.text)))
	if !f.coherent {
		return code
	}
	set, n, err := isa.Unpack(code)
	if err != nil {
		t.Fatal(err)
	}
	x, _, err := isa.Unpack(code[n:])
	if err == nil {
		err = x.SetCoherent()
	}
	out, packErr := isa.AppendPack(nil, &set)
	if packErr == nil {
		out, packErr = isa.AppendPack(out, &x)
	}
	if err != nil || packErr != nil {
		t.Fatal(err, packErr)
	}
	return append(out, assemble(t, "\twait 0")...)
}

// race reports whether accesses of two forms, a at byte 0 and b at another, race: an access that stores, and one to the same byte that is not of a
// kind with it. Machines load a word whole or not at all.
func race(a, b *racyForm, at int) bool {
	for _, x := range a.bytes {
		for _, y := range b.bytes {
			if x == y+at && (a.kind == emu.AccessWrite || b.kind == emu.AccessWrite) {
				return true
			}
		}
	}
	return false
}

// TestRacePairs: two accesses of a workgroup, each by a lane of a SIMD-group of its own, race where they meet in a byte that one stores, whatever
// their forms, and where they do not meet they do not.
func TestRacePairs(t *testing.T) {
	const base = 64
	for _, forms := range [][]racyForm{deviceForms, groupForms} {
		for i := range forms {
			for k := range forms {
				a, b := &forms[i], &forms[k]
				for at := -16; at <= 16; at++ {
					if at%b.unit != 0 {
						continue
					}
					m := newMachine()
					m.lanes, m.waves = 64, 1
					code := assemble(t, head)
					for n, form := range []*racyForm{a, b} {
						values := ""
						for r := range 4 {
							values += fmt.Sprintf("\tmov_imm r%d, %d, 0b0\n", 2+16*n+r, 0x11111111*(n+1)+r)
						}
						code = append(code, assemble(t, values+fmt.Sprintf("\tif_icmp r0l, ueq, r10, %d, 1", 32*n))...)
						code = append(code, form.code(t, base+at*n, 2+16*n)...)
						code = append(code, assemble(t, "\tpop_exec r0l, 1")...)
					}
					p, err := Load(append(code, assemble(t, "\tstop")...), m.meta())
					if err != nil {
						t.Fatal(err)
					}
					params := emu.DispatchParams{Groups: [3]uint32{1, 1, 1}}
					params.Check = true
					err = emu.Dispatch(context.Background(), p, m.env(), params)
					if want := race(a, b, at); (err != nil) != want || err != nil && !strings.Contains(err.Error(), "race on") {
						t.Errorf("%s, and %d bytes on %s: %v, want a race %v", a.text, at, b.text, err, want)
					}
				}
			}
		}
	}
}
