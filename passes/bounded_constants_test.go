package passes

import (
	"math"
	"math/rand/v2"
	"testing"

	"nirc/ir"
)

// offsetOf computes an offset that is made of constants, sums and minima.
func offsetOf(t *testing.T, d *ir.Def) uint32 {
	t.Helper()
	if v, ok := d.Const(0); ok {
		return uint32(v)
	}
	x, y := offsetOf(t, d.Instr.Srcs[0].Def), offsetOf(t, d.Instr.Srcs[1].Def)
	switch d.Instr.Op {
	case ir.OpIadd:
		return x + y
	case ir.OpUmin:
		return min(x, y)
	}
	t.Fatalf("an offset by %s", d.Instr.Op)
	return 0
}

// TestBoundedConstants: constants are added to a bounded offset as they are where the sum has room; beyond, the offset is cut to one of its alignment which the constant still
// reaches, and is never one that comes back from beyond 32 bits. What room is left is room.
func TestBoundedConstants(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 1))
	const top = uint64(math.MaxUint32)
	cuts, losses := 0, 0
	for range 20000 {
		s := ir.NewShader(ir.StageCompute, nil)
		e := &explicitIO{s: s, b: ir.NewBuilder(ir.AtStart(s.NewFunction("main").Impl.Start()))}
		mul := [...]uint32{0, 1, 4, 16, 256, 1 << 16, 1 << 20}[r.IntN(7)]
		offset := uint32(0)
		if mul > 0 {
			offset = r.Uint32() & (mul - 1)
		}
		left := [...]uint32{0, r.Uint32N(100), r.Uint32N(1 << 20), r.Uint32(), math.MaxUint32}[r.IntN(5)]
		x := uint32(r.Uint64N(top - uint64(left) + 1))
		if mul > 0 {
			if x = x&^(mul-1) + offset; uint64(x) > top-uint64(left) {
				continue
			}
		}
		a := address{off: e.b.Imm32(x), mul: mul, offset: offset, room: room{bounded: true, left: left}}
		for range 1 + r.IntN(3) {
			n := [...]int64{int64(r.Uint32N(64)), int64(r.Uint32N(1 << 20)), int64(r.Uint32()), -int64(r.Uint32N(1 << 12)), -int64(r.Uint32())}[r.IntN(5)]
			was, before := offsetOf(t, a.off), a.room
			e.addConstBounded(&a, n)
			now, sum := offsetOf(t, a.off), int64(was)+n
			switch {
			case before.lost:
				if now != was || !a.room.lost {
					t.Fatalf("a lost offset moves from %#x to %#x", was, now)
				}
				continue
			case a.room.lost:
				losses++
				if now != lostOffset || a.room.left != 0 || n > -(1<<31)-1+int64(before.back) && n <= int64(top)-1<<20 {
					t.Fatalf("%#x and %d, after %d back: lost at %#x with room %d", was, n, before.back, now, a.room.left)
				}
				continue
			case n <= int64(before.left):
				if now != uint32(sum) || a.room.left != before.left-uint32(max(n, 0)) || a.room.back != before.back+uint32(max(-n, 0)) {
					t.Fatalf("%#x and %d, with room %d: %#x, %+v", was, n, before.left, now, a.room)
				}
			default:
				cuts++
				element := uint64(max(1, min(mul, 1<<16)))
				if uint64(now) > top-uint64(a.room.left) || int64(now) > sum || sum <= int64(top-2*element) && int64(now) != sum || sum > int64(top) && uint64(now) < top-2*element {
					t.Fatalf("%#x and %d, of alignment %d+%d, with room %d: %#x, want %#x; room %d", was, n, mul, offset, before.left, now, sum, a.room.left)
				}
				if mul > 0 && (uint64(now)-uint64(n))&(element-1) != uint64(offset)&(element-1) {
					t.Fatalf("%#x and %d, of alignment %d+%d: %#x is another alignment", was, n, mul, offset, now)
				}
			}
			if int64(now) < 0 || n < 0 {
				break // below zero an offset is where no buffer reaches
			}
			a.offset += uint32(n)
			if a.mul != 0 {
				a.offset &= a.mul - 1
			}
			offset, mul = a.offset, a.mul
		}
	}
	if cuts < 1000 || losses < 1000 {
		t.Errorf("%d cuts, %d losses", cuts, losses)
	}
}
