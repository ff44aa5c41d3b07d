package core

import (
	"context"
	"encoding/binary"
	"errors"
	"testing"

	"nirc/internal/emu"
)

// TestDispatch goes through the software GPU's own dispatch: workgroups of 50
// lanes in two SIMD-groups turn their part of the buffer around.
func TestDispatch(t *testing.T) {
	m := newMachine()
	m.lanes, m.waves = 50, 1
	const text = `
	mov_imm r0l, 0
	get_sr r10l, sr51
	get_sr r11, sr80
	iadd r4, r11, r11, lsl 2
	threadgroup_store i32, x, r4, 0, r10l
	threadgroup_barrier
	mov_imm r5l, 49
	isub r5l, r5l, r10l
	threadgroup_load i32, x, r2, 0, r5l
	device_store 0, i32, x, r2, u0_u1, r11, unsigned, 0
	stop`
	for _, parallel := range []int{1, 2} {
		p, err := Load(assemble(t, text), m.meta())
		if err != nil {
			t.Fatal(err)
		}
		env := m.env()
		params := emu.DispatchParams{Groups: [3]uint32{7, 1, 1}, Parallel: parallel}
		params.Check = true
		clear(m.out.Data)
		if err := emu.Dispatch(context.Background(), p, env, params); err != nil {
			t.Fatal(err)
		}
		for i := 0; i < 360; i++ {
			want := uint32(0)
			if i < 350 {
				want = uint32(5 * (i/50*50 + 49 - i%50))
			}
			if got := binary.LittleEndian.Uint32(m.out.Data[4*i:]); got != want {
				t.Fatalf("parallel %d: element %d is %d, want %d", parallel, i, got, want)
			}
		}
	}
	loop, err := Load(assemble(t, "\tmov_imm r0l, 0\nloop: jmp_exec_any loop"), m.meta())
	if err != nil {
		t.Fatal(err)
	}
	params := emu.DispatchParams{Groups: [3]uint32{1, 1, 1}}
	params.Budget = 1 << 20
	if err := emu.Dispatch(context.Background(), loop, m.env(), params); !errors.Is(err, emu.ErrTimeout) {
		t.Errorf("endless loop: %v", err)
	}
}

// BenchmarkALU runs a loop of eight instructions of one SIMD-group.
func BenchmarkALU(b *testing.B) {
	m := newMachine()
	p, err := Load(assemble(b, `
	mov_imm r0l, 0
	mov_imm r2, 0, 0b0
	mov_imm r3, 1065353216, 0b0
loop: iadd r2, r2, 1
	fmadd32 r3, r3, 0.5, 1.0
	fadd32 r4, r3, r3
	and r5, r2, 7
	bfi r6, 0, r5, 3
	icmpsel ult, r7, r5, 3, r6, r5
	while_icmp r0l, ueq, 0, 0, 1
	jmp_exec_any loop
	stop`), m.meta())
	if err != nil {
		b.Fatal(err)
	}
	env := m.env()
	for b.Loop() {
		c := &emu.ComputeLaunch{LocalID: make([][3]uint32, 32)}
		w := p.NewWave(&emu.Launch{Env: env, NumLanes: 32, Compute: c})
		if _, err := w.Run(8000); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/8000, "ns/instr")
}
