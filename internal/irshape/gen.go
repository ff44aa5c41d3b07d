package irshape

// genInstr is one instruction of the program both shapes are built from. Sources are indices into program.instrs.
type genInstr struct {
	op          opcode
	bits, comps uint8
	src         [3]int32
	swz         [3]uint64
	imm         uint64
}

// genBlock is a block: its instructions are instrs[first:end]. Blocks stand in preorder of the dominator tree, and
// the blocks that block b dominates are b..domEnd-1.
type genBlock struct {
	first, end int32
	domEnd     int32
	preds      [2]int32 // -1 where absent; phi source i comes from preds[i]
}

// program is the shape-free input.
type program struct {
	instrs []genInstr
	blocks []genBlock
}

// generator makes a structured program with a fixed PRNG (xorshift64*), so every run measures the same shader.
type generator struct {
	p                      program
	rng                    uint64
	wantInstrs, wantBlocks int
	visible                []int32 // values that dominate the point of insertion, oldest first
	used                   []bool  // by instruction index: some source reads it
}

// generate returns a program of exactly instrs instructions in about blocks blocks.
func generate(seed uint64, instrs, blocks int) *program {
	g := &generator{rng: seed | 1, wantInstrs: instrs, wantBlocks: blocks}
	g.open(-1, -1)
	for range 4 {
		g.constant()
	}
	g.load()
	g.region(blocks - 1)
	for len(g.p.instrs) < instrs-30 {
		g.one()
	}
	g.flush(0)
	for len(g.p.instrs) < instrs {
		g.store()
	}
	g.close()
	return &g.p
}

func (g *generator) rnd(n int) int {
	g.rng ^= g.rng >> 12
	g.rng ^= g.rng << 25
	g.rng ^= g.rng >> 27
	return int((g.rng * 0x2545f4914f6cdd1d) >> 33 % uint64(n))
}

// open starts a block with the predecessors a and b (-1: none) and returns its index.
func (g *generator) open(a, b int32) int32 {
	n := int32(len(g.p.instrs))
	g.p.blocks = append(g.p.blocks, genBlock{first: n, end: n, preds: [2]int32{a, b}})
	return int32(len(g.p.blocks) - 1)
}

// close ends the block opened last and returns its index.
func (g *generator) close() int32 {
	b := int32(len(g.p.blocks) - 1)
	g.p.blocks[b].end = int32(len(g.p.instrs))
	return b
}

// fill emits into the open block its share of the instructions.
func (g *generator) fill() {
	want := g.wantInstrs * len(g.p.blocks) / (g.wantBlocks + 1)
	for len(g.p.instrs) < want-1 {
		g.one()
	}
}

// region fills the open block and then spends up to n more blocks on ifs and loops. The open block and the merges,
// headers and exits that follow it each dominate the rest of the region; only those still lack a domEnd at its end.
func (g *generator) region(n int) {
	start := len(g.p.blocks) - 1
	g.fill()
	for n >= 3 {
		inner := g.rnd(min(n-2, 24))
		if g.rnd(3) == 0 {
			n -= g.loop(inner)
		} else {
			n -= g.branchy(inner)
		}
	}
	for b := start; b < len(g.p.blocks); b++ {
		if g.p.blocks[b].domEnd == 0 {
			g.p.blocks[b].domEnd = int32(len(g.p.blocks))
		}
	}
}

// branchy emits an if with two sides and a merge, with inner blocks nested, and returns how many blocks it took.
func (g *generator) branchy(inner int) int {
	before := len(g.p.blocks)
	g.condition()
	head := g.close()
	mark := len(g.visible)

	g.open(head, -1)
	g.region(inner / 2)
	g.flush(mark)
	thenEnd := g.close()
	thenVals := append([]int32(nil), g.recent(8)...)
	g.visible = g.visible[:mark]

	g.open(head, -1)
	g.region(inner - inner/2)
	g.flush(mark)
	elsEnd := g.close()
	elsVals := append([]int32(nil), g.recent(8)...)
	g.visible = g.visible[:mark]

	g.open(thenEnd, elsEnd)
	g.mergePhis(thenVals, elsVals)
	g.fill()
	return len(g.p.blocks) - before
}

// loop emits header, body and exit (the header leaves the loop) and returns how many blocks it took.
func (g *generator) loop(inner int) int {
	before := len(g.p.blocks)
	inits := []int32{g.value(), g.value()}[:1+g.rnd(2)] // from before the header: they must dominate pre
	pre := g.close()
	header := g.open(pre, -1)
	first := len(g.p.instrs)
	for _, init := range inits {
		g.emit(genInstr{op: opPhi, bits: 32, comps: g.p.instrs[init].comps, src: [3]int32{init, init}})
	}
	last := len(g.p.instrs)
	g.fill()
	g.condition()
	g.close()
	mark := len(g.visible)
	g.open(header, -1)
	g.region(inner)
	ends := append([]int32(nil), g.recent(16)...)
	g.flush(mark)
	bodyEnd := g.close()
	g.p.blocks[header].preds[1] = bodyEnd
	for i := first; i < last; i++ {
		for _, v := range ends {
			if g.p.instrs[v].comps == g.p.instrs[i].comps {
				g.p.instrs[i].src[1] = v
				g.used[v] = true
			}
		}
	}
	g.visible = g.visible[:mark]
	g.open(header, -1)
	g.fill()
	return len(g.p.blocks) - before
}
