package core

import (
	"math/rand/v2"
	"slices"
	"testing"

	"nirc/backend/agx/isa"
	"nirc/internal/emu"
)

// imageEvent is a write to an image, or a barrier if it has none.
type imageEvent struct {
	image *emu.Image
	lane  int
	want  uint8 // of a write: barriers that make it visible
	code  uint32
}

// barrierBits are the barriers of agx.md §7.6 that images want.
var barrierBits = []struct {
	code uint32
	bit  uint8
}{{0xaa, sawImage1}, {0xae, sawImage2}, {0xa9, sawImage3}, {0xad, sawImage4}, {0x40, sawFlush}, {0x96, 0}}

// underWay reports whether a lane that reads an image after some events may miss what it knows of: writes, its own ones and, once a barrier ran, all, after which
// not all barriers ran that they want. What was visible when a write followed is not looked at again.
func underWay(events []imageEvent, m *emu.Image, lane int) bool {
	var want, saw uint8
	known := false
	for _, e := range events {
		switch {
		case e.image == m:
			if want&^saw == 0 {
				want, known = 0, false
			}
			want, saw, known = want|e.want, 0, known || e.lane == lane
		case e.image == nil:
			for _, b := range barrierBits {
				if b.code == e.code {
					saw |= b.bit
				}
			}
			known = known || want != 0
		}
	}
	return known && want&^saw != 0
}

// TestImageNotes: after any writes to several images and any barriers, a lane's read is refused where it may miss a write that it knows of, and where the load is not
// of the form for images that are written.
func TestImageNotes(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 9))
	images := []*emu.Image{{}, {}, {}} // nobody writes the last
	marked, plain := &inst{Instr: isa.Instr{Op: isa.OpTextureLoad}}, &inst{Instr: isa.Instr{Op: isa.OpTextureLoad}}
	if err := marked.SetReadWrite(); err != nil {
		t.Fatal(err)
	}
	refused := 0
	for range 3000 {
		w := &wave{check: &checker{}}
		var events []imageEvent
		for range r.IntN(14) {
			if r.IntN(3) == 0 {
				e := imageEvent{image: images[r.IntN(2)], lane: r.IntN(3), want: []uint8{sawWrite, sawAtomic}[r.IntN(2)]}
				events = append(events, e)
				w.wroteImage(e.image, e.lane, e.want)
				continue
			}
			for _, b := range barrierBits { // nearly all of them, in their order
				if r.IntN(8) > 0 {
					events = append(events, imageEvent{code: b.code})
					w.check.memoryBarrier(b.code)
				}
			}
		}
		for i, m := range images {
			written := slices.ContainsFunc(events, func(e imageEvent) bool { return e.image == m })
			for lane := range 4 {
				want := underWay(events, m, lane)
				if err := w.readsImage(marked, m, lane); (err != nil) != want {
					t.Fatalf("image %d, lane %d after %v: %v, want an error: %v", i, lane, events, err, want)
				}
				if err := w.readsImage(plain, m, lane); (err != nil) != written {
					t.Fatalf("image %d, lane %d after %v, by a load for images that are read alone: %v", i, lane, events, err)
				}
				if want {
					refused++
				}
			}
		}
	}
	if refused < 1000 {
		t.Errorf("%d reads were refused", refused)
	}
}
