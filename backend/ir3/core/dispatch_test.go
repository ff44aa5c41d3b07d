package core

import (
	"context"
	"errors"
	"testing"

	"nirc/backend/ir3/abi"
	"nirc/internal/emu"
	"nirc/ir"
)

// TestDispatch goes through the software GPU's own dispatch: workgroups of
// 100 fibers in two waves turn their part of the buffer around.
func TestDispatch(t *testing.T) {
	m := newMachine()
	m.waves, m.lanes = 2, 50 // a workgroup of 100
	const text = `
	mul.u24 r2.x, r55.x, 100
	shl.b r3.x, r0.x, 2
	mov.u32u32 r4.x, 99
	add.u r5.x, r0.x, 1000
	(rpt2)nop
	sub.u r4.x, r4.x, r0.x
	add.u r2.x, r2.x, r0.x
	(rpt5)nop
	stl.u32 l[r3.x], r5.x, 1
	fence.r.w
	(ss)(sy)bar.g
	(ss)(sy)shl.b r4.x, r4.x, 2
	(rpt5)nop
	ldl.u32 r1.x, l[r4.x], 1
	(ss)nop
	stib.b.untyped.1d.u32.1.imm.base0 r1.x, r2.x, 0
	end`
	for _, parallel := range []int{1, 2} {
		m.edit = func(meta *abi.Meta) { meta.Robust.Storage = ir.Robust1 }
		p := m.load(t, text)
		b := &emu.Bindings{}
		out := m.mem.Alloc(4 * 700)
		b.Set(0, 0, []emu.Descriptor{{Type: emu.DescStorageBuffer, Addr: out.Addr, Size: 4 * 650}})
		b.Set(0, 1, []emu.Descriptor{{}})
		params := emu.DispatchParams{Groups: [3]uint32{7, 1, 1}, Parallel: parallel}
		params.Check = true
		if err := emu.Dispatch(context.Background(), p, &emu.Env{Mem: m.mem, Bindings: b}, params); err != nil {
			t.Fatal(err)
		}
		for i := 0; i < 700; i++ {
			want := uint64(99 - i%100 + 1000)
			if i >= 650 { // beyond the descriptor
				want = 0
			}
			if got := emu.LoadBytes(out.Data[4*i:], 4); got != want {
				t.Fatalf("parallel %d: element %d is %d, want %d", parallel, i, got, want)
			}
		}
	}
	loop := m.load(t, "loop: jump #loop")
	params := emu.DispatchParams{Groups: [3]uint32{1, 1, 1}}
	params.Budget = 1 << 20
	if err := emu.Dispatch(context.Background(), loop, &emu.Env{Mem: m.mem, Bindings: &emu.Bindings{}}, params); !errors.Is(err, emu.ErrTimeout) {
		t.Errorf("endless loop: %v", err)
	}
}
