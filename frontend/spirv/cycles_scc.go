package spirv

import (
	"cmp"
	"slices"
)

// sccFrame is a sibling whose predecessors are being walked.
type sccFrame struct {
	b int32
	i int
}

// siblings makes a cycle of each set of several blocks with the immediate dominator x whose
// parts of the dominator tree reach one another: strongly connected components (Tarjan, 1972), edges taken backwards.
func (c *cycleFinder) siblings(x int32, kids []int32) {
	n := int32(0)
	for _, k := range kids {
		c.num[k] = 0
	}
	visit := func(b int32) {
		n++
		c.num[b], c.low[b] = n, n
		c.open = append(c.open, b)
		c.scc = append(c.scc, sccFrame{b: b})
	}
	for _, k := range kids {
		if c.num[k] == 0 {
			visit(k)
		}
		for len(c.scc) > 0 {
			top := &c.scc[len(c.scc)-1]
			b := top.b
			if preds := c.g.preds(b); top.i < len(preds) {
				p := preds[top.i]
				top.i++
				switch from := c.under.find(p); {
				case p == x || from == b || c.num[from] < 0:
				case c.num[from] == 0:
					visit(from)
				default:
					c.low[b] = min(c.low[b], c.num[from])
				}
				continue
			}
			c.scc = c.scc[:len(c.scc)-1]
			if len(c.scc) > 0 {
				up := c.scc[len(c.scc)-1].b
				c.low[up] = min(c.low[up], c.low[b])
			}
			if c.low[b] == c.num[b] {
				c.component(b)
			}
		}
	}
}

// component ends the component whose first block is b; num is -1 from then on.
func (c *cycleFinder) component(b int32) {
	i := len(c.open) - 1
	for c.open[i] != b {
		i--
	}
	heads := slices.Clone(c.open[i:])
	c.open = c.open[:i]
	for _, h := range heads {
		c.num[h] = -1
	}
	if len(heads) < 2 {
		return
	}
	slices.SortFunc(heads, func(a, b int32) int { return cmp.Compare(c.g.order[a], c.g.order[b]) })
	l := c.enclose(heads)
	for _, h := range heads {
		c.irreducible[h] = l
	}
}
