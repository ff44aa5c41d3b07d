package midgard

import "nirc/backend/midgard/isa"

// dep says how two instructions of a block must be ordered.
type dep struct {
	to *node
	// apart: never in one bundle. Else the stages say: raw and waw need an earlier
	// stage, war one that is not earlier.
	kind depKind
}

type depKind uint8

const (
	depRAW   depKind = iota // in one bundle: stage 1 before stage 2
	depWAW                  // the same
	depWAR                  // in one bundle: the writer's stage is not before the reader's
	depApart                // never in one bundle
)

// node is an instruction in the dependence graph of its block.
type node struct {
	in     *inst
	order  int
	succs  []dep
	preds  []dep // to is the predecessor
	left   int   // predecessors that are not placed
	after  int   // successors
	height int
	at     *bundle // where it was placed
	stage  int     // 1 or 2, of ALU
}

// graph finds the dependences of a block, its terminator left out.
type graph struct {
	nodes   []node
	writer  [][4]*node   // by register
	readers [][4][]*node // by register, since its last write
	touched []reg        // registers of this block, with repetitions
	// Memory: spill slots are apart from all else.
	slots, mem accesses
}

// accesses are those of one memory that later ones may have to wait for: the
// last write and the reads since; what came before is ordered through these.
type accesses struct {
	write *node
	reads []*node
}

func newGraph(f *function) *graph {
	n := int(firstVirtual) + len(f.nodes)
	return &graph{writer: make([][4]*node, n), readers: make([][4][]*node, n)}
}

// build finds the dependences of a list of instructions.
func (g *graph) build(list []*inst) {
	for _, r := range g.touched {
		g.writer[r] = [4]*node{}
		for c := range g.readers[r] {
			g.readers[r][c] = g.readers[r][c][:0]
		}
	}
	g.touched, g.slots, g.mem = g.touched[:0], accesses{}, accesses{}
	g.nodes = make([]node, len(list))
	for i, in := range list {
		g.nodes[i] = node{in: in, order: i}
		g.add(&g.nodes[i])
	}
	for i := len(g.nodes) - 1; i >= 0; i-- {
		n := &g.nodes[i]
		n.after = len(n.succs)
		for _, d := range n.succs {
			n.height = max(n.height, d.to.height+1)
		}
	}
}

func (g *graph) link(from, to *node, k depKind) {
	if from == nil || from == to {
		return
	}
	for i := range to.preds {
		if to.preds[i].to == from {
			if old := to.preds[i].kind; stricter(k, old) {
				to.preds[i].kind = k
				for j := range from.succs {
					if from.succs[j].to == to {
						from.succs[j].kind = k
					}
				}
			}
			return
		}
	}
	from.succs = append(from.succs, dep{to, k})
	to.preds = append(to.preds, dep{from, k})
	to.left++
}

// stricter tells whether k forbids more than old.
func stricter(k, old depKind) bool { return k == depApart || old == depWAR && k != depWAR }

// together tells whether a register's value may be made and used in one bundle.
func together(r reg) bool { return r < 26 || r.virtual() }

func (g *graph) add(n *node) {
	in := n.in
	in.reads(func(r reg, m uint8) {
		if r == regNone {
			return
		}
		g.touched = append(g.touched, r)
		for c := range 4 {
			if m>>c&1 == 0 {
				continue
			}
			k := depRAW
			if w := g.writer[r][c]; w != nil && (!together(r) || w.in.kind != kindALU || in.kind != kindALU) {
				k = depApart
			}
			g.link(g.writer[r][c], n, k)
			g.readers[r][c] = append(g.readers[r][c], n)
		}
	})
	if in.dst != regNone {
		g.touched = append(g.touched, in.dst)
		for c := range 4 {
			if in.mask>>c&1 != 0 {
				g.write(n, in.dst, c)
			}
		}
	}
	g.memory(n)
}

func (g *graph) write(n *node, r reg, c int) {
	w := g.writer[r][c]
	k := depWAW
	if w != nil && (w.in.kind != kindALU || n.in.kind != kindALU) {
		k = depApart
	}
	g.link(w, n, k)
	for _, o := range g.readers[r][c] {
		k := depWAR
		if o.in.kind != kindALU || n.in.kind != kindALU {
			k = depApart
		}
		g.link(o, n, k)
	}
	g.writer[r][c], g.readers[r][c] = n, g.readers[r][c][:0]
}

// access says what a load/store does to memory.
func access(in *inst) (reads, writes bool) {
	if in.kind == kindTex {
		barrier := in.tex.Op == isa.TexBarrier
		return barrier, barrier
	}
	if in.kind != kindLdSt {
		return false, false
	}
	switch in.ld.Op.Info().Kind {
	case isa.KindLoad, isa.KindImage:
		return true, false
	case isa.KindStore, isa.KindStImage, isa.KindAtomic, isa.KindCmpXchg:
		return true, true
	}
	return false, false
}

// memory keeps accesses in order where one of two writes.
func (g *graph) memory(n *node) {
	reads, writes := access(n.in)
	if !reads {
		return
	}
	m := &g.mem
	if n.in.spill != 0 {
		m = &g.slots
	}
	g.link(m.write, n, depApart)
	if !writes {
		m.reads = append(m.reads, n)
		return
	}
	for _, o := range m.reads {
		g.link(o, n, depApart)
	}
	m.write, m.reads = n, m.reads[:0]
}
