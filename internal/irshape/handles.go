package irshape

import (
	"fmt"
)

// Handles are indices; element 0 of instrs and srcs is never used, so that handle 0 means none. A block's handle is
// its index. An instruction makes at most one def, so its handle names the def as well.

type hSrc struct {
	def, instr       uint32
	prevUse, nextUse uint32 // other uses of def
	swizzle          uint64
}

type hInstr struct {
	op          opcode
	bits, comps uint8
	live        bool
	srcCount    uint16
	block       uint32
	prev, next  uint32
	srcFirst    uint32
	uses        uint32
	imm         uint64
}

type hBlock struct {
	domEnd      uint32
	first, last uint32
	preds       [2]int32 // -1 where absent
}

// hShader is shape H. Nothing in its slices is a pointer, so the garbage collector does not look inside.
type hShader struct {
	instrs []hInstr
	srcs   []hSrc
	blocks []hBlock
}

// hScratch is what building and the passes need besides the shader; one serves many shaders, one after the other.
type hScratch struct {
	values []uint32 // while building: by index in the program
	table  []hSlot
	work   []uint32
}

func newH() *hShader {
	s := &hShader{}
	s.reset()
	return s
}

// newSizedH makes a shader with room for the program, as a front end can that knows the length of its input.
func newSizedH(p *program) *hShader {
	n := 0
	for i := range p.instrs {
		n += int(ops[p.instrs[i].op].nsrc)
	}
	s := &hShader{
		instrs: make([]hInstr, 0, len(p.instrs)+1),
		srcs:   make([]hSrc, 0, n+1),
		blocks: make([]hBlock, 0, len(p.blocks)),
	}
	s.reset()
	return s
}

func (s *hShader) reset() {
	s.instrs = append(s.instrs[:0], hInstr{})
	s.srcs = append(s.srcs[:0], hSrc{})
	s.blocks = s.blocks[:0]
}

// build fills an empty or reset shader with the program.
func (s *hShader) build(p *program, x *hScratch) {
	x.values = x.values[:0]
	for i := range p.blocks {
		g := &p.blocks[i]
		s.blocks = append(s.blocks, hBlock{domEnd: uint32(g.domEnd), preds: g.preds})
		for k := g.first; k < g.end; k++ {
			x.values = append(x.values, s.append(uint32(i), &p.instrs[k], x.values))
		}
	}
	for i, h := range x.values { // phis may name values that come after them
		if in := &s.instrs[h]; in.op == opPhi {
			for j := range uint32(in.srcCount) {
				s.use(in.srcFirst+j, x.values[p.instrs[i].src[j]])
			}
		}
	}
}

// append adds an instruction at the end of block b and links its sources, those of phis excepted.
func (s *hShader) append(b uint32, g *genInstr, values []uint32) uint32 {
	h := uint32(len(s.instrs))
	n, first := int(ops[g.op].nsrc), uint32(len(s.srcs))
	blk := &s.blocks[b]
	s.instrs = append(s.instrs, hInstr{op: g.op, bits: g.bits, comps: g.comps, block: b, prev: blk.last, imm: g.imm,
		srcFirst: first, srcCount: uint16(n)})
	if blk.last != 0 {
		s.instrs[blk.last].next = h
	} else {
		blk.first = h
	}
	blk.last = h
	for j := range n {
		s.srcs = append(s.srcs, hSrc{instr: h, swizzle: g.swz[j]})
		if g.op != opPhi {
			s.use(first+uint32(j), values[g.src[j]])
		}
	}
	return h
}

// sources returns the sources of an instruction.
func (s *hShader) sources(in *hInstr) []hSrc {
	return s.srcs[in.srcFirst : in.srcFirst+uint32(in.srcCount)]
}

// use puts the source, unlinked before, at the head of d's uses.
func (s *hShader) use(src, d uint32) {
	def, u := &s.instrs[d], &s.srcs[src]
	u.def, u.prevUse, u.nextUse = d, 0, def.uses
	if def.uses != 0 {
		s.srcs[def.uses].prevUse = src
	}
	def.uses = src
}

// unuse takes the source out of the use list of its def.
func (s *hShader) unuse(u *hSrc) {
	if u.prevUse != 0 {
		s.srcs[u.prevUse].nextUse = u.nextUse
	} else {
		s.instrs[u.def].uses = u.nextUse
	}
	if u.nextUse != 0 {
		s.srcs[u.nextUse].prevUse = u.prevUse
	}
}

// remove takes the instruction out of its block and its sources out of their use lists.
func (s *hShader) remove(in *hInstr) {
	srcs := s.sources(in)
	for i := range srcs {
		s.unuse(&srcs[i])
	}
	if in.prev != 0 {
		s.instrs[in.prev].next = in.next
	} else {
		s.blocks[in.block].first = in.next
	}
	if in.next != 0 {
		s.instrs[in.next].prev = in.prev
	} else {
		s.blocks[in.block].last = in.prev
	}
}

func (s *hShader) count() int {
	n := 0
	for b := range s.blocks {
		for h := s.blocks[b].first; h != 0; h = s.instrs[h].next {
			n++
		}
	}
	return n
}

func (s *hShader) print() string {
	var p printer
	for b := range s.blocks {
		p.block(uint32(b))
		for h := s.blocks[b].first; h != 0; h = s.instrs[h].next {
			in := &s.instrs[h]
			for _, u := range s.sources(in) {
				p.srcs = append(p.srcs, printedSrc{u.def - 1, u.swizzle})
			}
			p.instr(in.op, in.bits, in.comps, h-1, in.imm)
		}
	}
	return string(p.buf)
}

// check verifies that lists are linked both ways and that every source stands in the use list of its def, once.
func (s *hShader) check() error {
	srcs, uses := 0, 0
	for b := range s.blocks {
		var prev uint32
		for h := s.blocks[b].first; h != 0; prev, h = h, s.instrs[h].next {
			in := &s.instrs[h]
			if in.prev != prev || in.block != uint32(b) {
				return fmt.Errorf("instruction %d: bad links in block %d", h-1, b)
			}
			srcs += int(in.srcCount)
			var before uint32
			for u := in.uses; u != 0; before, u = u, s.srcs[u].nextUse {
				if s.srcs[u].def != h || s.srcs[u].prevUse != before {
					return fmt.Errorf("instruction %d: bad links in its use list", h-1)
				}
				uses++
			}
		}
		if s.blocks[b].last != prev {
			return fmt.Errorf("block %d: last is not the last", b)
		}
	}
	if srcs != uses {
		return fmt.Errorf("%d sources but %d uses", srcs, uses)
	}
	return nil
}
