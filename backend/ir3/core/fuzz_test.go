package core

import (
	"encoding/binary"
	"math/rand"
	"testing"

	"nirc/backend/ir3/isa"
	"nirc/emu"
)

// TestRandomCode runs code made of random valid words: it may do anything but
// panic or run on beyond its fuel.
func TestRandomCode(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	var pool []uint64
	for len(pool) < 4000 {
		w := r.Uint64()
		cat := r.Uint64() % 8
		w = w&^(7<<61) | cat<<61
		if cat == 0 { // short branches
			w = w&^(1<<32-1) | uint64(uint32(r.Intn(12)-4)) | 1<<59
		}
		if in, err := isa.Unpack(isa.A6xx, w); err == nil && in.Op != isa.OpEnd && (execOf[in.Op] != nil || aluOps[in.Op].nsrc > 0) {
			pool = append(pool, w)
		}
	}
	ended, failed, running := 0, 0, 0
	for n := 0; n < 3000; n++ {
		var code []byte
		for i := 0; i < 16; i++ {
			w := pool[r.Intn(len(pool))]
			if r.Intn(3) > 0 { // keep registers low, so that more is reached
				w &^= 0xc0 | 0xc0<<32 | 0xc000
			}
			code = binary.LittleEndian.AppendUint64(code, w)
		}
		code = binary.LittleEndian.AppendUint64(code, 0x0300000000000000)
		m := newMachine()
		m.check, m.regs, m.private = n%8 == 0, 48, 64
		p := m.loadCode(t, code)
		for _, w := range m.start(p) {
			st, err := w.Run(200)
			switch {
			case err != nil:
				failed++
			case st == emu.StatusDone:
				ended++
			default:
				running++
			}
		}
	}
	t.Logf("%d ended, %d refused, %d still run", ended, failed, running)
}
