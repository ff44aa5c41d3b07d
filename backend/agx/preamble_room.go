package agx

import (
	"cmp"
	"math"
	"slices"

	"nirc/backend"
	"nirc/backend/agx/abi"
	"nirc/backend/agx/isa"
	"nirc/ir"
	"nirc/ir/optab"
)

// Where the uniform registers cannot hold all that a shader would have there, what saves most for its size comes first: results of
// the preamble, addresses of buffers, words of buffers and push constants that the shader reads as operands and would load, constants
// that it would make where it reads them.

// crowd is what competes with the preamble's results for uniform registers.
type crowd struct {
	// scalars counts the components of constants, which bounds how many want a register.
	scalars int
	// list is what may get a register, sorted by [wish.before]; the first next of it have had their turn.
	list []wish
	next int
	seen map[uint64]int32 // by a wish's kind and bits: its place in list, plus 1
}

// The kinds of wishes.
const (
	wishConstant = iota
	wishHalf     // a constant that a half holds
	wishBuffer
	wishWords
)

// wish is something that wants a register.
type wish struct {
	kind   uint8
	bits   uint32    // a constant's, or the number of a buffer
	load   *ir.Instr // of words
	last   *ir.Block // that was counted
	saves  int32
	halves int32
}

// before orders wishes by what they save for their size.
func (w *wish) before(saves, halves int32) bool {
	return int64(w.saves)*int64(halves) > int64(saves)*int64(w.halves)
}

// What a register saves: an instruction in each block that would make a constant, a load, with its share of the time that it takes, in each
// that would read the address of a buffer, or words; in a loop eight times as often as around it.
const (
	loopWeight = 8
	maxWeighed = 3
)

// forget lets go of the shader.
func (c *crowd) forget() {
	clear(c.list)
	clear(c.seen)
	c.list, c.next, c.scalars = c.list[:0], 0, 0
}

// findWishes finds what the shader reads besides the preamble's results, once it is known what stays.
func (p *preamble) findWishes() {
	c := &p.crowd
	if c.seen == nil {
		c.seen = map[uint64]int32{}
	}
	for b := range p.impl.Blocks() {
		weight := int32(1)
		for range min(backend.LoopDepth(b), maxWeighed) {
			weight *= loopWeight
		}
		for in := range b.Instrs() {
			p.wishes(in, weight)
		}
	}
	slices.SortStableFunc(c.list, func(x, y wish) int {
		return cmp.Compare(int64(y.saves)*int64(x.halves), int64(x.saves)*int64(y.halves))
	})
}

// wishes notes what an instruction reads.
func (p *preamble) wishes(in *ir.Instr, weight int32) {
	c := &p.crowd
	stays := !in.HasDef() || !p.Can(&in.Def) || p.Stays(&in.Def)
	switch {
	case in.Kind == ir.KindALU && in.Def.NumComponents == 1 && !p.Can(&in.Def):
		for k := range in.Srcs {
			if bits, ok := wantedConstant(in, k); !ok {
				continue
			} else if h, ok := compactFloat(bits); ok {
				c.add(wish{kind: wishHalf, bits: h, halves: 1, last: in.Block, saves: weight})
			} else {
				c.add(wish{kind: wishConstant, bits: bits, halves: 2, last: in.Block, saves: weight})
			}
		}
	case in.Kind != ir.KindIntrinsic || !stays:
	case isWords(in):
		c.list = append(c.list, wish{kind: wishWords, load: in, halves: int32(p.Size(&in.Def)), saves: costLoad * weight})
	default:
		m := in.Memory()
		if m.Space != optab.SpaceUbo && m.Space != optab.SpaceSsbo || !m.Accesses() {
			return
		}
		if n, ok := in.Srcs[m.Handle].Const(0); ok {
			c.add(wish{kind: wishBuffer, bits: uint32(n), halves: 4, last: in.Block, saves: costLoad * weight})
		}
	}
}

// add counts what a block wants, once.
func (c *crowd) add(w wish) {
	key := uint64(w.kind)<<32 | uint64(w.bits)
	at := c.seen[key]
	if at == 0 {
		c.list = append(c.list, w)
		c.seen[key] = int32(len(c.list))
		return
	}
	if have := &c.list[at-1]; have.last != w.last {
		have.last = w.last
		have.saves += w.saves
	}
}

// isWords reports whether a load's words are operands of what reads them, if they have registers.
func isWords(in *ir.Instr) bool {
	return (in.Intr == ir.IntrLoadUbo || in.Intr == ir.IntrLoadPushConstant) && (in.Def.BitSize == 32 || in.Def.BitSize == 16) && freeIntrinsic(in)
}

// wantedConstant is the constant source k of an operation of 32 bits, if no immediate holds it.
func wantedConstant(in *ir.Instr, k int) (uint32, bool) {
	n, ok := in.Srcs[k].Const(0)
	if !ok || in.Srcs[k].Def.BitSize != 32 {
		return 0, false
	}
	bits := uint32(n)
	switch in.Op {
	case ir.OpMov, ir.OpIshl, ir.OpUshr, ir.OpIshr:
		return 0, false
	case ir.OpIadd, ir.OpIsub:
		if -bits <= maxImmediate {
			return 0, false
		}
	}
	if in.Op.Info().In[k].Class == optab.ClassFloat {
		_, ok = isa.FloatImmCode(float64(math.Float32frombits(bits)))
		return bits, !ok
	}
	return bits, bits > maxImmediate
}

// grant gives registers to the wishes that save more for their size than so much for so many halves.
func (p *preamble) grant(saves, halves int32) {
	for c := &p.crowd; c.next < len(c.list) && c.list[c.next].before(saves, halves); c.next++ {
		switch w := &c.list[c.next]; w.kind {
		case wishWords:
			p.takeWords(w.load)
		case wishBuffer:
			if set, binding, element, ok := p.res.entry(w.bits); ok {
				p.uni.take(abi.Uniform{Kind: abi.UniformBufferAddr, Set: set, Binding: binding, Element: element}, baseHalves)
			}
		case wishHalf:
			if p.uni.resultRoom() > 0 {
				p.uni.halfConstant(w.bits)
			}
		default:
			if p.uni.resultRoom() > 0 {
				p.uni.constant(w.bits)
			}
		}
	}
}

// takeWords asks for the words of a load, as selection will.
func (p *preamble) takeWords(in *ir.Instr) {
	k, base := abi.Uniform{Kind: abi.UniformPush}, uint32(in.Get(ir.IdxBase))
	if in.Intr == ir.IntrLoadUbo {
		number, _ := in.Srcs[0].Const(0)
		set, binding, element, ok := p.res.entry(uint32(number))
		if !ok {
			return
		}
		k, base = abi.Uniform{Kind: abi.UniformBufferData, Set: set, Binding: binding, Element: element}, 0
	}
	off, _ := in.Srcs[len(in.Srcs)-1].Const(0)
	var buf [16]uint32
	p.uni.words(buf[:in.Def.NumComponents], k, base+uint32(off), uint32(in.Def.BitSize))
}
