package ir3

import "nirc/backend/ir3/isa"

// Blocks are ordered before registers are given, within the registers that cost no wave. Vectors in
// line and copies may take more than that, and then waves are lost for nothing. So the
// program is made again with an order for the waves that are left, and the better one is kept.

// attemptTime is the modelled time of a program: of issue, and of waits for textures and memory.
type attemptTime struct {
	preTime
	waves int // on a scheduler
}

// total is the time of a wave in 256ths of a slot.
func (t *attemptTime) total() int64 { return t.of(t.waves) }

// time is the modelled time of the program, loops weighed by their depth.
func (c *compiler) time() attemptTime {
	t := attemptTime{waves: max(1, c.wavesFor(c.meta.MaxRegs)/schedulers)}
	p := c.phys
	for b := range p.start {
		for k := p.start[b]; k <= p.tail[b]; k++ {
			t.add(blockTime(p.blocks[k].ins, c.doubles()), p.f.Blocks[b].LoopDepth)
		}
	}
	return t
}

// blockTime counts as the figures inst and systall do.
func blockTime(ins []pinstr, double bool) (t preTime) {
	delay := 0
	for i := range ins {
		in := &ins[i].Instr
		if in.Flags&isa.SY != 0 {
			t.stall += int64(delay)
			delay = 0
		}
		n := issueSlots(in)
		t.issue += int64(n)
		if _, sy := softLatency(in, double); sy > 0 {
			delay = sy
		} else {
			delay -= min(delay, n)
		}
	}
	return t
}

// secondPlan reports whether a program that is made is to be made once more, within the registers that it took.
func (c *compiler) secondPlan() bool {
	if c.opts.onePlan || c.within > 0 || c.planned == 0 {
		return false
	}
	t := c.time()
	vec4 := c.meta.MaxRegs
	if t.waves >= c.planned || (t.stall<<8/int64(t.waves))*secondShare < t.total() {
		return false
	}
	c.first, c.firstTime, c.within = c.bin, t.total(), vec4
	return true
}

// better is the program whose time is less.
func (c *compiler) better() *Binary {
	if c.first == nil {
		return c.bin
	}
	t := c.time()
	if t.total()+t.total()/leastGain > c.firstTime {
		return c.first
	}
	return c.bin
}

// secondShare is the part of the time that waits take at least where a second plan is worth making.
const secondShare = 16

// leastGain is the part of the time that more registers must save: they cost other shaders' waves.
const leastGain = 64
