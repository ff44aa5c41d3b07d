package ir

import "nirc/internal/domtree"

// largeDominance finds immediate dominators where the iteration takes too long: many ways out of a deep tree to
// one block make it walk up that tree for each.
func (impl *Impl) largeDominance() {
	num := impl.dom.order // by block: its place in the walk
	for i := range num {
		num[i] = -1
	}
	var met []*Block
	g := &domtree.Graph{Start: []int32{0}}
	push := func(stack []domFrame, b *Block, parent int32) []domFrame {
		num[b.Index] = int32(len(met))
		met = append(met, b)
		g.Parent = append(g.Parent, parent)
		return append(stack, domFrame{b, 0})
	}
	for stack := push(impl.dom.stack[:0], impl.Start(), 0); len(stack) > 0; {
		f := &stack[len(stack)-1]
		if f.i == 2 {
			stack = stack[:len(stack)-1]
			continue
		}
		s := f.b.Succ[f.i]
		f.i++
		if s != nil && num[s.Index] < 0 {
			stack = push(stack, s, num[f.b.Index])
		}
	}
	for _, b := range met {
		for _, p := range b.Preds {
			if n := num[p.Index]; n >= 0 {
				g.Preds = append(g.Preds, n)
			}
		}
		g.Start = append(g.Start, int32(len(g.Preds)))
	}
	for i, d := range domtree.Immediate(g) {
		met[i].idom = met[d]
	}
}
