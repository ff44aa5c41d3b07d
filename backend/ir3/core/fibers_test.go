package core

import (
	"strings"
	"testing"

	"nirc/backend/ir3/isa"
	"nirc/internal/emu"
)

// TestHazardsByFibers: what is under way matters to fibers that it is for, in either half of a wave of 128, and to no others.
func TestHazardsByFibers(t *testing.T) {
	m := newMachine()
	w := m.start(m.load(t, "end"))[0].(*wave)
	mov := &inst{Instr: isa.Instr{Op: isa.OpMov, Dst: isa.R(2), Srcs: [4]isa.Operand{isa.R(3)}}}
	const unit = 4
	both := func(a, b emu.Mask) emu.Mask { return emu.Mask{a[0] & b[0], a[1] & b[1]} }
	less := func(a, b emu.Mask) emu.Mask { return emu.Mask{a[0] &^ b[0], a[1] &^ b[1]} }
	touches := func(a, b emu.Mask) bool { return both(a, b) != emu.Mask{} }
	for _, h := range []struct {
		message string
		write   bool // what comes third, or else it reads
		arrange func(c *checker, write func(half bool, slot int64))
		matters func(first, second, third emu.Mask) bool
	}{
		{"slots after it was written,", false, func(c *checker, write func(bool, int64)) {
			write(true, 0)
			write(true, 10)
			c.slot = 11
		}, func(_, second, third emu.Mask) bool { return touches(second, third) }},
		{"written in another size", false, func(c *checker, write func(bool, int64)) {
			write(false, 0)
			write(true, 1)
			c.slot = 5
		}, func(first, second, third emu.Mask) bool { return touches(first, second) && touches(second, third) }},
		{"which the preamble wrote", false, func(c *checker, write func(bool, int64)) {
			c.preamble = true
			write(true, 0)
			c.preamble = false
			write(true, 0)
			c.slot = 20
		}, func(first, second, third emu.Mask) bool { return touches(less(first, second), third) }},
		{"(ss) is missing", false, func(c *checker, write func(bool, int64)) {
			mov.chk.class = syncSS
			write(true, 0)
			c.ss++
			write(true, 0)
		}, func(_, second, third emu.Mask) bool { return touches(second, third) }},
		{"(sy) is missing", true, func(c *checker, write func(bool, int64)) {
			mov.chk.class = syncSY
			write(true, 0)
			write(true, 0)
		}, func(first, second, third emu.Mask) bool { return touches(first, third) || touches(second, third) }},
	} {
		sets := []emu.Mask{{1, 0}, {0, 1}, {1, 1}, {2, 2}}
		for _, first := range sets {
			for _, second := range sets {
				for _, third := range sets {
					c := newChecker(w)
					fibers := []emu.Mask{first, second}
					mov.chk = hazards{}
					h.arrange(c, func(half bool, slot int64) {
						w.exec, fibers = fibers[0], fibers[1:]
						c.noteWrite(w, mov, unit, half, slot, false)
					})
					w.exec = third
					err := c.unit(w, mov, &span{unit: unit, n: 1, half: true, write: h.write}, unit, 0)
					if want := h.matters(first, second, third); (err != nil) != want || err != nil && !strings.Contains(err.Error(), h.message) {
						t.Errorf("%s: fibers %x, %x, then %x: %v", h.message, first, second, third, err)
					}
				}
			}
		}
	}
}
