package midgard

import (
	"math/bits"

	"nirc/backend/midgard/isa"
	"nirc/internal/slab"
)

// dep says how two instructions of a block must be ordered.
type dep struct {
	to   int32 // among the nodes
	kind depKind
}

// depKind says how: apart, or by the stages of one bundle.
type depKind uint8

const (
	depRAW   depKind = iota // in one bundle: stage 1 before stage 2
	depWAW                  // the same
	depWAR                  // in one bundle: the writer's stage is not before the reader's
	depApart                // never in one bundle
)

// depthStep is how much deeper what depends on an instruction lies: a bundle has two stages, so what must be apart
// counts for more than what may follow in the next stage, and that for more than what may stand in the same one.
var depthStep = [...]int32{depRAW: 2, depWAW: 2, depWAR: 1, depApart: 4}

// node is an instruction in the dependence graph of its block.
type node struct {
	in    *inst
	at    *bundle // where it was placed
	order int32   // its own index
	// Its rows: see preds and succs of the graph.
	firstPred, pastPred, firstSucc, pastSucc int32

	after int32     // successors that are not placed
	depth int32     // the longest way to it, in depthStep
	units isa.Units // of ALU: those that can run it
	stage uint8     // 1 or 2, of ALU
}

// graph finds the dependences of a block, its terminator left out. It is used
// for one block after the other.
type graph struct {
	nodes []node
	// deps are the predecessors of all nodes in a row, mirror the successors.
	deps, mirror []dep
	first        int     // where those of the node at hand begin
	linked       []int32 // by node: 1 + where in deps the node at hand has it
	// By component of a register: 1 + the last writer, negative if that is none of the ALU, and the readers since then.
	writer  []int32
	readers []int32 // 1 + the first in chain
	chain   []reader
	touched []reg // registers of this block, with repetitions
	// Memory: spill slots are apart from all else.
	slots, mem accesses
}

// reader is a link of a chain: a node, and 1 + where the chain goes on.
type reader struct {
	node, next int32
	alu        bool
}

// accesses are those of one memory that later ones may have to wait for: the
// last write and the reads since; what came before is ordered through these.
type accesses struct {
	write  int32 // 1 + the node
	reads  []int32
	fences uint32 // before the last of them
}

// preds are a node's predecessors, to is which.
func (g *graph) preds(n *node) []dep { return g.deps[n.firstPred:n.pastPred] }

// succs are a node's successors.
func (g *graph) succs(n *node) []dep { return g.mirror[n.firstSucc:n.pastSucc] }

// newGraph returns the graph of the function's compile for the registers that
// there are.
func newGraph(f *function) *graph {
	g := &f.memory().graph
	n := 4 * (int(firstVirtual) + len(f.nodes))
	g.writer, g.readers = slab.Resized(g.writer, n), slab.Resized(g.readers, n)
	clear(g.writer)
	clear(g.readers)
	g.touched = g.touched[:0]
	return g
}

// build finds the dependences of a list of instructions.
func (g *graph) build(list []*inst) {
	for _, r := range g.touched {
		clear(g.writer[4*r : 4*r+4])
		clear(g.readers[4*r : 4*r+4])
	}
	g.touched, g.chain, g.deps = g.touched[:0], g.chain[:0], g.deps[:0]
	g.slots.reset()
	g.mem.reset()
	g.nodes, g.linked = slab.Resized(g.nodes, len(list)), slab.Resized(g.linked, len(list))
	clear(g.linked)
	for i, in := range list {
		g.nodes[i] = node{in: in, order: int32(i)}
		g.first = len(g.deps)
		g.add(int32(i))
		n := &g.nodes[i]
		n.firstPred, n.pastPred = int32(g.first), int32(len(g.deps))
		for _, d := range g.preds(n) {
			p := &g.nodes[d.to]
			p.after++
			n.depth = max(n.depth, p.depth+depthStep[d.kind])
			g.linked[d.to] = 0
		}
	}
	g.connect()
}

