package core

import (
	"testing"

	"nirc/backend/agx/isa"
	"nirc/internal/emu"
)

// TestImageBarriers: a lane sees what it wrote to an image, and after a barrier what others wrote, where all barriers ran that the image
// wants; where some did not it is told so. Without any, what others write is as if it came later.
func TestImageBarriers(t *testing.T) {
	all := []uint32{0xaa, 0xae, 0xa9, 0xad, 0x40}
	for _, c := range []struct {
		name     string
		barriers []uint32
		lane     int
		ok       bool
	}{
		{"its own, no barrier", nil, 3, false},
		{"another's, no barrier", nil, 4, true},
		{"its own, all", all, 3, true},
		{"another's, all", all, 4, true},
		{"its own, one is missing", all[:4], 3, false},
		{"another's, one is missing", all[:4], 4, false},
		{"another's, the first is missing", all[1:], 4, false},
	} {
		img := &emu.Image{}
		w := &wave{check: &checker{}}
		w.wroteImage(img, 3, sawImage1|sawImage2|sawImage3|sawImage4|sawFlush)
		for _, b := range c.barriers {
			w.check.memoryBarrier(b)
		}
		x := &inst{Instr: isa.Instr{Op: isa.OpTextureLoad}}
		if err := x.SetReadWrite(); err != nil {
			t.Fatal(err)
		}
		if err := w.readsImage(x, img, c.lane); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
