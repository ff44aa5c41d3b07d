package cost

import "math/bits"

// Span is a run of registers that an instruction reads, or writes after it has read.
type Span struct {
	First, N int // in units of Registers
	Write    bool
}

// Registers is how spans count a target's registers.
type Registers struct {
	Units int // of the file
	Per   int // units of a register as Properties.RegisterUnit counts them
}

// maxLive bounds the words of memory that liveness takes; larger programs have none.
const maxLive = 1 << 23

// Liveness sets Instr.Live from what each instruction reads and writes, by its offset: the registers that hold
// something that is read later, with those that the instruction itself reads and writes.
func (p *Program) Liveness(r Registers, spans map[int][]Span) {
	words := (r.Units + 63) / 64
	if len(p.Nodes) == 0 || len(p.Nodes)*words > maxLive {
		return
	}
	l := liveness{p: p, words: words, spans: make([][]Span, len(p.Instrs)), in: make([]uint64, len(p.Nodes)*words), out: make([]uint64, words)}
	for i := range p.Instrs {
		l.spans[i] = spans[p.Instrs[i].Offset]
	}
	for changed := true; changed; {
		changed = false
		for n := len(p.Nodes) - 1; n >= 0; n-- {
			changed = l.node(n) || changed
		}
	}
	for n := range p.Nodes {
		in := &p.Instrs[p.Nodes[n].Instr]
		in.Live = max(in.Live, l.at(n, r.Per))
	}
}

type liveness struct {
	p     *Program
	words int
	spans [][]Span // by instruction
	in    []uint64 // by node: what is live before it
	out   []uint64 // what is live after the node that is looked at
}

func (l *liveness) of(n int) []uint64 { return l.in[n*l.words : (n+1)*l.words] }

// after computes what is live after a node.
func (l *liveness) after(n int) {
	clear(l.out)
	for _, t := range l.p.Nodes[n].Succ {
		for k, w := range l.of(int(t)) {
			l.out[k] |= w
		}
	}
}

// node computes what is live before a node, and reports whether that has grown.
func (l *liveness) node(n int) (grown bool) {
	l.after(n)
	if !l.p.Nodes[n].Idle {
		list := l.spans[l.p.Nodes[n].Instr]
		for _, write := range []bool{true, false} {
			for _, s := range list {
				if s.Write == write {
					l.set(s, !write)
				}
			}
		}
	}
	for k, w := range l.of(n) {
		grown = grown || l.out[k]&^w != 0
	}
	copy(l.of(n), l.out)
	return grown
}

func (l *liveness) set(s Span, on bool) {
	for u := max(0, s.First); u < min(s.First+s.N, 64*l.words); u++ {
		if on {
			l.out[u/64] |= 1 << (u % 64)
		} else {
			l.out[u/64] &^= 1 << (u % 64)
		}
	}
}

// at counts the registers in use at a node.
func (l *liveness) at(n, per int) (count int) {
	l.after(n)
	if !l.p.Nodes[n].Idle {
		for _, s := range l.spans[l.p.Nodes[n].Instr] {
			l.set(s, true)
		}
	}
	if per == 1 {
		for _, w := range l.out {
			count += bits.OnesCount64(w)
		}
		return count
	}
	for u := 0; u < 64*l.words; u += per { // per divides 64
		if l.out[u/64]>>(u%64)&(1<<per-1) != 0 {
			count++
		}
	}
	return count
}
