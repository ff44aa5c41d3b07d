package irshape

import "fmt"

const (
	slabLen      = 512 // elements of a slab of instructions or sources
	blockSlabLen = 64
)

// slab hands out elements of chunks that stay where they are, and keeps the chunks when it is reset.
type slab[T any] struct {
	chunks [][]T
	room   []T // what is left of the chunk in use
	next   int // chunk to use when room is short
	size   int // elements of a chunk
}

// alloc returns k adjacent elements (k at most the chunk size) holding whatever they held before.
func (s *slab[T]) alloc(k int) []T {
	if len(s.room) < k {
		if s.next == len(s.chunks) {
			s.chunks = append(s.chunks, make([]T, s.size))
		}
		s.room = s.chunks[s.next]
		s.next++
	}
	out := s.room[:k:k]
	s.room = s.room[k:]
	return out
}

func (s *slab[T]) reset() { s.room, s.next = nil, 0 }

type pDef struct {
	parent      *pInstr
	uses        *pSrc
	index       uint32
	bits, comps uint8
}

type pSrc struct {
	def        *pDef
	instr      *pInstr
	prev, next *pSrc // other uses of def
	swizzle    uint64
}

type pInstr struct {
	op         opcode
	live       bool
	block      *pBlock
	prev, next *pInstr
	srcs       []pSrc
	imm        uint64
	def        pDef
}

type pBlock struct {
	index, domEnd uint32
	first, last   *pInstr
	preds         [2]*pBlock
}

// pShader is shape P.
type pShader struct {
	instrs slab[pInstr]
	srcs   slab[pSrc]
	bslab  slab[pBlock]
	blocks []*pBlock
	made   int // instructions made since the reset
}

// pScratch is what building and the passes need besides the shader; one serves many shaders, one after the other.
type pScratch struct {
	values []*pInstr // while building: by index in the program
	table  []pSlot
	work   []*pInstr
}

func newP() *pShader {
	return &pShader{instrs: slab[pInstr]{size: slabLen}, srcs: slab[pSrc]{size: slabLen}, bslab: slab[pBlock]{size: blockSlabLen}}
}

func (s *pShader) reset() {
	s.instrs.reset()
	s.srcs.reset()
	s.bslab.reset()
	s.blocks = s.blocks[:0]
	s.made = 0
}

// build fills an empty or reset shader with the program.
func (s *pShader) build(p *program, x *pScratch) {
	x.values = x.values[:0]
	for i := range p.blocks {
		b := &s.bslab.alloc(1)[0]
		*b = pBlock{index: uint32(i), domEnd: uint32(p.blocks[i].domEnd)}
		s.blocks = append(s.blocks, b)
	}
	for i := range p.blocks {
		b, g := s.blocks[i], &p.blocks[i]
		for j, pr := range g.preds {
			if pr >= 0 {
				b.preds[j] = s.blocks[pr]
			}
		}
		for k := g.first; k < g.end; k++ {
			x.values = append(x.values, s.append(b, &p.instrs[k], uint32(k), x.values))
		}
	}
	for i, in := range x.values { // phis may name values that come after them
		if in.op == opPhi {
			for j := range in.srcs {
				in.srcs[j].use(&x.values[p.instrs[i].src[j]].def)
			}
		}
	}
}

// append adds an instruction at the end of b and links its sources, those of phis excepted.
func (s *pShader) append(b *pBlock, g *genInstr, index uint32, values []*pInstr) *pInstr {
	s.made++
	in := &s.instrs.alloc(1)[0]
	*in = pInstr{op: g.op, block: b, prev: b.last, imm: g.imm}
	in.def = pDef{parent: in, index: index, bits: g.bits, comps: g.comps}
	if b.last != nil {
		b.last.next = in
	} else {
		b.first = in
	}
	b.last = in
	in.srcs = s.srcs.alloc(int(ops[g.op].nsrc))
	for j := range in.srcs {
		in.srcs[j] = pSrc{instr: in, swizzle: g.swz[j]}
		if g.op != opPhi {
			in.srcs[j].use(&values[g.src[j]].def)
		}
	}
	return in
}

// use puts the source, unlinked before, at the head of d's uses.
func (src *pSrc) use(d *pDef) {
	src.def, src.prev, src.next = d, nil, d.uses
	if d.uses != nil {
		d.uses.prev = src
	}
	d.uses = src
}

// unuse takes the source out of the use list of its def.
func (src *pSrc) unuse() {
	if src.prev != nil {
		src.prev.next = src.next
	} else {
		src.def.uses = src.next
	}
	if src.next != nil {
		src.next.prev = src.prev
	}
}

// remove takes the instruction out of its block and its sources out of their use lists.
func (in *pInstr) remove() {
	for i := range in.srcs {
		in.srcs[i].unuse()
	}
	if in.prev != nil {
		in.prev.next = in.next
	} else {
		in.block.first = in.next
	}
	if in.next != nil {
		in.next.prev = in.prev
	} else {
		in.block.last = in.prev
	}
}

func (s *pShader) count() int {
	n := 0
	for _, b := range s.blocks {
		for in := b.first; in != nil; in = in.next {
			n++
		}
	}
	return n
}

func (s *pShader) print() string {
	var p printer
	for _, b := range s.blocks {
		p.block(b.index)
		for in := b.first; in != nil; in = in.next {
			for i := range in.srcs {
				p.srcs = append(p.srcs, printedSrc{in.srcs[i].def.index, in.srcs[i].swizzle})
			}
			p.instr(in.op, in.def.bits, in.def.comps, in.def.index, in.imm)
		}
	}
	return string(p.buf)
}

// check verifies that lists are linked both ways and that every source stands in the use list of its def, once.
func (s *pShader) check() error {
	srcs, uses := 0, 0
	for _, b := range s.blocks {
		var prev *pInstr
		for in := b.first; in != nil; prev, in = in, in.next {
			if in.prev != prev || in.block != b {
				return fmt.Errorf("instruction %d: bad links in block %d", in.def.index, b.index)
			}
			srcs += len(in.srcs)
			var before *pSrc
			for u := in.def.uses; u != nil; before, u = u, u.next {
				if u.def != &in.def || u.prev != before {
					return fmt.Errorf("instruction %d: bad links in its use list", in.def.index)
				}
				uses++
			}
		}
		if b.last != prev {
			return fmt.Errorf("block %d: last is not the last", b.index)
		}
	}
	if srcs != uses {
		return fmt.Errorf("%d sources but %d uses", srcs, uses)
	}
	return nil
}
