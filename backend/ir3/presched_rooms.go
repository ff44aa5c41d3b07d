package ir3

import (
	"nirc/backend/mach"
	"nirc/internal/slab"
)

// More registers let more results be under way at once, and cost waves, which hide the waits
// that are left. preScheduler tries several amounts and keeps the order that takes least time.

// preRoom is an amount of registers that blocks may be ordered in.
type preRoom struct {
	budget int // register units to stay below
	waves  int // waves on a scheduler that it leaves
}

// roomSlack are units that are left for vectors, which want registers in line.
const roomSlack = 16

// halfRoom are the units that halves may take at once: vectors of them want halves in line among the named ones too. With
// all but 16 taken, an upscaler's gathers made 609 moves and 8 spills; with a quarter left, 27 and none.
const halfRoom = halfUnits - halfUnits/4

// preRooms lists the amounts worth a look: the most registers that cost no wave, then the most
// for each lower number of waves.
func (c *compiler) preRooms() []preRoom {
	arrays := c.arraysTake()
	units := c.freeUnits(c.pressure, c.limit)
	most := (c.limit + arrays) / 8
	vec4 := (units + arrays) / 8
	if c.within > vec4 {
		for vec4 = c.within; vec4 < most && c.wavesFor(vec4+1) == c.wavesFor(vec4); vec4++ {
		}
		units = 8*vec4 - arrays
	}
	rooms := append(c.mem.pre.rooms[:0], preRoom{max(c.pressure, units-roomSlack), max(1, c.wavesFor(vec4)/schedulers)})
	vec4++
	for w, next := c.wavesFor(vec4), 0; vec4 <= most; vec4, w = vec4+1, next {
		if next = c.wavesFor(vec4 + 1); vec4 == most || next < w {
			if r := (preRoom{8*vec4 - arrays - roomSlack, max(1, w/schedulers)}); r.budget > rooms[len(rooms)-1].budget {
				rooms = append(rooms, r)
			}
		}
	}
	c.mem.pre.rooms = rooms
	return rooms
}

// preTime is what an order takes by the usual latencies, weighed by the depth of loops: slots that are issued,
// the nops among them, and waits by flags, in which other waves run.
type preTime struct {
	issue, nops, stall int64
}

// add adds a block's time, at the depth of loops.
func (t *preTime) add(b preTime, depth int32) {
	weight := int64(1) << min(3*depth, 30)
	t.issue += b.issue * weight
	t.nops += b.nops * weight
	t.stall += b.stall * weight
}

// of is the time of a wave among waves, in 256ths of a slot.
func (t *preTime) of(waves int) int64 { return t.issue<<8 + t.stall<<8/int64(waves) }

// least is what no other order of the same instructions takes less than: that without nops and waits.
func (t *preTime) least() int64 { return (t.issue - t.nops) << 8 }

// saves reports whether a time is so much shorter than another that it is worth waves: by a 32nd, for figures
// of latency are only the usual ones.
func saves(t, than int64) bool { return t*33/32 < than }

// bestOrder returns the blocks' instructions in the best order that a room gave.
func (p *preScheduler) bestOrder(rooms []preRoom) [][]*mach.Instr {
	best, t := p.orders(rooms[0])
	p.waves = rooms[0].waves
	least := t.of(rooms[0].waves)
	for _, r := range rooms[1:] {
		if r.waves >= rooms[0].waves {
			continue
		}
		if !saves(t.least(), least) {
			break
		}
		order, now := p.orders(r)
		if now.issue+now.stall >= t.issue+t.stall {
			break // what is in the way is not room
		}
		t = now
		if n := t.of(r.waves); saves(n, least) {
			best, order, least = order, best, n
			p.waves = r.waves
		}
		p.spare = order
	}
	return best
}

// orders returns the blocks' instructions as they go in a room, and the time that they take.
func (p *preScheduler) orders(r preRoom) ([][]*mach.Instr, preTime) {
	list := slab.Resized(p.spare, len(p.f.Blocks))
	p.spare = nil
	var sum preTime
	for b := range p.f.Blocks {
		blk := &p.f.Blocks[b]
		if list[b] = blk.Instrs; len(blk.Instrs) <= 3 {
			continue
		}
		var t preTime
		list[b], t = p.blockWithin(mach.BlockID(b), r.budget)
		sum.add(t, blk.LoopDepth)
	}
	return list, sum
}

// maxTighter is how often a block is ordered again within less room than it may have.
const maxTighter = 2

// blockWithin orders a block in a room. What takes least room at once may be the start of much that takes more: where the block
// then needs more than slack allows, the order is made again, in a room that is as much smaller and with the order of the
// program where it is full, which needs few registers; what needs least is taken.
func (p *preScheduler) blockWithin(b mach.BlockID, budget int) (best []*mach.Instr, t preTime) {
	p.budget, p.inOrder = budget, false
	least := 0
	for try := 0; ; try++ {
		p.time = preTime{}
		order := p.block(b)
		over := max(p.peak-budget, p.crowd-halfRoom)
		if best == nil || over < least {
			best, least, t = order, over, p.time
		}
		if over <= roomSlack/2 || try == maxTighter || p.budget <= 0 {
			return best, t
		}
		if p.inOrder {
			p.budget -= over
		}
		p.inOrder = true
	}
}
