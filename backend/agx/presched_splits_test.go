package agx

import (
	"slices"
	"strings"
	"testing"

	"nirc/backend/mach"
)

// Three operations of which one component each is read: with room they are asked for before the first is split, where its piece
// is read; without room each split but the last comes before the next operation, with some both do before the third.
func TestDelaySplits(t *testing.T) {
	const sample = " = texture_sample v4 {texture_sample 0, 0b1100, 0b0, none, x, 0b00, r0, None, ts0, ss1, tex_2d, r0_r1, auto_lod, 0}\n"
	const text = `func f target agx
block 0
  v1:full@10!fixed, v2:full@12!fixed = inputs
  v4:full*2 = collect v1, v2
  v5:full*4` + sample + `  v6:full, v7:full, v8:full, v9:full = split v5
  v10:full*4` + sample + `  v11:full, v12:full, v13:full, v14:full = split v10
  v15:full*4` + sample + `  v16:full, v17:full, v18:full, v19:full = split v15
  v20:full = fadd32 v6, v11 {fadd32 r0, r0, r0}
  end v16, v20
`
	const s1, p1, s2, p2, s3, p3, sum = 1, 2, 3, 4, 5, 6, 7
	for _, c := range []struct {
		room int32
		want []int32
	}{{100, []int32{0, s1, s2, s3, p1, p2, sum, p3}}, {20, []int32{0, s1, s2, p1, p2, s3, sum, p3}}, {12, []int32{0, s1, p1, s2, p2, s3, sum, p3}}} {
		f, err := mach.Parse(text, newISA())
		if err != nil {
			t.Fatal(err)
		}
		code := templates(f)
		code.live = mach.LiveBorders(f)
		p := &code.sched
		p.f, p.code = f, code
		p.names.begin(f)
		blk := &f.Blocks[0]
		first, end := p.region(blk)
		p.names.enter(f, blk.Instrs[first:end], code.live.Out[0], blk.Instrs[end:])
		p.list = blk.Instrs[first:end]
		p.graph()
		if got := p.delaySplits(nil, c.room); !slices.Equal(got, c.want) {
			t.Errorf("room for %d halves: order %d, want %d of\n%s", c.room, got, c.want, strings.TrimSpace(f.String()))
		}
	}
}

// TestBestLooksNoFurther: of a region whose order has no more registers live than any must, and where nothing is waited for, there
// is nothing more to find out.
func TestBestLooksNoFurther(t *testing.T) {
	const narrow = "  v3:full = fadd32 v1, v2 {fadd32 r0, r0, r0}\n  v4:full = fadd32 v3, v2 {fadd32 r0, r0, r0}\n  v5:full = fadd32 v4, v2 {fadd32 r0, r0, r0}\n  end v5\n"
	const wide = "  v3:full = fadd32 v1, v1 {fadd32 r0, r0, r0}\n  v4:full = fadd32 v1, v1 {fadd32 r0, r0, r0}\n  v5:full = fadd32 v3, v2 {fadd32 r0, r0, r0}\n  v6:full = fadd32 v5, v4 {fadd32 r0, r0, r0}\n  end v6\n"
	for _, c := range []struct {
		body   string
		looked bool
	}{{narrow, false}, {wide, true}} {
		f, err := mach.Parse("func f target agx\nblock 0\n  v1:full@10!fixed, v2:full@12!fixed = inputs\n"+c.body, newISA())
		if err != nil {
			t.Fatal(err)
		}
		pressureSchedule(f, gprHalves)
		if looked := len(templates(f).sched.start) > 0; looked != c.looked {
			t.Errorf("a graph was made: %v, of\n%s", looked, f)
		}
	}
}
