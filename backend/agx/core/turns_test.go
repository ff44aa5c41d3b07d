package core

import (
	"testing"

	"nirc/internal/emu"
)

// TestTurns: a wave that is run in turns, however short, runs as many instructions as it is given, stands at each barrier once, and comes to the same end.
func TestTurns(t *testing.T) {
	const text = `
	mov_imm r0l, 0
	get_sr r10l, sr51
	iadd r4, r10, r10
	threadgroup_barrier
	iadd r4, r4, 1
	iadd r4, r4, 2
	threadgroup_barrier
	device_store 0, i32, x, r4, u0_u1, r10, unsigned, 0
	stop`
	m := newMachine()
	m.lanes = 4
	p, err := Load(assemble(t, text), m.meta())
	if err != nil {
		t.Fatal(err)
	}
	const all = 9
	for fuel := 1; fuel <= all+2; fuel++ {
		clear(m.out.Data)
		l := &emu.Launch{Env: m.env(), NumLanes: 4, Compute: &emu.ComputeLaunch{LocalID: make([][3]uint32, 4), NumSubgroups: 1, Shared: make([]byte, 256)}}
		for i := range l.Compute.LocalID {
			l.Compute.LocalID[i][0] = uint32(i)
		}
		w := p.NewWave(l)
		ran, barriers := 0, 0
		for turns, done := 0, false; !done; turns++ {
			st, err := w.Run(fuel)
			if err != nil || turns > 3*all {
				t.Fatalf("turns of %d: after %d %v, %v", fuel, turns, st, err)
			}
			switch st {
			case emu.StatusYield:
				ran += fuel
			case emu.StatusBarrier:
				barriers++
				ran += l.Ran
			case emu.StatusDone:
				ran += l.Ran
				done = true
			}
			if st != emu.StatusYield && (l.Ran < 0 || l.Ran > fuel) {
				t.Errorf("turns of %d: one of %d", fuel, l.Ran)
			}
		}
		if ran != all || barriers != 2 {
			t.Errorf("turns of %d: %d instructions ran, want %d; %d barriers", fuel, ran, all, barriers)
		}
		for i := range 4 {
			if m.word(i) != uint32(2*i+3) {
				t.Errorf("turns of %d: lane %d leaves %d", fuel, i, m.word(i))
			}
		}
	}
}

// TestParts: a wave that is a part of another runs what its fuel leaves, and tells how much all parts ran.
func TestParts(t *testing.T) {
	m := newMachine()
	m.lanes = 1
	p, err := Load(assemble(t, "\tmov_imm r0l, 0\n\tmov_imm r2l, 1\n\tmov_imm r3l, 2\n\tstop"), m.meta())
	if err != nil {
		t.Fatal(err)
	}
	launch := func() *emu.Launch {
		return &emu.Launch{Env: m.env(), NumLanes: 1, Compute: &emu.ComputeLaunch{LocalID: make([][3]uint32, 1), NumSubgroups: 1, Shared: make([]byte, 256)}}
	}
	for fuel := 1; fuel <= 10; fuel++ {
		whole := launch()
		var w *wave
		total, parts := 0, 0
		for turns := 0; parts < 2 && turns < 20; turns++ {
			ran, yields := 0, false
			for parts < 2 && !yields {
				if w == nil {
					w = p.NewWave(launch()).(*wave)
				}
				st, err := w.part(whole, fuel, &ran)
				if err != nil || ran > fuel || whole.Ran > fuel {
					t.Fatalf("turns of %d: %v, %v; %d ran, %d are told", fuel, st, err, ran, whole.Ran)
				}
				if yields = st == emu.StatusYield; !yields {
					parts++
					w = nil
					if whole.Ran != ran {
						t.Errorf("turns of %d: %d ran, %d are told", fuel, ran, whole.Ran)
					}
				}
			}
			if yields {
				ran = fuel
			}
			total += ran
		}
		if parts != 2 || total != 8 {
			t.Errorf("turns of %d: %d parts end, %d instructions ran", fuel, parts, total)
		}
	}
}
