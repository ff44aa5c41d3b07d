package spirv

import "nirc/internal/domtree"

// dominators computes the immediate dominators of the function's blocks.
func (t *translator) dominators() {
	f := t.f
	if f.idom != nil {
		return
	}
	g := t.flowGraph()
	num := make([]int32, len(f.blocks))
	for i, b := range g.met {
		num[b] = int32(i)
	}
	d := domtree.Graph{Parent: make([]int32, len(g.met)), Start: make([]int32, 1, len(g.met)+1), Preds: make([]int32, 0, len(g.pred))}
	for i, b := range g.met {
		d.Parent[i] = num[g.parent[b]]
		for _, p := range g.preds(b) {
			d.Preds = append(d.Preds, num[p])
		}
		d.Start = append(d.Start, int32(len(d.Preds)))
	}
	f.idom, f.domKids = make([]int32, len(f.blocks)), make([][]int32, len(f.blocks))
	for b := range f.idom {
		f.idom[b] = -1
	}
	for i, up := range domtree.Immediate(&d) {
		f.idom[g.met[i]] = g.met[up]
	}
	for _, b := range g.rpo[1:] {
		f.domKids[f.idom[b]] = append(f.domKids[f.idom[b]], b)
	}
}