func (a *accesses) reset() { a.write, a.reads, a.fences = 0, a.reads[:0], 0 }

// connect gives the nodes their rows of successors.
func (g *graph) connect() {
	g.mirror = slab.Resized(g.mirror, len(g.deps))
	past := int32(0)
	for i := range g.nodes {
		n := &g.nodes[i]
		n.firstSucc, n.pastSucc = past, past
		past += n.after
		for _, d := range g.preds(n) {
			p := &g.nodes[d.to]
			g.mirror[p.pastSucc] = dep{int32(i), d.kind}
			p.pastSucc++
		}
	}
}

// link orders the node at hand after another; from is 1 + that, or 0.
func (g *graph) link(from, to int32, k depKind) {
	from--
	if from < 0 || from == to {
		return
	}
	if at := g.linked[from]; at != 0 {
		if d := &g.deps[at-1]; stricter(k, d.kind) {
			d.kind = k
		}
		return
	}
	g.deps = append(g.deps, dep{from, k})
	g.linked[from] = int32(len(g.deps))
}

// stricter reports whether k forbids more than old.
func stricter(k, old depKind) bool { return k == depApart || old == depWAR && k != depWAR }

// together reports whether a register's value may be made and used in one bundle.
func together(r reg) bool { return r < 26 || r.virtual() }

func (g *graph) add(n int32) {
	in := g.nodes[n].in
	alu := in.kind == kindALU
	var buf [maxUses]liveReg
	for _, u := range in.uses(buf[:0]) {
		g.touched = append(g.touched, u.r)
		beside := alu && together(u.r)
		for m := u.m & 15; m != 0; m &= m - 1 {
			at := 4*u.r + reg(bits.TrailingZeros8(m))
			switch w := g.writer[at]; {
			case w > 0 && beside:
				g.link(w, n, depRAW)
			case w != 0:
				g.link(max(w, -w), n, depApart)
			}
			g.chain = append(g.chain, reader{n, g.readers[at], alu})
			g.readers[at] = int32(len(g.chain))
		}
	}
	if in.dst != regNone {
		g.touched = append(g.touched, in.dst)
		for m := in.mask & 15; m != 0; m &= m - 1 {
			g.write(n, 4*in.dst+reg(bits.TrailingZeros8(m)), alu)
		}
	}
	g.memory(n)
}

// write notes that a node, of the ALU or not, writes a component of a register.
func (g *graph) write(n int32, at reg, alu bool) {
	switch w := g.writer[at]; {
	case w > 0 && alu:
		g.link(w, n, depWAW)
	case w != 0:
		g.link(max(w, -w), n, depApart)
	}
	for i := g.readers[at]; i != 0; {
		o := &g.chain[i-1]
		k := depWAR
		if !alu || !o.alu {
			k = depApart
		}
		g.link(o.node+1, n, k)
		i = o.next
	}
	g.writer[at], g.readers[at] = n+1, 0
	if !alu {
		g.writer[at] = -(n + 1)
	}
}

// access says what a load/store does to memory.
func access(in *inst) (reads, writes bool) {
	if in.kind == kindTex {
		barrier := in.tex.Op == isa.TexBarrier
		return barrier || in.texels, barrier
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
func (g *graph) memory(n int32) {
	in := g.nodes[n].in
	reads, writes := access(in)
	if !reads {
		return
	}
	m := &g.mem
	if in.spill != 0 {
		m = &g.slots
	}
	g.link(m.write, n, depApart)
	if in.fences != m.fences {
		// The first after a memory barrier: all earlier ones are done, all later ones wait.
		m.fences = in.fences
		writes = true
	}
	if !writes {
		m.reads = append(m.reads, n+1)
		return
	}
	for _, o := range m.reads {
		g.link(o, n, depApart)
	}
	m.write, m.reads = n+1, m.reads[:0]
}
